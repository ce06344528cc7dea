// Stands for: `Decimal` amounts, nested Codable structures, dictionaries, enums as dictionary keys,
// `#Unique` over several keys, both forms of `#Index`, a public model, a non-optional to-one, an
// inverse left to be found, generic functions over models, transactions, containers with several
// configurations.

import Foundation
import SwiftData

// MARK: - Values

struct Money: Codable, Hashable, Sendable {
  var amount: Decimal
  var currency: String

  static func euros(_ amount: Decimal) -> Money { Money(amount: amount, currency: "EUR") }
}

struct Plan: Codable, Equatable {
  struct Goal: Codable, Equatable {
    var name: String
    var target: Money
    var deadline: Date?
  }

  var note: String?
  var goals: [Goal]
  var rollsOver: Bool
}

enum Recurrence: Codable, Equatable {
  case none
  case monthly(day: Int)
  case yearly(month: Int, day: Int)
}

enum Kind: String, Codable, CaseIterable {
  case income, expense, transfer
}

// MARK: - Models

@Model
final class Budget {
  #Unique<Budget>([\.id], [\.year, \.month])
  #Index<Budget>([\.year, \.month])

  var id: UUID
  var year: Int
  var month: Int
  var plan: Plan?
  var limits: [String: Decimal] = [:]
  var limitsByKind: [Kind: Decimal] = [:]
  var members: [String: [String]] = [:]

  @Relationship(deleteRule: .cascade, inverse: \Envelope.budget)
  var envelopes: [Envelope] = []

  init(id: UUID = UUID(), year: Int, month: Int, plan: Plan? = nil) {
    self.id = id
    self.year = year
    self.month = month
    self.plan = plan
  }
}

@Model
final class Envelope {
  #Unique<Envelope>([\.budget, \.name])

  var name: String
  var allotted: Decimal
  var budget: Budget?
  var transactions: [Transaction] = []

  init(name: String, allotted: Decimal, budget: Budget? = nil) {
    self.name = name
    self.allotted = allotted
    self.budget = budget
  }
}

@Model
final class Account {
  #Unique<Account>([\.bank, \.number])

  var bank: String
  var number: String
  var nickname: String?
  var opening: Decimal = 0
  var limit = Money(amount: 0, currency: "EUR")

  @Relationship(deleteRule: .cascade, inverse: \Transaction.account)
  var transactions = [Transaction]()

  init(bank: String, number: String, nickname: String? = nil, opening: Decimal = 0) {
    self.bank = bank
    self.number = number
    self.nickname = nickname
    self.opening = opening
  }
}

@Model
final class Transaction {
  #Index<Transaction>(.binary([\.date]), .binary([\.payee, \.date]))

  var date: Date
  var payee: String
  var amount: Decimal
  var kind: Kind
  var recurrence: Recurrence = Recurrence.none
  var split: [Money] = []
  var account: Account
  var envelope: Envelope?

  init(_ payee: String, _ amount: Decimal, on date: Date, kind: Kind = .expense, account: Account) {
    self.payee = payee
    self.amount = amount
    self.date = date
    self.kind = kind
    self.account = account
  }
}

/// A day's rate of exchange.
@Model
public final class ExchangeRate {
  #Unique<ExchangeRate>([\.base, \.quote, \.day])

  /// The currency that one unit is of.
  public var base: String
  /// The currency of the rate.
  public var quote: String
  /// The day.
  public var day: Int
  /// How much one unit costs.
  public var rate: Decimal

  /// Makes a rate.
  public init(base: String, quote: String, day: Int, rate: Decimal) {
    self.base = base
    self.quote = quote
    self.day = day
    self.rate = rate
  }
}

// MARK: - Behaviour

extension Budget {
  var allotted: Decimal { envelopes.map(\.allotted).reduce(0, +) }

  var isOverPlan: Bool {
    guard let goal = plan?.goals.first else { return false }
    return allotted > goal.target.amount
  }

  func envelope(named name: String) -> Envelope? { envelopes.first { $0.name == name } }
}

extension Envelope {
  var spent: Decimal { transactions.reduce(Decimal.zero) { $0 - $1.amount } }
  var left: Decimal { allotted - spent }
}

extension Account {
  var balance: Decimal { transactions.reduce(opening) { $0 + $1.amount } }
}

extension Transaction {
  static func largerThan(_ amount: Decimal) -> Predicate<Transaction> {
    #Predicate { $0.amount > amount || $0.amount < -amount }
  }

  static func of(bank: String) -> FetchDescriptor<Transaction> {
    FetchDescriptor(
      predicate: #Predicate<Transaction> { $0.account.bank == bank },
      sortBy: [SortDescriptor(\.amount), SortDescriptor(\.payee)])
  }
}

// MARK: - Containers

enum BudgetContainer {
  static var schema: Schema {
    Schema([Budget.self, Envelope.self, Account.self, Transaction.self, ExchangeRate.self])
  }

  /// The container of the program itself.
  static let shared: ModelContainer = {
    let configuration = ModelConfiguration(
      "Budgets", schema: schema, isStoredInMemoryOnly: false, allowsSave: true, groupContainer: .none,
      cloudKitDatabase: .none)
    do {
      return try ModelContainer(for: schema, configurations: [configuration])
    } catch {
      fatalError("Could not create ModelContainer: \(error)")
    }
  }()

  static func inMemory() throws -> ModelContainer {
    try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  /// Money in one store, rates in another.
  static func split() throws -> ModelContainer {
    let money = ModelConfiguration(
      "Money", schema: Schema([Budget.self, Account.self]), isStoredInMemoryOnly: true)
    let rates = ModelConfiguration(
      "Rates", schema: Schema([ExchangeRate.self]), isStoredInMemoryOnly: true)
    return try ModelContainer(
      for: Budget.self, Account.self, ExchangeRate.self, configurations: money, rates)
  }
}

/// The sum of an amount over all models that a predicate finds.
func total<T: PersistentModel>(
  of amount: KeyPath<T, Decimal>, where predicate: Predicate<T>? = nil, in context: ModelContext
) throws -> Decimal {
  try context.fetch(FetchDescriptor<T>(predicate: predicate)).reduce(0) { $0 + $1[keyPath: amount] }
}

/// Moves money between accounts, in one save.
func transfer(_ amount: Decimal, from source: Account, to target: Account, on date: Date) throws {
  guard let context = source.modelContext else { return }
  try context.transaction {
    context.insert(Transaction("Transfer", -amount, on: date, kind: .transfer, account: source))
    context.insert(Transaction("Transfer", amount, on: date, kind: .transfer, account: target))
  }
}
