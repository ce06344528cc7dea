import ObjectModel
import StoreContract

/// The join table of a relationship and its inverse.
final class ServerLinkTable: Sendable {
  let owner: RelationshipDescription
  let name: String
  /// The name of the primary key.
  let key: String
  /// Whether the links of an object have an order, at one end or at both.
  let isOrdered: Bool
  /// Inserts links whose ends are two parameters; where there is an order, after those that are there.
  let insertion: String
  /// The same for links of which none is there.
  let insertionOfNew: String
  let quoted: String
  private let indexName: String

  init(owner: RelationshipDescription, naming: inout ServerNaming) {
    self.owner = owner
    name = naming.unique("\(owner.entity.name)_\(owner.name)")
    key = naming.own("_\(name)_key")
    isOrdered = owner.isOrdered || owner.inverse?.isOrdered == true
    quoted = name.quoted
    insertionOfNew = Self.insertion(quoted, isOrdered: isOrdered)
    insertion = "\(insertionOfNew) ON CONFLICT DO NOTHING"
    indexName = naming.own("_\(name)_by_target")
  }

  private static func insertion(_ name: String, isOrdered: Bool) -> String {
    let columns = "INSERT INTO \(name) (_source, _target, _position, _inverse_position)"
    let links = "unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS v(source, target, place)"
    guard isOrdered else {
      return "\(columns) SELECT v.source, v.target, 0, 0 FROM \(links)"
    }
    func last(_ end: String, _ position: String, _ parameter: String) -> String {
      "(SELECT \(end) AS id, max(\(position)) AS last FROM \(name)"
        + " WHERE \(end) = ANY (\(parameter)::bigint[]) GROUP BY \(end))"
    }
    return "\(columns) SELECT v.source, v.target, coalesce(s.last, 0) + v.place,"
      + " coalesce(t.last, 0) + v.place FROM \(links)"
      + " LEFT JOIN \(last("_source", "_position", "$1")) s ON s.id = v.source"
      + " LEFT JOIN \(last("_target", "_inverse_position", "$2")) t ON t.id = v.target"
  }

  /// Positions are there for every one, be there an order or not.
  var creation: String {
    "CREATE TABLE \(name.quoted) (_source bigint NOT NULL, _target bigint NOT NULL,"
      + " _position bigint NOT NULL DEFAULT 0, _inverse_position bigint NOT NULL DEFAULT 0,"
      + " CONSTRAINT \(key.quoted) PRIMARY KEY (_source, _target))"
  }

  var index: ServerIndex { ServerIndex(name: indexName, table: name, terms: "(_target, _source)") }
}
