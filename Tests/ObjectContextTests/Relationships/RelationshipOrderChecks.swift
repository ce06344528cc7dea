import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let relationshipOrders: [ContextCheck] = [
    ContextCheck(
      "an ordered many-to-many is inserted into, moved, replaced and removed at places that last "
        + "(NSOrderedSet)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "d", "e", in: context)
      let more = try Fixtures.people("f", "g", in: context)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      try tag.add(contentsOf: people, to: "people")
      try context.save()
      let id = tag.objectID
      func expectOrder(_ wanted: String) throws {
        let order = try Fixtures.line(tag, "people")
        try expect(order == wanted, "\(order), not \(wanted)")
        try context.save()
        let fresh = scenario.newContext()
        let stored = try Fixtures.line(fresh.object(with: id), "people")
        try expect(stored == wanted, "\(stored) was stored, not \(wanted)")
      }
      try expectOrder("a b c d e")
      try tag.insert(more[0], into: "people", at: 2)
      try expectOrder("a b f c d e")
      try expect(more[0].objects("tags").contains(tag), "the other end of what was inserted")
      try tag.insert(people[4], into: "people", at: 0)
      try expectOrder("e a b f c d")
      try tag.move(fromOffsets: IndexSet([0, 3]), toOffset: 5, in: "people")
      try expectOrder("a b c e f d")
      try tag.move(fromOffsets: IndexSet(integer: 0), toOffset: 6, in: "people")
      try expectOrder("b c e f d a")
      try tag.replace(at: 1, in: "people", with: more[1])
      try expectOrder("b g e f d a")
      try expect(people[2].objects("tags").isEmpty, "the other end of what was replaced")
      try expect(more[1].objects("tags").contains(tag), "the other end of what replaced it")
      try tag.remove(at: 0, from: "people")
      try expectOrder("g e f d a")
      try expect(people[1].objects("tags").isEmpty, "the other end of what was removed")
      try tag.insert(people[2], into: "people", at: 5)
      try expectOrder("g e f d a c")
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copy = try fresh.object(with: id)
      try expect(Fixtures.line(copy, "people") == "g e f d a c", "after reopening")
    },
    ContextCheck(
      "an ordered one-to-many keeps places and owners in step (NSOrderedSet, inverse relationships)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("p", "q", in: context)
      let (p, q) = (people[0], people[1])
      let tasks = try ["w", "x", "y", "z"].map {
        try Fixtures.make("Task", ["title": .string($0)], in: context)
      }
      func lines() throws -> [String] { try people.map { try Fixtures.line($0, "tasks", "title") } }
      try p.add(tasks[1], tasks[2], tasks[3], to: "tasks")
      try q.insert(tasks[0], into: "tasks", at: 0)
      try context.save()
      try q.insert(tasks[2], into: "tasks", at: 0)
      try expect(lines() == ["x z", "y w"] && tasks[2].object("owner") === q, "taken over at a place")
      try p.replace(at: 0, in: "tasks", with: tasks[0])
      try expect(lines() == ["w z", "y"] && tasks[1].object("owner") == nil, "replaced by another's")
      try expect(tasks[0].object("owner") === p, "which has a new owner")
      try p.remove(at: 1, from: "tasks")
      try expect(lines() == ["w", "y"] && tasks[3].object("owner") == nil, "removed")
      try tasks[3].setObject(q, forKey: "owner")
      try q.move(fromOffsets: IndexSet(integer: 1), toOffset: 0, in: "tasks")
      try tasks[1].setObject(q, forKey: "owner")
      try expect(lines() == ["w", "z y x"], "what comes from the other end comes last")
      try context.save()
      let ids = people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies.map { try Fixtures.line($0, "tasks", "title") } == ["w", "z y x"], "after reopening")
    },
    ContextCheck("an ordered to-many without an inverse keeps its places (NSOrderedSet)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      let tags = try ["v", "w", "x", "y"].map { try Fixtures.make("Tag", ["name": .string($0)], in: context) }
      try ada.insert(tags[0], into: "favourites", at: 0)
      try ada.insert(tags[1], into: "favourites", at: 0)
      try ada.insert(tags[2], into: "favourites", at: 1)
      try expect(Fixtures.line(ada, "favourites") == "w x v", "new")
      try context.save()
      try ada.move(fromOffsets: IndexSet(integer: 2), toOffset: 0, in: "favourites")
      try ada.replace(at: 1, in: "favourites", with: tags[3])
      try expect(Fixtures.line(ada, "favourites") == "v y x", "moved and replaced")
      try context.save()
      try ada.remove(at: 0, from: "favourites")
      try ada.setObjects([tags[2], tags[1], tags[2], tags[3]], forKey: "favourites")
      try expect(Fixtures.line(ada, "favourites") == "x w y", "set again, each once")
      try context.save()
      let id = ada.objectID
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copy = try fresh.object(with: id)
      try expect(Fixtures.line(copy, "favourites") == "x w y", "after reopening")
    },
    ContextCheck(
      "an order is stored as it stood, whatever the objects' own order and age (NSOrderedSet)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let old = try Fixtures.people("a", "b", "c", in: context)
      try context.save()
      let new = try Fixtures.people("d", "e", "f", in: context)
      let tags = try ["one", "two"].map { try Fixtures.make("Tag", ["name": .string($0)], in: context) }
      try tags[0].add(new[2], old[2], new[0], old[0], new[1], old[1], to: "people")
      for person in [old[1], new[1], old[0], new[0]] { try person.add(tags[1], to: "tags") }
      let task = try ["2", "1", "3"].map { try Fixtures.make("Task", ["title": .string($0)], in: context) }
      try new[0].add(task[1], task[0], task[2], to: "tasks")
      func check(_ tags: [ManagedObject], _ owner: ManagedObject, _ when: String) throws {
        try expect(Fixtures.line(tags[0], "people") == "f c d a e b", "added at this end \(when)")
        try expect(Fixtures.line(tags[1], "people") == "b e a d", "added at the other end \(when)")
        try expect(Fixtures.line(owner, "tasks", "title") == "1 2 3", "a one-to-many \(when)")
      }
      try check(tags, new[0], "before the save")
      try context.save()
      try check(tags, new[0], "after the save")
      let (ids, id) = (tags.map(\.objectID), new[0].objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      try check(try fresh.objects(with: ids), try fresh.object(with: id), "after reopening")
    },
  ]

  static let relationshipIndexes: [ContextCheck] = [
    ContextCheck(
      "a new order alone is a change: it is saved, and a rollback takes it back (NSOrderedSet)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      for title in ["a", "b", "c"] {
        try ada.add(Fixtures.make("Task", ["title": .string(title)], in: context), to: "tasks")
      }
      try context.save()
      try expect(!ada.hasPersistentChangedValues, "saved")
      try ada.move(fromOffsets: IndexSet(integer: 2), toOffset: 0, in: "tasks")
      try expect(ada.isUpdated && ada.hasPersistentChangedValues && context.hasChanges, "a change")
      context.rollback()
      try expect(Fixtures.line(ada, "tasks", "title") == "a b c", "rolled back")
      try ada.move(fromOffsets: IndexSet(integer: 0), toOffset: 3, in: "tasks")
      try context.save()
      try expect(Fixtures.line(ada, "tasks", "title") == "b c a", "saved")
      let fresh = scenario.newContext()
      let copy = try fresh.object(with: ada.objectID)
      try expect(Fixtures.line(copy, "tasks", "title") == "b c a", "stored")
    },
    ContextCheck(
      "a deletion closes the gap in every order that the object stood in (NSOrderedSet, nullify)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "d", in: first)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: first)
      try tag.add(people[3], people[1], people[0], people[2], to: "people")
      try first.save()
      let context = scenario.newContext()
      let copy = try context.object(with: tag.objectID)
      try context.delete(context.object(with: people[1].objectID))
      try expect(Fixtures.line(copy, "people") == "d a c", "before the save")
      try copy.insert(context.object(with: people[2].objectID), into: "people", at: 1)
      try context.save()
      try expect(Fixtures.line(copy, "people") == "d c a", "after the save")
      let fresh = scenario.newContext()
      try expect(Fixtures.line(fresh.object(with: tag.objectID), "people") == "d c a", "stored")
    },
    ContextCheck("a place that is not there is refused, and nothing is changed (wrongIndex)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      try tag.add(people[0], people[1], to: "people")
      try context.save()
      let new = people[2]
      for index in [-1, 3, Int.max, Int.min] {
        try expectContextError(.wrongIndex, "inserting at \(index)") {
          try tag.insert(new, into: "people", at: index)
        }
        try expectContextError(.wrongIndex, "moving to \(index)") {
          try tag.move(fromOffsets: IndexSet(integer: 0), toOffset: index, in: "people")
        }
      }
      for index in [-1, 2, Int.max, Int.min] {
        try expectContextError(.wrongIndex, "replacing at \(index)") {
          try tag.replace(at: index, in: "people", with: new)
        }
        try expectContextError(.wrongIndex, "removing at \(index)") {
          try tag.remove(at: index, from: "people")
        }
      }
      try expectContextError(.wrongIndex, "moving from 2") {
        try tag.move(fromOffsets: IndexSet([0, 2]), toOffset: 0, in: "people")
      }
      try expect(Fixtures.line(tag, "people") == "a b" && new.objects("tags").isEmpty, "as it was")
      try expect(!tag.hasPersistentChangedValues && !new.hasPersistentChangedValues, "no change")
      try tag.insert(new, into: "people", at: 2)
      try expect(Fixtures.line(tag, "people") == "a b c", "the end is a place")
    },
    ContextCheck("only ordered relationships have places (notOrdered)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("a", "b", in: context)
      let (ada, bea) = (people[0], people[1])
      try ada.add(bea, to: "friends")
      try expectContextError(.notOrdered, "inserting") { try ada.insert(bea, into: "friends", at: 0) }
      try expectContextError(.notOrdered, "replacing") { try ada.replace(at: 0, in: "friends", with: bea) }
      try expectContextError(.notOrdered, "removing") { try ada.remove(at: 0, from: "friends") }
      try expectContextError(.notOrdered, "moving") {
        try ada.move(fromOffsets: IndexSet(integer: 0), toOffset: 0, in: "friends")
      }
      try expectContextError(.unknownKey, "a to-one") { try ada.insert(bea, into: "manager", at: 0) }
      try expectContextError(.unknownKey, "no such name") { try ada.remove(at: 0, from: "nobody") }
      try expect(Fixtures.line(ada, "friends") == "b" && Fixtures.line(bea, "friends") == "a", "as it was")
    },
    ContextCheck("many new destinations of several saves come one after another") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let tags = try ["t", "u"].map { try Fixtures.tag(context, $0) }
      var wanted = [[], []] as [[String]]
      for save in 0..<3 {
        for number in 0..<40 {
          let person = try Fixtures.person(context, "\(save).\(number)")
          for place in [0, 1] where (number + place) % 3 != 0 {
            try tags[place].add(person, to: "people")
            wanted[place].append("\(save).\(number)")
          }
        }
        try context.save()
      }
      let reader = scenario.newContext()
      for (tag, names) in zip(tags, wanted) {
        let stored = try reader.existingObject(with: tag.objectID)
        try expect(Fixtures.line(stored, "people") == names.joined(separator: " "), "in their order")
      }
    },
  ]
}
