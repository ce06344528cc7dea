public import Foundation
import ObjectContext
public import StoreContract

/// Values of `Data` properties of any length, written and read in pieces past the models, so that
/// memory holds a piece and not the value.
///
/// Give the property `@Attribute(.externalStorage)`, so that fetches leave long values out too, and
/// declare it last among such: memory stays the same where no later one has a value in the model;
/// else writing takes about twice the value.
extension ModelContext {
  /// Gives a property of a saved model a value of `count` bytes, which a closure writes in pieces.
  ///
  /// It is saved when this returns, in one transaction of its own; other unsaved changes of the
  /// model stay, and can be saved. While the closure runs, other writers of the store wait; the
  /// closure may read models, but not save. Four statements, whatever the length, and one more
  /// where the model has unsaved changes.
  /// - Parameters:
  ///   - count: The length in bytes, 0 for a value that is there and empty; at most 1,000,000,000
  ///     with all else of the model.
  ///   - model: A saved model of this context.
  ///   - keyPath: The property: in no index and no uniqueness constraint.
  ///   - fill: Writes exactly `count` bytes. Whatever it throws is passed on, and the former value
  ///     stays.
  /// - Throws: `SwiftDataError`: `missingModelContext` for a model of another context or none,
  ///   `unsupportedKeyPath`. `ContextError`: `unsaved` for a new or deleted model and a property
  ///   that was set and not saved, `objectNotFound`. `StoreError`: `invalidValue` for a length that
  ///   no value has and for too few or too many bytes; `diskFull`, `busy`. Nothing is changed then.
  public func writeValue<T: PersistentModel>(
    count: Int, to model: T, _ keyPath: KeyPath<T, Data>, _ fill: (ValueWriter) throws -> Void
  ) throws { try write(count, model, keyPath, fill) }

  /// The same for a property that may be nil.
  /// - Throws: as for one that may not.
  public func writeValue<T: PersistentModel>(
    count: Int, to model: T, _ keyPath: KeyPath<T, Data?>, _ fill: (ValueWriter) throws -> Void
  ) throws { try write(count, model, keyPath, fill) }

  /// The same with the bytes of a file, from its beginning to its end as it is when this begins.
  /// - Throws: as `writeValue(count:to:_:_:)`, and what reading the file throws.
  public func writeValue<T: PersistentModel>(
    contentsOf file: URL, to model: T, _ keyPath: KeyPath<T, Data>
  ) throws { try write(file, model, keyPath) }

  /// The same with the bytes of a file, for a property that may be nil.
  /// - Throws: as `writeValue(count:to:_:_:)`, and what reading the file throws.
  public func writeValue<T: PersistentModel>(
    contentsOf file: URL, to model: T, _ keyPath: KeyPath<T, Data?>
  ) throws { try write(file, model, keyPath) }

  /// Opens the stored value of a property for reading in pieces.
  ///
  /// The reader sees it as it is now, whatever is written meanwhile; unsaved changes are left out.
  /// A few statements, whatever the length.
  ///
  /// Close it soon: it has a connection of its own, of about a megabyte, and until then the
  /// write-ahead log grows and work that needs the file alone, as `rotateKey` and `compact` do,
  /// throws `busy`.
  /// - Throws: as `writeValue(count:to:_:_:)`.
  public func openValue<T: PersistentModel>(
    of model: T, _ keyPath: KeyPath<T, Data>
  ) throws -> ValueReader {
    guard let reader = try open(model, keyPath) else {
      throw SwiftDataError(
        .unsupportedKeyPath,
        "the \(T.self) has no stored value in a property that is not optional; migrate the store")
    }
    return reader
  }

  /// The same for a property that may be nil: nil when it is.
  /// - Throws: as `writeValue(count:to:_:_:)`.
  public func openValue<T: PersistentModel>(
    of model: T, _ keyPath: KeyPath<T, Data?>
  ) throws -> ValueReader? { try open(model, keyPath) }

  private func write<T: PersistentModel>(
    _ count: Int, _ model: T, _ keyPath: PartialKeyPath<T>, _ fill: (ValueWriter) throws -> Void
  ) throws {
    let name = try name(of: keyPath, of: model)
    try engine.writeValue(count: count, to: model._$object.objectID, name, fill)
  }

  private func write<T: PersistentModel>(_ file: URL, _ model: T, _ keyPath: PartialKeyPath<T>) throws {
    let name = try name(of: keyPath, of: model)
    try engine.writeValue(contentsOf: file, to: model._$object.objectID, name)
  }

  private func open<T: PersistentModel>(_ model: T, _ keyPath: PartialKeyPath<T>) throws -> ValueReader? {
    let name = try name(of: keyPath, of: model)
    return try engine.openValue(of: model._$object.objectID, name)
  }

  /// The property that a key path reads, of a model of this context.
  private func name<T: PersistentModel>(of keyPath: PartialKeyPath<T>, of model: T) throws -> String {
    adoptWaiting()
    let context = model._$object.managedObjectContext
    guard context === engine else {
      throw SwiftDataError(
        .missingModelContext,
        context == nil
          ? "the \(T.self) is in no context; insert and save it first"
          : "the \(T.self) is another context's; get it here with model(for: its persistentModelID)")
    }
    guard let path = ModelSchema.of(T.self).path(of: keyPath), path.count == 1 else {
      throw SwiftDataError(
        .unsupportedKeyPath, "a key path of \(T.self) is no stored property of its own; name one that is")
    }
    return path[0]
  }
}
