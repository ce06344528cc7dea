import ObjectModel

/// An index in a table of its own, which triggers update: of words (FTS4, which both supported
/// versions of the library have), or of boxes (R-tree).
struct VirtualIndex: Sendable {
  enum Kind { case fullText, rTree }

  let kind: Kind
  let name: String
  let entity: EntityDescription
  /// The name in the model.
  let indexName: String
  let attributes: [AttributeDescription]

  /// All of a model.
  ///
  /// Their names begin with two underscores, since the library names more tables after each.
  static func all(_ model: ManagedObjectModel) -> [VirtualIndex] {
    var result: [VirtualIndex] = []
    for entity in model.entities {
      for index in entity.fetchIndexes {
        switch FetchIndexForm(index, of: entity) {
        case .plain: continue
        case .fullText(let attributes):
          result.append(
            VirtualIndex(
              kind: .fullText, name: "__words\(result.count + 1)", entity: entity, indexName: index.name,
              attributes: attributes))
        case .rTree(let attributes):
          result.append(
            VirtualIndex(
              kind: .rTree, name: "__boxes\(result.count + 1)", entity: entity, indexName: index.name,
              attributes: attributes))
        }
      }
    }
    return result
  }

  /// The tables in which the library keeps the index.
  var shadowTables: [String] {
    let suffixes =
      kind == .fullText
      ? ["content", "segments", "segdir", "docsize", "stat"] : ["node", "parent", "rowid"]
    return suffixes.map { "\(name)_\($0)" }
  }

  private func sources(_ table: EntityTable) -> [String] {
    attributes.compactMap { table.column($0)?.name.quoted }
  }

  private var names: String {
    attributes.indices.map { kind == .fullText ? "c\($0)" : "l\($0), h\($0)" }.joined(separator: ", ")
  }

  private var key: String { kind == .fullText ? "docid" : "id" }

  private func numbers(_ entityNumbers: [Int64]) -> String {
    entity.hierarchy.map { String(entityNumbers[$0.index]) }.joined(separator: ", ")
  }

  /// What the index holds of a row.
  private func values(_ row: String, _ table: EntityTable, isFormer: Bool = false) -> String {
    switch kind {
    case .rTree where isFormer:
      return sources(table).map { source in
        let plain = "CASE WHEN \(row).\(source) BETWEEN -3e38 AND 3e38 THEN \(row).\(source)"
        return "\(plain) WHEN \(row).\(source) > 0 THEN 3e38 ELSE -9e999 END, "
          + "\(plain) WHEN \(row).\(source) < 0 THEN -3e38 ELSE 9e999 END"
      }.joined(separator: ", ")
    case .fullText: return sources(table).map { "_words(\(row).\($0))" }.joined(separator: ", ")
    case .rTree:
      // What is null may be anywhere, so that the others find it. The tree's numbers have 32 bits:
      // what they cannot hold reaches from their end to infinity. Those next to 0 it rounds in no
      // direction, so they reach as far as these go.
      return sources(table).map { source in
        let value = "\(row).\(source)"
        let tiny = "CASE WHEN \(value) <> 0 AND \(value) BETWEEN -1.2e-38 AND 1.2e-38 THEN"
        let plain = "WHEN \(value) BETWEEN -3e38 AND 3e38 THEN \(value)"
        return "\(tiny) -1.2e-38 \(plain) WHEN \(value) > 0 THEN 3e38 ELSE -9e999 END, "
          + "\(tiny) 1.2e-38 \(plain) WHEN \(value) < 0 THEN -3e38 ELSE 9e999 END"
      }.joined(separator: ", ")
    }
  }

  /// Takes in the rows that a table has already.
  func filling(_ table: EntityTable, _ entityNumbers: [Int64]) -> String {
    "INSERT INTO \(name.quoted) (\(key), \(names)) SELECT r._id, \(values("r", table)) FROM"
      + " \(table.name.quoted) AS r"
      + " WHERE r._entity IN (\(numbers(entityNumbers)))"
  }

  /// The table, then its triggers.
  ///
  /// - `isFormer`: As stores had them that were made before numbers next to 0 were rounded
  ///   outwards.
  func creation(
    _ table: EntityTable, _ entityNumbers: [Int64], isFormer: Bool = false
  ) -> [String] {
    let sources = sources(table)
    let own = table.name.quoted
    // The words come folded and cut, so the plainest of the tokenizers is the right one.
    let columns = kind == .fullText ? "fts4(\(names), tokenize=simple)" : "rtree(id, \(names))"
    let values = values("NEW", table, isFormer: isFormer)
    let isOwn = entity.superentity == nil ? "" : "NEW._entity IN (\(numbers(entityNumbers)))"
    let changed = sources.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
    let insertion = "INSERT INTO \(name.quoted) (\(key), \(names)) VALUES (NEW._id, \(values)); "
    let deletion = "DELETE FROM \(name.quoted) WHERE \(key) = OLD._id; "
    func trigger(_ suffix: String, _ event: String, _ condition: String, _ body: String) -> String {
      "CREATE TRIGGER \("\(name)_\(suffix)".quoted) AFTER \(event) ON \(own)"
        + (condition.isEmpty ? "" : " WHEN \(condition)") + " BEGIN \(body)END"
    }
    return [
      "CREATE VIRTUAL TABLE \(name.quoted) USING \(columns)",
      trigger("insert", "INSERT", isOwn, insertion),
      trigger(
        "update", "UPDATE OF \(sources.joined(separator: ", "))",
        isOwn.isEmpty ? changed : "\(isOwn) AND (\(changed))", deletion + insertion),
      trigger("delete", "DELETE", isOwn.replacing("NEW.", with: "OLD."), deletion),
    ]
  }
}
