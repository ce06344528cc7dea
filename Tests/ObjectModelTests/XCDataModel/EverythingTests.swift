import Foundation
import FoundationXML
import ObjectModel
import Testing

/// A bundle of the project's own in which every element and attribute occurs that editors of any
/// age are known to write.
@Suite("A model file with everything in it")
struct EverythingTests {
  private let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/Everything.xcdatamodeld")

  @Test("versions come in natural order, and the current one is the one named")
  func versions() throws {
    let bundle = try XCDataModelBundle(url: url)
    #expect(bundle.versions.map(\.name) == ["Everything", "Everything 2", "Everything 10"])
    #expect(bundle.current.name == "Everything 10")
  }

  @Test("every version is read without a warning, and written and read again the same, as XML and as JSON")
  func rewriting() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    for version in try XCDataModelBundle(url: url).versions {
      let result = try ManagedObjectModel.load(version)
      #expect(result.warnings.isEmpty, "\(result.warnings)")
      let copy = folder.appendingPathComponent("\(version.name).xcdatamodeld")
      try result.model.declaration.write(xcdatamodeld: copy)
      let back = try ManagedObjectModel.load(contentsOf: copy)
      #expect(back.model == result.model && back.model.versionHash == result.model.versionHash)
      #expect(back.warnings.isEmpty, "\(back.warnings)")
      #expect(try ManagedObjectModel(jsonData: result.model.jsonData()) == result.model)
    }
  }

  @Test("attributes of every type, with all that they may say")
  func attributes() throws {
    let model = try ManagedObjectModel.load(contentsOf: url).model
    let record = try #require(model.entity(named: "Record"))
    func declaration(_ name: String) throws -> Attribute {
      try #require(record.attribute(named: name)).declaration
    }
    #expect(Set(record.attributes.map(\.type)) == Set(AttributeType.allCases).subtracting([.objectID]))
    let name = try declaration("name")
    #expect(!name.isOptional && name.defaultValue == "untitled" && name.minValue == 1 && name.maxValue == 60)
    #expect(name.regularExpression == "^[^\n]*$" || name.regularExpression == "^[^\\n]*$")
    #expect(name.extras["spotlightIndexingEnabled"] == "YES")
    #expect(try declaration("year").minValue == -2 && declaration("year").defaultValue == 1992)
    #expect(try declaration("price").defaultValue == .decimal(160))
    #expect(try declaration("rating").maxValue == .double(5))
    #expect(try !declaration("isLive").isOptional && declaration("isLive").defaultValue == .boolean(true))
    let released = try declaration("released")
    #expect(released.defaultValue == .date(Date(timeIntervalSinceReferenceDate: -978_332_400)))
    #expect(released.maxValue == .date(Date(timeIntervalSinceReferenceDate: 3_000_000_000)))
    #expect(try declaration("cover").allowsExternalBinaryDataStorage)
    #expect(try declaration("cover").extras["allowsCloudEncryption"] == "YES")
    #expect(try declaration("identifier").preservesValueInHistoryOnDeletion)
    #expect(try declaration("page").extras["storedInTruthFile"] == "YES")
    let notes = try declaration("notes")
    #expect(
      notes.valueTransformerName == "NSSecureUnarchiveFromData" && notes.attributeValueClassName == "[String]"
    )
    #expect(try declaration("studio").compositeName == "Place")
    #expect(try declaration("worksCount").derivationExpression == "creators.@count")
    let scratch = try declaration("scratch")
    #expect(scratch.isTransient && scratch.versionHashModifier == "add scratch")
    #expect(scratch.userInfo == ["attributeValueClassName": "CLLocation"])
    #expect(
      try declaration("order").usesScalarValueType == true
        && declaration("tracks").usesScalarValueType == false)
  }

  @Test("relationships, indexes, constraints, inheritance")
  func structure() throws {
    let model = try ManagedObjectModel.load(contentsOf: url).model
    let record = try #require(model.entity(named: "Record"))
    let work = try #require(model.entity(named: "Work"))
    #expect(work.isAbstract && record.superentity === work && work.declaration.versionHashModifier == "2")
    #expect(record.declaration.renamingIdentifier == "Album")
    #expect(work.declaration.userInfo["note"] == "keys, order and group are words of SQL & <XML>")
    let label = try #require(record.relationship(named: "label"))
    #expect(
      !label.isOptional && label.deleteRule == .deny && label.declaration.renamingIdentifier == "publisher")
    #expect(
      label.inverse?.deleteRule == .cascade
        && label.inverse?.declaration.userInfo == ["relatedByAttribute": "label"])
    #expect(record.relationship(named: "sequel")?.inverse?.name == "prequel")
    let alike = try #require(record.relationship(named: "alike"))
    #expect(
      alike.inverse == nil && alike.minCount == 1 && alike.maxCount == 20 && alike.deleteRule == .noAction)
    #expect(record.relationship(named: "lately")?.isTransient == true)
    let works = try #require(model.entity(named: "Person")?.relationship(named: "works"))
    #expect(works.isOrdered && works.inverse?.isOrdered == true && works.declaration.isIndexed)
    let friend = try #require(model.entity(named: "Person")?.relationship(named: "friend"))
    #expect(friend.inverse === friend)
    #expect(record.fetchIndexes.map(\.name) == ["byYearAndName", "byLabel"])
    #expect(record.fetchIndexes[0].elements.map(\.isAscending) == [false, true])
    #expect(
      record.uniquenessConstraints == [
        UniquenessConstraint("identifier"), UniquenessConstraint("label", "tracks"),
      ])
    let old = try ManagedObjectModel.load(XCDataModelBundle(url: url).versions[0]).model
    #expect(old.entity(named: "Album")?.fetchIndexes.first?.elements.count == 2)
  }

  @Test("requests, configurations, composites, and what is preserved for Apple's services")
  func rest() throws {
    let description = try ManagedObjectModel.load(contentsOf: url).model.declaration
    let request = try #require(description.fetchRequestTemplates.first)
    #expect(request.predicateString == "group == $group" && request.fetchLimit == 220)
    #expect(request.extras["fetchBatchSize"] == "20" && request.extras["returnDistinctResults"] == "YES")
    let fetched = try #require(description.entities.first { $0.name == "Work" }?.fetchedProperties.first)
    #expect(fetched.fetchRequest.predicateString == "name == $FETCH_SOURCE.name")
    #expect(description.configurations == ["Local": ["Label", "Empty"], "Cloud": ["Person"]])
    #expect(description.configurationExtras == ["Cloud": ["usedWithCloudKit": "YES"]])
    #expect(description.composites.map(\.name) == ["Place", "Spot"])
    #expect(description.versionIdentifiers == ["ten"] && description.extras["usedWithSwiftData"] == "YES")
  }

  @Test("nothing that is known to occur is missing from the fixture")
  func coverage() throws {
    final class Names: NSObject, XMLParserDelegate {
      var seen: Set<String> = []
      func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String] = [:]
      ) {
        seen.insert(name)
        for attribute in attributes.keys { seen.insert("\(name)@\(attribute)") }
      }
    }
    let names = Names()
    for version in try XCDataModelBundle(url: url).versions {
      let parser = XMLParser(data: try Data(contentsOf: version.contents))
      parser.delegate = names
      #expect(parser.parse())
    }
    let known = """
      model entity attribute relationship fetchedProperty fetchRequest fetchIndex fetchIndexElement \
      compoundIndexes \
      compoundIndex index uniquenessConstraints uniquenessConstraint constraint userInfo entry \
      configuration memberEntity \
      composite elements element attribute@name attribute@attributeType attribute@optional \
      attribute@usesScalarValueType \
      attribute@defaultValueString attribute@syncable attribute@indexed attribute@transient \
      attribute@valueTransformerName \
      attribute@customClassName attribute@maxValueString attribute@allowsExternalBinaryDataStorage \
      attribute@minValueString \
      attribute@elementID attribute@versionHashModifier attribute@defaultDateTimeInterval \
      attribute@allowsCloudEncryption \
      attribute@spotlightIndexingEnabled attribute@storedInTruthFile \
      attribute@preserveAfterDeletion attribute@composite \
      attribute@derived attribute@derivationExpression attribute@regularExpressionString relationship@name \
      relationship@deletionRule relationship@destinationEntity relationship@inverseName \
      relationship@inverseEntity \
      relationship@optional relationship@maxCount relationship@toMany relationship@syncable \
      relationship@ordered \
      relationship@minCount relationship@indexed relationship@transient relationship@elementID entity@name \
      entity@representedClassName entity@syncable entity@codeGenerationType entity@parentEntity \
      entity@isAbstract \
      entity@versionHashModifier entity@elementID entity@coreSpotlightDisplayNameExpression \
      element@name element@positionX \
      element@positionY element@width element@height fetchIndexElement@property fetchIndexElement@type \
      fetchIndexElement@order fetchIndex@name constraint@value index@value \
      model@userDefinedModelVersionIdentifier \
      model@type model@documentVersion model@lastSavedToolsVersion model@systemVersion \
      model@minimumToolsVersion \
      model@sourceLanguage model@macOSVersion model@iOSVersion model@name model@usedWithSwiftData \
      model@usedWithCloudKit \
      memberEntity@name entry@key entry@value fetchRequest@name fetchRequest@entity \
      fetchRequest@predicateString \
      fetchRequest@fetchLimit fetchRequest@fetchBatchSize fetchRequest@includeSubentities \
      fetchRequest@includePropertyValues fetchRequest@includesPendingChanges \
      fetchRequest@returnObjectsAsFaults \
      fetchRequest@returnDistinctResults fetchedProperty@name fetchedProperty@optional \
      fetchedProperty@syncable \
      configuration@name configuration@usedWithCloudKit composite@name
      """
    #expect(Set(known.split(separator: " ").map(String.init)).subtracting(names.seen).isEmpty)
  }
}
