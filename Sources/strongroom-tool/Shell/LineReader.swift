import CLibEdit
import Foundation
import Glibc

/// Reads lines from a terminal, with editing, history and completion, or from a file.
///
/// The history is not saved: conditions contain values, which must not be written to an unencrypted
/// file.
final class LineReader {
  private let isTerminal = isatty(STDIN_FILENO) == 1

  init(_ completion: ShellCompletion) {
    Completer.completion = completion
    guard isTerminal else { return }
    // The library uses the environment's encoding.
    setlocale(LC_CTYPE, "")
    // A key path and its prefix (-pages, sum:pages) are one word.
    strongroom_complete_with({ word, start, _ in Completer.matches(word, start) }, Completer.breaks)
  }

  /// The next line; nil at the end.
  func next(_ prompt: String) -> String? {
    guard isTerminal else { return readLine() }
    guard let line = readline(prompt) else { return nil }
    defer { free(line) }
    let text = String(cString: line)
    if !text.trimmingCharacters(in: .whitespaces).isEmpty { add_history(line) }
    return text
  }

  /// The callbacks of the C library, which it makes on the one thread that reads lines.
  private enum Completer {
    nonisolated(unsafe) static var completion: ShellCompletion?
    nonisolated(unsafe) static var candidates: [String] = []
    /// Never freed, since the library stores the pointer.
    nonisolated(unsafe) static let breaks = strdup(" \t\n|,()=<>!'\"&+*/{}")

    static func matches(
      _ word: UnsafePointer<CChar>?, _ start: CInt
    ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
      strongroom_offer_nothing_else()
      guard let word, let line = strongroom_line(), let completion else { return nil }
      // The library counts wide characters.
      let before = String(Substring(String(cString: line).unicodeScalars.prefix(Int(start))))
      candidates = completion.candidates(for: String(cString: word), after: before)
      return rl_completion_matches(word) { _, number in
        let number = Int(number)
        return number < Completer.candidates.count ? strdup(Completer.candidates[number]) : nil
      }
    }
  }
}
