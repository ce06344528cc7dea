import Foundation
import Glibc
import Strongroom
import Synchronization

/// One of many processes that share a store.
///
/// Prints `begin ROLE BEGIN` and `did ROLE BEGIN END [NUMBER]` for each thing that it has done for
/// good, with the instants before and after in microseconds, `busy ROLE`, or `error ROLE CODE`;
/// goes on until SIGTERM.
struct ShareWorker {
  let playground: Playground
  let role: ShareRole
  /// Tells this process's batches from others'.
  let number: Int

  private static let isOver = Atomic<Bool>(false)

  func run() async {
    signal(SIGTERM) { _ in ShareWorker.isOver.store(true, ordering: .relaxed) }
    while !Self.isOver.load(ordering: .relaxed) {
      do {
        try await act()
      } catch let error as StoreError where error.code == .busy && role.needsStoreAlone {
        tell("busy \(role)")
      } catch let error as StoreError where error.code == .wrongKey && role == .restore {
        // The key was changed since the backup was made.
        tell("busy \(role)")
      } catch {
        say("\(role): \(error)\n")
        tell("error \(role)")
      }
      usleep(useconds_t.random(in: 0...pause))
    }
  }

  private var pause: UInt32 {
    switch role {
    case .write, .read, .open: 5_000
    case .compact, .restore, .convert, .rotate: 20_000
    default: 200_000
    }
  }

  private var description: PersistentStoreDescription {
    var description = playground.description()
    // Nobody holds the store for longer than this; a store in use is told at once to who needs it
    // alone.
    description.busyTimeoutMilliseconds = role.needsStoreAlone ? 200 : 60_000
    return description
  }

  private func act() async throws {
    switch role {
    case .write: try await write()
    case .read: try await read()
    case .open:
      try await timed { try await open().close() }
    case .pin: try await pin()
    case .compact: try await timed { try await SQLCipherStore.compact(description) }
    case .restore: try await restore()
    case .convert: try await convert()
    case .rotate: try await rotate()
    case .backUp:
      let copy = playground.backup(number)
      remove(copy)
      defer { remove(copy) }
      try await timed { try await SQLCipherStore.backUp(description, to: copy) }
      try await look(at: copy)
    case .verify:
      try await timed {
        let findings = try await SQLCipherStore.verify(description)
        if let finding = findings.first { throw StoreError(.fileDamaged, "\(finding)") }
      }
    case .moveKey:
      try await timed {
        try await SQLCipherStore.copyKey(of: description, to: [playground.second])
        try await SQLCipherStore.forgetKey(of: description, in: playground.second)
      }
    }
  }

  private func timed(_ note: String = "", _ body: () async throws -> Void) async rethrows {
    let begin = Self.now
    if role == .restore { tell("begin \(role) \(begin)") }
    try await body()
    tell("did \(role) \(begin) \(Self.now) \(note)")
  }

  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }

  private func open() async throws -> PersistentContainer {
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    try await container.loadPersistentStores()
    return container
  }

  private func remove(_ copy: URL) {
    for suffix in ["-wal", "-shm", "-journal", ""] { unlink(copy.path + suffix) }
  }

  // MARK: Roles

  private func write() async throws {
    let container = try await open()
    defer { try? container.close() }
    let context = container.newContext()
    for _ in 0..<Int.random(in: 1...20) {
      let batch = Int.random(in: 0..<1 << 53)
      try await timed("\(batch)") { try playground.save(batch, context, notes: 3) }
    }
  }

  private func read() async throws {
    let container = try await open()
    defer { try? container.close() }
    for _ in 0..<Int.random(in: 1...3) {
      try await timed { try Self.checkWhole(container.newContext()) }
    }
  }

  private static func checkWhole(_ context: ManagedObjectContext) throws {
    try context.setQueryGenerationFrom(.current)
    let (batches, notes) = (
      try context.count(for: FetchRequest("Batch")), try context.count(for: FetchRequest("Note"))
    )
    if notes != batches * 3 { throw StoreError(.fileDamaged, "half a batch is there") }
  }

  private func pin() async throws {
    let container = try await open()
    defer { try? container.close() }
    try await timed {
      let context = container.newContext()
      try context.setQueryGenerationFrom(.current)
      let before = try context.count(for: FetchRequest("Batch"))
      usleep(useconds_t.random(in: 0...50_000))
      guard try context.count(for: FetchRequest("Batch")) == before else {
        throw StoreError(.other, "a pinned context saw another's save")
      }
    }
  }

  /// What was saved between the backup and its return is lost on purpose; so the whole is one
  /// interval.
  private func restore() async throws {
    let copy = playground.backup(number)
    remove(copy)
    defer { remove(copy) }
    try await timed {
      var patient = description
      patient.busyTimeoutMilliseconds = 60_000
      try await SQLCipherStore.backUp(patient, to: copy)
      var backup = description
      backup.url = copy
      try await SQLCipherStore.restore(from: backup, to: playground.store, replacing: true)
    }
  }

  /// From outside, or of a store that is open.
  private func rotate() async throws {
    if Bool.random() {
      return try await timed { _ = try await SQLCipherStore.rotateKey(of: description) }
    }
    let container = try await open()
    defer { try? container.close() }
    guard let store = container.persistentStoreCoordinator.persistentStores.first as? SQLCipherStore else {
      return
    }
    try await timed { _ = try await store.rotateKey() }
    try Self.checkWhole(container.newContext())
  }

  private func convert() async throws {
    do {
      for format in [StoreCipherFormat.version4, .version3] {
        try await timed { try await SQLCipherStore.convert(description, to: format) }
      }
    } catch let error as StoreError where error.code == .cipherFormat {
      try await timed { try await SQLCipherStore.compact(description) }
    }
  }

  private func look(at copy: URL) async throws {
    var backup = description
    backup.url = copy
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: backup)
    try await container.loadPersistentStores()
    defer { try? container.close() }
    try Self.checkWhole(container.newContext())
  }
}
