// Stands for: tags many-to-many, folders that hold folders, notes that link to notes, large data
// kept outside with `.externalStorage`, optional to-many relationships, relationships whose inverse
// is left to be found, transient state, property access levels, `AttributedString`, predicates
// through to-many and to-one relationships.

import Foundation
import SwiftData

@Model
final class Folder {
  var name: String
  var symbol: String = "folder"
  var parent: Folder?

  @Relationship(deleteRule: .cascade, inverse: \Folder.parent)
  var children: [Folder] = []

  @Relationship(deleteRule: .nullify, inverse: \Note.folder)
  var notes: [Note] = []

  init(_ name: String, parent: Folder? = nil) {
    self.name = name
    self.parent = parent
  }
}

@Model
final class Note {
  var title: String
  var body: String
  var styledBody: AttributedString?
  private(set) var createdAt: Date
  fileprivate(set) var modifiedAt: Date
  var isPinned: Bool = false
  private var revision: Int = 0
  var folder: Folder?

  @Relationship(inverse: \NoteTag.notes)
  var tags: [NoteTag] = []

  @Relationship(deleteRule: .cascade, inverse: \Attachment.note)
  var attachments: [Attachment]? = []

  @Relationship
  var linkedNotes: [Note] = []

  @Relationship(inverse: \Note.linkedNotes)
  var backlinks: [Note] = []

  var reminder: Reminder?

  @Transient
  var isSelected: Bool = false

  @Transient var scrollPosition = 0.0

  init(title: String, body: String = "", createdAt: Date = .now, folder: Folder? = nil, tags: [NoteTag] = [])
  {
    self.title = title
    self.body = body
    self.createdAt = createdAt
    self.modifiedAt = createdAt
    self.folder = folder
    self.tags = tags
  }
}

@Model
final class NoteTag {
  @Attribute(.unique) var name: String
  var colorHex: UInt32
  var notes: [Note] = []

  init(name: String, colorHex: UInt32 = 0xFF_CC_00) {
    self.name = name
    self.colorHex = colorHex
  }
}

@Model
final class Attachment {
  enum Kind: String, Codable {
    case image, audio, document
  }

  var filename: String
  var kind: Kind
  @Attribute(.externalStorage) var data: Data
  @Attribute(.externalStorage) var thumbnail: Data?
  var note: Note?

  init(filename: String, kind: Kind = .document, data: Data) {
    self.filename = filename
    self.kind = kind
    self.data = data
  }
}

/// Both sides of this pair are plain properties: the inverse is theirs to find.
@Model
final class Reminder {
  var date: Date
  var note: Note?

  init(date: Date) { self.date = date }
}

// MARK: - Notes

extension Note {
  var wordCount: Int { body.split(whereSeparator: \.isWhitespace).count }
  var attachmentSize: Int { (attachments ?? []).reduce(0) { $0 + $1.data.count } }
  var revisions: Int { revision }

  func edit(at date: Date = .now, _ change: (inout String) -> Void) {
    change(&body)
    modifiedAt = date
    revision += 1
  }

  func attach(_ data: Data, as filename: String, kind: Attachment.Kind = .document) {
    let attachment = Attachment(filename: filename, kind: kind, data: data)
    if attachments == nil { attachments = [] }
    attachments?.append(attachment)
  }

  func tag(with names: String..., in context: ModelContext) throws {
    for name in names {
      let known = try context.fetch(FetchDescriptor<NoteTag>(predicate: #Predicate { $0.name == name }))
      let tag = known.first ?? NoteTag(name: name)
      if !tags.contains(tag) { tags.append(tag) }
    }
  }
}

// MARK: - Folders

extension Folder {
  var isRoot: Bool { parent == nil }

  var path: String {
    guard let parent else { return name }
    return parent.path + "/" + name
  }

  var depth: Int {
    var depth = 0
    var folder = parent
    while let current = folder {
      depth += 1
      folder = current.parent
    }
    return depth
  }

  var allNotes: [Note] { notes + children.flatMap(\.allNotes) }

  func child(named name: String) -> Folder {
    if let folder = children.first(where: { $0.name == name }) { return folder }
    let folder = Folder(name)
    children.append(folder)
    return folder
  }
}

// MARK: - Queries

enum NoteFilter {
  case all
  case pinned
  case tagged(String)
  case inFolder(PersistentIdentifier)
  case linking(to: PersistentIdentifier)
  case untagged

  var predicate: Predicate<Note>? {
    switch self {
    case .all:
      return nil
    case .pinned:
      return #Predicate<Note> { $0.isPinned == true }
    case .tagged(let name):
      return #Predicate<Note> { note in
        note.tags.contains { $0.name == name }
      }
    case .inFolder(let id):
      return #Predicate<Note> { $0.folder?.persistentModelID == id }
    case .linking(let id):
      return #Predicate<Note> { note in
        note.linkedNotes.contains { $0.persistentModelID == id }
      }
    case .untagged:
      return #Predicate<Note> { $0.tags.isEmpty }
    }
  }

  func descriptor(limit: Int? = nil) -> FetchDescriptor<Note> {
    var descriptor = FetchDescriptor<Note>(
      predicate: predicate,
      sortBy: [SortDescriptor(\.modifiedAt, order: .reverse), SortDescriptor(\.title)])
    descriptor.fetchLimit = limit
    return descriptor
  }
}

struct NoteStore {
  let context: ModelContext

  func notes(_ filter: NoteFilter = .all) throws -> [Note] {
    try context.fetch(filter.descriptor())
  }

  func search(_ text: String, includingBodies: Bool = true) throws -> [Note] {
    let predicate = #Predicate<Note> { note in
      note.title.localizedStandardContains(text)
        || (includingBodies && note.body.localizedStandardContains(text))
    }
    return try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)]))
  }

  func roots() throws -> [Folder] {
    try context.fetch(
      FetchDescriptor<Folder>(predicate: #Predicate { $0.parent == nil }, sortBy: [SortDescriptor(\.name)]))
  }

  func count(_ filter: NoteFilter) throws -> Int {
    try context.fetchCount(filter.descriptor())
  }

  func delete(_ notes: some Sequence<Note>) throws {
    for note in notes { context.delete(note) }
    try context.save()
  }
}
