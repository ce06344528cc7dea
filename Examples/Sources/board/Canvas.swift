import CNCurses
import Keeping

/// A picture of the board: what stands where, in cells of the terminal.
@MainActor struct Canvas {
  struct Style {
    var pair: Int32 = 0
    var bold = false
    var reverse = false
    var dim = false
  }

  let rows = Int(screen_rows())
  let columns = Int(screen_columns())

  init() { screen_clear() }

  /// Puts a text into a row, cut or filled up to a width.
  func put(_ text: String, row: Int, column: Int, width: Int, _ style: Style = Style()) {
    guard row >= 0, row < rows, width > 0, column < columns else { return }
    screen_style(style.pair, style.bold ? 1 : 0, style.reverse ? 1 : 0, style.dim ? 1 : 0)
    screen_put(Int32(row), Int32(column), Self.fit(text, min(width, columns - column)))
    screen_style(0, 0, 0, 0)
  }

  func line(row: Int) { screen_line(Int32(row), 0, Int32(columns)) }

  func show(cursorAt place: (row: Int, column: Int)? = nil) {
    curs_set(place == nil ? 0 : 1)
    if let place { screen_move(Int32(place.row), Int32(min(place.column, columns - 1))) }
    screen_show()
  }

  /// The cells that a drawable character takes: two for East Asian ones and emoji.
  static func width(_ character: Character) -> Int {
    character.unicodeScalars.reduce(0) { $0 + max(0, Int(screen_width($1.value))) }
  }

  static func width(_ text: String) -> Int { drawable(text).reduce(0) { $0 + width($1) } }

  /// A text as terminals and ncurses agree on it: in one line, without controls, and of each emoji
  /// that is joined of several the first.
  static func drawable(_ text: String) -> String {
    String(
      Terminal.plain(text).map { character in
        if character.isWhitespace { return " " }
        var kept = String.UnicodeScalarView()
        for scalar in character.unicodeScalars {
          let isMark = screen_width(scalar.value) == 0 && scalar != "\u{200D}" && scalar != "\u{FE0F}"
          if !kept.isEmpty, !isMark { break }
          kept.append(scalar)
        }
        return String(kept).first ?? " "
      })
  }

  /// A text of exactly so many cells: longer ones end with an ellipsis.
  static func fit(_ text: String, _ cells: Int) -> String {
    let text = drawable(text)
    let whole = width(text)
    if whole <= cells { return text + String(repeating: " ", count: cells - whole) }
    var (cut, used) = ("", 0)
    for character in text {
      let next = width(character)
      if used + next > cells - 1 { break }
      cut.append(character)
      used += next
    }
    return cut + "…" + String(repeating: " ", count: max(0, cells - used - 1))
  }

  /// A text in lines of so many cells at most, broken at blanks where there are some.
  static func wrapped(_ text: String, _ cells: Int, lines most: Int) -> [String] {
    var lines: [String] = [""]
    for word in drawable(text).split(separator: " ") {
      let line = lines[lines.count - 1]
      if !line.isEmpty, width(line) + 1 + width(String(word)) > cells { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
      // A word that is too long for any line goes on in the next.
      while width(lines[lines.count - 1]) > cells {
        var (head, used) = ("", 0)
        let long = lines[lines.count - 1]
        for character in long where used + width(character) <= cells && head.count + 1 <= long.count {
          head.append(character)
          used += width(character)
          if used >= cells - 1 { break }
        }
        lines[lines.count - 1] = head
        lines.append(String(long.dropFirst(max(1, head.count))))
      }
    }
    guard lines.count > most, most > 0 else { return lines }
    return Array(lines.prefix(most - 1)) + [lines[(most - 1)...].joined(separator: " ")]
  }
}
