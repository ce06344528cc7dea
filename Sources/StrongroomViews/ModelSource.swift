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

  private struct Arguments: Hashable {
    let types: [ObjectIdentifier]
    let inMemory: Bool
    let isAutosaveEnabled: Bool
    let isUndoEnabled: Bool
  }

  /// The main contexts of the containers that were opened for classes, while something has them.
  private static var opened: [Arguments: Weak<ModelContext>] = [:]

  /// A source without a container: what fetches from it has the error `SwiftDataError.missingModelContext`.
  public init() { contents = .none }

  /// The main context of a container.
  public init(_ container: ModelContainer) { contents = .context(container.mainContext) }

  /// A context.
  public init(_ context: ModelContext) { contents = .context(context) }

  /// The main context of a container of classes, which is opened, or the error of its opening.
  ///
  /// A view's modifiers are evaluated again and again: as long as something has the container that these
  /// arguments opened, it is that one. About ten statements where it is opened.
  /// - Parameters:
  ///   - types: The classes.
  ///   - inMemory: Whether the models are in memory only.
  ///   - isAutosaveEnabled: Whether the context saves by itself.
  ///   - isUndoEnabled: Whether the context has an undo manager.
  ///   - onSetup: Called with the container once it is opened, or with what its initialiser throws.
  public init(
    for types: [any PersistentModel.Type], inMemory: Bool = false, isAutosaveEnabled: Bool = true,
    isUndoEnabled: Bool = false, onSetup: (Result<ModelContainer, any Error>) -> Void = { _ in }
  ) {
    let arguments = Arguments(
      types: types.map { ObjectIdentifier($0) }, inMemory: inMemory, isAutosaveEnabled: isAutosaveEnabled,
      isUndoEnabled: isUndoEnabled)
    if let known = Self.opened[arguments]?.object {
      contents = .context(known)
      return
    }
    do {
      let schema = Schema(types)
      let container = try ModelContainer(
        for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: inMemory))
      container.mainContext.autosaveEnabled = isAutosaveEnabled
      if isUndoEnabled { container.mainContext.undoManager = UndoManager() }
      Self.opened[arguments] = Weak(container.mainContext)
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
