import Foundation
import Strongroom
import Testing

@Suite("References to versions of a model")
struct ModelReferenceTests {
  @Test("a model, a file and a version of a bundle by its entities' hashes, with the checksum compared")
  func resolved() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "reference-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
    var models: [ManagedObjectModel] = []
    for number in 1...2 {
      let contents = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
          <entity name="Item" syncable="YES">
            <attribute name="name\(number)" optional="YES" attributeType="String"/>
          </entity>
        </model>
        """
      let version = bundle.appendingPathComponent("Shop \(number).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(contents.utf8).write(to: version.appendingPathComponent("contents"))
      models.append(try ManagedObjectModel.load(contentsOf: version).model)
    }
    let checksum = models[0].versionChecksum
    #expect(try ManagedObjectModelReference(model: models[0]).resolvedModel == models[0])
    let file = bundle.appendingPathComponent("Shop 1.xcdatamodel")
    #expect(
      try ManagedObjectModelReference(fileURL: file, versionChecksum: checksum).resolvedModel == models[0])
    let hashes = models[0].entityVersionHashesByName
    let byHashes = ManagedObjectModelReference(
      entityVersionHashes: hashes, in: bundle, versionChecksum: checksum)
    #expect(try byHashes.resolvedModel == models[0])
    for wrong in [
      ManagedObjectModelReference(fileURL: file, versionChecksum: models[1].versionChecksum),
      ManagedObjectModelReference(entityVersionHashes: [:], in: bundle, versionChecksum: checksum),
    ] {
      do {
        _ = try wrong.resolvedModel
        Issue.record("it was resolved")
      } catch let error as StoreError {
        #expect(error.code == .unknownModelVersion)
      }
    }
    let missing = ManagedObjectModelReference(
      fileURL: folder.appendingPathComponent("none.xcdatamodel"), versionChecksum: checksum)
    #expect(throws: ModelError.self) { try missing.resolvedModel }
  }
}
