/// An actor with a context of its own.
///
/// `@ModelActor` writes the conformance.
public protocol ModelActor: Actor {
  /// The container.
  nonisolated var modelContainer: ModelContainer { get }
  /// What runs the actor's work, with the context.
  nonisolated var modelExecutor: any ModelExecutor { get }
}

extension ModelActor {
  /// The executor's.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    guard let executor = modelExecutor as? any SerialModelExecutor else {
      preconditionFailure("a ModelActor needs a SerialModelExecutor; use DefaultSerialModelExecutor")
    }
    return executor.asUnownedSerialExecutor()
  }

  /// The context.
  public var modelContext: ModelContext { modelExecutor.modelContext }

  /// The model of an identifier; nil when there is none, or it is of another class.
  ///
  /// One statement at most.
  public subscript<T>(id: PersistentIdentifier, as type: T.Type) -> T? where T: PersistentModel {
    try? modelContext.existingModel(for: id, as: type)
  }
}

/// Runs work on a context.
public protocol ModelExecutor: Executor {
  /// The context; for work that the executor runs.
  var modelContext: ModelContext { get }
}

/// Runs work on a context, one piece after another.
public protocol SerialModelExecutor: ModelExecutor, SerialExecutor {}

extension SerialModelExecutor {
  /// The executor, by reference.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
