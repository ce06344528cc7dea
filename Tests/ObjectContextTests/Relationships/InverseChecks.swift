import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// Both ends of a relationship agree in a context, whatever batches and merged saves did beneath
  /// its changes.
  static let inverses: [ContextCheck] = [
    ContextCheck(
      "a batch and an unsaved change of one to-one: the change stays, at both ends (NSBatchUpdateRequest)"
    ) {
      factory in
      for isOwn in [true, false] {
        for change in ["none", "another", "motto"] {
          let pair = try MergingPair(try await ContextScenario(factory)) { context in
            let ann = try Fixtures.person(context, "Ann")
            let firms = try ["A", "B", "C"].map { try Fixtures.company(context, $0) }
            try ann.setObject(firms[0], forKey: "employer")
            return [ann] + firms
          }
          let all = pair[pair.here]
          try expect(all[1...].map { try $0.objects("employees").count } == [1, 0, 0], "read before")
          switch change {
          case "none": try all[0].setObject(nil, forKey: "employer")
          case "another": try all[0].setObject(all[3], forKey: "employer")
          default: try all[0].set("motto", "changed")
          }
          try pair.batch(isOwn ? pair.here : pair.there, 0, ["employer": pair.reference(2)])
          try pair.here.mergeChanges()
          let wanted = change == "none" ? nil : change == "another" ? all[3] : all[2]
          try expect(all[0].object("employer") === wanted, "\(change), own \(isOwn): the to-one")
          let what = "\(change), own \(isOwn)"
          let refused = try expectContextError(.conflict, what) { try pair.here.save() }
          try expect(refused.conflicts[0].cachedSnapshot?["employer"] == pair.reference(1), "what was read")
          let listed = try all[1...].map { try $0.objects("employees").contains(all[0]) }
          try expect(listed == all[1...].map { $0 === wanted }, "\(what): the lists")
          pair.here.rollback()
          try expect(all[0].object("employer") === all[2], "\(what), rolled back")
          try pair.agree(what)
        }
      }
    },
    ContextCheck("a to-one that is set back to what a batch has overwritten is a change, and a conflict") {
      factory in
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .rollback] {
        let pair = try MergingPair(try await ContextScenario(factory)) { context in
          [try Fixtures.person(context, "Ann"), try Fixtures.company(context, "A")]
        }
        let all = pair[pair.here]
        try all[0].set("motto", "changed")
        try pair.batch(pair.here, 0, ["employer": pair.reference(1)])
        try all[0].setObject(nil, forKey: "employer")
        try expectContextError(.conflict, "a stale row") { try pair.here.save() }
        pair.here.mergePolicy = policy
        try pair.here.save()
        let isTrump = policy.description == MergePolicy.mergeByPropertyObjectTrump.description
        try expect((all[0].object("employer") == nil) == isTrump, "\(policy): the to-one")
        try pair.agree("\(policy)")
      }
    },
    ContextCheck(
      "what a batch connects to an object that is marked for deletion does not outlive it (NSDeleteRule)"
    ) {
      factory in
      for isOwn in [true, false] {
        let pair = try MergingPair(try await ContextScenario(factory)) { context in
          [try Fixtures.person(context, "Ann"), try Fixtures.company(context, "A")]
        }
        let all = pair[pair.here]
        try pair.here.delete(all[1])
        try pair.batch(isOwn ? pair.here : pair.there, 0, ["employer": pair.reference(1)])
        try pair.here.mergeChanges()
        try expect(all[0].object("employer") == nil, "own \(isOwn): it leads to what is deleted")
        try pair.here.save()
        try pair.agree("own \(isOwn)")
      }
    },
    ContextCheck("what others deleted, and stays for its changes, has left what was stored of its to-ones") {
      factory in
      for isBatch in [true, false] {
        let pair = try MergingPair(try await ContextScenario(factory)) { context in
          let people = try ["Ann", "Bob"].map { try Fixtures.person(context, $0) }
          let firm = try Fixtures.company(context, "A")
          try people[0].setObject(firm, forKey: "employer")
          try people[0].setObject(people[1], forKey: "spouse")
          return people + [firm]
        }
        let all = pair[pair.here]
        try all[0].set("motto", "changed")
        if isBatch {
          try pair.there.batchDelete(FetchRequest("Person", where: pair.isObject(0)))
        } else {
          try pair.there.delete(pair[pair.there][0])
          try pair.there.save()
        }
        try pair.here.mergeChanges()
        try expect(!all[0].isDeleted && all[0].hasChanges, "it stays")
        try expect(
          all[0].object("employer") == nil && all[0].object("spouse") == nil, "batch \(isBatch): it left")
        try pair.agree("batch \(isBatch)")
        pair.here.mergePolicy = .mergeByPropertyObjectTrump
        try pair.here.save()
        let isBack = try all[0].object("employer") === all[2] && all[0].object("spouse") === all[1]
        try expect(isBack, "batch \(isBatch): stored again, it leads where it led")
        try pair.agree("batch \(isBatch), stored again")
      }
    },
    ContextCheck("a new object and what others deleted keep the link they were given here, both or neither") {
      factory in
      let pair = try MergingPair(try await ContextScenario(factory)) { [try Fixtures.tag($0, "t")] }
      let tag = pair[pair.here][0]
      let ann = try Fixtures.person(pair.here, "Ann")
      try ann.add(tag, to: "tags")
      try pair.there.delete(pair[pair.there][0])
      try pair.there.save()
      try pair.here.mergeChanges()
      try expect(ann.objects("tags").contains(tag) && tag.objects("people").contains(ann), "the link")
      try expectContextError(.conflict, "its destination is deleted") { try pair.here.save() }
    },
    ContextCheck("a to-one set here as it was stored stays so when others move it, at both ends") { factory in
      for isSetBack in [true, false] {
        let pair = try MergingPair(try await ContextScenario(factory)) { context in
          let ann = try Fixtures.person(context, "Ann")
          let firms = try ["A", "B", "C"].map { try Fixtures.company(context, $0) }
          try ann.setObject(firms[0], forKey: "employer")
          return [ann] + firms
        }
        let (all, other) = (pair[pair.here], pair[pair.there])
        if isSetBack {
          try all[0].setObject(nil, forKey: "employer")
          try all[0].setObject(all[1], forKey: "employer")
        } else {
          try all[0].setObject(all[2], forKey: "employer")
          try other[0].setObject(other[2], forKey: "employer")
          try pair.there.save()
          try pair.agree("set alike")
        }
        for firm in [3, nil, 3] {
          try other[0].setObject(firm.map { other[$0] }, forKey: "employer")
          try pair.there.save()
          try pair.agree("set back \(isSetBack), then stored \(firm ?? 0)")
          try expect(all[0].object("employer") === all[isSetBack ? 1 : 2], "the value that was set here")
        }
        try pair.there.delete(other[0])
        try pair.there.save()
        try pair.agree("set back \(isSetBack), then deleted")
      }
    },
    ContextCheck("so does a one-to-one that was set back to what was stored") { factory in
      let pair = try MergingPair(try await ContextScenario(factory)) { context in
        let people = try ["Ann", "Bob", "Eve"].map { try Fixtures.person(context, $0) }
        try people[0].setObject(people[1], forKey: "spouse")
        return people
      }
      let (all, other) = (pair[pair.here], pair[pair.there])
      try all[0].setObject(nil, forKey: "spouse")
      try pair.here.undo()
      try all[0].setObject(nil, forKey: "spouse")
      try all[0].setObject(all[1], forKey: "spouse")
      for place in [nil, 2] {
        try other[0].setObject(place.map { other[$0] }, forKey: "spouse")
        try pair.there.save()
        try pair.agree("stored \(place ?? 0)")
        try expect(all[0].object("spouse") === all[1], "the value that was set here")
      }
      pair.here.mergePolicy = .mergeByPropertyObjectTrump
      try pair.here.save()
      try pair.agree("saved")
    },
    ContextCheck("a conflict gives no object back that this save deletes (NSMergePolicy, NSDeleteRule)") {
      factory in
      for policy in [MergePolicy.mergeByPropertyStoreTrump, .rollback] {
        for isBothDeleted in [true, false] {
          let pair = try MergingPair(try await ContextScenario(factory)) { context in
            let people = try ["Ann", "Bob"].map { try Fixtures.person(context, $0) }
            let firm = try Fixtures.company(context, "A")
            try people[0].setObject(people[1], forKey: "spouse")
            try people[0].setObject(firm, forKey: "employer")
            return people + [firm]
          }
          let all = pair[pair.here]
          pair.here.mergePolicy = policy
          if isBothDeleted { try pair.here.delete(all[0]) }
          try pair.here.delete(all[1])
          try pair.here.delete(all[2])
          try pair.batch(pair.there, 0, ["motto": "changed"])
          try pair.here.save()
          let what = "\(policy), both deleted \(isBothDeleted)"
          try expect(!all[0].isDeleted && all[1].managedObjectContext == nil, "\(what): who stays")
          try expect(all[0].object("spouse") == nil && all[0].object("employer") == nil, "\(what): its ends")
          try pair.agree(what)
        }
      }
    },
  ]
}
