public import Foundation

/// A Core Data model on disk: an `.xcdatamodeld` bundle with its versions, a single `.xcdatamodel`,
/// or bare `contents`.
public struct XCDataModelBundle: Sendable {
  /// One version of the model.
  public struct Version: Sendable, Hashable {
    /// The name, without its suffix.
    public let name: String
    /// The file with the XML.
    public let contents: URL
  }

  /// The versions, by name in natural order.
  public let versions: [Version]
  /// The version that `.xccurrentversion` names, else the only one, else the last.
  public let current: Version

  /// Looks a bundle through; reads no model yet.
  /// - Throws: `ModelError` when there is no model in it.
  public init(url: URL) throws(ModelError) {
    let versions = Self.versions(url)
    guard let last = versions.last else {
      let old = FileManager.default.fileExists(atPath: url.appendingPathComponent("elements").path)
      throw ModelError([
        ModelIssue(
          .unreadable,
          old
            ? "\(url.lastPathComponent) holds the editor's old binary format only; save it with a newer"
              + " editor"
            : "there is no model at \(url.lastPathComponent)")
      ])
    }
    self.versions = versions
    let named = Self.currentName(url)
    current = versions.first { $0.name == named } ?? last
  }

  private static func versions(_ url: URL) -> [Version] {
    let files = FileManager.default
    func version(_ folder: URL) -> Version? {
      let contents = folder.appendingPathComponent("contents")
      guard files.fileExists(atPath: contents.path) else { return nil }
      return Version(name: folder.deletingPathExtension().lastPathComponent, contents: contents)
    }
    if url.lastPathComponent == "contents" {
      return files.fileExists(atPath: url.path)
        ? [
          Version(
            name: url.deletingLastPathComponent().deletingPathExtension().lastPathComponent, contents: url)
        ] : []
    }
    if let single = version(url) { return [single] }
    let entries = (try? files.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
    return entries.filter { $0.pathExtension == "xcdatamodel" }.compactMap(version)
      .sorted { $0.name.compare($1.name, options: .numeric) == .orderedAscending }
  }

  private static func currentName(_ url: URL) -> String? {
    guard let data = try? Data(contentsOf: url.appendingPathComponent(".xccurrentversion")),
      let list = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
      let name = list["_XCCurrentVersionName"] as? String
    else { return nil }
    return URL(fileURLWithPath: name).deletingPathExtension().lastPathComponent
  }
}

/// A model that was read, and warnings about what was corrected or not understood.
public struct ModelLoadResult: Sendable {
  /// The model.
  public let model: ManagedObjectModel
  /// One line each; nothing is dropped in silence.
  public let warnings: [String]
}

extension ManagedObjectModel {
  /// Reads a model from an `.xcdatamodeld` (its current version), an `.xcdatamodel`, bare
  /// `contents`, or `.json`.
  /// - Throws: `ModelError` when it cannot be read or is wrong.
  public static func load(contentsOf url: URL) throws(ModelError) -> ModelLoadResult {
    if url.pathExtension == "json" {
      return ModelLoadResult(model: try ManagedObjectModel(jsonData: try read(url)), warnings: [])
    }
    return try load(XCDataModelBundle(url: url).current)
  }

  /// Reads one version of a bundle.
  /// - Throws: as `load(contentsOf:)`.
  public static func load(_ version: XCDataModelBundle.Version) throws(ModelError) -> ModelLoadResult {
    let (description, warnings) = try ModelDeclaration.read(xcdatamodelContents: read(version.contents))
    let model = try ManagedObjectModel(read: description)
    return ModelLoadResult(model: model, warnings: warnings + model.notActedOn)
  }

  private static func read(_ url: URL) throws(ModelError) -> Data {
    let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    if values?.isRegularFile == false {
      throw ModelError([ModelIssue(.unreadable, "\(url.lastPathComponent) is no file")])
    }
    if let size = values?.fileSize, size > XCDataModelReader.largestFile {
      throw ModelError([ModelIssue(.tooLarge, "\(url.lastPathComponent) is larger than 64 MiB")])
    }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw ModelError([ModelIssue(.unreadable, "\(url.lastPathComponent) cannot be read")], cause: error)
    }
  }
}

extension ManagedObjectModel {
  /// What the model says and the store does otherwise.
  fileprivate var notActedOn: [String] { plainDerivations + oddIndexes }

  private var oddIndexes: [String] {
    entities.flatMap { entity in
      entity.fetchIndexes.compactMap { index in
        if index.elements.contains(where: { $0.expression != nil }) {
          return
            "the index \(index.name) of \(entity.name) has an expression; it is stored, and makes no index"
        }
        guard case .plain = FetchIndexForm(index, of: entity) else { return nil }
        if index.elements.contains(where: \.isRTree) {
          return
            "the index \(index.name) of \(entity.name) is no R-tree of one to five numbers or dates; it"
            + " makes a plain index"
        }
        if index.elements.contains(where: \.isFullText) {
          return "the index \(index.name) of \(entity.name) is not of texts alone; it makes a plain index"
        }
        return nil
      }
    }
  }

  private var plainDerivations: [String] {
    underivable.map {
      "the derivation of \($0.entity.name).\($0.name) cannot be computed; the attribute is stored as a plain"
        + " one"
    }
  }
}

extension ModelDeclaration {
  /// Reads the XML of a model version, the file `contents`, and does not validate the model.
  ///
  /// - Returns: The declaration, and a warning for each thing in it that is not understood or
  ///   ignored.
  /// - Throws: `ModelError` when it is no XML of a model, or larger than 64 MiB.
  public static func read(
    xcdatamodelContents data: Data
  ) throws(ModelError) -> (description: ModelDeclaration, warnings: [String]) {
    let reader = XCDataModelReader()
    return (try reader.read(data), reader.warnings)
  }
}
