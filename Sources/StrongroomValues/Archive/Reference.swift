public import Foundation

/// Leads to an object of an archive by its identifier. The object is read when it is asked for.
///
/// `Target` is a class that conforms to `ArchivedObject`, or a protocol that such classes conform
/// to: `Reference<Page>`, `Reference<any Shape>`. Belongs to the isolation of its archive.
public struct Reference<Target>: Codable {
  private let link: ArchiveLink

  /// Leads to an object, which is stored with the object that has the reference.
  /// - Precondition: The object is an `ArchivedObject`.
  public init(_ target: Target) { link = ArchiveLink(target) }

  /// The identifier.
  public var id: UUID { link.id }

  /// The object. One statement, or none when it is there already.
  /// - Throws: `ValuesError`: `notFound`, `notRegistered`, `wrongType`, `undecodable`, and `closed`
  ///   when the archive was deallocated.
  public func load() throws -> Target { try link.target(Target.self) }

  /// Reads the identifier, and not the object. Issues no statement.
  /// - Throws: `DecodingError` when it is none.
  public init(from decoder: any Decoder) throws {
    link = ArchiveLink(
      try decoder.singleValueContainer().decode(UUID.self), ArchiveCoding.archive(decoder.userInfo))
  }

  /// Writes the identifier, and lets the archive know the object. Issues no statement.
  /// - Throws: as `ObjectArchive.store(_:)`.
  public func encode(to encoder: any Encoder) throws {
    try link.adopt(ArchiveCoding.archive(encoder.userInfo))
    var container = encoder.singleValueContainer()
    try container.encode(link.id)
  }
}

/// Leads to objects of an archive, in an order. They are read together when they are asked for.
public struct References<Target>: Codable, ExpressibleByArrayLiteral {
  private var links: [ArchiveLink] = []

  /// Leads to objects, which are stored with the object that has the references.
  /// - Precondition: Each is an `ArchivedObject`.
  public init(_ targets: some Sequence<Target>) { links = targets.map { ArchiveLink($0) } }

  /// Leads to objects.
  public init(arrayLiteral targets: Target...) { self.init(targets) }

  /// The identifiers, in order.
  public var ids: [UUID] { links.map(\.id) }
  /// How many there are.
  public var count: Int { links.count }
  /// Whether there is none.
  public var isEmpty: Bool { links.isEmpty }

  /// The objects, in order. One statement for all that are not there yet.
  /// - Throws: as `Reference.load()`; nothing is lost of the others then, which `load(at:)` reads
  ///   one by one.
  public func load() throws -> [Target] {
    if let archive = links.lazy.compactMap(\.archive).first { try archive.read(links.map(\.id)) }
    return try links.map { try $0.target(Target.self) }
  }

  /// The object at an index, from 0.
  /// - Throws: as `Reference.load()`.
  public func load(at place: Int) throws -> Target { try links[place].target(Target.self) }

  /// Appends an object.
  /// - Precondition: It is an `ArchivedObject`.
  public mutating func append(_ target: Target) { links.append(ArchiveLink(target)) }

  /// Inserts an object at an index.
  /// - Precondition: It is an `ArchivedObject`.
  public mutating func insert(_ target: Target, at place: Int) {
    links.insert(ArchiveLink(target), at: place)
  }

  /// Removes the object at an index; it stays in the archive.
  public mutating func remove(at place: Int) { links.remove(at: place) }

  /// Takes an object out by its identifier; it stays in the archive.
  public mutating func remove(id: UUID) { links.removeAll { $0.id == id } }

  /// Moves the object at an index to another, counted after its removal.
  public mutating func move(from place: Int, to other: Int) {
    links.insert(links.remove(at: place), at: other)
  }

  /// Reads the identifiers, and not the objects. Issues no statement.
  /// - Throws: `DecodingError` when they are none.
  public init(from decoder: any Decoder) throws {
    let archive = ArchiveCoding.archive(decoder.userInfo)
    links = try decoder.singleValueContainer().decode([UUID].self).map { ArchiveLink($0, archive) }
  }

  /// Writes the identifiers, and lets the archive know the objects. Issues no statement.
  /// - Throws: as `ObjectArchive.store(_:)`.
  public func encode(to encoder: any Encoder) throws {
    let archive = ArchiveCoding.archive(encoder.userInfo)
    for link in links { try link.adopt(archive) }
    var container = encoder.singleValueContainer()
    try container.encode(ids)
  }
}

/// One reference. Holds its target only until an archive does, so that objects that refer to each
/// other do not keep each other.
final class ArchiveLink {
  let id: UUID
  private(set) weak var archive: ObjectArchive?
  private var target: (any ArchivedObject)?

  init(_ id: UUID, _ archive: ObjectArchive?) {
    self.id = id
    self.archive = archive
  }

  init(_ target: Any) {
    guard let object = target as? any ArchivedObject else {
      fatalError(
        "a reference leads to a \(type(of: target)), which is no ArchivedObject; conform its class, or hold the value itself"
      )
    }
    id = object.id
    self.target = object
  }

  func adopt(_ archive: ObjectArchive?) throws {
    guard let archive, let target else { return }
    try archive.adopt(target)
    self.archive = archive
    self.target = nil
  }

  func target<Target>(_ type: Target.Type) throws -> Target {
    let object: any ArchivedObject
    if let target {
      object = target
    } else if let archive {
      object = try archive.object(id)
    } else {
      throw ValuesError(.closed, "the archive of a reference is gone; keep it as long as its objects")
    }
    if let target = object as? Target { return target }
    throw ValuesError(
      .wrongType,
      "a reference to \(type) leads to a \(Swift.type(of: object)); what it belongs to was made by another type"
    )
  }
}
