import Testing

/// What a container of a test stores its models in.
enum StoreKind: CaseIterable {
  case encrypted, json, sqlite

  /// The kind of `Place.container(for:)`.
  @TaskLocal static var current = encrypted
}

/// Runs each test of a suite over every kind of store.
struct EveryStoreKind: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    if test.traits.contains(where: { $0 is EncryptedStoresOnly }) { return try await function() }
    for kind in StoreKind.allCases { try await StoreKind.$current.withValue(kind, operation: function) }
  }
}

/// Marks a test of what a program's own stores do otherwise, or not at all.
struct EncryptedStoresOnly: TestTrait {}

extension Trait where Self == EveryStoreKind {
  static var everyStoreKind: Self { EveryStoreKind() }
}

extension Trait where Self == EncryptedStoresOnly {
  static var encryptedStoresOnly: Self { EncryptedStoresOnly() }
}
