public import Foundation
import KeyedArchive
public import ObjectModel

/// A model that Core Data or SwiftData archived: in a store's `Z_MODELCACHE`, or compiled into a `.mom`.
public struct AppleModel: Sendable {
  /// What the model says, not validated yet.
  ///
  /// Entities and their properties are sorted by name, since an archive has no order of its own;
  /// elements of composites are in the order of the archive. Composites have no names in an archive:
  /// they are called after the entity and the attribute.
  public let declaration: ModelDeclaration
  /// What is said of the storage of its objects.
  public let facts: AppleModelFacts
  /// What is not taken over, one note each.
  public let notes: [AppleModelNote]

  /// Reads a keyed archive of an `NSManagedObjectModel`: the contents of a `.mom`.
  ///
  /// - Throws: `AppleModelError` when it is none or is damaged.
  public init(archive data: Data) throws(AppleModelError) {
    try self.init(archive: data, versionHashes: [:], versionChecksum: nil)
  }

  /// Reads the contents of `Z_MODELCACHE`: the archive as a raw DEFLATE stream.
  ///
  /// - Throws: `AppleModelError` when it is none or is damaged.
  public init(modelCache data: Data) throws(AppleModelError) {
    let archive: Data
    do {
      archive = try Deflate.inflate(data)
    } catch {
      throw AppleModelError(
        .damaged, "the store's model cannot be decompressed; give the model file as well", cause: error)
    }
    try self.init(archive: archive)
  }

  init(
    archive data: Data, versionHashes: [String: Data], versionChecksum: String?
  ) throws(AppleModelError) {
    if data.starts(with: Array("momv2".utf8)) {
      throw AppleModelError(
        .optimizedForm, "this is an optimized model (.omo), which is no archive; use the .mom beside it")
    }
    do {
      guard let root = try KeyedArchive(data).root.object, root.isKind(of: "NSManagedObjectModel") else {
        throw AppleModelError(.notModel, "this is an archive of something else than a model; use a .mom")
      }
      var reader = ModelArchiveReader()
      declaration = try reader.read(root)
      var facts = reader.facts
      facts.versionHashes = versionHashes
      facts.versionChecksum = versionChecksum
      self.facts = facts
      notes = reader.notes
    } catch let error as KeyedArchiveError {
      let isOther = error.code == .notPropertyList || error.code == .notKeyedArchive
      throw AppleModelError(
        isOther ? .notModel : .damaged,
        isOther ? "this is no archive of a model; use a .mom" : "the archived model cannot be read",
        cause: error)
    } catch let error as AppleModelError {
      throw error
    } catch {
      throw AppleModelError(.damaged, "the archived model cannot be read", cause: error)
    }
  }

  /// The model, validated; a derived attribute that cannot be computed is a plain one in it.
  ///
  /// - Throws: `ModelError` with all that is wrong.
  public func managedObjectModel() throws(ModelError) -> ManagedObjectModel {
    try ManagedObjectModel(read: declaration)
  }
}
