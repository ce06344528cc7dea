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

  private func suggestedIndexes(_ request: FetchRequest, _ entity: EntityDescription) -> [String] {
    let missing = request.missingIndexes(of: entity)
    return missing.compared.map { "\($0.entity.name).\($0.name)" }
      + missing.searched.map { "\($0.entity.name).\($0.name) (full text)" }
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
