import CLibPQ
public import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

extension PostgresStore {
  /// What a store on a server says of itself.
  public struct Summary: Sendable {
    /// The store's UUID.
    public let identifier: UUID
    /// The server's version, in its own words.
    public let serverVersion: String
    /// The bytes of the store's tables and indexes.
    public let byteCount: Int
    /// The number of objects of each entity that is not abstract, without those of subentities.
    public let objectCounts: [(entity: String, count: Int)]
  }

  /// The version of libpq in this process.
  package static var libraryVersion: String {
    let number = PQlibVersion()
    return "\(number / 10_000).\(number % 10_000)"
  }

  /// Version, size and counts.
  ///
  /// One statement for each entity, and two more.
  /// - Returns: The summary.
  /// - Throws: `StoreError` where the server does not answer.
  public func summary() throws -> Summary {
    let opened = try open
    let counts = try model.entities.filter { !$0.isAbstract }.map { entity in
      var request = FetchRequest(entity.name)
      request.includesSubentities = false
      return (entity: entity.name, count: try count(for: request))
    }
    return try opened.pool.read { connection in
      Summary(
        identifier: opened.identifier,
        serverVersion: try connection.run("SELECT current_setting('server_version')").text(0, 0),
        byteCount: try MigrationServer(connection: connection).byteCount(), objectCounts: counts)
    }
  }

  /// What has to be done before this user can save, where the server does not let it now.
  ///
  /// One statement.
  package func savingDenial() throws -> String? {
    let opened = try open
    let names = opened.schema.tableNames + ServerMetadata.tables
    return try opened.pool.read { connection in
      let rows = try connection.run(
        """
        SELECT pg_is_in_recovery(), coalesce(string_agg(name, ', ' ORDER BY name), '')
        FROM unnest($1::text[]) AS name JOIN pg_class ON oid = to_regclass(quote_ident(name))
        WHERE NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
        """, [.texts(names)])
      if rows.boolean(0, 0) { return "name the primary server: this one is a standby" }
      let tables = rows.text(0, 1)
      return tables.isEmpty
        ? nil : "grant this user SELECT, INSERT, UPDATE and DELETE on the tables of the schema: \(tables)"
    }
  }

  /// The SQL of the tables and indexes of the store's model.
  ///
  /// No statement.
  /// - Returns: One text for each.
  /// - Throws: `StoreError` where the store is closed.
  public func schemaStatements() throws -> [String] { try open.schema.creation }
}
