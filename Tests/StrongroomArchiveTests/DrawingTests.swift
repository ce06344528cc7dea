import Foundation
import StrongroomArchive
import Testing

private protocol Shape: ArchivedObject {
  var area: Double { get }
}

private final class Circle: Shape {
  let id: UUID
  var radius: Double
  init(radius: Double) {
    id = UUID()
    self.radius = radius
  }
  var area: Double { radius * radius * 3 }
}

private final class Rectangle: Shape {
  let id: UUID
  var width: Double
  var height: Double
  init(width: Double, height: Double) {
    id = UUID()
    self.width = width
    self.height = height
  }
  var area: Double { width * height }
}

private final class Layer: ArchivedObject {
  let id: UUID
  var name: String
  var shapes: References<any Shape>
  var page: Reference<Page>?
  init(name: String, shapes: [any Shape]) {
    id = UUID()
    self.name = name
    self.shapes = References(shapes)
  }
}

private final class Page: ArchivedObject {
  let id: UUID
  var layers: References<Layer> = []
  init() { id = UUID() }
  func add(_ layer: Layer) {
    layer.page = Reference(self)
    layers.append(layer)
  }
}

private final class Contents: ArchivedObject {
  let id: UUID
  var title: String
  var pages: References<Page> = []
  init(title: String) {
    id = UUID()
    self.title = title
  }
}

/// Rectangle's and Layer's later definitions.
private enum Later {
  final class Box: Shape {
    static var originalArchivedNames: [String] { ["Rectangle"] }
    static var archivedDefaults: [String: any Encodable & Sendable] { ["color": "black", "corner": 0.5] }
    let id: UUID
    var width: Double
    var height: Double
    var color: String
    var corner: Double
    var note: String?
    init() { fatalError("only read") }
    var area: Double { width * height }
  }
}

/// What users of ZStorage write: a document of pages, layers and shapes, each an object with an
/// identifier.
@Suite("A program in ZStorage's terms")
struct DrawingTests {
  private func draw(_ archive: ObjectArchive) throws -> (Contents, Rectangle) {
    let contents = Contents(title: "Plans")
    let shared = Rectangle(width: 2, height: 3)
    for number in 1...2 {
      let page = Page()
      page.add(Layer(name: "front \(number)", shapes: [Circle(radius: Double(number)), shared]))
      page.add(Layer(name: "back \(number)", shapes: [shared, Rectangle(width: 1, height: 1)]))
      contents.pages.append(page)
    }
    try archive.setRoot(contents)
    try archive.save()
    return (contents, shared)
  }

  @Test("define, save, reopen, find every shape of its own type, one instance each")
  func document() async throws {
    let place = try Place()
    do {
      let archive = try await place.archive(
        Contents.self, Page.self, Layer.self, Circle.self, Rectangle.self)
      _ = try draw(archive)
      #expect(
        try archive.storedTypes() == ["Contents": 1, "Page": 2, "Layer": 4, "Circle": 2, "Rectangle": 3])
      try archive.close()
    }
    let archive = try await place.archive(
      Contents.self, Page.self, Layer.self, Circle.self, Rectangle.self)
    let contents = try #require(try archive.root(Contents.self))
    let pages = try contents.pages.load()
    #expect(contents.title == "Plans" && pages.count == 2)
    let layers = try pages.flatMap { try $0.layers.load() }
    #expect(layers.map(\.name) == ["front 1", "back 1", "front 2", "back 2"])
    #expect(try layers[3].page?.load() === pages[1])
    let shapes = try layers.map { try $0.shapes.load() }
    #expect(shapes[0].map { String(describing: type(of: $0)) } == ["Circle", "Rectangle"])
    #expect(shapes.joined().map(\.area) == [3, 6, 6, 1, 12, 6, 6, 1])
    #expect(shapes[0][1] === shapes[3][0])
    #expect(try archive.objects(Circle.self).map(\.radius) == [1, 2])
  }

  @Test("only what changed is written, also when the model is not retained")
  func changes() async throws {
    let place = try Place()
    let archive = try await place.archive(
      Contents.self, Page.self, Layer.self, Circle.self, Rectangle.self)
    let (contents, shared) = try draw(archive)
    #expect(try !archive.hasChanges())
    var before = try archive.executed
    try archive.save()
    #expect(try archive.executed == before)
    try contents.pages.load(at: 0).layers.load(at: 0).name = "renamed"
    shared.width = 10
    before = try archive.executed
    try archive.save()
    #expect(try archive.executed - before <= 7, "two of them the history's")
    archive.release()
    let again = try #require(try archive.root(Contents.self))
    #expect(again !== contents)
    let layer = try again.pages.load(at: 0).layers.load(at: 0)
    #expect(try layer.name == "renamed" && layer.shapes.load(at: 1).area == 30)
    // One statement for all shapes of a layer.
    before = try archive.executed
    _ = try again.pages.load(at: 1).layers.load(at: 0).shapes.load()
    #expect(try archive.executed - before == 3)
  }

  @Test(
    "a renamed class, new properties with defaults; an unregistered type is named in the error and stays"
  )
  func definitions() async throws {
    let place = try Place()
    do {
      let archive = try await place.archive(
        Contents.self, Page.self, Layer.self, Circle.self, Rectangle.self)
      _ = try draw(archive)
      try archive.close()
    }
    do {
      let archive = try await place.archive(Contents.self, Page.self, Layer.self, Later.Box.self)
      let contents = try #require(try archive.root(Contents.self))
      let layer = try contents.pages.load(at: 0).layers.load(at: 0)
      let error = #expect(throws: ArchiveError.self) { try layer.shapes.load() }
      #expect(error?.code == .notRegistered && error?.message.contains("Circle") == true)
      let box = try #require(try layer.shapes.load(at: 1) as? Later.Box)
      #expect(box.area == 6 && box.color == "black" && box.corner == 0.5 && box.note == nil)
      // Saving what has a reference to something unknown keeps the reference.
      layer.name = "touched"
      box.color = "red"
      try archive.save()
      #expect(try archive.objects(Later.Box.self).count == 3)
      #expect(try archive.storedTypes()["Circle"] == 2)
      try archive.close()
    }
    let archive = try await place.archive(
      Contents.self, Page.self, Layer.self, Circle.self, Later.Box.self)
    let layer = try #require(try archive.root(Contents.self)).pages.load(at: 0).layers.load(at: 0)
    #expect(try layer.name == "touched" && layer.shapes.load().map(\.area) == [3, 6])
    #expect(try (layer.shapes.load(at: 1) as? Later.Box)?.color == "red")
  }
}
