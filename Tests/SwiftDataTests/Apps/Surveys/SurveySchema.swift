// The stored form: classes in an extension of their schema, identifiers as text behind a value of their own,
// index and uniqueness over names with an underscore, destinations that must be there.

import Foundation
import SwiftData

enum SurveySchema: VersionedSchema {
  static var versionIdentifier: Schema.Version { .init(2, 0, 0) }
  static var models: [any PersistentModel.Type] {
    [
      StoredSite.self, StoredReading.self, StoredSearchEntry.self, StoredVisit.self, StoredValue.self,
      StoredAsset.self,
    ]
  }
}

typealias StoredSite = SurveySchema.StoredSite
typealias StoredReading = SurveySchema.StoredReading
typealias StoredSearchEntry = SurveySchema.StoredSearchEntry
typealias StoredVisit = SurveySchema.StoredVisit
typealias StoredValue = SurveySchema.StoredValue
typealias StoredAsset = SurveySchema.StoredAsset

/// What a server calls a site or a reading of one: `station/primary` or `station/grouping/primary`.
struct SiteIdentifier: Hashable, Sendable, Codable, LosslessStringConvertible {
  let station: String
  let primary: String
  let grouping: String?

  init(station: String, primary: String, grouping: String? = nil) {
    self.station = station
    self.primary = primary
    self.grouping = grouping
  }

  init?(_ description: String) {
    let parts = description.split(separator: "/").map(String.init)
    switch parts.count {
    case 2: self.init(station: parts[0], primary: parts[1])
    case 3: self.init(station: parts[0], primary: parts[2], grouping: parts[1])
    default: return nil
    }
  }

  var description: String { [station, grouping, primary].compactMap(\.self).joined(separator: "/") }
}

extension SurveySchema {
  @Model
  final class StoredSite {
    #Index<StoredSite>([\._id], [\.name])
    #Unique<StoredSite>([\._id])

    private(set) var _id: String
    private(set) var name: String
    private(set) var wardens: [String]
    private(set) var area: Double
    @Relationship(deleteRule: .cascade, inverse: \StoredReading.site)
    private(set) var readings: [StoredReading]
    @Relationship(deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 1)
    private(set) var searchEntry: StoredSearchEntry

    init(id: SiteIdentifier, name: String, wardens: [String], area: Double) {
      _id = id.description
      self.name = name
      self.wardens = wardens
      self.area = area
      readings = []
      searchEntry = .init(itemID: id, primaryName: name, secondaryName: nil, people: wardens)
    }

    var id: SiteIdentifier { .init(_id) ?? .init(station: "", primary: _id) }

    func rename(to name: String) {
      self.name = name
      searchEntry.rename(to: name)
    }
  }

  @Model
  final class StoredReading {
    #Index<StoredReading>([\._id], [\.name])
    #Unique<StoredReading>([\._id])

    enum Kind: Codable, Equatable {
      case count(Int)
      case temperature(celsius: Double)
      case remark
    }

    struct Position: Codable, Comparable {
      let season: String?
      let number: Double
      static func < (left: Self, right: Self) -> Bool {
        (left.season ?? "", left.number) < (right.season ?? "", right.number)
      }
    }

    private(set) var _id: String
    private(set) var name: String
    private(set) var takenAt: Date
    private(set) var size: Int64?
    private(set) var kind: Kind
    private(set) var position: Position
    @Relationship(deleteRule: .deny, minimumModelCount: 1, maximumModelCount: 1)
    private(set) var site: StoredSite
    @Relationship(deleteRule: .cascade, minimumModelCount: 1, maximumModelCount: 1)
    private(set) var searchEntry: StoredSearchEntry

    init(
      id: SiteIdentifier, name: String, takenAt: Date, size: Int64? = nil, site: StoredSite, kind: Kind,
      position: Position
    ) {
      _id = id.description
      self.name = name
      self.takenAt = takenAt
      self.size = size
      self.site = site
      self.kind = kind
      self.position = position
      searchEntry = .init(itemID: id, primaryName: name, secondaryName: site.name, people: site.wardens)
    }

    var id: SiteIdentifier { .init(_id) ?? .init(station: "", primary: _id) }
  }

  @Model
  final class StoredSearchEntry {
    #Index<StoredSearchEntry>([\._itemID, \.primaryName, \.secondaryName])
    #Unique<StoredSearchEntry>([\._itemID])

    private var _itemID: String
    private(set) var primaryName: String
    private(set) var secondaryName: String?
    private(set) var people: [String]
    private(set) var peopleNames: String

    init(itemID: SiteIdentifier, primaryName: String, secondaryName: String?, people: [String]) {
      _itemID = itemID.description
      self.primaryName = primaryName
      self.secondaryName = secondaryName
      self.people = people
      peopleNames = people.joined(separator: ", ")
    }

    var itemID: SiteIdentifier? { .init(_itemID) }
    func rename(to name: String) { primaryName = name }
  }

  @Model
  final class StoredVisit {
    #Index<StoredVisit>([\.id], [\.station, \.primary, \.grouping])
    #Unique<StoredVisit>([\.id], [\.station, \.primary, \.grouping])

    enum SyncStatus: Int, Codable {
      case synchronized
      case desynchronized
      case tombstone
    }

    var id: String
    private(set) var station: String
    private(set) var primary: String
    private(set) var grouping: String?
    var progress: Double
    var duration: TimeInterval?
    var seconds: TimeInterval
    var startedAt: Date?
    var lastUpdate: Date
    var finishedAt: Date?
    var status: SyncStatus
    var wasSynchronized = true

    init(
      id: String, siteID: SiteIdentifier, progress: Double, duration: TimeInterval? = nil,
      seconds: TimeInterval, startedAt: Date? = nil, lastUpdate: Date, finishedAt: Date? = nil,
      status: SyncStatus
    ) {
      self.id = id
      station = siteID.station
      primary = siteID.primary
      grouping = siteID.grouping
      self.progress = progress
      self.duration = duration
      self.seconds = seconds
      self.startedAt = startedAt
      self.lastUpdate = lastUpdate
      self.finishedAt = finishedAt
      self.status = status
    }

    var siteID: SiteIdentifier { .init(station: station, primary: primary, grouping: grouping) }
  }

  @Model
  final class StoredValue {
    #Index<StoredValue>([\.key], [\.cluster])
    #Unique<StoredValue>([\.key])

    private(set) var key: String
    private(set) var cluster: String
    var value: Data
    private(set) var isCachePurgeable: Bool

    init(key: String, cluster: String, value: Data, isCachePurgeable: Bool) {
      self.key = key
      self.cluster = cluster
      self.value = value
      self.isCachePurgeable = isCachePurgeable
    }
  }

  @Model
  final class StoredAsset {
    #Unique<StoredAsset>([\.id])

    enum FileType: Codable, Equatable {
      case map(scale: Int)
      case recording(offset: Double, codec: String)
    }

    private(set) var id: UUID
    private(set) var _siteID: String
    private(set) var fileType: FileType
    var isDownloaded = false
    var taskNumber: Int?

    init(siteID: SiteIdentifier, fileType: FileType) {
      id = .init()
      _siteID = siteID.description
      self.fileType = fileType
    }
  }
}
