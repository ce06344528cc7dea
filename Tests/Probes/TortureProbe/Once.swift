import AppleStore
import Foundation
import Strongroom

/// Does a piece of work once and tells how it ended: `done`, `unknown`, or `error` with its code.
struct Once {
  let playground: Playground

  func run(_ work: Work) async {
    do {
      switch work {
      case .rotate:
        _ = try await SQLCipherStore.rotateKey(of: playground.description())
        tell("done")
      case .migrate: try await migrate()
      case .import:
        var description = playground.description(playground.backup(1))
        description.createsIfMissing = true
        _ = try await AppleStore(url: playground.appleStore).importStore(into: description)
        tell("imported")
      default: try await save()
      }
    } catch let error as StoreError where error.code == .outcomeUnknown {
      tell("unknown")
    } catch let error as StoreError {
      if ProcessInfo.processInfo.environment["TORTURE_TRACE"] != nil { say("\(error)\n") }
      tell("error \(error.code)")
    } catch let error as KeyringError {
      tell("error \(error.code)")
    } catch let error as AppleStoreError {
      tell("error \(error.code)")
    } catch {
      tell("untyped \(type(of: error))")
    }
  }

  private func save() async throws {
    let container = try await playground.open()
    for number in 11...13 {
      try playground.save(number, container.newContext())
      tell("done \(number)")
    }
    try container.close()
  }

  /// Copies all rows, then drops values, for which the store is copied.
  private func migrate() async throws {
    for version in [PlaygroundVersion.marked, .later] {
      let container = PersistentContainer(
        managedObjectModel: try Playground.model(version), description: playground.description())
      try await container.loadPersistentStores()
      try container.close()
      tell("done 10")
    }
  }
}
