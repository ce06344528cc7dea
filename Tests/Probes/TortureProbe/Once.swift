import AppleStore
import Foundation
import Strongroom

/// Does a piece of work once and tells how it ended: `done`, `unknown`, or `error` with its code.
struct Once {
  let playground: Playground

  func run(_ work: Work) async {
    do {
      if work == .rotate {
        _ = try await SQLCipherStore.rotateKey(of: playground.description())
        return tell("done")
      }
      if work == .history { return try await HistoryWork(playground: playground).once() }
      if work == .migrate || work == .deferred {
        try await playground.migrate(to: Playground.model(isLater: true), isDeferred: work == .deferred)
        return tell("done")
      }
      if work == .import {
        var description = playground.description(playground.backup(1))
        description.createsIfMissing = true
        _ = try await AppleStore(url: playground.appleStore).importStore(into: description)
        return tell("done")
      }
      let container = try await playground.open()
      for number in 11...13 {
        try playground.save(number, container.newContext())
        tell("done \(number)")
      }
      try container.close()
    } catch let error as StoreError where error.code == .outcomeUnknown {
      tell("unknown")
    } catch let error as StoreError {
      if ProcessInfo.processInfo.environment["TORTURE_TRACE"] != nil { say("\(error)\n") }
      tell("error \(error.code)")
    } catch let error as AppleStoreError {
      tell("error \(error.code)")
    } catch let error as KeyringError {
      tell("error \(error.code)")
    } catch {
      tell("untyped \(type(of: error))")
    }
  }
}
