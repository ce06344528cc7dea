import Foundation
import Strongroom
import Testing

@testable import StrongroomData

@Model private final class Orchard {
  @Attribute(.unique) var name: String
  var planted: Date = Date(timeIntervalSinceReferenceDate: 0)
  var area: Double?
  @Relationship(deleteRule: .cascade, inverse: \Tree.orchard) var trees: [Tree] = []

  init(name: String) { self.name = name }
}

@Model private final class Tree {
  var kind: String
  var height: Int = 1
  var orchard: Orchard?

  init(kind: String, height: Int) {
    self.kind = kind
    self.height = height
  }
}

@Suite("A store made from a model file")
struct EqualModelTests {
  private static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
      <entity name="Orchard" representedClassName="Orchard" syncable="YES">
        <attribute name="name" attributeType="String"/>
        <attribute name="planted" attributeType="Date" defaultDateTimeInterval="0" usesScalarValueType="NO"/>
        <attribute name="area" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
        <relationship name="trees" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Tree"
          inverseName="orchard" inverseEntity="Tree"/>
        <uniquenessConstraints><uniquenessConstraint><constraint \
    value="name"/></uniquenessConstraint></uniquenessConstraints>
      </entity>
      <entity name="Tree" representedClassName="Tree" syncable="YES">
        <attribute name="kind" attributeType="String"/>
        <attribute name="height" attributeType="Integer 64" defaultValueString="1" usesScalarValueType="YES"/>
        <relationship name="orchard" optional="YES" maxCount="1" deletionRule="Nullify" \
    destinationEntity="Orchard"
          inverseName="trees" inverseEntity="Orchard"/>
      </entity>
    </model>
    """

  private let folder: URL
  private let model: ManagedObjectModel
  private var store: URL { folder.appendingPathComponent("orchards.store") }
  private var keyFile: URL { folder.appendingPathComponent("key") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("equal-\(UUID().uuidString)")
    let bundle = folder.appendingPathComponent("Orchards.xcdatamodeld/Orchards.xcdatamodel")
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    try Data(Self.contents.utf8).write(to: bundle.appendingPathComponent("contents"))
    model = try ManagedObjectModel.load(contentsOf: bundle.deletingLastPathComponent()).model
  }

  private var vault: KeyFileVault { KeyFileVault(url: keyFile) }

  private func withContainer<T>(_ body: (PersistentContainer) throws -> T) async throws -> T {
    var description = PersistentStoreDescription(url: store, vault: vault)
    // Were it another model, it would be told instead of moved.
    description.shouldMigrateStoreAutomatically = false
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    defer { try? container.close() }
    return try body(container)
  }

  private func typed() throws -> ModelContainer {
    try ModelContainer(
      for: Orchard.self, configurations: ModelConfiguration(url: store, keyVault: vault))
  }

  @Test("Equal classes make the same model, open its store, and the engine and the tool read what they write")
  func sameStore() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try Schema([Orchard.self]).managedObjectModel().versionHash == model.versionHash)
    try await withContainer { container in
      let context = container.newContext()
      let orchard = try context.insert("Orchard")
      try orchard.set("name", "West")
      try orchard.set("area", 2.5)
      let tree = try context.insert("Tree")
      try tree.set("kind", "apple")
      try tree.setObject(orchard, forKey: "orchard")
      try context.save()
    }
    do {
      let context = ModelContext(try typed())
      let orchard = try #require(try context.fetch(FetchDescriptor<Orchard>()).first)
      #expect(
        orchard.name == "West" && orchard.area == 2.5 && orchard.planted.timeIntervalSinceReferenceDate == 0)
      #expect(orchard.trees.map(\.kind) == ["apple"] && orchard.trees[0].height == 1)
      orchard.trees.append(Tree(kind: "pear", height: 4))
      orchard.name = "East"
      try context.save()
    }
    try await withContainer { container in
      let context = container.newContext()
      let trees = try context.fetch(FetchRequest("Tree", sortDescriptors: [FetchSortDescriptor("height")]))
      #expect(try trees.map { try $0.get("kind", as: String.self) } == ["apple", "pear"])
      #expect(try trees[1].object("orchard")?.get("name", as: String.self) == "East")
    }
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.contains("migration")
    }
    #expect(copies.isEmpty, "nothing was moved")
    let columns = try tool(
      "query", store.path, "Tree", "--columns", "kind,height,orchard.name", "--sort", "height")
    #expect(columns.contains("apple") && columns.contains("pear") && columns.contains("East"))
    _ = try tool("verify", store.path)
  }

  private func tool(_ arguments: String...) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("strongroom")
    process.arguments = arguments + ["--vault", "file:\(keyFile.path)"]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(output)")
    return output
  }
}
