import Foundation
import Glibc
import Locks
import Strongroom

/// Asks the user at the terminal, even if standard input and output are redirected.
enum Terminal {
  /// Asks for a secret without showing what is typed.
  ///
  /// - Parameters:
  ///   - question: What is asked.
  ///   - option: The option that answers the question on the command line.
  /// - Returns: The line that was typed.
  /// - Throws: `ToolFailure` when there is no terminal.
  static func secret(_ question: String, otherwise option: String) throws -> SecretBytes {
    try withTerminal("give the secret in a file, with \(option)") { terminal in
      var settings = termios()
      tcgetattr(terminal, &settings)
      let before = settings
      settings.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(terminal, TCSAFLUSH, &settings)
      defer {
        var before = before
        tcsetattr(terminal, TCSAFLUSH, &before)
        put("\n", terminal)
      }
      put(question + ": ", terminal)
      return try line(terminal)
    }
  }

  /// Asks for a line of visible text.
  ///
  /// - `option`: The option that answers the question on the command line.
  static func answer(_ question: String, otherwise option: String) throws -> String {
    try withTerminal("\(option) continues without asking") { terminal in
      put(question + " ", terminal)
      return try line(terminal).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// What the command has done, so that it need not be done again where its report cannot be written.
  private static let outcome = Locked<String?>(nil)

  /// Remembers what the command has done, and prints it too, unless `isPrinted` is false.
  static func done(_ text: String, isPrinted: Bool = true) {
    outcome.withLock { $0 = text }
    if isPrinted { print(text) }
  }

  /// Has what was printed written.
  /// - Throws: `ToolFailure` where it cannot be: the disk of a file may be full.
  static func flush() throws {
    if fflush(nil) != 0 { throw ToolFailure.unwritten(after: outcome.withLock { $0 }) }
  }

  /// Whether secrets may be shown on standard output.
  static var canShow: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes bytes to standard output, which must be a terminal, so that a secret never ends up in a
  /// file or a log by mistake.
  ///
  /// - `option`: The option that names a file for the secret, if there is one.
  static func show(
    _ bytes: UnsafeRawBufferPointer, after text: String = "", before end: String = "\n",
    otherwise option: String? = nil
  ) throws {
    guard canShow else {
      let advice = option.map { "; \($0) FILE writes it to a new file" } ?? ""
      throw ToolFailure(
        "secrets are shown on a terminal only, and standard output is not one\(advice)")
    }
    put(text, STDOUT_FILENO)
    _ = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    put(end, STDOUT_FILENO)
  }

  private static func withTerminal<R>(_ advice: String, _ body: (Int32) throws -> R) throws -> R {
    let terminal = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw ToolFailure("there is no terminal to ask on; \(advice)")
    }
    defer { close(terminal) }
    return try body(terminal)
  }

  private static func line(_ file: Int32) throws -> SecretBytes {
    try withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      defer { buffer.baseAddress.map { explicit_bzero($0, buffer.count) } }
      var count = 0
      while count < buffer.count, try wait(file) {
        let next = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        guard read(file, next.baseAddress, 1) == 1, next[0] != 10 else { break }
        count += 1
      }
      return SecretBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// Waits for input until the task is cancelled.
  private static func wait(_ file: Int32) throws -> Bool {
    var descriptor = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    while poll(&descriptor, 1, 100) == 0 {
      if Task.isCancelled { throw ToolFailure("stopped; nothing was changed") }
    }
    return true
  }

  private static func put(_ text: String, _ file: Int32) {
    var text = text
    text.withUTF8 { _ = Glibc.write(file, $0.baseAddress, $0.count) }
  }
}
