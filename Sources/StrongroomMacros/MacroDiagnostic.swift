import SwiftDiagnostics
import SwiftSyntax

/// What a macro tells the reader of a declaration, with the mends it offers.
struct MacroDiagnostic: DiagnosticMessage {
  let id: String
  let message: String
  var severity: DiagnosticSeverity = .error

  var diagnosticID: MessageID { MessageID(domain: "Strongroom", id: id) }

  func diagnostic(at node: some SyntaxProtocol, fixIts: [FixIt] = []) -> Diagnostic {
    Diagnostic(node: node, message: self, fixIts: fixIts)
  }
}

private struct FixItText: FixItMessage {
  let message: String
  var fixItID: MessageID { MessageID(domain: "Strongroom", id: message) }
}

extension FixIt {
  /// Replaces the text of a node; the space around it stays.
  static func replacing(_ node: some SyntaxProtocol, with text: String, _ message: String) -> FixIt {
    FixIt(
      message: FixItText(message: message),
      changes: [.replaceText(range: node.trimmedRange, with: text, in: Syntax(node))])
  }

  /// Removes a node and the space after it.
  static func removing(_ node: some SyntaxProtocol, _ message: String) -> FixIt {
    let range = node.positionAfterSkippingLeadingTrivia..<node.endPosition
    return FixIt(
      message: FixItText(message: message),
      changes: [.replaceText(range: range, with: "", in: Syntax(node))])
  }

  /// Puts text before a node.
  static func inserting(_ text: String, before node: some SyntaxProtocol, _ message: String) -> FixIt {
    let place = node.positionAfterSkippingLeadingTrivia
    return FixIt(
      message: FixItText(message: message),
      changes: [.replaceText(range: place..<place, with: text, in: Syntax(node))])
  }

  /// Puts text after a node, before the space that follows it.
  static func inserting(_ text: String, after node: some SyntaxProtocol, _ message: String) -> FixIt {
    let place = node.endPositionBeforeTrailingTrivia
    return FixIt(
      message: FixItText(message: message),
      changes: [.replaceText(range: place..<place, with: text, in: Syntax(node))])
  }

  /// Leaves a property out of the store.
  static func markingTransient(_ declaration: VariableDeclSyntax) -> FixIt {
    .inserting("@Transient ", before: declaration, "mark it '@Transient', and it is not stored")
  }
}
