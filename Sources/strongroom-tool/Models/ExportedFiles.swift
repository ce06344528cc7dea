import Foundation
import Strongroom
import TableImport

/// Files that `strongroom export` wrote, given to be imported.
enum ExportedFiles {
  /// What does not come back by them, and what brings a store back; nil for other files.
  static func note(_ files: [URL]) -> String? {
    guard !files.isEmpty, files.allSatisfy(isExported) else { return nil }
    return "these files are an export, which is one way: its relationships and bytes come in as the numbers"
      + " and texts that they are there; what brings a store back is strongroom backup, or strongroom import"
      + " of what strongroom export --apple wrote"
  }

  /// Whether a file has the name of an entity of the model beside it, and its objects their numbers.
  private static func isExported(_ file: URL) -> Bool {
    let model = file.deletingLastPathComponent().appendingPathComponent("model.json")
    // What is no regular file has no format, and is not waited for.
    guard TableFormat.of(file) != nil, let declared = try? Data(contentsOf: model),
      let entities = try? ManagedObjectModel(jsonData: declared).entities,
      entities.contains(where: { $0.name == file.deletingPathExtension().lastPathComponent }),
      let head = try? FileHandle(forReadingFrom: file).read(upToCount: 4096) ?? Data()
    else { return false }
    return head.isEmpty || head.range(of: Data("_id".utf8)) != nil
  }
}
