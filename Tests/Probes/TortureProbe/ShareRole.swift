/// What a process that shares a store does, again and again.
enum ShareRole: String, CaseIterable {
  case write, read, open, pin
  case compact, restore, convert, rotate, backUp, verify, moveKey

  /// How many processes do it at once.
  var processes: Int { self == .write ? 3 : 1 }

  /// Whether it needs the store alone, so that it may be told that the store is in use.
  var needsStoreAlone: Bool {
    switch self {
    case .compact, .restore, .convert, .rotate: true
    default: false
    }
  }
}
