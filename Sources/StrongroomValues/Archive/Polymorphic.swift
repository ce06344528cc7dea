/// Values behind a protocol, stored inside the object that has them, each under its registered
/// type's name: `@Polymorphic var shapes: [any Shape]`. For values without an identity of their
/// own; objects are referenced by `References`.
///
/// All are decoded with the object; an unregistered name is an error that names it, and leaves what
/// is stored as it was.
@propertyWrapper
public struct Polymorphic<Element>: Codable {
  /// The values.
  public var wrappedValue: [Element]

  /// Wraps values.
  public init(wrappedValue: [Element]) { self.wrappedValue = wrappedValue }

  private enum Key: String, CodingKey { case type, value }

  /// Decodes each value as what its name says. Issues no statement.
  /// - Throws: `ValuesError`: `notRegistered`, `wrongType`.
  public init(from decoder: any Decoder) throws {
    guard let archive = ArchiveCoding.archive(decoder.userInfo) else { throw Self.outside }
    var list = try decoder.unkeyedContainer()
    wrappedValue = []
    while !list.isAtEnd {
      let entry = try list.nestedContainer(keyedBy: Key.self)
      let type = try archive.registry.type(named: entry.decode(String.self, forKey: .type))
      guard let value = try entry.decode(type, forKey: .value) as? Element else {
        throw ValuesError(.wrongType, "\(type) is stored among \(Element.self), which it does not conform to")
      }
      wrappedValue.append(value)
    }
  }

  /// Encodes each value with its type's name. Issues no statement.
  /// - Throws: `ValuesError`: `notRegistered` for a type that could not be read again,
  ///   `unencodable` for objects with an identity.
  public func encode(to encoder: any Encoder) throws {
    guard let archive = ArchiveCoding.archive(encoder.userInfo) else { throw Self.outside }
    var list = encoder.unkeyedContainer()
    for element in wrappedValue {
      guard let value = element as? any ArchivedType, !(element is any ArchivedObject) else {
        throw ValuesError(
          .unencodable,
          "a \(type(of: element)) is among values that are kept inside an object; conform it to ArchivedType, and hold objects"
            + " with identifiers by References")
      }
      var entry = list.nestedContainer(keyedBy: Key.self)
      try entry.encode(archive.registry.name(of: type(of: value)), forKey: .type)
      try entry.encode(value, forKey: .value)
    }
  }

  private static var outside: ValuesError {
    ValuesError(
      .unencodable, "values behind a protocol are coded by an ObjectArchive only, which knows their types")
  }
}
