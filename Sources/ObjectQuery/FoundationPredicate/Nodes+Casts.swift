import Foundation
import ObjectModel

extension PredicateTranslator {
  /// A value that is to be of another type: an object of a subclass, or what it is anyway.
  func cast<Output, Desired>(
    _ input: Any, _ output: Output.Type, to desired: Desired.Type, _ node: Any.Type
  ) throws(QueryError) -> PredicatePart {
    if output == desired || output == Desired?.self { return try part(input) }
    guard let entity = Self.entityName(of: desired), Self.entityName(of: output) != nil else {
      throw Self.refusal(of: desired, node)
    }
    return .cast(try expression(input), entity: entity, isSeenTo: false)
  }

  static func refusal(of type: Any.Type, _ node: Any.Type) -> QueryError {
    QueryError(
      .unsupported,
      "\(name(node)) to \(type) has no translation; ask whether a model is of one of its subclasses")
  }

  /// The entity of a class of models, optional or not.
  static func entityName(of type: Any.Type) -> String? { model(type)?.queryEntityName }
}

extension PredicateExpressions.TypeCheck: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    guard let entity = PredicateTranslator.entityName(of: Desired.self),
      PredicateTranslator.entityName(of: Input.Output.self) != nil
    else { throw PredicateTranslator.refusal(of: Desired.self, Self.self) }
    return .condition(.kind(try translator.expression(input), entity))
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.cast(input, Input.Output.self, to: Desired.self, Self.self)
  }
}

extension PredicateExpressions.ForceCast: TranslatableNode {
  func translated(_ translator: PredicateTranslator) throws(QueryError) -> PredicatePart {
    try translator.cast(input, Input.Output.self, to: Desired.self, Self.self)
  }
}
