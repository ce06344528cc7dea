import ObjectModel
import Testing

@Suite("Differences and diagrams")
struct DiffTests {
  private func old() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Trip") {
        Attribute("name", .string)
        Attribute("length", .integer16)
        Attribute("note", .string)
        Relationship("stops", toMany: "Stop", inverse: "trip")
      }
      Entity("Stop") { Relationship("trip", to: "Trip", inverse: "stops") }
      Entity("Gone")
    }
  }

  private func new() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Journey", renamingIdentifier: "Trip") {
        Attribute("title", .string, optional: false, renamingIdentifier: "name")
        Attribute("length", .double, default: 1.5)
        Attribute("added", .date)
        Relationship("stops", toMany: "Stop", inverse: "trip", ordered: true, deleteRule: .cascade)
        UniquenessConstraint("title")
      }
      Entity("Stop") { Relationship("trip", to: "Journey", inverse: "stops") }
      Entity("Place \"x\"", parent: "Stop")
    }
  }

  @Test("renamed, changed, new and removed parts are distinguished")
  func differences() throws {
    let lines = ModelDifferences(from: try old(), to: try new()).lines
    #expect(
      lines == [
        "entity Trip is now Journey", "Journey.name is now title",
        "Journey.title: optional was true, is false",
        "Journey.length: type was integer16, is double", "Journey.length: default was none, is 1.5",
        "Journey.added is new: optional date", "Journey.note was removed",
        "Journey.stops: ordered was false, is true",
        "Journey.stops: delete rule was nullify, is cascade", "Journey: uniqueness was none, is title",
        "Stop.trip: destination was Trip, is Journey",
        "entity Place \"x\" is new, below Stop, with 0 attributes and 0 relationships",
        "entity Gone was removed",
      ], "\(lines.joined(separator: "\n"))")
    #expect(ModelDifferences(from: try new(), to: try new()).lines.isEmpty)
  }

  @Test("what was called before is looked for by one of each kind only")
  func ambiguity() throws {
    func both(_ second: String?) throws -> ManagedObjectModel {
      try ManagedObjectModel {
        Entity("Trip") {
          Attribute("first", .string, renamingIdentifier: "name")
          Attribute("second", .string, renamingIdentifier: second)
        }
        Entity("Halt", renamingIdentifier: "Stop")
        Entity("Pause", renamingIdentifier: second.map { _ in "Stop" })
      }
    }
    let issues = ModelMapping(from: try old(), to: try both("name")).issues
    #expect(issues.map(\.kind) == [.ambiguousIdentifier, .ambiguousIdentifier])
    #expect(issues.map(\.entityName) == ["Halt", "Trip"] && issues.map(\.propertyName) == [nil, "first"])
    #expect(
      issues.last?.message == "Trip.first and Trip.second have the same renaming identifier, name:"
        + " give it to the one that has the data")
    #expect(ModelMapping(from: try old(), to: try both(nil)).issues.isEmpty)
    // Copied with its identifier in an earlier version, and as it was since.
    #expect(ModelMapping(from: try both("name"), to: try both("name")).issues.isEmpty)
  }

  @Test("each pair of relationships is drawn once, and odd names do not break the text")
  func diagrams() throws {
    let diagram = ModelDiagram(try new())
    #expect(diagram.mermaid.contains("  Journey |o--o{ Stop : \"stops / trip\"\n"), "\(diagram.mermaid)")
    #expect(diagram.mermaid.contains("    string title UK\n"))
    #expect(diagram.mermaid.contains("  Place__x_ {\n"))
    #expect(diagram.mermaid.components(separatedBy: "stops").count == 2)
    #expect(diagram.dot.contains("\"Place \\\"x\\\"\" -> \"Stop\""))
    #expect(diagram.dot.components(separatedBy: "dir=both").count == 2)
  }
}
