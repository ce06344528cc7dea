import ArgumentParser
import Foundation
import ObjectModel

/// The program that the build plugin runs: it writes the classes of one model to one file.
@main
struct ModelClasses: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model-classes", abstract: "Writes Swift classes of a Core Data model, and the model itself."
  )

  @Argument(help: "The model.") var model: String
  @Argument(help: "The Swift file to write.") var output: String

  func run() throws {
    let url = URL(fileURLWithPath: model)
    let loaded = try ManagedObjectModel.load(contentsOf: url).model
    let name = url.deletingPathExtension().lastPathComponent
    try SwiftGenerator(loaded, embeddingAs: name).source.write(
      toFile: output, atomically: true, encoding: .utf8)
  }
}
