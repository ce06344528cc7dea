extension ModelDiagram {
  /// The diagram as an SVG picture of its own: a box an entity, with a row an attribute and
  /// relationship; a line from a relationship's row to its inverse's, with a crow's foot where
  /// there may be many; a dashed line to the superentity.
  public var svg: String { DiagramPicture(layout).text }

  var layout: DiagramLayout {
    var rows: [RelationshipDescription: Int] = [:]
    let boxes = model.entities.map { entity in
      var own: [DiagramLayout.Row] = []
      for attribute in entity.attributes where attribute.entity === entity {
        let isUnique = entity.declaration.uniquenessConstraints.contains {
          $0.propertyNames == [attribute.name]
        }
        own.append(
          DiagramLayout.Row(
            text: (isUnique ? "# " : "") + attribute.name,
            type: attribute.type.rawValue + (attribute.isOptional ? "?" : ""), isRelationship: false))
      }
      for relationship in entity.relationships where relationship.entity === entity {
        rows[relationship] = own.count
        let mark =
          relationship.isToMany
          ? (relationship.isOrdered ? " * ordered" : " *") : relationship.isOptional ? "?" : ""
        own.append(
          DiagramLayout.Row(
            text: relationship.name, type: relationship.destination.name + mark, isRelationship: true))
      }
      return DiagramLayout.Box(
        title: entity.name + (entity.superentity.map { " : \($0.name)" } ?? ""),
        isAbstract: entity.isAbstract,
        rows: own)
    }
    var lines = pairs.map { relationship in
      let inverse = relationship.inverse.flatMap { $0 === relationship ? nil : $0 }
      return DiagramLayout.Line(
        from: DiagramLayout.End(
          box: relationship.entity.index, row: rows[relationship], isToMany: inverse?.isToMany ?? false),
        to: DiagramLayout.End(
          box: (inverse?.entity ?? relationship.destination).index, row: inverse.flatMap { rows[$0] },
          isToMany: relationship.isToMany), isInheritance: false)
    }
    for entity in model.entities {
      guard let parent = entity.superentity else { continue }
      lines.append(
        DiagramLayout.Line(
          from: DiagramLayout.End(box: entity.index, row: nil, isToMany: false),
          to: DiagramLayout.End(box: parent.index, row: nil, isToMany: false), isInheritance: true))
    }
    return DiagramLayout(boxes: boxes, lines: lines)
  }
}

/// A layout as SVG.
private struct DiagramPicture {
  private let layout: DiagramLayout
  private static let colours = [
    "#1f5fa8", "#b5451f", "#1a7a4a", "#7d3c98", "#a66a00", "#117a8b", "#a8325e", "#4d5b1f", "#3f4fb5",
    "#6e4b2a",
  ]

  init(_ layout: DiagramLayout) { self.layout = layout }

  var text: String {
    let size = "width=\"\(number(layout.width))\" height=\"\(number(layout.height))\""
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" \(size) viewBox=\"0 0 \(number(layout.width))"
        + " \(number(layout.height))\""
        + " font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"11\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>",
    ]
    parts += layout.lines.map(line)
    parts += layout.boxes.map(box)
    return parts.joined(separator: "\n") + "\n</svg>\n"
  }

  private func box(_ box: DiagramLayout.Box) -> String {
    let (x, y, width) = (box.x, box.y, box.width)
    let place = "x=\"\(number(x))\" y=\"\(number(y))\" width=\"\(number(width))\""
    var parts = [
      "<rect \(place) height=\"\(number(box.height))\" rx=\"4\" fill=\"#fbfbf8\" stroke=\"#555\"/>",
      "<rect \(place) height=\"\(number(DiagramLayout.header))\" rx=\"4\""
        + " fill=\"\(box.isAbstract ? "#8a8a8a" : "#2f4858")\"/>",
      "<text x=\"\(number(x + width / 2))\" y=\"\(number(y + 16))\" text-anchor=\"middle\" fill=\"#fff\""
        + " font-weight=\"bold\"\(box.isAbstract ? " font-style=\"italic\"" : "")>"
        + "\(box.title.xmlEscaped)</text>",
    ]
    for (index, row) in box.rows.enumerated() {
      let base = number(box.portY(index) + 4)
      let colour = row.isRelationship ? "#1f5fa8" : "#222"
      parts.append(
        "<text x=\"\(number(x + 8))\" y=\"\(base)\" fill=\"\(colour)\">\(row.text.xmlEscaped)</text>")
      parts.append(
        "<text x=\"\(number(x + width - 8))\" y=\"\(base)\" text-anchor=\"end\""
          + " fill=\"#777\">\(row.type.xmlEscaped)</text>"
      )
    }
    return parts.joined(separator: "\n")
  }

  private func line(_ line: DiagramLayout.Line) -> String {
    let colour =
      line.isInheritance
      ? "#555" : Self.colours[(line.from.box * 7 + (line.from.row ?? 0)) % Self.colours.count]
    let style = "fill=\"none\" stroke=\"\(colour)\" stroke-width=\"1.3\""
    let points = line.points.map { "\(number($0.x)),\(number($0.y))" }.joined(separator: " ")
    var parts = [
      "<polyline points=\"\(points)\" \(style)\(line.isInheritance ? " stroke-dasharray=\"5 3\"" : "")/>"
    ]
    guard let first = line.points.first, let last = line.points.last, line.points.count > 1 else {
      return parts[0]
    }
    let leaves = line.points[1].x > first.x ? 1.0 : -1.0
    let enters = line.points[line.points.count - 2].x > last.x ? 1.0 : -1.0
    if line.isInheritance {
      parts.append(
        "<polygon points=\"\(number(last.x)),\(number(last.y))"
          + " \(number(last.x + enters * 10)),\(number(last.y - 5))"
          + " \(number(last.x + enters * 10)),\(number(last.y + 5))\" fill=\"#fff\" stroke=\"#555\"/>")
    } else {
      parts.append(end(first, leaves, line.from.isToMany, style))
      parts.append(end(last, enters, line.to.isToMany, style))
    }
    return parts.joined(separator: "\n")
  }

  /// A crow's foot for many, a bar for one.
  private func end(_ point: (x: Double, y: Double), _ away: Double, _ isToMany: Bool, _ style: String)
    -> String
  {
    let (x, y) = (point.x, point.y)
    if isToMany {
      return
        "<path d=\"M \(number(x)) \(number(y - 5)) L \(number(x + away * 9)) \(number(y)) L"
        + " \(number(x)) \(number(y + 5))\" \(style)/>"
    }
    return
      "<path d=\"M \(number(x + away * 6)) \(number(y - 4)) L \(number(x + away * 6))"
      + " \(number(y + 4))\" \(style)/>"
  }

  private func number(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
  }
}
