import BuiltProgram
import Foundation
import FoundationNetworking
import Glibc
import Strongroom
import Testing

/// A folder with a store of books that has a value of every kind that the page of `strongroom inspect`
/// shows, and the running program.
final class InspectShelf: Sendable {
  let folder: URL
  var store: String { folder.appendingPathComponent("s").path }
  var vault: [String] { ["--vault", "file:\(folder.appendingPathComponent("keys").path)"] }

  var description: PersistentStoreDescription {
    PersistentStoreDescription(
      url: URL(fileURLWithPath: store),
      vault: KeyFileVault(url: folder.appendingPathComponent("keys")))
  }

  static func model() throws -> ManagedObjectModel {
    var scan = Attribute("scan", .binary)
    scan.allowsExternalBinaryDataStorage = true
    var notes = Attribute("notes", .transformable)
    notes.allowsExternalBinaryDataStorage = true
    let book = Entity("Book") {
      Attribute("title", .string, optional: false)
      Attribute("pages", .integer64, minValue: .integer(0))
      Attribute("price", .decimal)
      Attribute("weight", .double)
      Attribute("read", .boolean)
      Attribute("bought", .date)
      Attribute("text", .string)
      Attribute("cover", .binary)
      scan
      notes
      Attribute("names", .composite, composite: "Names")
      Relationship("author", to: "Author", inverse: "books")
      FetchIndex.fullText("words", on: "title")
    }
    let author = Entity("Author") {
      Attribute("name", .string, optional: false)
      Relationship("books", toMany: "Book", inverse: "author")
      UniquenessConstraint(["name"])
    }
    let names = Composite("Names", [Attribute("language", .string), Attribute("name", .string)])
    return try ManagedObjectModel(ModelDeclaration(entities: [book, author], composites: [names]))
  }

  /// Two by two pixels.
  private static let picture = Data(
    base64Encoded:
      "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFElEQVR4nGP8z8DAwMDAxMDA"
      + "wMAAAA0IAQEYHs9qAAAAAElFTkSuQmCC"
  )

  /// - `isOneAuthors`: Whether all books have the same author; only the first one has an author otherwise.
  init(books: Int = 250, isOneAuthors: Bool = false) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("inspect-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let container = PersistentContainer(managedObjectModel: try Self.model(), description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    let author = try context.insert("Author")
    try author.set("name", "Ada")
    try context.insert("Author").set("name", "Grace")
    for number in 0..<books {
      let book = try context.insert("Book")
      try book.set(
        "title",
        number == 7 ? "A zebra" : number == 8 ? "<img src=x onerror=document.title=1>" : "Book \(number)")
      try book.set("pages", 100 + number)
      try book.set("read", number % 2 == 0)
      if isOneAuthors { try book.setObject(author, forKey: "author") }
      if number > 0 { continue }
      try book.set("price", Decimal(string: "12.50"))
      try book.set("bought", Date(timeIntervalSince1970: 1_700_000_000))
      try book.set("text", String(repeating: "long ", count: 10_000))
      try book.set("cover", Self.picture)
      try book.set("scan", Data((0..<300_000).map { UInt8($0 % 251) }))
      try book.setValue(
        .composite(["language": .string("en"), "name": .string("A book")]), forKey: "names")
      try book.setValue(.data(Data(#"{"shelf":7}"#.utf8)), forKey: "notes")
      try book.setObject(author, forKey: "author")
    }
    try context.save()
    try container.close()
  }

  deinit { try? FileManager.default.removeItem(at: folder) }
}

/// A running `strongroom inspect`, which ends with this.
final class RunningInspect {
  let address: URL
  private let process = Process()
  private let errors = Pipe()
  /// Its folder is there as long as the program runs.
  private let shelf: InspectShelf?

  convenience init(_ shelf: InspectShelf, _ options: String...) throws {
    try self.init(arguments: options + shelf.vault + [shelf.store], shelf)
  }

  init(arguments: [String], _ shelf: InspectShelf? = nil) throws {
    self.shelf = shelf
    let output = Pipe()
    process.executableURL = BuiltProgram.url()
    process.arguments = ["inspect"] + arguments
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    address = try #require(URL(string: line.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  deinit {
    process.terminate()
    process.waitUntilExit()
  }

  /// Ends the program as Ctrl-C does, and returns what it says.
  func interrupt() -> String {
    process.interrupt()
    process.waitUntilExit()
    return String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
  }

  /// Lets the program open so many files only.
  func limitFiles(to most: Int) throws {
    let limit = Process()
    limit.executableURL = URL(fileURLWithPath: "/usr/bin/prlimit")
    limit.arguments = ["--pid", "\(process.processIdentifier)", "--nofile=\(most)"]
    try limit.run()
    limit.waitUntilExit()
    try #require(limit.terminationStatus == 0)
  }

  var port: Int { address.port ?? 0 }

  /// The processor time that the program has used: on a busy machine it says more than a clock.
  var processorSeconds: Double {
    get throws {
      let line = try String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)
      // proc(5): fields 14 and 15, of which the second, a name in parentheses, may hold spaces.
      let fields = try #require(line.split(separator: ")").last).split(separator: " ")
      let ticks = try fields[11...12].map { try #require(Double($0)) }.reduce(0, +)
      return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }
  }

  private static let curlPath = "/usr/bin/curl"
  static var hasCurl: Bool { access(curlPath, X_OK) == 0 }

  /// What the page's own script is answered: an object of JSON.
  func ask(_ call: String) async throws -> [String: Any] {
    let answered = try await URLSession.shared.data(
      from: try #require(URL(string: "api/\(call)", relativeTo: address)))
    return try #require(try JSONSerialization.jsonObject(with: answered.0) as? [String: Any])
  }

  /// What a change is answered; a refusal is an object, too.
  func tell(_ call: String, _ parameters: [String: String] = [:]) async throws -> [String: Any] {
    var request = URLRequest(url: try #require(URL(string: "api/\(call)", relativeTo: address)))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try JSONSerialization.data(withJSONObject: parameters)
    let answered = try await URLSession.shared.data(for: request)
    return try #require(try JSONSerialization.jsonObject(with: answered.0) as? [String: Any])
  }

  /// What an object has under a property, and its version.
  func read(_ entity: String, _ number: String, _ key: String = "") async throws
    -> (value: [String: Any], version: String)
  {
    let object = try await ask("object?entity=\(entity)&number=\(number)")
    let properties = try #require(object["properties"] as? [[String: Any]], "\(object)")
    let property = properties.first { $0["name"] as? String == key }
    return (
      property?["value"] as? [String: Any] ?? property?["link"] as? [String: Any] ?? [:],
      "\(try #require(object["version"] as? Int))"
    )
  }

  /// Sets a value that was read before, or just now.
  func set(
    _ entity: String, _ number: String, _ key: String, _ value: String, read: [String: Any]? = nil
  ) async throws -> [String: Any] {
    var parameters = ["entity": entity, "number": number, "key": key, "value": value]
    var known = read
    if known == nil { known = try await self.read(entity, number, key).value }
    if known?["kind"] as? String == "null" {
      parameters["readNull"] = "1"
    } else {
      parameters["read"] = known?["text"] as? String
    }
    return try await tell("set", parameters)
  }

  func delete(_ entity: String, _ number: String) async throws -> [String: Any] {
    let version = try await read(entity, number).version
    return try await tell("delete", ["entity": entity, "number": number, "version": version])
  }

  /// What curl is answered: the status, and the body.
  static func curl(_ arguments: [String]) throws -> (status: String, body: String) {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: curlPath)
    process.arguments = ["-s", "--path-as-is", "-m", "20", "-w", "\n%{http_code}"] + arguments
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return (lines.last ?? "", lines.dropLast().joined(separator: "\n"))
  }
}
