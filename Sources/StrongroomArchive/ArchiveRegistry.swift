import Foundation
import ObjectContext

/// The types that an archive codes, by each name that they are or were stored under.
struct ArchiveRegistry {
  private var types: [String: any ArchivedType.Type] = [:]
  private var names: [ObjectIdentifier: String] = [:]

  /// - Throws: `ArchiveError` with code `duplicateName`.
  init(_ types: [any ArchivedType.Type]) throws {
    for type in types where names[ObjectIdentifier(type)] == nil {
      names[ObjectIdentifier(type)] = type.archivedName
      for name in [type.archivedName] + type.originalArchivedNames {
        if let other = self.types.updateValue(type, forKey: name), other != type {
          throw ArchiveError(
            .duplicateName,
            "\(type) and \(other) are both stored as \(name); give one of them another archivedName")
        }
      }
    }
  }

  /// - Throws: `ArchiveError` with code `notRegistered`.
  func name(of type: any ArchivedType.Type) throws -> String {
    if let name = names[ObjectIdentifier(type)] { return name }
    throw ArchiveError(
      .notRegistered, "the archive was opened without \(type), so it could not be read again; register it")
  }

  /// - Throws: `ArchiveError` with code `notRegistered` that names the stored type.
  func type(named name: String) throws -> any ArchivedType.Type {
    if let type = types[name] { return type }
    throw ArchiveError(
      .notRegistered,
      "a value is stored as \(name), and no type of that name is registered; register it, or add the name to"
        + " the originalArchivedNames of the type that replaces it. Nothing was changed")
  }

  /// The name of a type, and those that it had before.
  /// - Throws: `ArchiveError` with code `notRegistered`.
  func names(of type: any ArchivedType.Type) throws -> [String] {
    [try name(of: type)] + type.originalArchivedNames
  }

  /// The stored JSON, with defaults for properties that were added later.
  ///
  /// They are inserted into the text, since decoding and encoding it would change numbers of many
  /// digits.
  static func completed(_ payload: Data, for type: any ArchivedType.Type) throws -> Data {
    let defaults = type.archivedDefaults
    guard !defaults.isEmpty, payload.last == UInt8(ascii: "}"),
      let object = try JSONSerialization.jsonObject(with: payload) as? [String: Any]
    else { return payload }
    var whole = payload.dropLast()
    var isEmpty = object.isEmpty
    for (name, value) in defaults where object[name] == nil {
      if !isEmpty { whole.append(UInt8(ascii: ",")) }
      isEmpty = false
      whole += try CodableCoding.data(name)
      whole.append(UInt8(ascii: ":"))
      whole += try CodableCoding.data(value)
    }
    whole.append(UInt8(ascii: "}"))
    return Data(whole)
  }
}
