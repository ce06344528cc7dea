import SwiftIfConfig
import SwiftSyntax
import SwiftSyntaxMacros

extension DeclGroupSyntax {
  /// The members that the compiler sees, with the active clause of each `#if`.
  func activeMembers(in context: some MacroExpansionContext) -> [DeclSyntax] {
    var members: [DeclSyntax] = []
    collect(memberBlock.members, in: context, into: &members)
    return members
  }
}

private func collect(
  _ items: MemberBlockItemListSyntax, in context: some MacroExpansionContext, into members: inout [DeclSyntax]
) {
  for item in items {
    guard let condition = item.decl.as(IfConfigDeclSyntax.self) else {
      members.append(item.decl)
      continue
    }
    guard let configuration = context.buildConfiguration,
      case .decls(let inner)? = condition.activeClause(in: configuration).clause?.elements
    else { continue }
    collect(inner, in: context, into: &members)
  }
}
