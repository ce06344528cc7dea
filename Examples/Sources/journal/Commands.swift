import ArgumentParser
import Keeping
import StrongroomData

struct New: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes an entry; makes the journal when there is none.")
  @OptionGroup var place: StorePlace
  @Option(help: "A tag; give several one by one.") var tag: [String] = []

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      let book = try await Book.open(place, making: true)
      let draft = try Draft.read("")
      let entry = Entry(title: draft.title, text: draft.text)
      book.context.insert(entry)
      entry.tags = try book.tags(tag)
      try book.context.save()
      print(entry.code)
    }
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Lists entries, the newest last.")
  @OptionGroup var place: StorePlace
  @Option(help: "Only entries with this tag.") var tag: String?

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      let book = try await Book.open(place)
      var descriptor = FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.written)])
      if let tag { descriptor.predicate = #Predicate { $0.tags.contains { $0.name == tag } } }
      descriptor.relationshipKeyPathsForPrefetching = [\.tags]
      book.list(try book.context.fetch(descriptor))
    }
  }
}

struct Show: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows an entry.")
  @OptionGroup var place: StorePlace
  @Argument(help: "The entry's code, or how it begins.") var code: String

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      let entry = try await Book.open(place).entry(code)
      print(Terminal.plain(entry.text.isEmpty ? entry.title : "\(entry.title)\n\n\(entry.text)"))
    }
  }
}

struct Search: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists the entries that have a word, which is typed or read from standard input.")
  @OptionGroup var place: StorePlace

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      let book = try await Book.open(place)
      guard let words = Draft.word("Search for:"), !words.isEmpty else {
        throw ValidationError("there is nothing to search for")
      }
      let descriptor = FetchDescriptor<Entry>(
        predicate: #Predicate {
          $0.title.localizedStandardContains(words) || $0.text.localizedStandardContains(words)
            || $0.tags.contains { $0.name == words }
        }, sortBy: [SortDescriptor(\.written)])
      let found = try book.context.fetch(descriptor)
      if found.isEmpty { throw Failure(.nothingDone, "no entry has it") }
      book.list(found)
    }
  }
}

struct Edit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Changes an entry in $EDITOR, or takes its text from standard input.")
  @OptionGroup var place: StorePlace
  @Argument(help: "The entry's code, or how it begins.") var code: String
  @Option(help: "A tag to give it; give several one by one.") var tag: [String] = []

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      let book = try await Book.open(place)
      let entry = try book.entry(code)
      let draft = try Draft.read("\(entry.title)\n\n\(entry.text)")
      entry.title = draft.title
      entry.text = draft.text
      for new in try book.tags(tag) where !entry.tags.contains(new) { entry.tags.append(new) }
      entry.changed = .now
      try book.context.save()
    }
  }
}

struct Delete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Deletes an entry, and asks first.")
  @OptionGroup var place: StorePlace
  @Argument(help: "The entry's code, or how it begins.") var code: String
  @Flag(help: "Do not ask.") var yes = false

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      let book = try await Book.open(place)
      let entry = try book.entry(code)
      if !yes {
        guard let answer = Terminal.answer("Delete “\(Terminal.plain(entry.title))”? (yes/no)") else {
          throw ValidationError("there is nobody to ask; say --yes")
        }
        if answer != "yes" { throw Failure(.nothingDone, "nothing was deleted") }
      }
      let tags = entry.tags
      book.context.delete(entry)
      for tag in tags where tag.entries.allSatisfy({ $0 === entry }) { book.context.delete(tag) }
      try book.context.save()
    }
  }
}

struct Recover: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Puts the journal's key back into the keyring, by the recovery code, which is typed or read from standard input."
  )
  @OptionGroup var place: StorePlace

  @MainActor func run() async throws {
    try await Failure.reporting("journal") {
      try await place.recover("journal")
      print("the key is in the keyring again")
    }
  }
}
