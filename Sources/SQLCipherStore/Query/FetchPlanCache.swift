import Locks

/// The plans of the request shapes seen, so that SQL is written and prepared once a shape.
final class FetchPlanCache: Sendable {
  private let plans = Locked<[RequestShape: FetchPlan]>([:])
  private static let most = 512

  func plan(_ shape: RequestShape, make: () throws -> FetchPlan) rethrows -> FetchPlan {
    if let known = plans.withLock({ $0[shape] }) { return known }
    let new = try make()
    // The first request of a shape stays as its key; long lists are not worth keeping for that.
    if shape.isLong { return new }
    plans.withLock { plans in
      // Programs have few shapes; a program that makes ever new ones clears the cache now and then.
      if plans.count >= Self.most { plans.removeAll() }
      plans[shape] = new
    }
    return new
  }
}
