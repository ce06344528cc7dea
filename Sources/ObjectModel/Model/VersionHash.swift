/// Hashes over what changes the storage or meaning of a model.
///
/// Every item is written with its length before it, so that no two different models write the same
/// bytes.
enum VersionHash {
  static func of(_ entities: [EntityDescription], composites: [Composite]) -> [UInt8] {
    let hash = Checksum()
    for entity in entities { entity.hashBytes.withUnsafeBytes { hash.update($0) } }
    for composite in composites.sorted(by: { $0.name < $1.name }) {
      put(composite.name, hash)
      for attribute in composite.attributes { put(attribute, hash) }
    }
    return hash.finish()
  }

  static func of(_ entity: EntityDescription) -> [UInt8] {
    let hash = Checksum()
    let declaration = entity.declaration
    put("entity", hash)
    put(entity.name, hash)
    put(declaration.superentityName ?? "", hash)
    put(entity.isAbstract ? "abstract" : "", hash)
    put(declaration.versionHashModifier ?? "", hash)
    for attribute in declaration.attributes.sorted(by: { $0.name < $1.name }) { put(attribute, hash) }
    for relationship in declaration.relationships.sorted(by: { $0.name < $1.name }) {
      put(relationship, hash)
    }
    for index in declaration.fetchIndexes.sorted(by: { $0.name < $1.name }) { put(index, hash) }
    for constraint in declaration.uniquenessConstraints {
      put("unique", hash)
      put(String(constraint.propertyNames.count), hash)
      for name in constraint.propertyNames { put(name, hash) }
    }
    return hash.finish()
  }

  private static func put(_ relationship: Relationship, _ hash: borrowing Checksum) {
    put("relationship", hash)
    for part in [
      relationship.name, relationship.destinationEntityName, relationship.inverseName ?? "",
      relationship.isToMany ? "many" : "one", relationship.isOrdered ? "ordered" : "",
      relationship.isOptional ? "optional" : "", relationship.isTransient ? "transient" : "",
      String(relationship.minCount), String(relationship.maxCount), relationship.versionHashModifier ?? "",
    ] { put(part, hash) }
  }

  private static func put(_ index: FetchIndex, _ hash: borrowing Checksum) {
    put("index", hash)
    put(index.name, hash)
    put(index.partialPredicate ?? "", hash)
    for element in index.elements {
      put(element.propertyName ?? "", hash)
      put(element.expression ?? "", hash)
      put(
        (element.isAscending ? "up" : "down") + (element.isRTree ? "T" : element.isFullText ? "F" : ""), hash)
    }
  }

  private static func put(_ attribute: Attribute, _ hash: borrowing Checksum) {
    put("attribute", hash)
    for part in [
      attribute.name, attribute.type.rawValue, attribute.isOptional ? "optional" : "",
      attribute.isTransient ? "transient" : "", attribute.isIndexed ? "indexed" : "",
      attribute.compositeName ?? "",
      attribute.derivationExpression ?? "", attribute.versionHashModifier ?? "",
    ] { put(part, hash) }
    // Models without it have the hash that they always had.
    if let sealing = attribute.sealing { put("sealing \(sealing.rawValue)", hash) }
  }

  private static func put(_ text: String, _ hash: borrowing Checksum) {
    var length = UInt64(text.utf8.count).littleEndian
    withUnsafeBytes(of: &length) { hash.update($0) }
    var text = text
    text.withUTF8 { hash.update(UnsafeRawBufferPointer($0)) }
  }
}
