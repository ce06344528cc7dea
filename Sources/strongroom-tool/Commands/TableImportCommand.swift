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
    let (target, urls, most) = (
      keys.description(store, create: true), sources.map { URL(fileURLWithPath: $0) }, mostFaults
    )
    let given: ManagedObjectModel? = if let model { try await ModelSource.model(model, keys) } else { nil }
    let found = try await MaintenanceProgress.run { progress in
      let source = try TableSource(urls, model: given)
      var shown: [TableImportFault] = []
      let summary = try await source.importStore(
        into: target, fault: { if shown.count < most { shown.append($0) } }, progress: progress)
      return (summary: summary, faults: shown, notes: source.notes, model: source.model)
    }
    if json { return try printJSON(found.summary, found.faults, found.notes) }
    print("created \(store) from \(sources.joined(separator: ", "))")
    print("what opens it when its key is lost: strongroom key recovery show \(store); write that down")
    print(RowPrinter.objects(found.summary.objects))
    if given == nil { print("the model was inferred; strongroom model infer FILE… shows and writes it") }
    for note in found.notes { print("note: \(note)") }
    for fault in found.faults { print("fault: \(fault)") }
    let more = found.summary.faultCount - found.faults.count
    if more > 0 { print("and \(more) more faults; --faults prints all") }
    print(
      "objects \(found.summary.objectCount), links \(found.summary.linkCount),"
        + " faults \(found.summary.faultCount)")
  }

  private func printJSON(_ summary: TableImportSummary, _ faults: [TableImportFault], _ notes: [String])
    throws
  {
    let report = Report(
      objects: summary.objects, links: summary.linkCount,
      faultCounts: Dictionary(uniqueKeysWithValues: summary.faults.map { ($0.key.rawValue, $0.value) }),
      faults: faults.map {
        Report.Fault(
          kind: $0.kind.rawValue, table: $0.table, row: $0.row, column: $0.column, message: $0.message)
      }, notes: notes)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
  }

  private struct Report: Encodable {
    struct Fault: Encodable {
      let kind: String
      let table: String
      let row: Int64?
      let column: String?
      let message: String
    }
    let objects: [String: Int]
    let links: Int
    let faultCounts: [String: Int]
    let faults: [Fault]
    let notes: [String]
  }
}
