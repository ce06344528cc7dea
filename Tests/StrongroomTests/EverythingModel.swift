// swift-format-ignore-file
// Made from a model by `strongroom model generate`. Changes to this file are lost when it is made again.
import Foundation
import Strongroom

/// An object of the entity Empty.
final class Empty: Strongroom.ManagedObject {

  // Key paths of properties hold nothing that changes.
  nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
    :
  ]
  override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
}

/// An object of the entity Label.
final class Label: Strongroom.ManagedObject {
  enum Slots {
    static let key = Strongroom.PropertySlot(slot: 0, field: 0)
    static let records = Strongroom.PropertySlot(slot: 1, field: -1)
  }

  var key: Swift.String? {
    get { isNull(Slots.key) ? nil : string(Slots.key) }
    set {
      if let newValue { set(Slots.key, string: newValue) } else { set(Slots.key, to: .null) }
    }
  }

  var records: [Record] {
    get { objects(Slots.records).compactMap { $0 as? Record } }
    set { setObjects(Slots.records, to: newValue) }
  }
  func addToRecords(_ target: Record) { add(target, to: Slots.records) }
  func removeFromRecords(_ target: Record) { remove(target, from: Slots.records) }

  // Key paths of properties hold nothing that changes.
  nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
    \Label.key: "key",
    \Label.records: "records",
  ]
  override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
}

/// An object of the entity Person.
final class Person: Strongroom.ManagedObject {
  enum Slots {
    static let group = Strongroom.PropertySlot(slot: 0, field: 0)
    static let works = Strongroom.PropertySlot(slot: 1, field: -1)
    static let friend = Strongroom.PropertySlot(slot: 2, field: 1)
  }

  var group: Swift.String? {
    get { isNull(Slots.group) ? nil : string(Slots.group) }
    set {
      if let newValue { set(Slots.group, string: newValue) } else { set(Slots.group, to: .null) }
    }
  }

  var works: [Work] {
    get { objects(Slots.works).compactMap { $0 as? Work } }
    set { setObjects(Slots.works, to: newValue) }
  }
  func addToWorks(_ target: Work) { add(target, to: Slots.works) }
  func removeFromWorks(_ target: Work) { remove(target, from: Slots.works) }

  var friend: Person? {
    get { object(Slots.friend) as? Person }
    set { setObject(Slots.friend, to: newValue) }
  }

  // Key paths of properties hold nothing that changes.
  nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
    \Person.group: "group",
    \Person.works: "works",
    \Person.friend: "friend",
  ]
  override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
}

/// An object of the entity Record.
final class Record: Work {
  enum Slots {
    static let year = Strongroom.PropertySlot(slot: 3, field: 2)
    static let tracks = Strongroom.PropertySlot(slot: 4, field: 3)
    static let price = Strongroom.PropertySlot(slot: 5, field: 4)
    static let length = Strongroom.PropertySlot(slot: 6, field: 5)
    static let rating = Strongroom.PropertySlot(slot: 7, field: 6)
    static let isLive = Strongroom.PropertySlot(slot: 8, field: 7)
    static let released = Strongroom.PropertySlot(slot: 9, field: 8)
    static let cover = Strongroom.PropertySlot(slot: 10, field: 9)
    static let identifier = Strongroom.PropertySlot(slot: 11, field: 10)
    static let page = Strongroom.PropertySlot(slot: 12, field: 11)
    static let notes = Strongroom.PropertySlot(slot: 13, field: 12)
    static let studio = Strongroom.PropertySlot(slot: 14, field: 13)
    static let worksCount = Strongroom.PropertySlot(slot: 15, field: 14)
    static let scratch = Strongroom.PropertySlot(slot: 16, field: -1)
    static let label = Strongroom.PropertySlot(slot: 17, field: 15)
    static let sequel = Strongroom.PropertySlot(slot: 18, field: 16)
    static let prequel = Strongroom.PropertySlot(slot: 19, field: 17)
    static let alike = Strongroom.PropertySlot(slot: 20, field: -1)
    static let lately = Strongroom.PropertySlot(slot: 21, field: -1)
  }

  var year: Swift.Int16? {
    get { isNull(Slots.year) ? nil : Swift.Int16(truncatingIfNeeded: integer(Slots.year)) }
    set {
      if let newValue { set(Slots.year, integer: Swift.Int64(newValue)) } else { set(Slots.year, to: .null) }
    }
  }

  var tracks: Swift.Int32? {
    get { isNull(Slots.tracks) ? nil : Swift.Int32(truncatingIfNeeded: integer(Slots.tracks)) }
    set {
      if let newValue { set(Slots.tracks, integer: Swift.Int64(newValue)) } else { set(Slots.tracks, to: .null) }
    }
  }

  var price: Foundation.Decimal? {
    get { isNull(Slots.price) ? nil : { if case .decimal(let it) = value(Slots.price) { it } else { 0 } }() }
    set {
      if let newValue { set(Slots.price, to: .decimal(newValue)) } else { set(Slots.price, to: .null) }
    }
  }

  var length: Swift.Double {
    get { double(Slots.length) }
    set { set(Slots.length, double: newValue) }
  }

  var rating: Swift.Double? {
    get { isNull(Slots.rating) ? nil : double(Slots.rating) }
    set {
      if let newValue { set(Slots.rating, double: newValue) } else { set(Slots.rating, to: .null) }
    }
  }

  var isLive: Swift.Bool {
    get { boolean(Slots.isLive) }
    set { set(Slots.isLive, boolean: newValue) }
  }

  var released: Foundation.Date? {
    get { isNull(Slots.released) ? nil : date(Slots.released) }
    set {
      if let newValue { set(Slots.released, to: .date(newValue)) } else { set(Slots.released, to: .null) }
    }
  }

  var cover: Foundation.Data? {
    get { isNull(Slots.cover) ? nil : data(Slots.cover) }
    set {
      if let newValue { set(Slots.cover, to: .data(newValue)) } else { set(Slots.cover, to: .null) }
    }
  }

  var identifier: Foundation.UUID? {
    get { isNull(Slots.identifier) ? nil : { if case .uuid(let it) = value(Slots.identifier) { it } else { Foundation.UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) } }() }
    set {
      if let newValue { set(Slots.identifier, to: .uuid(newValue)) } else { set(Slots.identifier, to: .null) }
    }
  }

  var page: Foundation.URL? {
    get { isNull(Slots.page) ? nil : { if case .uri(let it) = value(Slots.page) { it } else { Foundation.URL(fileURLWithPath: "/") } }() }
    set {
      if let newValue { set(Slots.page, to: .uri(newValue)) } else { set(Slots.page, to: .null) }
    }
  }

  var notes: Foundation.Data? {
    get { isNull(Slots.notes) ? nil : data(Slots.notes) }
    set {
      if let newValue { set(Slots.notes, to: .data(newValue)) } else { set(Slots.notes, to: .null) }
    }
  }

  var studio: [Swift.String: Strongroom.AttributeValue]? {
    get { isNull(Slots.studio) ? nil : { if case .composite(let it) = value(Slots.studio) { it } else { [:] } }() }
    set {
      if let newValue { set(Slots.studio, to: .composite(newValue)) } else { set(Slots.studio, to: .null) }
    }
  }

  /// Computed by the store.
  var worksCount: Swift.Int64? { isNull(Slots.worksCount) ? nil : integer(Slots.worksCount) }

  var scratch: Strongroom.AttributeValue? {
    get { isNull(Slots.scratch) ? nil : value(Slots.scratch) }
    set {
      if let newValue { set(Slots.scratch, to: newValue) } else { set(Slots.scratch, to: .null) }
    }
  }

  var label: Label? {
    get { object(Slots.label) as? Label }
    set { setObject(Slots.label, to: newValue) }
  }

  var sequel: Record? {
    get { object(Slots.sequel) as? Record }
    set { setObject(Slots.sequel, to: newValue) }
  }

  var prequel: Record? {
    get { object(Slots.prequel) as? Record }
    set { setObject(Slots.prequel, to: newValue) }
  }

  var alike: [Record] {
    get { objects(Slots.alike).compactMap { $0 as? Record } }
    set { setObjects(Slots.alike, to: newValue) }
  }
  func addToAlike(_ target: Record) { add(target, to: Slots.alike) }
  func removeFromAlike(_ target: Record) { remove(target, from: Slots.alike) }

  var lately: Person? {
    get { object(Slots.lately) as? Person }
    set { setObject(Slots.lately, to: newValue) }
  }

  // Key paths of properties hold nothing that changes.
  nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
    \Record.name: "name",
    \Record.order: "order",
    \Record.creators: "creators",
    \Record.year: "year",
    \Record.tracks: "tracks",
    \Record.price: "price",
    \Record.length: "length",
    \Record.rating: "rating",
    \Record.isLive: "isLive",
    \Record.released: "released",
    \Record.cover: "cover",
    \Record.identifier: "identifier",
    \Record.page: "page",
    \Record.notes: "notes",
    \Record.studio: "studio",
    \Record.worksCount: "worksCount",
    \Record.scratch: "scratch",
    \Record.label: "label",
    \Record.sequel: "sequel",
    \Record.prequel: "prequel",
    \Record.alike: "alike",
    \Record.lately: "lately",
  ]
  override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
}

/// An object of the entity Work.
class Work: Strongroom.ManagedObject {
  enum Slots {
    static let name = Strongroom.PropertySlot(slot: 0, field: 0)
    static let order = Strongroom.PropertySlot(slot: 1, field: 1)
    static let creators = Strongroom.PropertySlot(slot: 2, field: -1)
  }

  var name: Swift.String {
    get { string(Slots.name) }
    set { set(Slots.name, string: newValue) }
  }

  var order: Swift.Int64? {
    get { isNull(Slots.order) ? nil : integer(Slots.order) }
    set {
      if let newValue { set(Slots.order, integer: newValue) } else { set(Slots.order, to: .null) }
    }
  }

  var creators: [Person] {
    get { objects(Slots.creators).compactMap { $0 as? Person } }
    set { setObjects(Slots.creators, to: newValue) }
  }
  func addToCreators(_ target: Person) { add(target, to: Slots.creators) }
  func removeFromCreators(_ target: Person) { remove(target, from: Slots.creators) }

  // Key paths of properties hold nothing that changes.
  nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
    \Work.name: "name",
    \Work.order: "order",
    \Work.creators: "creators",
  ]
  override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
}

extension Strongroom.PersistentStoreCoordinator {
  /// Makes objects of each entity instances of its class.
  func registerGeneratedClasses() throws {
    try register(Empty.self, for: "Empty")
    try register(Label.self, for: "Label")
    try register(Person.self, for: "Person")
    try register(Record.self, for: "Record")
    try register(Work.self, for: "Work")
  }
}
