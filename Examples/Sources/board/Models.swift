import StrongroomData

/// The columns.
enum Stage: String, Codable, CaseIterable, Sendable {
  case todo, doing, done

  var title: String {
    switch self {
    case .todo: "To do"
    case .doing: "Doing"
    case .done: "Done"
    }
  }

  var next: Stage? { Stage.allCases.first { $0.place == place + 1 } }
  var previous: Stage? { Stage.allCases.first { $0.place == place - 1 } }
  var place: Int { Stage.allCases.firstIndex(of: self) ?? 0 }
}

@Model final class Card {
  /// What it is called on the command line.
  var code: String
  var text: String
  var stage: Stage
  /// Where it stands in its column: between its neighbours' numbers.
  var position: Double

  init(_ text: String, stage: Stage, position: Double) {
    // No letters that look like digits.
    code = String((0..<4).compactMap { _ in "abcdefghjkmnpqrstuvwxyz23456789".randomElement() })
    self.text = text
    self.stage = stage
    self.position = position
  }
}

/// Cards with the places they have among each other.
@MainActor struct Deck {
  let context: ModelContext

  /// All cards, in the order in which they stand.
  static var all: FetchDescriptor<Card> { FetchDescriptor(sortBy: [SortDescriptor(\.position)]) }

  func add(_ text: String, to stage: Stage) throws -> Card {
    var last = FetchDescriptor<Card>(sortBy: [SortDescriptor(\.position, order: .reverse)])
    last.fetchLimit = 1
    let card = Card(text, stage: stage, position: (try context.fetch(last).first?.position ?? 0) + 1)
    context.insert(card)
    return card
  }

  /// The card of a code; nil when there is none.
  func card(_ code: String) throws -> Card? {
    let code = code.lowercased()
    return try context.fetch(FetchDescriptor<Card>(predicate: #Predicate { $0.code == code })).first
  }

  /// Puts a card behind another one of its column, or first.
  static func place(_ card: Card, after other: Card?, before next: Card?) {
    switch (other?.position, next?.position) {
    case (let other?, let next?): card.position = (other + next) / 2
    case (let other?, nil): card.position = other + 1
    case (nil, let next?): card.position = next - 1
    case (nil, nil): break
    }
  }
}
