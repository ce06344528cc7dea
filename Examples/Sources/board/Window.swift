import Keeping
import StrongroomData

/// The board on the screen.
///
/// It is drawn from live models, so that whatever changes them, here or in another process, shows.
@MainActor final class Window {
  private enum Mode {
    case looking
    /// A line is typed: a new card's text, or another one for the card that is chosen.
    case typing(String, changing: Card?)
    case removing(Card)
  }

  private let context: ModelContext
  private let cards: ResultsObserver<Card, Never>
  private var mode = Mode.looking
  private var stage = Stage.todo
  private var chosen: Card?
  private var news = ""
  private var isTracked = false
  private let (events, teller) = AsyncStream.makeStream(of: Screen.Event.self)

  init(_ container: ModelContainer) throws {
    context = container.mainContext
    cards = try ResultsObserver(fetchDescriptor: Deck.all, modelContext: context)
    cards.onChanges = { [unowned self] changes in
      news = changes.count == 1 ? told(changes[0]) : "\(changes.count) changes"
    }
  }

  func run() async throws {
    let screen = Screen { [teller] in teller.yield($0) }
    defer { screen.close() }
    draw()
    for await event in events {
      if event == .changed { isTracked = false }
      guard event != .ended, screen.keys().allSatisfy(take) else { break }
      draw()
    }
    try context.save()
  }

  private func take(_ key: Screen.Key) -> Bool {
    // The next key is about the board as it is then.
    defer { context.processPendingChanges() }
    return handle(key)
  }

  private func told(_ change: ResultsChange<Card>) -> String {
    switch change {
    case .insert(let card, _): "new: \(card.text)"
    case .delete: "a card is gone"
    case .move(let card, _, _): "moved: \(card.text)"
    case .update(let card, _): "\(card.stage.title): \(card.text)"
    }
  }

  // MARK: Keys

  private func column(_ stage: Stage) -> [Card] { cards.results.filter { $0.stage == stage } }
  private var place: Int? { column(stage).firstIndex { $0 === chosen } }
  private var card: Card? { place.map { column(stage)[$0] } }

  /// Answers false when the window is to be closed.
  private func handle(_ key: Screen.Key) -> Bool {
    switch mode {
    case .looking: return look(key)
    case .typing(let text, let changing): type(key, text, changing)
    case .removing(let card):
      mode = .looking
      if key == .character("y") { context.delete(card) }
    }
    return true
  }

  private func look(_ key: Screen.Key) -> Bool {
    switch key {
    case .character("q"): return false
    case .up, .character("k"): step(-1)
    case .down, .character("j"): step(1)
    case .left, .character("h"): turn(to: stage.previous)
    case .right, .character("l"): turn(to: stage.next)
    case .character("H"): move(to: stage.previous)
    case .character("L"): move(to: stage.next)
    case .character("K"): shift(-1)
    case .character("J"): shift(1)
    case .character("a"): mode = .typing("", changing: nil)
    case .enter, .character("e"): if let card { mode = .typing(card.text, changing: card) }
    case .character("d"): if let card { mode = .removing(card) }
    default: break
    }
    return true
  }

  private func type(_ key: Screen.Key, _ text: String, _ changing: Card?) {
    switch key {
    case .character(let character): mode = .typing(text + String(character), changing: changing)
    case .erase: mode = .typing(String(text.dropLast()), changing: changing)
    case .escape: mode = .looking
    case .enter:
      mode = .looking
      let words = text.trimmingCharacters(in: .whitespaces)
      if words.isEmpty { return }
      if let changing {
        changing.text = words
      } else if let card = try? Deck(context: context).add(words, to: stage) {
        chosen = card
      }
    default: break
    }
  }

  private func step(_ distance: Int) {
    let cards = column(stage)
    guard !cards.isEmpty else { return }
    let next = place.map { min(max($0 + distance, 0), cards.count - 1) } ?? 0
    chosen = cards[next]
  }

  private func turn(to next: Stage?) {
    guard let next else { return }
    let old = place ?? 0
    stage = next
    let cards = column(next)
    chosen = cards.isEmpty ? nil : cards[min(old, cards.count - 1)]
  }

  private func move(to next: Stage?) {
    guard let next, let card else { return }
    card.stage = next
    stage = next
  }

  private func shift(_ distance: Int) {
    guard let place, let card else { return }
    var others = column(stage)
    others.remove(at: place)
    let target = place + distance
    guard target >= 0, target <= others.count else { return }
    Deck.place(
      card, after: target > 0 ? others[target - 1] : nil, before: target < others.count ? others[target] : nil
    )
  }

  // MARK: Drawing

  /// Draws, and has it done again when something that was read for it changes.
  private func draw() {
    // Told once, whatever changes, and then anew: a key alone changes nothing that is observed.
    if isTracked { return paint() }
    isTracked = true
    withObservationTracking {
      paint()
    } onChange: { [teller] in
      teller.yield(.changed)
    }
  }

  private func paint() {
    let canvas = Canvas()
    // A card that is gone leaves its place to the next.
    if place == nil { chosen = column(stage).first }
    let width = canvas.columns / Stage.allCases.count
    for stage in Stage.allCases {
      let (left, cards) = (stage.place * width, column(stage))
      let isHere = stage == self.stage
      canvas.put(
        " \(stage.title) (\(cards.count))", row: 0, column: left, width: width - 1,
        .init(pair: Int32(stage.place + 1), bold: true, reverse: isHere))
      paint(cards, on: canvas, left: left, width: width - 1, isHere: isHere)
    }
    canvas.line(row: canvas.rows - 2)
    let foot = canvas.rows - 1
    switch mode {
    case .looking:
      let failure = context.autosaveFailure ?? cards.failure
      let help = "arrows choose  HJKL move  a add  e edit  d delete  q quit"
      canvas.put(
        failure.map { "not saved: \($0)" } ?? help, row: foot, column: 0, width: canvas.columns,
        .init(pair: failure == nil ? 0 : 4, dim: failure == nil))
      let room = canvas.columns - Canvas.width(help) - 3
      if failure == nil, room > 8 {
        canvas.put(news, row: foot, column: canvas.columns - room, width: room, .init(pair: 2))
      }
      canvas.show()
    case .typing(let text, let changing):
      let question = changing == nil ? "New card: " : "Text: "
      // The end of what is typed is what one looks at.
      var shown = text
      while Canvas.width(question + shown) >= canvas.columns, !shown.isEmpty { shown.removeFirst() }
      canvas.put(question + shown, row: foot, column: 0, width: canvas.columns)
      canvas.show(cursorAt: (foot, Canvas.width(question + shown)))
    case .removing(let card):
      canvas.put(
        "Delete “\(card.text)”? y/n", row: foot, column: 0, width: canvas.columns, .init(pair: 4, bold: true))
      canvas.show()
    }
  }

  private func paint(_ cards: [Card], on canvas: Canvas, left: Int, width: Int, isHere: Bool) {
    let bottom = canvas.rows - 2
    let blocks = cards.map { Canvas.wrapped($0.text, width - 6, lines: 3) }
    // As many cards are left out above as it takes to show the one that is chosen.
    var first = 0
    if isHere, let place {
      func height(_ from: Int) -> Int { blocks[from...place].reduce(0) { $0 + $1.count } }
      while first < place, height(first) > bottom - 2 { first += 1 }
    }
    var row = 2
    for (place, card) in cards.enumerated().dropFirst(first) {
      guard row < bottom else { break }
      let isChosen = isHere && card === chosen
      for (number, line) in blocks[place].enumerated() where row < bottom {
        let head = number == 0 ? card.code : "    "
        canvas.put(" \(head) \(line)", row: row, column: left, width: width, .init(reverse: isChosen))
        row += 1
      }
    }
  }
}
