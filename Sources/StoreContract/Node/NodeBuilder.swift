/// Builds packed rows: set fields in any order, then `finish` makes the node with one allocation.
///
/// One builder serves any number of rows and reuses its scratch memory. Not Sendable.
public final class NodeBuilder {
  /// What changes from row to row.
  ///
  /// Access by pointer costs no run-time exclusivity check.
  @usableFromInline
  struct Scratch {
    @usableFromInline var base: UnsafeMutablePointer<UInt64>
    @usableFromInline var capacity: Int
    @usableFromInline var maskWords = 0
    @usableFromInline var tail = 0  // bytes from base

    init(capacity: Int) {
      self.capacity = capacity
      base = .allocate(capacity: capacity)
    }
  }

  @usableFromInline let scratch: UnsafeMutablePointer<Scratch>
  @usableFromInline static var retainedWords: Int { 1 << 16 }

  /// Creates a builder with a small scratch memory.
  public init() {
    scratch = .allocate(capacity: 1)
    scratch.initialize(to: Scratch(capacity: 128))
  }

  deinit {
    scratch.pointee.base.deallocate()
    scratch.deallocate()
  }

  /// Starts a row with every field null.
  @inlinable @inline(__always)
  public func begin(fieldCount: Int) {
    let maskWords = (fieldCount + 63) >> 6
    let fixedWords = maskWords + fieldCount
    if fixedWords > scratch.pointee.capacity || scratch.pointee.capacity > Self.retainedWords {
      resize(max(fixedWords * 2, 128), keeping: 0)
    }
    scratch.pointee.maskWords = maskWords
    let base = scratch.pointee.base
    for index in 0..<maskWords { base[index] = ~0 }
    for index in maskWords..<fixedWords { base[index] = 0 }
    scratch.pointee.tail = fixedWords * 8
  }

  @usableFromInline
  func resize(_ words: Int, keeping bytes: Int) {
    let new = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
    UnsafeMutableRawPointer(new).copyMemory(from: scratch.pointee.base, byteCount: bytes)
    scratch.pointee.base.deallocate()
    scratch.pointee.base = new
    scratch.pointee.capacity = words
  }

  @inlinable @inline(__always)
  func setWord(_ field: Int, _ word: UInt64) {
    let base = scratch.pointee.base
    base[field >> 6] &= ~(1 << UInt64(field & 63))
    base[scratch.pointee.maskWords + field] = word
  }

  /// Whether a field of the current row is null.
  @inlinable
  public func isNull(_ field: Int) -> Bool {
    scratch.pointee.base[field >> 6] & (1 << UInt64(field & 63)) != 0
  }

  @inlinable
  package func word(_ field: Int) -> UInt64 { scratch.pointee.base[scratch.pointee.maskWords + field] }

  /// The bytes of a string or binary field of the current row; setting another field invalidates
  /// them.
  @inlinable
  package func bytes(_ field: Int) -> UnsafeRawBufferPointer {
    let span = word(field)
    return UnsafeRawBufferPointer(
      start: UnsafeRawPointer(scratch.pointee.base) + Int(span >> 32), count: Int(span & 0xFFFF_FFFF))
  }

  /// Sets a field to null.
  @inlinable
  public func setNull(_ field: Int) {
    let base = scratch.pointee.base
    base[field >> 6] |= 1 << UInt64(field & 63)
    base[scratch.pointee.maskWords + field] = 0
  }

  /// Marks the bytes of a field as stored but not read.
  ///
  /// Offset 0 marks them: real bytes never begin at the start of the row.
  @inlinable
  public func setUnread(_ field: Int) { setWord(field, 0) }

  /// Sets an integer, boolean or to-one field.
  @inlinable @inline(__always)
  public func set(_ field: Int, integer: Int64) { setWord(field, UInt64(bitPattern: integer)) }

  /// Sets a double, float or date field.
  @inlinable @inline(__always)
  public func set(_ field: Int, double: Double) { setWord(field, double.bitPattern) }

  /// Sets a string or binary field; copies the bytes.
  ///
  /// At most 4 GiB a row.
  @inlinable @inline(__always)
  public func set(_ field: Int, bytes: UnsafeRawBufferPointer) {
    let tail = scratch.pointee.tail
    let needed = tail + bytes.count
    if needed > scratch.pointee.capacity * 8 {
      resize(max(scratch.pointee.capacity * 2, (needed + 7) >> 3), keeping: tail)
    }
    if let start = bytes.baseAddress {
      (UnsafeMutableRawPointer(scratch.pointee.base) + tail).copyMemory(from: start, byteCount: bytes.count)
    }
    setWord(field, UInt64(tail) << 32 | UInt64(bytes.count))
    scratch.pointee.tail = needed
  }

  /// Copies a field of another node of an entity with the same field.
  @inlinable
  public func copy(_ field: Int, from node: IncrementalStoreNode, isBytes: Bool) {
    if node.isNull(field) {
      setNull(field)
    } else if isBytes, node.isUnread(field) {
      setUnread(field)
    } else if isBytes {
      node.withBytes(field) { set(field, bytes: $0) }
    } else {
      set(field, integer: node.integer(field))
    }
  }

  /// Makes the node of the current row and ends the row.
  @inlinable
  public func finish(_ storeEntity: StoreEntity, reference: Int64, version: Int64) -> IncrementalStoreNode {
    let words = (scratch.pointee.tail + 7) >> 3
    let maskWords = Int32(truncatingIfNeeded: scratch.pointee.maskWords)
    let buffer = NodeStorage.create(minimumCapacity: words) { _ in
      NodeStorage.Header(
        storeEntity: storeEntity, reference: reference, version: version, maskWords: maskWords,
        wordCount: Int32(truncatingIfNeeded: words))
    }
    buffer.withUnsafeMutablePointerToElements {
      UnsafeMutableRawPointer($0).copyMemory(from: scratch.pointee.base, byteCount: words * 8)
    }
    // Release a long scratch row now, so that memory does not have the row twice during the write.
    if scratch.pointee.capacity > Self.retainedWords { resize(128, keeping: 0) }
    return IncrementalStoreNode(unsafeDowncast(buffer, to: NodeStorage.self))
  }
}
