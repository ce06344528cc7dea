import Foundation
import Locks
import ObjectModel

/// Finds the key under which a type's own coding stores what a key path reads.
///
/// Each sample is encoded again, since the stored JSON is what the type encodes, whatever it
/// decodes. The key whose value the key path reads in every round is the one.
enum CodedKey {
  private struct Found: @unchecked Sendable {
    // @unchecked: key paths never change.
    var keys: [AnyKeyPath: String?] = [:]
  }

  private static let found = Locked(Found())

  /// The key; nil for a computed property, and for a type that decodes or encodes no sample.
  ///
  /// - `encode`: Makes the JSON that values are stored as.
  static func of(
    _ keyPath: AnyKeyPath, in type: any Codable.Type, _ encode: (any Encodable) -> Data?
  ) -> String? {
    nonisolated(unsafe) let path = keyPath
    if let known = found.withLock({ $0.keys[path] }) { return known }
    func open<T: Codable>(_ type: T.Type) -> String? {
      (keyPath as? PartialKeyPath<T>).flatMap { search($0, encode) }
    }
    let key = open(type)
    found.withLock { $0.keys[path] = .some(key) }
    return key
  }

  private static func search<T: Codable>(
    _ keyPath: PartialKeyPath<T>, _ encode: (any Encodable) -> Data?
  ) -> String? {
    let matches = KeyPathSearch.matches {
      round -> (read: AttributeValue, values: [String: AttributeValue])? in
      let maker = SampleMaker(round: round, nesting: .allowed)
      guard let value = try? maker.sample(T.self), let data = encode(value),
        let object = StoredJSON.read(data) as? [String: Any],
        let part = value[keyPath: keyPath] as? any Encodable, let own = encode(part)
      else { return nil }
      let read = StoredJSON.value(StoredJSON.read(own))
      // A nil says nothing: a key that is not encoded has none.
      return read.isNull ? nil : (read, object.mapValues { StoredJSON.value($0) })
    }
    return matches.count == 1 ? matches.first : nil
  }
}
