import Foundation
import Glibc
import Strongroom

/// The files of one run, and the store that its processes share.
struct Playground: Sendable {
  /// Few enough that writers meet.
  static let groups = 12

  let folder: URL

  init(_ path: String) { folder = URL(fileURLWithPath: path) }

  func file(_ name: String) -> URL { folder.appendingPathComponent(name) }

  /// When it is there, its text is the number of the last transaction, which consumers wait for.
  var end: URL { file("end") }

  /// What is written once, for each process to read.
  struct Settings: Codable {
    var busyTimeout = 60_000
    var processes = 16
  }

  var settings: Settings {
    get throws { try JSONDecoder().decode(Settings.self, from: Data(contentsOf: file("settings.json"))) }
  }

  func write(_ settings: Settings) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try JSONEncoder().encode(settings).write(to: file("settings.json"))
  }

  /// Each object is a register: `value` names the operation that wrote it last.
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Register") {
        Attribute("group", .integer64)
        Attribute("value", .string)
      }
      Entity("Counter") { Attribute("number", .integer64) }
    }
  }

  func open(creating: Bool = false) async throws -> PersistentContainer {
    var description = PersistentStoreDescription(
      url: file("store"), vault: KeyFileVault(url: file("keys")))
    description.createsIfMissing = creating
    description.busyTimeoutMilliseconds = try settings.busyTimeout
    let container = PersistentContainer(managedObjectModel: try Self.model(), description: description)
    try await container.loadPersistentStores()
    return container
  }

  /// Nanoseconds on the clock that all processes share.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
