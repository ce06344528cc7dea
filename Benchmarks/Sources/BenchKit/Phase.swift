/// One phase of the library workload, by the name it has in results.
package enum Phase: String, CaseIterable, Codable, Sendable {
  case open = "P1"
  case saveAll = "P2"
  case singleSaves = "P3"
  case singleSavesFull = "P3-full"
  case fetchAll = "P4"
  case fetchFaults = "P4-faults"
  case byID = "P5"
  case byIDHit = "P5-hit"
  case byISBN = "P6"
  case filtered = "P7"
  case toMany = "P8"
  case toManyPrefetched = "P8-prefetched"
  case manyToMany = "P9"
  case manyToManyLive = "P9-live"
  case change = "P10"
  case delete = "P11"
  case average = "P12"
  case bulkInsert = "P13"
  case reopen = "P14"
  case pushRecords = "R1"
  case fetchRecords = "R2"
  case recordByKey = "R3"
  case singlePushes = "R4"

  /// What the phase does.
  package var title: String {
    switch self {
    case .open: "open, raw key"
    case .saveAll: "save all new objects with links"
    case .singleSaves: "one-object saves, NORMAL"
    case .singleSavesFull: "one-object saves, FULL"
    case .fetchAll: "fetch all, read everything, cold"
    case .fetchFaults: "fetch all as faults"
    case .byID: "by ID, miss"
    case .byIDHit: "by ID, hit"
    case .byISBN: "by unique attribute"
    case .filtered: "filter, join, sort, limit 100"
    case .toMany: "to-many, one by one"
    case .toManyPrefetched: "to-many, prefetched"
    case .manyToMany: "many-to-many, cold"
    case .manyToManyLive: "many-to-many, objects live"
    case .change: "save changes of many objects"
    case .delete: "delete with links"
    case .average: "aggregate by group"
    case .bulkInsert: "bulk insert"
    case .reopen: "reopen and 20 objects"
    case .pushRecords: "push all records"
    case .fetchRecords: "fetch all records"
    case .recordByKey: "record by key"
    case .singlePushes: "one-record pushes, FULL"
    }
  }

  /// Whether the phase needs a store that it may change.
  package var changesStore: Bool {
    switch self {
    case .singleSaves, .singleSavesFull, .change, .delete, .singlePushes: true
    default: false
    }
  }

  /// Whether the phase makes its store.
  package var makesStore: Bool { self == .saveAll || self == .bulkInsert || self == .pushRecords }

  /// Whether the phase is about records, which have no objects and no links.
  package var isOfRecords: Bool {
    switch self {
    case .pushRecords, .fetchRecords, .recordByKey, .singlePushes: true
    default: false
    }
  }

  /// The phases that a name given by hand means: `P3` is all of `P3` and its variants.
  package static func named(_ name: String) -> [Phase] {
    allCases.filter { $0.rawValue == name || $0.rawValue.hasPrefix(name + "-") }
  }
}
