import StoreContract

extension HistoryChanges.Kind {
  var isDeletion: Bool { self == .delete || self == .deletePreserving }

  var changeType: PersistentHistoryChange.ChangeType {
    switch self {
    case .insert: .insert
    case .update: .update
    case .delete, .deletePreserving: .delete
    }
  }
}
