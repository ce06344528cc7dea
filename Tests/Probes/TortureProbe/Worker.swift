import AppleStore
import Foundation
import Glibc
import Strongroom

/// Does one kind of work for ever; a line is printed when a piece of it is done for good.
struct Worker {
  let playground: Playground

  init(_ playground: Playground) { self.playground = playground }

  func run(_ work: Work) async throws {
    tell("ready")
    switch work {
    case .save: try await save()
    case .history: try await HistoryWork(playground: playground).run()
    case .rotate:
      // Half of the workers rotate a store of version 4, where the library knows it.
      let format: StoreCipherFormat = Bool.random() ? .version4 : .version3
      do {
        try await SQLCipherStore.convert(playground.description(), to: format)
      } catch let error as StoreError where error.code == .cipherFormat {}
      while true {
        _ = try await SQLCipherStore.rotateKey(of: playground.description())
        tell("done")
      }
    case .convert:
      // Where there is no version 4, copying into a new file of the same format goes the same way.
      while true {
        do {
          try await SQLCipherStore.convert(playground.description(), to: .version4)
          tell("done")
          try await SQLCipherStore.convert(playground.description(), to: .version3)
        } catch let error as StoreError where error.code == .cipherFormat {
          try await SQLCipherStore.compact(playground.description())
        }
        tell("done")
      }
    case .backup:
      try await copies { try await SQLCipherStore.backUp(playground.description(), to: $0) }
    case .import:
      try await copies { target in
        var description = playground.description(target)
        description.createsIfMissing = true
        _ = try await AppleStore(url: playground.appleStore).importStore(into: description)
      }
    case .migrate, .deferred:
      let (model, later) = (try Playground.model(), try Playground.model(isLater: true))
      while true {
        let stored = try await SQLCipherStore.storedModel(playground.description())
        let other = stored.versionHash == later.versionHash ? model : later
        try await playground.migrate(to: other, isDeferred: work == .deferred)
        tell("done")
      }
    case .move:
      var from = playground.description()
      while true {
        from.keyVaults = [playground.first, playground.second]
        let inFirst = try await !playground.first.keys(for: identifier(), interaction: .silent).isEmpty
        let to = inFirst ? playground.second : playground.first
        from.keyVaults =
          inFirst ? [playground.first, playground.second] : [playground.second, playground.first]
        try await SQLCipherStore.moveKey(of: from, to: [to])
        tell("done")
      }
    }
  }

  /// Makes files of their own, numbered on from the last.
  private func copies(_ make: (URL) async throws -> Void) async throws {
    var number =
      (try? String(contentsOf: playground.folder.appendingPathComponent("next"), encoding: .utf8))
      .flatMap { Int($0) } ?? 0
    while true {
      number += 1
      try await make(playground.backup(number))
      tell("done \(number)")
    }
  }

  private func identifier() throws -> UUID {
    let head = try FileHandle(forReadingFrom: playground.store).read(upToCount: 16) ?? Data()
    return UUID(uuid: head.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  private func save() async throws {
    let container = try await playground.open()
    let context = container.newContext()
    let last = try context.fetch(
      FetchRequest("Batch", sortDescriptors: [FetchSortDescriptor("number", ascending: false)], fetchLimit: 1)
    )
    var number = try last.first?.get("number", as: Int.self) ?? 0
    while true {
      number += 1
      try playground.save(number, context)
      tell("done \(number)")
    }
  }
}
