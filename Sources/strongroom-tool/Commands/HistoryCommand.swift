import ArgumentParser
import Foundation
import Strongroom

struct HistoryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Lists, follows and purges what was saved in a store.",
    subcommands: [
      HistoryListCommand.self, HistoryPurgeCommand.self, HistoryConsumersCommand.self,
      HistoryHeadCommand.self,
    ],
    defaultSubcommand: HistoryListCommand.self)
}

struct HistoryListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Prints the transactions of a store, oldest first.",
    discussion: """
      Each row is one save, batch or import: who made it, when, and how many objects it inserted, updated \
      and deleted. With --changes each row is one object; with --values its values before and after stand \
      beside it, for what the model records (the user info recordsHistoryValues).

      Examples:
        strongroom history library.store --limit 20
        strongroom history library.store --entity Book --where "author == 'sync'"
        strongroom history library.store --follow --json
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(help: "Only what was saved after the transaction of this number.") var after: Int64 = 0
  @Option(help: "Only transactions of this author.") var author: String?
  @Option(
    help: "Only changes of objects of this entity and its subentities.", completion: StoreCompletion.entities)
  var entity: String?
  @Option(name: .customLong("where"), help: "A condition on transactions: \"timestamp > '2026-01-31'\".")
  var condition: String?
  @Option(help: "The greatest number of transactions.") var limit: Int?
  @Flag(help: "Print each changed object.") var changes = false
  @Flag(help: "Print each changed object with its recorded values.") var values = false
  @Flag(help: "Go on with what others save, until it is stopped; as CSV or JSON lines.") var follow = false
  @OptionGroup var output: OutputArguments

  func validate() throws {
    if let limit, limit < 0 { throw ValidationError("--limit takes 0 or more") }
    if follow, limit != nil { throw ValidationError("--follow has no end; leave out --limit") }
  }

  func run() async throws {
    let (container, _) = try await arguments.open()
    let coordinator = container.persistentStoreCoordinator
    if let entity, container.managedObjectModel.entity(named: entity) == nil {
      throw ToolFailure("the store has no entity \(entity)")
    }
    let rows = HistoryRows(showsChanges: changes || values, showsValues: values)
    let printer = RowPrinter(columns: rows.columns, format: output.format, widest: values ? 120 : 60)
    if follow {
      let request = try request(after: after)
      try await Interruptible.run { try await Self.follow(coordinator, request, rows, printer) }
    } else {
      print(printer.text(try coordinator.execute(request(after: after)).transactions.flatMap(rows.rows)))
    }
    try container.close()
  }

  private func request(after number: Int64) throws -> PersistentHistoryChangeRequest {
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: number)
    request.authors = author.map { [$0] }
    request.entityNames = entity.map { [$0] }
    request.transactionPredicate = try condition.map { try FetchPredicate(format: $0) }
    request.fetchLimit = limit
    return request
  }

  /// Prints what there is, and after each commit of another process what came since.
  private static func follow(
    _ coordinator: PersistentStoreCoordinator, _ request: PersistentHistoryChangeRequest, _ rows: HistoryRows,
    _ printer: RowPrinter
  ) async throws {
    let remote = coordinator.remoteChanges()
    var request = request
    var seen: Int64 = 0
    func printNew() throws {
      let end = try end(of: coordinator)
      if let lost = try deleted(after: seen, through: end, coordinator) {
        let numbers = "\(lost.lowerBound) to \(lost.upperBound)"
        FileHandle.standardError.write(
          Data("Transactions \(numbers) were deleted before they were shown.\n".utf8))
      }
      seen = end
      let transactions = try coordinator.execute(request).transactions
      if let last = transactions.last { request.continue(after: last.transactionNumber) }
      for row in transactions.flatMap(rows.rows) {
        print(printer.format == .json ? printer.object(row) : RowPrinter.line(row.map(\.text)))
      }
      try Terminal.flush()
    }
    if printer.format != .json { print(RowPrinter.line(printer.columns)) }
    try printNew()
    for await _ in remote {
      if Task.isCancelled { return }
      try printNew()
    }
  }

  /// The number of the last transaction; 0 before the first.
  private static func end(of coordinator: PersistentStoreCoordinator) throws -> Int64 {
    let store = try coordinator.persistentStore.identifier
    return try coordinator.currentPersistentHistoryToken()?.position(in: store)?.transactionNumber ?? 0
  }

  /// What came after a transaction and was deleted since; nil for nothing.
  private static func deleted(
    after seen: Int64, through end: Int64, _ coordinator: PersistentStoreCoordinator
  ) throws -> ClosedRange<Int64>? {
    guard seen > 0, end > seen else { return nil }
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: seen)
    request.resultType = .transactionsOnly
    request.fetchLimit = 1
    let next = try coordinator.execute(request).transactions.first?.transactionNumber ?? end + 1
    return next > seen + 1 ? seen + 1...next - 1 : nil
  }
}

struct HistoryPurgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge", abstract: "Deletes the oldest transactions of a store's history.",
    discussion: """
      What a registered consumer has not read stays, and the command says whose it is. The space is used \
      again by the store; strongroom compact gives it back to the file system.

      Examples:
        strongroom history purge library.store --older-than 30
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(help: "Delete the transactions before the one of this number.") var before: Int64?
  @Option(help: "Delete the transactions that are older than so many days.") var olderThan: Double?
  @Flag(help: "Delete all transactions.") var all = false

  func validate() throws {
    let ways = [before != nil, olderThan != nil, all].count { $0 }
    if ways != 1 { throw ValidationError("give one of --before, --older-than and --all") }
    if let olderThan, !(olderThan >= 0) { throw ValidationError("--older-than takes 0 or more days") }
  }

  func run() async throws {
    let (container, _) = try await arguments.open(isWriting: true)
    let request: PersistentHistoryChangeRequest =
      if let before {
        .deleteHistory(beforeTransaction: before)
      } else if let olderThan {
        .deleteHistory(before: Date(timeIntervalSinceNow: -olderThan * 86_400))
      } else {
        .deleteHistory(before: nil as PersistentHistoryToken?)
      }
    let result = try container.persistentStoreCoordinator.execute(request)
    print("transactions deleted: \(result.count)")
    if let consumer = result.limitingConsumer {
      print(
        "the rest stays for the consumer \(consumer.name), which has read up to transaction"
          + " \(consumer.transactionNumber); strongroom history consumers --remove \(consumer.name.shellWord)"
          + " \(arguments.store.shellWord) removes it")
    }
    try container.close()
  }
}

struct HistoryConsumersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "consumers", abstract: "Prints who reads a store's history, and what they have read.",
    discussion: """
      Examples:
        strongroom history consumers library.store
        strongroom history consumers library.store --remove search
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(help: "Remove the consumer of this name.") var remove: String?
  @OptionGroup var output: OutputArguments

  func run() async throws {
    let (container, _) = try await arguments.open(isWriting: remove != nil)
    let coordinator = container.persistentStoreCoordinator
    if let remove, try !coordinator.removeHistoryConsumer(remove) {
      throw ToolFailure("the history has no consumer \(remove)")
    }
    if let remove { FileHandle.standardError.write(Data("removed: \(remove)\n".utf8)) }
    let rows = try coordinator.historyConsumers().map { consumer -> [Cell] in
      [
        .text(consumer.name), Cell(Int(consumer.transactionNumber)),
        .text(consumer.lastSeen.formatted(.iso8601)),
        .text(String(format: "%.1f", consumer.span / 86_400)),
        .text(consumer.isWithinSpan ? "yes" : "no, it was silent for too long"),
      ]
    }
    let columns = ["consumer", "has read", "last seen", "days", "is waited for"]
    print(RowPrinter(columns: columns, format: output.format).text(rows))
    try container.close()
  }
}

struct HistoryHeadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "head", abstract: "Records the end of a store's history in the vault.",
    discussion: """
      strongroom verify then finds an older copy of the file, or one that went another way, in its place. \
      Keyrings and key files can remember it.

      Examples:
        strongroom history head library.store
      """)

  @OptionGroup var arguments: StoreArguments
  @Flag(help: "The file is an older copy on purpose, as after a restored backup: record its end.")
  var acceptOlder = false

  func run() async throws {
    let description = try arguments.file(otherwise: "the end of a server's history is not recorded")
    let (container, opened) = try await arguments.open(description)
    guard let store = opened as? SQLCipherStore,
      try await store.recordHistoryHead(acceptingOlderFile: acceptOlder)
    else {
      throw ToolFailure("there is no history, or no vault that can remember its end")
    }
    let token = try store.currentHistoryToken
    print("recorded: transaction \(token?.position(in: store.identifier)?.transactionNumber ?? 0)")
    try container.close()
  }
}
