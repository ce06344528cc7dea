import Foundation
import Locks
import ObjectModel

/// Finds the key under which a type's own coding keeps what a key path reads.
///
/// The type is decoded from values that are made up, another for each key, and encoded again, several times with other values.
/// The key whose value is what the key path reads each time is the one. A computed property has none.
enum CodingProbe {
  private static let rounds = 12

  private struct Found: @unchecked Sendable {
    // @unchecked: key paths never change.
    var keys: [AnyKeyPath: String?] = [:]
  }

  private static let found = Locked(Found())

  /// - Parameter encode: Makes the JSON that values are kept as.
  static func key(of keyPath: AnyKeyPath, in type: any Codable.Type, _ encode: (any Encodable) -> Data?)
    -> String?
  {
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
    var left: Set<String>?
    for round in 0..<rounds {
      let source = MarkingDecoder(Marks(round: round, rounds: rounds))
      guard let value = try? source.value(T.self), let data = encode(value),
        let object = StoredJSON.read(data) as? [String: Any],
        let part = value[keyPath: keyPath] as? any Encodable, let own = encode(part)
      else { return nil }
      let wanted = StoredJSON.value(StoredJSON.read(own))
      let same = Set(object.filter { StoredJSON.value($0.value) == wanted }.keys)
      left = left?.intersection(same) ?? same
      if left?.isEmpty == true { return nil }
    }
    return left?.count == 1 ? left?.first : nil
  }
}

/// Values that are made up, each another than the one before.
final class Marks {
  private let round: Int
  private let rounds: Int
  private var count = 0

  init(round: Int, rounds: Int) {
    self.round = round
    self.rounds = rounds
  }

  /// The next number, which tells places and rounds apart.
  func next() -> Int {
    count += 1
    return count * rounds + round
  }

  /// For places that have two values only: over all rounds no two of the first thousand places have the same ones.
  func nextBit() -> Bool {
    count += 1
    return round == rounds - 1 ? false : round == rounds - 2 ? true : count >> round & 1 == 1
  }
}
