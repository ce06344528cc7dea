import ArgumentParser
import Keeping
import StrongroomData

@main struct Journal: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A journal that nobody else can read.",
    discussion: """
      Entries are kept in an encrypted file; its key is in your keyring. Texts and words to search for are read from standard \
      input or typed, since anybody can see the arguments of a running program. An entry's first line is its title.

      Exit codes: 0 done, 1 no such entry, 2 the keyring lost the key (recover), 3 the keyring cannot be asked, 4 the file \
      or the disk is at fault, 64 the command line is wrong.
      """,
    subcommands: [New.self, List.self, Show.self, Search.self, Edit.self, Delete.self, Recover.self])
}

/// What the commands do with an open journal.
@MainActor struct Book {
  let container: ModelContainer
  let context: ModelContext

  static func open(_ place: StorePlace, making: Bool = false) async throws -> Book {
    let container = try await place.open("journal", for: Entry.self, Tag.self, making: making)
    return Book(container: container, context: ModelContext(container))
  }

  /// The entry whose code begins as told.
  func entry(_ code: String) throws -> Entry {
    let code = code.lowercased()
    var descriptor = FetchDescriptor<Entry>(predicate: #Predicate { $0.code.starts(with: code) })
    descriptor.fetchLimit = 2
    let found = try context.fetch(descriptor)
    guard let entry = found.first else { throw Failure(.nothingDone, "there is no entry \(code)") }
    guard found.count == 1 else {
      throw Failure(.nothingDone, "several entries begin with \(code); give more of the code")
    }
    return entry
  }

  func tags(_ names: [String]) throws -> [Tag] {
    try names.map { name in
      let descriptor = FetchDescriptor<Tag>(predicate: #Predicate { $0.name == name })
      if let known = try context.fetch(descriptor).first { return known }
      let tag = Tag(name)
      context.insert(tag)
      return tag
    }
  }

  func list(_ entries: [Entry]) {
    for entry in entries {
      let day = entry.written.formatted(.iso8601.year().month().day())
      let tags = entry.tags.map(\.name).sorted().map { " #\($0)" }.joined()
      print(Terminal.plain("\(entry.code)  \(day)  \(entry.title)\(tags)"))
    }
  }
}
