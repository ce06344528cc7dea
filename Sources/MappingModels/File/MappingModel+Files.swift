public import Foundation
public import ObjectModel

extension MappingModel {
  /// Reads an `.xcmappingmodel` of Xcode, its `xcmapping.xml`, or the `.cdm` that Xcode compiles.
  ///
  /// What the editor left behind and nothing refers to is left out.
  /// - Throws: `MappingModelError`: `unreadable`, `notMappingModel`, `damaged`.
  public init(contentsOf url: URL) throws(MappingModelError) {
    let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    let data = try Self.read(isFolder ? url.appendingPathComponent("xcmapping.xml") : url)
    try self.init(data)
  }

  /// Reads the contents of an `xcmapping.xml` or of a `.cdm`.
  /// - Throws: `MappingModelError`: `notMappingModel`, `damaged`.
  public init(_ data: Data) throws(MappingModelError) {
    if data.starts(with: Data("bplist".utf8)) {
      self = try CompiledMappingModel.read(data)
    } else {
      self = try MappingModelReader(MappingModelDocument(data)).read()
    }
  }

  private static func read(_ url: URL) throws(MappingModelError) -> Data {
    let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    guard values?.isRegularFile == true else {
      throw MappingModelError(.unreadable, "there is no mapping model at \(url.path); check the path")
    }
    guard values?.fileSize ?? 0 <= MappingModelDocument.largestFile else {
      throw MappingModelError(.unreadable, "the mapping model is larger than 64 MiB; check the path")
    }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw MappingModelError(
        .unreadable, "\(url.lastPathComponent) cannot be read; check its permissions", cause: error)
    }
  }

  /// The mapping model as an `xcmapping.xml`, which Xcode and `init(_:)` read.
  ///
  /// It has no place for `userInfo`, mapping types, version hashes and source expressions, which
  /// Xcode fills in when it compiles.
  /// - Throws: `MappingModelError` with code `unsupportedExpression` for what cannot be archived.
  public func xcmappingContents() throws(MappingModelError) -> Data {
    var writer = MappingModelWriter(self)
    return try writer.data()
  }

  /// Writes the mapping model as an `.xcmappingmodel` bundle.
  /// - Parameter url: The bundle to make; its `xcmapping.xml` is replaced.
  /// - Throws: `MappingModelError`: `unsupportedExpression`, `unreadable` when it cannot be written.
  public func write(xcmappingmodel url: URL) throws(MappingModelError) {
    let data = try xcmappingContents()
    do {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      try data.write(to: url.appendingPathComponent("xcmapping.xml"), options: .atomic)
    } catch {
      throw MappingModelError(
        .unreadable, "\(url.lastPathComponent) cannot be written; check the folder", cause: error)
    }
  }

  /// The mapping model as Xcode compiles it for two versions of a model: the contents of a `.cdm`.
  ///
  /// Version hashes are left as they are: those of Core Data are not known here.
  /// - Throws: `MappingModelError`: `modelMismatch`, `unsupportedExpression`.
  public func compiled(
    from source: ManagedObjectModel, to destination: ManagedObjectModel
  ) throws(MappingModelError) -> Data {
    try CompiledMappingModel.data(generatingExpressions(from: source, to: destination))
  }
}
