import ArgumentParser
import Foundation
import Glibc
import Strongroom

/// Questions to whoever sits at the terminal, whatever standard input and output are.
enum Terminal {
  /// Asks for a secret without showing what is typed.
  /// - Throws: `ValidationError` when there is no terminal.
  static func secret(_ question: String) throws -> SecretBytes {
    try withTerminal { terminal in
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
      return line(terminal)
    }
  }

  /// Asks for a line that may be seen.
  static func answer(_ question: String) throws -> String {
    try withTerminal { terminal in
      put(question + " ", terminal)
      return line(terminal).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Writes bytes straight to standard output, which must be a terminal: a secret never ends up in a file or a log by mistake.
  static func show(_ bytes: UnsafeRawBufferPointer, after text: String = "", before end: String = "\n") throws
  {
    guard isatty(STDOUT_FILENO) == 1 else {
      throw ValidationError("secrets are shown on a terminal only; standard output is something else")
    }
    put(text, STDOUT_FILENO)
    _ = Glibc.write(STDOUT_FILENO, bytes.baseAddress, bytes.count)
    put(end, STDOUT_FILENO)
  }

  private static func withTerminal<R>(_ body: (Int32) throws -> R) throws -> R {
    let terminal = Glibc.open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else {
      throw ValidationError("there is no terminal to ask on; give the secret in a file")
    }
    defer { close(terminal) }
    return try body(terminal)
  }

  private static func line(_ file: Int32) -> SecretBytes {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      defer { buffer.baseAddress.map { explicit_bzero($0, buffer.count) } }
      var count = 0
      while count < buffer.count, read(file, buffer.baseAddress! + count, 1) == 1, buffer[count] != 10 {
        count += 1
      }
      return SecretBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  private static func put(_ text: String, _ file: Int32) {
    var text = text
    text.withUTF8 { _ = Glibc.write(file, $0.baseAddress, $0.count) }
  }
}
