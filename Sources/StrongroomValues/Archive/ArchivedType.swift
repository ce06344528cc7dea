public import Foundation

/// A type whose values an archive stores under a name: decoding makes values of types that were
/// registered, and of no other.
public protocol ArchivedType: Codable {
  /// The name in the file; the type's name unless said otherwise.
  static var archivedName: String { get }
  /// The names that values of this type were stored under before.
  static var originalArchivedNames: [String] { get }
  /// What values have, by coded name, that were stored before there was such a property. None
  /// unless said otherwise.
  static var archivedDefaults: [String: any Encodable & Sendable] { get }
}

extension ArchivedType {
  /// The type's name.
  public static var archivedName: String { String(describing: Self.self) }
  /// None.
  public static var originalArchivedNames: [String] { [] }
  /// None.
  public static var archivedDefaults: [String: any Encodable & Sendable] { [:] }
}

/// A class whose objects an archive stores by their identifiers: in one archive there is one
/// instance of each.
///
///     final class Circle: Shape {  // protocol Shape: ArchivedObject
///       let id: UUID
///       var radius: Double
///     }
public protocol ArchivedObject: AnyObject, ArchivedType {
  /// What the object is known by for good. Coded with the object.
  var id: UUID { get }
}
