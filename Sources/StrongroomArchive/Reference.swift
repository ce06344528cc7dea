public import Foundation

/// A reference to an object of an archive by its identifier.
///
/// The object is read on first access.
///
/// `Object` is a class that conforms to `ArchivedObject`, or a protocol that such classes conform
/// to: `Reference<Page>`, `Reference<any Shape>`. Belongs to the isolation of its archive.
public struct Reference<Object>: Codable {
  private let referenced: ReferencedObject

  /// References an object, which is stored together with the object that has the reference.
  /// - Precondition: The object is an `ArchivedObject`.
  public init(_ object: Object) { referenced = ReferencedObject(object) }

  /// The identifier.
  public var id: UUID { referenced.id }

  /// The object.
  ///
  /// One statement, or none when it is loaded already.
  /// - Throws: `ArchiveError`: `notFound`, `notRegistered`, `wrongType`, `undecodable`, and
  ///   `closed` when the archive was closed or deallocated.
  public func load() throws -> Object { try referenced.load(Object.self) }

  /// Decodes the identifier, and does not read the object.
  ///
  /// Issues no statement.
  /// - Throws: `DecodingError` when what is stored is no identifier.
  public init(from decoder: any Decoder) throws {
    referenced = ReferencedObject(
      try decoder.singleValueContainer().decode(UUID.self), ArchiveCoding.archive(decoder.userInfo))
  }

  /// Encodes the identifier, and adds the object to the archive.
  ///
  /// Issues no statement.
  /// - Throws: as `ObjectArchive.store(_:)`.
  public func encode(to encoder: any Encoder) throws {
    try referenced.adopt(ArchiveCoding.archive(encoder.userInfo))
    var container = encoder.singleValueContainer()
    try container.encode(referenced.id)
  }
}
