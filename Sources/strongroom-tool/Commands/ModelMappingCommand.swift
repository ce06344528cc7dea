import ArgumentParser
import Foundation
import MappingModels
import Strongroom

extension ModelCommand {
  struct Mapping: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "mapping",
      abstract: "Says what a mapping model does, or writes one to start from.",
      discussion: """
        With one path, of an .xcmappingmodel or a .cdm, the command prints what becomes of each entity and \
        property, and which policies the mapping model needs. With two, an older and a newer model, it \
        writes the mapping model that can be inferred, to be changed in Xcode or in code.

        Examples:
          strongroom model mapping LibraryToShop.xcmappingmodel
          strongroom model mapping My1.xcdatamodel My2.xcdatamodel
        """)

    @Argument(help: "A mapping model; or the older model, or a store that has it.", completion: .file())
    var path: String
    @Argument(help: "The newer model, or a store that has it.", completion: .file()) var new: String?
    @Option(help: "The .xcmappingmodel to write; without it, its XML is printed.", completion: .file())
    var output: String?
    @OptionGroup var keys: KeyArguments

    func run() async throws {
      MemoryLimit.apply()
      guard let new else {
        if output != nil { throw ValidationError("--output needs an older and a newer model") }
        do {
          return show(try MappingModel(contentsOf: URL(fileURLWithPath: path)))
        } catch {
          throw ToolFailure("\(error.message); to write a mapping model, name the older and the newer model")
        }
      }
      let models = [try await ModelSource.model(path, keys), try await ModelSource.model(new, keys)]
      var mapping = MappingModel.inferred(from: models[0], to: models[1])
      (mapping.sourceModelPath, mapping.destinationModelPath) = (Self.name(path), Self.name(new))
      guard let output else {
        return print(String(decoding: try mapping.xcmappingContents(), as: UTF8.self), terminator: "")
      }
      if FileManager.default.fileExists(atPath: output) {
        throw ToolFailure("there is something at \(output) already; remove it, or give another name")
      }
      try mapping.write(xcmappingmodel: URL(fileURLWithPath: output))
      print("entity mappings \(mapping.entityMappings.count), written to \(output)")
    }

    private static func name(_ path: String) -> String {
      ServerAddressText(path)?.name ?? URL(fileURLWithPath: path).lastPathComponent
    }

    private func show(_ mapping: MappingModel) {
      if let old = mapping.sourceModelPath, let new = mapping.destinationModelPath {
        print("from \(Self.name(old)) to \(Self.name(new))")
      }
      print(MappingTable(mapping).text)
      let names = mapping.policyClassNames
      print(names.isEmpty ? "needs no policy" : "needs policies: \(names.joined(separator: ", "))")
    }
  }
}
