public import Foundation

extension ManagedObjectModel {
  /// The whole model as JSON with sorted keys.
  public func jsonData() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(description)
  }

  /// Reads what `jsonData()` wrote.
  /// - Throws: `ModelError` when it is no JSON of a model, or the model is wrong.
  public convenience init(jsonData: Data) throws(ModelError) {
    let description: ModelDescription
    do {
      description = try JSONDecoder().decode(ModelDescription.self, from: jsonData)
    } catch {
      throw ModelError([ModelFault(.syntax, "this is no model in JSON")], cause: error)
    }
    try self.init(read: description)
  }
}
