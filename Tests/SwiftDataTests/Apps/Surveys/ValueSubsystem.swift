// Values of any Codable type, under keys that know their type.

import Foundation
import SwiftData

extension SurveyStore {
  /// Stores values as JSON in rows of their own.
  @ModelActor
  public final actor ValueSubsystem: Sendable {
    private let decoder = JSONDecoder()
    private var failures = [String]()

    subscript<T: Codable>(_ key: Key<T>) -> T? {
      guard let entity = entity(for: key) else { return nil }
      return value(of: entity, type: T.self)
    }

    private func value<T: Decodable>(of entity: StoredValue, type: T.Type) -> T? {
      do {
        return try decoder.decode(T.self, from: entity.value)
      } catch {
        failures.append(entity.key)
        return nil
      }
    }

    func set<Value>(_ key: Key<Value>, _ value: Value?) throws {
      let identifier = key.identifier
      let existing = try? modelContext.fetch(
        FetchDescriptor<StoredValue>(predicate: #Predicate<StoredValue> { $0.key == identifier })
      ).first
      if let value {
        let data = try JSONEncoder().encode(value)
        if let existing {
          existing.value = data
        } else {
          modelContext.insert(
            StoredValue(
              key: identifier, cluster: key.cluster, value: data, isCachePurgeable: key.isCachePurgeable))
        }
      } else if existing != nil {
        try modelContext.delete(model: StoredValue.self, where: #Predicate { $0.key == identifier })
      }
      try modelContext.save()
    }

    func remove(siteID: SiteIdentifier) {
      do {
        try modelContext.delete(
          model: StoredValue.self,
          where: #Predicate {
            $0.key.contains(siteID.description) || $0.cluster.contains(siteID.description)
          })
        try modelContext.save()
      } catch {
        failures.append("\(error)")
      }
    }

    func remove(station: String) {
      do {
        try modelContext.delete(
          model: StoredValue.self,
          where: #Predicate { $0.key.contains(station) || $0.cluster.contains(station) })
        try modelContext.save()
      } catch {
        failures.append("\(error)")
      }
    }

    func purgeCached(siteID: SiteIdentifier) throws {
      try modelContext.delete(
        model: StoredValue.self,
        where: #Predicate {
          $0.isCachePurgeable
            && ($0.key.contains(siteID.description) || $0.cluster.contains(siteID.description))
        })
      try modelContext.save()
    }

    func reset() throws {
      try modelContext.delete(model: StoredValue.self)
      try modelContext.save()
    }

    func entities<T: Decodable>(cluster: String, type: T.Type) -> [String: T] {
      do {
        let entities = try modelContext.fetch(
          FetchDescriptor<StoredValue>(predicate: #Predicate { $0.cluster == cluster }))
        let mapped = entities.compactMap { entity -> (key: String, value: T)? in
          guard let value = value(of: entity, type: T.self) else { return nil }
          return (entity.key, value)
        }
        return Dictionary(uniqueKeysWithValues: mapped)
      } catch {
        return [:]
      }
    }

    func entityCount(cluster: String) -> Int {
      (try? modelContext.fetchCount(
        FetchDescriptor<StoredValue>(predicate: #Predicate { $0.cluster == cluster }))) ?? 0
    }

    var unreadableKeys: [String] { failures }

    private func entity<T>(for key: Key<T>) -> StoredValue? {
      let identifier = key.identifier
      return try? modelContext.fetch(
        FetchDescriptor<StoredValue>(predicate: #Predicate { $0.key == identifier })
      ).first
    }

    /// Names a value and its type.
    struct Key<Value: Codable>: Sendable {
      typealias Key = SurveyStore.ValueSubsystem.Key
      let identifier: String
      let cluster: String
      let isCachePurgeable: Bool
    }
  }
}

extension SurveyStore.ValueSubsystem.Key where Value == Int {
  static func failedAttempts(assetID: UUID, siteID: SiteIdentifier) -> Self {
    Self(identifier: "attempts-\(assetID)", cluster: "attempts-\(siteID)", isCachePurgeable: false)
  }
}

extension SurveyStore.ValueSubsystem.Key where Value == [String: Double] {
  static func forecast(_ siteID: SiteIdentifier) -> Key<[String: Double]> {
    Key(identifier: "forecast-\(siteID)", cluster: "forecasts", isCachePurgeable: true)
  }
}

extension SurveyStore.ValueSubsystem.Key where Value == Swift.Set<SiteIdentifier> {
  static func hidden(station: String) -> Self {
    Self(identifier: "hidden-\(station)", cluster: "hidden", isCachePurgeable: false)
  }
}
