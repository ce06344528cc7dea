import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  /// Values at the edges of every type.
  static var edges: [(String, AttributeValue)] {
    var edges: [(String, AttributeValue)] = [
      ("integer16", .integer(Int64(Int16.min))), ("integer32", .integer(Int64(Int32.max))),
      ("integer64", .integer(.min)), ("integer64", .integer(.max)), ("integer64", 0),
      ("boolean", true), ("boolean", false), ("float", .double(Double(Float.leastNonzeroMagnitude))),
      ("double", .double(.infinity)), ("double", .double(-.infinity)), ("double", .double(0)),
      ("double", .double(.leastNonzeroMagnitude)), ("double", .double(.greatestFiniteMagnitude)),
      ("date", .date(Date(timeIntervalSinceReferenceDate: -63_114_076_800.123456))),
      ("date", .date(.distantPast)), ("date", .date(Date(timeIntervalSinceReferenceDate: 0.1))),
      ("string", ""), ("string", "a\u{0}b\u{0}"), ("string", "e\u{301} é 🏳️‍🌈 \u{10FFFF} \u{FEFF}'\";--"),
      ("binary", .data(Data())), ("binary", .data(Data([0, 255, 0]))), ("transformable", .data(Data([1]))),
      ("uuid", .uuid(UUID(uuid: (255, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0, 0)))),
      ("uri", .uri(uri("https://example.org/a%20b?c=d#e"))),
      ("composite", .composite(["street": "Main \u{0} Road", "height": .double(.infinity), "none": .null])),
      ("objectID", .uri(uri("x-strongroom://A/B/p1"))),
    ]
    for text in [
      "99999999999999999999999999999999999999", "-99999999999999999999999999999999999999", "0", "-0.5",
      "1e127", "10e127", "-12000000000e127", "1e-127", "0.00000000000000000000000000000000000001",
      "12345678901234567890.123456789012345678",
    ] {
      if let decimal = Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) {
        edges.append(("decimal", .decimal(decimal)))
      }
    }
    return edges
  }

  private static func hasNull(_ value: AttributeValue) -> Bool {
    if case .string(let text) = value { text.utf8.contains(0) } else { false }
  }

  private static func uri(_ text: String) -> URL {
    URL(string: text) ?? URL(fileURLWithPath: text)
  }

  static let values: [StoreCheck] = [
    StoreCheck("every type keeps its edge values bit for bit, and can be found by them") { factory in
      let model = try Sample.model()
      var store = try await factory.makeStore(model)
      var edges = Self.edges
      if !factory.storesNullCharacters {
        let refused = edges.filter { hasNull($0.1) }
        edges.removeAll { hasNull($0.1) }
        try expectError(.invalidValue, "U+0000") {
          try Sample.insert(store, model, "Everything", refused.map { [$0.0: $0.1] })
        }
      }
      let ids = try Sample.insert(store, model, "Everything", edges.map { [$0.0: $0.1] })
      for round in 0..<2 {
        for (id, edge) in zip(ids, edges) {
          guard let attribute = id.entity.attribute(named: edge.0) else { continue }
          let back = try store.newValues(for: id).value(of: attribute)
          try expect(same(back, edge.1), "\(edge.0) in round \(round)")
        }
        for (id, edge) in zip(ids, edges) where edge.0 != "transformable" && edge.0 != "objectID" {
          let found = try Sample.nodes(
            store, FetchRequest("Everything", where: .compare(edge.0, .equal, edge.1)))
          try expect(found.contains { $0.reference == id.reference }, "found by \(edge.0) in round \(round)")
        }
        guard let again = try await factory.reopen(store, model) else { return }
        store = again
      }
    },
    StoreCheck("decimals of any size sort as numbers") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let decimals = edges.compactMap { edge -> Decimal? in
        if case .decimal(let decimal) = edge.1 { decimal } else { nil }
      }
      try Sample.insert(store, model, "Everything", decimals.map { ["decimal": .decimal($0)] })
      let back = try Sample.nodes(
        store, FetchRequest("Everything", sortDescriptors: [FetchSortDescriptor("decimal")]))
      try expect(
        Sample.texts(back, "decimal") == decimals.sorted().map { AttributeValue.decimal($0).text },
        "numeric order")
    },
    StoreCheck("not a number is refused with a typed error") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      for (name, value): (String, AttributeValue) in [
        ("double", .double(.nan)), ("float", .double(.nan)), ("decimal", .decimal(.nan)),
        ("date", .date(Date(timeIntervalSinceReferenceDate: .nan))),
      ] {
        try expectError(.invalidValue, name) {
          try Sample.insert(store, model, "Everything", [[name: value]])
        }
      }
      try expect(try Sample.nodes(store, FetchRequest("Everything")).isEmpty, "nothing was stored")
    },
    StoreCheck("50 MB of text and of bytes") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let size = 50 << 20
      let bytes = Data(repeating: 0xA5, count: size)
      let id = try Sample.insert(
        store, model, "Everything",
        [["string": .string(String(repeating: "x", count: size)), "binary": .data(bytes)]])[0]
      let node = try store.newValues(for: id)
      guard let text = id.entity.attribute(named: "string"), let data = id.entity.attribute(named: "binary")
      else { return }
      try expect(node.withBytes(text.field) { $0.count } == size, "text")
      try expect(node.value(of: data) == .data(bytes), "bytes")
    },
    StoreCheck("reserved words, and names that differ in case only") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let values: [String: AttributeValue] = [
        "select": "s", "SELECT": 7, "_id": "mine", "rowid": "r", "quote\"and space": "q",
      ]
      let id = try Sample.insert(store, model, "order", [values])[0]
      try Sample.insert(store, model, "Order", [["group": "g"]])
      try Sample.insert(store, model, "_order", [["where": "w"]])
      let node = try store.newValues(for: id)
      for (name, value) in values {
        try expect(id.entity.attribute(named: name).map { node.value(of: $0) } == value, name)
      }
      for name in ["order", "Order", "_order"] {
        try expect(try Sample.nodes(store, FetchRequest(name)).count == 1, "one \(name)")
      }
      let found = try Sample.nodes(
        store, FetchRequest("order", where: .compare("quote\"and space", .equal, "q")))
      try expect(found.count == 1, "a quoted name in a predicate")
    },
  ]

  private static func same(_ left: AttributeValue, _ right: AttributeValue) -> Bool {
    switch (left, right) {
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.date(let a), .date(let b)):
      a.timeIntervalSinceReferenceDate.bitPattern == b.timeIntervalSinceReferenceDate.bitPattern
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    default: left == right
    }
  }
}
