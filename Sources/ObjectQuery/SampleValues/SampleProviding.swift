/// A type that names a valid value of its own.
///
/// Key paths into Codable types are resolved by decoding sample values. Conform a property's type
/// whose `init(from:)` rejects sample values, such as one that checks an e-mail address.
public protocol SampleProviding {
  /// Any valid value.
  static var example: Self { get }
}
