import Foundation

/// A condition on models, as Foundation's `#Predicate`, which may evaluate other conditions:
/// `#Predicate<Trip> { trip in isLong.evaluate(trip) && trip.name != "" }`.
///
/// A fetch answers all of them in its one statement. Foundation's own macro, which has no `evaluate` on
/// Linux, stands for values that are no models, and for several inputs.
@freestanding(expression)
public macro Predicate<Input: PersistentModel>(_ body: (Input) -> Bool) -> Foundation.Predicate<Input> =
  #externalMacro(module: "StrongroomMacros", type: "PredicateMacro")

/// Foundation's `#Predicate`, for what `#Predicate` of a model expands to.
@freestanding(expression)
public macro _FoundationPredicate<each Input>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "FoundationMacros", type: "PredicateMacro")
