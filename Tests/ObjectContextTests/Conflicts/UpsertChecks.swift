import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// New objects with the unique values of stored ones, and what becomes of their links.
  static let upserts: [ContextCheck] =
    relationshipsOfUpserts + ordersOfUpserts + sameKeys + contextsOfUpserts + randomUpserts

  private static let trumps: [MergePolicy] = [.mergeByPropertyObjectTrump, .overwrite]

  private static let relationshipsOfUpserts: [ContextCheck] = [
    ContextCheck("a feed imported twice keeps its links, whichever end comes first (NSMergePolicy)") {
      factory in
      let links: [(String, String?)] = [
        ("author", "posts"), ("keeper", "shelf"), ("parent", "replies"), ("next", "previous"), ("hint", nil),
        ("editor", nil), ("tags", "posts"), ("friends", "friends"), ("related", nil),
      ]
      for policy in trumps + [.mergeByPropertyStoreTrump] {
        let scenario = try await ContextScenario(factory, Feed.model())
        for (number, (name, inverse)) in links.enumerated() {
          for way in 0..<8 {
            let (isDestinationFirst, isLinkedLate, isFromBehind) = (way & 1 != 0, way & 2 != 0, way & 4 != 0)
            if isFromBehind, inverse == nil { continue }
            let what = "\(policy), \(name), way \(way)"
            let code = "\(number) \(way)"
            // Twice with the same other end, then with another one.
            for other in ["x", "x", "y"] {
              let here = scenario.newContext()
              here.mergePolicy = policy
              let (post, destination) = try pair(
                code, other, name, isDestinationFirst ? [1, 0] : [0, 1], isLinkedLate,
                isFromBehind ? inverse : nil,
                in: here)
              try here.save()
              let isToMany = post.entity.relationship(named: name)?.isToMany == true
              let stays = !isToMany && other == "y" && policy.description == "mergeByPropertyStoreTrump"
              let wanted =
                isToMany && other == "y" ? "\(code)x \(code)y" : code + (stays ? "x" : other)
              let fresh = scenario.newContext()
              for context in [here, fresh] {
                let own = try Feed.find("Essay", code, in: context)
                try expect(Feed.codes(own, name) == wanted, "\(what): to \(other)")
                let end = try Feed.find(destination.entity.name, code + other, in: context)
                guard let inverse else { continue }
                try expect(Feed.codes(end, inverse) == (stays ? "" : code), "\(what): back from \(other)")
              }
            }
          }
        }
      }
    },
    ContextCheck("chains and circles of objects that are all imported again hold (NSMergePolicy)") {
      factory in
      let codes = ["a", "b", "c"]
      for policy in trumps + [.mergeByPropertyStoreTrump] {
        for name in ["parent", "next", "hint", "friends"] {
          let scenario = try await ContextScenario(factory, Feed.model())
          for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1]] {
            for links in [[(0, 1), (1, 2)], [(0, 1), (1, 2), (2, 0)], [(0, 0)], [(0, 1), (1, 0)]] {
              let codes = codes.map { "\(links) \($0)" }
              for _ in 0..<3 {
                let here = scenario.newContext()
                here.mergePolicy = policy
                var posts: [Int: ManagedObject] = [:]
                for place in order { posts[place] = try Feed.make("Post", codes[place], in: here) }
                for (from, to) in links {
                  guard let post = posts[from], let destination = posts[to] else { continue }
                  if name == "friends" {
                    try post.add(destination, to: name)
                  } else {
                    try post.setObject(destination, forKey: name)
                  }
                }
                try here.save()
                for context in [here, scenario.newContext()] {
                  for (from, to) in links {
                    let post = try Feed.find("Post", codes[from], in: context)
                    let destination = try Feed.find("Post", codes[to], in: context)
                    let isThere =
                      try name == "friends"
                      ? post.objects(name).contains(destination) && destination.objects(name).contains(post)
                      : post.object(name) === destination
                    try expect(isThere, "\(policy), \(name), \(order), \(links): \(from) to \(to)")
                  }
                }
              }
            }
          }
        }
      }
    },
    ContextCheck("what an imported object leaves unset stays as it is stored (NSMergePolicy)") { factory in
      for policy in trumps + [.mergeByPropertyStoreTrump, .rollback] {
        let scenario = try await ContextScenario(factory, Feed.model())
        let first = scenario.newContext()
        let (post, next) = try pair("p", "x", "next", [0, 1], true, nil, in: first)
        let author = try Feed.make("Author", "a", in: first)
        let tag = try Feed.make("Tag", "t", in: first)
        for name in ["author", "keeper", "editor"] { try post.setObject(author, forKey: name) }
        try post.add(tag, to: "tags")
        try post.set("pages", 7)
        try first.save()
        let here = scenario.newContext()
        here.mergePolicy = policy
        let again = try Feed.make("Essay", "p", in: here)
        try again.setObject(nil, forKey: "author")
        _ = try Feed.make("Author", "a", in: here)
        _ = try Feed.make("Essay", try Fixtures.text(next, "code") ?? "", in: here)
        try again.set("mood", "calm")
        try here.save()
        for context in [here, scenario.newContext()] {
          let own = try Feed.find("Essay", "p", in: context)
          for name in ["author", "keeper", "editor"] {
            try expect(Feed.codes(own, name) == "a", "\(policy): \(name)")
          }
          try expect(Feed.codes(own, "next") == "px" && Feed.codes(own, "tags") == "t", "\(policy): links")
          let wanted = policy.description == "overwrite" ? nil : 7
          try expect(Fixtures.number(own, "pages") == wanted, "\(policy): a value")
        }
        try expect(Fixtures.text(again, "mood") == "calm", "what is never stored stays")
      }
    },
    ContextCheck("references to an object whose changes are dropped move to the stored one (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory, Feed.model())
      let first = scenario.newContext()
      for (entity, code) in [("Author", "a"), ("Post", "p"), ("Tag", "t"), ("Post", "old")] {
        _ = try Feed.make(entity, code, in: first)
      }
      try first.save()
      let here = scenario.newContext()
      here.mergePolicy = .rollback
      let (new, old) = (try Feed.make("Post", "new", in: here), try Feed.find("Post", "old", in: here))
      let (author, post) = (try Feed.make("Author", "a", in: here), try Feed.make("Post", "p", in: here))
      for own in [new, old] {
        for (name, destination) in [("author", author), ("keeper", author), ("parent", post), ("hint", post)]
        {
          try own.setObject(destination, forKey: name)
        }
        try own.add(post, to: "related")
      }
      try post.setObject(author, forKey: "author")
      try new.setObject(post, forKey: "next")
      try here.save()
      for context in [here, scenario.newContext()] {
        for code in ["new", "old"] {
          let own = try Feed.find("Post", code, in: context)
          let found = try ["author", "keeper", "parent", "hint", "related", "next"].map {
            try Feed.codes(own, $0)
          }
          try expect(found == ["a", "a", "p", "p", "p", ""], "\(code): \(found)")
        }
        try expect(Feed.codes(Feed.find("Post", "p", in: context), "author").isEmpty, "its own are dropped")
      }
    },
    ContextCheck("references among a policy's own values follow merged objects (NSMergePolicy)") { factory in
      for isAuthorFirst in [false, true] {
        let scenario = try await ContextScenario(factory, Feed.model())
        let first = scenario.newContext()
        _ = try Feed.make("Author", "a", in: first)
        _ = try Feed.make("Post", "p", in: first)
        try first.save()
        let here = scenario.newContext()
        here.mergePolicy = .custom("own") { conflict in
          let mine = conflict.objectSnapshot
          return .values(
            ["author": mine["author"] ?? .null, "name": "own"].filter {
              $0.key == "name" || mine[$0.key] != nil
            })
        }
        let early = isAuthorFirst ? try Feed.make("Author", "a", in: here) : nil
        let post = try Feed.make("Post", "p", in: here)
        let author = try early ?? Feed.make("Author", "a", in: here)
        try post.setObject(author, forKey: "author")
        try here.save()
        let fresh = scenario.newContext()
        let stored = try Feed.find("Post", "p", in: fresh)
        try expect(Feed.codes(stored, "author") == "a" && Fixtures.text(stored) == "own", "\(isAuthorFirst)")
      }
    },
  ]

  /// An essay and what it leads to, made and linked in one way.
  private static func pair(
    _ code: String, _ other: String, _ name: String, _ order: [Int], _ isLinkedLate: Bool, _ inverse: String?,
    in context: ManagedObjectContext
  ) throws -> (ManagedObject, ManagedObject) {
    let entity =
      switch name {
      case "author", "keeper", "editor": "Author"
      case "tags": "Tag"
      default: "Essay"
      }
    var made: [Int: ManagedObject] = [:]
    func link() throws {
      guard let post = made[0], let destination = made[1] else { return }
      let (from, to, name) = inverse.map { (destination, post, $0) } ?? (post, destination, name)
      if from.entity.relationship(named: name)?.isToMany == true {
        try from.add(to, to: name)
      } else {
        try from.setObject(to, forKey: name)
      }
    }
    for place in order {
      let object = try context.insert(place == 0 ? "Essay" : entity)
      made[place] = object
      if !isLinkedLate { try link() }
      try object.set("code", place == 0 ? code : code + other)
    }
    try link()
    guard let post = made[0], let destination = made[1] else {
      throw StoreCheckFailure(description: "nothing made")
    }
    return (post, destination)
  }

  private static let ordersOfUpserts: [ContextCheck] = [
    ContextCheck("the order of a list that is imported again goes with the side that wins (NSMergePolicy)") {
      factory in
      let cases: [(MergePolicy, String, String, String)] = [
        (.mergeByPropertyObjectTrump, "1 2 3 4", "3 2", "1 3 2 4"),
        (.mergeByPropertyObjectTrump, "1 2 3", "3 9 1", "3 9 2 1"),
        (.mergeByPropertyObjectTrump, "1 2", "8 9", "1 2 8 9"),
        (.mergeByPropertyObjectTrump, "1 2", "9 2", "1 9 2"),
        (.overwrite, "1 2 3", "3 2 1", "3 2 1"),
        (.mergeByPropertyStoreTrump, "1 2 3", "3 9 1 8", "1 2 3 9 8"),
        (.mergeByPropertyObjectTrump, "", "2 1", "2 1"), (.rollback, "1 2", "2 1", "1 2"),
      ]
      for name in ["shelf", "related"] {
        for (policy, stored, new, wanted) in cases {
          for isOwnerFirst in [false, true] {
            let scenario = try await ContextScenario(factory, Feed.model())
            for (list, isFirst) in [(stored, true), (new, isOwnerFirst)] {
              let context = scenario.newContext()
              context.mergePolicy = policy
              let entity = name == "shelf" ? "Author" : "Post"
              let early = isFirst ? try Feed.make(entity, "owner", in: context) : nil
              let posts = try list.split(separator: " ").map {
                try Feed.make("Post", String($0), in: context)
              }
              let owner = try early ?? Feed.make(entity, "owner", in: context)
              try owner.setObjects(posts, forKey: name)
              try context.save()
            }
            let entity = name == "shelf" ? "Author" : "Post"
            let fresh = scenario.newContext()
            let owner = try Feed.find(entity, "owner", in: fresh)
            let found = try Feed.codes(owner, name)
            try expect(found == wanted, "\(policy), \(name): \(new) over \(stored) is \(found)")
          }
        }
      }
    },
    ContextCheck("an object imported again stands in a list once, where it stood first (NSMergePolicy)") {
      factory in
      for (name, entity) in [("shelf", "Author"), ("related", "Post"), ("posts", "Tag")] {
        for isHeld in [false, true] {
          let scenario = try await ContextScenario(factory, Feed.model())
          let first = scenario.newContext()
          let owner = try Feed.make(entity, "owner", in: first)
          try owner.setObjects(["1", "2", "3"].map { try Feed.make("Post", $0, in: first) }, forKey: name)
          try first.save()
          let here = scenario.newContext()
          here.mergePolicy = .mergeByPropertyObjectTrump
          let held = try Feed.find(entity, "owner", in: here)
          if isHeld { _ = try held.objects(name).count }
          let (one, three) = (try Feed.make("Post", "1", in: here), try Feed.make("Post", "3", in: here))
          let four = try Feed.make("Post", "4", in: here)
          try held.add(three, four, one, to: name)
          if isHeld { try held.remove(Feed.find("Post", "2", in: here), from: name) }
          try here.save()
          let wanted = isHeld ? "1 3 4" : "1 2 3 4"
          for context in [here, scenario.newContext()] {
            let found = try Feed.codes(Feed.find(entity, "owner", in: context), name)
            try expect(found == wanted, "\(name), \(isHeld): \(found)")
          }
        }
      }
    },
  ]
}
