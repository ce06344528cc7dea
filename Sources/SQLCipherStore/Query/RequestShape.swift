import Foundation
import ObjectModel
import ObjectQuery

/// A fetch request with the constants of its predicate left out.
///
/// Requests of one shape share one statement. A class, since a request has many parts to retain
/// each time that it is copied.
final class RequestShape: Hashable, Sendable {
  let request: FetchRequest

  /// - Parameters:
  ///   - request: The request.
  ///   - type: The type of its result; nil for its own.
  /// - Throws: `QueryError` for what is nested too deeply.
  init(
    _ request: borrowing FetchRequest, returning type: FetchRequest.ResultType? = nil
  ) throws(QueryError) {
    try request.checkNesting()
    let isJoined = request.predicate?.isJoined ?? false
    if !isJoined, type == nil || type == request.resultType {
      self.request = copy request
      return
    }
    var own = copy request
    if let type { own.resultType = type }
    if isJoined { own.predicate = own.predicate?.joiningEqualities() }
    self.request = own
  }

  static func == (left: RequestShape, right: RequestShape) -> Bool {
    let (a, b) = (left.request, right.request)
    return a.entityName == b.entityName && a.resultType == b.resultType
      && a.sortDescriptors == b.sortDescriptors
      && a.cut == b.cut && (a.search == nil) == (b.search == nil)
      && a.search?.indexName == b.search?.indexName && a.includesSubentities == b.includesSubentities
      && a.returnsDistinctResults == b.returnsDistinctResults
      && same(a.propertiesToFetch, b.propertiesToFetch) && a.propertiesToGroupBy == b.propertiesToGroupBy
      && isSameText(a.havingPredicate?.formatText, b.havingPredicate?.formatText)
      && same(a.predicate, b.predicate)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(request.entityName)
    for sort in request.sortDescriptors { hasher.combine(sort.keyPath.count) }
    hasher.combine(request.cut)
    if let predicate = request.predicate { Self.hash(predicate, &hasher) }
  }

  // MARK: Constants

  private static let constantMark = "\u{0}"

  /// The name by which a predicate without constants refers to one.
  static func constantName(_ index: Int) -> String { constantMark + String(index) }

  static func constantIndex(_ name: String) -> Int? {
    name.hasPrefix(constantMark) ? Int(name.dropFirst()) : nil
  }

  /// The constants in the order in which they stand.
  var constants: [FetchExpression] {
    var result: [FetchExpression] = []
    if let predicate = request.predicate { Self.collect(predicate, &result) }
    // Behind all others, so that these keep their numbers.
    if let search = request.search { result.append(.value(.string(search.words))) }
    return result
  }

  /// Whether it holds very many values.
  var isLong: Bool {
    let constants = constants
    return constants.count > 1000
      || constants.contains { if case .list(let list) = $0 { list.count > 1000 } else { false } }
  }

  private static func collect(_ predicate: FetchPredicate, _ result: inout [FetchExpression]) {
    switch predicate {
    case .constant: break
    case .comparison(let comparison):
      if comparison.left.isConstant { result.append(comparison.left) }
      if comparison.right.isConstant { result.append(comparison.right) }
    case .and(let parts), .or(let parts): for part in parts { collect(part, &result) }
    case .not(let part): collect(part, &result)
    case .kind: break
    }
  }

  /// The predicate with names in place of its constants.
  var skeleton: FetchPredicate? {
    var count = 0
    return request.predicate.map { Self.skeleton($0, &count) }
  }

  private static func skeleton(_ predicate: FetchPredicate, _ count: inout Int) -> FetchPredicate {
    switch predicate {
    case .constant, .kind: return predicate
    case .comparison(var comparison):
      if comparison.left.isConstant {
        comparison.left = .variable(constantName(count))
        count += 1
      }
      if comparison.right.isConstant {
        comparison.right = .variable(constantName(count))
        count += 1
      }
      return .comparison(comparison)
    case .and(let parts): return .and(parts.map { skeleton($0, &count) })
    case .or(let parts): return .or(parts.map { skeleton($0, &count) })
    case .not(let part): return .not(skeleton(part, &count))
    }
  }

  // MARK: Likeness

  private static func same(_ left: FetchPredicate?, _ right: FetchPredicate?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (.constant(let a)?, .constant(let b)?): a == b
    case (.comparison(let a)?, .comparison(let b)?):
      a.operator == b.operator && a.modifier == b.modifier && a.options == b.options
        // A wrong regular expression is found when the plan is made.
        && (a.operator != .matches || isSameText(a.right, b.right))
        && same(a.left, b.left) && same(a.right, b.right)
    case (.and(let a)?, .and(let b)?), (.or(let a)?, .or(let b)?):
      a.count == b.count && zip(a, b).allSatisfy { same($0, $1) }
    case (.not(let a)?, .not(let b)?): same(a, b)
    case (.kind(let a, let name)?, .kind(let b, let other)?): name == other && isSameText(a, b)
    default: false
    }
  }

  private static func same(_ left: FetchExpression, _ right: FetchExpression) -> Bool {
    switch (left, right) {
    case (.value(let a), .value(let b)): ValueShape(a) == ValueShape(b)
    case (.keyPath(let a), .keyPath(let b)): a == b
    case (.selfObject, .selfObject): true
    case (.list(let a), .list(let b)):
      // A list with other expressions in it stands in the SQL as it is.
      a.isConstantList && b.isConstantList ? ListShape(a) == ListShape(b) : isSameText(left, right)
    // Constants inside of these belong to the shape.
    default: isSameText(left, right)
    }
  }

  private static func same(_ left: [ExpressionDescription]?, _ right: [ExpressionDescription]?) -> Bool {
    guard left == right else { return false }
    // The two share their elements where a program asks for the same columns each time.
    if let left, let right, left.hasSameStorage(as: right) { return true }
    return zip(left ?? [], right ?? []).allSatisfy {
      $0.keyPath != nil || isSameText($0.expression, $1.expression)
    }
  }

  private static func isSameText(_ left: String?, _ right: String?) -> Bool {
    left == right && (left ?? "").utf8.elementsEqual((right ?? "").utf8)
  }

  /// Bit for bit: to Swift a letter with its mark is the same composed and decomposed, to a query
  /// it is not.
  private static func isSameText(_ left: FetchExpression, _ right: FetchExpression) -> Bool {
    left.formatText.utf8.elementsEqual(right.formatText.utf8)
  }

  private static func hash(_ predicate: FetchPredicate, _ hasher: inout Hasher) {
    switch predicate {
    case .constant(let flag): hasher.combine(flag)
    case .comparison(let comparison):
      if case .keyPath(let path) = comparison.left { hasher.combine(path) }
      if case .keyPath(let path) = comparison.right { hasher.combine(path) }
    case .and(let parts), .or(let parts):
      hasher.combine(parts.count)
      for part in parts { hash(part, &hasher) }
    case .not(let part):
      hasher.combine(-1)
      hash(part, &hasher)
    case .kind(_, let name): hasher.combine(name)
    }
  }

  /// What the SQL of a constant depends on.
  private struct ValueShape: Equatable {
    let kind: SQLKind
    /// Whether it is an empty string or a floating number, which differ in SQL from others of their
    /// kind.
    let isSpecial: Bool

    init(_ value: AttributeValue) {
      kind = SQLKind(value)
      isSpecial =
        switch value {
        case .double: kind == .number
        case .string(let text): text.isEmpty
        default: false
        }
    }

    /// Whether a list of such values is one parameter whatever its length.
    var isBoundAsList: Bool { kind == .object || kind == .number && !isSpecial }
  }

  /// What the SQL of a list of constants depends on.
  private struct ListShape: Equatable {
    /// The elements' shapes; one for all where the list is one parameter.
    let elements: [ValueShape?]
    let isAnyLength: Bool

    init(_ list: [FetchExpression]) {
      let shapes = list.map { $0.constant.map(ValueShape.init) }
      isAnyLength =
        shapes.count > 2 && shapes[0]?.isBoundAsList == true && shapes.allSatisfy { $0 == shapes[0] }
      elements = isAnyLength ? [shapes[0]] : shapes
    }
  }
}

extension FetchRequest {
  /// Whether limit and offset are given.
  fileprivate var cut: Int { (effectiveFetchLimit == nil ? 0 : 1) + (fetchOffset == 0 ? 0 : 2) }
}

extension FetchExpression {
  var isConstant: Bool {
    switch self {
    case .value: true
    case .list(let list): list.isConstantList
    default: false
    }
  }
}

extension [FetchExpression] {
  fileprivate var isConstantList: Bool { allSatisfy { $0.constant != nil } }
}

extension [ExpressionDescription] {
  fileprivate func hasSameStorage(as other: [ExpressionDescription]) -> Bool {
    withUnsafeBufferPointer { own in other.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress } }
  }
}
