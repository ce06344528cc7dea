import Locks

/// The plans of the request shapes seen, so that SQL is written and prepared once a shape.
final class FetchPlanCache: Sendable {
  private final class Entry: Sendable {
    let shape: RequestShape
    let plan: FetchPlan

    init(_ shape: RequestShape, _ plan: FetchPlan) {
      self.shape = shape
      self.plan = plan
    }
  }

  private struct Plans {
    var byShape: [RequestShape: Entry] = [:]
    /// The one used last: programs ask the same again, and comparing costs less than hashing.
    var last: Entry?

    mutating func plan(_ shape: RequestShape) -> FetchPlan? {
      if let last, last.shape == shape { return last.plan }
      guard let known = byShape[shape] else { return nil }
      last = known
      return known.plan
    }
  }

  private let plans = Locked(Plans())
  private static let most = 512

  func plan(_ shape: RequestShape, make: () throws -> FetchPlan) rethrows -> FetchPlan {
    if let known = plans.withLock({ $0.plan(shape) }) { return known }
    let new = try make()
    // The first request of a shape stays as its key; long lists are not worth keeping for that.
    if shape.isLong { return new }
    plans.withLock { plans in
      // Programs have few shapes; a program that makes ever new ones clears the cache now and then.
      if plans.byShape.count >= Self.most { plans.byShape.removeAll() }
      plans.byShape[shape] = Entry(shape, new)
    }
    return new
  }
}
