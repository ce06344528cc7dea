import AppleModel
import Foundation
import KeyedArchive
import ObjectModel

/// What libFuzzer calls with each input it makes up.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  if let bytes { ArchiveFuzzer.drive(Data(bytes: bytes, count: count)) }
  return 0
}

/// What libFuzzer makes up, read as a property list, a keyed archive and a model.
///
/// Whatever is read must come back the same when it is written and read again.
enum ArchiveFuzzer {
  static func drive(_ data: Data) {
    _ = try? Deflate.inflate(data, limit: 1 << 20)
    guard let list = try? PropertyListValue(binaryPropertyList: data) else { return }
    rewrite(list)
    guard let archive = try? KeyedArchive(data) else { return }
    if let value = try? FoundationValue(archive.root) { rewrite(value) }
    if let predicate = try? ArchivedPredicate(archive.root) { _ = predicate.formatText }
    if let model = try? AppleModel(archive: data) { rewrite(model) }
  }

  /// Compares bytes, since a number that is none is equal to no other.
  private static func rewrite(_ list: PropertyListValue) {
    guard let written = try? list.binaryPropertyList(),
      let again = try? PropertyListValue(binaryPropertyList: written).binaryPropertyList(), again == written
    else { fatalError("a written property list cannot be read again") }
  }

  private static func rewrite(_ value: FoundationValue) {
    var writer = KeyedArchiveWriter()
    // Objects of unknown classes cannot be written.
    guard let root = try? writer.add(value), let written = try? writer.data(root: root) else { return }
    guard let again = try? FoundationValue(KeyedArchive(written).root) else {
      fatalError("a written value cannot be read again")
    }
    guard "\(again)" == "\(value)" else { fatalError("a value changed when it was written") }
  }

  private static func rewrite(_ model: AppleModel) {
    // A checked model lives as long as its process, so the leak check has none.
    guard ProcessInfo.processInfo.environment["FUZZ_LEAKS"] == nil,
      let loaded = try? model.managedObjectModel(), let written = try? AppleModelWriter(loaded)
    else { return }
    guard let again = try? AppleModel(archive: written.archive) else {
      fatalError("a written model cannot be read again")
    }
    let names = model.declaration.entities.map(\.name)
    guard again.declaration.entities.map(\.name) == names else {
      fatalError("a model changed when it was written")
    }
  }
}
