import Foundation
import StrongroomArchive
import Testing

enum ArchivePage {
  protocol Shape: ArchivedObject {
    var area: Double { get }
  }

  final class Circle: Shape {
    let id: UUID
    var radius: Double
    init(radius: Double) { (id, self.radius) = (UUID(), radius) }
    var area: Double { radius * radius * .pi }
  }

  final class Rectangle: Shape {
    let id: UUID
    var width: Double
    var height: Double
    init(width: Double, height: Double) { (id, self.width, self.height) = (UUID(), width, height) }
    var area: Double { width * height }
  }

  final class Page: ArchivedObject {
    let id: UUID
    var shapes: References<any Shape> = []
    var next: Reference<Page>?
    init() { id = UUID() }
  }

  protocol Tool: ArchivedType {}
  struct Pen: Tool { var width: Double }
  struct Brush: Tool { var bristles: Int }

  final class Case: ArchivedObject {
    let id: UUID
    @Polymorphic var tools: [any Tool] = []
    init() { id = UUID() }
  }

  final class Box: Shape {
    static var originalArchivedNames: [String] { ["Rectangle"] }
    static var archivedDefaults: [String: any Encodable & Sendable] { ["color": "black"] }
    let id: UUID
    var width: Double
    var height: Double
    var color: String
    var note: String?
    var area: Double { width * height }
  }
}

extension ArchivePage {
  @Suite("Documentation: an archive of objects")
  struct Tests {
    @Test("Store, release, read")
    func program() async throws {
      let place = try Place()
      let (url, vault) = (place.file("archive.store"), place.vault)
      let archive = try await ObjectArchive(url: url, vault: vault, Page.self, Circle.self, Rectangle.self)
      let page = Page()
      page.shapes = [Circle(radius: 1), Rectangle(width: 2, height: 3)]
      page.next = Reference(page)
      try archive.setRoot(page)
      try archive.save()

      archive.release()
      let first = try archive.root(Page.self)
      let areas = try first?.shapes.load().map(\.area)
      let circles = try archive.objects(Circle.self)
      let same = try archive.load(Page.self, id: page.id) === first
      #expect(areas == [Double.pi, 6] && circles.count == 1 && same)
      #expect(try first?.next?.load() === first)
    }

    @Test("Values behind a protocol, and a class under another name")
    func values() async throws {
      let place = try Place()
      let (url, vault) = (place.file("archive.store"), place.vault)
      let box = Case()
      do {
        let archive = try await ObjectArchive(
          url: url, vault: vault, Case.self, Pen.self, Brush.self, Rectangle.self)
        box.tools = [Pen(width: 1), Brush(bristles: 2)]
        try archive.store(box)
        try archive.store(Rectangle(width: 2, height: 2))
        try archive.save()
        try archive.close()
      }
      let archive = try await ObjectArchive(url: url, vault: vault, Case.self, Pen.self, Brush.self, Box.self)
      let tools = try archive.load(Case.self, id: box.id).tools
      #expect((tools.last as? Brush)?.bristles == 2)
      #expect(try archive.objects(Box.self).map(\.color) == ["black"])
    }
  }
}
