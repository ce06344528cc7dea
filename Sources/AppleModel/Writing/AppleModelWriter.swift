public import Foundation
import KeyedArchive
public import ObjectModel

/// Makes of a model the archive that Core Data would compile it to.
///
/// `AppleModel` reads it back as the same model, except for what is noted and what no archive has:
/// composites are called after their attributes.
public struct AppleModelWriter {
  /// The keyed archive: the contents of a `.mom`.
  public let archive: Data
  /// What the archive leaves out, one note each.
  public let notes: [AppleModelNote]

  /// Writes a model.
  ///
  /// - Throws: `AppleModelError` when it cannot be archived at all.
  public init(_ model: ManagedObjectModel) throws(AppleModelError) {
    var writer = ModelArchiveWriter(model)
    do {
      archive = try writer.write()
    } catch {
      throw AppleModelError(.unsupportedModel, "the model cannot be archived", cause: error)
    }
    notes = writer.notes
  }

  /// The archive as a store has it in `Z_MODELCACHE`: a raw DEFLATE stream.
  ///
  /// - Throws: `AppleModelError` when it cannot be compressed.
  public func modelCache() throws(AppleModelError) -> Data {
    do {
      return try Deflate.deflate(archive)
    } catch {
      throw AppleModelError(.unsupportedModel, "the model cannot be compressed", cause: error)
    }
  }
}
