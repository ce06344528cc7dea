import CLibEdit
import Foundation
import Glibc

/// Lines from a terminal, with editing, history and completion; or from a file, as they stand.
///
/// The history lasts as long as the process: conditions hold values, which must not end up in a file that is not encrypted.
final class LineReader {
  private let isTerminal = isatty(STDIN_FILENO) == 1

  init(_ completion: ShellCompletion) {
    Completer.completion = completion
    guard isTerminal else { return }
    // The library reads in the encoding that the environment says.
    setlocale(LC_CTYPE, "")
    // Paths and what stands before them (-pages, sum:pages) are words.
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

  /// What the C library calls while it reads a line, on the one thread that does.
  private enum Completer {
    nonisolated(unsafe) static var completion: ShellCompletion?
    nonisolated(unsafe) static var candidates: [String] = []
    /// Lives as long as the process, since the library keeps it.
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
