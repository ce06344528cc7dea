/// What one query does when its models change.
@MainActor
final class QueryListener {
  private var action: () -> Void = {}

  /// Does something else from now on, for as long as an owner lives.
  func set<Owner: AnyObject>(_ owner: Owner, _ action: @escaping (Owner) -> Void) {
    self.action = { [weak owner] in if let owner { action(owner) } }
  }

  func modelsChanged() { action() }
}
