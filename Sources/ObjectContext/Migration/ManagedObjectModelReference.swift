public import Foundation
public import ObjectModel
import StoreContract

/// A version of a model, by its checksum: the model itself, or where to read it when it is needed.
public struct ManagedObjectModelReference: Sendable {
  private enum Origin: Sendable {
    case model(ManagedObjectModel)
    case file(URL)
    case hashes([String: Data], URL)
  }

  /// `ManagedObjectModel.versionChecksum` of the version.
  public let versionChecksum: String
  private let origin: Origin

  /// Refers to a model that is at hand.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - versionChecksum: What its checksum must be, so that a change of a version that is in use is
  ///     noticed; nil for whatever it is.
  public init(model: ManagedObjectModel, versionChecksum: String? = nil) {
    origin = .model(model)
    self.versionChecksum = versionChecksum ?? model.versionChecksum
  }

  /// Refers to a model file of one version: `.xcdatamodel`, `contents` or `.json`.
  public init(fileURL: URL, versionChecksum: String) {
    origin = .file(fileURL)
    self.versionChecksum = versionChecksum
  }

  /// Refers to the version of an `.xcdatamodeld` whose entities have certain version hashes.
  public init(entityVersionHashes: [String: Data], in bundle: URL, versionChecksum: String) {
    origin = .hashes(entityVersionHashes, bundle)
    self.versionChecksum = versionChecksum
  }

  /// The model; read at each call.
  /// - Throws: `ModelError` when it cannot be read; `StoreError` with code `unknownModelVersion` when
  ///   it has another checksum, or no version has the hashes.
  public var resolvedModel: ManagedObjectModel {
    get throws {
      let model: ManagedObjectModel?
      switch origin {
      case .model(let own): model = own
      case .file(let url): model = try ManagedObjectModel.load(contentsOf: url).model
      case .hashes(let hashes, let url):
        model = try XCDataModelBundle(url: url).versions.lazy.map { try ManagedObjectModel.load($0).model }
          .first { $0.entityVersionHashesByName == hashes }
      }
      guard let model else {
        throw StoreError(
          .unknownModelVersion, "no version of the model has the entity version hashes that are asked for")
      }
      guard model.versionChecksum == versionChecksum else {
        throw StoreError(
          .unknownModelVersion,
          "a version of the model has the checksum \(model.versionChecksum) and not \(versionChecksum): it"
            + " was changed after stores were made with it; restore it, and make the change a new version")
      }
      return model
    }
  }
}
