import ObjectContext
import ObjectModel
import ObjectQuery
import StoreTestKit

extension ContextCheck {
  /// Feeds imported again and again at random, compared with a plain reference.
  static let randomUpserts: [ContextCheck] = FeedPolicy.allCases.map { policy in
    ContextCheck("imports of the same keys in any order are as a plain reference has them (\(policy))") {
      factory in
      for seed in [UInt64(1), 4, 5, 16, 24, 30] {
        var walk = FeedWalk(try await ContextScenario(factory, Feed.model()), policy, seed: seed)
        for _ in 0..<12 { try walk.round() }
      }
    }
  }
}

/// One feed's imports.
private struct FeedWalk {
  let scenario: ContextScenario
  let policy: FeedPolicy
  let seed: UInt64
  var dice: Fixtures.Dice
  var reference = FeedReference()
  var number = 0
  /// What was done in this round.
  var log: [String] = []

  init(_ scenario: ContextScenario, _ policy: FeedPolicy, seed: UInt64) {
    (self.scenario, self.policy, self.seed) = (scenario, policy, seed)
    dice = Fixtures.Dice(seed: seed)
  }

  /// One import, in a context of its own or in a child of one.
  mutating func round() throws {
    number += 1
    log = []
    let parent = scenario.newContext()
    parent.mergePolicy = policy.policy
    if dice.chance(3) { parent.undoManager = UndoManager() }
    let isChild = dice.chance(4)
    let context = isChild ? ManagedObjectContext(parent: parent) : parent
    var objects: [Int: ManagedObject] = [:]
    for place in reference.things.indices where dice.chance(6) {
      let thing = reference.things[place]
      log.append("hold \(place) of \(thing.code)")
      objects[place] = try Feed.find(thing.entity, thing.code, in: context)
    }
    for _ in 0..<10 + dice.below(40) {
      if dice.chance(3) { try insert(context, &objects) } else { try link(objects) }
    }
    if isChild { try context.save() }
    try parent.save()
    reference.save(policy)
    try compare(parent, "the context")
    if isChild { try compare(context, "the child") }
    try compare(scenario.newContext(), "the store")
    try expect(!parent.hasChanges && !context.hasChanges, "\(what): changes are left")
  }

  private var what: String { "\(policy), seed \(seed), round \(number)" }

  private func compare(_ context: ManagedObjectContext, _ name: String) throws {
    let (wanted, found) = (reference.lines(), try FeedReference.lines(context))
    if wanted == found { return }
    let missing = wanted.filter { !found.contains($0) }
    let other = found.filter { !wanted.contains($0) }
    throw StoreCheckFailure(
      description: "\(what): \(name) has \(other), and not \(missing), after: \(log.joined(separator: "; "))")
  }

  private mutating func insert(_ context: ManagedObjectContext, _ objects: inout [Int: ManagedObject]) throws
  {
    let number = dice.below(6)
    let (entity, code) =
      switch dice.below(6) {
      case 0: ("Author", "a\(number % 3)")
      case 1: ("Tag", "t\(number % 3)")
      default: (number > 3 ? "Essay" : "Post", "p\(number)")
      }
    let object = try Feed.make(entity, code, in: context)
    let place = reference.insert(entity, code)
    log.append("insert \(place) of \(code)")
    objects[place] = object
    if dice.chance(2) {
      let name = "n\(dice.below(9))"
      try object.set("name", name)
      reference.set(place, name: name)
    }
    if dice.chance(3) {
      let level = 1 + dice.below(3)
      try object.set("level", level)
      reference.set(place, level: level)
    }
  }

  private mutating func link(_ objects: [Int: ManagedObject]) throws {
    let places = objects.keys.sorted()
    let posts = places.filter { !["Author", "Tag"].contains(reference.things[$0].entity) }
    guard let post = dice.element(posts), let object = objects[post] else { return }
    if dice.chance(12) {
      guard let name = dice.element(FeedReference.toOnes) else { return }
      log.append("\(post).\(name) nil")
      try object.setObject(nil, forKey: name)
      return reference.point(post, name, nil)
    }
    let (name, inverse) = links[dice.below(links.count)]
    let suited: [Int] =
      switch name {
      case "author", "keeper": places.filter { reference.things[$0].entity == "Author" }
      case "tags": places.filter { reference.things[$0].entity == "Tag" }
      default: posts
      }
    guard let place = dice.element(suited), let destination = objects[place] else { return }
    let isFromBehind = dice.chance(2)
    log.append("\(post).\(name) \(place)\(isFromBehind ? ", from behind" : "")")
    if FeedReference.toManys.contains(name) {
      reference.add(post, name, place)
      if let inverse, isFromBehind {
        try destination.add(object, to: inverse)
      } else {
        try object.add(destination, to: name)
      }
    } else {
      reference.point(post, name, place)
      if let inverse, isFromBehind {
        inverse == "previous"
          ? try destination.setObject(object, forKey: inverse) : try destination.add(object, to: inverse)
      } else {
        try object.setObject(destination, forKey: name)
      }
    }
  }

  private let links: [(String, String?)] = [
    ("author", "posts"), ("keeper", "shelf"), ("parent", "replies"), ("next", "previous"), ("hint", nil),
    ("tags", "posts"), ("friends", "friends"), ("related", nil),
  ]
}
