import AppleStore
import ArgumentParser
import Foundation
import SQLCipherStore
import Strongroom
import TableImport

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Creates a store from one of Core Data or SwiftData, a SQLite database, CSV or JSON lines.",
    discussion: """
      The files are not changed. A store of Core Data has its model in it; only those of before 2015 need \
      --model. The new store has every object under its key, with values, links, orders and files of \
      external storage. The history of changes is not taken over.

      The model of any other SQLite database, and of CSV and JSON lines, is inferred: `strongroom model \
      infer` shows it and writes it, and --model takes it back once you corrected it. Several files of CSV \
      or JSON lines are a table each, and a column such as author_id refers to the file of authors where \
      all its values are there.

      A column that no property of the model takes is left out, and a note says so; a file that no entity \
      takes is an error, and nothing is made. A value that breaks a rule of its attribute (a least or \
      greatest value, a length, a regular expression) comes in and is listed as a fault, as is a mandatory \
      value that is null; how many objects a relationship must have is not looked at.

      Files that strongroom export wrote are tables as any other: their relationships and bytes come in as \
      the numbers and texts that they are there. A store comes back by strongroom backup, or by import of \
      what strongroom export --apple wrote.

      With --model and no file, the store is empty. The exit code is 0 once the store is made, whatever \
      faults are listed, and 1 where none is made.

      Examples:
        strongroom import library.store Library.sqlite
        strongroom import --vault file:my.key library.store books.csv authors.csv
        strongroom import library.store legacy.db --model Legacy.json
        strongroom import library.store --model Library.xcdatamodeld
      """)

  @Argument(help: "The store to create.", completion: .file()) var store: String
  @Argument(
    help: "The store or database, or the files of CSV or JSON lines; none for an empty store of --model.",
    completion: .file())
  var sources: [String] = []
  @OptionGroup var keys: KeyArguments
  @Option(
    help: "The model: of a store that has none in it, of an empty one, or an inferred one, corrected.",
    completion: .file())
  var model: String?
  @Flag(help: "Print every fault, not only the first ten.") var faults = false
  @Flag(help: "Print the result as JSON.") var json = false

  private static let mostFaults = 10

  func validate() throws {
    if sources.isEmpty, model == nil {
      throw ValidationError("name the files to import, or with --model the model of an empty store")
    }
  }

  func run() async throws {
    if sources.isEmpty, let model { return try await makeEmpty(model) }
    guard sources.count == 1, let source = sources.first else { return try await importTables() }
    switch TableFormat.of(URL(fileURLWithPath: source)) {
    case .csv, .jsonLines: return try await importTables()
    case .sqlite, nil: break
    }
    do {
      try await importAppleStore(source)
    } catch let error as AppleStoreError where error.code == .notAStore {
      try await importTables()
    }
  }

  private func makeEmpty(_ model: String) async throws {
    let target = try keys.file(store, create: true, otherwise: "make a file, and move that there")
    try await SQLCipherStore.create(target, ModelSource.model(model, keys), contents: { _ in })
    let report = ImportReport(objects: [:], links: 0, faultCounts: [:], faults: [], notes: [])
    let heading = "created \(store), empty, with the model \(model)"
    if json { return try report.printJSON(heading) }
    report.printText(heading, recovery: keys.recoveryNote(store), faults: [], remarks: [])
  }

  private func importTables() async throws {
    let command = TableImportCommand(
      store: store, sources: sources, model: model, mostFaults: faults ? .max : Self.mostFaults, json: json)
    try await command.run(keys)
  }

  private func importAppleStore(_ path: String) async throws {
    let target = try keys.file(store, create: true, otherwise: "import into a file, and move that there")
    let mostShown = faults ? Int.max : Self.mostFaults
    let (models, url) = (try await GivenModel.load(model, keys), URL(fileURLWithPath: path))
    let found = try await MaintenanceProgress.run { progress in
      let source = try AppleStore(url: url, models: models)
      var shown: [AppleStoreFault] = []
      let summary = try await source.importStore(
        into: target, fault: { if shown.count < mostShown { shown.append($0) } }, progress: progress)
      return (summary: summary, faults: shown, notes: source.notes, metadata: source.metadata)
    }
    let report = ImportReport(
      objects: found.summary.objects, links: found.summary.linkCount,
      faultCounts: Dictionary(uniqueKeysWithValues: found.summary.faults.map { ($0.key.rawValue, $0.value) }),
      faults: found.faults.map {
        ImportReport.Fault(
          kind: $0.kind.rawValue, entity: $0.entity, key: $0.key, property: $0.property, message: $0.message)
      }, notes: found.notes, droppedHistory: found.summary.droppedHistoryCount)
    let writer = found.metadata.frameworkVersion.map { " of framework \($0)" } ?? ""
    let heading = "created \(store) from \(path), a store\(writer)"
    if json { return try report.printJSON(heading) }
    var remarks: [String] = []
    if found.summary.droppedHistoryCount > 0 {
      remarks.append(
        "not taken over: \(found.summary.droppedHistoryCount.counted("change")) of the history")
    }
    if found.summary.objectCount == 0 {
      remarks.append(
        "warning: there are no objects; were the log (NAME-wal) and .NAME_SUPPORT copied with the file?")
    }
    report.printText(
      heading, recovery: keys.recoveryNote(store),
      faults: found.faults.map { "\($0)" },
      remarks: remarks)
  }
}
