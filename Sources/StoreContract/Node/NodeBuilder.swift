/// Builds packed rows: fields are set in any order, then `finish` makes the node with one allocation.
///
/// One builder serves any number of rows; its scratch memory is kept between them. Not Sendable.
public final class NodeBuilder {
  @usableFromInline var base: UnsafeMutablePointer<UInt64>
  @usableFromInline var capacity: Int
  @usableFromInline var maskWords = 0
  @usableFromInline var tail = 0  // bytes from base
  @usableFromInline var fixedWords = 0
  @usableFromInline static let keptWords = 1 << 16

  /// Makes a builder with a little scratch memory.
  public init() {
    capacity = 128
    base = .allocate(capacity: capacity)
  }

  deinit { base.deallocate() }

  /// Starts a row with every field null.
  @inlinable
  public func begin(fieldCount: Int) {
    maskWords = (fieldCount + 63) >> 6
    fixedWords = maskWords + fieldCount
    if fixedWords > capacity || capacity > Self.keptWords { resize(max(fixedWords * 2, 128), keeping: 0) }
    for index in 0..<maskWords { base[index] = ~0 }
    for index in maskWords..<fixedWords { base[index] = 0 }
    tail = fixedWords * 8
  }

  @usableFromInline
  func resize(_ words: Int, keeping bytes: Int) {
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
    UnsafeMutableRawPointer(new).copyMemory(from: base, byteCount: bytes)
    base.deallocate()
    base = new
    capacity = words
  }

  @inlinable
  func setWord(_ field: Int, _ word: UInt64) {
    base[field >> 6] &= ~(1 << UInt64(field & 63))
    base[maskWords + field] = word
  }

  /// Makes a field null.
  @inlinable
  public func setNull(_ field: Int) {
    base[field >> 6] |= 1 << UInt64(field & 63)
    base[maskWords + field] = 0
  }

  /// Sets an integer, boolean or to-one field.
  @inlinable
  public func set(_ field: Int, integer: Int64) { setWord(field, UInt64(bitPattern: integer)) }

  /// Sets a double, float or date field.
  @inlinable
  public func set(_ field: Int, double: Double) { setWord(field, double.bitPattern) }

  /// Sets a text or blob field; the bytes are copied. At most 4 GiB a row.
  @inlinable
  public func set(_ field: Int, bytes: UnsafeRawBufferPointer) {
    let needed = tail + bytes.count
    if needed > capacity * 8 { resize(max(capacity * 2, (needed + 7) >> 3), keeping: tail) }
    if let start = bytes.baseAddress {
      (UnsafeMutableRawPointer(base) + tail).copyMemory(from: start, byteCount: bytes.count)
    }
    setWord(field, UInt64(tail) << 32 | UInt64(bytes.count))
    tail = needed
  }

  /// Copies a field of another node of an entity with the same field.
  @inlinable
  public func copy(_ field: Int, from node: IncrementalStoreNode, isBytes: Bool) {
    if node.isNull(field) {
      setNull(field)
    } else if isBytes {
      node.withBytes(field) { set(field, bytes: $0) }
    } else {
      set(field, integer: node.integer(field))
    }
  }

  /// Makes the node.
  @inlinable
  public func finish(_ storeEntity: StoreEntity, reference: Int64, version: Int64) -> IncrementalStoreNode {
    let words = (tail + 7) >> 3
    let buffer = NodeStorage.create(minimumCapacity: words) { _ in
      NodeStorage.Header(
        storeEntity: storeEntity, reference: reference, version: version, maskWords: Int32(maskWords),
        wordCount: Int32(words))
    }
    buffer.withUnsafeMutablePointerToElements {
      UnsafeMutableRawPointer($0).copyMemory(from: base, byteCount: words * 8)
    }
    return IncrementalStoreNode(unsafeDowncast(buffer, to: NodeStorage.self))
  }
}
