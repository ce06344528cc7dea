import CipherDatabase
import ObjectModel
import ObjectQuery
import StoreContract

/// The one SQL statement of all requests of a shape.
final class FetchPlan: Sendable {
  let text: StatementText
  let bindings: [Binding]
  let entity: EntityDescription
  let select: SelectPlan
  /// Whether limit and offset are the statement's last two parameters.
  let isCut: Bool
  /// Whether the rows read are to be put in the order of their numbers.
  let isSortedAfterwards: Bool
  /// Whether the rows still have to be filtered, sorted or shaped in memory.
  let needsEvaluation: Bool
  /// FROM and WHERE.
  let tail: String
  /// The lengths of the lists whose values are one parameter each, by the constant's index.
  private let listCounts: [Int: Int]
  /// Whether SQL already removes equal dictionaries.
  let isDistinct: Bool
  /// How the columns of a dictionary result are read; nil for other results.
  let dictionaryColumns: [DictionaryColumn]?
  /// How rows of these columns are packed; nil where memory has work to do, or a column's values are of
  /// several types.
  let rowLayout: RowLayout?

  /// - `isPlain`: Whether SQL selects the entity's rows alone, and memory does all else.
  init(
    _ shape: RequestShape, entity: EntityDescription, schema: StoreSchema, select: SelectPlan,
    isPlain: Bool = false
  ) {
    let request = shape.request
    var translation = PredicateTranslation(entity: entity, schema: schema, constants: shape.constants)
    let condition = WhereClause(shape, entity, isPlain: isPlain, &translation)
    var order = FetchOrder(rank: condition.rank)
    var dictionary: DictionaryStatement?
    if request.resultType != .dictionaries {
      order.append(request.sortDescriptors, &translation)
    } else if !isPlain {
      dictionary = DictionaryStatement.fitting(request, entity, rank: condition.rank, &translation)
    }
    let isShaped = request.resultType != .dictionaries || dictionary != nil
    let isComplete = condition.isComplete && order.isComplete && isShaped
    let statement = FetchStatement(
      request: request, entity: entity, select: select, table: schema.table(entity).name.quoted,
      joins: translation.joins, condition: condition, order: order, dictionary: dictionary,
      isComplete: isComplete, bindingCount: translation.bindings.count)
    self.entity = entity
    self.select = select
    bindings = translation.bindings
    needsEvaluation = !isComplete
    listCounts = Self.listCounts(translation.bindings, shape.constants)
    isCut = statement.isCut
    isSortedAfterwards = statement.isSortedAfterwards
    isDistinct = dictionary?.isDistinct ?? false
    dictionaryColumns = isComplete ? dictionary?.columns : nil
    rowLayout = dictionaryColumns.flatMap(RowLayout.init)
    tail = statement.tail
    text = StatementText(statement.sql)
  }

  private static func listCounts(_ bindings: [Binding], _ constants: [FetchExpression]) -> [Int: Int] {
    var counts: [Int: Int] = [:]
    for case .element(let index, _) in bindings.map(\.source) {
      if case .list(let list) = constants[index] { counts[index] = list.count }
    }
    return counts
  }

  /// Whether the statement is nested too deeply for the library's parser: before version 3.46
  /// SQLite allows a hundred unfinished parts, and a parenthesis with what precedes it takes up to
  /// three.
  var isTooDeep: Bool {
    var depth = 0
    for byte in text.sql.utf8 {
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      if depth > Self.deepest { return true }
    }
    return false
  }

  private static let deepest = 25

  /// Whether the lists of another request of the shape are as long as the statement expects.
  func fits(_ constants: @autoclosure () -> [FetchExpression]) -> Bool {
    if listCounts.isEmpty { return true }
    let constants = constants()
    return listCounts.allSatisfy { index, count in
      if case .list(let list) = constants[index] { list.count == count } else { false }
    }
  }

  /// The prepared statement with a request's values bound.
  func bound(_ connection: Connection, _ shape: RequestShape) throws -> Statement {
    let statement = try connection.cached(text)
    if !bindings.isEmpty { bind(shape.constants, to: statement) }
    if isCut {
      statement.bind(Int32(bindings.count + 1), Int64(shape.request.effectiveFetchLimit ?? -1))
      statement.bind(Int32(bindings.count + 2), Int64(max(shape.request.fetchOffset, 0)))
    }
    return statement
  }

  /// Binds the values of the condition.
  func bind(_ constants: [FetchExpression], to statement: Statement) {
    for (index, binding) in bindings.enumerated() {
      binding.value(constants).bind(to: statement, at: Int32(index + 1))
    }
  }
}
