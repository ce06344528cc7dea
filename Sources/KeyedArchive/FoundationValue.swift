public import Foundation

/// A value of a class of Foundation.
///
/// What an archive's objects of other classes hold stays in the archive.
public indirect enum FoundationValue: Sendable, Hashable {
  /// One key and value of a dictionary.
  public struct Entry: Sendable, Hashable {
    /// The key.
    public var key: FoundationValue
    /// The value.
    public var value: FoundationValue

    /// Makes an entry.
    public init(_ key: FoundationValue, _ value: FoundationValue) {
      self.key = key
      self.value = value
    }
  }

  /// nil or `NSNull`.
  case null
  /// An `NSNumber` that is a boolean.
  case boolean(Bool)
  /// An `NSNumber` that is whole.
  case integer(Int64)
  /// An `NSNumber` that is floating.
  case real(Double)
  /// An `NSDecimalNumber`.
  case decimal(Decimal)
  /// An `NSString`.
  case string(String)
  /// The text of an `NSAttributedString`.
  case attributedString(String)
  /// An `NSDate`.
  case date(Date)
  /// An `NSData`.
  case data(Data)
  /// An `NSUUID`.
  case uuid(UUID)
  /// An `NSURL`.
  case url(URL)
  /// An `NSArray`.
  case array([FoundationValue])
  /// An `NSOrderedSet`.
  case orderedSet([FoundationValue])
  /// An `NSSet`, in the order of the archive.
  case set([FoundationValue])
  /// An `NSDictionary`, in the order of the archive.
  case dictionary([Entry])
  /// An `NSIndexSet`.
  case indexSet(IndexSet)
  /// The identifier of an `NSLocale`.
  case locale(String)
  /// The identifier of an `NSTimeZone`.
  case timeZone(String)
  /// An object of a class that has no case here, by the name of the class.
  case unknown(String)

  /// The value of a text key of a dictionary; nil for anything else.
  public subscript(key: String) -> FoundationValue? {
    guard case .dictionary(let entries) = self else { return nil }
    return entries.first { $0.key == .string(key) }?.value
  }
}
