import Foundation
import FoundationXML

/// Reads the XML of a model version into a description.
///
/// What no model needs and hostile files use is refused before parsing; nesting is as shallow as
/// the format's.
final class XCDataModelReader: NSObject, XMLParserDelegate {
  private(set) var warnings: [String] = []
  private var model = ModelDeclaration(entities: [])
  private var path: [String] = []
  private var entity: Entity?
  private var composite: Composite?
  private var attribute: Attribute?
  private var relationship: Relationship?
  private var fetched: FetchedProperty?
  private var index: FetchIndex?
  private var constraint: [String]?
  private var configuration: String?
  private var isModel = false
  private var failure: String?
  /// The largest model file that is read.
  static let largestFile = 64 << 20

  func read(_ data: Data) throws(ModelError) -> ModelDeclaration {
    guard data.count <= Self.largestFile else {
      throw ModelError([ModelIssue(.tooLarge, "the model file is larger than 64 MiB")])
    }
    try XMLParserLimits.check(data)
    let parser = XMLParser(data: data)
    parser.shouldResolveExternalEntities = false
    parser.delegate = self
    let parsed = parser.parse()
    if let failure { throw ModelError([ModelIssue(.syntax, failure)]) }
    guard parsed, isModel, path.isEmpty else {
      throw ModelError(
        [ModelIssue(.syntax, "the model file is no XML of a model (line \(parser.lineNumber))")],
        cause: parser.parserError)
    }
    dropUnidirectionalInverses()
    return model
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String] = [:]
  ) {
    let parent = path.last
    path.append(name)
    if path.count > 64 {
      failure = "elements are nested too deeply"
      parser.abortParsing()
      return
    }
    var xml = XMLAttributes(attributes)
    if beginModelPart(name, &xml) || beginProperty(name, &xml) || beginIndex(name, &xml) { return }
    if !["userInfo", "uniquenessConstraints", "compoundIndexes"].contains(name) {
      warnings.append("unknown element <\(name)> in <\(parent ?? "")>; it is ignored")
    }
  }

  /// Begins an element of the model itself; false for any other.
  private func beginModelPart(_ name: String, _ xml: inout XMLAttributes) -> Bool {
    switch name {
    case "model":
      isModel = true
      if let identifier = xml.take("userDefinedModelVersionIdentifier"), !identifier.isEmpty {
        model.versionIdentifiers = [identifier]
      }
      model.extras = rest(xml, of: name, "")
    case "entity": entity = makeEntity(&xml)
    case "composite":
      composite = Composite(xml.take("name") ?? "", [])
      report(xml, of: name)
    case "configuration": beginConfiguration(&xml)
    case "memberEntity":
      if let configuration { model.configurations[configuration]?.append(xml.take("name") ?? "") }
      report(xml, of: name)
    case "elements": model.layout = model.layout ?? []
    case "element": model.layout?.append(xml.rest)
    default: return false
    }
    return true
  }

  private func beginConfiguration(_ xml: inout XMLAttributes) {
    let name = xml.take("name") ?? ""
    configuration = name
    model.configurations[name] = []
    let others = rest(xml, of: "configuration", name)
    if !others.isEmpty {
      model.configurationExtras = (model.configurationExtras ?? [:]).merging([name: others]) { $1 }
    }
  }

  /// Begins a property or a part of one; false for any other element.
  private func beginProperty(_ name: String, _ xml: inout XMLAttributes) -> Bool {
    switch name {
    case "attribute": attribute = makeAttribute(&xml)
    case "relationship": relationship = makeRelationship(&xml)
    case "fetchedProperty":
      var property = FetchedProperty(
        xml.take("name") ?? "", FetchRequestTemplate("", entityName: ""))
      property.extras = rest(xml, of: name, "\(entity?.name ?? "").\(property.name)")
      fetched = property
    case "fetchRequest": addRequest(&xml)
    case "entry":
      addEntry(&xml)
      report(xml, of: name)
    default: return false
    }
    return true
  }

  /// Begins an index or a uniqueness constraint, or a part of one; false for any other element.
  private func beginIndex(_ name: String, _ xml: inout XMLAttributes) -> Bool {
    switch name {
    case "fetchIndex":
      index = FetchIndex(xml.take("name") ?? "", [], where: xml.take("partialIndexPredicate"))
      let others = rest(xml, of: name, index?.name ?? "")
      if !others.isEmpty { index?.extras = others }
    case "fetchIndexElement": addIndexElement(&xml)
    case "compoundIndex": index = FetchIndex("", [])
    case "index":
      if let property = xml.take("value"), !property.isEmpty {
        index?.elements.append(FetchIndexElement(property))
      }
      report(xml, of: name)
    case "uniquenessConstraint": constraint = []
    case "constraint":
      constraint?.append(xml.take("value") ?? "")
      report(xml, of: name)
    default: return false
    }
    return true
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    path.removeLast()
    switch name {
    case "entity":
      if let entity { model.entities.append(entity) }
      entity = nil
    case "composite":
      if let composite { model.composites.append(composite) }
      composite = nil
    case "attribute": endAttribute()
    case "relationship":
      if let relationship { entity?.relationships.append(relationship) }
      relationship = nil
    case "fetchedProperty":
      if let fetched { entity?.fetchedProperties.append(fetched) }
      fetched = nil
    case "fetchIndex", "compoundIndex": endIndex()
    case "uniquenessConstraint":
      if let constraint, !constraint.isEmpty {
        entity?.uniquenessConstraints.append(UniquenessConstraint(constraint))
      }
      constraint = nil
    case "configuration": configuration = nil
    default: break
    }
  }

  private func endAttribute() {
    guard let attribute else { return }
    if composite != nil {
      composite?.attributes.append(attribute)
    } else {
      entity?.attributes.append(attribute)
    }
    self.attribute = nil
  }

  private func endIndex() {
    guard var index else { return }
    if index.name.isEmpty { index.name = index.elements.compactMap(\.propertyName).joined(separator: "_") }
    entity?.fetchIndexes.append(index)
    self.index = nil
  }

  private func makeEntity(_ xml: inout XMLAttributes) -> Entity {
    var entity = Entity(
      xml.take("name") ?? "", parent: xml.take("parentEntity"), abstract: xml.flag("isAbstract"),
      className: xml.take("representedClassName"), renamingIdentifier: xml.take("elementID"))
    entity.versionHashModifier = xml.take("versionHashModifier")
    entity.extras = rest(xml, of: "entity", entity.name)
    return entity
  }

  private func makeAttribute(_ xml: inout XMLAttributes) -> Attribute {
    let name = xml.take("name") ?? ""
    let typeName = xml.take("attributeType")
    let type = typeName.map { XCDataModelNames.types[$0] ?? .undefined } ?? .undefined
    if let typeName, type == .undefined, typeName != "Undefined" {
      warnings.append("unknown attribute type \(typeName) of \(entity?.name ?? "").\(name)")
    }
    var attribute = Attribute(
      name, type, optional: xml.flag("optional"), transient: xml.flag("transient"),
      indexed: xml.flag("indexed"))
    attribute.compositeName = xml.take("composite")
    attribute.valueTransformerName = xml.take("valueTransformerName")
    attribute.attributeValueClassName = xml.take("customClassName")
    attribute.allowsExternalBinaryDataStorage = xml.flag("allowsExternalBinaryDataStorage")
    if xml.flag("derived") { attribute.extras["derived"] = "YES" }
    attribute.derivationExpression = xml.take("derivationExpression")
    attribute.regularExpression = xml.take("regularExpressionString")
    attribute.usesScalarValueType = xml.take("usesScalarValueType").map { $0 == "YES" }
    attribute.preservesValueInHistoryOnDeletion = xml.flag("preserveAfterDeletion")
    attribute.renamingIdentifier = xml.take("elementID")
    attribute.versionHashModifier = xml.take("versionHashModifier")
    let defaults = XCDataModelDefaults(type: type, attribute: "\(entity?.name ?? "").\(name)")
    attribute.defaultValue = defaults.value(
      xml.take("defaultDateTimeInterval"), xml.take("defaultValueString"), &warnings)
    attribute.minValue = defaults.limit(
      xml.take("minDateTimeInterval"), xml.take("minValueString"), &warnings)
    attribute.maxValue = defaults.limit(
      xml.take("maxDateTimeInterval"), xml.take("maxValueString"), &warnings)
    attribute.extras.merge(rest(xml, of: "attribute", "\(entity?.name ?? "").\(name)")) { own, _ in own }
    return attribute
  }

  private func makeRelationship(_ xml: inout XMLAttributes) -> Relationship {
    let name = xml.take("name") ?? ""
    let destination = xml.take("destinationEntity") ?? ""
    let maxCount = xml.take("maxCount").flatMap { Int($0) }
    let toMany = xml.flag("toMany")
    var relationship =
      toMany
      ? Relationship(name, toMany: destination) : Relationship(name, to: destination)
    relationship.maxCount = max(0, maxCount ?? (toMany ? 0 : 1))
    relationship.minCount = max(0, xml.take("minCount").flatMap { Int($0) } ?? 0)
    relationship.isOrdered = xml.flag("ordered")
    relationship.isOptional = xml.flag("optional")
    relationship.isTransient = xml.flag("transient")
    relationship.isIndexed = xml.flag("indexed")
    relationship.inverseName = xml.take("inverseName")
    relationship.inverseEntityName = xml.take("inverseEntity")
    relationship.renamingIdentifier = xml.take("elementID")
    relationship.versionHashModifier = xml.take("versionHashModifier")
    if let rule = xml.take("deletionRule") {
      if let known = XCDataModelNames.deleteRules[rule] {
        relationship.deleteRule = known
      } else {
        warnings.append("unknown delete rule \(rule) of \(entity?.name ?? "").\(name)")
      }
    }
    relationship.extras = rest(xml, of: "relationship", "\(entity?.name ?? "").\(name)")
    return relationship
  }

  /// XML attributes of an element that only Apple's services use are preserved for writing the file
  /// again.
  ///
  /// Unknown ones are preserved too, with a warning.
  private func rest(_ xml: XMLAttributes, of element: String, _ name: String) -> [String: String] {
    for other in xml.rest.keys.sorted() where XCDataModelNames.preserved[element]?.contains(other) != true {
      warnings.append("unknown attribute \(other) of <\(element)> \(name); it is stored, without effect")
    }
    return xml.rest
  }

  /// Warns of the remaining XML attributes of an element that cannot preserve them.
  private func report(_ xml: XMLAttributes, of element: String) {
    for other in xml.rest.keys.sorted() {
      warnings.append("unknown attribute \(other) of <\(element)>; it is ignored")
    }
  }

  private func addRequest(_ xml: inout XMLAttributes) {
    var request = FetchRequestTemplate(
      xml.take("name") ?? "", entityName: xml.take("entity") ?? "", predicate: xml.take("predicateString"),
      limit: xml.take("fetchLimit").flatMap { Int($0) })
    request.extras = rest(xml, of: "fetchRequest", request.name)
    if fetched != nil { fetched?.fetchRequest = request } else { model.fetchRequestTemplates.append(request) }
  }

  private func addIndexElement(_ xml: inout XMLAttributes) {
    let type = xml.take("type")
    var element = FetchIndexElement(
      xml.take("property") ?? "", ascending: xml.take("order") != "descending", rTree: type == "RTree",
      fullText: type == "FullText")
    element.expression = xml.take("expression")
    let others = rest(xml, of: "fetchIndexElement", index?.name ?? "")
    if !others.isEmpty { element.extras = others }
    if element.propertyName?.isEmpty == true { element.propertyName = nil }
    index?.elements.append(element)
  }

  private func addEntry(_ xml: inout XMLAttributes) {
    let key = xml.take("key") ?? ""
    let value = xml.take("value") ?? ""
    if attribute != nil {
      attribute?.userInfo[key] = value
    } else if relationship != nil {
      relationship?.userInfo[key] = value
    } else if fetched != nil {
      fetched?.userInfo[key] = value
    } else {
      entity?.userInfo[key] = value
    }
  }

  /// An inverse that does not name this relationship back is preserved as a note: the relationship
  /// is unidirectional.
  private func dropUnidirectionalInverses() {
    let byName = Dictionary(model.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    func find(_ name: String, _ entityName: String) -> Relationship? {
      var next = byName[entityName]
      var steps = 0
      while let entity = next, steps < 1000 {
        if let found = entity.relationships.first(where: { $0.name == name }) { return found }
        next = entity.superentityName.flatMap { byName[$0] }
        steps += 1
      }
      return nil
    }
    for entity in model.entities.indices {
      for place in model.entities[entity].relationships.indices {
        let own = model.entities[entity].relationships[place]
        guard let inverse = own.inverseName else { continue }
        if find(inverse, own.destinationEntityName)?.inverseName != own.name {
          warnings.append(
            "the inverse \(inverse) of \(model.entities[entity].name).\(own.name) does not lead back; it is"
              + " used one way"
          )
        }
      }
    }
  }
}
