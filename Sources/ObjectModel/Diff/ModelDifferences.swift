/// What changed from one version of a model to the next, in words.
///
/// Entities and properties are matched by this rule, the first part that fits: a new one that has
/// the renaming identifier of an old one is that one, of several the one with the same name; then
/// one whose renaming identifier is the old one's name; then one of the same name; then one without
/// an identifier whose name is the old one's identifier. Nothing is matched twice.
public struct ModelDifferences: Sendable {
  /// One line each, by entity in the new model's order; removed entities come last.
  public private(set) var lines: [String] = []

  /// Compares two versions.
  public init(from old: ManagedObjectModel, to new: ManagedObjectModel) {
    let (before, after) = (old.declaration.entities, new.declaration.entities)
    let pairs = Self.match(before, after, name: \.name, identifier: \.renamingIdentifier)
    for (index, entity) in after.enumerated() {
      guard let own = pairs[index] else {
        lines.append("entity \(entity.name) is new\(Self.summary(entity))")
        continue
      }
      compare(before[own], entity)
    }
    for (index, entity) in before.enumerated() where !pairs.values.contains(index) {
      lines.append("entity \(entity.name) was removed")
    }
    note(
      "configurations", names(old.declaration.configurations), names(new.declaration.configurations),
      in: "the model")
  }

  /// The index in `before` of each element of `after` that was there.
  static func match<T>(
    _ before: [T], _ after: [T], name: KeyPath<T, String>, identifier: KeyPath<T, String?>
  ) -> [Int: Int] {
    typealias Names = (name: String, identifier: String?)
    let old: [Names] = before.map { ($0[keyPath: name], $0[keyPath: identifier]) }
    let new: [Names] = after.map { ($0[keyPath: name], $0[keyPath: identifier]) }
    var pairs: [Int: Int] = [:]
    var taken: Set<Int> = []
    /// Pairs what is left by equal keys; what has no key stays.
    func pair<Key: Hashable>(by oldKey: (Names) -> Key?, _ newKey: (Names) -> Key?) {
      var places: [Key: Int] = [:]
      for index in old.indices.reversed() where !taken.contains(index) {
        if let key = oldKey(old[index]) { places[key] = index }
      }
      for index in new.indices where pairs[index] == nil {
        guard let place = newKey(new[index]).flatMap({ places.removeValue(forKey: $0) }) else { continue }
        pairs[index] = place
        taken.insert(place)
      }
    }
    func nameAndIdentifier(_ names: Names) -> [String]? { names.identifier.map { [names.name, $0] } }
    // An identifier that stays must not take the data of a later property with the former name.
    pair(by: nameAndIdentifier, nameAndIdentifier)
    pair(by: \.identifier, \.identifier)
    pair(by: { $0.name }, \.identifier)
    pair(by: { $0.name }, { $0.name })
    // Back to a version from before the renaming.
    pair(by: \.identifier) { $0.identifier == nil ? $0.name : nil }
    return pairs
  }

  /// The names of `before` that several elements of `after` give as their former one, each with theirs.
  static func ambiguous<T>(
    _ before: [T], _ after: [T], name: KeyPath<T, String>, identifier: KeyPath<T, String?>
  ) -> [(identifier: String, names: [String])] {
    let known = Set(before.map { $0[keyPath: name] } + before.compactMap { $0[keyPath: identifier] })
    let staying = Set(before.compactMap { old in old[keyPath: identifier].map { [old[keyPath: name], $0] } })
    var claims: [String: [String]] = [:]
    for new in after {
      guard let former = new[keyPath: identifier], known.contains(former) else { continue }
      if !staying.contains([new[keyPath: name], former]) {
        claims[former, default: []].append(new[keyPath: name])
      }
    }
    return claims.filter { $0.value.count > 1 }.map { ($0.key, $0.value.sorted()) }.sorted { $0.0 < $1.0 }
  }

  private static func summary(_ entity: Entity) -> String {
    let parent = entity.superentityName.map { ", below \($0)" } ?? ""
    let attributes = entity.attributes.count.counted("attribute")
    return "\(parent), with \(attributes) and \(entity.relationships.count.counted("relationship"))"
  }

  private func names(_ configurations: [String: [String]]) -> String {
    configurations.map { "\($0.key) (\($0.value.sorted().joined(separator: ", ")))" }.sorted().joined(
      separator: "; ")
  }

  private mutating func note(_ what: String, _ old: String?, _ new: String?, in place: String) {
    guard old != new else { return }
    func text(_ value: String?) -> String { value.flatMap { $0.isEmpty ? nil : $0 } ?? "none" }
    lines.append("\(place): \(what) was \(text(old)), is \(text(new))")
  }

  private mutating func note(_ what: String, _ old: Bool, _ new: Bool, in place: String) {
    note(what, String(old), String(new), in: place)
  }

  private mutating func note(_ what: String, _ old: Int, _ new: Int, in place: String) {
    note(what, String(old), String(new), in: place)
  }

  private mutating func compare(_ old: Entity, _ new: Entity) {
    if old.name != new.name { lines.append("entity \(old.name) is now \(new.name)") }
    note("superentity", old.superentityName, new.superentityName, in: new.name)
    note("abstract", old.isAbstract, new.isAbstract, in: new.name)
    note("class", old.managedObjectClassName, new.managedObjectClassName, in: new.name)
    let attributes = Self.match(
      old.attributes, new.attributes, name: \.name, identifier: \.renamingIdentifier)
    for (index, attribute) in new.attributes.enumerated() {
      if let own = attributes[index] {
        compare(old.attributes[own], attribute, new.name)
      } else {
        let kind = attribute.isOptional ? "optional" : "required"
        lines.append("\(new.name).\(attribute.name) is new: \(kind) \(attribute.type.rawValue)")
      }
    }
    for (index, attribute) in old.attributes.enumerated() where !attributes.values.contains(index) {
      lines.append("\(new.name).\(attribute.name) was removed")
    }
    let relationships = Self.match(
      old.relationships, new.relationships, name: \.name, identifier: \.renamingIdentifier)
    for (index, relationship) in new.relationships.enumerated() {
      if let own = relationships[index] {
        compare(old.relationships[own], relationship, new.name)
      } else {
        let kind = relationship.isToMany ? "to many" : "to one"
        lines.append("\(new.name).\(relationship.name) is new: \(kind) \(relationship.destinationEntityName)")
      }
    }
    for (index, relationship) in old.relationships.enumerated() where !relationships.values.contains(index) {
      lines.append("\(new.name).\(relationship.name) was removed")
    }
    note("indexes", indexes(old), indexes(new), in: new.name)
    note("uniqueness", uniqueness(old), uniqueness(new), in: new.name)
  }

  private func indexes(_ entity: Entity) -> String {
    entity.fetchIndexes.map { index in
      let elements = index.elements.map {
        ($0.propertyName ?? $0.expression ?? "") + ($0.isAscending ? "" : " descending")
      }
      return "\(index.name) on \(elements.joined(separator: ", "))"
    }.sorted().joined(separator: "; ")
  }

  private func uniqueness(_ entity: Entity) -> String {
    entity.uniquenessConstraints.map { $0.propertyNames.joined(separator: " with ") }.sorted().joined(
      separator: "; ")
  }

  private mutating func compare(_ old: Attribute, _ new: Attribute, _ entity: String) {
    let place = "\(entity).\(new.name)"
    if old.name != new.name { lines.append("\(entity).\(old.name) is now \(new.name)") }
    note("type", old.type.rawValue, new.type.rawValue, in: place)
    note("optional", old.isOptional, new.isOptional, in: place)
    note("transient", old.isTransient, new.isTransient, in: place)
    note("default", old.defaultValue?.text, new.defaultValue?.text, in: place)
    note("least", old.minValue?.text, new.minValue?.text, in: place)
    note("greatest", old.maxValue?.text, new.maxValue?.text, in: place)
    note("pattern", old.regularExpression, new.regularExpression, in: place)
    note("indexed", old.isIndexed, new.isIndexed, in: place)
    note("derivation", old.derivationExpression, new.derivationExpression, in: place)
    note("transformer", old.valueTransformerName, new.valueTransformerName, in: place)
    note(
      "external storage", old.allowsExternalBinaryDataStorage, new.allowsExternalBinaryDataStorage, in: place)
    note("composite", old.compositeName, new.compositeName, in: place)
    note("sealing", old.sealing?.rawValue, new.sealing?.rawValue, in: place)
  }

  private mutating func compare(
    _ old: Relationship, _ new: Relationship, _ entity: String
  ) {
    let place = "\(entity).\(new.name)"
    if old.name != new.name { lines.append("\(entity).\(old.name) is now \(new.name)") }
    note("destination", old.destinationEntityName, new.destinationEntityName, in: place)
    note("to many", old.isToMany, new.isToMany, in: place)
    note("ordered", old.isOrdered, new.isOrdered, in: place)
    note("optional", old.isOptional, new.isOptional, in: place)
    note("least count", old.minCount, new.minCount, in: place)
    note("greatest count", old.maxCount, new.maxCount, in: place)
    note("delete rule", old.deleteRule.rawValue, new.deleteRule.rawValue, in: place)
    note("inverse", old.inverseName, new.inverseName, in: place)
  }
}
