import Glibc

/// Where a file really is.
package enum FilePath {
  /// The path of an existing file with every link followed, so that journals and logs are expected
  /// where SQLite puts them.
  /// - Throws: `fileIsMissing`, `danglingLink`, `cannotOpen`.
  package static func resolved(_ path: String) throws(CipherError) -> String {
    if let real = realpath(path, nil) {
      defer { free(real) }
      return String(cString: real)
    }
    guard errno == ENOENT else {
      throw CipherError(.cannotOpen, "\(path): \(String(cString: strerror(errno)))")
    }
    if isLink(path) {
      throw CipherError(.danglingLink, "\(path) is a link to a place where nothing is")
    }
    throw CipherError(.fileIsMissing, "there is no file at \(path)")
  }

  /// The path of a file that may be made: links in its folder followed.
  /// - Throws: `danglingLink` when the file itself is a dangling link, at which no file can be made
  ///   atomically.
  package static func resolvedForCreation(_ path: String) throws(CipherError) -> String {
    do {
      return try resolved(path)
    } catch {
      guard error.code == .fileIsMissing else { throw error }
    }
    guard let slash = path.lastIndex(of: "/") else { return path }
    let folder = slash == path.startIndex ? "/" : String(path[..<slash])
    guard let real = realpath(folder, nil) else { return path }
    defer { free(real) }
    let name = path[path.index(after: slash)...]
    return folder == "/" ? "/\(name)" : "\(String(cString: real))/\(name)"
  }

  private static func isLink(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
  }

  /// Whether there is anything at a path, even a dangling link.
  package static func isTaken(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Whether the file system of a path is mounted for reading only.
  package static func isOnReadOnlyMedium(_ path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_flag & UInt(ST_RDONLY) != 0
  }
}
