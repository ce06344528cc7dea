import Foundation
import Strongroom

/// What a person sees of a conflict, and how it is ended.
extension Inspection {
  struct ShownConflict: Encodable {
    enum Kind: String, Codable { case changed, deletedThere, deletedHere, missingDestination }

    struct Property: Encodable {
      let name: String
      let read, mine, theirs: ShownValue
    }

    let entity: String
    let number: Int64
    let title: String
    let kind: Kind
    /// The version that is stored, which a choice is made against.
    let version: Int64
    /// What both sides changed.
    let properties: [Property]
  }

  private static let longestSide = 400

  /// The conflicts of an error, without those that no choice ends.
  func shown(_ error: ContextError, _ editor: ManagedObjectContext) -> [ShownConflict] {
    if error.code != .conflict { return [] }
    return error.conflicts.filter { !$0.isConstraint }.map { conflict in
      let entity = conflict.objectID.entity
      return ShownConflict(
        entity: entity.name, number: conflict.objectID.reference,
        title: (editor.registeredObject(for: conflict.objectID)).map { Self.link($0).title } ?? "",
        kind: Self.kind(conflict), version: conflict.persistedVersion,
        properties: Self.disputed(conflict).map { name in
          ShownConflict.Property(
            name: name, read: Self.side(conflict.cachedSnapshot?[name], name, entity),
            mine: Self.side(conflict.objectSnapshot[name], name, entity),
            theirs: Self.side(conflict.persistedSnapshot?[name], name, entity))
        })
    }
  }

  static func kind(_ conflict: MergeConflict) -> ShownConflict.Kind {
    if !conflict.missingObjectIDs.isEmpty { return .missingDestination }
    if conflict.persistedSnapshot == nil { return .deletedThere }
    return conflict.isDeletion ? .deletedHere : .changed
  }

  /// What both sides changed, and not to the same value, in the order of the names.
  private static func disputed(_ conflict: MergeConflict) -> [String] {
    guard let stored = conflict.persistedSnapshot, !conflict.isDeletion else { return [] }
    return own(conflict).filter { name in
      stored[name] != conflict.cachedSnapshot?[name] && stored[name] != conflict.objectSnapshot[name]
    }.sorted()
  }

  /// What this page changed.
  private static func own(_ conflict: MergeConflict) -> [String] {
    conflict.objectSnapshot.filter { $0.value != conflict.cachedSnapshot?[$0.key] }.map(\.key)
  }

  private static func side(_ value: AttributeValue?, _ name: String, _ entity: EntityDescription)
    -> ShownValue
  {
    guard let attribute = entity.attribute(named: name) else {
      let number = value.flatMap { if case .reference(let number) = $0 { number } else { nil } }
      let destination = entity.relationship(named: name)?.destination.name ?? ""
      return ShownValue(number.map { .text("\(destination) \($0)") } ?? .null, upTo: longestSide)
    }
    return ShownValue(value ?? .null, of: attribute.type, upTo: longestSide)
  }

  /// How a conflict ends where the named properties are to be as they are stored.
  static func resolution(_ conflict: MergeConflict, theirs: Set<String>) -> MergeResolution {
    let isTheirs = theirs.contains("")
    switch kind(conflict) {
    case .deletedThere, .missingDestination:
      return isTheirs ? .mergeByPropertyStoreTrump : .mergeByPropertyObjectTrump
    case .deletedHere: return isTheirs ? .rollback : .mergeByPropertyObjectTrump
    case .changed: break
    }
    if theirs.isDisjoint(with: disputed(conflict)) { return .mergeByPropertyObjectTrump }
    if theirs.isSuperset(of: disputed(conflict)) { return .mergeByPropertyStoreTrump }
    let entity = conflict.objectID.entity
    var values = conflict.persistedSnapshot ?? [:]
    for name in own(conflict) where !theirs.contains(name) { values[name] = conflict.objectSnapshot[name] }
    return .values(values.filter { entity.attribute(named: $0.key)?.derivation == nil })
  }
}
