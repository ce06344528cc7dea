import Foundation
import ObjectModel
import Testing

@testable import StrongroomData

@Suite("The model that classes make")
struct SchemaTests {
  @Test("Classes make the model that the same entities make when written down")
  func equalModel() throws {
    let made = try Schema([Team.self]).managedObjectModel()
    var team = Entity("Team") {
      Attribute("name", .string, optional: false)
      Attribute("founded", .date, optional: false)
      Relationship("players", toMany: "Player", inverse: "team", deleteRule: .cascade)
      Relationship("sponsors", toMany: "Sponsor", inverse: "teams")
      UniquenessConstraint("name")
      FetchIndex("byFounded", on: "founded")
      FetchIndex("byNameAndFounded", on: "name", "founded")
    }
    team.managedObjectClassName = nil
    let sponsor = Entity("Sponsor") {
      Attribute("name", .string, optional: false)
      Relationship("teams", toMany: "Team", inverse: "sponsors")
    }
    var name = Attribute("name", .string, optional: false)
    name.renamingIdentifier = "title"
    var photo = Attribute("photo", .binary)
    photo.allowsExternalBinaryDataStorage = true
    let player = Entity("Player") {
      Attribute("id", .uuid, optional: false)
      name
      Attribute("nickname", .string)
      Attribute("age", .integer64, optional: false, default: 18)
      Attribute("standing", .string, optional: false, default: "guest")
      Attribute("level", .integer64)
      Attribute("tags", .transformable, optional: false, default: .data(Data("[]".utf8)))
      Attribute("home", .transformable)
      Attribute("balance", .decimal, optional: false, default: .decimal(0))
      Attribute("site", .uri)
      photo
      Attribute("score", .integer64, optional: false, transient: true, default: 0)
      Relationship("team", to: "Team", inverse: "players")
      Relationship("mentor", to: "Player")
      UniquenessConstraint("id")
    }
    let written = try ManagedObjectModel {
      team; sponsor; player
    }
    #expect(made.versionHash == written.versionHash)
    for entity in written.entities {
      let own = try #require(made.entity(named: entity.name))
      #expect(own.properties.map(\.name) == entity.properties.map(\.name))
      #expect(own.defaultValues == entity.defaultValues, "\(entity.name)")
      #expect(own.relationships.map(\.deleteRule) == entity.relationships.map(\.deleteRule))
      #expect(
        own.declaration.attributes.map(\.renamingIdentifier)
          == entity.declaration.attributes.map(\.renamingIdentifier))
    }
  }

  @Test("A superclass that is a model is the superentity")
  func inheritance() throws {
    let model = try Schema([Dog.self]).managedObjectModel()
    let dog = try #require(model.entity(named: "Dog"))
    #expect(dog.superentity?.name == "Animal" && dog.properties.map(\.name).first == "name")
    #expect(dog.relationship(named: "keeper")?.inverse?.name == "animals")
    let indexes = ModelSchema.of(Dog.self).properties.map(\.name)
    #expect(indexes == dog.properties.map(\.name))
  }

  @Test("The schema tells of its entities")
  func telling() throws {
    let schema = Schema([Team.self], version: Schema.Version(2, 1, 0))
    #expect(Set(schema.entities.map(\.name)) == ["Team", "Player", "Sponsor"])
    let player = try #require(schema.entity(for: Player.self))
    #expect(player.attributesByName["id"]?.isUnique == true)
    #expect(player.attributesByName["nickname"]?.isOptional == true)
    #expect(player.attributesByName["name"]?.originalName == "title")
    #expect(player.relationshipsByName["team"]?.destination == "Team")
    let team = try #require(schema.entitiesByName["Team"])
    #expect(team.relationshipsByName["players"]?.deleteRule == .cascade)
    #expect(team.relationshipsByName["players"]?.isToOneRelationship == false)
    #expect(team.relationshipsByName["players"]?.inverseName == "team")
    #expect(team.uniquenessConstraints == [["name"]] && team.indices.count == 2)
    #expect(Schema.Version(1, 2, 3) < Schema.Version(1, 10, 0) && "\(schema.version)" == "2.1.0")
    #expect(schema == Schema([Player.self], version: Schema.Version(2, 1, 0)))
  }

  enum Other {
    @Model final class Team {
      var name = ""
      init() {}
    }
  }

  @Model final class Loop {
    var first: Loop?
    @Relationship(inverse: \Loop.back) var forth: Loop?
    var back: Loop?
    init() {}
  }

  @Test("What makes no schema is refused with what to do")
  func refused() throws {
    do {
      _ = try ModelContainer(
        for: Team.self, Other.Team.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
      Issue.record("two classes of one name made a schema")
    } catch let error as SwiftDataError {
      #expect(error == .unknownSchema && error.message.contains("Team") && error.message.contains("rename"))
    }
    let loop = try Schema([Loop.self]).managedObjectModel().entity(named: "Loop")
    #expect(loop?.relationship(named: "forth")?.inverse?.name == "back")
    #expect(loop?.relationship(named: "first")?.inverse == nil)
  }
}
