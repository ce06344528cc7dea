import AppleModel
import Foundation
import KeyedArchive
import Testing

@Suite("Compiled model bundles")
struct CompiledModelBundleTests {
  @Test("the version that the bundle names is the current one, with its hashes")
  func current() throws {
    try Self.withBundle(current: "Shop 2") { folder in
      let bundle = try CompiledModelBundle(url: folder)
      #expect(
        bundle.versions.map(\.name) == ["Shop", "Shop 2", "Shop 10"] && bundle.current.name == "Shop 2")
      let model = try AppleModel(contentsOf: folder)
      #expect(model.declaration.entities.map(\.name) == ["Shop 2"])
      #expect(model.facts.versionHashes == ["Shop 2": Data([2])] && model.facts.versionChecksum == "sum")
      let other = try AppleModel(bundle.versions[0])
      #expect(other.declaration.entities.map(\.name) == ["Shop"] && other.facts.versionHashes.isEmpty)
      let single = try AppleModel(contentsOf: folder.appendingPathComponent("Shop 10.mom"))
      #expect(single.facts.entityNames == ["Shop 10"])
    }
  }

  @Test("optimized models, missing files and missing versions are refused with words")
  func refused() throws {
    func code(_ url: URL) -> AppleModelError.Code? {
      do {
        _ = try AppleModel(contentsOf: url)
        return nil
      } catch { return error.code }
    }
    try Self.withBundle(current: "Shop 3") { folder in
      #expect(code(folder) == .missingVersion)
      #expect(code(folder.appendingPathComponent("Shop.omo")) == .optimizedForm)
      #expect(code(folder.appendingPathComponent("Other.mom")) == .unreadable)
      try Data("momv2".utf8).write(to: folder.appendingPathComponent("Fake.mom"))
      #expect(code(folder.appendingPathComponent("Fake.mom")) == .optimizedForm)
      try Data("<?xml".utf8).write(to: folder.appendingPathComponent("VersionInfo.plist"))
      #expect(code(folder) == .damaged)
      let empty = folder.appendingPathComponent("Empty.momd")
      try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
      #expect(code(empty) == .unreadable)
    }
  }

  private static func withBundle(current: String, _ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).momd")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["Shop 10", "Shop", "Shop 2"] {
      var maker = ModelArchiveMaker()
      try maker.archive([maker.entity(name, [])]).write(to: folder.appendingPathComponent("\(name).mom"))
    }
    let information = PropertyListValue.dictionary([
      "NSManagedObjectModel_CurrentVersionName": .string(current),
      "NSManagedObjectModel_VersionHashes": .dictionary([
        "Shop 2": .dictionary(["Shop 2": .data(Data([2]))])
      ]),
      "NSManagedObjectModel_VersionChecksums": .dictionary(["Shop 2": .string("sum")]),
    ])
    try information.binaryPropertyList().write(to: folder.appendingPathComponent("VersionInfo.plist"))
    try body(folder)
  }
}
