/// How the server plans the statements of a connection.
///
/// It holds until it is changed: a change in each transaction would take the server longer than a small
/// statement.
enum ServerPlanning {
  /// As the server, the database and the user have it.
  case asSet
  /// Plans are the same for all arrays: the server would else make one for each. A plan is made when the
  /// tables are small, and stays when they are not: what is found by its number is never searched for.
  case forSaves

  /// All statements that change it.
  static let changes = asSet.statements + forSaves.statements

  /// The statements that change it.
  ///
  /// None reads: after one that does, a transaction cannot say any more how it is isolated.
  var statements: [String] {
    switch self {
    case .asSet: ["RESET plan_cache_mode", "RESET random_page_cost"]
    case .forSaves: ["SET plan_cache_mode TO force_generic_plan", "SET random_page_cost TO 0.1"]
    }
  }
}

extension ServerConnection {
  /// Has the server plan what comes next in another way, with the next statement whose answer is waited for.
  ///
  /// Two statements; none where it does so already.
  func plan(_ next: ServerPlanning) {
    if planning == next { return }
    for statement in next.statements { add(statement) }
    planning = next
  }
}
