import ArgumentParser
import Foundation
import Strongroom

struct ModelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Checks, tries, compares, draws and infers Core Data models.",
    subcommands: [
      Check.self, Try.self, Diff.self, Mapping.self, Diagram.self, Generate.self, Infer.self,
    ])

  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Prints every issue of every version of the models found; exits 1 if there is an error.",
      discussion: """
        Examples:
          strongroom model check Library.xcdatamodeld
        """)

    @Argument(help: "Bundles, versions, bare files, or folders of them.", completion: .file()) var paths:
      [String]
    @Flag(help: "Leave warnings out.") var quiet = false
    @Flag(help: "Print the issues and numbers as JSON.") var json = false

    func run() throws {
      MemoryLimit.apply()
      var report = Report()
      for (path, bundle) in try ModelFiles.find(paths) {
        report.bundles += 1
        switch bundle {
        case .failure(let error): add(error, at: path, &report)
        case .success(let bundle):
          for version in bundle.versions { check(version, at: ModelFiles.place(version, path), &report) }
        }
      }
      if json { print(try JSONText.of(report)) } else { print(report.summary) }
      if report.errors > 0 { throw ExitCode(1) }
    }

    private func check(_ version: XCDataModelBundle.Version, at path: String, _ report: inout Report) {
      report.versions += 1
      do throws(ModelError) {
        let result = try ManagedObjectModel.load(version)
        report.entities += result.model.entities.count
        report.warnings += result.warnings.count
        if !quiet { for warning in result.warnings { add("warning", "\(warning)", at: path, &report) } }
      } catch {
        add(error, at: path, &report)
      }
    }

    private func add(_ error: ModelError, at path: String, _ report: inout Report) {
      report.errors += error.issues.count
      for issue in error.issues { add("error", "\(issue)", at: path, &report) }
    }

    /// Lines come as they are found, JSON at the end.
    private func add(_ severity: String, _ text: String, at path: String, _ report: inout Report) {
      if json { return report.issues.append(.init(path: path, severity: severity, text: text)) }
      print("\(path): \(severity): \(text)")
    }

    private struct Report: Encodable {
      struct Issue: Encodable {
        let path, severity, text: String
      }

      var (bundles, versions, entities, warnings, errors) = (0, 0, 0, 0, 0)
      var issues: [Issue] = []

      var summary: String {
        "bundles \(bundles), versions \(versions), entities \(entities), warnings \(warnings),"
          + " errors \(errors)"
      }
    }
  }

  struct Try: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "try",
      abstract: "Creates and fills a store for every version of the models found, and compares its contents.",
      discussion: """
        For each version, the command creates a store in a temporary folder with a throw-away key; inserts \
        objects of every concrete entity with every attribute and relationship set; saves, reopens and \
        compares them; and writes the model as XML and JSON and reads it again. Exits 1 on a difference.

        Examples:
          strongroom model try Library.xcdatamodeld
        """)

    @Argument(help: "Bundles, versions, bare files, or folders of them.", completion: .file()) var paths:
      [String]

    func run() async throws {
      MemoryLimit.apply()
      let found = try ModelFiles.find(paths)
      let versions = found.flatMap { path, bundle in
        ((try? bundle.get())?.versions ?? []).map {
          (place: ModelFiles.place($0, path), version: $0)
        }
      }
      var (entities, objects, differences) = (0, 0, 0)
      let bar = ProgressBar("trying", total: versions.count)
      for (path, bundle) in found {
        // `model check` counts these as errors.
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
      commandName: "diff", abstract: "Lists in words what changed from one version of a model to another.",
      discussion: """
        Examples:
          strongroom model diff library.store Library2.xcdatamodel
        """)

    @Argument(help: "The older model, or a store that has it.", completion: .file()) var old: String
    @Argument(help: "The newer model, or a store that has it.", completion: .file()) var new: String
    @OptionGroup var keys: KeyArguments
    @Flag(help: "Print the changes as JSON.") var json = false

    private struct Report: Encodable {
      let changes: [String]
      let hasSameStorage: Bool
    }

    func run() async throws {
      MemoryLimit.apply()
      let models = [try await ModelSource.model(old, keys), try await ModelSource.model(new, keys)]
      let report = Report(
        changes: ModelDifferences(from: models[0], to: models[1]).lines,
        hasSameStorage: models[0].versionHash == models[1].versionHash)
      if json { return try print(JSONText.of(report)) }
      for line in report.changes { print(line) }
      let storage = report.hasSameStorage ? "the same storage" : "another storage"
      print("changes \(report.changes.count), \(storage)")
    }
  }

  struct Diagram: AsyncParsableCommand {
    enum Form: String, ExpressibleByArgument, CaseIterable { case svg, mermaid, dot }

    static let configuration = CommandConfiguration(
      commandName: "diagram", abstract: "Prints the entity-relationship diagram of a model.",
      discussion: """
        Examples:
          strongroom model diagram library.store > library.svg
          strongroom model diagram Library.xcdatamodeld --format mermaid
        """)

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
      commandName: "generate", abstract: "Prints Swift classes with typed accessors for a model's entities.",
      discussion: """
        Examples:
          strongroom model generate Library.xcdatamodeld --public > Library.swift
        """)

    @Argument(help: "The model, or a store that has it.", completion: .file()) var model: String
    @Flag(name: .customLong("public"), help: "Make the classes public.") var isPublic = false
    @Flag(help: "Embed the model in the code, so that the program needs no model file.")
    var embed = false
    @OptionGroup var keys: KeyArguments

    func run() async throws {
      MemoryLimit.apply()
      let name =
        ServerAddressText(model)?.name
        ?? URL(fileURLWithPath: model).deletingPathExtension().lastPathComponent
      let model = try await ModelSource.model(model, keys)
      let generator =
        embed
        ? try SwiftGenerator(model, isPublic: isPublic, embeddingAs: name)
        : SwiftGenerator(model, isPublic: isPublic)
      print(generator.source, terminator: "")
    }
  }
}
