import Foundation
import Strongroom

/// Writes to the library store at the path given, whose key is in the file given, while another
/// process has it open.
///
/// Each line of standard input is one save, answered by a line: `insert TITLE`, `rename TITLE NEW`,
/// `delete TITLE`, `tag TITLE NAME`, `many COUNT`, `quit` to end without closing. With a third
/// argument it opens the store with books alone, which have the attributes named there, with commas
/// between.
@main
struct SharingProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let description = PersistentStoreDescription(
      url: URL(fileURLWithPath: arguments[1]), vault: KeyFileVault(url: URL(fileURLWithPath: arguments[2])))
    let model =
      try arguments.count > 3 ? books(arguments[3]) : await SQLCipherStore.storedModel(description)
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    while let line = readLine() {
      if line == "quit" { exit(0) }
      try execute(line.split(separator: " ").map(String.init), context)
      try context.save()
      context.reset()
      print("done")
      fflush(nil)
    }
    try container.close()
  }

  private static func books(_ attributes: String) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        for name in attributes.split(separator: ",") { Attribute(String(name), .string) }
      }
    }
  }

  private static func execute(_ words: [String], _ context: ManagedObjectContext) throws {
    func one(_ entity: String, _ name: String, _ value: String) throws -> ManagedObject {
      let predicate = try FetchPredicate(format: "%K == %@", name, value)
      return try context.fetch(FetchRequest(entity, where: predicate)).first ?? context.insert(entity)
    }
    switch words[0] {
    case "insert": try context.insert("Book").set("title", words[1])
    case "rename": try one("Book", "title", words[1]).set("title", words[2])
    case "delete": try context.delete(one("Book", "title", words[1]))
    case "tag":
      let tag = try one("Tag", "name", words[2])
      try tag.set("name", words[2])
      try one("Book", "title", words[1]).add(tag, to: "tags")
    default:
      for number in 0..<(Int(words[1]) ?? 0) { try context.insert("Book").set("title", "many \(number)") }
    }
  }
}
