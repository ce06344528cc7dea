import Glibc

/// What a command may take of the machine's memory, whatever the file says that it is given.
enum MemoryLimit {
  /// 4 GiB.
  static let most: rlim_t = 4 << 30

  /// Lets the system refuse more to this process, which then ends; a lower limit of the user's stays.
  static func apply() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0, limit.rlim_cur > most else {
      return
    }
    limit.rlim_cur = most
    setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
  }
}
