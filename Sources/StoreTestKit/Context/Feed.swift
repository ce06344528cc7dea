import ObjectContext
import ObjectModel
import ObjectQuery

/// What a feed brings again and again: authors, posts and tags with unique codes, linked in every way.
enum Feed {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      EntityDescription("Author") {
        AttributeDescription("code", .string)
        AttributeDescription("name", .string)
        AttributeDescription("level", .integer32, default: 1)
        RelationshipDescription("posts", toMany: "Post", inverse: "author")
        RelationshipDescription("shelf", toMany: "Post", inverse: "keeper", ordered: true)
        UniquenessConstraint("code")
      }
      EntityDescription("Post") {
        AttributeDescription("code", .string)
        AttributeDescription("name", .string)
        AttributeDescription("level", .integer32, default: 1)
        AttributeDescription("mood", .string, transient: true)
        RelationshipDescription("author", to: "Author", inverse: "posts")
        RelationshipDescription("keeper", to: "Author", inverse: "shelf")
        RelationshipDescription("parent", to: "Post", inverse: "replies")
        RelationshipDescription("replies", toMany: "Post", inverse: "parent")
        RelationshipDescription("next", to: "Post", inverse: "previous")
        RelationshipDescription("previous", to: "Post", inverse: "next")
        RelationshipDescription("hint", to: "Post")
        RelationshipDescription("tags", toMany: "Tag", inverse: "posts")
        RelationshipDescription("friends", toMany: "Post", inverse: "friends")
        RelationshipDescription("related", toMany: "Post", ordered: true)
        UniquenessConstraint("code")
      }
      EntityDescription("Essay", parent: "Post") {
        AttributeDescription("pages", .integer32)
        RelationshipDescription("editor", to: "Author")
      }
      EntityDescription("Tag") {
        AttributeDescription("code", .string)
        AttributeDescription("name", .string)
        AttributeDescription("level", .integer32, default: 1)
        RelationshipDescription("posts", toMany: "Post", inverse: "tags", ordered: true)
        UniquenessConstraint("code")
      }
    }
  }

  static func make(_ entity: String, _ code: String, in context: ManagedObjectContext) throws -> ManagedObject
  {
    try Staff.make(entity, ["code": .string(code)], in: context)
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
      return try object.object(name).map { try Staff.text($0, "code") ?? "-" } ?? ""
    }
    return try Staff.line(object, name, "code")
  }
}

/// The plain reference: things by number, of which the first with a code is what all of that code become.
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

  mutating func point(_ thing: Int, _ name: String, _ target: Int?) {
    if name == "next", let target {
      for other in things.indices where things[other].toOnes[name] == target {
        things[other].toOnes[name] = nil
      }
    }
    things[thing].toOnes[name] = target
  }

  mutating func add(_ thing: Int, _ name: String, _ target: Int) {
    things[thing].toManys[name, default: []].insert(target)
    if name == "friends" { things[target].toManys[name, default: []].insert(thing) }
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
      for (name, target) in old[place].toOnes where name != "next" || !isMerged(target) {
        things[place].toOnes[name] = last[target]
      }
    }
    for place in old.indices {
      for (name, targets) in old[place].toManys {
        for target in targets where follows(place, target, name, policy, isMerged) {
          add(last[place], name, last[target])
        }
      }
    }
    for place in merged { mergeValues(of: old[place], into: last[place], policy) }
    if policy != .rollback {
      for onlyStaying in [true, false] {
        for place in merged {
          for (owner, name, target) in Self.links(old, of: place)
          where name == "next" ? onlyStaying != (isMerged(owner) && isMerged(target)) : !onlyStaying {
            take(last[owner], name, last[target], policy, isMerged(owner), isMerged(target))
          }
        }
      }
    }
    compact(last)
  }

  private func follows(
    _ place: Int, _ target: Int, _ name: String, _ policy: FeedPolicy, _ isMerged: (Int) -> Bool
  ) -> Bool {
    guard policy == .rollback else { return true }
    return !isMerged(place) && (name == "related" || !isMerged(target))
  }

  /// The to-ones of a merged thing, and the one whose other end is it.
  private static func links(_ old: [Thing], of place: Int) -> [(Int, String, Int)] {
    var result: [(Int, String, Int)] = []
    for name in toOnes { if let target = old[place].toOnes[name] { result.append((place, name, target)) } }
    if let before = old.indices.first(where: { old[$0].toOnes["next"] == place }) {
      result.append((before, "next", place))
    }
    return result
  }

  private mutating func take(
    _ owner: Int, _ name: String, _ target: Int, _ policy: FeedPolicy, _ ownerIsMerged: Bool,
    _ targetIsMerged: Bool
  ) {
    if policy == .storeTrump {
      if ownerIsMerged, things[owner].toOnes[name] != nil { return }
      let isTaken = name == "next" && things.contains { $0.toOnes[name] == target }
      if targetIsMerged, isTaken { return }
    }
    point(owner, name, target)
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

  /// A line for each thing: its values, what it leads to, and what leads to it where there is an inverse.
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
        let code = try Staff.text(object, "code") ?? "-"
        let level = try Staff.number(object, "level") ?? 0
        var parts = ["\(code) \(try Staff.text(object) ?? "-") \(level)"]
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
