// Over Models/Notes.swift: many-to-many, folders in folders, large data, transient state.

import Foundation
import SwiftData
import Testing

final class NotesTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Folder.self, Note.self, NoteTag.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let morning = Date(timeIntervalSinceReferenceDate: 800_000_000)

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      let home = Folder("Home")
      let garden = home.child(named: "Garden")
      let roses = garden.child(named: "Roses")
      context.insert(home)

      let pruning = Note(title: "Pruning", body: "Cut above the bud", createdAt: morning, folder: roses)
      let soil = Note(title: "Soil", body: "Clay, some sand", createdAt: morning + 60, folder: garden)
      let keys = Note(title: "Keys", body: "Under the blue pot", createdAt: morning + 120, folder: home)
      let stray = Note(title: "Café list", createdAt: morning + 180)
      for note in [pruning, soil, keys, stray] { context.insert(note) }
      try pruning.tag(with: "spring", "outdoors", in: context)
      try soil.tag(with: "outdoors", in: context)
      keys.isPinned = true
      pruning.linkedNotes = [soil, keys]
      stray.linkedNotes = [keys]
      pruning.reminder = Reminder(date: morning + 86_400)
      try context.save()
    }
  }

  private func note(_ title: String, in context: ModelContext) throws -> Note {
    try #require(try context.first(where: #Predicate<Note> { $0.title == title }))
  }

  @Test func foldersHoldFolders() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let notes = NoteStore(context: context)
      let home = try #require(try notes.roots().first)
      #expect(try notes.roots().count == 1)
      #expect(home.isRoot)
      #expect(Set(home.allNotes.map(\.title)) == ["Pruning", "Soil", "Keys"])
      let roses = try #require(try note("Pruning", in: context).folder)
      #expect(roses.path == "Home/Garden/Roses")
      #expect(roses.depth == 2)
      #expect(roses.symbol == "folder")
      #expect(roses.parent?.children.map(\.name) == ["Roses"])
      #expect(home.child(named: "Garden") === roses.parent)

      let garden = try #require(roses.parent)
      #expect(try notes.notes(.inFolder(garden.persistentModelID)).map(\.title) == ["Soil"])
      roses.parent = home
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let roots = try NoteStore(context: context).roots()
      #expect(roots.map(\.name) == ["Home"])
      #expect(Set(roots[0].children.map(\.name)) == ["Garden", "Roses"])
    }
  }

  @Test func tagsAndNotesKnowEachOther() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let notes = NoteStore(context: context)
      #expect(try notes.notes(.tagged("outdoors")).map(\.title) == ["Soil", "Pruning"])
      #expect(try notes.notes(.tagged("spring")).map(\.title) == ["Pruning"])
      #expect(try notes.notes(.untagged).map(\.title) == ["Café list", "Keys"])
      #expect(try notes.notes(.pinned).map(\.title) == ["Keys"])
      #expect(try notes.count(.tagged("nothing")) == 0)

      let outdoors = try #require(try context.first(where: #Predicate<NoteTag> { $0.name == "outdoors" }))
      #expect(Set(outdoors.notes.map(\.title)) == ["Pruning", "Soil"])
      #expect(outdoors.colorHex == 0xFF_CC_00)
      let soil = try note("Soil", in: context)
      soil.tags.removeAll { $0 === outdoors }
      outdoors.notes.append(try note("Keys", in: context))
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let notes = NoteStore(context: context)
      #expect(try notes.notes(.tagged("outdoors")).map(\.title) == ["Keys", "Pruning"])
      let outdoors = try #require(try context.first(where: #Predicate<NoteTag> { $0.name == "outdoors" }))
      context.delete(outdoors)
      try context.save()
      #expect(try note("Pruning", in: context).tags.map(\.name) == ["spring"])
      #expect(try note("Keys", in: context).tags.isEmpty)
    }
  }

  @Test func linksHaveTwoEnds() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let keys = try note("Keys", in: context)
      #expect(Set(keys.backlinks.map(\.title)) == ["Pruning", "Café list"])
      #expect(keys.linkedNotes.isEmpty)
      let notes = NoteStore(context: context)
      let linking = try notes.notes(.linking(to: keys.persistentModelID))
      #expect(linking.map(\.title) == ["Café list", "Pruning"])
      try notes.delete([keys])
      #expect(try note("Pruning", in: context).linkedNotes.map(\.title) == ["Soil"])
      #expect(try note("Café list", in: context).linkedNotes.isEmpty)

      let reminder = try #require(try context.fetch(FetchDescriptor<Reminder>()).first)
      #expect(reminder.note?.title == "Pruning")
      #expect(reminder.note?.reminder === reminder)
    }
  }

  @Test func attachmentsOfAnySizeComeBackAndGoWithTheNote() throws {
    try fill()
    let small = Data("Dear diary".utf8)
    let large = Data((0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try store.session(types) { (context: ModelContext) throws in
      let soil = try note("Soil", in: context)
      soil.attach(small, as: "diary.txt")
      soil.attach(large, as: "soil.jpg", kind: .image)
      soil.attachments?.last?.thumbnail = Data([1, 2, 3])
      try context.save()
    }
    #expect(try !store.showsInClear("Dear diary"))
    #expect(try !store.showsInClear("Clay, some sand"))
    try store.session(types) { (context: ModelContext) throws in
      let soil = try note("Soil", in: context)
      let attachments = try #require(soil.attachments).sorted { $0.filename < $1.filename }
      try #require(attachments.map(\.filename) == ["diary.txt", "soil.jpg"])
      #expect(attachments[0].data == small)
      #expect(attachments[0].thumbnail == nil)
      #expect(attachments[1].data == large)
      #expect(attachments[1].thumbnail == Data([1, 2, 3]))
      #expect(attachments[1].kind == .image)
      #expect(attachments[1].note === soil)
      #expect(soil.attachmentSize == 600_010)
      #expect(try note("Keys", in: context).attachmentSize == 0)

      try NoteStore(context: context).delete([soil])
      #expect(try context.count(of: Attachment.self) == 0)
    }
  }

  @Test func editsLastAndTransientStateDoesNot() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let keys = try note("Keys", in: context)
      keys.isSelected = true
      keys.scrollPosition = 4.5
      #expect(!context.hasChanges)
      keys.edit(at: morning + 999) { $0 += " by the door" }
      keys.styledBody = AttributedString("Blue pot")
      #expect(keys.isSelected)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let keys = try note("Keys", in: context)
      #expect(!keys.isSelected)
      #expect(keys.scrollPosition == 0)
      #expect(keys.body == "Under the blue pot by the door")
      #expect(keys.wordCount == 7)
      #expect(keys.revisions == 1)
      #expect(keys.createdAt == morning + 120)
      #expect(keys.modifiedAt == morning + 999)
      #expect(keys.styledBody.map { String($0.characters) } == "Blue pot")
      #expect(
        try NoteStore(context: context).notes().map(\.title) == ["Keys", "Café list", "Soil", "Pruning"])
    }
  }

  @Test func searchPassesOverCaseAndAccents() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let notes = NoteStore(context: context)
      #expect(try notes.search("CAFE").map(\.title) == ["Café list"])
      #expect(try notes.search("the").map(\.title) == ["Keys", "Pruning"])
      #expect(try notes.search("the", includingBodies: false).isEmpty)
    }
  }

  @Test func aFolderTakesItsFoldersAndLeavesTheNotes() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let home = try #require(try NoteStore(context: context).roots().first)
      context.delete(home)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Folder.self) == 0)
      let notes = try NoteStore(context: context).notes()
      #expect(notes.count == 4)
      #expect(notes.allSatisfy { $0.folder == nil })
    }
  }
}
