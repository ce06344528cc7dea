extension String {
  /// The name as an SQL identifier.
  package var quoted: String {
    if !utf8.contains(UInt8(ascii: "\"")) { return "\"" + self + "\"" }
    // By scalars: a mark behind a quote makes one character of the two, which is no quote any more.
    var text = String.UnicodeScalarView("\"".unicodeScalars)
    for scalar in unicodeScalars {
      if scalar == "\"" { text.append(scalar) }
      text.append(scalar)
    }
    return String(text) + "\""
  }
}
