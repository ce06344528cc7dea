import Cryptography
import Foundation
import ObjectModel
import StoreContract

/// Seals values before they are sent to the server and opens those that come from it, for one statement at a
/// time.
///
/// A sealed value is what makes equal ones recognisable, where that is asked for; the number of the key in
/// four bytes, the nonce, the encrypted bytes and their tag. It opens only as the value of the same attribute
/// and object in the same store.
final class ValueSealer {
  /// What a value is part of: one in the history does not open in a row.
  enum Place: UInt8 {
    case row = 1
    case history = 2
  }

  private let sealing: StoreSealing
  private let place: Place
  private var ciphers: [UInt32: SealingCipher] = [:]
  private static let numberSize = 4
  /// What the server takes in one value, less what sealing adds.
  private static let longest = (1 << 30) - 256

  init(_ sealing: StoreSealing, in place: Place = .row) { (self.sealing, self.place) = (sealing, place) }

  private func cipher(_ number: UInt32, _ key: SecretKey) throws -> SealingCipher {
    if let known = ciphers[number] { return known }
    let new = try SealingCipher(key)
    ciphers[number] = new
    return new
  }

  /// Seals the bytes of a value.
  /// - Throws: `invalidValue` for more than the server takes.
  func seal(
    _ plain: UnsafeRawBufferPointer, _ property: StoreSealing.Property, of reference: Int64
  ) throws -> [UInt8] {
    if plain.count >= Self.longest {
      throw StoreError(.invalidValue, "the server takes 1 GB of \(property.name) at once; save in parts")
    }
    let (number, key) = try sealing.current
    let equality = property.hasEquality && place == .row ? try sealing.equality(plain, property) : []
    var generator = SystemRandomNumberGenerator()
    let random = (generator.next(), generator.next()) as (UInt64, UInt64)
    let nonce = withUnsafeBytes(of: random) { Array($0.prefix(SealingCipher.nonceSize)) }
    let sealed = try cipher(number, key).seal(
      plain, nonce: nonce, authenticating: context(property, reference, equality))
    return equality + withUnsafeBytes(of: number.bigEndian) { Array($0) } + sealed
  }

  /// The bytes that were sealed.
  /// - Throws: `fileDamaged` where they were not sealed as this object's value of the attribute;
  ///   `keyMissing`.
  func open(
    _ sealed: UnsafeRawBufferPointer, _ property: StoreSealing.Property, of reference: Int64
  ) throws -> Data {
    let start = Self.keyPlace(property, place)
    guard sealed.count >= start + Self.numberSize else { throw Self.damage(property) }
    let number = UInt32(bigEndian: sealed.loadUnaligned(fromByteOffset: start, as: UInt32.self))
    guard let key = try sealing.key(number) else { throw Self.damage(property) }
    let equality = Array(sealed.prefix(start))
    let body = Data(sealed.dropFirst(start + Self.numberSize))
    guard
      let plain = try cipher(number, key).open(
        body, authenticating: context(property, reference, equality))
    else { throw Self.damage(property) }
    return plain
  }

  /// Where a sealed value has the number of its key, counted from 0.
  static func keyPlace(_ property: StoreSealing.Property, _ place: Place = .row) -> Int {
    property.hasEquality && place == .row ? StoreSealing.equalitySize : 0
  }

  private func context(
    _ property: StoreSealing.Property, _ reference: Int64, _ equality: [UInt8]
  ) -> [UInt8] {
    var context: [UInt8] = [place.rawValue]
    context.reserveCapacity(33 + equality.count)
    withUnsafeBytes(of: sealing.store.uuid) { context += $0 }
    withUnsafeBytes(of: property.number.bigEndian) { context += $0 }
    withUnsafeBytes(of: reference.bigEndian) { context += $0 }
    return context + equality
  }

  static func damage(_ property: StoreSealing.Property) -> StoreError {
    StoreError(
      .fileDamaged,
      "a value of \(property.name) was not sealed as that object's: somebody changed or moved it on the"
        + " server; restore a copy")
  }
}

// MARK: Fields of nodes

extension ValueSealer {
  /// Seals the value of a field that has one.
  func seal(_ field: Int, of node: IncrementalStoreNode) throws -> [UInt8] {
    guard case .attribute(let attribute) = node.entity.storedFields[field] else { return [] }
    let property = try sealing.property(attribute)
    if attribute.type.isStoredAsBytes {
      return try node.withBytes(field) { bytes in try seal(bytes, property, of: node.reference) }
    }
    let word = attribute.type.word(node.integer(field))
    return try withUnsafeBytes(of: word.bigEndian) { try seal($0, property, of: node.reference) }
  }

  /// Sets a field of a row to a value that was sealed.
  func open(
    _ sealed: UnsafeRawBufferPointer, _ attribute: AttributeDescription, of reference: Int64,
    into builder: NodeBuilder
  ) throws {
    let property = try sealing.property(attribute)
    let plain = try open(sealed, property, of: reference)
    try plain.withUnsafeBytes { bytes in
      if attribute.type.isStoredAsBytes { return builder.set(attribute.field, bytes: bytes) }
      guard bytes.count == 8 else { throw Self.damage(property) }
      builder.set(attribute.field, integer: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)))
    }
  }
}

extension AttributeType {
  /// A field of a row, with one form for equal numbers.
  fileprivate func word(_ word: Int64) -> Int64 {
    let isFraction = self == .double || self == .float || self == .date
    // Minus zero, which is equal to zero, has the first bit.
    return isFraction && word == .min ? 0 : word
  }

  /// The bytes that a sealed value of the type has; nil where no value of it is equal to this one, or the
  /// types have to be compared.
  func sealedBytes(_ value: AttributeValue) -> [UInt8]? {
    if let word = number(value) { return withUnsafeBytes(of: self.word(word).bigEndian) { Array($0) } }
    switch (self, value) {
    case (.string, .string(let text)): return Array(text.utf8)
    case (.binary, .data(let data)): return Array(data)
    case (.uuid, _), (.uri, _), (.objectID, _), (.decimal, _):
      switch FieldCoding.bytes(self, value) {
      case .text(let text): return Array(text.utf8)
      case .blob(let bytes): return bytes
      case nil: return nil
      }
    default: return nil
    }
  }

  /// The field of a row that a number, a date or a flag of the type has.
  private func number(_ value: AttributeValue) -> Int64? {
    func bits(_ number: Double) -> Int64? { number.isNaN ? nil : Int64(bitPattern: number.bitPattern) }
    let isFraction = self == .double || self == .float
    switch value {
    case .integer(let number) where isInteger: return number
    case .integer(let number) where isFraction && Int64(exactly: Double(number)) == number:
      return bits(Double(number))
    case .double(let number) where isFraction: return bits(number)
    case .boolean(let flag) where self == .boolean: return flag ? 1 : 0
    case .date(let date) where self == .date: return bits(date.timeIntervalSinceReferenceDate)
    default: return nil
    }
  }
}
