// Over Models/Budgets.swift: exact amounts, compound keys, dictionaries, transactions, containers.

import Foundation
import SwiftData
import Testing

final class BudgetsTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [
    Budget.self, Envelope.self, Account.self, Transaction.self, ExchangeRate.self,
  ]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let may = Date(timeIntervalSinceReferenceDate: 799_286_400)

  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      let bank = Account(bank: "Harbour", number: "001", nickname: "Daily", opening: try decimal("1000.10"))
      bank.limit = .euros(500)
      let savings = Account(bank: "Harbour", number: "002")
      let budget = Budget(
        year: 2026, month: 5,
        plan: Plan(
          note: nil,
          goals: [.init(name: "Boat", target: .euros(try decimal("0.30")), deadline: may)], rollsOver: true))
      budget.limits = ["food": try decimal("400.05"), "rent": 900]
      budget.limitsByKind = [.expense: 1_500, .income: 0]
      budget.members = ["adults": ["Ida", "Per"], "pets": []]
      let food = Envelope(name: "Food", allotted: try decimal("0.1"), budget: budget)
      let fun = Envelope(name: "Fun", allotted: try decimal("0.2"), budget: budget)
      context.insert(bank)
      context.insert(savings)
      context.insert(budget)
      for (payee, amount, envelope) in [
        ("Baker", "-2.15", food), ("Fair", "-19.95", fun), ("Grocer", "-9.5", food),
      ] {
        let spent = Transaction(payee, try decimal(amount), on: may, account: bank)
        spent.envelope = envelope
        context.insert(spent)
      }
      let pay = Transaction("Wages", try decimal("2500"), on: may + 3_600, kind: .income, account: bank)
      pay.recurrence = .monthly(day: 25)
      pay.split = [.euros(2_000), .euros(500)]
      context.insert(pay)
      try context.save()
    }
  }

  @Test func amountsAreExact() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let budget = try #require(try context.fetch(FetchDescriptor<Budget>()).first)
      #expect(try budget.allotted == decimal("0.3"))
      #expect(!budget.isOverPlan)
      let food = try #require(budget.envelope(named: "Food"))
      #expect(food.budget === budget)
      #expect(try food.spent == decimal("11.65"))
      #expect(Set(food.transactions.map(\.payee)) == ["Baker", "Grocer"])
      let daily = try #require(try context.first(where: #Predicate<Account> { $0.number == "001" }))
      #expect(try daily.balance == decimal("3468.5"))
      #expect(daily.limit == .euros(500))
      #expect(try total(of: \Transaction.amount, in: context) == decimal("2468.4"))

      let tiny = try decimal("0.00000000000000000000000000000000000001")
      let huge = try decimal("12345678901234567890123456789012345678")
      budget.limits["tiny"] = tiny
      food.allotted = huge
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let budget = try #require(try context.fetch(FetchDescriptor<Budget>()).first)
      #expect(try budget.limits["tiny"] == decimal("0.00000000000000000000000000000000000001"))
      #expect(
        try budget.envelope(named: "Food")?.allotted == decimal("12345678901234567890123456789012345678"))
    }
  }

  @Test func amountsAreSortedAndComparedAsNumbers() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let all = try context.fetch(Transaction.of(bank: "Harbour"))
      #expect(all.map(\.payee) == ["Fair", "Grocer", "Baker", "Wages"])
      #expect(try context.fetch(Transaction.of(bank: "Other")).isEmpty)

      let large = FetchDescriptor(
        predicate: Transaction.largerThan(try decimal("9.5")), sortBy: [SortDescriptor(\Transaction.payee)])
      #expect(try context.fetch(large).map(\.payee) == ["Fair", "Wages"])

      let low = try decimal("-9.500")
      let same = #Predicate<Transaction> { $0.amount == low }
      #expect(try context.first(where: same)?.payee == "Grocer")
      let cheap = try total(of: \.amount, where: #Predicate<Transaction> { $0.amount < 0 }, in: context)
      #expect(try cheap == decimal("-31.6"))
    }
  }

  @Test func structuresAndDictionariesComeBack() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let budget = try #require(try context.fetch(FetchDescriptor<Budget>()).first)
      let goal = try #require(budget.plan?.goals.first)
      #expect(try goal == Plan.Goal(name: "Boat", target: .euros(decimal("0.3")), deadline: may))
      #expect(budget.plan?.note == nil)
      #expect(budget.plan?.rollsOver == true)
      #expect(try budget.limits == ["food": decimal("400.05"), "rent": 900])
      #expect(budget.limitsByKind == [.expense: 1_500, .income: 0])
      #expect(budget.members == ["adults": ["Ida", "Per"], "pets": []])
      let pay = try #require(try context.first(where: #Predicate<Transaction> { $0.payee == "Wages" }))
      #expect(pay.recurrence == .monthly(day: 25))
      #expect(pay.split.map(\.amount) == [2_000, 500])
      #expect(pay.kind == .income)
      #expect(pay.envelope == nil)

      budget.plan?.goals.append(.init(name: "Sail", target: .euros(7), deadline: nil))
      budget.plan?.goals[0].target.amount = 12
      budget.limits["food"] = nil
      budget.members["pets", default: []].append("Otto")
      pay.recurrence = .yearly(month: 12, day: 1)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let budget = try #require(try context.fetch(FetchDescriptor<Budget>()).first)
      #expect(budget.plan?.goals.map(\.name) == ["Boat", "Sail"])
      #expect(budget.plan?.goals.map(\.target) == [.euros(12), .euros(7)])
      #expect(budget.limits == ["rent": 900])
      #expect(budget.members["pets"] == ["Otto"])
      let pay = try #require(try context.first(where: #Predicate<Transaction> { $0.payee == "Wages" }))
      #expect(pay.recurrence == .yearly(month: 12, day: 1))
    }
  }

  @Test func theSameKeysUpdate() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      context.insert(Account(bank: "Harbour", number: "002", nickname: "Rainy days", opening: 50))
      context.insert(Account(bank: "Inland", number: "002", nickname: "Other", opening: 7))
      context.insert(ExchangeRate(base: "EUR", quote: "NOK", day: 1, rate: 11))
      try context.save()
      context.insert(ExchangeRate(base: "EUR", quote: "NOK", day: 1, rate: 12))
      context.insert(ExchangeRate(base: "EUR", quote: "NOK", day: 2, rate: 13))
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let accounts = try context.fetch(
        FetchDescriptor<Account>(sortBy: [SortDescriptor(\.bank), SortDescriptor(\.number)]))
      #expect(accounts.map(\.nickname) == ["Daily", "Rainy days", "Other"])
      #expect(try accounts.map(\.opening) == [decimal("1000.10"), 50, 7])
      let rates = try context.fetch(FetchDescriptor<ExchangeRate>(sortBy: [SortDescriptor(\.day)]))
      #expect(rates.map(\.rate) == [12, 13])
    }
  }

  @Test func aTransferIsOneSave() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let accounts = try context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.number)]))
      try #require(accounts.count == 2)
      try transfer(100, from: accounts[0], to: accounts[1], on: may)
      #expect(!context.hasChanges)
    }
    try store.session(types) { (context: ModelContext) throws in
      let accounts = try context.fetch(FetchDescriptor<Account>(sortBy: [SortDescriptor(\.number)]))
      #expect(try accounts.map(\.balance) == [decimal("3368.5"), 100])
      #expect(accounts.last?.transactions.first?.kind == .transfer)
    }
  }

  @Test func deletesGoDownAndNotUp() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      try context.delete(model: Account.self, where: #Predicate { $0.nickname == "Daily" })
      try context.save()
      #expect(try context.count(of: Transaction.self) == 0)
      #expect(try context.count(of: Account.self) == 1)
      let budget = try #require(try context.fetch(FetchDescriptor<Budget>()).first)
      #expect(budget.envelopes.count == 2)
      #expect(budget.envelopes.allSatisfy { $0.transactions.isEmpty })
      context.delete(budget)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Envelope.self) == 0)
      #expect(try context.count(of: Account.self) == 1)
    }
  }

  @MainActor
  @Test func containersAreMadeInManyWays() throws {
    let memory = try BudgetContainer.inMemory()
    memory.mainContext.insert(Budget(year: 2026, month: 6))
    try memory.mainContext.save()
    #expect(try memory.mainContext.count(of: Budget.self) == 1)

    let split = try BudgetContainer.split()
    #expect(split.configurations.count == 2)
    split.mainContext.insert(ExchangeRate(base: "EUR", quote: "SEK", day: 3, rate: 11))
    split.mainContext.insert(Account(bank: "Harbour", number: "9"))
    try split.mainContext.save()
    let fresh = ModelContext(split)
    #expect(try fresh.count(of: ExchangeRate.self) == 1)
    #expect(try fresh.count(of: Account.self) == 1)
  }
}
