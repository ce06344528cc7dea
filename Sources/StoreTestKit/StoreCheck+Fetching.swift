import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  static let fetching: [StoreCheck] = [
    StoreCheck("predicates answer the same as the rule book") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let people = try Sample.insert(store, model, "Person", [["name": "Ada"], ["name": .null]])
      try Sample.insert(
        store, model, "Book",
        [
          ["title": "a", "pages": 10, "author": .reference(people[0].reference)],
          ["title": "b", "pages": .null, "author": .reference(people[1].reference)],
          ["title": "c", "pages": 30],
          ["title": "Äb", "pages": 20, "author": .reference(people[0].reference)],
        ])
      let cases: [(FetchPredicate, String)] = [
        (.compare("pages", .equal, 10), "a"), (.compare("pages", .notEqual, 10), "bcÄb"),
        (.compare("pages", .equal, .null), "b"), (.compare("pages", .notEqual, .null), "acÄb"),
        (.not(.compare("pages", .less, 25)), "bc"), (.compare("pages", .greaterOrEqual, 20.0), "cÄb"),
        (.compare("author.name", .equal, "Ada"), "aÄb"), (.compare("author.name", .notEqual, "Ada"), "bc"),
        (.compare("author.name", .equal, .null), "bc"), (.compare("author", .equal, .null), "c"),
        (.compare("title", .contains, "b"), "bÄb"), (.compare("title", .beginsWith, "Ä"), "Äb"),
        (.compare("title", .endsWith, "B", options: .caseInsensitive), "bÄb"),
        (.compare("title", .equal, "AB", options: [.caseInsensitive, .diacriticInsensitive]), "Äb"),
        (.compare("title", .like, "?b"), "Äb"), (.compare("title", .matches, "[a-b]"), "ab"),
        (.comparison(.init(.path("pages"), .between, .list([.value(10), .value(20)]))), "aÄb"),
        (.comparison(.init(.path("pages"), .in, .list([.value(30), .value(.null)]))), "bc"),
        (.comparison(.init(.path("title"), .in, .list([.value("a"), .value("c")]))), "ac"),
        (.comparison(.init(.path("author"), .equal, .value(.reference(people[0].reference)))), "aÄb"),
        (.comparison(.init(.value(20), .less, .path("pages"))), "c"),
        (.comparison(.init(.path("title"), .equal, .path("title"))), "abcÄb"),
        (.and([]), "abcÄb"), (.or([]), ""),
        (.or([.compare("pages", .equal, 30), .compare("author.name", .equal, "Ada")]), "acÄb"),
      ]
      for (predicate, wanted) in cases {
        let nodes = try Sample.nodes(
          store, FetchRequest("Book", where: predicate, sortDescriptors: [FetchSortDescriptor("title")]))
        let got = Sample.texts(nodes, "title").joined()
        try expect(got == wanted, "\(predicate): expected \(wanted), got \(got)")
        let number = try store.count(for: FetchRequest("Book", where: predicate))
        try expect(number == nodes.count, "\(predicate): count")
      }
    },
    StoreCheck("order, limit and offset, null first, level rows by age") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      try Sample.insert(
        store, model, "Article",
        [
          ["title": "x", "pages": 2], ["title": "y", "pages": 1], ["title": "z"], ["title": "w", "pages": 1],
        ])
      func titles(_ request: FetchRequest) throws -> String {
        Sample.texts(try Sample.nodes(store, request), "title").joined()
      }
      try expect(
        try titles(FetchRequest("Article", sortDescriptors: [FetchSortDescriptor("pages")])) == "zywx",
        "ascending")
      let down = [FetchSortDescriptor("pages", ascending: false), FetchSortDescriptor("title")]
      try expect(
        try titles(FetchRequest("Article", sortDescriptors: down)) == "xwyz", "descending, then by title")
      try expect(
        try titles(FetchRequest("Article", sortDescriptors: down, fetchLimit: 2, fetchOffset: 1)) == "wy",
        "a page")
      let newestFirst = [FetchSortDescriptor("pages"), FetchSortDescriptor("self", ascending: false)]
      try expect(
        try titles(FetchRequest("Article", sortDescriptors: newestFirst)) == "zwyx", "level rows by youth")
      try expect(
        try titles(
          FetchRequest(
            "Article", sortDescriptors: [FetchSortDescriptor("self", ascending: false)], fetchLimit: 2))
          == "wz", "the newest")
      try expect(try titles(FetchRequest("Article", fetchOffset: 3)) == "w", "offset without limit")
      try expect(try titles(FetchRequest("Article", fetchLimit: 0)) == "xyzw", "a limit of 0 is none")
    },
    StoreCheck("subentities come or not, with their own entity") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      try Sample.insert(store, model, "Book", [["title": "b"]])
      try Sample.insert(store, model, "Article", [["title": "a", "journal": "j"]])
      let all = try Sample.nodes(store, FetchRequest("Work", sortDescriptors: [FetchSortDescriptor("title")]))
      try expect(all.map(\.entity.name) == ["Article", "Book"], "both, each as what it is")
      var own = FetchRequest("Work")
      own.includesSubentities = false
      try expect(try Sample.nodes(store, own).isEmpty, "none of the abstract entity itself")
      try expect(try Sample.nodes(store, FetchRequest("Book")).count == 1, "books only")
    },
    StoreCheck("IDs and dictionaries with groups and aggregates") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let ids = try Sample.insert(
        store, model, "Article",
        [
          ["title": "x", "pages": 2, "journal": "j"], ["title": "y", "pages": 4, "journal": "j"],
          ["title": "z"],
        ])
      var request = FetchRequest("Article", sortDescriptors: [FetchSortDescriptor("title", ascending: false)])
      let got = try store.fetchObjectIDs(request)
      try expect(got == ids.reversed(), "IDs in order")
      request.sortDescriptors = [FetchSortDescriptor("journal")]
      request.propertiesToGroupBy = ["journal"]
      request.propertiesToFetch = [
        ExpressionDescription("journal"), ExpressionDescription("pages", aggregate: .sum),
        ExpressionDescription("pages", aggregate: .average),
        ExpressionDescription("", aggregate: .count, as: "n"),
      ]
      let rows = try store.fetchDictionaries(request)
      try expect(rows.count == 2, "two groups")
      try expect(rows[1]["journal"] == "j" && rows[1]["sum_pages"] == 6, "sum")
      try expect(rows[1]["average_pages"] == 3.0 && rows[1]["n"] == 2, "average and count")
    },
  ]
}
