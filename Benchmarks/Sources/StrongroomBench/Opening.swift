import ArgumentParser
import BenchKit
import CLimit
import Foundation
import Strongroom

/// Times opening a store whose key is in the keyring, beside hand-written C that has the key.
struct Opening: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Opening with the keyring's key; run it under Scripts/with-keyring.")

  func run() async throws {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
      "strongroom-open-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("store").path
    let limit = folder.appendingPathComponent("limit").path
    let model = try libraryModel()
    guard let made = lm_open(limit, 1, 1) else { throw Rounds.Failure(description: "the limit cannot open") }
    lm_close(made)
    let vault = SecretServiceVault()
    let description = PersistentStoreDescription(url: URL(fileURLWithPath: path), vault: vault)
    let first = PersistentContainer(managedObjectModel: model, description: description)
    try await first.loadPersistentStores()
    guard let store = try first.persistentStoreCoordinator.persistentStore as? SQLCipherStore else { return }
    let identifier = store.identifier
    try first.close()
    var (bare, keyring, whole): ([Double], [Double], [Double]) = ([], [], [])
    for _ in 0..<31 {
      var start = now()
      if let store = lm_open(limit, 0, 1) { lm_close(store) }
      bare.append(now() - start)
      start = now()
      _ = try await vault.keys(for: identifier, interaction: .silent)
      keyring.append(now() - start)
      start = now()
      let container = PersistentContainer(managedObjectModel: model, description: description)
      try await container.loadPersistentStores()
      try container.close()
      whole.append(now() - start)
    }
    func line(_ name: String, _ seconds: Double) {
      print(name.padding(toLength: 52, withPad: " ", startingAt: 0) + String(format: "%8.2f", seconds * 1e3))
    }
    print("open and close, ms, medians of 31")
    line("hand-written C with the raw key", bare.median)
    line("the keyring's answer alone", keyring.median)
    line("the store with the keyring's key", whole.median)
    line("the store, keyring apart", whole.median - keyring.median)
    print(String(format: "ratio, keyring apart: %.2f", (whole.median - keyring.median) / bare.median))
  }
}
