import Foundation
import Glibc
import Strongroom
import Testing

/// `strongroom model try` over models that somebody may have written, each in a process whose
/// memory is limited.
@Suite("Trying models")
struct ModelTrialTests {
  /// The answer of the command for one model, in a process that may take 4 GB.
  private func trial(_ description: ModelDeclaration, _ command: String = "try") throws -> (
    code: Int32, lines: [String]
  ) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.appendingPathComponent("Model.xcdatamodeld")
    try description.write(xcdatamodeld: place)
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("strongroom").path
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    // A sanitizer maps terabytes of its own.
    let isSanitized = ProcessInfo.processInfo.environment["SANITIZER"] != nil
    let limit = isSanitized ? "" : "ulimit -v 4000000; "
    process.arguments = ["-c", "\(limit)exec \"$0\" model \(command) \"$1\"", tool, place.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (
      process.terminationStatus,
      String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    )
  }

  private func expectFine(_ entities: [Entity]) throws {
    let result = try trial(ModelDeclaration(entities: entities))
    #expect(result.code == 0 && result.lines.last?.hasSuffix("differences 0") == true, "\(result.lines)")
  }

  @Test("mandatory to-ones in circles are filled with few objects")
  func circles() throws {
    // Each of seven has a mandatory partner among every other, so that each object needs six more.
    let names = (1...7).map { "E\($0)" }
    let circle = names.map { name in
      Entity(name) {
        for other in names where other != name {
          Relationship("to\(other)", to: other, inverse: "to\(name)", optional: false)
        }
      }
    }
    try expectFine(circle)
    try expectFine([
      Entity("A") {
        Relationship("b", to: "B", inverse: "a", optional: false)
        Relationship("next", to: "A", inverse: "previous", optional: false)
        Relationship("previous", to: "A", inverse: "next", optional: false)
      },
      Entity("B") {
        Relationship("a", to: "A", inverse: "b", optional: false)
        Relationship("c", to: "C", inverse: "b", optional: false)
      },
      Entity("C") {
        Relationship("b", to: "B", inverse: "c", optional: false)
        Relationship("a", to: "A", optional: false)
        Relationship("twin", to: "C", inverse: "twin", optional: false)
      },
    ])
    // An abstract destination whose subentities outnumber what leads there.
    try expectFine([
      Entity("Owner") {
        Relationship("pet", to: "Pet", inverse: "owner", optional: false)
      },
      Entity("Pet", abstract: true) {
        Relationship("owner", to: "Owner", inverse: "pet", optional: false)
      },
      Entity("Cat", parent: "Pet") {}, Entity("Dog", parent: "Pet") {},
    ])
  }

  @Test("least and greatest counts are kept")
  func counts() throws {
    try expectFine([
      Entity("Team") {
        Relationship(
          "players", toMany: "Player", inverse: "team", ordered: true, optional: false, minCount: 11,
          maxCount: 15)
        Relationship("fans", toMany: "Player", inverse: "favourites", minCount: 3, maxCount: 3)
      },
      Entity("Player") {
        Relationship("team", to: "Team", inverse: "players", optional: false)
        Relationship("favourites", toMany: "Team", inverse: "fans", maxCount: 1)
      },
    ])
  }

  @Test("rules that no number of objects meets end in a message, and soon")
  func endless() throws {
    for count in [2, 1_000_000_000] {
      let result = try trial(
        ModelDeclaration(entities: [
          Entity("Node") {
            Relationship(
              "children", toMany: "Node", inverse: "parent", optional: false, minCount: count)
            Relationship("parent", to: "Node", inverse: "children")
          }
        ]))
      #expect(result.code == 1 && result.lines.last?.hasSuffix("differences 1") == true, "\(result.lines)")
      #expect(result.lines.contains { $0.contains("Node.children") }, "\(result.lines)")
    }
  }

  @Test("samples are unique where a constraint says so, however few values there are")
  func unique() throws {
    try expectFine([
      Entity("Slot") {
        for name in (1...12).map({ "filler\($0)" }) { Attribute(name, .integer16) }
        Attribute("hour", .integer16, optional: false, minValue: 0, maxValue: 12)
        Attribute("day", .integer16, optional: false, minValue: 1, maxValue: 31)
        Attribute("code", .string, optional: false, maxValue: 2)
        Attribute("letters", .string, optional: false, regularExpression: "[a-z]{3}")
        Attribute("isFirst", .boolean, optional: false)
        Attribute("share", .double, optional: false, minValue: 0, maxValue: 1)
        Attribute("when", .date, optional: false, maxValue: .date(.init(timeIntervalSince1970: 9)))
        Attribute("price", .decimal, optional: false, maxValue: 1)
        Relationship("room", to: "Room", inverse: "slots")
        Relationship("only", to: "Room")
        UniquenessConstraint("hour")
        UniquenessConstraint("code")
        UniquenessConstraint("letters")
        UniquenessConstraint("share")
        UniquenessConstraint("when")
        UniquenessConstraint("price")
        UniquenessConstraint("isFirst", "day")
        UniquenessConstraint("room", "hour")
        UniquenessConstraint("only")
      },
      Entity("Room") {
        Relationship("slots", toMany: "Slot", inverse: "room", minCount: 4)
        UniquenessConstraint("slots")
      },
      Entity("Sub", parent: "Slot") { UniquenessConstraint("isFirst") },
    ])
    // Two values for more objects than two: some are left without where that is allowed.
    try expectFine([
      Entity("Flag") {
        Attribute("isOn", .boolean)
        UniquenessConstraint("isOn")
      },
      Entity("Pole") {
        Relationship("flags", toMany: "Flag", optional: false, minCount: 5)
      },
    ])
  }

  @Test("bounds that no machine has room for do no harm")
  func bounds() throws {
    let result = try trial(
      ModelDeclaration(entities: [
        Entity("Huge") {
          Attribute("text", .string, minValue: .integer(.max))
          Attribute("number", .integer64, minValue: .integer(.max), maxValue: .integer(.max))
          Attribute("low", .integer64, minValue: .integer(.min), maxValue: .integer(.max))
          Attribute("odd", .double, minValue: 1e300, maxValue: 1e308)
          Attribute("slow", .string, regularExpression: "(.+.+)+\u{1}")
        }
      ]))
    #expect(result.code == 0 || result.code == 1, "\(result.lines)")
    #expect(result.lines.last?.hasPrefix("bundles 1, versions 1") == true, "\(result.lines)")
  }

  @Test("a model that multiplies itself is refused before it is made", arguments: ["try", "check"])
  func multiplied(command: String) throws {
    var entities = [
      Entity("Root") { for name in 0..<3000 { Attribute("a\(name)", .string) } }
    ]
    for name in 0..<3000 { entities.append(Entity("E\(name)", parent: "Root") {}) }
    let wide = try trial(ModelDeclaration(entities: entities), command)
    #expect(wide.lines.contains { $0.contains("tooLarge") }, "\(wide.lines.prefix(3))")
    let composites = (0..<40).map { depth in
      Composite(
        "C\(depth)",
        ["x", "y"].map { name in
          depth == 39
            ? Attribute(name, .integer16)
            : Attribute(name, .composite, composite: "C\(depth + 1)")
        })
    }
    let deep = try trial(
      ModelDeclaration(
        entities: [Entity("E") { Attribute("c", .composite, composite: "C0") }],
        composites: composites), command)
    #expect(deep.lines.contains { $0.contains("tooLarge") }, "\(deep.lines.prefix(3))")
  }

  @Test("no model command takes more than its share of memory", arguments: ["check", "diagram", "generate"])
  func share(command: String) throws {
    let text = String(repeating: "x", count: 100_000)
    var entity = Entity("E") { Attribute("a", .string) }
    entity.userInfo = Dictionary(uniqueKeysWithValues: (0..<30).map { ("key\($0)", text) })
    let result = try trial(ModelDeclaration(entities: [entity]), command)
    #expect(result.code == 0, "\(result.lines.prefix(3))")
  }
}
