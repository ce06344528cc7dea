import Foundation
import Strongroom

extension Inspection {
  struct ShownFailure: Encodable {
    let entity: String
    let number: Int64
    let property: String?
    let message: String
  }

  /// What is changed and not saved.
  struct Edits: Encodable {
    var inserted = 0
    var updated = 0
    var deleted = 0
    var canUndo = false
    var canRedo = false
    var objects: [ShownLink] = []
    /// Rules of the model that keep a save from being made.
    var failures: [ShownFailure] = []
    /// What else was wrong.
    var error: String?
    /// The object that was made.
    var made: ShownLink?
  }

  func edits() -> Edits {
    guard let editor else { return Edits() }
    let (inserted, updated, deleted) = (editor.insertedObjects, editor.updatedObjects, editor.deletedObjects)
    return Edits(
      inserted: inserted.count, updated: updated.count, deleted: deleted.count,
      canUndo: editor.undoManager?.canUndo ?? false, canRedo: editor.undoManager?.canRedo ?? false,
      objects: (inserted + updated + deleted).prefix(100).map(Self.link))
  }

  /// Changes something, or saves; answers what is unsaved then, and what was refused.
  func change(_ call: InspectCall) throws -> Answer {
    guard let editor else { return .missing }
    var made: ManagedObject?
    do {
      made = try perform(call, editor)
      // Each change of the page is undone alone.
      editor.processPendingChanges()
    } catch let error as ContextError where !error.failures.isEmpty {
      var edits = edits()
      edits.failures = error.failures.map {
        ShownFailure(
          entity: $0.objectID.entity.name, number: $0.objectID.reference, property: $0.property,
          message: $0.message)
      }
      return try Answer(.badRequest, json: edits)
    } catch {
      var edits = edits()
      edits.error = "\(error)"
      return try Answer(.badRequest, json: edits)
    }
    var edits = edits()
    edits.made = made.map(Self.link)
    return try Answer(json: edits)
  }

  /// - Returns: The object that was made, if one was.
  private func perform(_ call: InspectCall, _ editor: ManagedObjectContext) throws -> ManagedObject? {
    switch call.name {
    case "insert":
      let object = try editor.insert(try entity(call).name)
      // Its number is its address in the page.
      try editor.obtainPermanentIDs(for: [object])
      return object
    case "set": try set(call, try managedObject(call, editor))
    case "link": try link(call, editor, isRemoved: false)
    case "unlink": try link(call, editor, isRemoved: true)
    case "delete": try editor.delete(try managedObject(call, editor))
    case "undo": try editor.undo()
    case "redo": try editor.redo()
    case "rollback": editor.rollback()
    case "save":
      try editor.save()
      didSave()
    default: throw ToolFailure("there is no change \(call.name)")
    }
    return nil
  }

  private func set(_ call: InspectCall, _ object: ManagedObject) throws {
    let (name, text) = (try call.text("key"), call["null"] == nil ? try call.text("value") : nil)
    guard let attribute = object.entity.attribute(named: name) else {
      throw Self.noProperty(name, object.entity)
    }
    let value: AttributeValue
    if let text {
      guard let parsed = AttributeValue.parse(text: text, as: attribute.type) else {
        throw ToolFailure("\(attribute.type.rawValue) is not written so")
      }
      value = parsed
    } else {
      value = .null
    }
    try object.validate(value, forKey: name)
    try object.setValue(value, forKey: name)
  }

  private func link(_ call: InspectCall, _ editor: ManagedObjectContext, isRemoved: Bool) throws {
    let (object, name) = (try managedObject(call, editor), try call.text("key"))
    guard let relationship = object.entity.relationship(named: name) else {
      throw Self.noProperty(name, object.entity)
    }
    let end = try managedObject(call, editor, entityKey: "toEntity", numberKey: "toNumber")
    if !relationship.isToMany {
      try object.setObject(isRemoved ? nil : end, forKey: name)
    } else if isRemoved {
      try object.remove(end, from: name)
    } else {
      try object.add(end, to: name)
    }
  }
}
