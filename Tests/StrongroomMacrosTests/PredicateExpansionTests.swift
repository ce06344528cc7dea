import StrongroomMacros
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("What #Predicate of a model expands to")
struct PredicateExpansionTests {
  private func expect(
    _ source: String, _ expanded: String, location: Testing.SourceLocation = #_sourceLocation
  ) {
    assertMacroExpansion(
      source, expandedSource: expanded, macroSpecs: ["Predicate": MacroSpec(type: PredicateMacro.self)],
      failureHandler: { Issue.record("\($0.message)", sourceLocation: location) })
  }

  @Test("Foundation's macro, with all that it was given")
  func unchanged() {
    expect(
      "let a = #Predicate<Trip> { trip in trip.name == name && $0.evaluate }",
      """
      let a = #_FoundationPredicate<Trip> { trip in
          trip.name == name && $0.evaluate
      }
      """)
    expect(
      "#Predicate({ $0.days > 1 })",
      """
      #_FoundationPredicate({
          $0.days > 1
      })
      """)
  }

  @Test(
    "Evaluations are subscripts, wherever they are",
    arguments: [
      ("isLong.evaluate($0) && !other.evaluate($0)", "isLong[$0] && !other[$0]"),
      ("count.evaluate(one.evaluate($0))", "count[one[$0]]"),
      ("$0.evaluate(for: 1)", "$0.evaluate(for: 1)"),
      ("$0.a.evaluate($0.stops) > 1", "$0.a[$0.stops] > 1"),
    ])
  func evaluations(written: String, expanded: String) {
    expect(
      "#Predicate<Trip> { \(written) }",
      """
      #_FoundationPredicate<Trip> {
          \(expanded)
      }
      """)
  }

  @Test("What is asked and is no name is evaluated before")
  func receivers() {
    expect(
      """
      #Predicate<Trip> { trip in
        filters[0].evaluate(trip) && trip.stops.contains { stop in Self.isFar.evaluate(stop) }
      }
      """,
      """
      {
          let __macro_local_5askedfMu_ = filters[0]
          let __macro_local_5askedfMu0_ = Self.isFar
          return #_FoundationPredicate<Trip> { trip in
            __macro_local_5askedfMu_[trip] && trip.stops.contains { stop in
                __macro_local_5askedfMu0_[stop]
            }
          }
      }()
      """)
  }
}
