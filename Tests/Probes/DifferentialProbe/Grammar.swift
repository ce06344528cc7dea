import Foundation
import SeededRandom
import Strongroom

/// Makes predicates of every node, for the entity Item.
struct Grammar {
  /// The variables of the subqueries around, and their entities.
  private var variables: [(name: String, entity: EntityDescription)] = []
  private let model: ManagedObjectModel

  init(_ model: ManagedObjectModel) { self.model = model }

  mutating func predicate(_ depth: Int, _ random: inout Random) -> FetchPredicate {
    if depth <= 0 || random.chance(2) { return .comparison(comparison(depth, &random)) }
    switch random.below(9) {
    case 8: return kind(depth, &random)
    case 0: return .constant(random.chance(2))
    case 1, 2: return .not(predicate(depth - 1, &random))
    case 3, 4: return .and((0..<random.below(4)).map { _ in predicate(depth - 1, &random) })
    case 5, 6: return .or((0..<random.below(4)).map { _ in predicate(depth - 1, &random) })
    default: return .comparison(comparison(depth, &random))
    }
  }

  /// What an object is; often of the family that it is of.
  private mutating func kind(_ depth: Int, _ random: inout Random) -> FetchPredicate {
    let (expression, entity) = object(depth, &random)
    let names = random.chance(10) ? model.entities : entity.root.hierarchy
    return .kind(expression, random.element(names)!.name)
  }

  private mutating func object(_ depth: Int, _ random: inout Random) -> (FetchExpression, EntityDescription) {
    switch random.below(5) {
    case 0:
      if let next = random.element(toOnes(item)) { return (.keyPath([next.name]), next.destination) }
    case 1:
      if let variable = random.element(variables) {
        guard let next = random.element(toOnes(variable.entity)), random.chance(2) else {
          return (.variable(variable.name), variable.entity)
        }
        return (.variable(variable.name + "." + next.name), next.destination)
      }
    case 2:
      if let many = random.element(toManys(item)) {
        return (.element(.keyPath([many.name]), random.chance(2) ? .first : .at(1), []), many.destination)
      }
    case 3 where depth > 0:
      let other: FetchExpression = random.chance(2) ? .selfObject : .value(.null)
      return (.conditional(predicate(depth - 2, &random), .selfObject, other), item)
    default: break
    }
    return (.selfObject, item)
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

  private var item: EntityDescription { model.entity(named: "Item")! }

  private func attribute(_ names: [String]) -> AttributeDescription? {
    var entity: EntityDescription? = item
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
    return .keyPath(single(item, &random))
  }

  private func toOnes(_ entity: EntityDescription) -> [RelationshipDescription] {
    entity.relationships.filter { !$0.isToMany }
  }
  private func toManys(_ entity: EntityDescription) -> [RelationshipDescription] {
    entity.relationships.filter(\.isToMany)
  }

  /// A path to one value: over some to-ones, into JSON and composites too.
  private func single(_ start: EntityDescription, _ random: inout Random) -> [String] {
    var (path, entity) = ([String](), start)
    while path.count < 3, random.chance(5), let next = random.element(toOnes(entity)) {
      path.append(next.name)
      entity = next.destination
    }
    if random.chance(12), let last = random.element(toOnes(entity)) { return path + [last.name] }
    // What another of the family has.
    if random.chance(6), let other = random.element(entity.root.hierarchy),
      let attribute = random.element(other.attributes)
    {
      return path + ["\(other.name):\(attribute.name)"]
    }
    guard let attribute = random.element(entity.attributes) else { return path.isEmpty ? ["nothing"] : path }
    path.append(attribute.name)
    switch attribute.type {
    case .composite where !random.chance(3): path.append(random.chance(2) ? "city" : "x")
    case .transformable where !random.chance(3): path += [["a"], ["b", "c"], ["1"]][random.below(3)]
    default: break
    }
    return path
  }

  /// A path over to-manys, and where it ends; nil where the walk finds none.
  private func walk(_ start: EntityDescription, _ random: inout Random) -> (
    path: [String], end: EntityDescription
  )? {
    var (path, entity) = ([String](), start)
    if random.chance(4), let first = random.element(toOnes(entity)) {
      path.append(first.name)
      entity = first.destination
    }
    guard let many = random.element(toManys(entity)) else { return nil }
    path.append(many.name)
    entity = many.destination
    while path.count < 4, random.chance(3), let next = random.element(entity.relationships) {
      path.append(next.name)
      entity = next.destination
    }
    return (path, entity)
  }

  private mutating func collection(_ random: inout Random, toObjects: Bool) -> FetchExpression {
    if random.chance(4), let variable = random.element(variables),
      let (path, end) = walk(variable.entity, &random)
    {
      let rest = toObjects || random.chance(3) ? [] : single(end, &random)
      return .variable(([variable.name] + path + rest).joined(separator: "."))
    }
    // Item has a to-many always.
    var found = walk(item, &random)
    while found == nil { found = walk(item, &random) }
    let (path, end) = found!
    if random.chance(3), variables.count < 2 {
      let name = ["x", "y"][variables.count]
      variables.append((name, end))
      defer { variables.removeLast() }
      return .subquery(
        FetchSubquery(
          .keyPath(path), name, where: predicate(1, &random),
          keyPath: toObjects || random.chance(2) ? [] : single(end, &random)))
    }
    return .keyPath(path + (toObjects || random.chance(5) ? [] : single(end, &random)))
  }

  private func numbers(_ entity: EntityDescription) -> [String] {
    entity.attributes.filter {
      [.integer16, .integer32, .integer64, .double, .float, .decimal, .boolean].contains($0.type)
    }.map(\.name)
  }

  private mutating func aggregate(_ depth: Int, _ random: inout Random) -> FetchExpression {
    guard let (path, end) = walk(item, &random) else { return leaf(&random) }
    let number = random.element(numbers(end))
    switch random.below(6) {
    case 0: return .keyPath(path + ["@count"])
    case 1 where number != nil: return .keyPath(path + ["@sum", number!])
    case 2 where number != nil:
      return .keyPath(path + [number!, random.element(["@sum", "@avg", "@min", "@max", "@median"])!])
    case 3: return .aggregate(.count, collection(&random, toObjects: random.chance(2)))
    case 4: return .aggregate(random.chance(2) ? .min : .max, .keyPath(path + single(end, &random)))
    default:
      return .aggregate(
        random.element([.min, .max, .count])!,
        .list((0..<random.below(4)).map { _ in .keyPath([random.element(numbers(item))!]) }))
    }
  }

  private mutating func element(_ random: inout Random) -> FetchExpression {
    let place: CollectionIndex = [.first, .last, .at(0), .at(1)][random.below(4)]
    var (path, entity) = ([String](), item)
    if random.chance(4), let first = random.element(toOnes(entity)) {
      path.append(first.name)
      entity = first.destination
    }
    guard let many = random.element(toManys(entity)) else { return leaf(&random) }
    let rest = random.chance(4) ? [] : single(many.destination, &random)
    return .element(.keyPath(path + [many.name]), place, rest)
  }

  // MARK: Orders

  func sort(_ random: inout Random) -> [FetchSortDescriptor] {
    (0..<random.below(4)).compactMap { _ in
      var path: [String]
      if random.chance(4), let (many, end) = walk(item, &random) {
        let number = random.element(numbers(end))
        path =
          random.chance(2) || number == nil
          ? many + ["@count"] : many + [random.element(["@sum", "@max", "@min"])!, number!]
      } else {
        path = single(item, &random)
        // What holds anything has no order.
        if path.contains(where: { $0.contains(":") }) { return nil }
        if let attribute = attribute(path), attribute.type == .composite || attribute.type == .transformable {
          return nil
        }
      }
      return FetchSortDescriptor(
        path.joined(separator: "."), ascending: random.chance(2),
        options: ComparisonOptions(rawValue: random.chance(3) ? random.below(4) : 0),
        comparator: random.chance(6) ? random.element(FetchSortDescriptor.Comparator.allCases)! : .scalars,
        nulls: random.element(FetchSortDescriptor.Nulls.allCases)!)
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
