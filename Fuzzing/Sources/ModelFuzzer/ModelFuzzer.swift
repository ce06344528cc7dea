import Foundation
import Strongroom

/// What libFuzzer calls with each input it makes up.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  if let bytes { ModelFuzzer.drive(Data(bytes: bytes, count: count)) }
  return 0
}

/// What libFuzzer makes up, read as a model: as JSON when it begins like it, else as XML.
///
/// Whatever loads must come back equal from both ways of writing it.
enum ModelFuzzer {
  // A checked model lives as long as its process, which the leak check would report: then only
  // descriptions are made.
  private static let buildsModels = ProcessInfo.processInfo.environment["FUZZ_LEAKS"] == nil

  static func drive(_ data: Data) {
    guard let description = read(data) else { return }
    guard buildsModels, let model = try? ManagedObjectModel(description) else { return }
    _ = SwiftGenerator(model).source
    _ = ModelDiagram(model).mermaid
  }

  private static func read(_ data: Data) -> ModelDeclaration? {
    if data.first == UInt8(ascii: "{") {
      return try? JSONDecoder().decode(ModelDeclaration.self, from: data)
    }
    guard let (description, _) = try? ModelDeclaration.read(xcdatamodelContents: data) else { return nil }
    do {
      let written = try ModelDeclaration.read(xcdatamodelContents: description.xcdatamodelContents())
      try expect(written.description, description, "XML")
      let json = try JSONDecoder().decode(ModelDeclaration.self, from: JSONEncoder().encode(description))
      try expect(json, description, "JSON")
    } catch {
      fatalError("a written model cannot be read: \(error)")
    }
    return description
  }

  private static func expect(
    _ written: ModelDeclaration, _ original: ModelDeclaration, _ format: String
  ) throws {
    guard written != original else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    let lines = try [written, original].map {
      String(decoding: try encoder.encode($0), as: UTF8.self).split(separator: "\n")
    }
    let place = zip(lines[0], lines[1]).first { $0 != $1 }
    fatalError("written as \(format), a model changed: \(place?.1 ?? "") became \(place?.0 ?? "")")
  }
}
