import Foundation
import Strongroom

/// What an import brought along, as text or JSON.
struct ImportReport: Encodable {
  struct Fault: Encodable {
    let kind: String
    var entity: String?
    var key: Int64?
    var property: String?
    var table: String?
    var row: Int64?
    var column: String?
    let message: String
  }

  let objects: [String: Int]
  let links: Int
  let faultCounts: [String: Int]
  let faults: [Fault]
  let notes: [String]
  var droppedHistory: Int?

  /// - `heading`: What was created from what.
  func printJSON(_ heading: String) throws {
    Terminal.done(heading, isPrinted: false)
    print(try JSONText.of(self))
  }

  /// - Parameters:
  ///   - heading: What was created from what.
  ///   - recovery: Says how to see the recovery code.
  ///   - faultTexts: The faults to show, a line each.
  ///   - remarks: What else there is to say.
  func printText(_ heading: String, recovery: String, faults faultTexts: [String], remarks: [String]) {
    Terminal.done(heading)
    print(recovery)
    print(RowPrinter.objects(objects))
    for note in notes { print("note: \(RowPrinter.harmless(note[...]))") }
    for fault in faultTexts { print("fault: \(RowPrinter.harmless(fault[...]))") }
    let count = faultCounts.values.reduce(0, +)
    let more = count - faultTexts.count
    if more > 0 { print("and \(more.counted("more fault")); --faults prints all") }
    for remark in remarks { print(remark) }
    print("objects \(objects.values.reduce(0, +)), links \(links), faults \(count)")
  }
}
