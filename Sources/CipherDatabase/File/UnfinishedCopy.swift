import Glibc

/// The files in which copies are made before they get their names: `NAME.xxxxxxxxxxxxxxxx.new`.
package enum UnfinishedCopy {
  /// More than dates and times have, which people put into names.
  private static let digits = 16
  private static let ending = ".new"
  /// A copy that is being written is younger.
  private static let leastAge = 60

  /// A path beside a file's that nothing has.
  ///
  /// What killed processes left of earlier copies there is removed.
  package static func path(beside path: String) -> String {
    removeAbandoned(beside: path)
    let number = String(UInt64.random(in: .min ... .max), radix: 16)
    return path + "." + String(repeating: "0", count: digits - number.count) + number + ending
  }

  /// Removes unfinished copies of a file, and of the copies that migrations keep, which killed
  /// processes left.
  ///
  /// Only copies that are at least a minute old and not open.
  package static func removeAbandoned(beside path: String) {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, name) = (String(path[..<cut]), path[cut...])
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let found = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      let copy = withoutKeepsake(found[...])
      let original = original(of: copy)
      guard original != copy, original == name || original.hasPrefix(name + ".before-migration") else {
        continue
      }
      removeIfAbandoned(folder + found)
    }
  }

  /// A name without the ending of a copy from before a migration: copies are migrated to try it out.
  private static func withoutKeepsake(_ name: Substring) -> Substring {
    let endings = ["", "-2", "-3"].map { ".before-migration" + $0 }
    return endings.first(where: name.hasSuffix).map { name.dropLast($0.count) } ?? name
  }

  /// What a name is a copy of, or a copy of a copy; the name itself where it is of none.
  private static func original(of name: Substring) -> Substring {
    guard name.hasSuffix(ending) else { return name }
    let copied = name.dropLast(ending.count)
    let number = copied.suffix(digits)
    guard number.utf8.count == digits, copied.dropLast(digits).last == ".",
      number.utf8.allSatisfy({
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (97...102).contains($0)
      })
    else { return name }
    return original(of: copied.dropLast(digits + 1))
  }

  private static func removeIfAbandoned(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      time(nil) - status.st_mtim.tv_sec >= leastAge, let file = try? DatabaseFile(path, waiting: 0)
    else { return }
    defer { file.release() }
    if (try? file.takeAlone(own: 1, waiting: 0)) != nil { File.removeDatabase(path) }
  }
}
