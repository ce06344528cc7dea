/// Which reference number others became: mostly permanent ones of temporary ones.
struct RenamedReferences {
  // Temporary numbers are given out downwards without a gap, so a context's own mostly lie side by
  // side.
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

  /// What a number became; nil for all others.
  subscript(reference: Int64) -> Int64? {
    if reference > greatest { return nil }
    if !far.isEmpty { return far[reference] }
    guard greatest - reference < near.count else { return nil }
    let new = near[Int(greatest - reference)]
    return new == 0 ? nil : new
  }
}
