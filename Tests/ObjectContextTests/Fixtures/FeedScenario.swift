import ObjectContext
import ObjectModel
import ObjectQuery
import StoreTestKit

/// What a feed brings again and again: authors, posts and tags with unique codes, linked in every
/// way.
enum Feed {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Author") {
        Attribute("code", .string)
        Attribute("name", .string)
        Attribute("level", .integer32, default: 1)
        Relationship("posts", toMany: "Post", inverse: "author")
        Relationship("shelf", toMany: "Post", inverse: "keeper", ordered: true)
        UniquenessConstraint("code")
      }
      Entity("Post") {
        Attribute("code", .string)
        Attribute("name", .string)
        Attribute("level", .integer32, default: 1)
        Attribute("mood", .string, transient: true)
        Relationship("author", to: "Author", inverse: "posts")
        Relationship("keeper", to: "Author", inverse: "shelf")
        Relationship("parent", to: "Post", inverse: "replies")
        Relationship("replies", toMany: "Post", inverse: "parent")
        Relationship("next", to: "Post", inverse: "previous")
        Relationship("previous", to: "Post", inverse: "next")
        Relationship("hint", to: "Post")
        Relationship("tags", toMany: "Tag", inverse: "posts")
        Relationship("friends", toMany: "Post", inverse: "friends")
        Relationship("related", toMany: "Post", ordered: true)
        UniquenessConstraint("code")
      }
      Entity("Essay", parent: "Post") {
        Attribute("pages", .integer32)
        Relationship("editor", to: "Author")
      }
      Entity("Tag") {
        Attribute("code", .string)
        Attribute("name", .string)
        Attribute("level", .integer32, default: 1)
        Relationship("posts", toMany: "Post", inverse: "tags", ordered: true)
        UniquenessConstraint("code")
      }
    }
  }

  static func make(_ entity: String, _ code: String, in context: ManagedObjectContext) throws -> ManagedObject
  {
    try Fixtures.make(entity, ["code": .string(code)], in: context)
  }

  /// The object of a code.
  static func find(_ entity: String, _ code: String, in context: ManagedObjectContext) throws -> ManagedObject
  {
    let found = try context.fetch(FetchRequest(entity, where: .compare("code", .equal, .string(code))))
    guard found.count == 1, let object = found.first else {
      throw StoreCheckFailure(description: "\(found.count) objects of \(entity) \(code)")
    }
    return object
  }

  /// The codes of what a relationship leads to; in their order when it has one.
  static func codes(_ object: ManagedObject, _ name: String) throws -> String {
    guard object.entity.relationship(named: name)?.isToMany == true else {
      return try object.object(name).map { try Fixtures.text($0, "code") ?? "-" } ?? ""
    }
    return try Fixtures.line(object, name, "code")
  }
}

/// The plain reference: things by number, of which the first with a code is what all of that code
/// become.
struct FeedReference {
  struct Thing {
    let entity: String
    let code: String
    var name: String?
    var level = 1
    /// Whether the next save is to insert it.
    var isNew = true
    var toOnes: [String: Int] = [:]
    var toManys: [String: Set<Int>] = [:]
  }

  private(set) var things: [Thing] = []

  /// The to-ones, of which `next` is the only one whose other end is one too.
  static let toOnes = ["author", "keeper", "parent", "next", "hint"]
  static let toManys = ["tags", "friends", "related"]

  mutating func insert(_ entity: String, _ code: String) -> Int {
    things.append(Thing(entity: entity, code: code))
    return things.count - 1
  }

  mutating func set(_ thing: Int, name: String?) { things[thing].name = name }
  mutating func set(_ thing: Int, level: Int) { things[thing].level = level }

  mutating func point(_ thing: Int, _ name: String, _ destination: Int?) {
    if name == "next", let destination {
      for other in things.indices where things[other].toOnes[name] == destination {
        things[other].toOnes[name] = nil
      }
    }
    things[thing].toOnes[name] = destination
  }

  mutating func add(_ thing: Int, _ name: String, _ destination: Int) {
    things[thing].toManys[name, default: []].insert(destination)
    if name == "friends" { things[destination].toManys[name, default: []].insert(thing) }
  }

  /// What each thing is in the end.
  private func successors() -> [Int] {
    var firsts: [String: Int] = [:]
    for place in things.indices where !things[place].isNew { firsts[things[place].code] = place }
    return things.indices.map { place in
      if let first = firsts[things[place].code] { return first }
      firsts[things[place].code] = place
      return place
    }
  }

  /// A save: things of one code become one.
  mutating func save(_ policy: FeedPolicy) {
    let last = successors()
    let old = things
    func isMerged(_ place: Int) -> Bool { last[place] != place }
    let merged = things.indices.filter(isMerged)
    for place in things.indices {
      things[place].toOnes = [:]
      things[place].toManys = [:]
    }
    // What stays as it is, and what it leads to that stays or may be followed.
    for place in old.indices where !isMerged(place) {
      for (name, destination) in old[place].toOnes where name != "next" || !isMerged(destination) {
        things[place].toOnes[name] = last[destination]
      }
    }
    for place in old.indices {
      for (name, destinations) in old[place].toManys {
        for destination in destinations where follows(place, destination, name, policy, isMerged) {
          add(last[place], name, last[destination])
        }
      }
    }
    for place in merged { mergeValues(of: old[place], into: last[place], policy) }
    if policy != .rollback {
      for onlyStaying in [true, false] {
        for place in merged {
          for (owner, name, destination) in Self.links(old, of: place)
          where name == "next" ? onlyStaying != (isMerged(owner) && isMerged(destination)) : !onlyStaying {
            take(last[owner], name, last[destination], policy, isMerged(owner), isMerged(destination))
          }
        }
      }
    }
    compact(last)
  }

  private func follows(
    _ place: Int, _ destination: Int, _ name: String, _ policy: FeedPolicy, _ isMerged: (Int) -> Bool
  ) -> Bool {
    guard policy == .rollback else { return true }
    return !isMerged(place) && (name == "related" || !isMerged(destination))
  }

  /// The to-ones of a merged thing, and the one whose other end is it.
  private static func links(_ old: [Thing], of place: Int) -> [(Int, String, Int)] {
    var result: [(Int, String, Int)] = []
    for name in toOnes {
      if let destination = old[place].toOnes[name] { result.append((place, name, destination)) }
    }
    if let before = old.indices.first(where: { old[$0].toOnes["next"] == place }) {
      result.append((before, "next", place))
    }
    return result
  }

  private mutating func take(
    _ owner: Int, _ name: String, _ destination: Int, _ policy: FeedPolicy, _ ownerIsMerged: Bool,
    _ destinationIsMerged: Bool
  ) {
    if policy == .storeTrump {
      if ownerIsMerged, things[owner].toOnes[name] != nil { return }
      let isTaken = name == "next" && things.contains { $0.toOnes[name] == destination }
      if destinationIsMerged, isTaken { return }
    }
    point(owner, name, destination)
  }

  private mutating func mergeValues(of thing: Thing, into place: Int, _ policy: FeedPolicy) {
    switch policy {
    case .rollback: break
    case .overwrite: (things[place].name, things[place].level) = (thing.name, thing.level)
    case .objectTrump:
      if let name = thing.name { things[place].name = name }
      if thing.level != 1 { things[place].level = thing.level }
    case .storeTrump:
      if things[place].name == nil { things[place].name = thing.name }
      if things[place].level == 1 { things[place].level = thing.level }
    }
  }

  /// Drops what became others.
  private mutating func compact(_ last: [Int]) {
    var new: [Int: Int] = [:]
    for place in things.indices where last[place] == place { new[place] = new.count }
    things = things.indices.filter { last[$0] == $0 }.map { place in
      var thing = things[place]
      thing.isNew = false
      thing.toOnes = thing.toOnes.compactMapValues { new[$0] }
      thing.toManys = thing.toManys.mapValues { Set($0.compactMap { new[$0] }) }
      return thing
    }
  }

  /// A line for each thing: its values, what it leads to, and what leads to it where there is an
  /// inverse.
  func lines() -> [String] {
    func codes(_ places: some Sequence<Int>) -> String {
      places.map { things[$0].code }.sorted().joined(separator: " ")
    }
    return things.indices.map { place in
      let thing = things[place]
      func back(_ name: String) -> String {
        codes(things.indices.filter { things[$0].toOnes[name] == place })
      }
      var parts = ["\(thing.code) \(thing.name ?? "-") \(thing.level)"]
      if thing.entity == "Author" {
        parts += ["posts \(back("author"))", "shelf \(back("keeper"))"]
      } else if thing.entity == "Tag" {
        let posts = things.indices.filter { things[$0].toManys["tags"]?.contains(place) == true }
        parts.append("posts \(codes(posts))")
      } else {
        parts += Self.toOnes.map { name in "\(name) \(thing.toOnes[name].map { things[$0].code } ?? "")" }
        parts += Self.toManys.map { "\($0) \(codes(thing.toManys[$0] ?? []))" }
        parts += ["replies \(back("parent"))", "previous \(back("next"))"]
      }
      return parts.joined(separator: ", ")
    }.sorted()
  }

  /// The same of a context.
  static func lines(_ context: ManagedObjectContext) throws -> [String] {
    var result: [String] = []
    for entity in ["Author", "Post", "Tag"] {
      let names =
        switch entity {
        case "Author": ["posts", "shelf"]
        case "Tag": ["posts"]
        default: toOnes + toManys + ["replies", "previous"]
        }
      for object in try context.fetch(FetchRequest(entity)) {
        let code = try Fixtures.text(object, "code") ?? "-"
        let level = try Fixtures.number(object, "level") ?? 0
        var parts = ["\(code) \(try Fixtures.text(object) ?? "-") \(level)"]
        for name in names {
          let all = try Feed.codes(object, name).split(separator: " ").sorted()
          parts.append("\(name) \(all.joined(separator: " "))")
        }
        result.append(parts.joined(separator: ", "))
      }
    }
    return result.sorted()
  }
}

enum FeedPolicy: CaseIterable {
  case objectTrump, storeTrump, overwrite, rollback

  var policy: MergePolicy {
    switch self {
    case .objectTrump: .mergeByPropertyObjectTrump
    case .storeTrump: .mergeByPropertyStoreTrump
    case .overwrite: .overwrite
    case .rollback: .rollback
    }
  }
}
