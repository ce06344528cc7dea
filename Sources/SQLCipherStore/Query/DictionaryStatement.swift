import ObjectModel
import ObjectQuery
import StoreContract

/// The select list, groups and order of a dictionary result, where SQL computes them as memory
/// does.
struct DictionaryStatement {
  let columns: [DictionaryColumn]
  let list: String
  /// GROUP BY, HAVING and ORDER BY.
  let end: String
  /// Whether all columns are of the fetched entity's own row, so that whole rows can be read after
  /// the cut.
  let isOwnRow: Bool
  /// Whether SQL already removes equal rows.
  let isDistinct: Bool

  /// The statement, or nil where memory computes the dictionaries: the translation is then
  /// unchanged.
  static func fitting(
    _ request: FetchRequest, _ entity: EntityDescription, rank: String?,
    _ translation: inout PredicateTranslation
  ) -> DictionaryStatement? {
    let unshaped = translation
    if let result = DictionaryStatement(request, entity, rank: rank, &translation),
      translation.bindings.count <= PredicateTranslation.mostBindings
    {
      return result
    }
    translation = unshaped
    return nil
  }

  private init?(
    _ request: FetchRequest, _ entity: EntityDescription, rank: String?,
    _ translation: inout PredicateTranslation
  ) {
    guard let grouped = try? GroupedColumns(request, entity),
      let select = DictionarySelect(grouped, entity, &translation)
    else { return nil }
    var having = ""
    if let condition = grouped.having {
      guard let text = translation.having(condition, over: select.terms) else { return nil }
      having = " HAVING " + text
    }
    let wanted = grouped.columns[..<grouped.wanted]
    isDistinct =
      request.returnsDistinctResults && rank == nil && !select.isGrouped && !select.hasAggregates
      && Self.isOver(wanted, request.sortDescriptors)
    guard let orders = Self.orders(request, wanted, select, rank, isDistinct, &translation) else {
      return nil
    }
    columns = select.columns
    isOwnRow = select.isOwnRow && !isDistinct
    list = select.expressions.joined(separator: ", ")
    // The first of each set of equal rows.
    let groups = isDistinct ? select.expressions : select.groups
    end =
      (groups.isEmpty ? "" : " GROUP BY " + groups.joined(separator: ", ")) + having
      + (orders.isEmpty ? "" : " ORDER BY " + orders.joined(separator: ", "))
  }

  /// Whether an order looks at nothing but the columns.
  private static func isOver(
    _ columns: ArraySlice<ExpressionDescription>, _ sorts: [FetchSortDescriptor]
  ) -> Bool {
    sorts.allSatisfy { sort in columns.contains { $0.expression == .keyPath(sort.keyPath) } }
  }

  // MARK: Order

  /// Nil where SQL does not sort as memory does.
  private static func orders(
    _ request: FetchRequest, _ wanted: ArraySlice<ExpressionDescription>, _ select: DictionarySelect,
    _ rank: String?, _ isDistinct: Bool, _ translation: inout PredicateTranslation
  ) -> [String]? {
    if select.isGrouped { return orders(ofGroups: request, wanted).map { $0 + select.groups } }
    if select.hasAggregates { return [] }
    var order = FetchOrder(rank: rank)
    order.append(request.sortDescriptors, &translation)
    guard order.isComplete else { return nil }
    let number = translation.joins.rowNumber
    return order.terms + [isDistinct ? "min(\(number))" : number]
  }

  /// Groups are sorted by columns of the result, which ORDER BY names by their position.
  private static func orders(
    ofGroups request: FetchRequest, _ wanted: ArraySlice<ExpressionDescription>
  ) -> [String]? {
    var orders: [String] = []
    for sort in request.sortDescriptors {
      guard !sort.options.folds, sort.comparator == .scalars, sort.nulls == .least,
        let index = wanted.firstIndex(where: { $0.name == sort.keyPath.joined(separator: ".") })
      else { return nil }
      orders.append("\(index + 1)\(sort.ascending ? "" : " DESC")")
    }
    return orders
  }
}
