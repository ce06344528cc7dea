import Foundation
import ObjectContext
import StrongroomData
import Testing

@Suite("Histories of several stores of a program")
struct OwnHistoryTests {
  struct Voyage: HistoryTransaction, Hashable {
    var timestamp = Date(timeIntervalSinceReferenceDate: 0)
    var changes: [HistoryChange] { [] }
    var token: LedgerToken
    var transactionIdentifier: LedgerToken
    var storeIdentifier: String
    var author: String?
    var id: LedgerToken { token }
    var number: Int { token.id }
  }

  final class Log: @unchecked Sendable {
    // @unchecked: containers call a store one call at a time.
    let identifier: String
    var voyages: [Voyage]

    init(_ identifier: String, _ numbers: [Int]) {
      self.identifier = identifier
      voyages = numbers.map { number in
        let token = LedgerToken(tokenValue: number)
        return Voyage(token: token, transactionIdentifier: token, storeIdentifier: identifier)
      }
    }
  }

  struct LogConfiguration: DataStoreConfiguration {
    typealias Store = LogStore
    let name: String
    var schema: Schema?
    let log: Log

    init(_ log: Log, _ type: any PersistentModel.Type) {
      (name, schema, self.log) = (log.identifier, Schema([type]), log)
    }

    static func == (left: Self, right: Self) -> Bool { left.log === right.log }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(log)) }
  }

  final class LogStore: DataStore, HistoryProviding {
    typealias Configuration = LogConfiguration
    typealias Snapshot = DefaultSnapshot
    typealias HistoryType = Voyage
    static var historyType: Voyage.Type { Voyage.self }

    let configuration: LogConfiguration
    let schema: Schema
    var identifier: String { configuration.name }

    init(_ configuration: LogConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
      self.configuration = configuration
      schema = try #require(configuration.schema)
    }

    func fetch<T: PersistentModel>(
      _ request: DataStoreFetchRequest<T>
    ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
      DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: [])
    }

    func save(
      _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
    ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> { throw DataStoreError.unsupportedFeature }

    func fetchHistory(_ descriptor: HistoryDescriptor<Voyage>) throws -> [Voyage] {
      let found = try configuration.log.voyages.filter { try descriptor.predicate?.evaluate($0) ?? true }
        .sorted(using: descriptor.sortBy)
      return descriptor.fetchLimit == 0 ? found : Array(found.prefix(Int(descriptor.fetchLimit)))
    }

    func deleteHistory(_ descriptor: HistoryDescriptor<Voyage>) throws {
      let doomed = Set(try fetchHistory(descriptor))
      configuration.log.voyages.removeAll(where: doomed.contains)
    }
  }

  private let one = Log("one", [1, 3, 6])
  private let two = Log("two", [2, 4, 5])

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Buoy.self, Chart.self]),
      configurations: [LogConfiguration(one, Buoy.self), LogConfiguration(two, Chart.self)])
  }

  @Model final class Chart {
    var name: String
    init(name: String) { self.name = name }
  }

  private func numbers(_ context: ModelContext) throws -> [Int] {
    try context.fetchHistory(HistoryDescriptor<Voyage>()).map(\.number)
  }

  @Test("A deletion with a limit deletes the first of the order, of whatever stores they are")
  func limits() throws {
    let context = ModelContext(try container())
    #expect(try numbers(context) == [1, 3, 6, 2, 4, 5])
    var descriptor = HistoryDescriptor<Voyage>(sortBy: [SortDescriptor(\.number, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.number) == [6, 5])
    try context.deleteHistory(descriptor)
    #expect(try numbers(context) == [1, 3, 2, 4])
    (descriptor.fetchLimit, descriptor.sortBy) = (1, [SortDescriptor(\.number)])
    try context.deleteHistory(descriptor)
    #expect(try numbers(context) == [3, 2, 4])
    descriptor.sortBy = []
    try context.deleteHistory(descriptor)
    #expect(try numbers(context) == [2, 4])
    descriptor.fetchLimit = 0
    try context.deleteHistory(descriptor)
    #expect(try numbers(context).isEmpty)
  }

  @Test("A container that was invalidated has no store to ask")
  func invalidated() throws {
    let own = try container()
    let encrypted = try ModelContainer(
      for: Buoy.self, configurations: ModelConfiguration("mem \(UUID())", isStoredInMemoryOnly: true))
    for container in [own, encrypted] {
      let context = ModelContext(container)
      container.invalidate()
      func expectNoStore(_ body: () throws -> Void) {
        let error = #expect(throws: ContextError.self) { try body() }
        #expect(error?.code == .noStore)
      }
      expectNoStore { _ = try context.fetchHistory(HistoryDescriptor<Voyage>()) }
      expectNoStore { try context.deleteHistory(HistoryDescriptor<Voyage>()) }
      expectNoStore { _ = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
      expectNoStore { try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>()) }
    }
    #expect(one.voyages.count == 3 && two.voyages.count == 3)
  }
}
