import Cryptography
import Foundation
import Locks
import ObjectModel
import StoreContract
import StoreKeyring

/// What seals and opens the values of a store: its keys, and the numbers of its sealed attributes.
final class StoreSealing: Sendable {
  /// A sealed attribute, by the number that its values are bound to.
  struct Property: Sendable {
    let number: Int64
    /// Its entity's name and its own, for errors.
    let name: String
    let hasEquality: Bool
  }

  let store: UUID
  private let properties: [AttributeDescription: Property]
  private let equality: MessageAuthenticator
  private let keys: Locked<SealingKeys>
  /// What the store says now.
  private let record: @Sendable () throws -> SealingRecord?

  /// - Parameters:
  ///   - store: The UUID of the store.
  ///   - sealing: What the store says of its keys and attributes.
  ///   - keys: The keys.
  ///   - model: Whose sealed attributes there are.
  ///   - record: Reads what the store says, when a value has a key that is not known yet.
  /// - Throws: `fileDamaged` where an attribute has no number.
  init(
    _ store: UUID, _ sealing: SealingRecord, _ keys: SealingKeys, _ model: ManagedObjectModel,
    record: @escaping @Sendable () throws -> SealingRecord?
  ) throws {
    (self.store, self.record, self.keys) = (store, record, Locked(keys))
    equality = try MessageAuthenticator(.sha256, key: keys.equality)
    var properties: [AttributeDescription: Property] = [:]
    for attribute in model.sealedAttributes {
      properties[attribute] = try Self.property(attribute, in: sealing)
    }
    self.properties = properties
  }

  /// - Throws: `fileDamaged` where the attribute has no number.
  static func property(_ attribute: AttributeDescription, in record: SealingRecord) throws -> Property {
    guard let number = record.attributes[attribute.entity.name]?[attribute.name] else {
      throw SealingRecord.damage
    }
    return Property(
      number: number, name: "\(attribute.entity.name).\(attribute.name)",
      hasEquality: attribute.sealing == .equality)
  }

  func property(_ attribute: AttributeDescription) throws -> Property {
    guard let property = properties[attribute] else { throw SealingRecord.damage }
    return property
  }

  // MARK: Keys

  /// The key that seals new values, with its number.
  var current: (number: UInt32, key: SecretKey) {
    get throws {
      try keys.withLock { keys in
        guard let key = keys.data[keys.current] else { throw SealingRecord.damage }
        return (keys.current, key)
      }
    }
  }

  /// The key of a number; nil where the store has none.
  ///
  /// One statement where another program added it since the store was opened.
  /// - Throws: `keyMissing` where that program also gave the store another key in the vaults.
  func key(_ number: UInt32) throws -> SecretKey? {
    if let known = keys.withLock({ $0.data[number] }) { return known }
    try reload()
    return keys.withLock { $0.data[number] }
  }

  /// Seals new values with the key that the store names, which another program may have added.
  func use(_ number: UInt32?) throws {
    guard let number, number != keys.withLock(\.current) else { return }
    try reload()
  }

  /// Says that another key of the vaults wraps the keys.
  func replace(wrapping: StoreKey) {
    keys.withLock {
      $0 = SealingKeys(data: $0.data, current: $0.current, equality: $0.equality, wrapping: wrapping)
    }
  }

  /// Takes the keys that the store has now; one statement, and one more for each rotation meanwhile.
  func reload() throws {
    while true {
      let used = wrapping
      guard let record = try record() else { throw SealingRecord.damage }
      let new = try record.keys(for: store, unwrappedBy: used)
      // A rotation by another thread may have replaced it meanwhile.
      let isSame = keys.withLock { keys in
        if let new, keys.wrapping === used { keys = new }
        return keys.wrapping === used
      }
      if !isSame { continue }
      if new == nil { throw Self.otherKey }
      return
    }
  }

  static let otherKey = StoreError(
    .keyMissing,
    "another program gave the store on the server another key; open the store again, with a vault that has it"
  )

  /// The key of the vaults that the store was opened with.
  var wrapping: StoreKey { keys.withLock(\.wrapping) }

  // MARK: Equality

  static let equalitySize = 32

  /// What is the same for equal values of one attribute, and says nothing else of them.
  func equality(_ plain: UnsafeRawBufferPointer, _ property: Property) throws -> [UInt8] {
    try withUnsafeBytes(of: property.number.bigEndian) { try equality.code(of: $0, plain) }
  }
}
