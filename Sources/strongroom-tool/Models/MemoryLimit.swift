import Glibc

/// Limits the memory that a command can take, whatever its input file contains.
enum MemoryLimit {
  /// 4 GiB.
  static let most: rlim_t = 4 << 30

  /// Sets the limit, beyond which the process ends.
  ///
  /// A lower limit that the user set stays.
  static func apply() {
    // A sanitizer maps terabytes of its own.
    #if !SANITIZED
      var limit = rlimit()
      guard getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0, limit.rlim_cur > most else {
        return
      }
      limit.rlim_cur = most
      setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
    #endif
  }
}
