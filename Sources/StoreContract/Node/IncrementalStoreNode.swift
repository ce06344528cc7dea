public import ObjectModel

/// The state of one object in a store: ID, version, and all stored attributes and to-ones in one
/// packed row.
///
/// As `NSIncrementalStoreNode`.
///
/// The row is one allocation: a bit a field for null, eight bytes a field, then string and binary
/// data. Values are made when they are read. Immutable once built, so contexts and threads share it
/// freely.
public struct IncrementalStoreNode: @unchecked Sendable {
  // @unchecked: only NodeBuilder writes the storage, before anybody else has it, and never after.
  @usableFromInline let storage: NodeStorage

  @usableFromInline
  init(_ storage: NodeStorage) { self.storage = storage }

  // By pointer: each read of the buffer's own `header` costs a run-time exclusivity check.
  @inlinable @inline(__always)
  func header<R>(_ path: (UnsafeMutablePointer<NodeStorage.Header>) -> R) -> R {
    storage.withUnsafeMutablePointerToHeader(path)
  }

  /// Whether two nodes are the same row in memory.
  @inlinable
  public func isIdentical(to other: IncrementalStoreNode?) -> Bool { storage === other?.storage }

  /// The entity and store of the object.
  @inlinable public var storeEntity: StoreEntity { header { $0.pointee.storeEntity } }
  /// The entity of the object.
  @inlinable public var entity: EntityDescription { header { $0.pointee.storeEntity.entity } }
  /// The node where it is of an entity or one of its subentities, else nil.
  package func of(_ entity: EntityDescription) -> IncrementalStoreNode? {
    self.entity.isKind(of: entity) ? self : nil
  }
  /// The object's number in its root entity.
  @inlinable public var reference: Int64 { header { $0.pointee.reference } }
  /// 1 when inserted; each save that changes the object adds 1.
  @inlinable public var version: Int64 { header { $0.pointee.version } }
  /// The object's ID.
  @inlinable public var objectID: ManagedObjectID { ManagedObjectID(storeEntity, reference: reference) }
  /// The bytes this node occupies besides its object header.
  public var byteCount: Int {
    Int(header { $0.pointee.wordCount }) * 8 + MemoryLayout<NodeStorage.Header>.size
  }

  @inlinable @inline(__always)
  func word(_ index: Int) -> UInt64 { storage.withUnsafeMutablePointerToElements { $0[index] } }

  @inlinable @inline(__always)
  func fieldWord(_ field: Int) -> UInt64 {
    storage.withUnsafeMutablePointers { header, words in words[Int(header.pointee.maskWords) + field] }
  }

  /// Whether a field is null.
  @inlinable
  public func isNull(_ field: Int) -> Bool { word(field >> 6) & (1 << UInt64(field & 63)) != 0 }

  /// Whether the store left the bytes of an external attribute out of the row.
  ///
  /// `withBytes` and `value(of:)` then see none; `IncrementalStore.wholeValues(for:of:)` reads
  /// them. Meaningless for other fields.
  @inlinable
  public func isUnread(_ field: Int) -> Bool { fieldWord(field) == 0 && !isNull(field) }

  /// An integer, boolean or to-one field; 0 when null.
  @inlinable
  public func integer(_ field: Int) -> Int64 { Int64(bitPattern: fieldWord(field)) }

  /// A double, float or date field (seconds since 2001-01-01 UTC); 0 when null.
  @inlinable
  public func double(_ field: Int) -> Double { Double(bitPattern: fieldWord(field)) }

  /// The bytes of a string or binary field, valid while the closure runs; empty when null.
  @inlinable
  public func withBytes<R, E: Error>(
    _ field: Int, _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    let span = fieldWord(field)
    let base = UnsafeRawPointer(storage.withUnsafeMutablePointerToElements { $0 })
    let bytes = UnsafeRawBufferPointer(
      start: base + Int(span >> 32), count: Int(span & 0xFFFF_FFFF))
    defer { withExtendedLifetime(storage) {} }
    return try body(bytes)
  }

  /// The to-one destination's reference number; nil when null.
  @inlinable
  public func reference(_ field: Int) -> Int64? { isNull(field) ? nil : integer(field) }
}

/// The one allocation of a node.
@usableFromInline
final class NodeStorage: ManagedBuffer<NodeStorage.Header, UInt64> {
  /// The fixed part of a row, in front of the fields.
  @usableFromInline
  struct Header {
    @usableFromInline let storeEntity: StoreEntity
    @usableFromInline let reference: Int64
    @usableFromInline let version: Int64
    @usableFromInline let maskWords: Int32
    @usableFromInline let wordCount: Int32

    @usableFromInline
    init(storeEntity: StoreEntity, reference: Int64, version: Int64, maskWords: Int32, wordCount: Int32) {
      self.storeEntity = storeEntity
      self.reference = reference
      self.version = version
      self.maskWords = maskWords
      self.wordCount = wordCount
    }
  }
}
