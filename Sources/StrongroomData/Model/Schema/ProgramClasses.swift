import CSwiftRuntime

/// The classes of models that the program and its libraries have.
enum ProgramClasses {
  private static let most = 64

  /// The classes of models that have a name, whatever they are nested in.
  ///
  /// O(types of the program).
  static func models(named name: String) -> [any PersistentModel.Type] {
    withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: most) { classes in
      guard let start = classes.baseAddress else { return [] }
      classes.initialize(repeating: nil)
      let count = program_classes(name, start, most)
      return classes.prefix(count).compactMap { metadata in
        metadata.flatMap { unsafeBitCast($0, to: Any.Type.self) as? any PersistentModel.Type }
      }
    }
  }
}
