/// The objects of one root entity in a context by reference number; it retains none of them.
///
/// Open addressing with linear probing over one flat array of any length, at most three quarters full; the
/// object contains its key. Removal shifts the run back, so there are no tombstones. An object removes itself
/// when it is deallocated, so every pointer in the map refers to a live object.
struct IdentityMap: ~Copyable {
  private typealias Place = Unmanaged<ManagedObject>?
  private var places: UnsafeMutablePointer<Place>
  private var capacity = 16
  private(set) var count = 0

  init() {
    places = .allocate(capacity: capacity)
    places.initialize(repeating: nil, count: capacity)
  }

  deinit { places.deallocate() }

  @inline(__always)
  private func home(_ key: Int64) -> Int {
    // The product's high half spreads evenly over any capacity.
    let spread = UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: spread.multipliedFullWidth(by: UInt64(capacity)).high)
  }

  @inline(__always)
  private func next(_ index: Int) -> Int { index + 1 == capacity ? 0 : index + 1 }

  /// How far a place is behind another.
  @inline(__always)
  private func distance(from start: Int, to end: Int) -> Int {
    end >= start ? end - start : end - start + capacity
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
      index = next(index)
    }
    return nil
  }

  mutating func insert(_ object: ManagedObject) {
    if (count + 1) * 4 > capacity * 3 { resize(to: capacity * 2) }
    let own = object.reference
    var index = home(own)
    while let found = places[index], key(found) != own { index = next(index) }
    if places[index] == nil { count += 1 }
    places[index] = .passUnretained(object)
  }

  mutating func remove(_ wanted: Int64) {
    var hole = home(wanted)
    while true {
      guard let found = places[hole] else { return }
      if key(found) == wanted { break }
      hole = next(hole)
    }
    count -= 1
    var place = hole
    while true {
      place = next(place)
      guard let follower = places[place] else { break }
      if distance(from: home(key(follower)), to: place) >= distance(from: hole, to: place) {
        places[hole] = follower
        hole = place
      }
    }
    places[hole] = nil
  }

  /// Makes room for more objects at once.
  mutating func reserve(_ more: Int) {
    let needed = (count + more) * 4 / 3 + 1
    // Little by little it would grow each time.
    if needed > capacity { resize(to: count == 0 ? max(needed, 16) : max(needed, capacity * 2)) }
  }

  /// Puts every object where its present number belongs, after numbers were changed in place.
  mutating func rehash() { if count > 0 { resize(to: capacity) } }

  private mutating func resize(to newCapacity: Int) {
    let old = places
    let oldCapacity = capacity
    capacity = newCapacity
    places = .allocate(capacity: capacity)
    places.initialize(repeating: nil, count: capacity)
    for index in 0..<oldCapacity {
      guard let object = old[index] else { continue }
      var place = home(key(object))
      while places[place] != nil { place = next(place) }
      places[place] = object
    }
    old.deallocate()
  }

  /// All objects, in no order.
  func forEach(_ body: (ManagedObject) -> Void) {
    for index in 0..<capacity { if let object = places[index] { body(object.takeUnretainedValue()) } }
  }
}
