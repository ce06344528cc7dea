import Foundation
import StrongroomArchive
import StrongroomRecords
import Testing

private final class Node: ArchivedObject {
  let id: UUID
  var number: Int
  var next: Reference<Node>?
  init(_ number: Int) {
    id = UUID()
    self.number = number
  }
}

private protocol Tool: ArchivedType { var name: String { get } }
private struct Pen: Tool, Equatable {
  var name: String
  var width: Double
}
private struct Brush: Tool, Equatable {
  var name: String
  var bristles: [Int]
}

private final class Case: ArchivedObject {
  let id: UUID
  @Polymorphic var tools: [any Tool] = []
  init() { id = UUID() }
}

private final class Sum: ArchivedObject {
  let id: UUID
  var amount: Decimal
  var count: UInt64
  init(_ amount: Decimal, _ count: UInt64) { (id, self.amount, self.count) = (UUID(), amount, count) }
}

private final class LaterSum: ArchivedObject {
  static var archivedName: String { "Sum" }
  static var archivedDefaults: [String: any Encodable & Sendable] { ["a \"name\"": [1, 2], "unit": "€"] }
  enum CodingKeys: String, CodingKey {
    case id, amount, count, unit
    case list = "a \"name\""
  }
  let id: UUID
  var amount: Decimal
  var count: UInt64
  var list: [Int]
  var unit: String
}

/// Makes an identifier anew each time it is read.
private final class Forgetful: ArchivedObject {
  enum CodingKeys: CodingKey { case name }
  let id = UUID()
  var name = "x"
  init() {}
}

@Suite("An archive of objects")
struct ArchiveTests {
  @Test("a circle of ten thousand objects is stored and walked")
  func circle() async throws {
    let place = try Place()
    let count = 10_000
    do {
      let archive = try await place.archive(Node.self)
      let nodes = (0..<count).map { Node($0) }
      for place in nodes.indices { nodes[place].next = Reference(nodes[(place + 1) % count]) }
      try archive.setRoot(nodes[0])
      try archive.save()
      try archive.close()
    }
    let archive = try await place.archive(Node.self)
    let first = try #require(try archive.root(Node.self))
    var node = first
    for _ in 0..<100 { node = try #require(try node.next?.load()) }
    #expect(node.number == 100)
    #expect(try archive.objects(Node.self).count == count)
    let before = try archive.executed
    for _ in 100..<count { node = try #require(try node.next?.load()) }
    #expect(try node === first && archive.executed == before)
  }

  @Test("an object that refers to itself; objects that refer to each other are deallocated")
  func itself() async throws {
    let place = try Place()
    let archive = try await place.archive(Node.self)
    weak var released: Node?
    try {
      let node = Node(1)
      let other = Node(2)
      node.next = Reference(node)
      other.next = Reference(node)
      node.next = Reference(other)
      released = other
      try archive.store(node)
      try archive.save()
    }()
    #expect(released != nil)
    archive.release()
    #expect(released == nil)
  }

  @Test(
    "values behind a protocol come back as what they were; an unknown one is named in the error"
  )
  func polymorphic() async throws {
    let place = try Place()
    let id: UUID
    do {
      let archive = try await place.archive(Case.self, Pen.self, Brush.self)
      let box = Case()
      box.tools = [
        Pen(name: "fine", width: 0.1), Brush(name: "soft", bristles: [1, 2]), Pen(name: "b", width: 2),
      ]
      id = box.id
      try archive.store(box)
      try archive.save()
      try archive.close()
    }
    do {
      let archive = try await place.archive(Case.self, Pen.self)
      let error = #expect(throws: ArchiveError.self) { _ = try archive.load(Case.self, id: id) }
      #expect(error?.code == .notRegistered && error?.message.contains("Brush") == true)
      try archive.close()
    }
    let archive = try await place.archive(Case.self, Pen.self, Brush.self)
    let box = try archive.load(Case.self, id: id)
    #expect(box.tools[0] as? Pen == Pen(name: "fine", width: 0.1))
    #expect(box.tools[1] as? Brush == Brush(name: "soft", bristles: [1, 2]))
    #expect(box.tools.map(\.name) == ["fine", "soft", "b"])
  }

  @Test("two types under one name are refused")
  func sameName() async throws {
    let place = try Place()
    let error = await #expect(throws: ArchiveError.self) { try await place.archive(Sum.self, LaterSum.self) }
    #expect(error?.code == .duplicateName)
    #expect(!FileManager.default.fileExists(atPath: place.url.path))
  }

  @Test("nothing that is not registered is stored, and a failed save leaves everything as it was")
  func unregistered() async throws {
    let place = try Place()
    let archive = try await place.archive(Case.self, Pen.self)
    #expect(throws: ArchiveError.self) { try archive.store(Node(1)) }
    let box = Case()
    box.tools = [Brush(name: "x", bristles: [])]
    try archive.store(box)
    let error = #expect(throws: ArchiveError.self) { try archive.save() }
    #expect(error?.code == .notRegistered)
    #expect(try archive.storedTypes().isEmpty)
    box.tools = [Pen(name: "x", width: 1)]
    try archive.save()
    #expect(try archive.storedTypes() == ["Case": 1])
  }

  @Test("identifiers: none found, another type, another instance, inserted again")
  func identifiers() async throws {
    let place = try Place()
    let archive = try await place.archive(Node.self, Case.self, Pen.self, Forgetful.self)
    let node = Node(1)
    try archive.store(node)
    try archive.save()
    #expect(throws: ArchiveError.self) { try archive.load(Node.self, id: UUID()) }
    #expect(throws: ArchiveError.self) { try archive.load(Case.self, id: node.id) }
    let copy = try JSONDecoder().decode(Node.self, from: JSONEncoder().encode(node))
    let duplicate = #expect(throws: ArchiveError.self) { try archive.store(copy) }
    #expect(duplicate?.code == .duplicateIdentifier)
    let forgetful = Forgetful()
    try archive.store(forgetful)
    try archive.save()
    archive.release()
    let error = #expect(throws: ArchiveError.self) { try archive.load(Forgetful.self, id: forgetful.id) }
    #expect(error?.code == .undecodable)
    // Where it is not alive, another instance takes its place.
    copy.number = 5
    try archive.store(copy)
    try archive.save()
    archive.release()
    #expect(try archive.load(Node.self, id: node.id).number == 5)
  }

  @Test("references to a deleted object throw, and it can be stored again")
  func deletion() async throws {
    let place = try Place()
    let archive = try await place.archive(Node.self)
    let (one, two) = (Node(1), Node(2))
    one.next = Reference(two)
    try archive.store(one)
    try archive.save()
    archive.delete(two)
    #expect(throws: ArchiveError.self) { try one.next?.load() }
    try archive.save()
    #expect(try archive.storedTypes() == ["Node": 1])
    archive.release()
    let again = try archive.load(Node.self, id: one.id)
    let error = #expect(throws: ArchiveError.self) { try again.next?.load() }
    #expect(error?.code == .notFound)
    try archive.store(two)
    archive.delete(two)
    try archive.store(two)
    try archive.save()
    #expect(try again.next?.load() === two)
  }

  @Test("two programs change one object: the second save throws and stores nothing")
  func conflict() async throws {
    let place = try Place()
    let one = try await place.archive(Node.self)
    let node = Node(1)
    try one.store(node)
    try one.save()
    let other = try await place.archive(Node.self)
    try other.load(Node.self, id: node.id).number = 2
    try other.save()
    node.number = 3
    let error = #expect(throws: StoreError.self) { try one.save() }
    #expect(error?.code == .conflict)
    one.release()
    #expect(try one.load(Node.self, id: node.id).number == 2)
  }

  @Test("defaults leave every digit of the rest as it was")
  func defaults() async throws {
    let place = try Place()
    let amount = try #require(Decimal(string: "123456789012345678.123456789"))
    let sum = Sum(amount, .max)
    do {
      let archive = try await place.archive(Sum.self)
      try archive.store(sum)
      try archive.save()
      try archive.close()
    }
    let archive = try await place.archive(LaterSum.self)
    let later = try archive.load(LaterSum.self, id: sum.id)
    #expect(later.amount == amount && later.count == .max && later.list == [1, 2] && later.unit == "€")
    try archive.save()
    archive.release()
    #expect(try archive.objects(LaterSum.self).map(\.amount) == [amount])
  }

  private struct Note: Record, Identifiable {
    var id: Int
    var text: String
  }

  @Test("records and an archive share a file, and neither drops the other's")
  func shared() async throws {
    let place = try Place()
    let store = try await RecordStore(place.description, [Note.self])
    try store.push(Note(id: 1, text: "a"))
    try store.close()
    let archive = try await place.archive(Node.self)
    let node = Node(7)
    try archive.setRoot(node)
    try archive.save()
    try archive.close()
    #expect(throws: ArchiveError.self) { try archive.root(Node.self) }
    let again = try await RecordStore(place.description, [Note.self])
    #expect(try again.fetch(Note.self).map(\.text) == ["a"])
    try again.close()
    let last = try await place.archive(Node.self)
    #expect(try last.root(Node.self)?.number == 7)
    #expect(try Data(contentsOf: place.url).range(of: Data("number".utf8)) == nil)
  }
}
