public import StrongroomData

/// Where views fetch their models: a container, a context, or the error for which there is none.
///
/// A framework's environment has it for `.modelContainer(_:)` and `\.modelContext`. Lives on the main actor.
@MainActor
public struct ModelSource {
  private enum Contents {
    case none
    case context(ModelContext)
    case failure(any Error)
  }

  /// The source of views that are given none; without a container until a program sets it.
  public static var shared = ModelSource()

  private let contents: Contents

  /// A source without a container: what fetches from it has the error `SwiftDataError.missingModelContext`.
  public init() { contents = .none }

  /// The main context of a container.
  public init(_ container: ModelContainer) { contents = .context(container.mainContext) }

  /// A context.
  public init(_ context: ModelContext) { contents = .context(context) }

  /// The main context of a container of classes, which is opened, or the error of its opening.
  ///
  /// About ten statements, as a container's.
  /// - Parameters:
  ///   - types: The classes.
  ///   - inMemory: Whether the models are in memory only.
  ///   - isAutosaveEnabled: Whether the context saves by itself.
  ///   - isUndoEnabled: Whether the context has an undo manager.
  ///   - onSetup: Called with the container, or with what its initialiser throws.
  public init(
    for types: [any PersistentModel.Type], inMemory: Bool = false, isAutosaveEnabled: Bool = true,
    isUndoEnabled: Bool = false, onSetup: (Result<ModelContainer, any Error>) -> Void = { _ in }
  ) {
    do {
      let schema = Schema(types)
      let container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: inMemory))
      container.mainContext.autosaveEnabled = isAutosaveEnabled
      if isUndoEnabled { container.mainContext.undoManager = UndoManager() }
      contents = .context(container.mainContext)
      onSetup(.success(container))
    } catch {
      contents = .failure(error)
      onSetup(.failure(error))
    }
  }

  /// Why there is no container; nil where there is one.
  public var failure: (any Error)? {
    switch contents {
    case .none: SwiftDataError.missingModelContext
    case .context: nil
    case .failure(let error): error
    }
  }

  /// The context: of a container without classes, in memory, where there is no other.
  public var modelContext: ModelContext {
    if case .context(let context) = contents { return context }
    return Self.empty.mainContext
  }

  var connectedContext: ModelContext {
    get throws {
      if let failure { throw failure }
      return modelContext
    }
  }

  private static let empty: ModelContainer = {
    do {
      let schema = Schema([any PersistentModel.Type]())
      return try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
    } catch {
      preconditionFailure("a container without classes did not open in memory: \(error)")
    }
  }()
}
