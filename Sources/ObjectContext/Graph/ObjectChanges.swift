import ObjectModel
import StoreContract

/// The changes of an object relative to its stored row: values that were set, and its to-manys.
///
/// Created when first needed.
final class ObjectChanges {
  /// The values by property index; nil before the first value is set.
  @exclusivity(unchecked) private(set) var values: UnsafeMutablePointer<AttributeValue>?
  /// `values`, or nil while each value that is set has to be recorded.
  ///
  /// Setting a value again through it bypasses the context.
  @exclusivity(unchecked) var overwritable: UnsafeMutablePointer<AttributeValue>?
  private var propertyCount = 0
  @exclusivity(unchecked) private(set) var changed = PropertyIndexSet()
  @exclusivity(unchecked) private(set) var toManys: [ToManyState] = []
  /// The row that the changes were based on, if a batch or a deletion elsewhere replaced the row.
  ///
  /// The save checks for conflicts with this row. It is nil if the changes are based on the
  /// object's current row.
  var committedRow: IncrementalStoreNode?

  /// Creates the changes of a new object: every property is set to its default value.
  init(defaultsOf entity: EntityDescription, isWatched: Bool) {
    propertyCount = entity.propertyCount
    let new = UnsafeMutablePointer<AttributeValue>.allocate(capacity: propertyCount)
    // One by one here and below: together, the runtime asks the type how to copy each.
    entity.defaultValues.withUnsafeBufferPointer { defaults in
      for index in 0..<propertyCount { (new + index).initialize(to: defaults[index]) }
    }
    values = new
    overwritable = isWatched ? nil : new
    changed = PropertyIndexSet(upTo: propertyCount)
  }

  init() {}

  deinit { removeValues() }

  private func removeValues() {
    guard let old = values else { return }
    values = nil
    overwritable = nil
    for index in 0..<propertyCount { (old + index).deinitialize(count: 1) }
    old.deallocate()
  }

  @inline(__always)
  func value(_ index: Int) -> AttributeValue? { changed.contains(index) ? values?[index] : nil }

  func set(_ index: Int, _ value: AttributeValue, propertyCount: Int, isWatched: Bool) {
    if values == nil {
      self.propertyCount = propertyCount
      values = .allocate(capacity: propertyCount)
      values?.initialize(repeating: .null, count: propertyCount)
    }
    overwritable = isWatched ? nil : values
    values?[index] = value
    changed.insert(index)
  }

  /// Removes the change of a property, so that its stored value applies.
  func unset(_ index: Int) {
    guard changed.contains(index) else { return }
    values?[index] = .null
    changed.remove(index)
  }

  /// Releases the destinations that were read for to-manys, and retains the changes to them.
  func refault() {
    for state in toManys { state.refault() }
  }

  func toMany(_ relationship: RelationshipDescription, isNew: Bool) -> ToManyState {
    if let known = knownToMany(relationship) { return known }
    let state = ToManyState(relationship, isNew: isNew)
    toManys.append(state)
    return state
  }

  func knownToMany(_ relationship: RelationshipDescription) -> ToManyState? {
    // An index, since an iterator counts references.
    let place = toManys.withUnsafeBufferPointer { states in
      states.firstIndex { $0.relationship === relationship }
    }
    return place.map { toManys[$0] }
  }

  /// Adopts the to-manys of an object that becomes new again.
  func adopt(_ states: [ToManyState]) {
    toManys = states
    for state in states { state.becomeNew() }
  }

  /// Replaces temporary reference numbers by permanent ones.
  func rename(_ permanent: RenamedReferences) {
    if let values {
      for index in 0..<propertyCount {
        if case .reference(let old) = values[index], let new = permanent[old] {
          values[index] = .reference(new)
        }
      }
    }
    for state in toManys { state.rename { permanent[$0] } }
  }

  /// Replaces reference numbers of objects of one root entity by their successors' numbers.
  func rename(leadingTo root: EntityDescription, of entity: EntityDescription, _ successors: [Int64: Int64]) {
    for relationship in entity.relationships where relationship.destination.root === root {
      if case .reference(let old)? = value(relationship.index), let new = successors[old] {
        values?[relationship.index] = .reference(new)
      }
      knownToMany(relationship)?.replace { successors[$0] }
    }
  }

  /// An independent copy.
  func copy() -> ObjectChanges {
    let copy = ObjectChanges()
    if let values {
      copy.propertyCount = propertyCount
      let new = UnsafeMutablePointer<AttributeValue>.allocate(capacity: propertyCount)
      new.initialize(from: values, count: propertyCount)
      copy.values = new
      copy.overwritable = overwritable == nil ? nil : new
    }
    copy.changed = changed
    copy.committedRow = committedRow
    copy.toManys = toManys.map { $0.copy() }
    return copy
  }

  /// Removes the persistent changes after a save; transient values and loaded to-manys stay.
  func settle(_ transientSlots: PropertyIndexSet) {
    committedRow = nil
    changed.formIntersection(transientSlots)
    if changed.isEmpty { removeValues() }
    for state in toManys { state.settle() }
  }
}
