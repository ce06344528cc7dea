import ArgumentParser
import Foundation
import Glibc
import Keeping

/// A text as it is written: its first line is the title.
struct Draft {
  let title: String
  let text: String

  /// From standard input, or from an editor where that is a terminal.
  static func read(_ before: String) throws -> Draft {
    let written = isatty(STDIN_FILENO) == 1 ? try edited(before) : try input()
    let lines = written.trimmingCharacters(in: .whitespacesAndNewlines).split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard let title = lines.first, !title.isEmpty else {
      throw ValidationError("the text is empty, so nothing was kept")
    }
    let rest = lines.count > 1 ? lines[1].trimmingCharacters(in: .newlines) : ""
    return Draft(title: String(title), text: rest)
  }

  /// One line, typed or from standard input.
  static func word(_ question: String) -> String? {
    isatty(STDIN_FILENO) == 1 ? Terminal.answer(question) : readLine()
  }

  private static func input() throws -> String {
    let data = try FileHandle.standardInput.readToEnd() ?? Data()
    guard let text = String(data: data, encoding: .utf8) else {
      throw ValidationError("standard input is no UTF-8 text")
    }
    return text
  }

  /// The editor needs a file.
  ///
  /// It lies in memory, in a folder of this user's alone, with whatever the editor puts beside it,
  /// and all of that goes when the editor ends.
  private static func edited(_ before: String) throws -> String {
    let environment = ProcessInfo.processInfo.environment
    guard let editor = environment["VISUAL"] ?? environment["EDITOR"], !editor.isEmpty else {
      throw ValidationError("say in EDITOR which editor to use, or give the text on standard input")
    }
    var pattern = Array("\(environment["XDG_RUNTIME_DIR"] ?? "/dev/shm")/journal-XXXXXX".utf8CString)
    guard let path = mkdtemp(&pattern) else {
      throw ValidationError(
        "there is no place in memory for the editor's file: \(String(cString: strerror(errno)))")
    }
    let folder = URL(fileURLWithPath: String(cString: path))
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("entry.txt")
    try Data(before.utf8).write(to: file)
    // The shell, since EDITOR may have arguments; the file's name has nothing that it would read
    // otherwise.
    guard system("umask 077; \(editor) \(file.path)") == 0 else {
      throw Failure(.nothingDone, "the editor did not end well, so nothing was kept")
    }
    return try String(contentsOf: file, encoding: .utf8)
  }
}
