import SwiftDiagnostics
import SwiftSyntax

/// An error message of a macro, which may offer fix-its.
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
  /// Replaces the text of a node without its surrounding trivia.
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

  /// Inserts text before a node.
  static func inserting(_ text: String, before node: some SyntaxProtocol, _ message: String) -> FixIt {
    let position = node.positionAfterSkippingLeadingTrivia
    return FixIt(
      message: FixItText(message: message),
      changes: [.replaceText(range: position..<position, with: text, in: Syntax(node))])
  }

  /// Inserts text after a node, before its trailing trivia.
  static func inserting(_ text: String, after node: some SyntaxProtocol, _ message: String) -> FixIt {
    let position = node.endPositionBeforeTrailingTrivia
    return FixIt(
      message: FixItText(message: message),
      changes: [.replaceText(range: position..<position, with: text, in: Syntax(node))])
  }

  /// Marks a property `@Transient`, so that it is not stored.
  static func markingTransient(_ declaration: VariableDeclSyntax) -> FixIt {
    .inserting("@Transient ", before: declaration, "mark it '@Transient', and it is not stored")
  }
}
