extension Int {
  /// The number with a word, which takes an s where there are more or fewer than one.
  package func counted(_ word: String) -> String { "\(self) \(word)\(self == 1 ? "" : "s")" }

  /// The number with a word and a verb: "1 value is", "2 values are".
  package func counted(_ word: String, _ singular: String, _ plural: String) -> String {
    "\(counted(word)) \(self == 1 ? singular : plural)"
  }
}
