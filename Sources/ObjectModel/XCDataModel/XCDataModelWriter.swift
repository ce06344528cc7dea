public import Foundation

extension ModelDeclaration {
  /// The model as the XML of a model version: the file `contents`.
  public func xcdatamodelContents() -> Data { XCDataModelWriter(self).data }

  /// Writes the model as an `.xcdatamodeld` bundle of one version.
  /// - Parameter url: The bundle to make; must not exist.
  /// - Throws: what the file system throws.
  public func write(xcdatamodeld url: URL) throws {
    let name = url.deletingPathExtension().lastPathComponent
    let version = url.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
    try xcdatamodelContents().write(to: version.appendingPathComponent("contents"))
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "\(name).xcdatamodel"], format: .xml, options: 0)
    try current.write(to: url.appendingPathComponent(".xccurrentversion"))
  }
}

/// Writes what `XCDataModelReader` reads: a model read back is equal.
struct XCDataModelWriter {
  private let model: ModelDeclaration

  init(_ model: ModelDeclaration) { self.model = model }

  var data: Data {
    let root = element(
      "model",
      model.extras.merging(
        model.versionIdentifiers.first.map { ["userDefinedModelVersionIdentifier": $0] } ?? [:]
      ) { own, _ in own })
    for entity in model.entities { root.addChild(self.entity(entity)) }
    for composite in model.composites {
      let node = element("composite", ["name": composite.name])
      for attribute in composite.attributes { node.addChild(self.attribute(attribute)) }
      root.addChild(node)
    }
    for (name, members) in model.configurations.sorted(by: { $0.key < $1.key }) {
      let node = element(
        "configuration", ["name": name].merging(model.configurationExtras?[name] ?? [:]) { own, _ in own })
      for member in members { node.addChild(element("memberEntity", ["name": member])) }
      root.addChild(node)
    }
    for request in model.fetchRequestTemplates { root.addChild(self.request(request)) }
    if let layout = model.layout {
      let node = element("elements", [:])
      for one in layout { node.addChild(element("element", one)) }
      root.addChild(node)
    }
    return root.document
  }

  private func element(_ name: String, _ attributes: [String: String?]) -> XMLTag {
    XMLTag(name, attributes)
  }

  private func flag(_ value: Bool) -> String? { value ? "YES" : nil }

  private func entity(_ entity: Entity) -> XMLTag {
    let node = element(
      "entity",
      entity.extras.mapValues { $0 }.merging([
        "name": entity.name, "parentEntity": entity.superentityName, "isAbstract": flag(entity.isAbstract),
        "representedClassName": entity.managedObjectClassName, "elementID": entity.renamingIdentifier,
        "versionHashModifier": entity.versionHashModifier,
      ]) { _, own in own })
    for attribute in entity.attributes { node.addChild(self.attribute(attribute)) }
    for relationship in entity.relationships { node.addChild(self.relationship(relationship)) }
    for property in entity.fetchedProperties {
      let child = element(
        "fetchedProperty", ["name": property.name].merging(property.extras) { own, _ in own })
      child.addChild(request(property.fetchRequest))
      add(property.userInfo, to: child)
      node.addChild(child)
    }
    for index in entity.fetchIndexes { node.addChild(fetchIndex(index)) }
    if !entity.uniquenessConstraints.isEmpty {
      let constraints = element("uniquenessConstraints", [:])
      for constraint in entity.uniquenessConstraints {
        let child = element("uniquenessConstraint", [:])
        for name in constraint.propertyNames { child.addChild(element("constraint", ["value": name])) }
        constraints.addChild(child)
      }
      node.addChild(constraints)
    }
    add(entity.userInfo, to: node)
    return node
  }

  private func fetchIndex(_ index: FetchIndex) -> XMLTag {
    let node = element(
      "fetchIndex",
      (index.extras ?? [:]).mapValues { $0 }.merging([
        "name": index.name, "partialIndexPredicate": index.partialPredicate,
      ]) { _, own in own })
    for one in index.elements {
      node.addChild(
        element(
          "fetchIndexElement",
          (one.extras ?? [:]).mapValues { $0 }.merging([
            "property": one.propertyName, "expression": one.expression,
            "type": one.isRTree ? "RTree" : one.isFullText ? "FullText" : "Binary",
            "order": one.isAscending ? "ascending" : "descending",
          ]) { _, own in own }))
    }
    return node
  }

  private func attribute(_ attribute: Attribute) -> XMLTag {
    var values: [String: String?] = attribute.extras.mapValues { $0 }
    let type = XCDataModelNames.types.first { $0.value == attribute.type && $0.key != "Undefined" }?.key
    values.merge([
      "name": attribute.name, "attributeType": type, "optional": flag(attribute.isOptional),
      "transient": flag(attribute.isTransient), "indexed": flag(attribute.isIndexed),
      "composite": attribute.compositeName, "valueTransformerName": attribute.valueTransformerName,
      "customClassName": attribute.attributeValueClassName,
      "allowsExternalBinaryDataStorage": flag(attribute.allowsExternalBinaryDataStorage),
      "derivationExpression": attribute.derivationExpression,
      "regularExpressionString": attribute.regularExpression,
      "usesScalarValueType": attribute.usesScalarValueType.map { $0 ? "YES" : "NO" },
      "preserveAfterDeletion": flag(attribute.preservesValueInHistoryOnDeletion),
      "elementID": attribute.renamingIdentifier, "versionHashModifier": attribute.versionHashModifier,
    ]) { _, own in own }
    for (name, value) in [
      ("default", attribute.defaultValue), ("min", attribute.minValue), ("max", attribute.maxValue),
    ] {
      guard let value else { continue }
      if case .date(let date) = value {
        values["\(name)DateTimeInterval"] = "\(date.timeIntervalSinceReferenceDate)"
      } else if case .boolean(let flag) = value {
        values["\(name)ValueString"] = flag ? "YES" : "NO"
      } else {
        values["\(name)ValueString"] = value.text
      }
    }
    let node = element("attribute", values)
    add(attribute.userInfo, to: node)
    return node
  }

  private func relationship(_ relationship: Relationship) -> XMLTag {
    let rule = XCDataModelNames.deleteRules.first { $0.value == relationship.deleteRule }?.key
    let node = element(
      "relationship",
      relationship.extras.mapValues { $0 }.merging([
        "name": relationship.name, "destinationEntity": relationship.destinationEntityName,
        "toMany": flag(relationship.isToMany), "ordered": flag(relationship.isOrdered),
        "optional": flag(relationship.isOptional), "transient": flag(relationship.isTransient),
        "indexed": flag(relationship.isIndexed),
        "minCount": relationship.minCount > 0 ? String(relationship.minCount) : nil,
        "maxCount": relationship.maxCount > 0 || !relationship.isToMany ? String(relationship.maxCount) : nil,
        "deletionRule": rule, "inverseName": relationship.inverseName,
        "inverseEntity": relationship.inverseEntityName, "elementID": relationship.renamingIdentifier,
        "versionHashModifier": relationship.versionHashModifier,
      ]) { _, own in own })
    add(relationship.userInfo, to: node)
    return node
  }

  private func request(_ request: FetchRequestTemplate) -> XMLTag {
    element(
      "fetchRequest",
      request.extras.mapValues { $0 }.merging([
        "name": request.name, "entity": request.entityName, "predicateString": request.predicateString,
        "fetchLimit": request.fetchLimit.map(String.init),
      ]) { _, own in own })
  }

  private func add(_ userInfo: [String: String], to node: XMLTag) {
    guard !userInfo.isEmpty else { return }
    let info = element("userInfo", [:])
    for (key, value) in userInfo.sorted(by: { $0.key < $1.key }) {
      info.addChild(element("entry", ["key": key, "value": value]))
    }
    node.addChild(info)
  }
}
