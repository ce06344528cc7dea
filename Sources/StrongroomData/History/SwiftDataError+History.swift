import StoreContract

extension SwiftDataError {
  /// For `historyTokenExpired`: where to go on once the models were read again; nil for the beginning, and
  /// for other errors.
  public var historyToken: DefaultHistoryToken? {
    guard let error = cause as? StoreError, let token = error.historyToken else { return nil }
    return DefaultHistoryToken(token)
  }

  /// What the typed layer says of a failure of the engine's.
  static func ofHistory(_ error: StoreError) -> any Error {
    switch error.code {
    case .historyTokenExpired, .historyTokenForeign:
      SwiftDataError(.historyTokenExpired, error.message, cause: error)
    case .unsupportedRequest: DataStoreError.unsupportedFeature
    default: error
    }
  }
}
