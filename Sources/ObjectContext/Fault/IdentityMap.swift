/// The objects of one root entity in a context by reference number; holds none of them.
///
/// Open addressing with linear probing over two flat arrays; removal shifts the run back, so there are no
/// tombstones. An object takes itself out when it is deallocated, so a pointer found is always alive.
struct IdentityMap: ~Copyable {
  private var keys: UnsafeMutablePointer<Int64>
  private var values: UnsafeMutablePointer<Unmanaged<ManagedObject>>
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 15
    keys = .allocate(capacity: 16)
    keys.initialize(repeating: 0, count: 16)
    values = .allocate(capacity: 16)
  }

  deinit {
    keys.deallocate()
    values.deallocate()
  }

  @inline(__always)
  private func home(_ key: Int64) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15 >> 20) & mask
  }

  @inline(__always)
  func object(_ key: Int64) -> ManagedObject? {
    var index = home(key)
    while true {
      let found = keys[index]
      if found == key { return values[index].takeUnretainedValue() }
      if found == 0 { return nil }
      index = (index + 1) & mask
    }
  }

  mutating func insert(_ key: Int64, _ object: ManagedObject) {
    if (count + 1) * 4 > (mask + 1) * 3 { grow() }
    var index = home(key)
    while keys[index] != 0, keys[index] != key { index = (index + 1) & mask }
    if keys[index] == 0 { count += 1 }
    keys[index] = key
    values[index] = .passUnretained(object)
  }

  mutating func remove(_ key: Int64) {
    var hole = home(key)
    while keys[hole] != key {
      if keys[hole] == 0 { return }
      hole = (hole + 1) & mask
    }
    count -= 1
    var next = hole
    while true {
      next = (next + 1) & mask
      if keys[next] == 0 { break }
      let distance = (next - home(keys[next])) & mask
      if distance >= (next - hole) & mask {
        keys[hole] = keys[next]
        values[hole] = values[next]
        hole = next
      }
    }
    keys[hole] = 0
  }

  private mutating func grow() {
    let oldKeys = keys
    let oldValues = values
    let oldCapacity = mask + 1
    let capacity = oldCapacity * 2
    mask = capacity - 1
    keys = .allocate(capacity: capacity)
    keys.initialize(repeating: 0, count: capacity)
    values = .allocate(capacity: capacity)
    for index in 0..<oldCapacity where oldKeys[index] != 0 {
      var place = home(oldKeys[index])
      while keys[place] != 0 { place = (place + 1) & mask }
      keys[place] = oldKeys[index]
      values[place] = oldValues[index]
    }
    oldKeys.deallocate()
    oldValues.deallocate()
  }

  /// All objects, in no order.
  func forEach(_ body: (ManagedObject) -> Void) {
    for index in 0...mask where keys[index] != 0 { body(values[index].takeUnretainedValue()) }
  }
}
