import CipherDatabase
public import Foundation
public import ObjectModel
public import SQLCipherStore
public import StoreContract

/// Tables of other programs, read to make an encrypted store of them: a SQLite database, or files of
/// CSV and of JSON lines.
///
/// The files and their folders are not changed. Not Sendable.
public final class TableSource {
  /// The model: the one given, or the one inferred.
  ///
  /// Its user info says which table, column or foreign key each part is of, so that a copy of it may
  /// be corrected and given back: renamed, retyped, with parts taken out.
  public let model: ManagedObjectModel
  /// What is left out of the model or of the tables, and what was assumed; one sentence each.
  public let notes: [String]
  private let files: [URL]
  private let catalogue: SourceCatalogue
  private let plan: ImportPlan

  /// Opens files and infers their model.
  ///
  /// Reads each file once; a database twice at most. Lines of text files are put into a temporary
  /// file without a name, so memory does not grow with them.
  /// - Parameters:
  ///   - urls: One SQLite database, or files of CSV (the first line has the names of the columns) or
  ///     JSON lines, of which each is a table.
  ///   - model: An inferred model that was corrected; nil to infer it.
  ///   - scratch: A folder for the copy of a database with a log; the system's unless given.
  /// - Throws: `TableImportError`; `ModelError`; `StoreError` `cancelled`.
  public init(_ urls: [URL], model: ManagedObjectModel? = nil, scratch: URL? = nil) throws {
    files = urls.map { $0.resolvingSymlinksInPath() }
    let folder = (scratch ?? FileManager.default.temporaryDirectory).path
    let path = files.map(\.path).joined(separator: ", ")
    let files = self.files
    (catalogue, self.model, plan, notes) = try TableImportError.translating(path) {
      var catalogue = try Self.catalogue(files, scratch: folder, profiling: model == nil)
      var notes: [String] = []
      let used: ManagedObjectModel
      if let model {
        used = model
      } else {
        if files.count > 1 { catalogue = try ReferenceSearch(catalogue).catalogue }
        let inference = try ModelInference(catalogue)
        used = try inference.model()
        notes = inference.notes
      }
      let plan = try ImportPlan(used, catalogue.tables)
      let unused = try UnusedParts(plan, catalogue.tables)
      return (catalogue, used, plan, catalogue.notes + notes + plan.notes + unused.notes)
    }
  }

  private static func catalogue(_ files: [URL], scratch: String, profiling: Bool) throws -> SourceCatalogue {
    let formats = try files.map(format)
    if formats == [.sqlite] {
      return try SQLiteCatalogue(
        PlainDatabase(path: files[0].path, scratch: scratch), profiling: profiling
      ).catalogue
    }
    guard !formats.contains(.sqlite), !files.isEmpty else {
      throw TableImportError(
        .unknownFormat, "name one SQLite database, or one or several files of CSV or JSON lines")
    }
    var catalogue = SourceCatalogue(try PlainDatabase())
    try catalogue.database.execute("BEGIN")
    for (number, (file, format)) in zip(files, formats).enumerated() {
      let table =
        format == .csv
        ? try read(CSVStaging(file, number: number, catalogue.database), &catalogue)
        : try read(JSONLinesStaging(file, number: number, catalogue.database), &catalogue)
      guard catalogue.index(of: table.name) == nil else {
        throw TableImportError(.wrongModel, "two files have the name \(table.name); rename one")
      }
      catalogue.tables.append(table)
    }
    try catalogue.database.execute("COMMIT")
    return catalogue
  }

  private static func read(_ staging: CSVStaging, _ catalogue: inout SourceCatalogue) throws -> SourceTable {
    var staging = staging
    return try staging.run { catalogue.add($0) }
  }

  private static func read(_ staging: JSONLinesStaging, _ catalogue: inout SourceCatalogue) throws
    -> SourceTable
  {
    var staging = staging
    return try staging.run { catalogue.add($0) }
  }

  private static func format(_ url: URL) throws -> TableFormat {
    if let format = TableFormat.of(url) { return format }
    // Says what is wrong with a file that cannot be read at all.
    _ = try TextFile(url)
    throw TableImportError(
      .unknownFormat,
      "\(url.path) is no SQLite database, no CSV and no JSON lines, or is encrypted; check the"
        + " path and its extension")
  }

  /// Makes an encrypted store of the tables.
  ///
  /// The new store has its name once it is whole. Objects have the numbers of their rows. Memory
  /// does not grow with the number of rows. Cancelling the task stops the import.
  /// - Parameters:
  ///   - description: Where the new store is to be, and who gets its key.
  ///   - fault: Called with each line, value and reference that does not fit the model.
  ///   - progress: Called now and then with the number of rows done.
  /// - Returns: What was brought along.
  /// - Throws: `TableImportError`; `busy` where another program wrote to a database meanwhile;
  ///   `StoreError` and the vaults' errors for the new store, `cancelled` among them. There is then
  ///   no new store.
  public func importStore(
    into description: PersistentStoreDescription, fault: @escaping (TableImportFault) -> Void = { _ in },
    progress: @escaping (StoreProgress) -> Void = { _ in }
  ) async throws -> TableImportSummary {
    var summary = TableImportSummary()
    try await SQLCipherStore.create(description, model) { [self] filler in
      summary = try TableImportError.translating(files.map(\.path).joined(separator: ", ")) {
        let writer = try TableImportWriter(catalogue, plan, filler, fault: fault, progress: progress)
        try writer.write()
        try catalogue.database.checkUnchanged()
        return writer.summary
      }
    }
    return summary
  }
}
