import Foundation
import Locks
import StrongroomData
import Testing

@Suite("Tokens of a history", .configuredStores)
struct HistoryTokenTests {
  private func coded(_ token: DefaultHistoryToken) throws -> DefaultHistoryToken {
    try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(token))
  }

  @Test("a token that was written down goes on where it stood")
  func goingOn() throws {
    let history = try History()
    try history.save("Ada")
    let last = try #require(try history.fetch().last?.token)
    try history.save("Bo", by: "later")
    let token = try coded(last)
    #expect(token == last && token.hashValue == last.hashValue && token.id == last.id)
    #expect(try history.fetch(#Predicate { $0.token > token }).map(\.author) == ["later"])
    let store = try #require(token.tokenValue?.keys.first)
    #expect(token.tokenValue == [store: 1] && token.storeIdentifier == store)
  }

  @Test("the notification of a save has that save's own token while other contexts save")
  func ofSaves() async throws {
    let history = try History()
    let tokens = Locked<[String: [DefaultHistoryToken]]>([:])
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: nil, queue: nil
    ) { notification in
      guard let author = (notification.object as? ModelContext)?.author else { return }
      let found = notification.userInfo?[ModelContext.NotificationKey.historyTokens] as? [any HistoryToken]
      tokens.withLock { $0[author, default: []] += (found ?? []).compactMap { $0 as? DefaultHistoryToken } }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let authors = (0..<3).map { "\(history.place.url.path) \($0)" }
    await withTaskGroup(of: Void.self) { group in
      for author in authors {
        group.addTask { [container = history.container] in
          let context = ModelContext(container)
          context.author = author
          for weight in 0..<20 {
            context.insert(Parcel("Ada", weight: weight))
            #expect(throws: Never.self) { try context.save() }
          }
        }
      }
    }
    let saved = try history.fetch()
    for author in authors {
      #expect(tokens.withLock { $0[author] } == saved.filter { $0.author == author }.map(\.token))
    }
    #expect(saved.count == 60)
  }

  @Test("tokens are in the order of their transactions")
  func order() throws {
    let history = try History()
    for name in ["Ada", "Bo", "Cy"] { try history.save(name) }
    let tokens = try history.fetch().map(\.token)
    #expect(tokens == tokens.sorted() && tokens.max() == tokens[2] && tokens.min() == tokens[0])
    #expect(tokens[0] < tokens[1] && !(tokens[1] < tokens[1]) && tokens[1] <= tokens[1])
    #expect(max(tokens[0], tokens[2]) == tokens[2])
  }

  @Test(
    "what is no token is refused by its decoder",
    arguments: ["[]", "7", #"{"tokenValue":[1]}"#, "", #"{"tokenValue":{"a":"b"}}"#])
  func unreadable(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(text.utf8))
    }
  }

  @Test("a token whose successors were deleted is expired, and the error says where to go on")
  func expired() throws {
    let history = try History()
    for name in ["Ada", "Bo", "Cy"] { try history.save(name) }
    let tokens = try history.fetch().map(\.token)
    let (first, last) = (tokens[0], tokens[2])
    try history.delete(#Predicate { $0.token < last })
    var next: DefaultHistoryToken?
    do {
      _ = try history.fetch(#Predicate { $0.token > first })
      Issue.record("the token is not expired")
    } catch let error as SwiftDataError {
      #expect(error == .historyTokenExpired && error.message.contains("read the objects again"))
      next = error.historyToken
    }
    let token = try coded(try #require(next))
    #expect(try history.fetch(#Predicate { $0.token > token }).isEmpty)
    try history.save("Di")
    #expect(try history.numbers(#Predicate { $0.token > token }) == [4])
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try history.numbers(#Predicate { $0.token > first })
    }
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try history.numbers(
        #Predicate { $0.token > first }, sortBy: [SortDescriptor(\.token, order: .reverse)], limit: 1)
    }
  }

  @Test("a token of another store is refused")
  func foreign() throws {
    let (history, other) = (try History(), try History())
    for each in [history, other] { try each.save("Ada") }
    let token = try #require(try other.fetch().last?.token)
    let refused: [Predicate<DefaultHistoryTransaction>] = [
      #Predicate { $0.token > token }, #Predicate { $0.token <= token && $0.author == nil },
    ]
    for predicate in refused {
      do {
        _ = try history.fetch(predicate)
        Issue.record("the token is accepted")
      } catch let error as SwiftDataError {
        #expect(error == .historyTokenExpired && error.message.contains("another store"))
        #expect(try error.historyToken == history.fetch().last?.token)
      }
      #expect(throws: SwiftDataError.historyTokenExpired) { try history.delete(predicate) }
    }
    #expect(try history.numbers() == [1])
  }

  @Test("a token of a copy that went another way is refused", .encryptedStoresOnly)
  func copies() throws {
    let history = try History()
    try history.save("Ada")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let copy = folder.appendingPathComponent("copy.store")
    for ending in ["", "-wal"] {
      try? FileManager.default.copyItem(
        atPath: history.place.url.path + ending, toPath: copy.path + ending)
    }
    let restored = try ModelContainer(
      for: Parcel.self, configurations: ModelConfiguration(url: copy, keyVault: history.place.vault))
    let context = ModelContext(restored)
    context.insert(Parcel("Bo"))
    try context.save()
    try history.save("Cy")
    let tokens = try history.fetch().map(\.token)
    let (common, own) = (tokens[0], tokens[1])
    let after = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > common })
    #expect(try context.fetchHistory(after).count == 1)
    let apart = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > own })
    #expect(throws: SwiftDataError.historyTokenExpired) { try context.fetchHistory(apart) }
  }

  @Test("the last token of several stores covers all of them")
  func severalStores() throws {
    let (place, second) = (try Place(), try Place())
    let container = try ModelContainer(
      for: Schema([Parcel.self, Animal.self, Keeper.self]),
      configurations: [
        place.configuration("parcels", schema: Schema([Parcel.self])),
        second.configuration("animals", schema: Schema([Animal.self, Keeper.self])),
      ])
    let context = ModelContext(container)
    func save(_ model: some PersistentModel) throws {
      context.insert(model)
      try context.save()
    }
    try save(Parcel("Ada"))
    try save(Animal(name: "Rex"))
    try save(Parcel("Bo"))
    let all = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(all.map(\.transactionIdentifier) == [1, 1, 2] && Set(all.map(\.storeIdentifier)).count == 2)
    #expect(all.map(\.token) == all.map(\.token).sorted())
    let last = try #require(all.last?.token)
    let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > last })
    #expect(try context.fetchHistory(later).isEmpty)
    try save(Animal(name: "Tom"))
    let found = try context.fetchHistory(later)
    #expect(found.map(\.transactionIdentifier) == [2] && found[0].storeIdentifier == all[1].storeIdentifier)
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= last }))
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()) == found)
  }
}
