import Foundation
import Glibc

/// The folder that an export is written to.
///
/// It has another name until the export is complete, only its owner can read it, and it contains no
/// earlier files.
final class ExportFolder {
  private let path: String
  private let unfinished: String
  /// The folder's descriptor, which stays valid if the folder is renamed.
  private let folder: Int32
  private var names: [String] = []

  /// Creates the folder.
  /// - Throws: `ToolFailure` when a file or folder of either name exists, which is not changed.
  init(_ path: String) throws {
    let standard = URL(fileURLWithPath: path).path
    self.path = standard
    unfinished = standard + ".unfinished"
    guard !Self.isThere(standard) else {
      throw ToolFailure("\(standard) already exists; name a new folder")
    }
    try Self.makeFolders(above: standard)
    guard mkdir(unfinished, 0o700) == 0 else {
      guard errno == EEXIST else { throw Self.failure(unfinished) }
      throw ToolFailure(
        "\(unfinished) exists: an interrupted export left it, readable by anybody who can access it;"
          + " check it, and remove it")
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

  /// Whether a path exists, including as a dangling symbolic link.
  private static func isThere(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  private static func failure(_ path: String) -> ToolFailure {
    ToolFailure("\(path) cannot be created: \(String(cString: strerror(errno)))")
  }

  /// Creates a file in the folder.
  ///
  /// A name that is taken gets a number.
  func file(_ name: String, _ suffix: String) throws -> FileHandle {
    let name = Self.short(name)
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

  /// As much of a name as a file's may have, with room for a number.
  private static func short(_ name: String) -> String {
    var name = name
    while name.utf8.count > 200 { name.removeLast() }
    return name
  }

  /// Gives the folder its final name.
  /// - Throws: `ToolFailure` when a file or folder of that name was created in the meantime.
  func finish() throws {
    guard !Self.isThere(path), rename(unfinished, path) == 0 else {
      throw ToolFailure("\(path) could not be created; something of that name was created in the meantime")
    }
  }

  /// Removes the folder with the files that were created in it.
  func remove() {
    for name in names { unlinkat(folder, name, 0) }
    rmdir(unfinished)
  }
}
