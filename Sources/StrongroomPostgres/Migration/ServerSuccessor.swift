import Foundation
import ObjectModel
import StoreContract

/// An empty store of another version of the model in a schema of its own, with what a store has besides its
/// objects.
struct ServerSuccessor {
  private let connection: ServerConnection
  private let former: String
  private let name: String

  /// - Parameters:
  ///   - connection: In a transaction.
  ///   - former: The schema of the store that it is to follow.
  ///   - name: The schema that it is made in.
  init(_ connection: ServerConnection, of former: String, as name: String) {
    (self.connection, self.former, self.name) = (connection, former, name)
  }

  /// Makes it, with the identity, the program's metadata and the consumers of the store that the description
  /// is of.
  func make(_ model: ManagedObjectModel, _ description: PersistentStoreDescription) throws {
    let metadata = ServerMetadata(connection: connection)
    guard let was = try connection.at(former, { try metadata.stored(description) }) else {
      throw ServerMetadata.missing(description)
    }
    try connection.at(name) {
      var made = try metadata.create(model, was.identifier)
      made.formerVersions = was.formerVersions.filter { $0 != was.version && $0 != made.version }
      made.formerVersions.append(was.version)
      try metadata.write(made)
      try metadata.write(programs: was.programs)
      if let keys = was.sealing { try metadata.write(keys) }
      for table in ["_consumer", CommitRecord.table] {
        try connection.execute("INSERT INTO \(table) SELECT * FROM \(former.quoted).\(table)")
      }
      try connection.execute(CommitRecord.keeping("\(former.quoted)._transaction"))
      try ServerHistory.begin(after: former, connection)
      // An object of before never has the URI of one of after.
      try connection.run(
        "INSERT INTO _sequence SELECT root, (SELECT coalesce(max(last), 0) FROM \(former.quoted)._sequence)"
          + " FROM pg_catalog.unnest($1::text[]) AS roots(root)",
        [.texts(model.entities.filter { $0.superentity == nil }.map(\.name))])
    }
  }
}

extension ServerConnection {
  /// Runs a closure with a schema's tables, in a transaction.
  func at<R>(_ schema: String, _ body: () throws -> R) throws -> R {
    try execute("SET LOCAL search_path TO \(schema.quoted)")
    return try body()
  }
}
