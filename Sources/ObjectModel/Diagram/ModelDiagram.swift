/// The entity-relationship diagram of a model as a picture, and as text for drawing programs.
public struct ModelDiagram: Sendable {
  let model: ManagedObjectModel

  /// Draws a model.
  public init(_ model: ManagedObjectModel) { self.model = model }

  /// One line of the diagram: a relationship with its inverse, once for both.
  var pairs: [RelationshipDescription] {
    model.entities.flatMap { entity in
      entity.relationships.filter { relationship in
        guard relationship.entity === entity else { return false }
        guard let inverse = relationship.inverse, inverse !== relationship else { return true }
        return (relationship.entity.name, relationship.name) < (inverse.entity.name, inverse.name)
      }
    }
  }

  // MARK: Mermaid

  /// An `erDiagram` of Mermaid.
  public var mermaid: String {
    var lines = ["erDiagram"]
    for entity in model.entities {
      lines.append("  \(Self.word(entity.name)) {")
      for attribute in entity.attributes where attribute.entity === entity {
        let key =
          entity.declaration.uniquenessConstraints.contains { $0.propertyNames == [attribute.name] }
          ? " UK" : ""
        lines.append("    \(attribute.type.rawValue) \(Self.word(attribute.name))\(key)")
      }
      lines.append("  }")
    }
    for relationship in pairs {
      let inverse = relationship.inverse
      let left = inverse.map { $0.isToMany ? "}o" : $0.isOptional ? "|o" : "||" } ?? "}o"
      let right = relationship.isToMany ? "o{" : relationship.isOptional ? "o|" : "||"
      let label = relationship.name + (inverse.map { $0 === relationship ? "" : " / \($0.name)" } ?? "")
      lines.append(
        "  \(Self.word(relationship.entity.name)) \(left)--\(right)"
          + " \(Self.word(relationship.destination.name)) : \"\(Self.quote(label))\""
      )
    }
    for entity in model.entities {
      if let parent = entity.superentity {
        lines.append("  \(Self.word(parent.name)) ||--|| \(Self.word(entity.name)) : \"is a\"")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Mermaid's words have letters, digits, underscores and dashes.
  private static func word(_ name: String) -> String {
    let word = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" ? $0 : "_" })
    return word.first?.isNumber == true ? "_" + word : word
  }

  private static func quote(_ text: String) -> String {
    String(text.map { $0 == "\"" ? "'" : $0 })
  }

  // MARK: DOT

  /// A graph for Graphviz, a record an entity.
  public var dot: String {
    var lines = [
      "digraph model {", "  graph [rankdir=LR, splines=true, overlap=false];",
      "  node [shape=record, fontname=\"Helvetica\", fontsize=10];",
      "  edge [fontname=\"Helvetica\", fontsize=9];",
    ]
    for entity in model.entities {
      let attributes = entity.attributes.filter { $0.entity === entity }.map {
        Self.record("\($0.name): \($0.type.rawValue)\($0.isOptional ? "?" : "")") + "\\l"
      }
      let title = Self.record(entity.isAbstract ? "\(entity.name) (abstract)" : entity.name)
      lines.append("  \(Self.id(entity.name)) [label=\"{\(title)|\(attributes.joined())}\"];")
    }
    for relationship in pairs {
      let tail = relationship.inverse.map { $0.isToMany ? "crow" : "tee" } ?? "none"
      let head = relationship.isToMany ? "crow" : "tee"
      let label =
        relationship.name + (relationship.inverse.map { $0 === relationship ? "" : " / \($0.name)" } ?? "")
      lines.append(
        "  \(Self.id(relationship.entity.name)) -> \(Self.id(relationship.destination.name))"
          + " [dir=both, arrowtail=\(tail), arrowhead=\(head), label=\(Self.id(label))];")
    }
    for entity in model.entities {
      if let parent = entity.superentity {
        lines.append("  \(Self.id(entity.name)) -> \(Self.id(parent.name)) [arrowhead=empty, style=dashed];")
      }
    }
    return (lines + ["}"]).joined(separator: "\n") + "\n"
  }

  private static func id(_ text: String) -> String {
    "\"" + text.map { $0 == "\"" ? "\\\"" : $0 == "\\" ? "\\\\" : String($0) }.joined() + "\""
  }

  private static func record(_ text: String) -> String {
    text.map { "{}|<>\"\\ ".contains($0) ? "\\\($0)" : String($0) }.joined()
  }
}
