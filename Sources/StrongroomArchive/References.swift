public import Foundation

/// References to objects of an archive, in an order.
///
/// They are read together on first access.
///
/// Belongs to the isolation of its archive.
public struct References<Object>: Codable, ExpressibleByArrayLiteral {
  private var referenced: [ReferencedObject] = []

  /// References objects, which are stored together with the object that has the references.
  /// - Precondition: Each is an `ArchivedObject`.
  public init(_ objects: some Sequence<Object>) { referenced = objects.map { ReferencedObject($0) } }

  /// References objects.
  /// - Precondition: Each is an `ArchivedObject`.
  public init(arrayLiteral objects: Object...) { self.init(objects) }

  /// The identifiers, in order.
  public var ids: [UUID] { referenced.map(\.id) }
  /// The number of references.
  public var count: Int { referenced.count }
  /// Whether there is no reference.
  public var isEmpty: Bool { referenced.isEmpty }

  /// The objects, in order.
  ///
  /// One statement for all that are not loaded yet.
  /// - Throws: as `Reference.load()`. The objects that can be read are loaded; `load(at:)` returns
  ///   them one by one.
  public func load() throws -> [Object] {
    if let archive = referenced.lazy.compactMap(\.archive).first { try archive.read(ids) }
    return try referenced.map { try $0.load(Object.self) }
  }

  /// The object at an index, from 0.
  ///
  /// One statement, or none when it is loaded already.
  /// - Throws: as `Reference.load()`.
  public func load(at index: Int) throws -> Object { try referenced[index].load(Object.self) }

  /// Appends an object.
  /// - Precondition: It is an `ArchivedObject`.
  public mutating func append(_ object: Object) { referenced.append(ReferencedObject(object)) }

  /// Inserts an object at an index.
  /// - Precondition: It is an `ArchivedObject`.
  public mutating func insert(_ object: Object, at index: Int) {
    referenced.insert(ReferencedObject(object), at: index)
  }

  /// Removes the reference at an index; the object stays in the archive.
  public mutating func remove(at index: Int) { referenced.remove(at: index) }

  /// Removes the references to an identifier; the object stays in the archive.
  public mutating func remove(id: UUID) { referenced.removeAll { $0.id == id } }

  /// Moves the reference at an index to another index, counted after its removal.
  public mutating func move(from index: Int, to newIndex: Int) {
    referenced.insert(referenced.remove(at: index), at: newIndex)
  }

  /// Decodes the identifiers, and does not read the objects.
  ///
  /// Issues no statement.
  /// - Throws: `DecodingError` when what is stored is no list of identifiers.
  public init(from decoder: any Decoder) throws {
    let archive = ArchiveCoding.archive(decoder.userInfo)
    referenced = try decoder.singleValueContainer().decode([UUID].self).map { ReferencedObject($0, archive) }
  }

  /// Encodes the identifiers, and adds the objects to the archive.
  ///
  /// Issues no statement.
  /// - Throws: as `ObjectArchive.store(_:)`.
  public func encode(to encoder: any Encoder) throws {
    let archive = ArchiveCoding.archive(encoder.userInfo)
    for one in referenced { try one.adopt(archive) }
    var container = encoder.singleValueContainer()
    try container.encode(ids)
  }
}
