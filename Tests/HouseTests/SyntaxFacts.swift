import SwiftParser
import SwiftSyntax

/// The declarations, names, sentences and complexities of one file.
struct SyntaxFacts: Sendable {
  struct Function: Sendable {
    let name: String
    let line: Int
    /// McCabe's number: one and one more for each branch.
    let complexity: Int
  }

  struct Text: Sendable {
    let line: Int
    let text: String
  }

  private(set) var imports: Set<String> = []
  private(set) var functions: [Function] = []
  /// Types that other files of the target can name.
  private(set) var declaredTypes: Set<String> = []
  /// Types that a protocol leaves to those who conform.
  private(set) var associatedTypes: Set<String> = []
  /// Types that this file alone can name.
  private(set) var hiddenTypes: Set<String> = []
  /// Capitalised names that the code mentions, its own included.
  private(set) var mentionedTypes: Set<String> = []
  /// Names of public and open declarations, argument labels included.
  private(set) var publicNames: Set<String> = []
  /// Comments, and the pieces of string literals.
  private(set) var sentences: [Text] = []

  init(of source: String) {
    let tree = Parser.parse(source: source)
    let walker = Walker(SourceLocationConverter(fileName: "", tree: tree))
    walker.walk(tree)
    self = walker.facts
  }

  private init() {}

  private final class Walker: SyntaxVisitor {
    var facts = SyntaxFacts()
    private let locations: SourceLocationConverter

    init(_ locations: SourceLocationConverter) {
      self.locations = locations
      super.init(viewMode: .sourceAccurate)
    }

    private func line(_ node: some SyntaxProtocol) -> Int {
      locations.location(for: node.positionAfterSkippingLeadingTrivia).line
    }

    private func measure(_ name: String, _ node: some SyntaxProtocol, _ body: Syntax?) {
      guard let body else { return }
      facts.functions.append(
        Function(name: name, line: line(node), complexity: 1 + BranchCounter.count(body)))
    }

    private func declare(_ name: TokenSyntax, _ modifiers: DeclModifierListSyntax) {
      publish(name.text, modifiers)
      let hidden = modifiers.contains { ["private", "fileprivate"].contains($0.name.text) }
      if hidden { facts.hiddenTypes.insert(name.text) } else { facts.declaredTypes.insert(name.text) }
    }

    private func publish(_ name: String, _ modifiers: DeclModifierListSyntax) {
      if modifiers.contains(where: { ["public", "open"].contains($0.name.text) && $0.detail == nil }) {
        facts.publicNames.insert(name)
      }
    }

    override func visit(_ node: ImportDeclSyntax) -> SyntaxVisitorContinueKind {
      if let first = node.path.first { facts.imports.insert(first.name.text) }
      return .visitChildren
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      measure(node.name.text, node, node.body.map { Syntax($0) })
      publish(node.name.text, node.modifiers)
      for parameter in node.signature.parameterClause.parameters {
        publish(parameter.firstName.text, node.modifiers)
      }
      return .visitChildren
    }

    override func visit(_ node: InitializerDeclSyntax) -> SyntaxVisitorContinueKind {
      measure("init", node, node.body.map { Syntax($0) })
      for parameter in node.signature.parameterClause.parameters {
        publish(parameter.firstName.text, node.modifiers)
      }
      return .visitChildren
    }

    override func visit(_ node: AssociatedTypeDeclSyntax) -> SyntaxVisitorContinueKind {
      facts.associatedTypes.insert(node.name.text)
      return .visitChildren
    }

    override func visit(_ node: AccessorDeclSyntax) -> SyntaxVisitorContinueKind {
      measure(node.accessorSpecifier.text, node, node.body.map { Syntax($0) })
      return .visitChildren
    }

    override func visit(_ node: PatternBindingSyntax) -> SyntaxVisitorContinueKind {
      if case .getter(let body)? = node.accessorBlock?.accessors {
        measure(node.pattern.trimmedDescription, node, Syntax(body))
      }
      return .visitChildren
    }

    override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
      for binding in node.bindings { publish(binding.pattern.trimmedDescription, node.modifiers) }
      return .visitChildren
    }

    override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
      declare(node.name, node.modifiers)
      return .visitChildren
    }

    override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind {
      declare(node.name, node.modifiers)
      return .visitChildren
    }

    override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind {
      declare(node.name, node.modifiers)
      return .visitChildren
    }

    override func visit(_ node: ActorDeclSyntax) -> SyntaxVisitorContinueKind {
      declare(node.name, node.modifiers)
      return .visitChildren
    }

    override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
      declare(node.name, node.modifiers)
      return .visitChildren
    }

    override func visit(_ node: TypeAliasDeclSyntax) -> SyntaxVisitorContinueKind {
      declare(node.name, node.modifiers)
      return .visitChildren
    }

    override func visit(_ node: StringSegmentSyntax) -> SyntaxVisitorContinueKind {
      facts.sentences.append(Text(line: line(node), text: node.content.text))
      return .visitChildren
    }

    override func visit(_ token: TokenSyntax) -> SyntaxVisitorContinueKind {
      if case .identifier(let name) = token.tokenKind, name.first?.isUppercase == true {
        facts.mentionedTypes.insert(name)
      }
      for piece in token.leadingTrivia.pieces + token.trailingTrivia.pieces {
        switch piece {
        case .lineComment(let text), .blockComment(let text), .docLineComment(let text),
          .docBlockComment(let text):
          facts.sentences.append(Text(line: line(token), text: text))
        default: break
        }
      }
      return .skipChildren
    }
  }
}

/// Counts the branches of a body: those of closures in it too, those of functions and types
/// declared in it not.
private final class BranchCounter: SyntaxVisitor {
  private var branches = 0

  static func count(_ body: Syntax) -> Int {
    let counter = BranchCounter(viewMode: .sourceAccurate)
    counter.walk(body)
    return counter.branches
  }

  private func branch() -> SyntaxVisitorContinueKind {
    branches += 1
    return .visitChildren
  }

  override func visit(_ node: IfExprSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: GuardStmtSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: CatchClauseSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: TernaryExprSyntax) -> SyntaxVisitorContinueKind { branch() }
  override func visit(_ node: UnresolvedTernaryExprSyntax) -> SyntaxVisitorContinueKind { branch() }

  override func visit(_ node: SwitchCaseSyntax) -> SyntaxVisitorContinueKind {
    if case .case = node.label { branches += 1 }
    return .visitChildren
  }

  override func visit(_ node: BinaryOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    if ["&&", "||"].contains(node.operator.text) { branches += 1 }
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: StructDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
  override func visit(_ node: EnumDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}
