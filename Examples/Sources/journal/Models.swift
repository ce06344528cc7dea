import StrongroomData

/// One text, with tags to find it by.
@Model final class Entry {
  /// What it is called on the command line.
  var code: String
  var title: String
  var text: String
  var written: Date
  var changed: Date
  @Relationship(inverse: \Tag.entries) var tags: [Tag] = []

  init(title: String, text: String) {
    code = String(UUID().uuidString.prefix(8)).lowercased()
    self.title = title
    self.text = text
    written = .now
    changed = .now
  }
}

@Model final class Tag {
  @Attribute(.unique) var name: String
  var entries: [Entry] = []

  init(_ name: String) { self.name = name }
}
