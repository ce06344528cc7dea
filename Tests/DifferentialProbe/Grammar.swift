import Foundation
import Strongroom

/// Makes predicates of every node, for the entity Item.
struct Grammar {
  /// The variables of the subqueries around, and their entities.
  private var variables: [(name: String, entity: String)] = []
  private let model: ManagedObjectModel

  init(_ model: ManagedObjectModel) { self.model = model }

  mutating func predicate(_ depth: Int, _ random: inout Random) -> FetchPredicate {
    if depth <= 0 || random.chance(2) { return .comparison(comparison(depth, &random)) }
    switch random.below(8) {
    case 0: return .constant(random.chance(2))
    case 1, 2: return .not(predicate(depth - 1, &random))
    case 3, 4: return .and((0..<random.below(4)).map { _ in predicate(depth - 1, &random) })
    case 5, 6: return .or((0..<random.below(4)).map { _ in predicate(depth - 1, &random) })
    default: return .comparison(comparison(depth, &random))
    }
  }

  private mutating func comparison(_ depth: Int, _ random: inout Random) -> FetchComparison {
    var result = FetchComparison(.selfObject, random.element(FetchOperator.allCases)!, .value(.null))
    result.options = ComparisonOptions(rawValue: random.chance(3) ? random.below(8) : 0)
    if random.chance(4) {
      result.left = collection(&random, toObjects: false)
      result.modifier = random.chance(2) ? .any : .all
    } else {
      result.left = expression(depth, &random)
      if random.chance(8) { result.modifier = random.chance(2) ? .any : .all }
    }
    switch result.operator {
    case .between:
      result.right = .list([side(result.left, depth, &random), side(result.left, depth, &random)])
    case .in:
      if random.chance(3) {
        result.right = collection(&random, toObjects: false)
      } else if random.chance(4) {
        result.right = expression(depth, &random)
      } else {
        result.right = .list((0..<random.below(6)).map { _ in side(result.left, depth, &random) })
      }
    case .matches:
      result.right = .value(.string(["a.*", ".", "[a-z]+", "", "(?i)SS", "ä", "\\d+"][random.below(7)]))
    case .search:
      result.right = .value(
        .string(
          [
            "a", "a*", "a b", "\"a b\"", "a OR b", "a -b", "-a", "", "ss 10", "A* OR x", "\"a b*\" -\"b a\"",
            "京", "東京",
            "ab OR c a", "-\"a b\" a", "İ", "i*", "x\u{0}y", "\"", "a -ab*", "OR a",
          ][random.below(21)]))
    case .like:
      result.right = .value(
        .string(["a*", "?", "*", "*b", "a?b", "\\*", "s*s", "ä", "", "*ß*"][random.below(10)]))
    default: result.right = side(result.left, depth, &random)
    }
    return result
  }

  /// What stands beside something: often of its type.
  private mutating func side(_ left: FetchExpression, _ depth: Int, _ random: inout Random) -> FetchExpression
  {
    if random.chance(6) { return expression(depth - 1, &random) }
    if case .keyPath(let names) = left, !random.chance(8), let attribute = attribute(names) {
      if attribute.type == .composite { return .value(Values.value(attribute, &random)) }
      return .value(Values.value(attribute.type, &random))
    }
    return .value(Values.any(&random))
  }

  private func attribute(_ names: [String]) -> Attribute? {
    var entity = model.entity(named: "Item")
    for name in names {
      if let attribute = entity?.attribute(named: name) { return attribute }
      entity = entity?.relationship(named: name)?.destination
    }
    return nil
  }

  // MARK: Expressions

  private mutating func expression(_ depth: Int, _ random: inout Random) -> FetchExpression {
    if depth <= 0 || random.chance(2) { return leaf(&random) }
    switch random.below(10) {
    case 0, 1, 2:
      let function = random.element(FetchFunction.allCases)!
      if function == .now { return leaf(&random) }
      return .function(
        function, (0..<function.arguments).map { _ in expression(depth - 1, &random) })
    case 3, 4: return aggregate(depth, &random)
    case 5:
      return .conditional(
        predicate(depth - 2, &random), expression(depth - 1, &random), expression(depth - 1, &random))
    case 6: return element(&random)
    case 7: return .value(Values.any(&random))
    default: return leaf(&random)
    }
  }

  private mutating func leaf(_ random: inout Random) -> FetchExpression {
    if let variable = random.element(variables), random.chance(2) {
      return .variable(variable.name + "." + single(variable.entity, &random).joined(separator: "."))
    }
    if random.chance(12) { return .selfObject }
    return .keyPath(single("Item", &random))
  }

  /// A path to one value.
  private func single(_ entity: String, _ random: inout Random) -> [String] {
    let attributes =
      entity == "Item"
      ? [
        "small", "number", "other", "real", "single", "exact", "flag", "day", "name", "title", "bytes", "id",
        "page",
        "stored", "mood", "place", "place.city", "place.x", "stored.a", "stored.b.c", "stored.1", "parent",
      ] : ["name", "weight", "owner"]
    var path: [String] = []
    if random.chance(5) { path = entity == "Item" ? ["parent"] : ["owner"] }
    if random.chance(25) { path.append("parent") }
    let names = entity == "Tag" && path == ["owner"] ? ["name", "number", "parent"] : attributes
    if entity == "Tag", path.last == "parent" { path = ["owner", "parent"] }
    return path
      + random.element(entity == "Tag" && path.count == 2 ? ["name", "real"] : names)!.split(separator: ".")
      .map(String.init)
  }

  /// A path over to-manys.
  private func plural(_ random: inout Random, toObjects: Bool) -> [String] {
    let starts = [
      ["children"], ["tags"], ["list"], ["friends"], ["parent", "children"], ["children", "tags"],
      ["tags", "items"], ["friends", "children"], ["children", "children"], ["tags", "owner"],
      ["list", "owner", "tags"],
    ]
    let start = random.element(starts)!
    if toObjects || random.chance(5) { return start }
    let isTag = ["tags", "list"].contains(start.last!)
    return start + (isTag ? [["name"], ["weight"], ["owner"]][random.below(3)] : single("Item", &random))
  }

  private mutating func collection(_ random: inout Random, toObjects: Bool) -> FetchExpression {
    if random.chance(3), variables.count < 2 {
      let path = plural(&random, toObjects: true)
      let isTag = ["tags", "list"].contains(path.last!)
      let name = ["x", "y"][variables.count]
      variables.append((name, isTag ? "Tag" : "Item"))
      defer { variables.removeLast() }
      return .subquery(
        FetchSubquery(
          .keyPath(path), name, where: predicate(1, &random),
          keyPath: toObjects || random.chance(2) ? [] : isTag ? ["name"] : single("Item", &random)))
    }
    if let variable = random.element(variables), variable.entity == "Item", random.chance(2) {
      return .variable(variable.name + ".children" + (toObjects ? "" : ".name"))
    }
    return .keyPath(plural(&random, toObjects: toObjects))
  }

  private mutating func aggregate(_ depth: Int, _ random: inout Random) -> FetchExpression {
    let numbers = ["small", "number", "other", "real", "single", "exact", "flag"]
    let name = random.element(numbers)!
    switch random.below(6) {
    case 0: return .keyPath(plural(&random, toObjects: true) + ["@count"])
    case 1: return .keyPath(["children", "@sum", name])
    case 2:
      return .keyPath(["children", name, random.element(["@sum", "@avg", "@min", "@max", "@median"])!])
    case 3: return .aggregate(.count, collection(&random, toObjects: random.chance(2)))
    case 4:
      return .aggregate(
        random.chance(2) ? .min : .max,
        .keyPath(["children", random.element(numbers + ["name", "day", "id"])!]))
    default:
      return .aggregate(
        random.element([.min, .max, .count])!,
        .list((0..<random.below(4)).map { _ in .keyPath([random.element(["number", "real", "other"])!]) }))
    }
  }

  private mutating func element(_ random: inout Random) -> FetchExpression {
    let place: FetchPlace = [.first, .last, .at(0), .at(1)][random.below(4)]
    let (path, isTag) = [
      (["list"], true), (["children"], false), (["parent", "list"], true), (["tags"], true),
    ][random.below(4)]
    let rest =
      isTag
      ? [[], ["name"], ["weight"], ["owner", "name"]][random.below(4)]
      : [[], ["name"], ["parent", "real"], ["exact"]][random.below(4)]
    return .element(.keyPath(path), place, rest)
  }

  // MARK: Orders

  func sort(_ random: inout Random) -> [FetchSort] {
    (0..<random.below(4)).map { _ in
      let paths = [
        "small", "number", "real", "exact", "flag", "day", "name", "title", "id", "page", "bytes",
        "parent.name",
        "parent.parent.number", "children.@count", "children.@max.real", "tags.@count", "parent.exact",
        "mood",
        "children.@sum.other",
      ]
      return FetchSort(
        random.element(paths)!, ascending: random.chance(2),
        options: ComparisonOptions(rawValue: random.chance(3) ? random.below(4) : 0),
        comparator: random.chance(6) ? random.element(FetchSort.Comparator.allCases)! : .scalars,
        nulls: random.element(FetchSort.Nulls.allCases)!)
    }
  }
}

extension FetchFunction {
  fileprivate var arguments: Int {
    switch self {
    case .now: 0
    case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor,
      .concatenate:
      2
    default: 1
    }
  }
}
