import Foundation
import Glibc

/// The folder that an export is written into: under another name until it is whole, its owner's alone from the start, and with
/// nothing in it that was there before.
final class ExportFolder {
  private let path: String
  private let unfinished: String
  /// The folder itself, whatever happens to its name.
  private let folder: Int32
  private var names: [String] = []

  /// - Throws: `ToolFailure` when something is in the way; it is left as it is.
  init(_ path: String) throws {
    let standard = URL(fileURLWithPath: path).path
    self.path = standard
    unfinished = standard + ".unfinished"
    guard !Self.isThere(standard) else {
      throw ToolFailure("\(standard) is there already; name a folder that is not")
    }
    try Self.makeFolders(above: standard)
    guard mkdir(unfinished, 0o700) == 0 else {
      guard errno == EEXIST else { throw Self.failure(unfinished) }
      throw ToolFailure(
        "\(unfinished) is there: an export that was cut off leaves it, readable by whoever gets"
          + " at it; look at it, and"
          + " remove it")
    }
    folder = open(unfinished, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else {
      let failure = Self.failure(unfinished)
      rmdir(unfinished)
      throw failure
    }
  }

  deinit { if folder >= 0 { close(folder) } }

  private static func makeFolders(above path: String) throws {
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    if parent == path || access(parent, F_OK) == 0 { return }
    try makeFolders(above: parent)
    if mkdir(parent, 0o700) != 0, errno != EEXIST { throw failure(parent) }
  }

  /// Also links that lead nowhere.
  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func failure(_ path: String) -> ToolFailure {
    ToolFailure("\(path) cannot be made: \(String(cString: strerror(errno)))")
  }

  /// Makes a file of the folder. A name that is taken gets a number.
  func file(_ name: String, _ suffix: String) throws -> FileHandle {
    var full = name + suffix
    var number = 2
    while names.contains(full) {
      full = "\(name)-\(number)\(suffix)"
      number += 1
    }
    let file = openat(folder, full, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Self.failure("\(unfinished)/\(full)") }
    names.append(full)
    return FileHandle(fileDescriptor: file, closeOnDealloc: true)
  }

  /// Gives the folder its name.
  /// - Throws: `ToolFailure` when there is something of that name meanwhile.
  func finish() throws {
    guard !Self.isThere(path), rename(unfinished, path) == 0 else {
      throw ToolFailure("\(path) could not be given its name; there is something of that name meanwhile")
    }
  }

  /// Removes the folder with the files made in it.
  func remove() {
    for name in names { unlinkat(folder, name, 0) }
    rmdir(unfinished)
  }
}
