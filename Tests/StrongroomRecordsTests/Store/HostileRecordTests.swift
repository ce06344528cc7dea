import Foundation
import StrongroomRecords
import Testing

@Suite("Records that go wrong")
struct HostileRecordTests {
  struct Point: Codable, Equatable { var x: Double }
  enum Color: String, Codable { case red, green }

  struct Mark: Record, Equatable, Identifiable {
    var id: Int
    var point: Point
    var color: Color
    var weight = 1.0
  }

  /// The same table as other programs see it.
  enum Loose {
    struct Mark: Record, Identifiable {
      var id: Int
      var point: [String: String]
      var color: String
      var weight: Double
    }

    struct Painted: Record, Identifiable {
      static var tableName: String { "Mark" }
      var id: Int
      var point: Point
      var color: String
      var weight: Double
    }
  }

  @Test("a row that cannot be decoded is reported by table and column, never by its value")
  func wrongType() async throws {
    let place = try Place()
    let loose = try await place.store(Loose.Mark.self)
    try loose.push([
      Loose.Mark(id: 1, point: ["x": "secret"], color: "red", weight: 1),
      Loose.Mark(id: 2, point: [:], color: "red", weight: 1),
    ])
    try loose.close()
    let painted = try await place.store(Loose.Painted.self)
    try painted.push(Loose.Painted(id: 3, point: Point(x: 1), color: "violet", weight: 1))
    try painted.close()
    let store = try await place.store(Mark.self)
    for (id, word) in [(1, "point"), (2, "x"), (3, "color")] {
      let error = #expect(throws: RecordError.self) { try store.fetch(Mark.self, key: id) }
      #expect(error?.code == .undecodable)
      let text = String(describing: error)
      #expect(text.contains(word) && !text.contains("secret") && !text.contains("violet"), "\(text)")
    }
    // The others can still be read, and the row can be replaced.
    try store.push(Mark(id: 1, point: Point(x: 2), color: .green))
    #expect(try store.fetch(Mark.self, key: 1)?.point == Point(x: 2))
    #expect(try store.count(Mark.self) == 3)
  }

  @Test("a push that fails in a transaction leaves nothing of itself, and the transaction goes on")
  func failingPush() async throws {
    let place = try Place()
    let store = try await place.store(Mark.self)
    try store.push(Mark(id: 1, point: Point(x: 1), color: .red, weight: 1))
    try store.transaction { transaction in
      #expect(throws: StoreError.self) {
        try transaction.push([
          Mark(id: 1, point: Point(x: 1), color: .red, weight: 2),
          Mark(id: 2, point: Point(x: 1), color: .red, weight: 2),
          Mark(id: 3, point: Point(x: 1), color: .red, weight: .nan),
        ])
      }
      try transaction.push(Mark(id: 4, point: Point(x: 1), color: .red, weight: 4))
    }
    #expect(try store.fetch(Mark.self, sortBy: [SortDescriptor(\.id)]).map(\.weight) == [1, 4])
  }

  @Test("a value that cannot be stored leaves the whole push out")
  func unstorable() async throws {
    let place = try Place()
    let store = try await place.store(Mark.self)
    #expect(throws: StoreError.self) {
      try store.push([
        Mark(id: 1, point: Point(x: 1), color: .red),
        Mark(id: 2, point: Point(x: 1), color: .red, weight: .nan),
      ])
    }
    #expect(try store.count(Mark.self) == 0)
    try store.push(Mark(id: 3, point: Point(x: .infinity), color: .red, weight: -.infinity))
    #expect(try store.fetch(Mark.self).map(\.point.x) == [.infinity])
  }

  struct Checked: Codable, SampleProviding {
    static var example: Checked { Checked("a@b") }
    var address: String
    init(_ address: String) { self.address = address }
    init(from decoder: any Decoder) throws {
      address = try decoder.singleValueContainer().decode(String.self)
      guard address.contains("@") else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no address"))
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(address)
    }
  }

  struct Odd: Record, Identifiable {
    enum Payload: Codable, Equatable { case none, number(Int), pair(String, of: [Int]) }
    final class Box: Codable, @unchecked Sendable {
      // @unchecked: never written to.
      let inner: Box?
      init(_ inner: Box?) { self.inner = inner }
    }
    var id: UUID
    var payload: Payload
    var payloads: [Payload]
    var box: Box
    var mail: Checked
    var letter: Set<String>
    var nested: [[Int]: [String]]
    var float: Float
    var small: Int8
  }

  @Test("enumerations with payloads, classes, checked types, sets and odd dictionaries are columns")
  func odd() async throws {
    let place = try Place()
    let store = try await place.store(Odd.self)
    let odd = Odd(
      id: UUID(), payload: .pair("a", of: [1, 2]), payloads: [.none, .number(4)],
      box: Odd.Box(Odd.Box(nil)), mail: Checked("x@y"), letter: ["q"], nested: [[1]: ["one"]], float: 0.1,
      small: -128)
    try store.push(odd)
    let back = try #require(try store.fetch(Odd.self).first)
    #expect(back.payload == odd.payload && back.payloads == odd.payloads && back.mail.address == "x@y")
    #expect(back.box.inner != nil && back.box.inner?.inner == nil && back.letter == ["q"])
    #expect(back.nested == [[1]: ["one"]] && back.float == 0.1 && back.small == -128)
    #expect(try store.count(Odd.self, where: #Predicate { $0.letter.contains("q") }) == 1)
  }

  struct Even: Codable, Equatable {
    var number: Int
    init(_ number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
      guard number == 4 else {
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not four"))
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  struct Choosy: Record, Equatable, Identifiable {
    var id: Int
    var even: Even?
    var zone: TimeZone
    var range: ClosedRange<Int>
    var place: CGPoint
    var later: Int?
  }

  @Test("optional properties of types that reject sample values, and Foundation's types")
  func choosy() async throws {
    let place = try Place()
    let store = try await place.store(Choosy.self)
    let zone = try #require(TimeZone(secondsFromGMT: 3600))
    let values = [
      Choosy(id: 1, even: Even(4), zone: zone, range: 1...4, place: CGPoint(x: 1, y: 2), later: 5),
      Choosy(id: 2, even: nil, zone: zone, range: 2...2, place: .zero, later: nil),
    ]
    try store.push(values)
    #expect(try store.fetch(Choosy.self) == values)
    #expect(try store.fetch(Choosy.self, where: #Predicate { $0.even == nil }).map(\.id) == [2])
    #expect(try store.fetch(Choosy.self, where: #Predicate { $0.later == 5 }).map(\.id) == [1])
  }

  /// Decodes in another order than it declares, and keeps its decoders.
  struct Hoarder: Record, Identifiable {
    // nonisolated(unsafe): only one test makes and reads these, one call after the other.
    nonisolated(unsafe) static var decoders: [any Decoder] = []
    var id: Int
    var text: String
    var note: String?
    var date: Date

    init(id: Int, text: String, note: String?) {
      (self.id, self.text, self.note, date) = (id, text, note, Date(timeIntervalSinceReferenceDate: 1))
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      date = try container.decode(Date.self, forKey: .date)
      note = try container.decodeIfPresent(String.self, forKey: .note)
      text = try container.decode(String.self, forKey: .text)
      id = try container.decode(Int.self, forKey: .id)
      if container.allKeys.count != 4 { _ = try container.decode(Int.self, forKey: .id) }
      Self.decoders.append(decoder)
    }
  }

  @Test("a decoder that a value keeps finds nothing once its row is over")
  func hoarded() async throws {
    let place = try Place()
    let store = try await place.store(Hoarder.self)
    let values = (1...5).map {
      Hoarder(id: $0, text: "text \($0) which is long", note: $0 % 2 == 0 ? nil : "n")
    }
    try store.push(values)
    Hoarder.decoders = []
    let fetched = try store.fetch(Hoarder.self)
    #expect(fetched.map(\.id) == [1, 2, 3, 4, 5] && fetched.map(\.note) == values.map(\.note))
    #expect(fetched.map(\.text) == values.map(\.text) && fetched.map(\.date) == values.map(\.date))
    let decoders = Hoarder.decoders
    #expect(decoders.count == 5)
    for decoder in decoders { #expect(throws: (any Error).self) { try Hoarder(from: decoder) } }
    Hoarder.decoders = []
  }

  struct Refusing: Record, Identifiable {
    var id: Int
    init(from decoder: any Decoder) throws {
      id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never"))
    }
  }

  struct Keyless: Record {
    static var primaryKey: KeyPath<Keyless, [Int]> { \.list }
    var list: [Int]
  }

  struct Twins: Record, Identifiable {
    // The names are each other's.
    enum CodingKeys: String, CodingKey {
      case id
      case left = "right"
      case right = "left"
    }
    var id: Int
    var left: Int
    var right: Int
  }

  @Test("types that cannot be tables are refused; exchanged names are resolved")
  func undescribable() async throws {
    let place = try Place()
    for type in [Refusing.self, Keyless.self] as [any Record.Type] {
      let error = await #expect(throws: RecordError.self) { _ = try await place.store(type) }
      #expect(error?.code == .notDescribable)
    }
    #expect(!FileManager.default.fileExists(atPath: place.url.path))
    let store = try await place.store(Twins.self)
    try store.push([Twins(id: 1, left: 1, right: 9), Twins(id: 2, left: 9, right: 1)])
    #expect(try store.fetch(Twins.self, where: #Predicate { $0.left == 1 }).map(\.id) == [1])
    #expect(try store.fetch(Twins.self, sortBy: [SortDescriptor(\.right)]).map(\.id) == [2, 1])
    await #expect(throws: RecordError.self) { try await store.register(Mark.self, Loose.Mark.self) }
  }

  struct Word: Record {
    static var primaryKey: KeyPath<Word, String> { \.text }
    var text: String
    var count = 0
  }

  @Test("keys that are equal in Swift and differ in the file are different rows")
  func keys() async throws {
    let place = try Place()
    let store = try await place.store(Word.self)
    let (composed, apart) = ("\u{E9}", "e\u{301}")
    try store.push([Word(text: composed, count: 1), Word(text: apart, count: 2), Word(text: "", count: 3)])
    #expect(try store.count(Word.self) == 3)
    #expect(try store.fetch(Word.self, key: apart)?.count == 2)
    try store.push(Word(text: "'; DROP TABLE Word; --", count: 4))
    #expect(try store.fetch(Word.self, key: "'; DROP TABLE Word; --")?.count == 4)
  }

  @Test("a hundred thousand values are pushed, changed and counted")
  func many() async throws {
    let place = try Place()
    let store = try await place.store(Word.self)
    try store.push((0..<100_000).lazy.map { Word(text: "word \($0)", count: $0) })
    #expect(try store.count(Word.self) == 100_000)
    try store.push((0..<100_000).lazy.map { Word(text: "word \($0)", count: $0 + 1) })
    #expect(try store.count(Word.self, where: #Predicate { $0.count > 50_000 }) == 50_000)
    #expect(try store.fetch(Word.self, where: #Predicate { $0.count == 77 }).map(\.text) == ["word 76"])
    #expect(try store.delete(Word.self, where: #Predicate { $0.count > 10 }) == 99_990)
  }

  @Test("many threads write and read one store")
  func threads() async throws {
    let place = try Place()
    let store = try await place.store(Word.self)
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<20 {
            #expect(throws: Never.self) {
              try store.transaction { transaction in
                let known = try transaction.fetch(Word.self, key: "shared")?.count ?? 0
                try transaction.push(Word(text: "shared", count: known + 1))
                try transaction.push(Word(text: "\(task).\(number)"))
              }
              _ = try store.count(Word.self)
            }
          }
        }
      }
    }
    #expect(try store.fetch(Word.self, key: "shared")?.count == 160)
    #expect(try store.count(Word.self) == 161)
  }

  @Test("two programs that write one key at once both succeed, and one row stays")
  func programs() async throws {
    let place = try Place()
    let (one, other) = (try await place.store(Word.self), try await place.store(Word.self))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (number, store) in [one, other].enumerated() {
        group.addTask {
          for round in 0..<30 { try store.push(Word(text: "\(round)", count: number)) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try one.count(Word.self) == 30)
    #expect(try one.fetch(Word.self).map(\.text) == other.fetch(Word.self).map(\.text))
  }

  @Test("another vault has no key, and the file shows nothing")
  func secrecy() async throws {
    let place = try Place()
    let store = try await place.store(Word.self)
    try store.push((0..<50).map { Word(text: "needle \($0)") })
    try store.close()
    #expect(try Data(contentsOf: place.url).range(of: Data("needle".utf8)) == nil)
    await #expect(throws: StoreError.self) {
      _ = try await RecordStore(url: place.url, vault: InMemoryVault(), Word.self)
    }
  }
}
