import ObjectModel
import StoreContract

/// What an object has beside its stored row: values set since, and its to-manys. Made when first needed.
final class ObjectChanges {
  /// By slot; none before the first value is set.
  @exclusivity(unchecked) private(set) var values: UnsafeMutablePointer<AttributeValue>?
  /// The same while nobody wants to know of each value that is set: then a second setting may go past the context.
  @exclusivity(unchecked) var overwritable: UnsafeMutablePointer<AttributeValue>?
  private var slotCount = 0
  @exclusivity(unchecked) private(set) var changed = SlotSet()
  @exclusivity(unchecked) private(set) var toManys: [ToManyState] = []
  /// The row that the changes were made upon, where a batch or a deletion by others has put another one beneath them: the save
  /// is checked against this one. Nil where it is the object's.
  var committedRow: IncrementalStoreNode?

  /// For a new object: every slot is set, to its default.
  init(defaultsOf entity: Entity, isWatched: Bool) {
    slotCount = entity.slotCount
    let new = UnsafeMutablePointer<AttributeValue>.allocate(capacity: slotCount)
    entity.defaultValues.withUnsafeBufferPointer { defaults in
      if let start = defaults.baseAddress { new.initialize(from: start, count: slotCount) }
    }
    values = new
    overwritable = isWatched ? nil : new
    changed = SlotSet(upTo: slotCount)
  }

  init() {}

  deinit { removeValues() }

  private func removeValues() {
    values?.deinitialize(count: slotCount)
    values?.deallocate()
    values = nil
    overwritable = nil
  }

  @inline(__always)
  func value(_ slot: Int) -> AttributeValue? { changed.contains(slot) ? values?[slot] : nil }

  func set(_ slot: Int, _ value: AttributeValue, slotCount: Int, isWatched: Bool) {
    if values == nil {
      self.slotCount = slotCount
      values = .allocate(capacity: slotCount)
      values?.initialize(repeating: .null, count: slotCount)
    }
    overwritable = isWatched ? nil : values
    values?[slot] = value
    changed.insert(slot)
  }

  /// Leaves a slot as it is stored.
  func unset(_ slot: Int) {
    guard changed.contains(slot) else { return }
    values?[slot] = .null
    changed.remove(slot)
  }

  /// Lets go of what was read of to-manys, and keeps what was changed in them.
  func refault() {
    for state in toManys { state.refault() }
  }

  func toMany(_ relationship: Relationship, isNew: Bool) -> ToManyState {
    if let known = knownToMany(relationship) { return known }
    let state = ToManyState(relationship, isNew: isNew)
    toManys.append(state)
    return state
  }

  func knownToMany(_ relationship: Relationship) -> ToManyState? {
    for state in toManys where state.relationship === relationship { return state }
    return nil
  }

  /// Takes over to-manys of an object that is new again.
  func adopt(_ states: [ToManyState]) {
    toManys = states
    for state in states { state.becomeNew() }
  }

  /// Replaces temporary reference numbers by permanent ones.
  func rename(_ permanent: RenamedReferences) {
    if let values {
      for slot in 0..<slotCount {
        if case .reference(let old) = values[slot], let new = permanent[old] {
          values[slot] = .reference(new)
        }
      }
    }
    for state in toManys { state.rename { permanent[$0] } }
  }

  /// Replaces the numbers of objects of one root entity.
  func rename(leadingTo root: Entity, of entity: Entity, _ successors: [Int64: Int64]) {
    for relationship in entity.relationships where relationship.destination.root === root {
      if case .reference(let old)? = value(relationship.slot), let new = successors[old] {
        values?[relationship.slot] = .reference(new)
      }
      knownToMany(relationship)?.replace { successors[$0] }
    }
  }

  /// The same, to be changed apart.
  func copy() -> ObjectChanges {
    let copy = ObjectChanges()
    if let values {
      copy.slotCount = slotCount
      let new = UnsafeMutablePointer<AttributeValue>.allocate(capacity: slotCount)
      new.initialize(from: values, count: slotCount)
      copy.values = new
      copy.overwritable = overwritable == nil ? nil : new
    }
    copy.changed = changed
    copy.committedRow = committedRow
    copy.toManys = toManys.map { $0.copy() }
    return copy
  }

  /// The persistent changes are in the store now; transient values and loaded to-manys stay.
  func settle(_ transientSlots: SlotSet) {
    committedRow = nil
    changed.formIntersection(transientSlots)
    if changed.isEmpty { removeValues() }
    for state in toManys { state.settle() }
  }
}
