import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// What is done to one to-one on two sides.
struct Move: CustomStringConvertible {
  enum Step: String { case stay, first, second, nowhere }

  let toOne: String
  let here: Step
  let there: Step
  /// Whether everything was read before.
  let isRead: Bool

  static let policies: [MergePolicy] = [
    .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback,
  ]

  static var all: [Move] {
    var result: [Move] = []
    for toOne in ["owner", "desk", "spouse", "employer"] {
      for (here, there) in [
        (Step.first, Step.second), (.first, .stay), (.stay, .second), (.first, .first), (.nowhere, .second),
        (.first, .nowhere),
      ] {
        // A task has to have an owner.
        if toOne == "owner", here == .nowhere || there == .nowhere { continue }
        for isRead in [true, false] {
          result.append(Move(toOne: toOne, here: here, there: there, isRead: isRead))
        }
      }
    }
    return result
  }

  var isMovedHere: Bool { here != .stay }
  /// An attribute of the object that is moved.
  var text: String { toOne == "owner" ? "title" : "name" }
  var description: String { "\(toOne) to \(here) here, to \(there) there\(isRead ? ", read" : "")" }

  /// What the object is to lead to, of: itself, what it leads to, two others.
  func goal(ofStore: Bool, _ ids: [ManagedObjectID]) -> (ManagedObjectID?, isMoved: Bool) {
    switch ofStore ? there : here {
    case .stay: (nil, false)
    case .first: (ids[2], true)
    case .second: (ids[3], true)
    case .nowhere: (nil, true)
    }
  }
}

/// Two contexts that pull at one to-one.
struct ToOneConflict {
  let scenario: ContextScenario
  let here: ManagedObjectContext
  let there: ManagedObjectContext
  let step: Move
  /// The object that is moved, what it leads to at first, and two others.
  let ids: [ManagedObjectID]
  /// As both contexts read them at first: a context alone holds what is changed.
  private let held: [ManagedObject]

  init(_ scenario: ContextScenario, _ step: Move) throws {
    self.scenario = scenario
    self.step = step
    (here, there) = (scenario.newContext(), scenario.newContext())
    let maker = scenario.newContext()
    func end(_ number: Int) throws -> ManagedObject {
      switch step.toOne {
      case "desk": try maker.insert("Desk")
      case "employer": try Fixtures.company(maker, "\(number)")
      default: try Fixtures.person(maker, "\(number)")
      }
    }
    let ends = try (1...3).map { try end($0) }
    let mover = try maker.insert(step.toOne == "owner" ? "Task" : "Person")
    try mover.set(step.text, "mover")
    try mover.setObject(ends[0], forKey: step.toOne)
    // Others stand where it comes from and where it goes to.
    for end in ends where step.toOne == "owner" { try Fixtures.task("other", of: end, in: maker) }
    if step.toOne == "desk" { try Fixtures.person(maker, "sitter").setObject(ends[1], forKey: "desk") }
    if step.toOne == "spouse" { try Fixtures.person(maker, "partner").setObject(ends[1], forKey: "spouse") }
    try maker.save()
    let further = step.toOne == "desk" ? try ends[1].object("owner") : try step.partner(ends[1])
    ids = ([mover] + ends + (further.map { [$0] } ?? [])).map(\.objectID)
    var held: [ManagedObject] = []
    for context in [here, there] {
      for id in ids { held.append(try Self.touch(context.existingObject(with: id), isRead: step.isRead)) }
    }
    self.held = held
  }

  /// Reads every relationship, or none.
  @discardableResult
  static func touch(_ object: ManagedObject, isRead: Bool) throws -> ManagedObject {
    guard isRead else { return object }
    for relationship in object.entity.relationships {
      if relationship.isToMany {
        _ = try object.objects(relationship.name)
      } else {
        _ = try object.object(relationship.name)
      }
    }
    return object
  }

  func move(_ context: ManagedObjectContext, to goal: (ManagedObjectID?, isMoved: Bool)) throws {
    let mover = try context.existingObject(with: ids[0])
    guard goal.isMoved else { return try mover.set(step.text, context === here ? "here" : "there") }
    try mover.setObject(try goal.0.map { try context.existingObject(with: $0) }, forKey: step.toOne)
  }

  /// There first, and saved; then here.
  func both() throws {
    try move(there, to: step.goal(ofStore: true, ids))
    try there.save()
    try move(here, to: step.goal(ofStore: false, ids))
  }

  /// Here and in the store, both ends of every link agree, and nothing is left to save.
  func agree(_ what: String) throws {
    let fresh = scenario.newContext()
    try Self.agree(fresh, ids, "\(what): stored")
    try Self.agree(here, ids, "\(what): here")
    for id in ids {
      guard let stored = try? fresh.existingObject(with: id) else { continue }
      for relationship in stored.entity.relationships {
        let own = try Self.destinations(here.existingObject(with: id), relationship).map(\.objectID)
        let their = try Self.destinations(stored, relationship).map(\.objectID)
        let isSame = relationship.isOrdered ? own == their : Set(own) == Set(their)
        try expect(isSame, "\(what): \(stored.entity.name).\(relationship.name) is not as stored")
      }
    }
    try expect(!here.hasChanges, "\(what): nothing is left to save")
  }

  /// Both ends of every link of these objects agree, each link once.
  static func agree(_ context: ManagedObjectContext, _ ids: [ManagedObjectID], _ what: String) throws {
    for id in ids {
      guard let object = try? context.existingObject(with: id) else { continue }
      for relationship in object.entity.relationships {
        guard let inverse = relationship.inverse else { continue }
        let name = "\(object.entity.name).\(relationship.name)"
        let ends = try destinations(object, relationship)
        try expect(Set(ends).count == ends.count, "\(what): \(name) has one twice")
        for end in ends {
          let isBack = try destinations(end, inverse).contains(object)
          try expect(isBack, "\(what): \(name) leads to what does not lead back")
        }
      }
    }
  }

  private static func destinations(_ object: ManagedObject, _ relationship: RelationshipDescription) throws
    -> [ManagedObject]
  {
    relationship.isToMany
      ? Array(try object.objects(relationship.name))
      : try object.object(relationship.name).map { [$0] } ?? []
  }
}

extension Move {
  fileprivate func partner(_ end: ManagedObject) throws -> ManagedObject? {
    toOne == "spouse" ? try end.object("spouse") : nil
  }
}
