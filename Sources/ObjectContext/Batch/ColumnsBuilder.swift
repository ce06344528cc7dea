import Glibc
import ObjectModel
import StoreContract

/// Memory that grows at its end.
///
/// Large blocks move by their page tables, not by copying.
struct GrowingMemory {
  private(set) var base: UnsafeMutableRawPointer
  private(set) var count = 0
  private var capacity: Int

  init(capacity: Int) {
    self.capacity = max(capacity, 256)
    base = Self.checked(malloc(self.capacity))
  }

  @inline(__always)
  mutating func append<T: BitwiseCopyable>(_ value: T) {
    if count + MemoryLayout<T>.size > capacity { grow(MemoryLayout<T>.size) }
    (base + count).storeBytes(of: value, as: T.self)
    count += MemoryLayout<T>.size
  }

  @inline(__always)
  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
    if count + bytes.count > capacity { grow(bytes.count) }
    (base + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  private mutating func grow(_ more: Int) { reserve(max(capacity * 2, count + more)) }

  mutating func reserve(_ bytes: Int) {
    if bytes <= capacity { return }
    capacity = bytes
    base = Self.checked(realloc(base, bytes))
  }

  mutating func fit() {
    capacity = max(count, 1)
    base = Self.checked(realloc(base, capacity))
  }

  private static func checked(_ memory: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer {
    // As Swift's own arrays do: there is nothing to go on with.
    guard let memory else { fatalError("out of memory") }
    return memory
  }
}

/// Fills columns row by row.
final class ColumnsBuilder {
  private let columns: RowColumns
  private let isBytes: [Bool]
  private let numbers: UnsafeMutableBufferPointer<GrowingMemory>
  private let texts: UnsafeMutableBufferPointer<GrowingMemory>
  private var nulls: [[UInt64]]
  private var count = 0

  init(_ columns: RowColumns) {
    self.columns = columns
    isBytes = columns.types.map { FetchedColumns.Kind($0) == .bytes }
    let width = columns.types.count
    nulls = Array(repeating: [], count: width)
    numbers = .allocate(capacity: width)
    texts = .allocate(capacity: width)
    for place in 0..<width {
      numbers.initializeElement(at: place, to: GrowingMemory(capacity: columns.expectedCount * 8))
      texts.initializeElement(at: place, to: GrowingMemory(capacity: 0))
    }
  }

  deinit {
    for place in numbers.indices {
      free(numbers[place].base)
      free(texts[place].base)
    }
    numbers.deallocate()
    texts.deallocate()
  }

  func append(_ row: RowCursor) {
    for place in 0..<numbers.count {
      if isBytes[place] {
        texts[place].append(row.bytes(place))
        numbers[place].append(texts[place].count)
      } else {
        numbers[place].append(row.integer(place))
      }
      if row.isNull(place) { noteNull(place) }
    }
    count += 1
    if count == Self.sample { makeRoom() }
  }

  private static let sample = 512
  private static let mostRoom = 64 << 20

  /// The first rows tell how much room all of them take.
  private func makeRoom() {
    for place in texts.indices where isBytes[place] {
      let perRow = min(texts[place].count / Self.sample, Self.mostRoom / max(columns.expectedCount, 1))
      texts[place].reserve(perRow * columns.expectedCount / 8 * 9)
    }
  }

  private func noteNull(_ place: Int) {
    while nulls[place].count <= count >> 6 { nulls[place].append(0) }
    nulls[place][count >> 6] |= 1 << UInt64(count & 63)
  }

  /// The columns; this builder has none left then.
  func finish() -> FetchedColumns {
    for place in numbers.indices {
      numbers[place].fit()
      texts[place].fit()
    }
    let buffers = numbers.indices.map { place in
      defer {
        numbers[place] = GrowingMemory(capacity: 0)
        texts[place] = GrowingMemory(capacity: 0)
      }
      return ColumnBuffer(numbers: numbers[place], texts: texts[place], nulls: nulls[place])
    }
    return FetchedColumns(columns: columns, count: count, buffers: buffers)
  }
}

/// The memory of one column, which is not written to after it was filled.
@usableFromInline
final class ColumnBuffer: @unchecked Sendable {
  // @unchecked: immutable from the moment it is made.
  /// Eight bytes a row: the number, or where the row's bytes end.
  @usableFromInline let numbers: UnsafeRawPointer
  @usableFromInline let bytes: UnsafeRawPointer
  private let nulls: [UInt64]

  init(numbers: GrowingMemory, texts: GrowingMemory, nulls: [UInt64]) {
    self.numbers = UnsafeRawPointer(numbers.base)
    bytes = UnsafeRawPointer(texts.base)
    self.nulls = nulls
  }

  deinit {
    free(UnsafeMutableRawPointer(mutating: numbers))
    free(UnsafeMutableRawPointer(mutating: bytes))
  }

  func isNull(_ row: Int) -> Bool {
    row >> 6 < nulls.count && nulls[row >> 6] & (1 << UInt64(row & 63)) != 0
  }
}
