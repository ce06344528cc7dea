public import Foundation

/// Who edits a context, for those who observe its changes.
public struct EditingState: Sendable, Hashable, Identifiable {
  /// Identifies the editor.
  public let id: UUID
  /// A name for it.
  public var author: String?
  /// Makes a state.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}
