import Foundation
import StrongroomData
import Testing

@Model final class CustomStoreNote {
  var text: String
  @Relationship(inverse: \CustomStoreNote.parent) var children: [CustomStoreNote] = []
  var parent: CustomStoreNote?

  init(text: String, parent: CustomStoreNote? = nil) {
    self.text = text
    self.parent = parent
  }
}

struct FileConfiguration: DataStoreConfiguration {
  typealias Store = FileStore
  let name: String
  var schema: Schema?
  let file: URL
}

final class FileStore: DataStore {
  typealias Configuration = FileConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: FileConfiguration
  let schema: Schema
  var identifier: String { configuration.name }

  init(_ configuration: FileConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  private func read() throws -> [DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.file.path) else { return [] }
    return try JSONDecoder().decode([DefaultSnapshot].self, from: Data(contentsOf: configuration.file))
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(descriptor: request.descriptor, fetchedSnapshots: try read())
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var all: [PersistentIdentifier: DefaultSnapshot] = [:]
    for snapshot in try read() { all[snapshot.persistentIdentifier] = snapshot }
    var names: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      names[snapshot.persistentIdentifier] = try .identifier(
        for: identifier, entityName: snapshot.persistentIdentifier.entityName, primaryKey: UUID())
    }
    for snapshot in request.inserted + request.updated {
      let own = names[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      all[own] = snapshot.copy(persistentIdentifier: own, remappedIdentifiers: names)
    }
    for snapshot in request.deleted { all[snapshot.persistentIdentifier] = nil }
    try JSONEncoder().encode(Array(all.values)).write(to: configuration.file, options: .atomic)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: names)
  }
}

final class Tag: PersistentModel {
  var persistentBackingData: any BackingData<Tag> = Tag.createBackingData()

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [.init(name: "name", keypath: \Tag.name)]
  }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  init(name: String) { self.name = name }

  init(backingData: any BackingData<Tag>) { persistentBackingData = backingData }
}

@Model final class CustomStoreFlag {
  var isRaised: Bool
  var isRed: Bool

  init(isRaised: Bool, isRed: Bool) {
    self.isRaised = isRaised
    self.isRed = isRed
  }
}

protocol QueryNode {
  /// The node as a query; nil where it asks for something that is no field.
  func query(_ fields: [AnyKeyPath: String]) -> String?
}

protocol QueryRoot {}

extension PredicateExpressions.Variable: QueryRoot {}

extension PredicateExpressions.KeyPath: QueryNode where Root: QueryRoot {
  func query(_ fields: [AnyKeyPath: String]) -> String? { fields[keyPath] }
}

extension PredicateExpressions.Conjunction: QueryNode where LHS: QueryNode, RHS: QueryNode {
  func query(_ fields: [AnyKeyPath: String]) -> String? {
    guard let left = lhs.query(fields), let right = rhs.query(fields) else { return nil }
    return "(\(left) AND \(right))"
  }
}

func query<T: PersistentModel>(_ predicate: Predicate<T>) throws -> String {
  var fields: [AnyKeyPath: String] = [:]
  for property in T.schemaMetadata { fields[property.keypath] = property.name }
  guard let query = (predicate.expression as? any QueryNode)?.query(fields) else {
    throw DataStoreError.preferInMemoryFilter
  }
  return query
}

@Suite("The manual: a store of your own")
struct CustomStoresTests {
  private typealias Note = CustomStoreNote

  @Test("The store of the page saves and finds models")
  func pageStore() throws {
    let place = try Place()
    let file = place.file("notes.json")
    let container = try ModelContainer(
      for: Note.self, configurations: FileConfiguration(name: "notes", file: file))
    let context = ModelContext(container)
    let parent = Note(text: "shopping")
    context.insert(parent)
    context.insert(Note(text: "apples", parent: parent))
    try context.save()
    #expect(parent.persistentModelID.storeIdentifier == "notes")
    let again = ModelContext(
      try ModelContainer(for: Note.self, configurations: FileConfiguration(name: "notes", file: file)))
    let found = try again.fetch(
      FetchDescriptor<Note>(predicate: #Predicate { $0.parent?.text == "shopping" }))
    #expect(found.map(\.text) == ["apples"] && found[0].parent?.children == found)
    withExtendedLifetime(place) {}
  }

  @Test("The page's nodes make a query of what they can answer, and leave the rest")
  func pageNodes() throws {
    typealias Flag = CustomStoreFlag
    #expect(try query(#Predicate<Flag> { $0.isRed && $0.isRaised }) == "(isRed AND isRaised)")
    for predicate in [
      #Predicate<Flag> { $0.isRed && !$0.isRaised }, #Predicate { $0.isRed && $0.hasChanges },
    ] {
      #expect(throws: DataStoreError.preferInMemoryFilter) { try query(predicate) }
    }
  }

  @Test("The primary key is in the coded form of an identifier")
  func primaryKey() throws {
    let identifier = try PersistentIdentifier.identifier(for: "notes", entityName: "Note", primaryKey: 7)
    let coded = try JSONDecoder().decode([String: String].self, from: JSONEncoder().encode(identifier))
    #expect(coded["key"] == "7")
  }

  @Test("The class of the page is a model")
  func pageClass() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Tag.self))
    context.insert(Tag(name: "green"))
    try context.save()
    let green = FetchDescriptor<Tag>(predicate: #Predicate { $0.name == "green" })
    #expect(try context.fetchCount(green) == 1)
    withExtendedLifetime(place) {}
  }
}
