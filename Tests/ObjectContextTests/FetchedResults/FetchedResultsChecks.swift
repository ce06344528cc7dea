import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let liveResults: [ContextCheck] = changesOfLists + sourcesOfLists + mergesOfLists

  private static let changesOfLists: [ContextCheck] = [
    ContextCheck("a results controller fetches its objects in their order (NSFetchedResultsController)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try ["c", "a", "b"].map { try Fixtures.person(context, $0) }
      _ = try Fixtures.person(context, "old", age: 90)
      let controller = try FetchedResultsController(
        FetchRequest(
          "Person", where: .compare("age", .less, 80), sortDescriptors: [FetchSortDescriptor("name")]),
        in: context)
      try expect(controller.fetchedObjects.isEmpty, "nothing before the fetch")
      try controller.performFetch()
      try expect(controller.fetchedObjects == [people[1], people[2], people[0]], "unsaved ones too")
      try expect(controller.sections.map(\.objects) == [controller.fetchedObjects], "one section")
      let place = IndexPath(item: 2, section: 0)
      try expect(controller.object(at: place) === people[0], "by place")
      try expect(controller.indexPath(forObject: people[0]) == place, "and back")
      try expect(
        controller.indexPath(forObject: try Fixtures.person(context, "x", age: 85)) == nil, "not among them")
      try expect(controller.snapshot.objectIDs == controller.fetchedObjects.map(\.objectID), "a snapshot")
    },
    ContextCheck(
      "insertions, deletions, moves and updates are reported with their exact index paths, in this order"
    ) {
      factory in
      let list = try await ShownList(factory, names: "bdfh")
      let people = list.controller.fetchedObjects
      _ = try Fixtures.person(list.context, "c")
      _ = try Fixtures.person(list.context, "a")
      try list.expectChanges("+a@0.0", "+c@0.2")
      try list.context.delete(people[0])
      try list.context.delete(people[2])
      try list.expectChanges("-f@0.4", "-b@0.1")
      try people[1].set("name", "z")
      try list.expectChanges("d@0.2>0.3")
      try people[1].set("age", 30)
      try list.expectChanges("~d@0.3")
      try people[3].set("name", "g")
      try list.expectChanges("~h@0.2")
      _ = try Fixtures.person(list.context, "0")
      try list.context.delete(people[3])
      try people[1].set("name", "1")
      try list.expectChanges("-h@0.2", "+0@0.0", "d@0.3>0.1")
      try expect(list.names == ["0", "1", "a", "c"], "the list, got \(list.names)")
    },
    ContextCheck("what is inserted, changed and deleted within one event is reported as it is at its end") {
      factory in
      let list = try await ShownList(factory, names: "ac")
      let people = list.controller.fetchedObjects
      let new = try Fixtures.person(list.context, "x")
      try new.set("name", "b")
      try list.context.delete(try Fixtures.person(list.context, "y"))
      try people[0].set("age", 30)
      try people[0].set("age", 31)
      try list.expectChanges("+b@0.1", "~a@0.0")
      try people[1].set("name", "0")
      try list.context.delete(people[1])
      try list.expectChanges("-c@0.2")
    },
    ContextCheck("nothing is reported when no object of the request's entity changed") { factory in
      let list = try await ShownList(factory, names: "ab")
      let company = try Fixtures.company(list.context, "Firm")
      list.context.processPendingChanges()
      try company.set("name", "Other firm")
      try Fixtures.tag(list.context, "t").set("rank", 3)
      list.context.processPendingChanges()
      try list.context.save()
      list.context.processPendingChanges()
      try expect(list.calls == 0, "no call, got \(list.calls)")
      let stranger = try Fixtures.person(list.context, "y", age: 120)
      list.context.processPendingChanges()
      try stranger.set("age", 130)
      list.context.processPendingChanges()
      try list.context.save()
      try expect(list.calls == 0, "nor for one that the condition leaves out")
    },
    ContextCheck("an object enters and leaves as the condition begins and ceases to hold") { factory in
      let list = try await ShownList(factory, names: "ace")
      let outside = try Fixtures.person(list.context, "d", age: 110)
      try list.expectChanges()
      try outside.set("age", 20)
      try list.expectChanges("+d@0.2")
      try outside.set("age", 110)
      try list.controller.fetchedObjects[0].set("age", 120)
      try list.expectChanges("-d@0.2", "-a@0.0")
      try outside.set("name", "b")
      try outside.set("age", 21)
      try list.expectChanges("+d@0.0")
      try expect(list.names == ["b", "c", "e"], "under its new name")
    },
    ContextCheck("sections appear with their first object and vanish with their last (sectionNameKeyPath)") {
      factory in
      let list = try await ShownList(factory, names: "", section: "motto")
      func person(_ name: String, _ section: String) throws -> ManagedObject {
        let person = try Fixtures.person(list.context, name)
        try person.set("motto", section)
        return person
      }
      let (a, b) = (try person("a", "M"), try person("b", "M"))
      try list.expectChanges("section+0", "+a@0.0", "+b@0.1")
      let c = try person("c", "Z")
      let d = try person("d", "A")
      try list.expectChanges("section+0", "section+2", "+d@0.0", "+c@2.0")
      try expect(list.controller.sections.map(\.name) == ["A", "M", "Z"], "their names")
      try expect(list.controller.indexPath(forObject: b) == IndexPath(item: 1, section: 1), "a place")
      try b.set("motto", "Z")
      try list.expectChanges("b@1.1>2.0")
      try a.set("motto", "Q")
      try list.expectChanges("section-1", "section+1", "a@1.0>1.0")
      try list.context.delete(c)
      try list.context.delete(d)
      try list.expectChanges("-c@2.1", "-d@0.0", "section-0")
      try list.context.delete(a)
      try list.context.delete(b)
      try list.expectChanges("-b@1.0", "-a@0.0", "section-1", "section-0")
      try expect(list.controller.sections.isEmpty && list.controller.fetchedObjects.isEmpty, "all is gone")
    },
    ContextCheck("objects that the order leaves level stand as they were inserted, saved or not") {
      factory in
      let list = try await ShownList(factory, names: "cab", sort: "motto")
      try expect(list.names == ["c", "a", "b"], "in the order of insertion")
      _ = try Fixtures.person(list.context, "z")
      _ = try Fixtures.person(list.context, "y")
      try list.expectChanges("+z@0.3", "+y@0.4")
      try list.context.save()
      try expect(list.names == ["c", "a", "b", "z", "y"], "saving changes no order")
      try expect(!list.take().contains { $0.contains(">") }, "nor tells of moves")
      try list.controller.fetchedObjects[1].set("age", 30)
      try list.expectChanges("~a@0.1")
    },
    ContextCheck("a limit holds as objects come and go (fetchLimit)") { factory in
      let list = try await ShownList(factory, names: "bdf", limit: 2)
      try expect(list.names == ["b", "d"], "two of three")
      let new = try Fixtures.person(list.context, "c")
      try list.expectChanges("-d@0.1", "+c@0.1")
      try list.context.delete(list.controller.fetchedObjects[0])
      try list.expectChanges("-b@0.0", "+d@0.1")
      try new.set("name", "x")
      try list.expectChanges("-c@0.0", "+f@0.1")
      try expect(list.names == ["d", "f"], "the first two")
    },
  ]
}

/// A list of a results controller over people below 100, and what it is told of its changes.
final class ShownList {
  let scenario: ContextScenario
  let context: ManagedObjectContext
  let controller: FetchedResultsController<ManagedObject>
  /// How often something was told.
  private(set) var calls = 0
  /// What the changes told so far make of the first list.
  private(set) var sections: [[ManagedObject]]
  /// A change did not fit the list that it was told of.
  private(set) var isBroken = false
  private var told: [String] = []
  private var labels: [ObjectIdentifier: (object: ManagedObject, label: String)] = [:]

  /// People with one letter each as their names, saved in that order.
  init(
    _ factory: any StoreFactory, names: String, section: String? = nil, sort: String = "name",
    limit: Int? = nil
  ) async throws {
    let scenario = try await ContextScenario(factory)
    let context = scenario.newContext()
    let people = try names.map { try Fixtures.person(context, String($0)) }
    try context.save()
    let sorts = (section.map { [FetchSortDescriptor($0)] } ?? []) + [FetchSortDescriptor(sort)]
    let request = FetchRequest(
      "Person", where: .compare("age", .less, 100), sortDescriptors: sorts, fetchLimit: limit)
    controller = try FetchedResultsController(request, in: context, sectionedBy: section)
    try controller.performFetch()
    sections = controller.sections.map(\.objects)
    self.scenario = scenario
    self.context = context
    for person in people + controller.fetchedObjects { note(person) }
    controller.onChange = { [weak self] in self?.hear($0) }
  }

  /// The names in their order.
  var names: [String] { controller.fetchedObjects.map { (try? Fixtures.text($0)) ?? "?" } }

  /// What was told since it was last asked.
  func take() -> [String] {
    defer { told = [] }
    return told
  }

  /// Ends the event; then this was told, by the names that the objects first had.
  func expectChanges(_ wanted: String..., line: Int = #line, fileID: String = #fileID) throws {
    context.processPendingChanges()
    let told = take()
    try expect(told == wanted, "told \(told), not \(wanted)", line: line, fileID: fileID)
    try agree(line: line, fileID: fileID)
  }

  /// What was told makes the list that is shown, and that is what a fetch brings.
  func agree(line: Int = #line, fileID: String = #fileID) throws {
    try expect(!isBroken, "a change that does not fit its list", line: line, fileID: fileID)
    let shown = controller.sections.map(\.objects)
    try expect(sections.filter { !$0.isEmpty } == shown, "the changes applied", line: line, fileID: fileID)
    try expect(controller.fetchedObjects == shown.flatMap { $0 }, "the sections", line: line, fileID: fileID)
    let fetched = try context.fetch(controller.fetchRequest)
    try expect(fetched == controller.fetchedObjects, "a fetch brings others", line: line, fileID: fileID)
    let names = try fetched.map { object in
      try controller.sectionNameKeyPath.map { try object.value(forKey: $0).text } ?? ""
    }
    let told = controller.sections.flatMap { section in section.objects.map { _ in section.name } }
    try expect(told == names, "the names of the sections", line: line, fileID: fileID)
    for (section, next) in zip(controller.sections, controller.sections.dropFirst()) {
      try expect(section.name != next.name, "a section reported twice", line: line, fileID: fileID)
    }
  }

  private func note(_ object: ManagedObject) {
    guard labels[ObjectIdentifier(object)] == nil else { return }
    labels[ObjectIdentifier(object)] = (object, (try? Fixtures.text(object)) ?? "?")
  }

  private func label(_ object: ManagedObject) -> String {
    note(object)
    return labels[ObjectIdentifier(object)]?.label ?? "?"
  }

  private func hear(_ changes: [FetchedResultsChange<ManagedObject>]) {
    calls += 1
    func text(_ place: IndexPath) -> String { "\(place.section).\(place.item)" }
    var gone: [(ManagedObject, IndexPath)] = []
    var come: [(ManagedObject, IndexPath)] = []
    var dead: [Int] = []
    var born: [Int] = []
    for change in changes {
      switch change {
      case .insertSection(let section):
        told.append("section+\(section)")
        born.append(section)
      case .deleteSection(let section):
        told.append("section-\(section)")
        dead.append(section)
      case .insert(let object, let place):
        told.append("+\(label(object))@\(text(place))")
        come.append((object, place))
      case .delete(let object, let place):
        told.append("-\(label(object))@\(text(place))")
        gone.append((object, place))
      case .move(let object, let old, let new):
        told.append("\(label(object))@\(text(old))>\(text(new))")
        gone.append((object, old))
        come.append((object, new))
      case .update(let object, let place): told.append("~\(label(object))@\(text(place))")
      }
    }
    apply(gone: gone, come: come, dead: dead, born: born)
  }

  /// Old places count in the list before all changes, new places in the list after them.
  private func apply(
    gone: [(ManagedObject, IndexPath)], come: [(ManagedObject, IndexPath)], dead: [Int], born: [Int]
  ) {
    func isBefore(_ left: (ManagedObject, IndexPath), _ right: (ManagedObject, IndexPath)) -> Bool {
      (left.1.section, left.1.item) < (right.1.section, right.1.item)
    }
    for (object, place) in gone.sorted(by: isBefore).reversed() {
      if sections.indices.contains(place.section), sections[place.section].indices.contains(place.item),
        sections[place.section][place.item] === object
      {
        sections[place.section].remove(at: place.item)
      } else {
        isBroken = true
      }
    }
    for section in dead.sorted().reversed() {
      if sections.indices.contains(section), sections[section].isEmpty {
        sections.remove(at: section)
      } else {
        isBroken = true
      }
    }
    for section in born.sorted() {
      if section <= sections.count { sections.insert([], at: section) } else { isBroken = true }
    }
    for (object, place) in come.sorted(by: isBefore) {
      if sections.indices.contains(place.section), place.item <= sections[place.section].count {
        sections[place.section].insert(object, at: place.item)
      } else {
        isBroken = true
      }
    }
  }
}
