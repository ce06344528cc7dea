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
  enum Indexes {
    static let key = Strongroom.PropertyIndex(index: 0, field: 0)
    static let records = Strongroom.PropertyIndex(index: 1, field: -1)
  }

  var key: Swift.String? {
    get { isNull(Indexes.key) ? nil : string(Indexes.key) }
    set {
      if let newValue { set(Indexes.key, string: newValue) } else { set(Indexes.key, to: .null) }
    }
  }

  var records: [Record] {
    get { objects(Indexes.records).compactMap { $0 as? Record } }
    set { setObjects(Indexes.records, to: newValue) }
  }
  func addToRecords(_ destination: Record) { add(destination, to: Indexes.records) }
  func removeFromRecords(_ destination: Record) { remove(destination, from: Indexes.records) }

  // Key paths of properties hold nothing that changes.
  nonisolated(unsafe) private static let propertyNamesByKeyPath: [Swift.AnyKeyPath: Swift.String] = [
    \Label.key: "key",
    \Label.records: "records",
  ]
  override class var propertyNames: [Swift.AnyKeyPath: Swift.String] { propertyNamesByKeyPath }
}

/// An object of the entity Person.
final class Person: Strongroom.ManagedObject {
  enum Indexes {
    static let group = Strongroom.PropertyIndex(index: 0, field: 0)
    static let works = Strongroom.PropertyIndex(index: 1, field: -1)
    static let friend = Strongroom.PropertyIndex(index: 2, field: 1)
  }

  var group: Swift.String? {
    get { isNull(Indexes.group) ? nil : string(Indexes.group) }
    set {
      if let newValue { set(Indexes.group, string: newValue) } else { set(Indexes.group, to: .null) }
    }
  }

  var works: [Work] {
    get { objects(Indexes.works).compactMap { $0 as? Work } }
    set { setObjects(Indexes.works, to: newValue) }
  }
  func addToWorks(_ destination: Work) { add(destination, to: Indexes.works) }
  func removeFromWorks(_ destination: Work) { remove(destination, from: Indexes.works) }

  var friend: Person? {
    get { object(Indexes.friend) as? Person }
    set { setObject(Indexes.friend, to: newValue) }
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
  enum Indexes {
    static let year = Strongroom.PropertyIndex(index: 3, field: 2)
    static let tracks = Strongroom.PropertyIndex(index: 4, field: 3)
    static let price = Strongroom.PropertyIndex(index: 5, field: 4)
    static let length = Strongroom.PropertyIndex(index: 6, field: 5)
    static let rating = Strongroom.PropertyIndex(index: 7, field: 6)
    static let isLive = Strongroom.PropertyIndex(index: 8, field: 7)
    static let released = Strongroom.PropertyIndex(index: 9, field: 8)
    static let cover = Strongroom.PropertyIndex(index: 10, field: 9)
    static let identifier = Strongroom.PropertyIndex(index: 11, field: 10)
    static let page = Strongroom.PropertyIndex(index: 12, field: 11)
    static let notes = Strongroom.PropertyIndex(index: 13, field: 12)
    static let studio = Strongroom.PropertyIndex(index: 14, field: 13)
    static let worksCount = Strongroom.PropertyIndex(index: 15, field: 14)
    static let scratch = Strongroom.PropertyIndex(index: 16, field: -1)
    static let label = Strongroom.PropertyIndex(index: 17, field: 15)
    static let sequel = Strongroom.PropertyIndex(index: 18, field: 16)
    static let prequel = Strongroom.PropertyIndex(index: 19, field: 17)
    static let alike = Strongroom.PropertyIndex(index: 20, field: -1)
    static let lately = Strongroom.PropertyIndex(index: 21, field: -1)
  }

  var year: Swift.Int16? {
    get { isNull(Indexes.year) ? nil : Swift.Int16(truncatingIfNeeded: integer(Indexes.year)) }
    set {
      if let newValue { set(Indexes.year, integer: Swift.Int64(newValue)) } else { set(Indexes.year, to: .null) }
    }
  }

  var tracks: Swift.Int32? {
    get { isNull(Indexes.tracks) ? nil : Swift.Int32(truncatingIfNeeded: integer(Indexes.tracks)) }
    set {
      if let newValue { set(Indexes.tracks, integer: Swift.Int64(newValue)) } else { set(Indexes.tracks, to: .null) }
    }
  }

  var price: Foundation.Decimal? {
    get { isNull(Indexes.price) ? nil : { if case .decimal(let it) = value(Indexes.price) { it } else { 0 } }() }
    set {
      if let newValue { set(Indexes.price, to: .decimal(newValue)) } else { set(Indexes.price, to: .null) }
    }
  }

  var length: Swift.Double {
    get { double(Indexes.length) }
    set { set(Indexes.length, double: newValue) }
  }

  var rating: Swift.Double? {
    get { isNull(Indexes.rating) ? nil : double(Indexes.rating) }
    set {
      if let newValue { set(Indexes.rating, double: newValue) } else { set(Indexes.rating, to: .null) }
    }
  }

  var isLive: Swift.Bool {
    get { boolean(Indexes.isLive) }
    set { set(Indexes.isLive, boolean: newValue) }
  }

  var released: Foundation.Date? {
    get { isNull(Indexes.released) ? nil : date(Indexes.released) }
    set {
      if let newValue { set(Indexes.released, to: .date(newValue)) } else { set(Indexes.released, to: .null) }
    }
  }

  var cover: Foundation.Data? {
    get { isNull(Indexes.cover) ? nil : data(Indexes.cover) }
    set {
      if let newValue { set(Indexes.cover, to: .data(newValue)) } else { set(Indexes.cover, to: .null) }
    }
  }

  var identifier: Foundation.UUID? {
    get { isNull(Indexes.identifier) ? nil : { if case .uuid(let it) = value(Indexes.identifier) { it } else { Foundation.UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)) } }() }
    set {
      if let newValue { set(Indexes.identifier, to: .uuid(newValue)) } else { set(Indexes.identifier, to: .null) }
    }
  }

  var page: Foundation.URL? {
    get { isNull(Indexes.page) ? nil : { if case .uri(let it) = value(Indexes.page) { it } else { Foundation.URL(fileURLWithPath: "/") } }() }
    set {
      if let newValue { set(Indexes.page, to: .uri(newValue)) } else { set(Indexes.page, to: .null) }
    }
  }

  var notes: Foundation.Data? {
    get { isNull(Indexes.notes) ? nil : data(Indexes.notes) }
    set {
      if let newValue { set(Indexes.notes, to: .data(newValue)) } else { set(Indexes.notes, to: .null) }
    }
  }

  var studio: [Swift.String: Strongroom.AttributeValue]? {
    get { isNull(Indexes.studio) ? nil : { if case .composite(let it) = value(Indexes.studio) { it } else { [:] } }() }
    set {
      if let newValue { set(Indexes.studio, to: .composite(newValue)) } else { set(Indexes.studio, to: .null) }
    }
  }

  /// Computed by the store.
  var worksCount: Swift.Int64? { isNull(Indexes.worksCount) ? nil : integer(Indexes.worksCount) }

  var scratch: Strongroom.AttributeValue? {
    get { isNull(Indexes.scratch) ? nil : value(Indexes.scratch) }
    set {
      if let newValue { set(Indexes.scratch, to: newValue) } else { set(Indexes.scratch, to: .null) }
    }
  }

  var label: Label? {
    get { object(Indexes.label) as? Label }
    set { setObject(Indexes.label, to: newValue) }
  }

  var sequel: Record? {
    get { object(Indexes.sequel) as? Record }
    set { setObject(Indexes.sequel, to: newValue) }
  }

  var prequel: Record? {
    get { object(Indexes.prequel) as? Record }
    set { setObject(Indexes.prequel, to: newValue) }
  }

  var alike: [Record] {
    get { objects(Indexes.alike).compactMap { $0 as? Record } }
    set { setObjects(Indexes.alike, to: newValue) }
  }
  func addToAlike(_ destination: Record) { add(destination, to: Indexes.alike) }
  func removeFromAlike(_ destination: Record) { remove(destination, from: Indexes.alike) }

  var lately: Person? {
    get { object(Indexes.lately) as? Person }
    set { setObject(Indexes.lately, to: newValue) }
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
  enum Indexes {
    static let name = Strongroom.PropertyIndex(index: 0, field: 0)
    static let order = Strongroom.PropertyIndex(index: 1, field: 1)
    static let creators = Strongroom.PropertyIndex(index: 2, field: -1)
  }

  var name: Swift.String {
    get { string(Indexes.name) }
    set { set(Indexes.name, string: newValue) }
  }

  var order: Swift.Int64? {
    get { isNull(Indexes.order) ? nil : integer(Indexes.order) }
    set {
      if let newValue { set(Indexes.order, integer: newValue) } else { set(Indexes.order, to: .null) }
    }
  }

  var creators: [Person] {
    get { objects(Indexes.creators).compactMap { $0 as? Person } }
    set { setObjects(Indexes.creators, to: newValue) }
  }
  func addToCreators(_ destination: Person) { add(destination, to: Indexes.creators) }
  func removeFromCreators(_ destination: Person) { remove(destination, from: Indexes.creators) }

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
