import Glibc

/// The files in which copies are made before they get their names: `NAME.xxxxxxxx.new`.
package enum UnfinishedCopy {
  private static let digits = 8
  private static let ending = ".new"
  /// What is written at this moment is younger.
  private static let leastAge = 60

  /// A path beside a file's that nothing has.
  package static func path(beside path: String) -> String {
    let number = String(UInt32.random(in: .min ... .max), radix: 16)
    return path + "." + String(repeating: "0", count: digits - number.count) + number + ending
  }

  /// Removes what killed processes left beside a file, which the caller has alone: so nobody works on a copy that is to take the
  /// file's place. Only what is a minute old, since somebody may just be making a new file of that name, in vain.
  package static func removeAbandoned(beside path: String) {
    let cut = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let (folder, name) = (String(path[..<cut]), path[cut...] + ".")
    guard let directory = opendir(folder.isEmpty ? "." : folder) else { return }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let found = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard found.hasPrefix(name), found.hasSuffix(ending) else { continue }
      let number = found.dropFirst(name.count).dropLast(ending.count)
      guard number.count == digits, number.allSatisfy(\.isHexDigit), isOld(folder + found) else { continue }
      File.removeDatabase(folder + found)
    }
  }

  private static func isOld(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && time(nil) - status.st_mtim.tv_sec >= leastAge
  }
}
