import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let relationships: [ContextCheck] =
    relationshipInverses + relationshipsWithin + relationshipRules + relationshipOrders + relationshipIndexes

  private static let relationshipInverses: [ContextCheck] = [
    ContextCheck(
      "one-to-one: both ends change at once, and a new partner frees the old ones (inverse relationships)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("Ada", "Bea", in: context)
      let (ada, bea) = (people[0], people[1])
      let desks = try (Int64(0)..<2).map { try Fixtures.make("Desk", ["number": .integer($0)], in: context) }
      try ada.setObject(desks[0], forKey: "desk")
      try expect(desks[0].object("owner") === ada, "from the person")
      try desks[0].setObject(bea, forKey: "owner")
      try expect(bea.object("desk") === desks[0] && ada.object("desk") == nil, "from the desk")
      try bea.setObject(desks[1], forKey: "desk")
      try expect(desks[0].object("owner") == nil && desks[1].object("owner") === bea, "another desk")
      try ada.setObject(desks[0], forKey: "desk")
      try bea.setObject(desks[0], forKey: "desk")
      try expect(ada.object("desk") == nil && desks[1].object("owner") == nil, "both were freed")
      try context.save()
      let ids = [ada, bea, desks[0], desks[1]].map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies[1].object("desk") === copies[2] && copies[2].object("owner") === copies[1], "stored")
      try expect(copies[0].object("desk") == nil && copies[3].object("owner") == nil, "the others are free")
      try copies[0].setObject(copies[2], forKey: "desk")
      try expect(copies[1].object("desk") == nil, "taken from one that was not looked at")
    },
    ContextCheck(
      "one-to-many: both ends change at once, and a child moves between parents (inverse relationships)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      let (old, new) = (
        try Fixtures.make("Company", ["name": "old"], in: context),
        try Fixtures.make("Company", ["name": "new"], in: context)
      )
      try old.add(contentsOf: people, to: "employees")
      try expect(people.allSatisfy { try $0.object("employer") === old }, "from the parent")
      try people[0].setObject(new, forKey: "employer")
      try expect(
        Fixtures.line(old, "employees") == "b c" && Fixtures.line(new, "employees") == "a", "from the child")
      try new.add(people[1], to: "employees")
      try expect(people[1].object("employer") === new, "taken over")
      try expect(Fixtures.line(old, "employees") == "c" && Fixtures.line(new, "employees") == "a b", "moved")
      try old.remove(people[0], from: "employees")
      try expect(people[0].object("employer") === new, "it is not the other's to remove")
      try context.save()
      try old.setObjects([people[0]], forKey: "employees")
      try expect(people[2].object("employer") == nil && people[0].object("employer") === old, "replaced")
      try new.remove(people[1], from: "employees")
      try expect(people[1].object("employer") == nil, "removed")
      try people[1].setObject(old, forKey: "employer")
      try context.save()
      let ids = [old.objectID, new.objectID] + people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(Fixtures.line(copies[0], "employees") == "a b", "stored")
      try expect(copies[1].objects("employees").isEmpty && copies[4].object("employer") == nil, "left")
    },
    ContextCheck(
      "many-to-many: either end may add and remove, and one link is one however often it is made (inverses)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: context)
      let firms = try ["x", "y"].map { try Fixtures.make("Company", ["name": .string($0)], in: context) }
      try people[0].add(contentsOf: firms, to: "boards")
      try expect(Fixtures.line(firms[1], "board") == "a", "from one end")
      try firms[0].add(people[1], to: "board")
      try firms[0].add(people[0], people[1], to: "board")
      try people[1].add(firms[0], to: "boards")
      try expect(
        Fixtures.line(people[1], "boards") == "x" && Fixtures.line(firms[0], "board") == "a b", "once")
      try context.save()
      try firms[1].remove(people[0], from: "board")
      try expect(Fixtures.line(people[0], "boards") == "x", "removed from the other end")
      try people[1].setObjects([firms[1]], forKey: "boards")
      try expect(
        Fixtures.line(firms[0], "board") == "a" && Fixtures.line(firms[1], "board") == "b", "replaced")
      try context.save()
      let ids = (people + firms).map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies[..<2].map { try Fixtures.line($0, "boards") } == ["x", "y"], "stored")
      try expect(copies[2...].map { try Fixtures.line($0, "board") } == ["a", "b"], "at both ends")
    },
    ContextCheck("two relationships to one entity are independent (inverse relationships)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: context)
      let places = try ["x", "y"].map { try Fixtures.make("Address", ["street": .string($0)], in: context) }
      try people[0].setObject(places[0], forKey: "home")
      try people[0].setObject(places[0], forKey: "office")
      try places[0].add(people[1], to: "workers")
      try places[1].add(people[1], to: "residents")
      try people[0].setObject(places[1], forKey: "home")
      try expect(
        Fixtures.line(places[0], "residents") == "" && Fixtures.line(places[0], "workers") == "a b", "x")
      try expect(
        Fixtures.line(places[1], "residents") == "a b" && Fixtures.line(places[1], "workers") == "", "y")
      try context.save()
      let ids = (people + places).map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies[0].object("home") === copies[3] && copies[0].object("office") === copies[2], "a")
      try expect(copies[1].object("home") === copies[3] && copies[1].object("office") === copies[2], "b")
      try expect(
        Fixtures.line(copies[2], "workers") == "a b" && Fixtures.line(copies[2], "residents") == "", "x")
    },
    ContextCheck(
      "a one-directional to-many leaves its destinations as they are, and keeps its order (no inverse)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let tags = try ["x", "y", "z"].map { try Fixtures.make("Tag", ["name": .string($0)], in: context) }
      let people = try Fixtures.people("a", "b", in: context)
      try context.save()
      try people[0].add(tags[2], tags[0], tags[2], tags[1], to: "favourites")
      try people[1].add(tags[1], to: "favourites")
      try expect(Fixtures.line(people[0], "favourites") == "z x y", "each once, in order")
      try expect(tags.allSatisfy { !$0.hasChanges }, "the destinations were not touched")
      try expect(tags[0].objects("people").isEmpty, "nor another relationship")
      try context.save()
      try expect(tags[2].version == 1, "nor their rows")
      try context.delete(tags[0])
      try context.save()
      let ids = people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies.map { try Fixtures.line($0, "favourites") } == ["z y", "y"], "less what was deleted")
    },
  ]

  private static let relationshipsWithin: [ContextCheck] = [
    ContextCheck(
      "a one-to-one that is its own inverse joins two, and a third parts them (self-inverse)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "d", in: context)
      func spouses() throws -> [String] {
        try people.map { try $0.object("spouse")?.get("name", as: String.self) ?? "-" }
      }
      try people[0].setObject(people[1], forKey: "spouse")
      try people[2].setObject(people[3], forKey: "spouse")
      try expect(spouses() == ["b", "a", "d", "c"], "two pairs")
      try people[1].setObject(people[2], forKey: "spouse")
      try expect(spouses() == ["-", "c", "b", "-"], "both old partners are free")
      try context.save()
      try people[2].setObject(nil, forKey: "spouse")
      try expect(spouses() == ["-", "-", "-", "-"], "parted")
      try people[3].setObject(people[0], forKey: "spouse")
      try context.save()
      let ids = people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      let stored = try copies.map { try $0.object("spouse")?.get("name", as: String.self) ?? "-" }
      try expect(stored == ["d", "-", "-", "a"], "stored: \(stored)")
    },
    ContextCheck(
      "a many-to-many that is its own inverse goes both ways, and may contain its owner (self-inverse)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      try people[0].add(people[0], people[1], people[2], to: "friends")
      try people[1].add(people[0], to: "friends")
      try expect(people.map { try Fixtures.line($0, "friends") } == ["a b c", "a", "a"], "both ways, once")
      try context.save()
      try people[2].remove(people[0], from: "friends")
      try people[2].add(people[1], to: "friends")
      try expect(
        people.map { try Fixtures.line($0, "friends") } == ["a b", "a c", "b"], "changed at one end")
      try context.save()
      try people[0].remove(people[0], from: "friends")
      try context.save()
      let ids = people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies.map { try Fixtures.line($0, "friends") } == ["b", "a c", "b"], "stored")
    },
    ContextCheck(
      "a one-to-many within one entity makes trees, and an object may be its own parent (inverses)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      try people[0].add(people[1], people[2], to: "reports")
      try people[1].add(people[2], to: "reports")
      try people[0].setObject(people[0], forKey: "manager")
      try expect(people.map { try Fixtures.line($0, "reports") } == ["a b", "c", ""], "moved down")
      try expect(people[2].object("manager") === people[1] && people[0].object("manager") === people[0], "up")
      try context.save()
      let ids = people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies.map { try Fixtures.line($0, "reports") } == ["a b", "c", ""], "stored")
      try copies[0].setObject(nil, forKey: "manager")
      try expect(Fixtures.line(copies[0], "reports") == "b", "its own parent no more")
    },
  ]
}
