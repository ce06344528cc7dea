import Foundation
import Glibc
import Strongroom

/// `torture-probe run --what WORK --kills N` kills a worker again and again and looks at what is left;
/// `torture-probe work WHAT FOLDER` is the worker, which prints a line
/// for each thing that it has done for good.
@main
struct TortureProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    switch arguments.dropFirst().first {
    case "work":
      guard arguments.count == 4, let what = Work(rawValue: arguments[2]) else { usage() }
      try await Worker(Playground(arguments[3])).run(what)
    case "once":
      guard arguments.count == 4, let what = Work(rawValue: arguments[2]) else { usage() }
      await Once(playground: Playground(arguments[3])).run(what)
    case "share":
      exit(try await Share(shareOptions(arguments)).run() ? 0 : 1)
    case "share-worker":
      guard arguments.count == 5, let role = ShareRole(rawValue: arguments[2]), let number = Int(arguments[4])
      else { usage() }
      await ShareWorker(playground: Playground(arguments[3]), role: role, number: number).run()
    case "operations":
      guard arguments.count == 3 else { usage() }
      try await Operations(playground: Playground(arguments[2])).run()
    case "soak":
      let kinds = arguments.dropFirst(3).map(Soak.Kind.init(rawValue:))
      guard !kinds.contains(nil) else { usage() }
      let soak = Soak(
        count: arguments.count > 2 ? Int(arguments[2]) ?? 0 : 1000,
        kinds: kinds.isEmpty ? Soak.Kind.allCases : kinds.compactMap { $0 })
      exit(try await soak.run() ? 0 : 1)
    case "planted":
      let count = arguments.count > 2 ? Int(arguments[2]) ?? 0 : 1000
      let seed = arguments.count > 3 ? UInt64(arguments[3]) ?? 0 : UInt64.random(in: 0...UInt64.max)
      exit(try await Planted(count: count).run(seed: seed) ? 0 : 1)
    case "planted-open":
      guard arguments.count == 3 else { usage() }
      await Planted.openOnce(Playground(arguments[2]))
    case "hold":
      guard arguments.count == 3 else { usage() }
      try await hold(Playground(arguments[2]))
    case "create":
      guard arguments.count == 3 else { usage() }
      try await create(arguments[2])
    case "faults", "cuts":
      guard arguments.count >= 3 else { usage() }
      let count = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 10_000
      let failing = FailingDisk(library: arguments[2])
      let named = arguments.dropFirst(3).compactMap(Work.init(rawValue:))
      let works = named.isEmpty ? FailingDisk.works : named
      let isGood =
        arguments[1] == "faults" ? try await failing.faults(of: works) : try await failing.cuts(count)
      exit(isGood ? 0 : 1)
    case "run":
      var options: [String: String] = [:]
      for index in stride(from: 2, to: arguments.count - 1, by: 2) {
        options[arguments[index]] = arguments[index + 1]
      }
      let works =
        options["--what"].map { name in Work.allCases.filter { $0.rawValue == name } } ?? Work.allCases
      guard let kills = Int(options["--kills"] ?? "1000"), !works.isEmpty else { usage() }
      var failed = false
      for work in works {
        let report = try await Harness(work, kills: kills).run()
        print("\(work.rawValue): \(report)")
        failed = failed || !report.isGood
      }
      exit(failed ? 1 : 0)
    default: usage()
    }
  }

  private static func shareOptions(_ arguments: [String]) -> Share.Options {
    var options = Share.Options()
    var rest = arguments.dropFirst(2)
    while let option = rest.popFirst() {
      switch option {
      case "--no-kills": options.kills = false
      case "--seconds":
        guard let seconds = rest.popFirst().flatMap({ Int($0) }) else { usage() }
        options.seconds = seconds
      case "--roles":
        guard let roles = rest.popFirst() else { usage() }
        options.roles = roles.split(separator: ",").compactMap { ShareRole(rawValue: String($0)) }
      default: usage()
      }
    }
    return options
  }

  /// Opens a store and closes it, and waits for a line after each.
  private static func hold(_ playground: Playground) async throws {
    let container = try await playground.open()
    _ = try container.newContext().fetch(FetchRequest("Batch"))
    tell("open")
    _ = readLine()
    try container.close()
    tell("closed")
    _ = readLine()
  }

  /// Makes or opens a store with the keyring's key, adds a batch, and tells the store's identity
  /// and what is in it.
  private static func create(_ path: String) async throws {
    var description = PersistentStoreDescription(url: URL(fileURLWithPath: path), vault: SecretServiceVault())
    description.busyTimeoutMilliseconds = 60_000
    let container = PersistentContainer(managedObjectModel: try Playground.model(), description: description)
    do {
      try await container.loadPersistentStores()
      try Playground("").save(Int(getpid()), container.newContext())
      let count = try container.newContext().count(for: FetchRequest("Batch"))
      guard let store = try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore else {
        return
      }
      tell("\(store.identifier) \(count > 0)")
      try container.close()
    } catch {
      tell("\(error)")
    }
  }

  private static func usage() -> Never {
    say(
      """
      usage: torture-probe run [--kills N] [--what WORK]
               WORK: save|rotate|convert|backup|move|migrate|deferred|import|history
             torture-probe share [--seconds N] [--no-kills] [--roles write,compact,...]
             torture-probe soak [COUNT [pin|open|save|verify|backUp]...]
             torture-probe planted [COUNT [SEED]]
             torture-probe faults LIBRARY [save|rotate|migrate|deferred|import|history]...
             torture-probe cuts LIBRARY [N]

      """)
    exit(64)
  }
}

enum Work: String, CaseIterable {
  case save, rotate, convert, backup, move, migrate, deferred, `import`, history

  /// Whether it makes files of their own, which must each be whole.
  var makesCopies: Bool { self == .backup || self == .import }
}

/// The files of one torture.
struct Playground: Sendable {
  let folder: URL
  static let batch = 20

  init(_ path: String) { folder = URL(fileURLWithPath: path) }

  var store: URL { folder.appendingPathComponent("store") }
  func backup(_ number: Int) -> URL { folder.appendingPathComponent("backup-\(number)") }
  var first: KeyFileVault { KeyFileVault(url: folder.appendingPathComponent("first.keys")) }
  var second: KeyFileVault { KeyFileVault(url: folder.appendingPathComponent("second.keys")) }

  func description(_ url: URL? = nil) -> PersistentStoreDescription {
    var description = PersistentStoreDescription(type: SQLCipherStore.storeType, url: url ?? store)
    description.keyVaults = [first, second]
    description.createsIfMissing = false
    // What must lose saves at a power cut, to show that the simulation does.
    if ProcessInfo.processInfo.environment["TORTURE_DURABILITY"] == "normal" {
      description.durability = .normal
    }
    return description
  }

  /// The model, or a later version, which to come to and from has every table written again.
  static func model(isLater: Bool = false) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Batch") {
        Attribute("number", isLater ? .integer32 : .integer64)
        Relationship("notes", toMany: "Note", inverse: "batch", deleteRule: .cascade)
      }
      Entity("Note") {
        if isLater {
          Attribute("body", .string, optional: false, default: .string(""), renamingIdentifier: "text")
        } else {
          Attribute("text", .string)
        }
        Relationship("batch", to: "Batch", inverse: "notes")
      }
      // Has a column that a deferred migration leaves.
      Entity("Spare") {
        Attribute("kept", .string)
        if !isLater { Attribute("dropped", .string) }
      }
    }
  }

  func open(_ url: URL? = nil) async throws -> PersistentContainer {
    let container = PersistentContainer(managedObjectModel: try Self.model(), description: description(url))
    try await container.loadPersistentStores()
    return container
  }

  /// Moves the store to a model; a deferred migration is cleaned up at once.
  func migrate(to model: ManagedObjectModel, isDeferred: Bool) async throws {
    var description = description()
    description.defersLightweightMigration = isDeferred
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    try container.persistentStoreCoordinator.finishDeferredLightweightMigration()
    try container.close()
  }

  /// Opens a store with the model that it has.
  private func openAsIs(_ url: URL?) async throws -> PersistentContainer {
    let model = try await SQLCipherStore.storedModel(description(url))
    let container = PersistentContainer(managedObjectModel: model, description: description(url))
    try await container.loadPersistentStores()
    return container
  }

  /// Where `import` imports from.
  var appleStore: URL { folder.appendingPathComponent("apple.sqlite") }

  /// The batches in a store; nil when one of them is not whole.
  func batches(_ url: URL? = nil, notes expected: Int = batch) async throws -> [Int]? {
    let container = try await openAsIs(url)
    defer { try? container.close() }
    let context = container.newContext()
    let batches = try context.fetch(FetchRequest("Batch", sortDescriptors: [FetchSortDescriptor("number")]))
    var notes = 0
    for batch in batches {
      let count = try batch.objects("notes").count
      if count != expected { return nil }
      notes += count
    }
    guard try context.count(for: FetchRequest("Note")) == notes else { return nil }
    let isLater = container.managedObjectModel.entity(named: "Note")?.attribute(named: "body") != nil
    let text = FetchRequest("Note", where: .compare(isLater ? "body" : "text", .beginsWith, .string("note ")))
    guard try context.count(for: text) == notes else { return nil }
    return try batches.map { try $0.get("number", as: Int.self) ?? -1 }
  }

  func save(_ number: Int, _ context: ManagedObjectContext, notes: Int = batch) throws {
    let batch = try context.insert("Batch")
    try batch.set("number", number)
    for index in 0..<notes {
      let note = try context.insert("Note")
      try note.set("text", "note \(index) of batch \(number) \(String(repeating: "x", count: 200))")
      try note.setObject(batch, forKey: "batch")
    }
    try context.save()
    context.reset()
  }
}

/// A line for whoever reads standard output, at once: a kill leaves nothing in a buffer.
func tell(_ line: String) {
  var line = line + "\n"
  line.withUTF8 { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// For whoever looks on.
func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
