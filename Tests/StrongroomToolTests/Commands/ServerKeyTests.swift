import BuiltProgram
import Foundation
import PostgresServer
import Strongroom
import StrongroomPostgres
import Testing

@Suite("Keys and passwords of stores on servers", .enabled(if: PostgresServer.programs != nil))
struct ServerKeyTests {
  private func count(_ place: String, _ options: [String] = []) throws -> (code: Int32, output: String) {
    try BuiltProgram.run(["query", place, "Book", "--where", "title == 'Book 1'", "--count"] + options)
  }

  @Test("a key of sealed attributes is found in the vault that is named, shown, restored and rotated")
  func keys() async throws {
    let shelf = try await Shelf(sealing: .equality)
    let place = try PostgresServer.shared().address(of: PostgresServer.shared().newSchema())
    let moved = try BuiltProgram.run(["move", shelf.store, place] + shelf.vault)
    let command = "opens the store if its key is lost: strongroom key recovery show \(shelf.vault[0])"
    #expect(moved.code == 0 && moved.output.contains(command), "\(moved)")
    #expect(try count(place, shelf.vault).output == "1\n")
    let (other, code) = (["--vault", "file:\(shelf.file("other"))"], ["--file", shelf.file("code")])
    let lacking = try count(place, other)
    #expect(lacking.code == 1 && lacking.output.contains("keyMissing"), "\(lacking)")
    func recovery(_ command: String, _ options: [String]) throws -> (code: Int32, output: String) {
      try BuiltProgram.run(["key", "recovery", command, place] + code + options)
    }
    let shown = try recovery("show", shelf.vault)
    #expect(shown.code == 0, "\(shown)")
    let opens = try recovery("verify", other)
    #expect(opens.code == 0 && opens.output.contains("opens the store"), "\(opens)")
    #expect(try recovery("restore", other).code == 0)
    #expect(try count(place, other).output == "1\n")

    let undecided = try BuiltProgram.run(["key", "rotate", place] + shelf.vault)
    #expect(undecided.code == 64 && undecided.output.contains("--keep-old"), "\(undecided)")
    let rotated = try BuiltProgram.run(["key", "rotate", place, "--discard-old"] + shelf.vault)
    #expect(rotated.code == 0 && rotated.output.contains(command), "\(rotated)")
    #expect(rotated.output.contains("make a new backup"), "\(rotated)")
    #expect(try count(place, shelf.vault).output == "1\n")
    #expect(try count(place, other).code == 1)
    for command in ["verify", "restore"] {
      let old = try recovery(command, other)
      #expect(old.code == 1 && old.output.contains("use this store's code"), "\(old)")
    }
    for command in [
      ["key", "rotate", place, "--keep-old"], ["info", place],
      ["key", "recovery", "verify", place] + code,
    ] {
      let refused = try BuiltProgram.run(command + ["--vault", "passphrase"])
      #expect(refused.code == 64 && refused.output.contains("--vault keyring or"), "\(refused)")
    }
    let removing = try BuiltProgram.run(["key", "rotate", place, "--remove-passphrases"] + shelf.vault)
    #expect(removing.code == 64, "\(removing)")
  }

  @Test("a store that seals nothing has no key")
  func unsealed() async throws {
    let shelf = try await Shelf()
    let place = try PostgresServer.shared().address(of: PostgresServer.shared().newSchema())
    let moved = try BuiltProgram.run(["move", shelf.store, place] + shelf.vault)
    #expect(moved.code == 0 && !moved.output.contains("recovery code"), "\(moved)")
    for command in [["key", "rotate", place, "--keep-old"], ["key", "recovery", "show", place]] {
      let result = try BuiltProgram.run(command + shelf.vault)
      #expect(result.code == 1 && result.output.contains("no attribute, so"), "\(result)")
    }
    // A version that seals the first attribute makes a key.
    let model = shelf.file("sealed.json")
    try Shelf.model(sealing: .full).jsonData().write(to: URL(fileURLWithPath: model))
    let migrated = try BuiltProgram.run(["migrate", place, model] + shelf.vault)
    #expect(migrated.code == 0 && migrated.output.contains("recovery code"), "\(migrated)")
  }

  @Test("a password that is nowhere is said to be missing, also where a folder has the database's name")
  func missingPassword() async throws {
    let shelf = try await Shelf()
    let address = try PostgresServer(password: "word").address(of: "books")
    let place = address.replacing("/postgres?", with: "/tmp?")
    let result = try BuiltProgram.run(["info", place] + shelf.vault, environment: ["PGPASSWORD": nil])
    #expect(result.code == 1 && result.output.contains("the server asks for a password"), "\(result)")
    #expect(!result.output.contains("is a folder"), "\(result)")
  }

  @Test(
    "the keyring has the password, and the key beside a file with a passphrase",
    .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
  func keyring() async throws {
    let shelf = try await Shelf(sealing: .full)
    let server = try PostgresServer(password: "word of a keyring")
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: try server.url)
    description.keyVaults = [SecretServiceVault()]
    let word = Array("word of a keyring".utf8).withUnsafeBytes { SecretBytes($0) }
    try await PostgresStore.setPassword(word, for: description)
    let passphrase = shelf.file("passphrase")
    try Data("words of a file\n".utf8).write(to: URL(fileURLWithPath: passphrase))
    let added = try shelf.run(
      "key", "add", options: ["--to", "passphrase", "--new-passphrase-file", passphrase])
    #expect(added.code == 0, "\(added)")
    let place = try server.address(of: "books")
    let moved = try BuiltProgram.run(
      ["move", shelf.store, place, "--vault", "passphrase", "--passphrase-file", passphrase],
      environment: ["PGPASSWORD": nil])
    let command = "strongroom key recovery show 'postgresql:"
    #expect(moved.code == 0 && moved.output.contains(command), "\(moved)")
    let books = try BuiltProgram.run(["query", place, "Book", "--columns", "title", "--format", "csv"])
    #expect(books.code == 0 && books.output.contains("Book 1"), "\(books)")
    try await PostgresStore.removePassword(for: description)
    #expect(try BuiltProgram.run(["info", place]).output.contains("keyMissing"))
  }
}
