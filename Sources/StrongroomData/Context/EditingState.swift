public import Foundation

/// Who edits a context, for those who hear of its changes.
public struct EditingState: Sendable, Hashable, Identifiable {
  /// What tells one editor from another.
  public let id: UUID
  /// A name for it.
  public var author: String?
  /// Makes a state.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
