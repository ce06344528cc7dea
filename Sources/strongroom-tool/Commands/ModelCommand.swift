import ArgumentParser
import Foundation
import Strongroom

struct ModelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Checks and tries Core Data models.",
    subcommands: [Check.self, Try.self, Diff.self, Diagram.self, Generate.self])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Prints every fault of every version of the models found; exits 1 on a fault.")

    @Argument(help: "Bundles, versions, bare files, or folders of them.", completion: .file()) var paths:
      [String]
    @Flag(help: "Leave warnings out.") var quiet = false

    func run() throws {
      MemoryLimit.apply()
      let found = try ModelFiles.find(paths)
      var (versions, entities, warnings, faults) = (0, 0, 0, 0)
      for (path, bundle) in found {
        switch bundle {
        case .failure(let error):
          faults += error.issues.count
          for fault in error.issues { print("\(path): fault: \(fault)") }
        case .success(let bundle):
          for version in bundle.versions {
            versions += 1
            let place = "\(path)/\(version.name)"
            do throws(ModelError) {
              let result = try ManagedObjectModel.load(version)
              entities += result.model.entities.count
              warnings += result.warnings.count
              if !quiet { for warning in result.warnings { print("\(place): warning: \(warning)") } }
            } catch {
              faults += error.issues.count
              for fault in error.issues { print("\(place): fault: \(fault)") }
            }
          }
        }
      }
      print(
        "bundles \(found.count), versions \(versions), entities \(entities), warnings \(warnings), faults \(faults)"
      )
      if faults > 0 { throw ExitCode(1) }
    }
  }

  struct Try: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "try",
      abstract: "Makes a store of every version of the models found, fills it, and compares what comes back.",
      discussion: """
        For each version: a store in a temporary folder with a throw-away key; objects of every concrete entity with every \
        attribute and relationship set; saved, reopened, compared; the model written back as XML and JSON, and read again. \
        Exits 1 on a difference.
        """)

    @Argument(help: "Bundles, versions, bare files, or folders of them.", completion: .file()) var paths:
      [String]

    func run() async throws {
      MemoryLimit.apply()
      let found = try ModelFiles.find(paths)
      let versions = found.flatMap { path, bundle in
        ((try? bundle.get())?.versions ?? []).map { (place: "\(path)/\($0.name)", version: $0) }
      }
      var (entities, objects, differences) = (0, 0, 0)
      let bar = ProgressBar("trying", total: versions.count)
      for (path, bundle) in found {
        // `model check` counts these as faults.
        if case .failure(let error) = bundle { print("\(path): nothing to try: \(error)") }
      }
      for (index, entry) in versions.enumerated() {
        var trial = ModelTrial()
        await trial.run(entry.version)
        entities += trial.entities
        objects += trial.objects
        differences += trial.differences.count
        for difference in trial.differences { print("\(entry.place): \(difference)") }
        bar.update(index + 1)
      }
      bar.finish()
      print(
        "bundles \(found.count), versions \(versions.count), entities \(entities), objects \(objects),"
          + " differences \(differences)")
      if differences > 0 { throw ExitCode(1) }
    }
  }

  struct Diff: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "diff", abstract: "Tells in words what changed from one version of a model to another.")

    @Argument(help: "The older model, or a store that has it.", completion: .file()) var old: String
    @Argument(help: "The newer model, or a store that has it.", completion: .file()) var new: String
    @OptionGroup var keys: KeyArguments

    func run() async throws {
      MemoryLimit.apply()
      let models = [try await ModelSource.model(old, keys), try await ModelSource.model(new, keys)]
      let lines = ModelDifferences(from: models[0], to: models[1]).lines
      for line in lines { print(line) }
      let storage = models[0].versionHash == models[1].versionHash ? "the same storage" : "another storage"
      print("changes \(lines.count), \(storage)")
    }
  }

  struct Diagram: AsyncParsableCommand {
    enum Form: String, ExpressibleByArgument, CaseIterable { case svg, mermaid, dot }

    static let configuration = CommandConfiguration(
      commandName: "diagram", abstract: "Prints the entity-relationship diagram of a model.")

    @Argument(help: "The model, or a store that has it.", completion: .file()) var model: String
    @Option(help: "svg, mermaid or dot.") var format = Form.svg
    @OptionGroup var keys: KeyArguments

    func run() async throws {
      MemoryLimit.apply()
      let diagram = ModelDiagram(try await ModelSource.model(model, keys))
      let text =
        switch format {
        case .svg: diagram.svg
        case .mermaid: diagram.mermaid
        case .dot: diagram.dot
        }
      print(text, terminator: "")
    }
  }

  struct Generate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "generate", abstract: "Prints Swift classes with typed accessors for a model's entities.")

    @Argument(help: "The model, or a store that has it.", completion: .file()) var model: String
    @Flag(name: .customLong("public"), help: "Let other modules use the classes.") var isPublic = false
    @Flag(help: "Put the model itself into the code too, so that no file is shipped beside the program.")
    var embed = false
    @OptionGroup var keys: KeyArguments

    func run() async throws {
      MemoryLimit.apply()
      let name = URL(fileURLWithPath: model).deletingPathExtension().lastPathComponent
      let model = try await ModelSource.model(model, keys)
      let generator =
        embed
        ? try SwiftGenerator(model, isPublic: isPublic, embeddingAs: name)
        : SwiftGenerator(model, isPublic: isPublic)
      print(generator.source, terminator: "")
    }
  }
}
