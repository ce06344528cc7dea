/// The objects of one root entity in a context by reference number; it retains none of them.
///
/// Open addressing with linear probing over one flat array; the object contains its key. Removal
/// shifts the run back, so there are no tombstones. An object removes itself when it is
/// deallocated, so every pointer in the map refers to a live object.
struct IdentityMap: ~Copyable {
  private typealias Place = Unmanaged<ManagedObject>?
  private var places: UnsafeMutablePointer<Place>
  private var mask: Int
  private(set) var count = 0

  init() {
    mask = 15
    places = .allocate(capacity: 16)
    places.initialize(repeating: nil, count: 16)
  }

  deinit { places.deallocate() }

  @inline(__always)
  private func home(_ key: Int64) -> Int {
    Int(truncatingIfNeeded: UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15 >> 20) & mask
  }

  @inline(__always)
  private func key(_ object: Unmanaged<ManagedObject>) -> Int64 {
    object._withUnsafeGuaranteedRef { $0.reference }
  }

  @inline(__always)
  func object(_ wanted: Int64) -> ManagedObject? {
    var index = home(wanted)
    while let found = places[index] {
      if key(found) == wanted { return found.takeUnretainedValue() }
      index = (index + 1) & mask
    }
    return nil
  }

  mutating func insert(_ object: ManagedObject) {
    if (count + 1) * 4 > (mask + 1) * 3 { resize(to: (mask + 1) * 2) }
    let own = object.reference
    var index = home(own)
    while let found = places[index], key(found) != own { index = (index + 1) & mask }
    if places[index] == nil { count += 1 }
    places[index] = .passUnretained(object)
  }

  mutating func remove(_ wanted: Int64) {
    var hole = home(wanted)
    while true {
      guard let found = places[hole] else { return }
      if key(found) == wanted { break }
      hole = (hole + 1) & mask
    }
    count -= 1
    var next = hole
    while true {
      next = (next + 1) & mask
      guard let follower = places[next] else { break }
      let distance = (next - home(key(follower))) & mask
      if distance >= (next - hole) & mask {
        places[hole] = follower
        hole = next
      }
    }
    places[hole] = nil
  }

  /// Makes room for more objects at once.
  mutating func reserve(_ more: Int) {
    var capacity = mask + 1
    while (count + more) * 4 > capacity * 3 { capacity *= 2 }
    if capacity > mask + 1 { resize(to: capacity) }
  }

  private mutating func resize(to capacity: Int) {
    let old = places
    let oldCapacity = mask + 1
    mask = capacity - 1
    places = .allocate(capacity: capacity)
    places.initialize(repeating: nil, count: capacity)
    for index in 0..<oldCapacity {
      guard let object = old[index] else { continue }
      var place = home(key(object))
      while places[place] != nil { place = (place + 1) & mask }
      places[place] = object
    }
    old.deallocate()
  }

  /// All objects, in no order.
  func forEach(_ body: (ManagedObject) -> Void) {
    for index in 0...mask { if let object = places[index] { body(object.takeUnretainedValue()) } }
  }
}
