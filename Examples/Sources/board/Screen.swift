import CNCurses
import Dispatch
import Glibc

/// The whole terminal, from `init` to `close()`: ncurses, and the news that a key was typed, the
/// size changed or the process is to end.
@MainActor final class Screen {
  enum Key: Equatable { case character(Character), enter, escape, erase, up, down, left, right, resized }
  enum Event: Sendable { case input, changed, ended }

  static var isPossible: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 }

  /// Where the signals' handlers write to.
  // nonisolated(unsafe): set before the handlers are.
  private nonisolated(unsafe) static var alarm: Int32 = -1

  private let typing: any DispatchSourceRead
  private let signals: any DispatchSourceRead
  private let bell: (reader: Int32, writer: Int32)
  private var isResized = false
  private var isOpen = true

  /// - Parameter tell: Called on the main queue.
  init(_ tell: @escaping @Sendable (Event) -> Void) {
    setlocale(LC_ALL, "")
    // Texts are UTF-8 whatever the environment says, or fails to say.
    if String(cString: nl_langinfo(nl_item(CODESET))) != "UTF-8" { setlocale(LC_CTYPE, "C.UTF-8") }
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    bell = (ends[0], ends[1])
    Self.alarm = bell.writer
    let ring: @convention(c) (Int32) -> Void = { number in
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(Screen.alarm, &byte, 1)
    }
    for number in [SIGWINCH, SIGINT, SIGTERM, SIGHUP] { signal(number, ring) }
    initscr()
    cbreak()
    noecho()
    nonl()
    curs_set(0)
    keypad(screen_window(), true)
    nodelay(screen_window(), true)
    set_escdelay(50)
    if has_colors() {
      start_color()
      use_default_colors()
      for (pair, color) in [COLOR_CYAN, COLOR_YELLOW, COLOR_GREEN, COLOR_RED].enumerated() {
        init_pair(Int16(pair + 1), Int16(color), -1)
      }
    }
    typing = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .main)
    typing.setEventHandler { tell(.input) }
    signals = DispatchSource.makeReadSource(fileDescriptor: bell.reader, queue: .main)
    signals.setEventHandler { [bell] in
      var byte: UInt8 = 0
      while read(bell.reader, &byte, 1) == 1 {
        if Int32(byte) == SIGWINCH { Screen.resize() } else { tell(.ended) }
      }
      tell(.input)
    }
    typing.activate()
    signals.activate()
  }

  /// Gives the terminal back as it was.
  func close() {
    guard isOpen else { return }
    isOpen = false
    typing.cancel()
    signals.cancel()
    endwin()
  }

  private nonisolated static func resize() {
    var size = winsize()
    if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 {
      resizeterm(Int32(size.ws_row), Int32(size.ws_col))
    }
  }

  /// What was typed, in its order.
  func keys() -> [Key] {
    var keys: [Key] = []
    var code: UInt32 = 0
    var text = String.UnicodeScalarView()
    while case let kind = screen_key(&code), kind != ERR {
      if kind == screen_is_character, let scalar = Unicode.Scalar(code), scalar.value >= 32,
        scalar.value != 127
      {
        text.append(scalar)
        continue
      }
      // Accents and emoji of several scalars are one character.
      keys += String(text).map(Key.character)
      text = .init()
      if let key = kind == screen_is_key ? special(Int32(bitPattern: code)) : control(code) {
        keys.append(key)
      }
    }
    return keys + String(text).map(Key.character)
  }

  private func special(_ code: Int32) -> Key? {
    switch code {
    case KEY_UP: .up
    case KEY_DOWN: .down
    case KEY_LEFT: .left
    case KEY_RIGHT: .right
    case KEY_BACKSPACE: .erase
    case KEY_ENTER: .enter
    case KEY_RESIZE: .resized
    default: nil
    }
  }

  private func control(_ code: UInt32) -> Key? {
    switch code {
    case 10, 13: .enter
    case 27: .escape
    case 8, 127: .erase
    default: nil
    }
  }
}
