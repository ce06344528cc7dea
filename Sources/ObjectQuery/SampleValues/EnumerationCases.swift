/// The cases of enumerations, those that do not list them included.
package enum EnumerationCases {
  /// All cases; nil for other types, and for enumerations with payloads.
  package static func all<T>(_ type: T.Type) -> [T]? {
    if let cases = (type as? any CaseIterable.Type)?.every as? [T] { return cases }
    // The runtime's metadata of an enumeration: a word with the kind of type, then the address of
    // its description, which has the numbers of cases with and without payload.
    let metadata = unsafeBitCast(type as Any.Type, to: UnsafePointer<Int>.self)
    guard metadata.pointee == 0x201, MemoryLayout<T>.size <= 1,
      let description = UnsafeRawPointer(bitPattern: metadata[1])
    else { return nil }
    let payloads = description.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let count = description.load(fromByteOffset: 24, as: UInt32.self)
    guard payloads == 0, (1...256).contains(count) else { return nil }
    // Cases without payloads are numbered from 0, in one byte.
    return (0..<count).map { number in
      withUnsafeBytes(of: UInt8(truncatingIfNeeded: number)) { $0.load(as: T.self) }
    }
  }
}

extension CaseIterable {
  fileprivate static var every: Any { Array(allCases) }
}
