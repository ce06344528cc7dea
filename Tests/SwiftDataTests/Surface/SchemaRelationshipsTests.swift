// Relationships, constraints and indexes as values: what they say, and that they are compared and coded.

import Foundation
import SwiftData
import Testing

@Suite("Relationships and constraints as values")
struct SchemaRelationshipsTests {
  private func relationship(
    _ name: String = "harbor", _ rule: Schema.Relationship.DeleteRule = .nullify
  ) -> Schema.Relationship {
    let relationship = Schema.Relationship(.unique, deleteRule: rule, hashModifier: "2")
    relationship.name = name
    relationship.valueType = Harbor?.self
    return relationship
  }

  @Test("A relationship says what it is, and is compared and coded")
  func relationships() throws {
    let harbor = relationship()
    #expect(!harbor.isAttribute && harbor.isRelationship && !harbor.isTransient && harbor.isUnique)
    #expect(harbor.options == [.unique] && harbor.hashModifier == "2")
    harbor.options = []
    harbor.hashModifier = nil
    #expect(!harbor.isUnique && harbor != relationship())
    let (one, other) = (relationship(), relationship("harbor", .cascade))
    try expectHashed(one as Schema.Relationship as any Hashable, relationship(), other)
    let read = try coded(one as Schema.Relationship as any Codable) as? Schema.Relationship
    #expect(read == one && read?.hashModifier == "2" && read?.valueType == Harbor?.self)
    let property = one as Schema.Relationship as any SchemaProperty
    #expect(property.isRelationship && !property.isAttribute && property.isUnique && property.isOptional)
    let shown = one as Schema.Relationship as any CustomDebugStringConvertible
    #expect(shown.debugDescription.contains("harbor") && shown.debugDescription.contains("Harbor"))
  }

  @Test("Options and rules of relationships are values")
  func options() throws {
    typealias Option = Schema.Relationship.Option
    typealias Rule = Schema.Relationship.DeleteRule
    #expect(try coded(Schema.Relationship.Option.unique as any Codable) as? Option == .unique)
    let one: any Hashable = Schema.Relationship.Option.unique
    #expect(AnyHashable(one) == AnyHashable(Option.unique) && one.hashValue == Option.unique.hashValue)
    let shown: any CustomDebugStringConvertible = Schema.Relationship.Option.unique
    #expect(shown.debugDescription == "unique")
    try expectHashed(Schema.Relationship.DeleteRule.noAction as any Hashable, Rule.noAction, Rule.deny)
    for rule in [Rule.noAction, .nullify, .cascade, .deny] {
      #expect(try coded(rule as Schema.Relationship.DeleteRule as any Codable) as? Rule == rule)
      let raw: Schema.Relationship.DeleteRule.RawValue = rule.rawValue
      #expect(Rule(rawValue: raw) == rule && raw == "\(rule)")
    }
    let raw: any RawRepresentable<String> = Schema.Relationship.DeleteRule.noAction
    #expect(raw.rawValue == "noAction" && Rule(rawValue: "none") == nil)
  }

  @Test("Models stay, and are not changed, when what they refer to is deleted by the rule for nothing")
  func noAction() throws {
    let schema = Schema([Fleet.self])
    let rule = schema.entity(for: Fleet.self)?.relationshipsByName["dinghies"]?.deleteRule
    #expect(rule == Schema.Relationship.DeleteRule.noAction)
    let context = ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.autosaveEnabled = false
    let fleet = Fleet()
    context.insert(fleet)
    fleet.dinghies = [Dinghy(1), Dinghy(2)]
    try context.save()
    let other = ModelContext(context.container)
    other.delete(try #require(try other.fetch(FetchDescriptor<Fleet>()).first))
    try other.save()
    let left = try other.fetch(FetchDescriptor<Dinghy>(sortBy: [SortDescriptor(\.number)]))
    #expect(try other.count(of: Fleet.self) == 0 && left.map(\.number) == [1, 2])
    let history = try other.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(history.last?.changes.count == 1)
  }

  @Test("An index is no property that is stored, and is compared and coded by its properties")
  func indexes() throws {
    let index = Schema.Index<Trawler>([\.name], [\.length, \.owner])
    let fewer = Schema.Index<Trawler>([\.name])
    #expect(index.name == "Index" && !index.isUnique)
    #expect(!Schema.Index<Trawler>([\.name]).isAttribute && !Schema.Index<Trawler>([\.name]).isRelationship)
    #expect(!Schema.Index<Trawler>([\.name]).isTransient && !Schema.Index<Trawler>([\.name]).isOptional)
    let property: any SchemaProperty = Schema.Index<Trawler>([\.name])
    #expect(!property.isAttribute && !property.isRelationship && !property.isUnique)
    try expectHashed(
      Schema.Index<Trawler>([\.name], [\.length, \.owner]) as any Hashable, index, fewer)
    let read = try coded(Schema.Index<Trawler>([\.name]) as any Codable) as? Schema.Index<Trawler>
    #expect(read == fewer && read?.indices.count == 1)
    let shown: any CustomDebugStringConvertible = Schema.Index<Trawler>([\.name], [\.length])
    #expect(shown.debugDescription.contains("length") && shown.debugDescription.contains("Trawler"))
  }

  @Test("A constraint is no property that is stored, and is compared and coded by its properties")
  func constraints() throws {
    let unique = Schema.Unique<Trawler>([\.name, \.owner])
    #expect(unique.name == "Unique" && unique.originalName == "Unique" && unique.isUnique)
    #expect(unique.valueType as? Trawler.Type != nil)
    #expect(!Schema.Unique<Trawler>([\.name]).isAttribute && !Schema.Unique<Trawler>([\.name]).isRelationship)
    #expect(!Schema.Unique<Trawler>([\.name]).isTransient && !Schema.Unique<Trawler>([\.name]).isOptional)
    let property: any SchemaProperty = Schema.Unique<Trawler>([\.name])
    #expect(!property.isAttribute && !property.isRelationship && property.isUnique)
    let other = Schema.Unique<Trawler>([\.owner, \.name])
    try expectHashed(Schema.Unique<Trawler>([\.name, \.owner]) as any Hashable, unique, other)
    let read = try coded(Schema.Unique<Trawler>([\.name, \.owner]) as any Codable)
    #expect((read as? Schema.Unique<Trawler>)?.constraints == [[\.name, \.owner]])
    let shown: any CustomDebugStringConvertible = Schema.Unique<Trawler>([\.name, \.owner])
    #expect(shown.debugDescription.contains("owner") && shown.debugDescription.contains("Trawler"))
  }

  @Test("Constraints and indexes have one key each")
  func codingKeys() throws {
    for key in [
      Schema.Index<Trawler>.CodingKeys.indices as any CodingKey,
      Schema.Unique<Trawler>.CodingKeys.constraints as any CodingKey,
    ] {
      func again<Key: CodingKey>(_ key: Key) -> (any CodingKey, Key?, Key?) {
        (Key(stringValue: key.stringValue) ?? key, Key(stringValue: "other"), Key(intValue: 0))
      }
      let (same, other, number) = again(key)
      #expect(same.stringValue == key.stringValue && other == nil && number == nil && key.intValue == nil)
    }
    #expect(Schema.Index<Trawler>.CodingKeys.indices.stringValue == "indices")
    #expect(Schema.Unique<Trawler>.CodingKeys.constraints.stringValue == "constraints")
    // The coded form has them.
    let data = try JSONEncoder().encode(Schema.Unique<Trawler>([\.name, \.owner]))
    let lists = try JSONDecoder().decode([String: [[String]]].self, from: data)
    #expect(lists == [Schema.Unique<Trawler>.CodingKeys.constraints.stringValue: [["name", "owner"]]])
    let index: any Hashable = Schema.Index<Trawler>.CodingKeys.indices
    let unique: any Hashable = Schema.Unique<Trawler>.CodingKeys.constraints
    let same = try #require(Schema.Index<Trawler>.CodingKeys(stringValue: "indices"))
    #expect(isEqual(index, same) && !isEqual(index, unique) && index.hashValue == same.hashValue)
    #expect(isEqual(unique, Schema.Unique<Trawler>.CodingKeys.constraints))
  }
}
