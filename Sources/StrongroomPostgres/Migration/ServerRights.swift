import ObjectModel

/// The owner of a table and the rights that others have to it, for a table that takes its place.
struct ServerRights {
  private let connection: ServerConnection

  init(_ connection: ServerConnection) { self.connection = connection }

  /// The owner of a table, in SQL; nil where it is the user.
  func owner(of table: String) throws -> String? {
    let rows = try connection.run(
      "SELECT quote_ident(r.rolname) FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner"
        + " WHERE c.oid = $1::text::regclass AND r.rolname <> current_user", [.text(table)])
    return rows.count > 0 ? rows.text(0, 0) : nil
  }

  /// Gives a table to an owner, who may make tables in its schema.
  func give(_ table: String, to owner: String?) throws {
    if let owner { try connection.execute("ALTER TABLE \(table) OWNER TO \(owner)") }
  }

  /// Gives those who may use a table the same rights to another one.
  func grant(_ table: String, like other: String) throws {
    try grant(
      table,
      "pg_class c CROSS JOIN aclexplode(c.relacl) a",
      where: "c.oid = $1::text::regclass AND a.grantee <> c.relowner", other)
  }

  /// Gives those who get rights to each new table of a schema the same to one that is made in another.
  func grantDefaults(_ table: String, of schema: String) throws {
    try grant(
      table,
      "pg_default_acl d JOIN pg_namespace n ON n.oid = d.defaclnamespace"
        + " CROSS JOIN aclexplode(d.defaclacl) a",
      where: "n.nspname = $1 AND d.defaclobjtype = 'r' AND a.grantee <> d.defaclrole"
        + " AND pg_get_userbyid(d.defaclrole) = current_user", schema)
  }

  private func grant(_ table: String, _ rights: String, where condition: String, _ name: String) throws {
    let rows = try connection.run(
      "SELECT DISTINCT a.privilege_type::text, coalesce(quote_ident(r.rolname), 'PUBLIC'),"
        + " CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END"
        + " FROM \(rights) LEFT JOIN pg_roles r ON r.oid = a.grantee WHERE \(condition)", [.text(name)])
    for row in 0..<rows.count {
      try connection.execute(
        "GRANT \(rows.text(row, 0)) ON \(table) TO \(rows.text(row, 1))\(rows.text(row, 2))")
    }
  }
}
