import Foundation
import Glibc
import StrongroomData

/// Whoever sits at the terminal, whatever standard input and output are.
package enum Terminal {
  /// Whether somebody can be asked.
  package static var isThere: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    if terminal >= 0 { close(terminal) }
    return terminal >= 0
  }

  /// Asks a question; nil where nobody can answer.
  package static func answer(_ question: String) -> String? {
    with { terminal in
      put(question + " ", terminal)
      return line(terminal).withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Asks for a secret, which does not show while it is typed; nil where nobody can answer.
  package static func secret(_ question: String) -> SecretBytes? {
    with { terminal in
      var settings = termios()
      tcgetattr(terminal, &settings)
      var before = settings
      settings.c_lflag &= ~tcflag_t(ECHO)
      tcsetattr(terminal, TCSAFLUSH, &settings)
      defer {
        tcsetattr(terminal, TCSAFLUSH, &before)
        put("\n", terminal)
      }
      put(question + " ", terminal)
      return line(terminal)
    }
  }

  /// Shows a secret on the terminal; on standard error where there is none.
  static func show(_ title: String, _ secret: UnsafeRawBufferPointer) {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    let target = terminal >= 0 ? terminal : STDERR_FILENO
    put(title, target)
    _ = write(target, secret.baseAddress, secret.count)
    put("\n\n", target)
    if terminal >= 0 { close(terminal) }
  }

  /// A line from a file, wiped from memory but for what is returned.
  static func line(_ file: Int32) -> SecretBytes {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
      defer { if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) } }
      var count = 0
      while count < buffer.count, read(file, buffer.baseAddress?.advanced(by: count), 1) == 1,
        buffer[count] != 10
      {
        count += 1
      }
      return SecretBytes(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }

  /// A text that leaves the terminal as it is: control characters are shown as a question mark.
  package static func plain(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          scalar == "\n" || scalar == "\t" || scalar.properties.generalCategory != .control ? scalar : "?"
        }))
  }

  private static func with<R>(_ body: (Int32) -> R) -> R? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    return body(terminal)
  }

  private static func put(_ text: String, _ file: Int32) {
    var text = text
    text.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
  }
}
