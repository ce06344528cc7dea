import Foundation
import SeededRandom
import StrongroomData
import Testing

@Suite("A program's own store over SQLite, beside Swift")
struct SQLiteDifferentialTests {
  typealias Parcel = Parcels.Parcel

  private let place: Place
  private let log = StatementLog()

  init() throws { place = try Place() }

  private func container() throws -> ModelContainer {
    let file = place.url.appendingPathExtension("sqlite")
    return try ModelContainer(
      for: Parcel.self, Parcels.Sender.self, configurations: SQLiteConfiguration(url: file, trace: log.note))
  }

  @Test("Every condition finds what Swift finds", arguments: [1, 20, 300] as [UInt64])
  func conditions(seed: UInt64) throws {
    var random = Random(seed: seed)
    let writing = ModelContext(try container())
    Parcels.fill(writing, &random)
    try writing.save()
    let context = ModelContext(try container())
    // In an order of their own, so that a seed makes the same conditions each time.
    let all = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.number)]))
    #expect(all.count == 60)
    // Of the same class, of another one and of no store.
    let senders = try context.fetch(FetchDescriptor<Parcels.Sender>(sortBy: [SortDescriptor(\.name)]))
    let others = senders.map(\.persistentModelID)
    let unsaved = Parcel(number: 0).persistentModelID
    var conditions = RandomConditions(
      random: random, identifiers: all.map(\.persistentModelID) + others + [unsaved])
    var (inSQL, apart) = (0, 0)
    for round in 0..<120 {
      let predicate = conditions.predicate()
      let descriptor = FetchDescriptor(predicate: predicate)
      let wanted = Set(try all.filter { try predicate.evaluate($0) }.map(\.persistentModelID))
      _ = log.take()
      let found = try context.fetch(descriptor).map(\.persistentModelID)
      inSQL += log.take().contains { $0.contains(" WHERE ") } ? 1 : 0
      apart += wanted.isEmpty || wanted.count == all.count ? 0 : 1
      #expect(
        Set(found) == wanted && found.count == wanted.count, "seed \(seed), round \(round): \(predicate)")
      #expect(try context.fetchCount(descriptor) == wanted.count, "seed \(seed), round \(round)")
      #expect(try Set(context.fetchIdentifiers(descriptor)) == wanted, "seed \(seed), round \(round)")
    }
    // Enough of each kind, and of those that tell models apart.
    #expect(inSQL > 30 && inSQL < 100 && apart > 60, "\(inSQL) in SQL, \(apart) tell apart")
  }

  @Test("Orders are Swift's, with missing values first", arguments: [5, 60] as [UInt64])
  func orders(seed: UInt64) throws {
    var random = Random(seed: seed)
    let writing = ModelContext(try container())
    Parcels.fill(writing, &random)
    try writing.save()
    let context = ModelContext(try container())
    let all = try context.fetch(FetchDescriptor<Parcel>())
    func check<Value: Comparable>(
      _ path: any KeyPath<Parcel, Value> & Sendable, _ sort: SortDescriptor<Parcel>
    ) throws {
      _ = log.take()
      let found = try context.fetch(FetchDescriptor(sortBy: [sort]))
      #expect(log.take().contains { $0.contains("ASC, _id") })
      #expect(found.map { $0[keyPath: path] } == all.map { $0[keyPath: path] }.sorted())
    }
    try check(\.count, SortDescriptor(\.count))
    try check(\.weight, SortDescriptor(\.weight))
    try check(\.sent, SortDescriptor(\.sent))
    try check(\.label, SortDescriptor(\.label, comparator: .lexical))
    let found = try context.fetch(FetchDescriptor<Parcel>(sortBy: [SortDescriptor(\.price)])).map(\.price)
    let missing = found.prefix { $0 == nil }.count
    #expect(missing > 0 && found.dropFirst(missing).map { $0! } == all.compactMap(\.price).sorted())
  }

  @Test("Values are read as they were written")
  func values() throws {
    var random = Random(seed: 7)
    let writing = ModelContext(try container())
    Parcels.fill(writing, &random)
    try writing.save()
    func all(_ context: ModelContext) throws -> [Parcel] {
      try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.number)]))
    }
    for (one, other) in zip(try all(writing), try all(ModelContext(try container()))) {
      #expect(one !== other && one.number == other.number)
      #expect(Array(one.label.unicodeScalars) == Array(other.label.unicodeScalars) && one.note == other.note)
      #expect(one.weight.bitPattern == other.weight.bitPattern && one.price == other.price)
      #expect(one.count == other.count && one.sent == other.sent && one.due == other.due)
      #expect(one.key == other.key && one.kind == other.kind && one.size == other.size)
      #expect(one.sender?.name == other.sender?.name)
    }
  }
}
