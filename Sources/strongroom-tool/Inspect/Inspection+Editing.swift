import Foundation
import Strongroom

extension Inspection {
  struct ShownFailure: Encodable {
    let entity: String
    let number: Int64
    let property: String?
    let message: String
    /// The object that has the same value, where values must differ.
    var other: ShownLink?
  }

  /// What is changed and not saved.
  struct Edits: Encodable {
    var inserted = 0
    var updated = 0
    /// Those of the updated whose attributes are as they were.
    var updatedByRelationship = 0
    var deleted = 0
    var canUndo = false
    var canRedo = false
    var objects: [ShownLink] = []
    /// Rules of the model that keep a save from being made.
    var failures: [ShownFailure] = []
    /// What another program has saved meanwhile, where a save was refused for it.
    var conflicts: [ShownConflict] = []
    /// What else was wrong.
    var error: String?
    /// The object that was made.
    var made: ShownLink?
    /// How much was announced to the pages, this change among it.
    var announced: Int?
    /// What an attribute has after it was set, or, where that was refused, since it was read.
    var value: ShownValue?
  }

  func edits() -> Edits {
    guard let editor else { return Edits() }
    let (inserted, updated, deleted) = (editor.insertedObjects, editor.updatedObjects, editor.deletedObjects)
    return Edits(
      inserted: inserted.count, updated: updated.count,
      updatedByRelationship: updated.count { object in
        guard let names = try? object.changedValues().keys else { return false }
        return names.allSatisfy { object.entity.attribute(named: $0) == nil }
      }, deleted: deleted.count,
      canUndo: editor.undoManager?.canUndo ?? false, canRedo: editor.undoManager?.canRedo ?? false,
      objects: (inserted + updated + deleted).prefix(100).map(Self.link))
  }

  /// Changes something, or saves; answers what is unsaved then, and what was refused.
  ///
  /// What others save meanwhile is not merged into changed objects, so that a save of both is a conflict
  /// and not the last one's.
  func change(_ name: String, _ call: InspectRequest) throws -> Answer {
    guard let editor else { return .missing }
    if !editor.hasChanges, !["undo", "redo"].contains(name) {
      editor.refreshAllObjects()
      // A redo would be judged against what is read now, and pass over what others have saved meanwhile.
      editor.undoManager?.removeAllActions()
    }
    // They were made for the changes as they were.
    if name != "save" { choices = Choices() }
    var (made, value): (ManagedObject?, ShownValue?)
    do {
      (made, value) = try perform(name, call, editor)
      // Each change of the page is undone alone.
      editor.processPendingChanges()
      announce()
    } catch {
      var edits = edits()
      edits.failures = (error as? ContextError).map { failures($0, editor) } ?? []
      edits.error = edits.failures.isEmpty ? Self.advice(error) : nil
      edits.value = (error as? ChangedMeanwhile)?.now
      edits.conflicts = (error as? ContextError).map { shown($0, editor) } ?? []
      return try Answer(.badRequest, json: edits)
    }
    var edits = edits()
    (edits.made, edits.value, edits.announced) = (made.map(Self.link), value, announced)
    return try Answer(json: edits)
  }

  /// The properties that stand against a save, each of one object.
  private func failures(_ error: ContextError, _ editor: ManagedObjectContext) -> [ShownFailure] {
    let broken = error.failures.map {
      ShownFailure(
        entity: $0.objectID.entity.name, number: $0.objectID.reference, property: $0.property,
        message: $0.message)
    }
    return broken
      + error.conflicts.filter(\.isConstraint).flatMap { conflict in
        let other = conflict.otherObjectID.flatMap { try? editor.existingObject(with: $0) }.map(Self.link)
        return conflict.constraint.map {
          let names = conflict.constraint.joined(separator: " and ")
          return ShownFailure(
            entity: conflict.objectID.entity.name, number: conflict.objectID.reference, property: $0,
            message: "no two may have the same \(names), and another has it", other: other)
        }
      }
  }

  /// What a person at the page can do about an error.
  private static func advice(_ error: any Error) -> String {
    if error is ChangedMeanwhile {
      return "another program or page has changed it since it was shown here; look at it, then change it"
    }
    return switch (error as? ContextError)?.code {
    case .notUnique: "nothing was saved: another object has a value that no two may have; change it"
    case .conflict:
      "another program has changed or deleted what you changed; nothing was saved"
    default:
      (error as? StoreError)?.code == .diskFull
        ? "the disk is full, and nothing was saved; make room, and save again" : "\(error)"
    }
  }

  /// - Returns: The object that was made, or the value that was set, if one was.
  private func perform(_ name: String, _ call: InspectRequest, _ editor: ManagedObjectContext) throws
    -> (made: ManagedObject?, value: ShownValue?)
  {
    switch name {
    case "insert":
      let object = try editor.insert(try entity(call).name)
      // Its number is its address in the page.
      try editor.obtainPermanentIDs(for: [object])
      return (object, nil)
    case "set": return (nil, try set(call, try managedObject(call, editor)))
    case "link": try link(call, editor, isRemoved: false)
    case "unlink": try link(call, editor, isRemoved: true)
    case "delete":
      let object = try managedObject(call, editor)
      try ChangedMeanwhile.check(call, object)
      try editor.delete(object)
    case "undo": try editor.undo()
    case "redo": try editor.redo()
    case "rollback": editor.rollback()
    case "save":
      if let more = call["choices"] { try choices.add(more) } else { choices = Choices() }
      editor.mergePolicy = choices.policy
      defer { editor.mergePolicy = .error }
      try editor.save()
      choices = Choices()
      // An undo after it would take back what others have saved since.
      editor.undoManager?.removeAllActions()
    default: throw ToolFailure("there is no change \(name)")
    }
    return (nil, nil)
  }

  private func set(_ call: InspectRequest, _ object: ManagedObject) throws -> ShownValue {
    let (name, text) = (try call.text("key"), call["null"] == nil ? try call.text("value") : nil)
    guard let attribute = object.entity.attribute(named: name) else {
      throw Self.noProperty(name, object.entity)
    }
    let value = try text.map { try Self.value($0, of: attribute) } ?? .null
    try object.validate(value, forKey: name)
    try ChangedMeanwhile.check(call, object, attribute)
    try object.setValue(value, forKey: name)
    return ShownValue(try object.value(forKey: name), of: attribute.type, upTo: .max)
  }

  /// What was written into a field: nothing is no value, unless it is a text.
  private static func value(_ text: String, of attribute: AttributeDescription) throws -> AttributeValue {
    if text.isEmpty, attribute.type != .string { return .null }
    let day = attribute.type == .date ? AttributeValue.parse(text: text + "T00:00:00Z", as: .date) : nil
    if let value = day ?? AttributeValue.parse(text: text, as: attribute.type) { return value }
    let form =
      switch attribute.type {
      case .date: "2020-05-06 or 2020-05-06T12:00:00Z"
      case .boolean: "true or false"
      case .integer16, .integer32, .integer64:
        "a whole number of \(attribute.type.rawValue.dropFirst(7)) bits"
      case .uuid: "a UUID such as 2F1B0E6C-7C7C-4B0E-9C55-1A2B3C4D5E6F"
      case .uri: "an address such as https://example.org/"
      case .decimal: "a number such as 12.5, of 38 digits at most"
      default: "a number such as 12.5"
      }
    throw ToolFailure("write \(form)")
  }

  /// The object that a number names, or its name where just one is called so.
  private func destination(
    _ call: InspectRequest, _ editor: ManagedObjectContext, _ relationship: RelationshipDescription
  ) throws -> ManagedObject {
    let text = try call.text("toNumber").trimmingCharacters(in: .whitespaces)
    let entity = relationship.destination
    guard Int64(text) == nil, let title = Self.titleAttribute(entity) else {
      return try managedObject(call, editor, entityKey: "toEntity", numberKey: "toNumber")
    }
    let named = FetchPredicate.comparison(
      FetchComparison(.keyPath([title.name]), .equal, .value(.string(text))))
    let found = try editor.fetch(FetchRequest(entity.name, where: named, fetchLimit: 2))
    guard found.count == 1, let object = found.first else {
      throw ToolFailure(
        found.isEmpty
          ? "no \(entity.name) is called so; write its \(title.name) or its №"
          : "several objects of \(entity.name) are called so; write the №")
    }
    return object
  }

  private func link(_ call: InspectRequest, _ editor: ManagedObjectContext, isRemoved: Bool) throws {
    let (object, name) = (try managedObject(call, editor), try call.text("key"))
    guard let relationship = object.entity.relationship(named: name) else {
      throw Self.noProperty(name, object.entity)
    }
    let end = try destination(call, editor, relationship)
    if !relationship.isToMany {
      try ChangedMeanwhile.check(call, object, relationship)
      try object.setObject(isRemoved ? nil : end, forKey: name)
    } else if isRemoved {
      try object.remove(end, from: name)
    } else {
      try object.add(end, to: name)
    }
  }
}
