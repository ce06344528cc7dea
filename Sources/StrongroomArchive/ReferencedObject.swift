import Foundation

/// The object of one reference.
///
/// Retains it only until an archive does, so that objects that reference each other make no retain
/// cycle.
final class ReferencedObject {
  let id: UUID
  private(set) weak var archive: ObjectArchive?
  private var object: (any ArchivedObject)?

  init(_ id: UUID, _ archive: ObjectArchive?) {
    self.id = id
    self.archive = archive
  }

  init(_ object: Any) {
    guard let object = object as? any ArchivedObject else {
      fatalError(
        "a reference to a \(type(of: object)), which is no ArchivedObject; conform its class, or store the"
          + " value itself"
      )
    }
    id = object.id
    self.object = object
  }

  func adopt(_ archive: ObjectArchive?) throws {
    guard let archive, let object else { return }
    try archive.adopt(object)
    self.archive = archive
    self.object = nil
  }

  func load<Object>(_ type: Object.Type) throws -> Object {
    let loaded: any ArchivedObject
    if let object {
      loaded = object
    } else if let archive {
      loaded = try archive.object(id)
    } else {
      throw ArchiveError(
        .closed, "the archive of a reference was deallocated; retain it as long as its objects are used")
    }
    if let object = loaded as? Object { return object }
    throw ArchiveError(
      .wrongType,
      "a reference to \(type) has the identifier of a \(Swift.type(of: loaded)); another type stored the"
        + " reference"
    )
  }
}
