import ObjectModel
import StoreContract

/// Makes the typed changes of transactions.
struct HistoryChanges {
  private let core: ContainerCore
  /// The key paths of the last update, as many models are often changed alike.
  private var last: (type: ObjectIdentifier, names: [String], paths: Any)?

  init(_ core: ContainerCore) { self.core = core }

  /// - Throws: `SwiftDataError.unknownSchema` for a change of an entity whose class is not known.
  mutating func transaction(_ entry: HistoryScan.Entry) throws -> DefaultHistoryTransaction {
    let own = entry.transaction
    return DefaultHistoryTransaction(
      timestamp: own.timestamp, changes: try (own.changes ?? []).map { try change($0) }, token: entry.token,
      transactionIdentifier: own.transactionNumber, storeIdentifier: own.storeIdentifier.uuidString,
      author: own.author, bundleIdentifier: own.processName, processIdentifier: "\(own.processIdentifier)")
  }

  private mutating func change(_ change: PersistentHistoryChange) throws -> HistoryChange {
    func open<Model: PersistentModel>(_ type: Model.Type) -> HistoryChange { typed(change, of: type) }
    return open(try core.knownType(of: change.changedObjectID.entity))
  }

  private mutating func typed<Model: PersistentModel>(
    _ change: PersistentHistoryChange, of type: Model.Type
  ) -> HistoryChange {
    let identifier = PersistentIdentifier(change.changedObjectID)
    switch change.changeType {
    case .insert:
      return .insert(
        DefaultHistoryInsert<Model>(
          changeIdentifier: change.changeID, transactionIdentifier: change.transactionNumber,
          changedPersistentIdentifier: identifier))
    case .update:
      let names = (change.updatedProperties ?? []).map(\.name)
      return .update(
        DefaultHistoryUpdate<Model>(
          changeIdentifier: change.changeID, transactionIdentifier: change.transactionNumber,
          changedPersistentIdentifier: identifier, updatedAttributes: paths(names, of: type),
          changedPropertyNames: names))
    case .delete:
      return .delete(
        DefaultHistoryDelete<Model>(
          changeIdentifier: change.changeID, transactionIdentifier: change.transactionNumber,
          changedPersistentIdentifier: identifier, tombstone: tombstone(change.tombstone ?? [:], of: type)))
    }
  }

  private mutating func paths<Model: PersistentModel>(
    _ names: [String], of type: Model.Type
  ) -> [any PartialKeyPath<Model> & Sendable] {
    if let last, last.type == ObjectIdentifier(type), last.names == names,
      let paths = last.paths as? [any PartialKeyPath<Model> & Sendable]
    {
      return paths
    }
    let properties = ModelSchema.of(type).properties
    let paths = names.compactMap { name in
      properties.first { $0.name == name }.flatMap { $0.path(from: type) }
    }
    last = (ObjectIdentifier(type), names, paths)
    return paths
  }

  private func tombstone<Model: PersistentModel>(
    _ stored: [String: AttributeValue], of type: Model.Type
  ) -> HistoryTombstone<Model> {
    if stored.isEmpty { return HistoryTombstone([]) }
    return HistoryTombstone(
      ModelSchema.of(type).properties.compactMap { property in
        stored[property.name].flatMap(property.preserved).map { (property.name, $0) }
      })
  }
}

extension PropertySchema {
  /// The key path to the property from a class that has it.
  fileprivate func path<Model: PersistentModel>(
    from type: Model.Type
  ) -> (any PartialKeyPath<Model> & Sendable)? {
    let path: PartialKeyPath<Model> = keyPath as? PartialKeyPath<Model> ?? \Model.[inherited: name]
    // Key paths of properties hold nothing that changes. Sendable leaves no trace at run time.
    return unsafeBitCast(path, to: (any PartialKeyPath<Model> & Sendable).self)
  }

  /// The value that a tombstone has of the property; nil where it is null, or no value of the class's now.
  fileprivate func preserved(_ stored: AttributeValue) -> (any Sendable)? {
    func open<Value>(_ type: Value.Type) -> (any Sendable)? {
      guard let value = coding(of: type).decode(stored), let plain = KeyPathProbe.plain(value) else {
        return nil
      }
      // Nobody else has it. Sendable leaves no trace at run time.
      return unsafeBitCast(plain as Any, to: (any Sendable).self)
    }
    return _openExistential(valueType, do: open)
  }
}

extension PersistentModel {
  /// What a property that a superclass declares has.
  ///
  /// A key path cannot be made to begin at another class.
  fileprivate subscript(inherited name: String) -> Any {
    guard let property = ModelSchema.of(Self.self).properties.first(where: { $0.name == name }) else {
      return ()
    }
    return (self as Any)[keyPath: property.keyPath] ?? ()
  }
}
