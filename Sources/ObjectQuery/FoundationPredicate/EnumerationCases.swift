/// The cases of enumerations, those that do not list them included.
package enum EnumerationCases {
  /// All cases; nil for what is no enumeration, and for one whose cases hold values.
  package static func all<T>(_ type: T.Type) -> [T]? {
    if let cases = (type as? any CaseIterable.Type)?.every as? [T] { return cases }
    // The runtime's own description of an enumeration: a word that says what kind of type it is,
    // and where the rest stands.
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafePointer<Int>.self)
    guard metadata.pointee == 0x201, MemoryLayout<T>.size <= 1,
      let description = UnsafeRawPointer(bitPattern: metadata[1])
    else { return nil }
    let holding = description.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let count = description.load(fromByteOffset: 24, as: UInt32.self)
    guard holding == 0, (1...256).contains(count) else { return nil }
    // Cases that hold nothing are numbered from 0, in one byte.
    return (0..<count).map { number in
      withUnsafeBytes(of: UInt8(truncatingIfNeeded: number)) { $0.load(as: T.self) }
    }
  }
}

extension CaseIterable {
  fileprivate static var every: Any { Array(allCases) }
}
