import Foundation
import Strongroom

/// A small model, and classes for its entities as one writes them by hand.
enum TypedLibrary {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Volume") {
        Attribute("title", .string, optional: false, default: "")
        Attribute("pages", .integer64, optional: false, default: 0)
        Attribute("price", .double)
        Attribute("isLent", .boolean, optional: false, default: false)
        Attribute("bought", .date)
        Attribute("condition", .string, default: "new")
        Attribute("marks", .transformable)
        Attribute("extra", .transformable)
        Relationship("writer", to: "Writer", inverse: "volumes")
        Relationship("topics", toMany: "Topic", inverse: "volumes")
        Relationship("sections", toMany: "Section", inverse: "volume", ordered: true)
      }
      Entity("Writer") {
        Attribute("name", .string)
        Attribute("born", .integer64, optional: false, default: 0)
        Relationship("volumes", toMany: "Volume", inverse: "writer")
        Relationship("friend", to: "Writer")
      }
      Entity("Topic") {
        Attribute("name", .string, optional: false, default: "")
        Relationship("volumes", toMany: "Volume", inverse: "topics")
      }
      Entity("Section") {
        Attribute("name", .string, optional: false, default: "")
        Attribute("length", .integer64, optional: false, default: 0)
        Relationship("volume", to: "Volume", inverse: "sections")
      }
    }
  }

  /// Volumes that differ in everything a test asks for.
  static func fill(_ context: ManagedObjectContext) throws {
    let writers = try ["Ada", "Émile", nil].enumerated().map { number, name in
      let writer = try context.insert(Writer.self)
      try writer.set("name", name)
      try writer.set("born", 1800 + number * 50)
      return writer
    }
    try writers[0].setObject(writers[1], forKey: "friend")
    let topics = try ["Sea", "sky", "Ice"].map { name in
      let topic = try context.insert(Topic.self)
      try topic.set("name", name)
      return topic
    }
    for number in 0..<24 {
      let volume = try context.insert(Volume.self)
      try volume.set("title", ["The Sea", "the ice", "Skies 12", "", "Émigré"][number % 5])
      try volume.set("pages", number * 37 % 500)
      if number % 3 > 0 { try volume.set("price", Double(number) / 2) }
      try volume.set("isLent", number % 4 == 0)
      if number % 2 == 0 { try volume.set("bought", Date(timeIntervalSinceReferenceDate: Double(number))) }
      try volume.set("condition", number % 5 == 1 ? "worn" : "new")
      try volume.set("marks", Array(0..<(number % 4)))
      try volume.set("extra", number % 2 == 0 ? ["shelf": "A\(number % 3)"] : [:])
      if number % 7 > 0 { try volume.setObject(writers[number % 3], forKey: "writer") }
      try volume.add(contentsOf: topics.prefix(number % 4).map { $0 as ManagedObject }, to: "topics")
      for part in 0..<(number % 3) {
        let section = try context.insert(Section.self)
        try section.set("name", ["One", "Two"][part])
        try section.set("length", number + part)
        try volume.add(section, to: "sections")
      }
    }
    try context.save()
  }
}

final class Volume: ManagedObject {
  enum Condition: String, Codable, FetchArgument { case new, worn }
  override class var propertyNames: [AnyKeyPath: String] {
    [
      \Volume.title: "title", \Volume.pages: "pages", \Volume.price: "price", \Volume.isLent: "isLent",
      \Volume.bought: "bought", \Volume.condition: "condition", \Volume.marks: "marks",
      \Volume.extra: "extra",
      \Volume.writer: "writer", \Volume.topics: "topics", \Volume.sections: "sections",
      \Volume.owner: "writer",
    ]
  }

  var title: String { (try? get("title")) ?? "" }
  var pages: Int { (try? get("pages")) ?? 0 }
  var price: Double? { try? get("price") }
  var isLent: Bool { (try? get("isLent")) ?? false }
  var bought: Date? { try? get("bought") }
  var condition: Condition { (try? get("condition")).flatMap(Condition.init) ?? .new }
  var marks: [Int] { (try? get("marks")) ?? [] }
  var extra: [String: String] { (try? get("extra")) ?? [:] }
  var writer: Writer? { (try? object("writer")) as? Writer }
  var topics: [Topic] { (try? objects("topics").compactMap { $0 as? Topic }) ?? [] }
  var sections: [Section] { (try? objects("sections").compactMap { $0 as? Section }) ?? [] }
  /// The writer, of no class in particular.
  var owner: ManagedObject? { writer }
  /// No property of the model.
  var shelfMark: String { "A" }
}

final class Writer: ManagedObject {
  override class var propertyNames: [AnyKeyPath: String] {
    [\Writer.name: "name", \Writer.born: "born", \Writer.volumes: "volumes", \Writer.friend: "friend"]
  }

  var name: String? { try? get("name") }
  var born: Int { (try? get("born")) ?? 0 }
  var volumes: [Volume] { (try? objects("volumes").compactMap { $0 as? Volume }) ?? [] }
  var friend: Writer? { (try? object("friend")) as? Writer }
}

final class Topic: ManagedObject {
  override class var propertyNames: [AnyKeyPath: String] { [\Topic.name: "name", \Topic.volumes: "volumes"] }
  var name: String { (try? get("name")) ?? "" }
  var volumes: [Volume] { (try? objects("volumes").compactMap { $0 as? Volume }) ?? [] }
}

final class Section: ManagedObject {
  override class var propertyNames: [AnyKeyPath: String] {
    [\Section.name: "name", \Section.length: "length"]
  }
  var name: String { (try? get("name")) ?? "" }
  var length: Int { (try? get("length")) ?? 0 }
}

extension TypedLibrary {
  static func register(_ coordinator: PersistentStoreCoordinator) throws {
    try coordinator.register(Volume.self, for: "Volume")
    try coordinator.register(Writer.self, for: "Writer")
    try coordinator.register(Topic.self, for: "Topic")
    try coordinator.register(Section.self, for: "Section")
  }
}
