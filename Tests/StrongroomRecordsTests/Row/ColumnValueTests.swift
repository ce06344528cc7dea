import Foundation
import StrongroomRecords
import Testing

/// What users of SQLiteValueExtension write: arrays, dictionaries and types of their own as the
/// values of columns.
@Suite("A program in SQLiteValueExtension's terms")
struct ColumnValueTests {
  struct Info: Codable, Equatable {
    var nickname: String
    var age: Int
  }

  struct Config: Record, Equatable {
    static var primaryKey: KeyPath<Config, Int> { \.normalInt }
    var normalInt: Int
    var intArray: [Int]?
    var dates: [Date] = []
    var intStringDict: [Int: String]?
    var stringDoubleDict: [String: Double] = [:]
    var model: Info?
    var modelArray: [Info] = []
    var stringModelDict: [String: Info] = [:]
  }

  enum Later {
    struct Info: Codable, Equatable {
      var nickname: String
      var age: Int
      var city: String?
    }

    struct Config: Record {
      static var primaryKey: KeyPath<Config, Int> { \.normalInt }
      var normalInt: Int
      var intArray: [Int]?
      var model: Info?
      var modelArray: [Info] = []
      var floats: [Float]?
    }
  }

  @Test("define, push, reopen, ask into arrays and dictionaries, change the definition, reopen")
  func program() async throws {
    let place = try Place()
    let ann = Info(nickname: "Ann", age: 30)
    let configs = [
      Config(
        normalInt: 1, intArray: [1, 2, 3], dates: [Date(timeIntervalSinceReferenceDate: 0.1)],
        intStringDict: [7: "seven"], stringDoubleDict: ["pi": 3.14], model: ann,
        modelArray: [ann, Info(nickname: "Bo", age: 4)], stringModelDict: ["a": ann]),
      Config(normalInt: 2, stringModelDict: ["b": Info(nickname: "Cy", age: 9)]),
    ]
    do {
      let store = try await place.store(Config.self)
      try store.push(configs)
      try store.close()
    }
    do {
      let store = try await place.store(Config.self)
      #expect(try store.fetch(Config.self) == configs)
      func numbers(_ predicate: Predicate<Config>) throws -> [Int] {
        try store.fetch(Config.self, where: predicate).map(\.normalInt)
      }
      #expect(try numbers(#Predicate { $0.intArray?.contains(2) ?? false }) == [1])
      #expect(try numbers(#Predicate { $0.intArray == nil }) == [2])
      #expect(try numbers(#Predicate { $0.stringDoubleDict["pi"] == 3.14 }) == [1])
      #expect(try numbers(#Predicate { $0.stringModelDict["b"]?.nickname == "Cy" }) == [2])
      #expect(try numbers(#Predicate { $0.model?.age == 30 }) == [1])
      #expect(try numbers(#Predicate { $0.modelArray.isEmpty }) == [2])
      try store.close()
    }
    let store = try await place.store(Later.Config.self)
    let first = try #require(try store.fetch(Later.Config.self, key: 1))
    #expect(first.model == Later.Info(nickname: "Ann", age: 30) && first.floats == nil)
    #expect(first.modelArray.count == 2 && first.intArray == [1, 2, 3])
  }
}
