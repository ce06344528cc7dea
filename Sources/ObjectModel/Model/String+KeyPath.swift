extension String {
  /// The names of a dotted key path.
  ///
  /// Cut at the dots themselves: a mark behind a dot makes one character of the two.
  package func keyPathNames(keepingEmpty: Bool = false) -> [String] {
    if !isEmpty, !utf8.contains(UInt8(ascii: ".")) { return [self] }
    return unicodeScalars.split(separator: ".", omittingEmptySubsequences: !keepingEmpty).map {
      String(Substring($0))
    }
  }
}
