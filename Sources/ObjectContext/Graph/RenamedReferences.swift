/// The new reference numbers of renamed objects: mostly permanent numbers for temporary ones.
struct RenamedReferences {
  // Temporary numbers are assigned downwards without a gap, so those of one context are mostly
  // adjacent.
  private let greatest: Int64
  private var near: [Int64] = []
  private var far: [Int64: Int64] = [:]

  init(_ temporary: [Int64], _ permanent: [Int64]) {
    greatest = temporary.max() ?? 0
    let span = greatest - (temporary.min() ?? 0) + 1
    if span <= 1024 + 8 * temporary.count {
      near = Array(repeating: 0, count: Int(span))
      for (old, new) in zip(temporary, permanent) { near[Int(greatest - old)] = new }
    } else {
      far = Dictionary(zip(temporary, permanent), uniquingKeysWith: { first, _ in first })
    }
  }

  /// The new number of a renamed number; nil for a number that was not renamed.
  subscript(reference: Int64) -> Int64? {
    if reference > greatest { return nil }
    if !far.isEmpty { return far[reference] }
    guard greatest - reference < near.count else { return nil }
    let new = near[Int(greatest - reference)]
    return new == 0 ? nil : new
  }
}
