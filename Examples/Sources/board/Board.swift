import ArgumentParser
import Keeping
import StrongroomData

@main struct Board: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "A board of cards in columns, which shows at once what other processes do to it.",
    discussion: """
      Without a subcommand the board fills the terminal until q is typed. Cards are kept in an encrypted file; its key is in \
      your keyring.

      Exit codes: 0 done, 1 no such card, 2 the keyring lost the key (recover), 3 the keyring cannot be asked, 4 the file or \
      the disk is at fault, 64 the command line is wrong.
      """,
    subcommands: [Watch.self, Add.self, Move.self, Remove.self, List.self, Recover.self],
    defaultSubcommand: Watch.self)
}

extension Stage: ExpressibleByArgument {}

extension StorePlace {
  @MainActor func board(making: Bool) async throws -> ModelContainer {
    try await open("board", for: Card.self, making: making)
  }
}

struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Shows the board and keeps it up to date.")
  @OptionGroup var place: StorePlace

  @MainActor func run() async throws {
    try await Failure.reporting("board") {
      let container = try await place.board(making: true)
      guard Screen.isPossible else {
        throw ValidationError("the board needs a terminal; `board list` prints it")
      }
      try await Window(container).run()
    }
  }
}

struct Add: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Adds a card; makes the board when there is none.")
  @OptionGroup var place: StorePlace
  @Argument(help: "What is to be done; standard input unless given.") var text: String?
  @Option(help: "The column: todo, doing or done.") var to = Stage.todo

  @MainActor func run() async throws {
    try await Failure.reporting("board") {
      let context = ModelContext(try await place.board(making: true))
      let words = (text ?? readLine() ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
      guard !words.isEmpty else { throw ValidationError("a card needs a text") }
      let card = try Deck(context: context).add(words, to: to)
      try context.save()
      print(card.code)
    }
  }
}

struct Move: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Moves a card to a column.")
  @OptionGroup var place: StorePlace
  @Argument(help: "The card's code.") var code: String
  @Argument(help: "The column: todo, doing or done.") var to: Stage

  @MainActor func run() async throws {
    try await Failure.reporting("board") {
      let context = ModelContext(try await place.board(making: false))
      try context.known(code).stage = to
      try context.save()
    }
  }
}

struct Remove: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Removes a card.")
  @OptionGroup var place: StorePlace
  @Argument(help: "The card's code.") var code: String

  @MainActor func run() async throws {
    try await Failure.reporting("board") {
      let context = ModelContext(try await place.board(making: false))
      context.delete(try context.known(code))
      try context.save()
    }
  }
}

struct List: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Prints the board.")
  @OptionGroup var place: StorePlace

  @MainActor func run() async throws {
    try await Failure.reporting("board") {
      let cards = try ModelContext(try await place.board(making: false)).fetch(Deck.all)
      for stage in Stage.allCases {
        for card in cards where card.stage == stage {
          print("\(stage.rawValue)\t\(card.code)\t\(Terminal.plain(card.text))")
        }
      }
    }
  }
}

struct Recover: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Puts the board's key back into the keyring, by the recovery code, which is typed or read from standard input."
  )
  @OptionGroup var place: StorePlace

  @MainActor func run() async throws {
    try await Failure.reporting("board") {
      try await place.recover("board")
      print("the key is in the keyring again")
    }
  }
}

extension ModelContext {
  @MainActor fileprivate func known(_ code: String) throws -> Card {
    guard let card = try Deck(context: self).card(code) else {
      throw Failure(.nothingDone, "there is no card \(code)")
    }
    return card
  }
}
