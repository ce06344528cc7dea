import Foundation
import Glibc
import Strongroom
import StrongroomPostgres

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
    /// The address of the server that has the store; nil for a file.
    var server: URL?
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
    let settings = try settings
    var description = PersistentStoreDescription(
      url: file("store"), vault: KeyFileVault(url: file("keys")))
    if let server = settings.server {
      PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
      description = PersistentStoreDescription(type: PostgresStore.storeType, url: server)
    }
    description.createsIfMissing = creating
    description.busyTimeoutMilliseconds = settings.busyTimeout
    let container = PersistentContainer(managedObjectModel: try Self.model(), description: description)
    for _ in 0..<300 {
      do {
        try await container.loadPersistentStores()
        return container
      } catch let error as StoreError where error.code == .serverUnreachable {
        try await Task.sleep(for: .milliseconds(100))
      }
    }
    throw CocoaError(.featureUnsupported)
  }

  /// Nanoseconds on the clock that all processes share.
  static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
