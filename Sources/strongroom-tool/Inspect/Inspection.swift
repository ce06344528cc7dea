import Foundation
import NIOHTTP1
import StoreContract
import Strongroom

/// A store that is being looked at, and what its page asks of it.
///
/// Every answer comes from a context of its own, so that it shows what others have saved and nothing
/// stays in memory; only changes that are not saved yet have a context that lasts.
actor Inspection {
  let container: PersistentContainer
  let store: any IncrementalStore
  let description: PersistentStoreDescription
  /// Nil where the store is only read.
  let editor: ManagedObjectContext?
  /// Counts what a page may not show yet: saves of this and of other programs, and changes without a save.
  private(set) var announced = 0
  /// What other requests wait for.
  nonisolated let running = RunningRead()
  var check = IntegrityCheck()
  var lists = ObjectLists()
  var choices = Choices()
  /// The store's file as it was when it was opened; nil on a server.
  private let file: UInt64?

  var model: ManagedObjectModel { container.managedObjectModel }

  init(
    _ container: PersistentContainer, _ store: any IncrementalStore,
    _ description: PersistentStoreDescription,
    isWriting: Bool
  ) async {
    (self.container, self.store, self.description) = (container, store, description)
    file = Self.file(of: store)
    guard isWriting else {
      editor = nil
      return
    }
    let context = container.newContext()
    context.undoManager = UndoManager()
    context.transactionAuthor = "strongroom inspect"
    editor = context
  }

  /// Watches for what other processes save; never returns.
  func watch() async {
    for await _ in container.persistentStoreCoordinator.remoteChanges() { announce() }
  }

  func announce() { announced += 1 }

  /// Closes the store after the request that is being answered.
  /// - Returns: How many objects had changes that were not saved.
  func close() throws -> Int {
    let unsaved = edits()
    try container.close()
    return unsaved.inserted + unsaved.updated + unsaved.deleted
  }

  /// The context to answer from: the one with unsaved changes, where there are any.
  var context: ManagedObjectContext {
    if let editor, editor.hasChanges { return editor }
    return container.newContext()
  }

  /// Answers a request; an error is answered with its text.
  func answer(_ name: String, _ request: InspectRequest) async -> Answer {
    do {
      switch request.method {
      case .GET: return try await read(name, request)
      case .POST:
        guard editor != nil else {
          return try Answer(.forbidden, json: Refusal("the store is open for reading: start with --write"))
        }
        try request.checkBody()
        return try change(name, request)
      default: return Answer(.methodNotAllowed)
      }
    } catch is RunningRead.Interrupted {
      return (try? Answer(.serviceUnavailable, json: Refusal.interrupted)) ?? Answer(.serviceUnavailable)
    } catch {
      let text = error is ToolFailure ? "\(error)" : RowPrinter.harmless("\(error)"[...])
      return (try? Answer(.badRequest, json: Refusal(text))) ?? Answer(.badRequest)
    }
  }

  private func read(_ name: String, _ call: InspectRequest) async throws -> Answer {
    let read = FetchProgress()
    let answer = try await withTaskCancellationHandler {
      try running.run(read) { try readObjects(name, call) }
    } onCancel: {
      RunningRead.cancel(read)
    }
    if let answer { return answer }
    return switch name {
    case "store": try await storeFacts()
    case "vaults": try await vaultFacts()
    case "check": try Answer(json: checkIntegrity(isStarted: call["start"] != nil))
    case "edits": try Answer(json: edits())
    case "announced":
      try Answer(json: await announced(after: call.number("seen", or: -1, in: -1...Int.max)))
    default: Answer.missing
    }
  }

  /// What is answered from the model, the objects or the history; nil for what is asked otherwise.
  private func readObjects(_ name: String, _ call: InspectRequest) throws -> Answer? {
    switch name {
    case "model": try Answer(json: modelOutline())
    case "counts": try Answer(json: counts())
    case "diagram.svg": Answer(Data(ModelDiagram(model).svg.utf8), "image/svg+xml")
    case "objects": try objects(call)
    case "object": try object(call)
    case "value": try value(call)
    case "query": try query(call)
    case "complete": try complete(call)
    case "history": try history(call)
    case "changes": try changes(call)
    default: nil
    }
  }

  /// Waits until more is announced than a page has seen, and at most ten seconds.
  private func announced(after seen: Int) async -> AnnouncedAnswer {
    for _ in 0..<50 where announced <= seen && !isReplaced {
      guard (try? await Task.sleep(for: .milliseconds(200))) != nil else { break }
    }
    // A page that knows it does not ask all the time.
    if isReplaced, announced <= seen { try? await Task.sleep(for: .milliseconds(500)) }
    return AnnouncedAnswer(announced: announced, isReplaced: isReplaced)
  }

  struct AnnouncedAnswer: Encodable {
    let announced: Int
    /// Whether another file is at the store's path, or none, so that what is shown is of the past.
    let isReplaced: Bool
  }

  private var isReplaced: Bool { file != nil && file != Self.file(of: store) }

  /// The number of a store's file in its file system.
  private static func file(of store: any IncrementalStore) -> UInt64? {
    guard let path = (store as? SQLCipherStore)?.path else { return nil }
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
  }
}

/// Why a request was not answered.
struct Refusal: Encodable {
  let error: String
  /// Whether asking again may bring an answer.
  let isInterrupted: Bool

  init(_ error: String, isInterrupted: Bool = false) {
    (self.error, self.isInterrupted) = (error, isInterrupted)
  }

  static let interrupted = Refusal(
    "the search was interrupted, since something was changed or saved meanwhile", isInterrupted: true)
}
