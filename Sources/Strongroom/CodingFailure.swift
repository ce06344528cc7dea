/// What a type's own coding threw, in words that name coding paths and never stored values.
package enum CodingFailure {
  /// The reason; nil for an error that Codable does not define.
  ///
  /// The descriptions of `DecodingError` and `EncodingError` can contain the value, so only their
  /// kind and coding path are used.
  package static func reason(_ error: any Error) -> String? {
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      "nothing is stored for \(path(context.codingPath + [key])); give it a default or make it optional"
    case DecodingError.valueNotFound(_, let context):
      "\(path(context.codingPath)) is null; give it a default or make it optional"
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      "what is stored at \(path(context.codingPath)) is of another type"
    case EncodingError.invalidValue(_, let context):
      "the value of \(path(context.codingPath)) cannot be encoded"
    default: nil
    }
  }

  private static func path(_ keys: [any CodingKey]) -> String {
    keys.isEmpty
      ? "its top level" : keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
  }
}
