import ObjectModel
import StoreContract

/// What an object has beside its stored row: values set since, and its to-manys. Made when first needed.
final class ObjectChanges {
  @exclusivity(unchecked) var values: [AttributeValue] = []
  @exclusivity(unchecked) private(set) var changed = SlotSet()
  @exclusivity(unchecked) private(set) var toManys: [ToManyState] = []

  /// For a new object: every slot is set, to its default.
  init(defaultsOf entity: Entity) {
    values = entity.defaultValues
    changed = SlotSet(upTo: values.count)
  }

  init() {}

  @inline(__always)
  func value(_ slot: Int) -> AttributeValue? { changed.contains(slot) ? values[slot] : nil }

  func set(_ slot: Int, _ value: AttributeValue, slotCount: Int) {
    if values.isEmpty { values = Array(repeating: .null, count: slotCount) }
    values[slot] = value
    changed.insert(slot)
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

  /// Replaces temporary reference numbers by permanent ones.
  func rename(_ permanent: RenamedReferences) {
    for slot in values.indices {
      if case .reference(let old) = values[slot], let new = permanent[old] { values[slot] = .reference(new) }
    }
    for state in toManys { state.rename(permanent) }
  }

  /// The persistent changes are in the store now; transient values and loaded to-manys stay.
  func settle(_ transientSlots: SlotSet) {
    changed.formIntersection(transientSlots)
    if changed.isEmpty { values = [] }
    for state in toManys { state.settle() }
  }
}
