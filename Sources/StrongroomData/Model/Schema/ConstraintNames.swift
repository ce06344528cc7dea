/// The names of a class's properties for key paths, and back.
enum ConstraintNames {
  /// Names with points between them; a key path of no persistent property is written as Swift does.
  static func names<Model: PersistentModel>(_ paths: [PartialKeyPath<Model>]) -> [String] {
    let shape = ModelSchema.of(Model.self)
    return paths.map { shape.path(of: $0)?.joined(separator: ".") ?? "\($0)" }
  }

  /// - Throws: `DecodingError.dataCorrupted` for a property that the class does not have.
  static func paths<Model: PersistentModel>(
    _ names: [String], _ decoder: any Decoder
  ) throws -> [PartialKeyPath<Model>] {
    let shape = ModelSchema.of(Model.self)
    return try names.map { name in
      let property = shape.properties.first { $0.name == name }
      guard let path = property?.keyPath as? PartialKeyPath<Model> else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "\(shape.name) has no property \(name)"))
      }
      return path
    }
  }
}
