import Foundation
import Strongroom
import TableImport

/// What `strongroom import` does with anything but a store of Core Data's.
struct TableImportCommand: Sendable {
  let store: String
  let sources: [String]
  let model: String?
  let mostFaults: Int
  let json: Bool

  func run(_ keys: KeyArguments) async throws {
    let target = try keys.file(store, create: true, otherwise: "import into a file, and move that there")
    let (urls, most) = (sources.map { URL(fileURLWithPath: $0) }, mostFaults)
    let given: ManagedObjectModel? = if let model { try await ModelSource.model(model, keys) } else { nil }
    let exportNote = ExportedFiles.note(urls)
    let found = try await MaintenanceProgress.run { progress in
      let source: TableSource
      do { source = try TableSource(urls, model: given) } catch let error as TableImportError {
        guard let exportNote else { throw error }
        throw ToolFailure("\(error.message); \(exportNote) (\(error.code))")
      }
      var shown: [TableImportFault] = []
      let summary = try await source.importStore(
        into: target, fault: { if shown.count < most { shown.append($0) } }, progress: progress)
      return (summary: summary, faults: shown, notes: source.notes, model: source.model)
    }
    let report = ImportReport(
      objects: found.summary.objects, links: found.summary.linkCount,
      faultCounts: Dictionary(uniqueKeysWithValues: found.summary.faults.map { ($0.key.rawValue, $0.value) }),
      faults: found.faults.map {
        ImportReport.Fault(
          kind: $0.kind.rawValue, table: $0.table, row: $0.row, column: $0.column, message: $0.message)
      }, notes: found.notes + [exportNote].compactMap { $0 })
    let heading = "created \(store) from \(sources.joined(separator: ", "))"
    if json { return try report.printJSON(heading) }
    report.printText(
      heading, recovery: keys.recoveryNote(store),
      faults: found.faults.map { "\($0)" },
      remarks: given == nil
        ? ["the model was inferred; strongroom model infer FILE… shows and writes it"] : [])
  }
}
