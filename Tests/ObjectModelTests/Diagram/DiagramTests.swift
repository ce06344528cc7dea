import Foundation
import FoundationXML
import Testing

@testable import ObjectModel

@Suite("The diagram as a picture")
struct DiagramTests {
  /// Sixty entities, each with attributes and relationships to others near and far.
  private static func model(_ count: Int = 60) throws -> ManagedObjectModel {
    var entities = (0..<count).map { index in
      var entity = Entity("Entity\(index)<&>") {}
      entity.attributes = (0...(index * 7 % 12)).map { Attribute("attribute\($0)", .string) }
      if index % 20 == 19 { entity.superentityName = "Entity\(index - 7)<&>" }
      return entity
    }
    for index in 0..<count {
      for step in [1, 5 + index % 11, index % 3 == 0 ? 31 : 0] where step > 0 {
        let other = (index + step) % count
        if other == index { continue }
        entities[index].relationships.append(
          Relationship(
            "to\(index)_\(step)", toMany: "Entity\(other)<&>", inverse: "from\(index)_\(step)",
            ordered: step == 1))
        entities[other].relationships.append(
          Relationship(
            "from\(index)_\(step)", to: "Entity\(index)<&>", inverse: "to\(index)_\(step)"))
      }
      entities[index].relationships.append(Relationship("self\(index)", to: "Entity\(index)<&>"))
    }
    for index in stride(from: 19, to: count, by: 20) { entities[index].attributes = [] }
    return try ManagedObjectModel(ModelDeclaration(entities: entities))
  }

  @Test("of sixty entities has no two boxes that touch, and no line through a box")
  func legible() throws {
    let layout = ModelDiagram(try Self.model()).layout
    #expect(layout.boxes.count == 60)
    #expect(layout.lines.count > 180)
    for (index, box) in layout.boxes.enumerated() {
      #expect(
        box.x > 0 && box.x + box.width < layout.width && box.y > 0 && box.y + box.height < layout.height)
      for other in layout.boxes[(index + 1)...] {
        let apart =
          box.x + box.width < other.x || other.x + other.width < box.x || box.y + box.height < other.y
          || other.y + other.height < box.y
        #expect(apart)
      }
    }
    for line in layout.lines {
      #expect(line.points.count >= 4)
      for (from, to) in zip(line.points, line.points.dropFirst()) {
        #expect(from.x == to.x || from.y == to.y, "a line is slanted")
        for box in layout.boxes {
          // Lines begin and end on a box's edge; inside it they have nothing to do.
          let through =
            max(from.x, to.x) > box.x + 0.5 && min(from.x, to.x) < box.x + box.width - 0.5
            && max(from.y, to.y) > box.y + 0.5 && min(from.y, to.y) < box.y + box.height - 0.5
          #expect(!through, "a line runs through \(box.title)")
        }
      }
    }
    // The vertical stretches of two lines lie on each other only where the lines end at one port.
    var stretches: [Double: [(low: Double, high: Double, line: Int)]] = [:]
    for (index, line) in layout.lines.enumerated() {
      for (from, to) in zip(line.points, line.points.dropFirst()) where from.x == to.x && from.y != to.y {
        for other in stretches[from.x] ?? [] where other.line != index {
          #expect(other.high <= min(from.y, to.y) || other.low >= max(from.y, to.y), "two lines share a lane")
        }
        stretches[from.x, default: []].append((min(from.y, to.y), max(from.y, to.y), index))
      }
    }
  }

  @Test("is well-formed SVG with every name, the same each time")
  func svg() throws {
    let model = try Self.model()
    let svg = ModelDiagram(model).svg
    #expect(svg == ModelDiagram(model).svg)
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse())
    for entity in model.entities {
      #expect(
        svg.contains(
          ">"
            + entity.name.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing(">", with: "&gt;")
        ))
      for property in entity.properties { #expect(svg.contains(">\(property.name)<")) }
    }
    #expect(svg.components(separatedBy: "<polyline").count - 1 == ModelDiagram(model).layout.lines.count)
    let empty = try ManagedObjectModel(ModelDeclaration(entities: []))
    #expect(XMLParser(data: Data(ModelDiagram(empty).svg.utf8)).parse())
  }
}
