import CipherDatabase
import ObjectModel
public import ObjectQuery
public import StoreContract

extension SQLCipherStore {
  /// The statement of a fetch, the library's plan for it, and the indexes that would help.
  ///
  /// A request with groups, or with columns that are computed, is one for dictionaries. Two
  /// statements; no row is read.
  /// - Throws: `QueryError`, `StoreError` as the fetch itself.
  public func queryPlan(for request: FetchRequest) throws -> QueryPlan {
    let opened = try open
    let shape = try RequestShape(request, returning: request.answeredType)
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
  /// have none: those compared for equality first, since they leave the fewest rows.
  private func suggestedIndexes(_ request: FetchRequest, _ entity: EntityDescription) -> [String] {
    var equal: [String] = []
    var others: [String] = []
    for part in request.predicate?.conjuncts ?? [] {
      guard case .comparison(let comparison) = part, comparison.modifier == .direct, !comparison.options.folds
      else { continue }
      let names = [comparison.left, comparison.right].compactMap(\.keyPathNames)
      switch comparison.operator {
      case .search: others += names.compactMap { wordIndex($0, of: entity) }
      case .equal, .in: equal += names.compactMap { missingIndex($0, of: entity) }
      case .less, .lessOrEqual, .greater, .greaterOrEqual, .between:
        others += names.compactMap { missingIndex($0, of: entity) }
      default: continue
      }
    }
    if let first = request.sortDescriptors.first, !first.options.folds, first.comparator == .scalars,
      first.keyPath.count == 1
    {
      others += missingIndex(first.keyPath, of: entity).map { [$0] } ?? []
    }
    var seen: Set<String> = []
    return (equal + others).filter { seen.insert($0).inserted }
  }

  /// The full-text index that a search lacks.
  private func wordIndex(_ names: [String], of entity: EntityDescription) -> String? {
    guard names.count == 1, let attribute = entity.attribute(named: names[0]), attribute.type == .string,
      !hasWordIndex(attribute)
    else { return nil }
    return "\(attribute.entity.name).\(names[0]) (full text)"
  }

  /// The attribute at the end of a path of to-ones, whose columns have indexes, if it has none.
  private func missingIndex(_ names: [String], of entity: EntityDescription) -> String? {
    var entity = entity
    for name in names.dropLast() {
      guard let toOne = entity.relationship(named: name), !toOne.isToMany, !toOne.isTransient else {
        return nil
      }
      entity = toOne.destination
    }
    guard let name = names.last, let attribute = entity.attribute(named: name), !attribute.isTransient,
      !attribute.declaration.isIndexed,
      !entity.uniquenessConstraints.contains(where: { $0.propertyNames.first == name })
    else { return nil }
    var holder: EntityDescription? = entity
    while let current = holder {
      if current.fetchIndexes.contains(where: { $0.elements.first?.propertyName == name }) { return nil }
      holder = current.superentity
    }
    return "\(attribute.entity.name).\(name)"
  }
}

extension FetchRequest {
  /// The type of result that answers it.
  fileprivate var answeredType: ResultType {
    let isOfColumns =
      !propertiesToGroupBy.isEmpty || returnsDistinctResults
      || (propertiesToFetch ?? []).contains { $0.aggregate != nil || ($0.keyPath?.count ?? 0) != 1 }
    return resultType == .objects && isOfColumns ? .dictionaries : resultType
  }
}

extension FetchExpression {
  fileprivate var keyPathNames: [String]? { if case .keyPath(let names) = self { names } else { nil } }
}
