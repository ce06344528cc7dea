public import Foundation
import KeyedArchive

/// A compiled model on disk: a `.momd` folder with its versions, or a single `.mom`.
public struct CompiledModelBundle: Sendable {
  /// One version of the model.
  public struct Version: Sendable, Hashable {
    /// The name, without its suffix.
    public let name: String
    /// The file.
    public let url: URL
    /// Core Data's version hashes by entity, where `VersionInfo.plist` has them.
    public let versionHashes: [String: Data]
    /// Core Data's checksum of the version, where `VersionInfo.plist` has it.
    public let versionChecksum: String?
  }

  /// The versions, by name in natural order.
  public let versions: [Version]
  /// The version that `VersionInfo.plist` names, else the only one, else the last.
  public let current: Version

  private static let largestFile = 256 << 20

  /// Looks a bundle through; reads no model yet.
  ///
  /// - Throws: `AppleModelError` when there is no model in it.
  public init(url: URL) throws(AppleModelError) {
    if url.pathExtension == "omo" {
      throw AppleModelError(
        .optimizedForm,
        "\(url.lastPathComponent) is an optimized model, which is no archive; use the .mom beside it")
    }
    let isFolder = (try? url.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true
    let information = isFolder ? try Self.information(url) : nil
    let files = isFolder ? Self.files(url) : [url]
    versions = files.map { file in
      let name = Self.name(file)
      return Version(
        name: name, url: file, versionHashes: Self.hashes(information, name),
        versionChecksum: Self.checksum(information, name))
    }
    guard let last = versions.last else {
      throw AppleModelError(
        .unreadable, "there is no .mom in \(url.lastPathComponent); compile the model again")
    }
    guard case .string(let name)? = information?["NSManagedObjectModel_CurrentVersionName"] else {
      current = last
      return
    }
    guard let named = versions.first(where: { $0.name == name }) else {
      throw AppleModelError(
        .missingVersion,
        "\(url.lastPathComponent) has no \(name).mom, which it calls its current version;"
          + " compile the model again")
    }
    current = named
  }

  private static func files(_ folder: URL) -> [URL] {
    let entries =
      (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    return entries.filter { $0.pathExtension == "mom" }.sorted {
      name($0).compare(name($1), options: .numeric) == .orderedAscending
    }
  }

  private static func name(_ file: URL) -> String { file.deletingPathExtension().lastPathComponent }

  private static func information(_ folder: URL) throws(AppleModelError) -> PropertyListValue? {
    let file = folder.appendingPathComponent("VersionInfo.plist")
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    do {
      return try PropertyListValue(binaryPropertyList: read(file))
    } catch let error as AppleModelError {
      throw error
    } catch {
      throw AppleModelError(
        .damaged, "\(file.lastPathComponent) cannot be read; compile the model again", cause: error)
    }
  }

  private static func hashes(_ information: PropertyListValue?, _ name: String) -> [String: Data] {
    guard case .dictionary(let hashes)? = information?["NSManagedObjectModel_VersionHashes"]?[name] else {
      return [:]
    }
    return hashes.compactMapValues { value in
      if case .data(let data) = value { return data }
      return nil
    }
  }

  private static func checksum(_ information: PropertyListValue?, _ name: String) -> String? {
    if case .string(let text)? = information?["NSManagedObjectModel_VersionChecksums"]?[name] { return text }
    return nil
  }

  fileprivate static func read(_ url: URL) throws(AppleModelError) -> Data {
    let values = try? url.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey, .fileSizeKey])
    guard values?.isRegularFile == true else {
      throw AppleModelError(.unreadable, "\(url.lastPathComponent) is no file; check the path")
    }
    if let size = values?.fileSize, size > largestFile {
      throw AppleModelError(.unreadable, "\(url.lastPathComponent) is larger than 256 MiB; check the path")
    }
    do {
      return try Data(contentsOf: url)
    } catch {
      throw AppleModelError(
        .unreadable, "\(url.lastPathComponent) cannot be read; check its permissions", cause: error)
    }
  }
}

extension AppleModel {
  /// Reads a `.mom`, or the current version of a `.momd`.
  ///
  /// - Throws: `AppleModelError` when it cannot be read or is no model.
  public init(contentsOf url: URL) throws(AppleModelError) {
    try self.init(CompiledModelBundle(url: url).current)
  }

  /// Reads one version of a compiled model.
  ///
  /// - Throws: as `init(contentsOf:)` does.
  public init(_ version: CompiledModelBundle.Version) throws(AppleModelError) {
    try self.init(
      archive: CompiledModelBundle.read(version.url), versionHashes: version.versionHashes,
      versionChecksum: version.versionChecksum)
  }
}
