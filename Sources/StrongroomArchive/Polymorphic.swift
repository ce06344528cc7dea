/// An array of values behind a protocol, stored inside the object that has them, each under the
/// name of its registered type: `@Polymorphic var shapes: [any Shape]`.
///
/// Use it for values without an identity of their own; reference objects by `References`. All
/// values are decoded with the object. A stored name that is not registered throws an error that
/// contains the name, and what is stored stays as it was.
@propertyWrapper
public struct Polymorphic<Element>: Codable {
  /// The values.
  public var wrappedValue: [Element]

  /// Wraps values.
  public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

  private enum Key: String, CodingKey { case type, value }

  /// Decodes each value as the type of its stored name.
  ///
  /// Issues no statement.
  /// - Throws: `ArchiveError`: `notRegistered`, `wrongType`.
  public init(from decoder: any Decoder) throws {
    guard let archive = ArchiveCoding.archive(decoder.userInfo) else { throw Self.noArchive }
    var list = try decoder.unkeyedContainer()
    wrappedValue = []
    while !list.isAtEnd {
      let entry = try list.nestedContainer(keyedBy: Key.self)
      let type = try archive.registry.type(named: entry.decode(String.self, forKey: .type))
      guard let value = try entry.decode(type, forKey: .value) as? Element else {
        throw ArchiveError(
          .wrongType, "a \(type) is stored in a list of \(Element.self), to which it does not conform")
      }
      wrappedValue.append(value)
    }
  }

  /// Encodes each value with the name of its type.
  ///
  /// Issues no statement.
  /// - Throws: `ArchiveError`: `notRegistered` for a type that could not be decoded again,
  ///   `unencodable` for objects with an identity.
  public func encode(to encoder: any Encoder) throws {
    guard let archive = ArchiveCoding.archive(encoder.userInfo) else { throw Self.noArchive }
    var list = encoder.unkeyedContainer()
    for element in wrappedValue {
      guard let value = element as? any ArchivedType, !(element is any ArchivedObject) else {
        throw ArchiveError(
          .unencodable,
          "a \(type(of: element)) cannot be stored inside an object; conform it to ArchivedType, and"
            + " reference objects with identifiers by References")
      }
      var entry = list.nestedContainer(keyedBy: Key.self)
      try entry.encode(archive.registry.name(of: type(of: value)), forKey: .type)
      try entry.encode(value, forKey: .value)
    }
  }

  private static var noArchive: ArchiveError {
    ArchiveError(
      .unencodable, "only an ObjectArchive can code values behind a protocol, since it knows their types")
  }
}
