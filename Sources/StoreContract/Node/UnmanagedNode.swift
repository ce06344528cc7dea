/// A node whose owner retains and releases it by hand, so that reading a field counts no
/// references.
package struct UnmanagedNode {
  @usableFromInline let storage: Unmanaged<NodeStorage>

  /// Retains a node until `release`.
  @inlinable
  package init(retaining node: IncrementalStoreNode) { storage = .passRetained(node.storage) }

  /// Refers to a node that somebody else retains.
  @inlinable
  package init(unretained node: IncrementalStoreNode) { storage = .passUnretained(node.storage) }

  @inlinable
  package func retain() { _ = storage.retain() }

  @inlinable
  package func release() { storage.release() }

  @inlinable
  package var node: IncrementalStoreNode { IncrementalStoreNode(storage.takeUnretainedValue()) }

  @inlinable @inline(__always)
  func word(_ field: Int) -> UInt64 {
    storage._withUnsafeGuaranteedRef { storage in
      storage.withUnsafeMutablePointers { header, words in words[Int(header.pointee.maskWords) + field] }
    }
  }

  @inlinable @inline(__always)
  package func isNull(_ field: Int) -> Bool {
    storage._withUnsafeGuaranteedRef { storage in
      storage.withUnsafeMutablePointerToElements { $0[field >> 6] & (1 << UInt64(field & 63)) != 0 }
    }
  }

  @inlinable @inline(__always)
  package func integer(_ field: Int) -> Int64 { Int64(bitPattern: word(field)) }

  @inlinable @inline(__always)
  package func double(_ field: Int) -> Double { Double(bitPattern: word(field)) }

  /// Whether the store left the bytes of an external attribute out of the row.
  @inlinable @inline(__always)
  package func isUnread(_ field: Int) -> Bool { word(field) == 0 && !isNull(field) }

  /// Makes a value of the bytes of a string or binary field, which must not release the node.
  @inlinable @inline(__always)
  package func fromBytes<R>(_ field: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    storage._withUnsafeGuaranteedRef { storage in
      storage.withUnsafeMutablePointers { header, words in
        let span = words[Int(header.pointee.maskWords) + field]
        let start = UnsafeRawPointer(words) + Int(span >> 32)
        return body(UnsafeRawBufferPointer(start: start, count: Int(span & 0xFFFF_FFFF)))
      }
    }
  }
}
