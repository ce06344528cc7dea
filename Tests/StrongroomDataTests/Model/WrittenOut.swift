import Foundation
import StrongroomData

// Two models as `@Model` writes them, so that what the runtime does shows apart from the macro.

final class Voyage {
  var name: String {
    @storageRestrictions(accesses: _$storage, initializes: _name)
    init(initialValue) {
      _$storage.initialize(Voyage._$indexes, 0, initialValue)
      _name = StrongroomData._Placeholder()
    }
    get { _$object.read(self, \.name, Voyage._$indexes, 0) }
    set { _$object.write(self, \.name, Voyage._$indexes, 0, newValue) }
  }
  private var _name: StrongroomData._Placeholder

  var days: Int = 7 {
    @storageRestrictions(accesses: _$storage, initializes: _days)
    init(initialValue) {
      _$storage.initialize(Voyage._$indexes, 1, initialValue)
      _days = StrongroomData._Placeholder()
    }
    get { _$object.read(self, \.days, Voyage._$indexes, 1) }
    set { _$object.write(self, \.days, Voyage._$indexes, 1, newValue) }
  }
  private var _days: StrongroomData._Placeholder

  var stops: [Stop] = [] {
    @storageRestrictions(accesses: _$storage, initializes: _stops)
    init(initialValue) {
      _$storage.initialize(Voyage._$indexes, 2, initialValue)
      _stops = StrongroomData._Placeholder()
    }
    get { _$object.read(self, \.stops, Voyage._$indexes, 2) }
    set { _$object.write(self, \.stops, Voyage._$indexes, 2, newValue) }
  }
  private var _stops: StrongroomData._Placeholder

  init(name: String) { self.name = name }

  private static let _$indexes = StrongroomData.ModelPropertyIndexes(Voyage.self)
  private let _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Voyage.self)
  var _$object: StrongroomData.ModelObject { _$storage }
  required init(_$object object: StrongroomData.ModelObject) {
    _name = StrongroomData._Placeholder()
    _days = StrongroomData._Placeholder()
    _stops = StrongroomData._Placeholder()
  }
  static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
    [
      StrongroomData.Schema.PropertyMetadata(
        name: "name", keypath: \Voyage.name, metadata: StrongroomData.Schema.Attribute(.unique)),
      StrongroomData.Schema.PropertyMetadata(name: "days", keypath: \Voyage.days, default: 7),
      StrongroomData.Schema.PropertyMetadata(
        name: "stops", keypath: \Voyage.stops, default: [],
        metadata: StrongroomData.Schema.Relationship(deleteRule: .cascade, inverse: \Stop.voyage)),
    ]
  }
}

extension Voyage: StrongroomData.PersistentModel {}

final class Stop {
  var place: String {
    @storageRestrictions(accesses: _$storage, initializes: _place)
    init(initialValue) {
      _$storage.initialize(Stop._$indexes, 0, initialValue)
      _place = StrongroomData._Placeholder()
    }
    get { _$object.read(self, \.place, Stop._$indexes, 0) }
    set { _$object.write(self, \.place, Stop._$indexes, 0, newValue) }
  }
  private var _place: StrongroomData._Placeholder

  var voyage: Voyage? {
    @storageRestrictions(accesses: _$storage, initializes: _voyage)
    init(initialValue) {
      _$storage.initialize(Stop._$indexes, 1, initialValue)
      _voyage = StrongroomData._Placeholder()
    }
    get { _$object.read(self, \.voyage, Stop._$indexes, 1) }
    set { _$object.write(self, \.voyage, Stop._$indexes, 1, newValue) }
  }
  private var _voyage: StrongroomData._Placeholder

  init(place: String, voyage: Voyage? = nil) {
    self.place = place
    self.voyage = voyage
  }

  private static let _$indexes = StrongroomData.ModelPropertyIndexes(Stop.self)
  private let _$storage: StrongroomData.ModelObject = StrongroomData.ModelObject.detached(Stop.self)
  var _$object: StrongroomData.ModelObject { _$storage }
  required init(_$object object: StrongroomData.ModelObject) {
    _place = StrongroomData._Placeholder()
    _voyage = StrongroomData._Placeholder()
  }
  static var schemaMetadata: [StrongroomData.Schema.PropertyMetadata] {
    [
      StrongroomData.Schema.PropertyMetadata(name: "place", keypath: \Stop.place),
      StrongroomData.Schema.PropertyMetadata(name: "voyage", keypath: \Stop.voyage),
    ]
  }
}

extension Stop: StrongroomData.PersistentModel {}
