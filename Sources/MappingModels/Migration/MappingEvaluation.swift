import AppleModel
import KeyedArchive
import ObjectContext
import ObjectModel
import ObjectQuery

/// An expression of a mapping model whose names have been looked up for a source and a destination
/// entity.
///
/// Objects, and the functions of the manager and the policy, are evaluated here; all else is an
/// expression as queries have them.
indirect enum MappingEvaluation {
  case constant(FoundationValue)
  /// `$source` or `$destination`.
  case object(MappingVariable)
  case attribute(AttributeDescription)
  case path(MappingVariable, ResolvedDestinations, isDistinct: Bool)
  case computed(ResolvedValue)
  case instances(ofMapping: String, MappingEvaluation)
  case relatedInstances(MappingEvaluation)
  case policyFunction(String, [MappingEvaluation])
  /// A part of the migration that is passed to a policy, which has it already.
  case nothing
}

/// A variable that stands for an object.
enum MappingVariable: String {
  case source, destination
}

/// Looks up the names of expressions.
struct MappingResolver {
  let source: EntityDescription?
  let destination: EntityDescription?
  let mappingNames: Set<String>

  /// - Throws: `MappingModelError` with code `unsupportedExpression`.
  func resolve(_ expression: ArchivedExpression) throws -> MappingEvaluation {
    switch expression {
    case .constant(let value): return .constant(value)
    case .variable(let name):
      if let variable = MappingVariable(rawValue: name), entity(variable) != nil { return .object(variable) }
      throw unsupported(expression, "there is no $\(name) here; use $source")
    case .keyPath(.variable(let name), let path):
      guard let variable = MappingVariable(rawValue: name), let entity = entity(variable) else {
        throw unsupported(expression, "there is no $\(name) here; use $source")
      }
      return try resolve(path, of: variable, entity, expression)
    case .function(.variable("manager")?, let selector, let arguments):
      return try managerFunction(selector, arguments, expression)
    case .function(.variable("entityPolicy")?, let selector, let arguments):
      return .policyFunction(selector, try arguments.map(policyArgument))
    default: return try computed(expression)
    }
  }

  private func entity(_ variable: MappingVariable) -> EntityDescription? {
    variable == .source ? source : destination
  }

  private func unsupported(
    _ expression: ArchivedExpression, _ reason: String, _ cause: (any Error)? = nil
  ) -> MappingModelError {
    MappingModelError(.unsupportedExpression, "\(expression.formatText): \(reason)", cause: cause)
  }

  /// Operators that only join the values of several collections, which a path here does anyway.
  private static let unions: Set<String> = [
    "@unionOfObjects", "@unionOfSets", "@unionOfArrays", "@distinctUnionOfObjects", "@distinctUnionOfSets",
    "@distinctUnionOfArrays",
  ]

  private func resolve(
    _ path: String, of variable: MappingVariable, _ entity: EntityDescription,
    _ expression: ArchivedExpression
  ) throws -> MappingEvaluation {
    if variable == .source, let attribute = entity.attribute(named: path) { return .attribute(attribute) }
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let steps = names.filter { !Self.unions.contains($0) }
    if !steps.contains(where: { $0.hasPrefix("@") }) {
      do {
        if let destinations = try ResolvedDestinations(steps, from: entity) {
          return .path(
            variable, destinations, isDistinct: names.contains { $0.hasPrefix("@distinct") })
        }
      } catch {
        throw unsupported(expression, "the key path leads nowhere; correct it", error)
      }
    }
    return try computed(expression)
  }

  private func managerFunction(
    _ selector: String, _ arguments: [ArchivedExpression], _ expression: ArchivedExpression
  ) throws -> MappingEvaluation {
    guard arguments.count == 2, case .constant(.string(let name)) = arguments[0] else {
      throw unsupported(expression, "the manager has no such function; use a policy")
    }
    switch selector {
    case MappingSelector.byMapping:
      guard mappingNames.contains(name) else {
        throw unsupported(expression, "there is no entity mapping \(name)")
      }
      return .instances(ofMapping: name, try resolve(arguments[1]))
    case MappingSelector.byRelationship: return .relatedInstances(try resolve(arguments[1]))
    default: throw unsupported(expression, "the manager has no such function; use a policy")
    }
  }

  private func policyArgument(_ argument: ArchivedExpression) throws -> MappingEvaluation {
    if case .variable(let name) = argument, MappingVariable(rawValue: name) == nil { return .nothing }
    return try resolve(argument)
  }

  /// What queries have too: arithmetic, functions, conditions, aggregates, subqueries.
  private func computed(_ expression: ArchivedExpression) throws -> MappingEvaluation {
    var variables: [(name: String, entity: EntityDescription)] = []
    if let source { variables.append((MappingVariable.source.rawValue, source)) }
    if let destination { variables.append((MappingVariable.destination.rawValue, destination)) }
    do {
      let query = try FetchExpression(format: expression.formatText)
      return .computed(try ResolvedValue(query, about: variables))
    } catch {
      throw unsupported(expression, "it cannot be computed; use a policy", error)
    }
  }
}
