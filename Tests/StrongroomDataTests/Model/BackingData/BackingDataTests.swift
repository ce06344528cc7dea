import Foundation
import Locks
import Observation
import StrongroomData
import Testing

@Suite("Backing data", .everyStoreKind)
struct BackingDataTests {
  @Test("Models written by hand are inserted, saved, fetched, changed and deleted")
  func written() throws {
    let place = try Place()
    let container = try place.container(for: Caravan.self)
    let context = ModelContext(container)
    let caravan = Caravan(name: "Snail")
    #expect(caravan.beds == 2 && caravan.standing == .guest && caravan.berths.isEmpty)
    caravan.berths = [Berth(number: 1), Berth(number: 2)]
    context.insert(caravan)
    #expect(caravan.modelContext === context && caravan.hasChanges)
    #expect(caravan.berths.allSatisfy { $0.caravan === caravan })
    try context.save()

    let other = ModelContext(container)
    let found = try other.fetch(
      FetchDescriptor<Caravan>(predicate: #Predicate { $0.name == "Snail" && $0.berths.count == 2 }))
    let again = try #require(found.first)
    #expect(again.beds == 2 && again.berths.map(\.number).sorted() == [1, 2])
    #expect(again.persistentModelID == caravan.persistentModelID)
    again.standing = .owner
    other.delete(again.berths[0])
    try other.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Caravan>()).map(\.standing) == [.owner])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Berth>()) == 1)
    withExtendedLifetime(place) {}
  }

  @Test("A model's backing data read and set what its properties do, in a context and without one")
  func macro() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    let team = Team(name: "Reds")
    let player = Player(name: "Ada", team: team)
    func check() {
      let data = player.persistentBackingData
      #expect(data.getValue(forKey: \.name) == "Ada")
      #expect(data.getValue(forKey: \.standing) == .guest)
      #expect(data.getValue(forKey: \.tags) == ["a"])
      #expect(data.getValue(forKey: \.home) == nil)
      #expect(data.getValue(forKey: \.team) === team)
      #expect(data.persistentModelID == player.persistentModelID)
      #expect((data.metadata as? [Schema.PropertyMetadata])?.first?.name == "id")
    }
    player.persistentBackingData.setValue(forKey: \.tags, to: ["a"])
    check()
    context.insert(team)
    check()
    try context.save()
    check()
    player.persistentBackingData.setValue(forKey: \.team, to: nil)
    #expect(team.players.isEmpty)
    team.persistentBackingData.setValue(forKey: \.players, to: [player])
    #expect(player.team === team)
    let sponsors: [Sponsor]? = team.persistentBackingData.getValue(forKey: \.sponsors)
    #expect(sponsors == [])
    withExtendedLifetime(place) {}
  }

  @Test("Values are made for a new model, and copied from another one")
  func copies() throws {
    let data: some BackingData<Player> = Player.createBackingData()
    #expect(data.getValue(forKey: \.age) == 18 && data.getValue(forKey: \.standing) == .guest)
    data.setValue(forKey: \.name, to: "Bo")
    let made = Player(backingData: data)
    #expect(made.name == "Bo" && made.age == 18 && !made.isShown)
    // It shares the values that were made.
    made.name = "Cy"
    #expect(data.getValue(forKey: \.name) == "Cy")
    let team = Team(name: "Blues")
    made.team = team
    made.photo = Data([1, 2, 3])
    let copy = Player(backingData: made.persistentBackingData)
    #expect(copy !== made && copy.name == "Cy" && copy.team === team && copy.photo == Data([1, 2, 3]))
    copy.name = "Di"
    #expect(made.name == "Cy")
    made.persistentBackingData = copy.persistentBackingData
    #expect(made.name == "Di")
  }

  @Test("A subclass's backing data are of the subclass")
  func inheritance() throws {
    let dog = Dog(name: "Rex", breed: "Boxer")
    #expect(dog.persistentBackingData.getValue(forKey: \.breed) == "Boxer")
    #expect(dog.persistentBackingData.getValue(forKey: \Dog.name) == "Rex")
    let copy = Dog(backingData: dog.persistentBackingData)
    #expect(copy.breed == "Boxer" && copy.name == "Rex" && copy.legs == 4)
  }

  @Test("Values of a program's own kind are copied")
  func ownKind() throws {
    var data = Fixed<Sponsor>(for: Sponsor.self)
    data.values = ["name": "Acme"]
    data.models = [Team(name: "Greens")]
    let sponsor = Sponsor(backingData: data)
    #expect(sponsor.name == "Acme" && sponsor.teams.map(\.name) == ["Greens"])
  }

  @Test("Setting by key path is observed as setting the property is")
  func observation() throws {
    let team = Team(name: "Reds")
    let count = Locked(0)
    withObservationTracking {
      _ = team.getValue(forKey: \.name)
    } onChange: {
      count.withLock { $0 += 1 }
    }
    team.setValue(forKey: \.name, to: "Blues")
    #expect(count.withLock { $0 } == 1 && team.name == "Blues")
    let caravan = Caravan(name: "Snail")
    withObservationTracking {
      _ = caravan.name
    } onChange: {
      count.withLock { $0 += 1 }
    }
    caravan.name = "Shell"
    #expect(count.withLock { $0 } == 2)
  }

  @Test("Generic code reads what is computed, too")
  func computed() throws {
    let player = Player(name: "Ada")
    #expect(player.getValue(forKey: \.shout) == "ADA")
    player.setValue(forKey: \.isShown, to: true)
    #expect(player.isShown)
    player.setValue(forKey: \.tags, to: ["x"])
    #expect(player.getTransformableValue(forKey: \.tags) == ["x"])
  }

  @Test("A property that the metadata do not name stops the program with its class")
  func unnamed() async {
    await #expect(processExitsWith: .failure) {
      _ = Unnamed().weight
    }
  }
}

/// Fixed values by name.
private struct Fixed<Model: PersistentModel>: BackingData {
  var persistentModelID: PersistentIdentifier?
  var metadata: Any { [] as [Schema.PropertyMetadata] }
  var values: [String: Any] = [:]
  var models: [any PersistentModel] = []

  init(for modelType: Model.Type) {}

  private func value<Value>(_ keyPath: AnyKeyPath) -> Value {
    Model.propertyName(of: keyPath).flatMap { values[$0] } as! Value
  }

  func getTransformableValue<Value>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func setTransformableValue<Value>(forKey: KeyPath<Model, Value>, to newValue: Value) {}
  func getValue<Value: Decodable>(forKey: KeyPath<Model, Value>) -> Value { value(forKey) }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>) -> Value { models[0] as! Value }
  func getValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>) -> Value? { models.first as? Value }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    Value(_$models: models as? [OtherModel])
  }
  func getValue<Value, OtherModel>(forKey: KeyPath<Model, Value>) -> Value
  where Value: Decodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {
    Value(_$models: models as? [OtherModel])
  }
  func setValue<Value: Encodable>(forKey: KeyPath<Model, Value>, to newValue: Value) {}
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value>, to newValue: Value) {}
  func setValue<Value: PersistentModel>(forKey: KeyPath<Model, Value?>, to newValue: Value?) {}
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: RelationshipCollection, OtherModel == Value.PersistentElement {}
  func setValue<Value, OtherModel>(forKey: KeyPath<Model, Value>, to newValue: Value)
  where Value: Encodable, Value: RelationshipCollection, OtherModel == Value.PersistentElement {}
}

private final class Unnamed: PersistentModel {
  var persistentBackingData: any BackingData<Unnamed> = Unnamed.createBackingData()
  static var schemaMetadata: [Schema.PropertyMetadata] { [] }
  var weight: Int { getValue(forKey: \.weight) }
  init() {}
  init(backingData: any BackingData<Unnamed>) { persistentBackingData = backingData }
}
