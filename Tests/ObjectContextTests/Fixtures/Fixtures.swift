import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// What the checks of the object graph make and read.
enum Fixtures {
  static func person(_ context: ManagedObjectContext, _ name: String, age: Int = 18) throws -> ManagedObject {
    let person = try context.insert("Person")
    try person.set("name", name)
    if age != 18 { try person.set("age", age) }
    return person
  }

  static func company(_ context: ManagedObjectContext, _ name: String) throws -> ManagedObject {
    let company = try context.insert("Company")
    try company.set("name", name)
    return company
  }

  static func tag(
    _ context: ManagedObjectContext, _ name: String, colour: String? = nil, rank: Int? = nil
  ) throws -> ManagedObject {
    let tag = try context.insert("Tag")
    try tag.set("name", name)
    if let colour { try tag.set("colour", colour) }
    if let rank { try tag.set("rank", rank) }
    return tag
  }

  @discardableResult
  static func task(_ title: String, of owner: ManagedObject, in context: ManagedObjectContext) throws
    -> ManagedObject
  {
    let task = try context.insert("Task")
    try task.set("title", title)
    try task.setObject(owner, forKey: "owner")
    return task
  }

  static func text(_ object: ManagedObject, _ name: String = "name") throws -> String? {
    try object.get(name, as: String.self)
  }

  static func number(_ object: ManagedObject, _ name: String = "age") throws -> Int? {
    try object.get(name, as: Int.self)
  }

  /// A text of each object; "-" where it has none.
  static func names(_ objects: some Sequence<ManagedObject>, _ name: String = "name") throws -> [String] {
    try objects.map { try text($0, name) ?? "-" }
  }

  /// A tag's colour and rank.
  static func look(_ tag: ManagedObject) throws -> String {
    try "\(text(tag, "colour") ?? "") \(number(tag, "rank").map { "\($0)" } ?? "")"
  }

  /// The first elements of a stream; fails when they do not come.
  static func first<T: Sendable>(
    _ count: Int, of stream: AsyncStream<T>, line: Int = #line, fileID: String = #fileID
  ) async throws -> [T] {
    try await withThrowingTaskGroup(of: [T].self) { group in
      group.addTask {
        var elements: [T] = []
        for await element in stream {
          elements.append(element)
          if elements.count == count { break }
        }
        return elements
      }
      group.addTask {
        try await Task.sleep(for: .seconds(30))
        return []
      }
      let elements = try await group.next() ?? []
      group.cancelAll()
      try expect(elements.count == count, "a stream reported too little", line: line, fileID: fileID)
      return elements
    }
  }

  /// A number that code on any isolation raises and lowers.
  final class Count: Sendable {
    private let number = Locked(0)

    var value: Int { number.withLock { $0 } }

    /// Answers the number after.
    @discardableResult
    func add(_ step: Int = 1) -> Int {
      number.withLock { (number: inout Int) -> Int in
        number += step
        return number
      }
    }
  }

  /// SplitMix64: the same numbers for the same seed everywhere.
  struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((z ^ (z >> 31)) % UInt64(bound))
    }

    /// True once in so many times.
    mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    mutating func element<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }
  }
}

extension Fixtures {
  /// A new object with values.
  @discardableResult
  static func make(
    _ entity: String, _ values: [String: AttributeValue] = [:], in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = try context.insert(entity)
    for (name, value) in values { try object.setValue(value, forKey: name) }
    return object
  }

  /// New people of these names.
  static func people(_ names: String..., in context: ManagedObjectContext) throws -> [ManagedObject] {
    try names.map { try make("Person", ["name": .string($0)], in: context) }
  }

  /// The texts of what a to-many leads to, sorted where it has no order, in one.
  static func line(_ object: ManagedObject, _ name: String, _ attribute: String = "name") throws -> String {
    let all = try names(object.objects(name), attribute)
    let isOrdered = object.entity.relationship(named: name)?.isOrdered == true
    return (isOrdered ? all : all.sorted()).joined(separator: " ")
  }

  static func url(_ text: String) throws -> URL {
    guard let url = URL(string: text) else { throw StoreCheckFailure(description: "no URL: \(text)") }
    return url
  }
}
