import Foundation
import PackagePlugin

/// Generates Swift classes for the Core Data models in a target's folder during the build.
@main
struct ModelClasses: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: Target) throws -> [Command] {
    guard let target = target as? any SourceModuleTarget else { return [] }
    let tool = try context.tool(named: "model-classes").url
    return models(in: target.directoryURL).map { model in
      let name = model.deletingPathExtension().lastPathComponent
      let output = context.pluginWorkDirectoryURL.appending(path: "\(name)+Classes.swift")
      return .buildCommand(
        displayName: "Generating Swift classes for \(model.lastPathComponent)", executable: tool,
        arguments: [
          model.path(percentEncoded: false),
          output.path(percentEncoded: false),
        ],
        inputFiles: files(in: model), outputFiles: [output])
    }
  }

  private func models(in folder: URL) -> [URL] {
    guard let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil) else {
      return []
    }
    var models: [URL] = []
    for case let url as URL in all where ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) {
      models.append(url)
      all.skipDescendants()
    }
    return models.sorted { $0.path < $1.path }
  }

  private func files(in model: URL) -> [URL] {
    let all = FileManager.default.enumerator(at: model, includingPropertiesForKeys: [.isRegularFileKey])
    var files: [URL] = []
    while let url = all?.nextObject() as? URL {
      if (try? url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true { files.append(url) }
    }
    return files.sorted { $0.path < $1.path }
  }
}
