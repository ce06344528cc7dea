import Strongroom

/// A model as text to read: an entity a paragraph, a property a line.
struct ModelOutline {
  private let model: ManagedObjectModel

  init(_ model: ManagedObjectModel) { self.model = model }

  var text: String { model.entities.map { paragraph($0) + "\n" }.joined() }

  private func paragraph(_ entity: EntityDescription) -> String {
    var lines = [entity.name + origin(entity.declaration.userInfo["table"], entity.name)]
    for attribute in entity.attributes {
      lines.append(
        "  \(attribute.name) \(attribute.type.rawValue)\(attribute.isOptional ? "?" : "")"
          + origin(attribute.declaration.userInfo["column"], attribute.name))
    }
    for relationship in entity.relationships {
      let marks = relationship.declaration.userInfo
      let inverse = relationship.inverse.map { ", inverse \($0.name)" } ?? ""
      let count = relationship.isToMany ? "to many" : relationship.isOptional ? "to one?" : "to one"
      let source = marks["joinTable"].map { "\($0): \(marks["foreignKey"] ?? "")" } ?? marks["foreignKey"]
      lines.append(
        "  \(relationship.name) \(count) \(relationship.destination.name)\(inverse)"
          + origin(source, relationship.name))
    }
    for constraint in entity.declaration.uniquenessConstraints {
      lines.append("  unique: \(constraint.propertyNames.joined(separator: ", "))")
    }
    for index in entity.declaration.fetchIndexes {
      lines.append("  index: \(index.elements.compactMap(\.propertyName).joined(separator: ", "))")
    }
    // A table's names may be what a terminal would obey.
    return lines.map { RowPrinter.harmless($0[...]) }.joined(separator: "\n") + "\n"
  }

  private func origin(_ source: String?, _ name: String) -> String {
    source.map { $0 == name ? "" : " (\($0))" } ?? ""
  }
}
