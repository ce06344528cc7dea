import Foundation
import ObjectModel
import StoreContract

extension HistoryProperties {
  private static let key = "history_properties"

  static func read(_ table: StoreTable) throws -> HistoryProperties {
    guard let text = try table.read(key) else { return HistoryProperties() }
    do {
      return try JSONDecoder().decode(HistoryProperties.self, from: Data(text.utf8))
    } catch is DecodingError {
      throw StoreError(.fileDamaged, "the history of the store cannot be read; restore a copy")
    }
  }

  func write(_ table: StoreTable) throws {
    try table.write(Self.key, String(decoding: JSONEncoder.sorted.encode(self), as: UTF8.self))
  }

  /// Takes over the names of the properties that a migration renames.
  ///
  /// One statement, two where there is a history.
  static func rename(by mapping: ModelMapping, _ old: StoreSchema, _ table: StoreTable) throws {
    var properties = try read(table)
    if properties.versions.isEmpty { return }
    properties.rename(by: mapping) { old.entityNumbers[$0.index] }
    try properties.write(table)
  }
}
