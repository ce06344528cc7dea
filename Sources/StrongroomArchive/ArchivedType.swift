public import Foundation

/// A type whose values an archive stores under a name.
///
/// Decoding makes values of the types that the archive was opened with, and of no others.
public protocol ArchivedType: Codable {
  /// The name in the file; the type's name by default.
  static var archivedName: String { get }
  /// The names that values of this type were stored under before.
  static var originalArchivedNames: [String] { get }
  /// The values of properties that were added later, by coded name, for objects stored before. None
  /// by default.
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

/// A class whose objects an archive stores by identifier; an archive has one instance of each.
///
///     final class Circle: Shape {  // protocol Shape: ArchivedObject
///       let id: UUID
///       var radius: Double
///     }
public protocol ArchivedObject: AnyObject, ArchivedType {
  /// Identifies the object permanently. Coded with the object.
  var id: UUID { get }
}
