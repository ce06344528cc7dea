extension ModelDeclaration {
  /// All declarations of several models, as Core Data's `NSManagedObjectModel(byMerging:)`.
  ///
  /// An entity or other part that several of them declare must be the same in each; a configuration
  /// that several have gets the entities of all. Relationships and superentities may refer to
  /// another model.
  /// - Throws: `ModelError` with every name that two models declare differently. The result is not
  ///   checked further.
  public init(merging models: [ModelDeclaration]) throws(ModelError) {
    self.init(entities: [])
    var issues: [ModelIssue] = []
    func differ(_ kind: String, _ name: String) {
      issues.append(
        ModelIssue(
          .duplicateName, name, nil, "two of the models have different \(kind) of this name; rename one"))
    }
    /// Adds new declarations, and reports different ones of the same name.
    func merge<T: Equatable>(_ new: [T], into all: inout [T], _ kind: String, _ name: (T) -> String) {
      var places = Dictionary(all.enumerated().map { (name($0.element), $0.offset) }) { first, _ in first }
      for one in new {
        if let place = places[name(one)] {
          if all[place] != one { differ(kind, name(one)) }
        } else {
          places[name(one)] = all.count
          all.append(one)
        }
      }
    }
    for model in models {
      merge(model.entities, into: &entities, "entities", \.name)
      merge(model.composites, into: &composites, "composites", \.name)
      merge(model.fetchRequestTemplates, into: &fetchRequestTemplates, "fetch requests", \.name)
      for (name, members) in model.configurations {
        let known = configurations[name] ?? []
        configurations[name] = known + members.filter { !known.contains($0) }
      }
      if let own = model.configurationExtras {
        configurationExtras = (configurationExtras ?? [:]).merging(own) { first, _ in first }
      }
      if let own = model.layout { layout = (layout ?? []) + own }
      versionIdentifiers += model.versionIdentifiers.filter { !versionIdentifiers.contains($0) }
      extras.merge(model.extras) { first, _ in first }
    }
    guard issues.isEmpty else { throw ModelError(issues) }
  }
}

extension ManagedObjectModel {
  /// The model of all that several models have, as Core Data's `NSManagedObjectModel(byMerging:)`.
  ///
  /// What more than one of them declares must be the same in each.
  /// - Throws: `ModelError` with every name that two models declare differently.
  public convenience init(merging models: [ManagedObjectModel]) throws(ModelError) {
    try self.init(read: ModelDeclaration(merging: models.map(\.declaration)))
  }
}
