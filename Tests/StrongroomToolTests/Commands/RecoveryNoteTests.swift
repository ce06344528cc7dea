import Foundation
import Strongroom
import Testing

@Suite("Whether a recovery code was shown")
struct RecoveryNoteTests {
  private func isTold(_ shelf: Shelf) throws -> Bool {
    let info = try shelf.run("info")
    #expect(info.code == 0, "\(info)")
    let (shown, never) = (info.output.contains("was shown"), info.output.contains("was never shown"))
    #expect(shown != never, "\(info)")
    return shown
  }

  @Test("a store made without a handler says that the code was not shown, until it is")
  func neverShown() async throws {
    let shelf = try await Shelf()
    #expect(try await !SQLCipherStore.recoveryCodeWasShown(of: shelf.description))
    #expect(try !isTold(shelf))
    // Where there is no terminal nothing is shown, and nothing noted.
    #expect(try shelf.run("key", "recovery", "show").code != 0)
    #expect(try !isTold(shelf))
    let shown = try shelf.run("key", "recovery", "show", options: ["--file", shelf.file("code")])
    #expect(shown.code == 0, "\(shown)")
    #expect(try Shelf.mode(shelf.file("code")) == 0o400)
    #expect(try isTold(shelf))
    #expect(try await SQLCipherStore.recoveryCodeWasShown(of: shelf.description))
  }

  @Test("a handler's store says so, and no more after a rotation or in a copy with another key")
  func handler() async throws {
    let shelf = try await Shelf { description in
      var description = description
      description.recoveryCodeHandler = { _ in }
      return description
    }
    #expect(try isTold(shelf))
    let copy = URL(fileURLWithPath: shelf.file("copy"))
    let vault = KeyFileVault(url: URL(fileURLWithPath: shelf.file("other")))
    try await SQLCipherStore.backUp(shelf.description, to: copy, newKeyIn: [vault])
    #expect(
      try await !SQLCipherStore.recoveryCodeWasShown(of: PersistentStoreDescription(url: copy, vault: vault)))
    try await SQLCipherStore.backUp(shelf.description, to: URL(fileURLWithPath: shelf.file("same")))
    #expect(
      try await SQLCipherStore.recoveryCodeWasShown(
        of: PersistentStoreDescription(
          url: URL(fileURLWithPath: shelf.file("same")), vault: shelf.description.keyVaults[0])))
    _ = try await SQLCipherStore.rotateKey(of: shelf.description)
    #expect(try !isTold(shelf))
    try await SQLCipherStore.noteRecoveryCodeShown(of: shelf.description)
    #expect(try isTold(shelf))
    #expect(try await SQLCipherStore.verify(shelf.description).isEmpty)
  }
}
