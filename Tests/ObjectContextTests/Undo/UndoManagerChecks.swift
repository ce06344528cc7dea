import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let undo: [ContextCheck] = undoManagers + undoneObjects + undoFailures

  private static let undoManagers: [ContextCheck] = [
    ContextCheck("undo takes back the last event's changes, redo brings them again (NSUndoManager)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      try expect(!desk.manager.canUndo && !desk.manager.canRedo, "nothing yet")
      try desk.ada.set("name", "B")
      try desk.ada.set("name", "C")
      try desk.ada.set("age", 30)
      desk.context.processPendingChanges()
      try desk.ada.set("name", "D")
      desk.context.processPendingChanges()
      try desk.step(desk.context.undo, "C 30", "the second event")
      try expect(desk.manager.canUndo && desk.manager.canRedo, "in the middle")
      try desk.step(desk.context.undo, "Ada 18", "the whole first event")
      try expect(!desk.manager.canUndo && desk.manager.canRedo, "at the beginning")
      try expect(!desk.ada.hasPersistentChangedValues, "as stored")
      try desk.step(desk.context.redo, "C 30", "again")
      try desk.step(desk.context.redo, "D 30", "and again")
      try expect(desk.manager.canUndo && !desk.manager.canRedo, "at the end")
      try desk.step(desk.context.undo, "C 30", "and back")
    },
    ContextCheck("undo closes the event that is under way, and does nothing without one (NSUndoManager)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      try desk.step(desk.context.undo, "Ada 18", "nothing to undo")
      try desk.step(desk.context.redo, "Ada 18", "nothing to redo")
      try desk.ada.set("name", "B")
      desk.context.processPendingChanges()
      try desk.ada.set("age", 30)
      try desk.step(desk.context.undo, "B 18", "the open event")
      try desk.step(desk.context.undo, "Ada 18", "the one before")
    },
    ContextCheck("nested groups are undone together, and groups need not be events (NSUndoManager)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      desk.manager.groupsByEvent = false
      desk.manager.beginUndoGrouping()
      try desk.ada.set("name", "B")
      desk.context.processPendingChanges()
      desk.manager.beginUndoGrouping()
      try expect(desk.manager.groupingLevel == 2, "two open groups")
      try desk.ada.set("age", 30)
      desk.manager.endUndoGrouping()
      desk.context.processPendingChanges()
      try desk.ada.set("age", 31)
      desk.manager.endUndoGrouping()
      try expect(desk.manager.groupingLevel == 0, "none is open")
      desk.manager.beginUndoGrouping()
      try desk.ada.set("name", "C")
      desk.manager.endUndoGrouping()
      try desk.step(desk.context.undo, "B 31", "the second group")
      try desk.step(desk.context.undo, "Ada 18", "the outer group with the inner one")
      try expect(!desk.manager.canUndo, "no more")
      try desk.step(desk.context.redo, "B 31", "both again")
    },
    ContextCheck("only as many groups are kept as levels were asked for, the newest ones (levelsOfUndo)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      desk.manager.levelsOfUndo = 3
      try desk.ages(31...36)
      for age in [35, 34, 33] { try desk.step(desk.context.undo, "Ada \(age)", "back to \(age)") }
      try expect(!desk.manager.canUndo, "the older ones are forgotten")
      try desk.step(desk.context.undo, "Ada 33", "and stay so")
      desk.manager.levelsOfUndo = 0
      try desk.ages(41...60)
      for age in (41...59).reversed() { try desk.step(desk.context.undo, "Ada \(age)", "0 is no limit") }
    },
    ContextCheck("a group carries its name through undo and redo (NSUndoManager)") { factory in
      let desk = try Desk(try await ContextScenario(factory))
      try desk.ada.set("name", "B")
      desk.manager.setActionName("Rename")
      desk.context.processPendingChanges()
      try desk.ada.set("age", 30)
      desk.manager.setActionName("Birthday")
      desk.context.processPendingChanges()
      try expect(desk.manager.undoActionName == "Birthday", "the last one's")
      try desk.context.undo()
      try expect(desk.manager.undoActionName == "Rename", "the one's before")
      try expect(desk.manager.redoActionName == "Birthday", "of what redo brings")
      try desk.context.undo()
      try expect(desk.manager.redoActionName == "Rename", "of what redo brings first")
      try desk.context.redo()
      try expect(desk.manager.undoActionName == "Rename", "and back")
    },
    ContextCheck("what a program registers is undone with the changes of its group (registerUndo)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let window = Window(desk.manager)
      window.select("Ada")
      try desk.ada.set("name", "B")
      window.select("B")
      desk.manager.setActionName("Rename")
      desk.context.processPendingChanges()
      try expect(desk.manager.undoMenuItemTitle == "Undo Rename", "the menu")
      try desk.step(desk.context.undo, "Ada 18", "the change")
      try expect(window.log == ["+Ada", "+B", "-B", "-Ada"], "the last one first: \(window.log)")
      try expect(desk.manager.redoMenuItemTitle == "Redo Rename" && !desk.manager.canUndo, "one group")
      try desk.step(desk.context.redo, "B 18", "again")
      try expect(window.log.suffix(2) == ["+Ada", "+B"], "what was registered meanwhile: \(window.log)")
      try desk.context.undo()
      try expect(window.log.suffix(2) == ["-B", "-Ada"], "and back: \(window.log)")
      window.select("C")
      try expect(!desk.manager.canRedo && desk.manager.undoMenuItemTitle == "Undo", "nothing is left to redo")
      desk.manager.removeAllActions(withTarget: window)
      try expect(!desk.manager.canUndo, "the target's are forgotten")
    },
    ContextCheck("what a program registers may change objects, and ends with its target (registerUndo)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      desk.manager.registerUndo(withTarget: desk.ada) { ada in try? ada.set("age", 40) }
      desk.manager.disableUndoRegistration()
      desk.manager.registerUndo(withTarget: desk.ada) { ada in try? ada.set("age", 50) }
      desk.manager.enableUndoRegistration()
      try desk.step(desk.context.undo, "Ada 40", "the closure's change")
      try desk.step(desk.context.redo, "Ada 18", "is what a redo takes back")
      var window: Window? = Window(desk.manager)
      window?.select("Ada")
      weak let released = window
      window = nil
      try expect(released == nil, "no target is retained")
      try desk.step(desk.context.undo, "Ada 18", "nothing happens")
      let alone = UndoManager()
      let other = Window(alone)
      other.select("Ada")
      alone.undo()
      alone.redo()
      try expect(other.log == ["+Ada", "-Ada", "+Ada"], "without a context: \(other.log)")
    },
    ContextCheck("a new change forgets what could be redone (NSUndoManager)") { factory in
      let desk = try Desk(try await ContextScenario(factory))
      try desk.ages(31...33)
      try desk.context.undo()
      try desk.context.undo()
      try desk.ada.set("name", "B")
      desk.context.processPendingChanges()
      try expect(!desk.manager.canRedo, "redo is not possible")
      try desk.step(desk.context.redo, "B 31", "nothing happens")
      try desk.step(desk.context.undo, "Ada 31", "undo is not")
      try desk.step(desk.context.undo, "Ada 18", "to the beginning")
    },
    ContextCheck("reset, rollback and removeAllActions forget all that could be undone (NSUndoManager)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let forgetting: [(String, () -> Void)] = [
        ("removeAllActions", { desk.manager.removeAllActions() }),
        ("rollback", { desk.context.rollback() }), ("reset", { desk.context.reset() }),
      ]
      for (number, (name, forget)) in forgetting.enumerated() {
        try desk.ages((31 + 10 * number)...(32 + 10 * number))
        try desk.context.undo()
        try expect(desk.manager.canUndo && desk.manager.canRedo, "before \(name)")
        forget()
        try expect(!desk.manager.canUndo && !desk.manager.canRedo, "after \(name)")
        try desk.context.undo()
        try desk.context.redo()
      }
      try expect(!desk.context.hasChanges, "nothing came back")
    },
    ContextCheck("what is changed while registration is off cannot be undone (disableUndoRegistration)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      desk.manager.disableUndoRegistration()
      desk.manager.disableUndoRegistration()
      desk.manager.enableUndoRegistration()
      try expect(!desk.manager.isUndoRegistrationEnabled, "it counts")
      try desk.ada.set("name", "B")
      _ = try Fixtures.person(desk.context, "New")
      desk.context.processPendingChanges()
      desk.manager.enableUndoRegistration()
      try expect(desk.manager.isUndoRegistrationEnabled && !desk.manager.canUndo, "nothing to undo")
      try desk.ages(31...31)
      try desk.step(desk.context.undo, "B 18", "what came after")
      try desk.step(desk.context.undo, "B 18", "and no more")
      try expect(desk.context.insertedObjects.count == 1, "the new object stays")
    },
    ContextCheck("a context without an undo manager undoes nothing, and has none at first (undoManager)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      try expect(context.undoManager == nil, "none at first")
      let person = try Fixtures.person(context, "Ada")
      context.processPendingChanges()
      try context.undo()
      try context.redo()
      try expect(person.isInserted && Fixtures.text(person) == "Ada", "it stays")
      let manager = UndoManager()
      context.undoManager = manager
      try person.set("name", "B")
      context.processPendingChanges()
      context.undoManager = nil
      try person.set("name", "C")
      context.processPendingChanges()
      try context.undo()
      try expect(Fixtures.text(person) == "C", "nor after it was taken away")
    },
    ContextCheck("objects are notified of undo while it is at work (awakeFromSnapshotEvents)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, manager) = (desk.context, desk.manager)
      let undoing = Fixtures.Count()
      func heard(_ body: () throws -> Void) throws -> [String] {
        let log = HookLog { hook, object in
          let manager = object.managedObjectContext?.undoManager
          if hook.contains("undoUpdate"), manager?.isUndoing == true { undoing.add() }
        }
        try LoggedObject.$log.withValue(log) { try body() }
        return log.take().filter { $0.hasPrefix("awakeFromSnapshotEvents") }
      }
      try desk.ages(31...31)
      try context.delete(desk.ada)
      context.processPendingChanges()
      _ = try Fixtures.person(context, "New")
      context.processPendingChanges()
      try expect(!manager.isUndoing && !manager.isRedoing, "at rest")
      for event in ["undoInsertion", "undoDeletion", "undoUpdate"] {
        let told = try heard(context.undo)
        try expect(told.contains { $0.contains(event) }, "\(event), got \(told)")
      }
      let count = undoing.value
      try expect(count > 0, "while it is at work")
      let told = try heard(context.redo)
      try expect(told.contains { $0.contains("undoUpdate") }, "a redo, got \(told)")
      try expect(undoing.value == count && !manager.isUndoing, "which is no undo")
    },
  ]
}

/// A stored person, Ada, 18, in a context whose changes can be undone.
struct Desk {
  let scenario: ContextScenario
  let context: ManagedObjectContext
  let manager = UndoManager()
  let ada: ManagedObject

  init(_ scenario: ContextScenario) throws {
    self.scenario = scenario
    context = scenario.newContext()
    ada = try Fixtures.person(context, "Ada")
    try context.save()
    context.undoManager = manager
  }

  /// Undoes or redoes; then Ada's name and age are these.
  func step(
    _ step: () throws -> Void, _ wanted: String, _ what: String, line: Int = #line, fileID: String = #fileID
  ) throws {
    try step()
    let text = try "\(Fixtures.text(ada) ?? "") \(Fixtures.number(ada) ?? -1)"
    try expect(text == wanted, "\(what): \(text), not \(wanted)", line: line, fileID: fileID)
  }

  /// An event for each of Ada's ages; of whoever is Ada after a reset.
  func ages(_ ages: ClosedRange<Int>) throws {
    let person = try context.existingObject(with: ada.objectID)
    for age in ages {
      try person.set("age", age)
      context.processPendingChanges()
    }
  }

  /// Everybody's values and links, by their mottos and titles.
  func state(_ context: ManagedObjectContext) throws -> [String] {
    let people = try context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("motto")]))
      .map { person in
        let friends = try Fixtures.names(person.objects("friends"), "motto").sorted()
        let tasks = try Fixtures.names(person.objects("tasks"), "title")
        let tags = try Fixtures.names(person.objects("tags")).sorted()
        let reports = try Fixtures.names(person.objects("reports"), "motto").sorted()
        let ones = try ["employer", "spouse", "manager"].map { name in
          try person.object(name).flatMap { try Fixtures.text($0, name == "employer" ? "name" : "motto") }
            ?? "-"
        }
        let values = try [Fixtures.text(person, "motto"), Fixtures.text(person)].map { $0 ?? "-" }
        return "\(values) \(try Fixtures.number(person) ?? -1) \(ones) \(friends) \(tasks) \(tags) \(reports)"
      }
    let firms = try context.fetch(FetchRequest("Company", sortDescriptors: [FetchSortDescriptor("name")])).map
    { firm in
      "\(try Fixtures.names(firm.objects("employees"), "motto").sorted())"
    }
    return people + firms
  }
}

/// Has a selection, which it registers the undo of.
private final class Window {
  private let manager: UndoManager
  private(set) var log: [String] = []

  init(_ manager: UndoManager) { self.manager = manager }

  func select(_ name: String) {
    log.append("+" + name)
    manager.registerUndo(withTarget: self) { $0.deselect(name) }
  }

  private func deselect(_ name: String) {
    log.append("-" + name)
    manager.registerUndo(withTarget: self) { $0.select(name) }
  }
}
