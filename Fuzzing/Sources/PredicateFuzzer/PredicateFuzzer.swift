import Foundation
import Strongroom

/// What libFuzzer calls with each input it makes up.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  if let bytes {
    PredicateFuzzer.drive(String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self))
  }
  return 0
}

/// What libFuzzer makes up, read as a condition.
///
/// Whatever is read must come back the same from its own text, and be answered for an object or
/// refused.
enum PredicateFuzzer {
  static func drive(_ text: String) {
    let places = text.utf8.count { $0 == UInt8(ascii: "%") }
    let arguments = Array(repeating: FetchExpression.value(.string("name")), count: places)
    guard
      let predicate = (try? FetchPredicate(format: text, expressions: arguments))
        ?? (try? FetchPredicate(format: text, arguments: []))
    else { return }
    let written = predicate.formatText
    guard let again = try? FetchPredicate(format: written) else {
      fatalError("what was read cannot be read again: \(written)")
    }
    guard again.formatText == written else { fatalError("\(written) became \(again.formatText)") }
    for entity in model.entities {
      guard let resolved = try? ResolvedPredicate(predicate, for: entity, variables: ["x": .integer(1)])
      else { continue }
      let answer = (try? resolved.matches(Thing(entity: entity, depth: 0))) ?? false
      let other = (try? ResolvedPredicate(.not(predicate), for: entity, variables: ["x": .integer(1)]))
        .flatMap { try? $0.matches(Thing(entity: entity, depth: 0)) }
      // The present moment passes between the two.
      if let other, other == answer, !written.contains("now()") { fatalError("neither holds: \(written)") }
    }
  }

  private static let model: ManagedObjectModel = {
    let model = try? ManagedObjectModel {
      Entity("A") {
        Attribute("name", .string)
        Attribute("n", .integer64)
        Attribute("d", .double)
        Attribute("e", .decimal)
        Attribute("t", .date)
        Attribute("b", .transformable)
        Relationship("p", to: "A", inverse: "c")
        Relationship("c", toMany: "A", inverse: "p", ordered: true)
      }
    }
    guard let model else { fatalError("the fuzzer's model is wrong") }
    return model
  }()
}

/// An object with a few others around it.
struct Thing: QueryObject {
  let entity: EntityDescription
  let depth: Int

  var queryEntity: EntityDescription { entity }
  var queryReference: Int64 { Int64(depth + 1) }

  func queryValue(of attribute: AttributeDescription) -> AttributeValue {
    if depth == 2 { return .null }
    return switch attribute.type {
    case .string: .string(depth == 0 ? "Name ß" : "")
    case .integer64: .integer(depth == 0 ? 3 : .max)
    case .double: .double(depth == 0 ? 0.5 : -.infinity)
    case .decimal: .decimal(Decimal(string: "1e100") ?? 0)
    case .date: .date(Date(timeIntervalSinceReferenceDate: 1))
    default: .data(Data(#"{"a":[1,"b"]}"#.utf8))
    }
  }

  func queryDestination(of toOne: RelationshipDescription) -> (any QueryObject)? {
    depth < 2 ? Thing(entity: entity, depth: depth + 1) : nil
  }

  func queryDestinations(of toMany: RelationshipDescription) -> [any QueryObject] {
    depth < 2 ? [Thing(entity: entity, depth: depth + 1), Thing(entity: entity, depth: 2)] : []
  }
}
