import Foundation
import Observation
import StrongroomData

// Two models without `@Model`, as one who expands Apple's macro by hand has them.

final class Caravan: PersistentModel {
  private let _$observationRegistrar = ObservationRegistrar()
  private var _$backingData: any BackingData<Caravan> = Caravan.createBackingData()

  var persistentBackingData: any BackingData<Caravan> {
    get { _$backingData }
    set { _$backingData = newValue }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "name", keypath: \Caravan.name, defaultValue: nil, metadata: nil),
      .init(name: "beds", keypath: \Caravan.beds, defaultValue: 2, metadata: nil),
      .init(name: "standing", keypath: \Caravan.standing, defaultValue: Standing.guest, metadata: nil),
      .init(
        name: "berths", keypath: \Caravan.berths, defaultValue: nil,
        metadata: Schema.Relationship(deleteRule: .cascade, inverse: \Berth.caravan)),
    ]
  }

  private struct _SwiftDataNoType {}

  private var _name = _SwiftDataNoType()
  var name: String {
    @storageRestrictions(accesses: _$backingData, initializes: _name)
    init(initialValue) {
      _$backingData.setValue(forKey: \.name, to: initialValue)
      _name = _SwiftDataNoType()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.name)
      return getValue(forKey: \.name)
    }
    set {
      _$observationRegistrar.withMutation(of: self, keyPath: \.name) {
        setValue(forKey: \.name, to: newValue)
      }
    }
  }

  var beds: Int {
    get { getValue(forKey: \.beds) }
    set { setValue(forKey: \.beds, to: newValue) }
  }

  var standing: Standing {
    get { getValue(forKey: \.standing) }
    set { setValue(forKey: \.standing, to: newValue) }
  }

  var berths: [Berth] {
    get { getValue(forKey: \.berths) }
    set { setValue(forKey: \.berths, to: newValue) }
  }

  init(name: String) { self.name = name }

  init(backingData: any BackingData<Caravan>) {
    _name = _SwiftDataNoType()
    _$backingData = backingData
  }
}

final class Berth: PersistentModel {
  var persistentBackingData: any BackingData<Berth> = Berth.createBackingData()

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "number", keypath: \Berth.number),
      .init(name: "caravan", keypath: \Berth.caravan),
    ]
  }

  var number: Int {
    get { getValue(forKey: \.number) }
    set { setValue(forKey: \.number, to: newValue) }
  }

  var caravan: Caravan? {
    get { getValue(forKey: \.caravan) }
    set { setValue(forKey: \.caravan, to: newValue) }
  }

  init(number: Int) { self.number = number }

  init(backingData: any BackingData<Berth>) { persistentBackingData = backingData }
}
