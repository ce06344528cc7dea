import Foundation
import Strongroom

/// Tries one version of a model: writes and reads the model, and saves and reads sample objects.
struct ModelTrial {
  private(set) var entities = 0
  private(set) var objects = 0
  private(set) var differences: [String] = []

  mutating func run(_ version: XCDataModelBundle.Version) async {
    do {
      let model = try ManagedObjectModel.load(version).model
      entities = model.entities.count
      rewrite(model)
      try await store(model)
    } catch let error as ContextError {
      differences.append(
        "\(error.message); " + error.failures.prefix(5).map { "\($0)" }.joined(separator: "; "))
    } catch {
      differences.append("\(error)")
    }
  }

  private mutating func rewrite(_ model: ManagedObjectModel) {
    do {
      let json = try ManagedObjectModel(jsonData: model.jsonData())
      if json != model { differences.append("the model differs after writing and reading it as JSON") }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      defer { try? FileManager.default.removeItem(at: folder) }
      let bundle = folder.appendingPathComponent("Model.xcdatamodeld")
      try model.declaration.write(xcdatamodeld: bundle)
      let xml = try ManagedObjectModel.load(contentsOf: bundle).model
      if xml != model {
        differences.append("the model differs after writing and reading it as XML\(Self.first(xml, model))")
      }
    } catch {
      differences.append("the model cannot be written and read back: \(error)")
    }
  }

  /// The first entity that differs.
  private static func first(_ one: ManagedObjectModel, _ other: ManagedObjectModel) -> String {
    for (left, right) in zip(one.declaration.entities, other.declaration.entities) where left != right {
      for (one, other) in zip(left.attributes, right.attributes) where one != other {
        return ": \(left.name).\(one.name)"
      }
      for (one, other) in zip(left.relationships, right.relationships) where one != other {
        return ": \(left.name).\(one.name)"
      }
      return ": \(left.name)"
    }
    return ""
  }

  private mutating func store(_ model: ManagedObjectModel) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-try-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var description = PersistentStoreDescription(
      type: SQLCipherStore.storeType, url: folder.appendingPathComponent("store"))
    description.storeKey = StoreKey()
    description.durability = .normal
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    var samples = SampleObjects(model, in: context)
    let all = try samples.fill()
    objects = all.count
    if let shortage = samples.shortage {
      differences.append(shortage)
      return
    }
    try context.save()
    let saved = try all.map { try State($0) }
    try container.close()
    let again = PersistentContainer(managedObjectModel: model, description: description)
    try await again.loadPersistentStores()
    defer { try? again.close() }
    let fresh = again.newContext()
    for state in saved {
      let object = try fresh.existingObject(with: state.id)
      for difference in state.differences(try State(object)) {
        differences.append(
          "\(object.entity.name) \(state.id.reference).\(difference) differs after reopening")
      }
    }
    for entity in model.entities where !entity.isAbstract {
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      let count = try fresh.count(for: request)
      let wanted = saved.filter { $0.id.entity.name == entity.name }.count
      if count != wanted {
        differences.append("\(entity.name): objects saved \(wanted), objects found \(count)")
      }
    }
  }
}

/// The stored state of an object: its attributes and relationships.
private struct State {
  let id: ManagedObjectID
  private let values: [String: AttributeValue]
  private let targets: [String: [ManagedObjectID]]

  init(_ object: ManagedObject) throws {
    id = object.objectID
    var values: [String: AttributeValue] = [:]
    var targets: [String: [ManagedObjectID]] = [:]
    for attribute in object.entity.attributes where !attribute.isTransient && attribute.derivation == nil {
      values[attribute.name] = try object.value(forKey: attribute.name)
    }
    for relationship in object.entity.relationships where !relationship.isTransient {
      if relationship.isToMany {
        let ids = try object.objects(relationship.name).map(\.objectID)
        targets[relationship.name] = relationship.isOrdered ? ids : ids.sorted { $0.reference < $1.reference }
      } else {
        targets[relationship.name] = try object.object(relationship.name).map { [$0.objectID] } ?? []
      }
    }
    self.values = values
    self.targets = targets
  }

  /// The names of the properties that differ in another state.
  func differences(_ other: State) -> [String] {
    values.keys.filter { values[$0] != other.values[$0] }
      + targets.keys.filter { targets[$0] != other.targets[$0] }
  }
}
