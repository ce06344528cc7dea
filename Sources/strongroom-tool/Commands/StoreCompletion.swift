import ArgumentParser
import Foundation
import StoreContract
import Strongroom

/// What a shell offers for an argument of which the store knows the possible values.
///
/// The shell runs the tool for it, which opens the store as the command would, but asks for nothing: where a
/// passphrase would have to be typed, or the keyring is locked, nothing is offered. Nor is a name that a
/// shell would read as more than a word: Bash executes what is in the names that it is given.
enum StoreCompletion {
  /// The names of the store's entities.
  static let entities = CompletionKind.custom { words, _, _ in
    (await model(words)?.entities ?? []).map(\.name).filter(isWord).sorted()
  }

  /// The key paths of the entity that the command line names, behind a list's last comma, up to the next dot.
  static let properties = CompletionKind.custom { words, _, prefix in
    guard prefix.allSatisfy({ "-,.".contains($0) || isWord("\($0)") }), let model = await model(words) else {
      return []
    }
    let entity = words.lazy.compactMap { model.entity(named: $0) }.first
    let done = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
    let sign = prefix.dropFirst(done.count).hasPrefix("-") ? "-" : ""
    var own = entity.map { [$0] } ?? model.entities
    let path = prefix.dropFirst(done.count + sign.count)
    let passed = path.lastIndex(of: ".").map { path[...$0] } ?? ""
    for step in passed.split(separator: ".") {
      own = own.compactMap { $0.relationship(named: String(step))?.destination }
    }
    let names = Set(own.flatMap(\.properties).map(\.name)).filter(isWord).sorted()
    return names.map { done + sign + passed + $0 }
  }

  private static func isWord(_ name: String) -> Bool {
    !name.isEmpty
      && name.unicodeScalars.allSatisfy {
        $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
      }
  }

  /// The seconds after which completing gives up.
  private static let patience: UInt32 = 2

  private static func model(_ words: [String]) async -> ManagedObjectModel? {
    guard let line = StoreWords(words) else { return nil }
    // A keyring or a server may be silent: the program ends without a word then.
    signal(SIGALRM) { _ in _exit(0) }
    alarm(patience)
    var keys = KeyArguments()
    (keys.vaultNames, keys.passphraseFile, keys.prompt) = (line.vaults, line.passphraseFile, false)
    if keys.passphraseFile == nil, keys.vaultNames.contains(where: \.isPassphrase) { return nil }
    guard let description = try? keys.description(line.store) else { return nil }
    return try? await KeyArguments.model(description)
  }
}

/// The parts of an unfinished command line that say where a store and its key are.
struct StoreWords {
  private(set) var store = ""
  private(set) var vaults: [VaultName] = []
  private(set) var passphraseFile: String?

  /// Nil where the words name no store that is there.
  init?(_ words: [String]) {
    var rest = words.dropFirst().map { Self.unquoted(($0 as NSString).expandingTildeInPath) }[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      func value() -> String? { parts.count == 2 ? parts[1] : rest.popFirst() }
      switch parts.first {
      case "--vault": if let name = value().flatMap(VaultName.init(argument:)) { vaults.append(name) }
      case "--passphrase-file": passphraseFile = value()
      default: if store.isEmpty, Self.isStore(word) { store = word }
      }
    }
    if store.isEmpty { return nil }
  }

  /// A word without its quotes, which shells give as it was typed.
  private static func unquoted(_ word: String) -> String {
    var (result, quote, isEscaped) = ("", nil as Character?, false)
    for character in word {
      if isEscaped {
        result.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        result.append(character)
      }
    }
    return result
  }

  private static func isStore(_ word: String) -> Bool {
    var isFolder: ObjCBool = false
    return ServerAddressText(word) != nil
      || FileManager.default.fileExists(atPath: word, isDirectory: &isFolder) && !isFolder.boolValue
  }
}
