import BuiltProgram
import Foundation
import Strongroom
import Testing

@Suite("Completion of command lines")
struct CompletionTests {
  /// What Bash offers for the last of some words, which are those that it makes of a line.
  private func offered(_ words: [String], in folder: URL) throws -> [String] {
    let tool = BuiltProgram.url()
    let line = words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    let script = """
      PATH=\(tool.deletingLastPathComponent().path):$PATH
      source <(strongroom --generate-completion-script bash)
      COMP_WORDS=(strongroom \(line)); COMP_CWORD=\(words.count)
      COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
      _strongroom strongroom "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}" 2>&1
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    return try Bash.run(script, in: folder).split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
  }

  @Test("the entities of the store, and the properties of the one that is named")
  func names() async throws {
    let shelf = try await Shelf()
    let start = ["query", "--vault", "file:keys", "s"]
    #expect(try offered(start + [""], in: shelf.folder) == ["Author", "Book"])
    #expect(try offered(start + ["B"], in: shelf.folder) == ["Book"])
    #expect(
      try offered(start + ["Author", "--sort", ""], in: shelf.folder) == ["books", "name"])
    #expect(
      try offered(start + ["Author", "--columns", "name,"], in: shelf.folder) == ["name,books", "name,name"])
  }

  @Test("key paths, up to the next dot, with the minus sign and behind the comma of a list")
  func keyPaths() async throws {
    let shelf = try await Shelf()
    let start = ["query", "--vault", "file:keys", "s", "Book"]
    #expect(
      try offered(start + ["--columns", "author."], in: shelf.folder) == ["author.books", "author.name"])
    #expect(
      try offered(start + ["--sort", "title,-author.n"], in: shelf.folder) == ["title,-author.name"])
    #expect(try offered(start + ["--sort", "title."], in: shelf.folder).isEmpty)
  }

  @Test("the entities of a history, whose command has a subcommand that may be left out")
  func history() async throws {
    let shelf = try await Shelf()
    for words in [["history", "list"], ["history"]] {
      let entities = words + ["s", "--vault=file:keys", "--entity", ""]
      #expect(try offered(entities, in: shelf.folder) == ["Author", "Book"], "\(words)")
      let vaultFirst = words + ["--vault", "file:keys", "s", "--entity", "B"]
      #expect(try offered(vaultFirst, in: shelf.folder) == ["Book"], "\(words)")
    }
    #expect(try offered(["history", "--ent"], in: shelf.folder) == ["--entity"])
    #expect(
      Set(try offered(["history", ""], in: shelf.folder))
        .isSuperset(of: ["s", "list", "purge", "consumers", "head"]))
    #expect(try offered(["history", "purge", "s", "--ent"], in: shelf.folder).isEmpty)
  }

  @Test("a store and a key file whose names are quoted")
  func quotes() async throws {
    let shelf = try await Shelf()
    for (name, copy) in [("s", "my store"), ("keys", "it's")] {
      try FileManager.default.copyItem(atPath: shelf.file(name), toPath: shelf.file(copy))
    }
    let typed = [("\"my store\"", "file:\"it's\""), ("my\\ store", "file:it\\'s")]
    for (store, key) in typed {
      let words = ["query", "--vault", key, store, ""]
      #expect(try offered(words, in: shelf.folder) == ["Author", "Book"], "\(words)")
    }
  }

  @Test(
    "fish offers the options of a subcommand that is left out",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fish")))
  func fish() async throws {
    let shelf = try await Shelf()
    let script = """
      export HOME=$PWD PATH=\(BuiltProgram.url().deletingLastPathComponent().path):$PATH
      strongroom --generate-completion-script fish > completions
      for line in "history s --ent" "history list s --ent" "history purge s --ent"; do
        fish -c "source completions; complete -C 'strongroom $line'" | cut -f 1
      done
      """
    #expect(try Bash.run(script, in: shelf.folder) == "--entity\n--entity\n")
  }

  @Test("words as Bash takes them apart at a colon find the store behind them")
  func colons() async throws {
    let shelf = try await Shelf()
    let start = ["query", "--vault", "file", ":", "keys", "s"]
    #expect(try offered(start + ["Book", "--sort", "p"], in: shelf.folder) == ["pages", "price"])
    #expect(try offered(start + [""], in: shelf.folder) == ["Author", "Book"])
    let equal = ["history", "s", "--vault", "=", "file", ":", "keys", "--entity"]
    #expect(try offered(equal + ["=", "B"], in: shelf.folder) == ["Book"])
    #expect(try offered(equal + ["="], in: shelf.folder) == ["Author", "Book"])
    let linked = shelf.file("a:b")
    try FileManager.default.createSymbolicLink(atPath: linked, withDestinationPath: shelf.store)
    #expect(try offered(["query", "a", ":"], in: shelf.folder) == ["b"])
  }

  @Test("a name that a shell would execute is not offered, and not executed")
  func hostileNames() async throws {
    let shelf = try await Shelf()
    let model = try ManagedObjectModel {
      Entity("$(touch pwned)") { Attribute("title", .string) }
      Entity("Plain") {
        Attribute("`touch pwned`", .string)
        Attribute("größe", .integer64)
        Attribute("a b", .integer64)
      }
    }
    let container = PersistentContainer(
      managedObjectModel: model,
      description: PersistentStoreDescription(
        url: URL(fileURLWithPath: shelf.file("h")),
        vault: KeyFileVault(url: URL(fileURLWithPath: shelf.file("keys")))))
    try await container.loadPersistentStores()
    try container.close()
    let start = ["query", "--vault", "file:keys", "h"]
    #expect(try offered(start + [""], in: shelf.folder) == ["Plain"])
    #expect(try offered(start + ["Plain", "--sort", ""], in: shelf.folder) == ["größe"])
    #expect(try offered(start + ["Plain", "--sort", "$(touch pwned),"], in: shelf.folder).isEmpty)
    #expect(try !shelf.names.contains("pwned"))
  }

  @Test(
    "completing gives up where the session bus does not answer",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")), .timeLimit(.minutes(30)))
  func silence() async throws {
    let shelf = try await Shelf()
    // Takes a connection and never answers.
    let script = """
      mute='import socket,time; s=socket.socket(socket.AF_UNIX); s.bind("bus"); s.listen(9); time.sleep(20)'
      /usr/bin/python3 -c "$mute" >/dev/null 2>&1 & server=$!
      while ! [ -S bus ]; do sleep 0.1; done
      SECONDS=0
      DBUS_SESSION_BUS_ADDRESS=unix:path=$PWD/bus timeout 15 '\(BuiltProgram.url().path)' \
        ---completion query -- positional@1 2 0 strongroom query s ''
      [ $SECONDS -lt 6 ] && echo "in time"
      kill -9 $server
      """
    #expect(try Bash.run(script, in: shelf.folder) == "in time\n")
  }

  @Test("nothing is offered, said or asked where a store does not open, or is none")
  func nothing() async throws {
    let shelf = try await Shelf()
    for words in [
      ["query", "gone", ""], ["query", "keys", ""], ["query", "--vault", "passphrase", "s", ""],
    ] {
      #expect(try offered(words, in: shelf.folder).isEmpty, "\(words)")
    }
  }
}
