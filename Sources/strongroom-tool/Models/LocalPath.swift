import ArgumentParser

/// A path of this machine.
enum LocalPath {
  /// - Throws: `ValidationError` for an address, or what looks like one: a file would get its name, and the
  ///   password in it. The path is not quoted.
  static func check(_ text: String) throws {
    let isURL = text.contains(/^\s*(([A-Za-z][A-Za-z0-9+.\-]*:)+\/|postgres(ql)?:)/.ignoresCase())
    // libpq's other form: settings, each a name and a value.
    let isSettings = text.contains(/^\s*(\w+\s*=\s*\S*\s+)*(password|host|dbname)\s*=/)
    // A colon may be missing, and the password be there all the same.
    let hasPassword = text.contains(/\/\/[^\/\s]*:[^\/\s]*@/)
    guard isURL || isSettings || hasPassword else { return }
    throw ValidationError(
      "what looks like an address of a server stands where a file is meant; the address of a server begins"
        + " with postgresql://, and a file of such a name is written with ./ before it")
  }
}
