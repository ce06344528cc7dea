import ArgumentParser

/// A path of this machine.
enum LocalPath {
  /// - Throws: `ValidationError` for an address, or what looks like one: a file would get its name, and the
  ///   password in it. The path is not quoted.
  static func check(_ text: String) throws {
    guard
      text.contains(/^\s*([A-Za-z][A-Za-z0-9+.\-]*:)+\//) || text.contains(/\b(password|host|dbname)\s*=/)
    else { return }
    throw ValidationError(
      "what looks like an address of a server stands where a file is meant; the address of a server begins"
        + " with postgresql://, and a file of such a name is written with ./ before it")
  }
}
