import Foundation
import Locks
import MappingModels
import MigrationPlace
import Strongroom
import Testing

/// Makes a genre for each kind, and marks the essays by changing the mapping before the usual work.
private final class KindPolicy: EntityMigrationPolicy {
  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    let kind = try source.get("kind", as: String.self) ?? ""
    mapping[attribute: "isChecked"]?.valueExpression = .constant(.boolean(kind == "essay"))
    try super.createDestinationInstances(forSource: source, in: &mapping, manager: manager)
    let book = try manager.destinationInstances(
      forEntityMappingName: mapping.name, sourceInstances: [source])[0]
    let context = manager.destinationContext
    let genre = try context.object("Genre", "name", .string(kind)) ?? context.insert("Genre")
    try genre.set("name", kind)
    try book.setObject(genre, forKey: "genre")
  }
}

/// Makes books of some objects only, and the other way round.
private final class PickyPolicy: EntityMigrationPolicy {
  static let calls = Locked<[String]>([])

  private func note(_ call: String) { Self.calls.withLock { $0.append(call) } }

  override func begin(_ mapping: inout EntityMapping, with manager: MigrationManager) throws {
    note("begin \(manager.currentEntityMapping?.name ?? "")")
  }

  override func createDestinationInstances(
    forSource source: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    guard try source.get("pages", as: Int.self) ?? 0 > 102 else { return }
    let book = try manager.destinationContext.insert("Book")
    try book.set("title", "picked")
    manager.associate(sourceInstance: source, withDestinationInstance: book, for: mapping)
  }

  override func endInstanceCreation(forMapping mapping: inout EntityMapping, manager: MigrationManager) {
    note("created")
  }

  override func createRelationships(
    forDestination destination: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    let source = try manager.sourceInstances(
      forEntityMappingName: mapping.name, destinationInstances: [destination])
    note("relate \(try source[0].value(forKey: "pages").text)")
    try super.createRelationships(forDestination: destination, in: &mapping, manager: manager)
  }

  override func endRelationshipCreation(forMapping mapping: inout EntityMapping, manager: MigrationManager) {
    note("related")
  }

  override func performCustomValidation(forMapping mapping: inout EntityMapping, manager: MigrationManager) {
    note("validate")
  }

  override func end(_ mapping: inout EntityMapping, manager: MigrationManager) { note("end") }
}

private struct Refusal: Error {}

private final class RefusingPolicy: EntityMigrationPolicy {
  override func performCustomValidation(
    forMapping mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    throw Refusal()
  }
}

private final class CancellingPolicy: EntityMigrationPolicy {
  override func begin(_ mapping: inout EntityMapping, with manager: MigrationManager) {
    manager.cancelMigration(Refusal())
  }
}

private final class TitlePolicy: EntityMigrationPolicy {
  override func value(
    ofFunction selector: String, arguments: [MappingValue], manager: MigrationManager
  ) throws -> MappingValue {
    guard selector == "titleOf:in:" else {
      return try super.value(ofFunction: selector, arguments: arguments, manager: manager)
    }
    return .attribute(.string(arguments[0].attributeValue.text.uppercased()))
  }
}

@Suite("Policies of mapping models")
struct MigrationPolicyTests {
  @Test(
    "a policy changes a mapping before the usual work, and makes objects beside it",
    arguments: MigrationPlace.Kind.all)
  func kinds(kind: MigrationPlace.Kind) async throws {
    KindPolicy.register(as: "KindPolicy")
    for name in ["KindPolicy", "Library.KindPolicy", "REPLACE_AT_RUNTIME.KindPolicy"] {
      let place = try MigrationPlace(kind)
      try await Library.fill(place)
      var mapping = Library.mapping(bookPolicy: name)
      #expect(mapping.policyClassNames == [name])
      mapping.entityMappings[0].relationshipMappings.removeAll { $0.name == "genre" }
      try await place.with(try Library.new(), mapping) { context throws in
        let checked = try context.texts("Book", "isChecked", by: "title")
        #expect(checked == ["true", "false", "true", "false", "true", "false"])
        #expect(try context.texts("Genre", "name") == ["essay", "poetry"])
        let book = try #require(try context.object("Book", "title", "Book 00003"))
        #expect(try book.object("genre")?.value(forKey: "name") == "poetry")
        #expect(try book.object("writer")?.value(forKey: "name") == "Émilie")
      }
      // What the policy changed is the migration's own.
      #expect(mapping.entityMappings[0][attribute: "isChecked"]?.valueExpression == .constant(.boolean(true)))
    }
  }

  @Test(
    "a policy is called in Core Data's order, and objects that it leaves out are dropped", .serialized,
    arguments: MigrationPlace.Kind.all)
  func order(kind: MigrationPlace.Kind) async throws {
    PickyPolicy.register()
    PickyPolicy.calls.withLock { $0 = [] }
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var mapping = Library.mapping()
    mapping.entityMappings[0].entityMigrationPolicyClassName = "PickyPolicy"
    try await place.with(try Library.new(), mapping) { context throws in
      #expect(
        try context.texts("Book", "title") == ["Book 00000", "Book 00003", "picked", "picked"])
      let picked = try #require(try context.object("Book", "title", "picked"))
      #expect(try picked.object("writer")?.value(forKey: "name") == "Ada")
      let shelf = try #require(try context.object("Shelf", "label", "A"))
      #expect(try shelf.objects("books").count == 4)
    }
    #expect(
      PickyPolicy.calls.withLock { $0 } == [
        "begin BookToBook", "created", "relate 104", "relate 105", "related", "validate", "end",
      ])
  }

  @Test(
    "policies that are not registered are all named, and nothing is changed",
    arguments: MigrationPlace.Kind.all)
  func missing(kind: MigrationPlace.Kind) async throws {
    KindPolicy.register(as: "KindPolicy")
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var mapping = Library.mapping(bookPolicy: "KindPolicy")
    mapping.entityMappings[2].entityMigrationPolicyClassName = "Library.WriterPolicy"
    mapping.entityMappings[3].entityMigrationPolicyClassName = "CountryPolicy"
    let (error, isUnchanged) = try await place.refusal(try Library.new(), mapping)
    let failure = try #require(error as? MappingModelError)
    #expect(failure.code == .missingPolicies && isUnchanged, "\(failure)")
    #expect(failure.policyClassNames == ["CountryPolicy", "Library.WriterPolicy"])
  }

  @Test(
    "what a policy throws, and a cancellation, leave the store as it was", arguments: MigrationPlace.Kind.all)
  func failures(kind: MigrationPlace.Kind) async throws {
    RefusingPolicy.register()
    CancellingPolicy.register()
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    for name in ["RefusingPolicy", "CancellingPolicy"] {
      let (error, isUnchanged) = try await place.refusal(
        try Library.new(), Library.mapping(bookPolicy: name))
      #expect(error is Refusal && isUnchanged, "\(name): \(String(describing: error))")
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await place.refusal(try Library.new(), Library.mapping())
    }
    let (error, isUnchanged) = try await task.value
    #expect((error as? StoreError)?.code == .cancelled && isUnchanged, "\(String(describing: error))")
    try await place.with(try Library.new(), Library.mapping()) { context throws in
      #expect(try context.count(for: FetchRequest("Book")) == 6)
    }
  }

  @Test("expressions call functions of the policy", arguments: MigrationPlace.Kind.all)
  func functions(kind: MigrationPlace.Kind) async throws {
    TitlePolicy.register()
    let place = try MigrationPlace(kind)
    try await Library.fill(place)
    var mapping = Library.mapping(bookPolicy: "TitlePolicy")
    func call(_ selector: String) -> PropertyMapping {
      PropertyMapping(
        "title",
        .function(.variable("entityPolicy"), selector, [.source("title"), .variable("entityMapping")]))
    }
    mapping.entityMappings[0][attribute: "title"] = call("titleOf:in:")
    try await place.with(try Library.new(), mapping) { context throws in
      #expect(try context.texts("Book", "title").contains("BOOK 00001"))
    }
    let other = try MigrationPlace(kind)
    try await Library.fill(other)
    mapping.entityMappings[0][attribute: "title"] = call("nameOf:in:")
    let (error, isUnchanged) = try await other.refusal(try Library.new(), mapping)
    #expect((error as? MappingModelError)?.code == .unsupportedExpression && isUnchanged)
  }
}
