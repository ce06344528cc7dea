public import Foundation

extension ManagedObjectModel {
  /// The whole model as JSON with sorted keys.
  public func jsonData() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(declaration)
  }

  /// Reads what `jsonData()` wrote.
  /// - Throws: `ModelError` when it is no JSON of a model, or the model is wrong.
  public convenience init(jsonData: Data) throws(ModelError) {
    let description: ModelDeclaration
    do {
      description = try JSONDecoder().decode(ModelDeclaration.self, from: jsonData)
    } catch {
      throw ModelError([ModelIssue(.syntax, "this is no model in JSON")], cause: error)
    }
    try self.init(read: description)
  }
}
