extension String {
  /// The names of a dotted key path.
  ///
  /// Cut at the dots themselves: a mark behind a dot makes one character of the two.
  package func keyPathNames(keepingEmpty: Bool = false) -> [String] {
    unicodeScalars.split(separator: ".", omittingEmptySubsequences: !keepingEmpty).map {
      String(Substring($0))
    }
  }
}
