import CipherDatabase
import ObjectModel
public import ObjectQuery
public import StoreContract

extension SQLCipherStore {
  /// The statement of a fetch, the library's plan for it, and the indexes that would help.
  ///
  /// Two statements; no row is read.
  /// - Throws: `QueryError`, `StoreError` as the fetch itself.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    let opened = try open
    let shape = try RequestShape(request)
    return try translating(path) {
      let plan = try plan(shape, in: opened)
      return try opened.pool.read { connection in
        let statement = try connection.prepare("EXPLAIN QUERY PLAN " + plan.text.sql)
        defer { statement.reset() }
        plan.bind(shape.constants, to: statement)
        var steps: [QueryPlan.Step] = []
        while try statement.step() {
          let text = statement.text(3)
          let looks =
            text.hasPrefix("SCAN") && !text.contains("VIRTUAL TABLE") && !text.contains("CONSTANT ROW")
          steps.append(.init(text: text, usesIndex: !looks && !text.contains("TEMP B-TREE")))
        }
        return QueryPlan(
          statement: plan.text.sql, steps: steps, isEvaluatedInMemory: plan.needsEvaluation,
          suggestedIndexes: steps.allSatisfy(\.usesIndex) ? [] : suggestedIndexes(request, plan.entity))
      }
    }
  }

  private func hasWordIndex(_ attribute: AttributeDescription) -> Bool {
    attribute.entity.fetchIndexes.contains { index in
      if case .fullText(let attributes) = FetchIndexForm(index, of: attribute.entity) {
        return attributes.contains(attribute)
      }
      return false
    }
  }

  /// Attributes that the request compares in a way an index serves, or sorts by first, and that
  /// have none.
  private func suggestedIndexes(_ request: FetchRequest, _ entity: EntityDescription) -> [String] {
    var found: [String] = []
    func note(_ names: [String]) {
      guard names.count == 1, let attribute = entity.attribute(named: names[0]), !attribute.isTransient,
        !attribute.declaration.isIndexed,
        !entity.uniquenessConstraints.contains(where: { $0.propertyNames.first == names[0] })
      else { return }
      var holder: EntityDescription? = entity
      while let current = holder {
        if current.fetchIndexes.contains(where: { $0.elements.first?.propertyName == names[0] }) { return }
        holder = current.superentity
      }
      let name = "\(attribute.entity.name).\(names[0])"
      if !found.contains(name) { found.append(name) }
    }
    for part in request.predicate?.conjuncts ?? [] {
      guard case .comparison(let comparison) = part, comparison.modifier == .direct, !comparison.options.folds
      else { continue }
      if comparison.operator == .search, case .keyPath(let names) = comparison.left, names.count == 1,
        let attribute = entity.attribute(named: names[0]), attribute.type == .string, !hasWordIndex(attribute)
      {
        found.append("\(attribute.entity.name).\(names[0]) (full text)")
      }
      switch comparison.operator {
      case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual, .between, .in:
        for case .keyPath(let names) in [comparison.left, comparison.right] { note(names) }
      default: continue
      }
    }
    if let first = request.sortDescriptors.first, !first.options.folds, first.comparator == .scalars {
      note(first.keyPath)
    }
    return found
  }
}
