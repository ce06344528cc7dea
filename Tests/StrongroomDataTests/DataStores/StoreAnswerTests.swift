import StrongroomData
import Testing

@Suite("What a program's own store finds")
struct StoreAnswerTests {
  private let rogue = Rogue("notes")

  private func container() throws -> ModelContainer {
    try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
  }

  private func fill() throws {
    let context = ModelContext(try container())
    for name in ["a", "b", "c"] { context.insert(Buoy(name: name)) }
    try context.save()
  }

  private var descriptors: [FetchDescriptor<Buoy>] {
    let (condition, order) = (#Predicate<Buoy> { $0.name != "x" }, [SortDescriptor(\Buoy.name)])
    return [
      FetchDescriptor(), FetchDescriptor(sortBy: order), FetchDescriptor(predicate: condition),
      FetchDescriptor(predicate: condition, sortBy: order),
    ]
  }

  @Test("is there once where it comes twice: sorted, filtered, counted, by identifier, in batches")
  func once() throws {
    try fill()
    rogue.finds = { $0 + $0 }
    for descriptor in descriptors {
      for limit in [nil, 4] {
        var descriptor = descriptor
        descriptor.fetchLimit = limit
        let context = ModelContext(try container())
        #expect(try context.fetch(descriptor).map(\.name).sorted() == ["a", "b", "c"])
        #expect(try context.fetchCount(descriptor) == 3)
        #expect(try Set(context.fetchIdentifiers(descriptor)).count == 3)
        #expect(try context.fetchIdentifiers(descriptor).count == 3)
        var names: [String] = []
        try context.enumerate(descriptor) { names.append($0.name) }
        #expect(names.sorted() == ["a", "b", "c"])
        #expect(try context.fetch(descriptor, batchSize: 2).map(\.name).sorted() == ["a", "b", "c"])
      }
    }
  }

  @Test("is counted from the offset on, also where the store ignores limit and offset")
  func offsets() throws {
    try fill()
    for limit in [nil, 1, 2, 3, 5] {
      for offset in 0...4 {
        var descriptor = FetchDescriptor<Buoy>()
        (descriptor.fetchLimit, descriptor.fetchOffset) = (limit, offset)
        let expected = min(max(3 - offset, 0), limit ?? 3)
        #expect(try ModelContext(container()).fetchCount(descriptor) == expected)
        #expect(try ModelContext(container()).fetch(descriptor).count == expected)
        #expect(try ModelContext(container()).fetchIdentifiers(descriptor).count == expected)
      }
    }
  }

  @Test("is refused while it saves, also after another context was saved meanwhile")
  func nestedSave() throws {
    let container = try container()
    let context = ModelContext(container)
    context.insert(Buoy(name: "outer"))
    var fetches = 0
    rogue.didStore = { [rogue] in
      rogue.didStore = {}
      let other = ModelContext(container)
      other.insert(Buoy(name: "inner"))
      try other.save()
      #expect(throws: (any Error).self) { try ModelContext(container).fetch(FetchDescriptor<Buoy>()) }
      fetches += 1
    }
    try context.save()
    #expect(fetches == 1 && !context.hasChanges)
    let names = try ModelContext(container).fetch(FetchDescriptor<Buoy>()).map(\.name).sorted()
    #expect(names == ["inner", "outer"])
  }
}
