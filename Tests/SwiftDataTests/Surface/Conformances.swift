// All that a protocol of the standard library declares, asked of the values of one type. A line that calls
// one of these names the type and the protocol.

import Foundation
import Testing

/// Compares two equal values and one that differs.
func expectHashed(
  _ one: any Hashable, _ same: any Hashable, _ other: any Hashable,
  sourceLocation: SourceLocation = #_sourceLocation
) throws {
  func check<Subject: Hashable>(_ one: Subject) throws {
    let same = try #require(same as? Subject, sourceLocation: sourceLocation)
    let other = try #require(other as? Subject, sourceLocation: sourceLocation)
    #expect(one == same && !(one != same), sourceLocation: sourceLocation)
    #expect(one != other && !(one == other), sourceLocation: sourceLocation)
    #expect(one.hashValue == same.hashValue, sourceLocation: sourceLocation)
    var (first, second) = (Hasher(), Hasher())
    one.hash(into: &first)
    same.hash(into: &second)
    #expect(first.finalize() == second.finalize(), sourceLocation: sourceLocation)
    #expect(Set([one, same, other]).count == 2, sourceLocation: sourceLocation)
    let names = [one: "one", other: "other"]
    #expect(names[same] == "one", sourceLocation: sourceLocation)
  }
  try check(one)
}

/// Whether two values are of one type and equal.
func isEqual(_ one: any Equatable, _ other: any Equatable) -> Bool {
  func compare<Subject: Equatable>(_ one: Subject) -> Bool { one == other as? Subject }
  return compare(one)
}

/// Compares two values, the first of which is before the second.
func expectOrdered(
  _ one: any Comparable, _ later: any Comparable, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  func check<Subject: Comparable>(_ one: Subject) throws {
    let later = try #require(later as? Subject, sourceLocation: sourceLocation)
    #expect(one < later && !(later < one) && !(one < one), sourceLocation: sourceLocation)
    #expect(later > one && one <= one && one <= later && !(one >= later), sourceLocation: sourceLocation)
    #expect([later, one].sorted() == [one, later], sourceLocation: sourceLocation)
  }
  try check(one)
}

/// What is read of what a value writes as JSON.
func coded(_ value: any Codable) throws -> any Codable {
  func copy<Subject: Codable>(_ value: Subject) throws -> Subject? {
    // In a list, as some values are no object of JSON.
    try JSONDecoder().decode([Subject].self, from: JSONEncoder().encode([value])).first
  }
  return try #require(try copy(value) as (any Codable)?)
}

/// The value as another task has it.
func sent(_ value: any Sendable) async -> any Sendable {
  await _Concurrency.Task.detached { value }.value
}

/// What identifies a value.
func identity(_ value: any Identifiable) -> AnyHashable {
  func id<Subject: Identifiable>(_ value: Subject) -> AnyHashable { AnyHashable(value.id) }
  return id(value)
}
