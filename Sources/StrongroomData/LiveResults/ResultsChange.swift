/// One thing that happened to a list of live models.
///
/// Old indexes count in the list before all of the changes, new indexes in the list after them.
/// Deletions come first, from the end of the list; then insertions, moves and updates, each from
/// its start.
public enum ResultsChange<Model: PersistentModel> {
  /// A model appeared.
  case insert(Model, at: Int)
  /// A model vanished.
  case delete(PersistentIdentifier, from: Int)
  /// A model changed and stands elsewhere.
  case move(Model, from: Int, to: Int)
  /// A model changed and stands where it stood among the others.
  case update(Model, at: Int)
}
