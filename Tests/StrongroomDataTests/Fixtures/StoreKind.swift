import PostgresServer
import Testing

/// What a container of a test stores its models in.
enum StoreKind: CaseIterable {
  case encrypted, server, json, sqlite

  /// The kind of `Place.container(for:)`.
  @TaskLocal static var current = encrypted
}

/// Runs a test, or each test of a suite, over several kinds of store; a test's own come before its suite's.
struct StoreKinds: SuiteTrait, TestTrait, TestScoping {
  let kinds: [StoreKind]
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let own = test.traits.compactMap { ($0 as? StoreKinds)?.kinds }.last
    if own != kinds { return try await function() }
    for kind in kinds where kind != .server || PostgresServer.programs != nil {
      try await StoreKind.$current.withValue(kind, operation: function)
    }
  }
}

extension Trait where Self == StoreKinds {
  static var everyStoreKind: Self { StoreKinds(kinds: StoreKind.allCases) }
  /// Those of a `ModelConfiguration`.
  static var configuredStores: Self { StoreKinds(kinds: [.encrypted, .server]) }
  static var encryptedStoresOnly: Self { StoreKinds(kinds: [.encrypted]) }
  static var serverStoresOnly: Self { StoreKinds(kinds: [.server]) }
}
