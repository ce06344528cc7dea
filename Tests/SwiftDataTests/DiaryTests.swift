// Over Models/Diary.swift: a history read on, and deleted; schemas as files; the folders a
// store is put in.

import Foundation
import SwiftData
import Testing

final class DiaryTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [DiaryPage.self, Dream.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  @Test func historyIsReadOnFromItsToken() throws {
    try store.session(types) { (context: ModelContext) throws in
      context.author = "app"
      let page = DiaryPage(code: "a", text: "b")
      context.insert(page)
      try context.save()
      var history = DiaryHistory(context: context, author: "app")
      let first = try history.newTransactions()
      #expect(first.count == 1 && history.codes(first).live == [page.persistentModelID])
      #expect(history.tokenData != nil)
      #expect(try history.newTransactions().isEmpty)

      context.delete(page)
      try context.save()
      context.author = "other"
      context.insert(DiaryPage(code: "c", text: "d"))
      try context.save()
      let second = try history.newTransactions()
      #expect(history.codes(second).gone == ["a"] && history.codes(second).live.isEmpty)
      try history.purge(upTo: .now)
      var again = DiaryHistory(context: context, author: "app")
      #expect(try again.newTransactions().isEmpty)

      // A token of nowhere is forgotten.
      let token = Data(#"{"tokenValue":{"store":4}}"#.utf8)
      var foreign = DiaryHistory(context: context, author: "app", tokenData: token)
      #expect(try foreign.newTransactions().isEmpty && foreign.tokenData == nil)
    }
  }

  @Test func tokensAreOrderedByStore() throws {
    func token(_ json: String) throws -> DefaultHistoryToken {
      try JSONDecoder().decode(DefaultHistoryToken.self, from: Data(json.utf8))
    }
    let (early, late) = (
      try token(#"{"tokenValue":{"a":4,"b":9}}"#), try token(#"{"tokenValue":{"a":5,"b":1}}"#)
    )
    #expect(early < late && !(late < early) && early != late)
    #expect(try token("{}") < early)
    #expect(try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(late)) == late)
  }

  @Test func aSchemaComesBackFromItsFile() throws {
    let file = store.url.deletingLastPathComponent().appending(path: "schema.json")
    try DiaryFiles.write(to: file)
    let read = try DiaryFiles.read(from: file)
    #expect(read == DiaryFiles.schema && read.version == Schema.Version(2, 1, 0))
    #expect(read.entity(for: Dream.self)?.superentityName == "DiaryPage")

    let text = try String(contentsOf: file, encoding: .utf8)
    try Data(text.replacingOccurrences(of: "5Dream", with: "5Cream").utf8).write(to: file)
    #expect(throws: SwiftDataError.unknownSchema) { try DiaryFiles.read(from: file) }
  }

  @Test func entitiesTellTheirOwnFromTheInherited() throws {
    let page = try #require(DiaryFiles.schema.entitiesByName["DiaryPage"])
    let dream = try #require(DiaryFiles.schema.entitiesByName["Dream"])
    #expect(page.subentities == [dream] && dream.subentities.isEmpty)
    #expect(Swift.Set(dream.storedProperties.map(\.name)) == ["isLucid", "depth"])
    #expect(Swift.Set(dream.storedPropertiesByName.keys) == ["isLucid", "depth"])
    #expect(Swift.Set(dream.inheritedProperties.map(\.name)) == ["code", "text"])
    #expect(dream.inheritedPropertiesByName["code"]?.isAttribute == true)
    #expect(dream.properties.count == 4 && page.inheritedProperties.isEmpty)
  }

  @Test func theUsersFoldersHaveTheirNames() {
    let home = FileManager.default.homeDirectoryForCurrentUser.path
    let data = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? home + "/.local/share"
    #expect(DiaryFiles.store.path == data + "/Diary/diary.store")
    #expect(ModelConfiguration("x", applicationIdentifier: "Diary").url.path == data + "/Diary/x.store")
    #expect(DiaryFiles.exports.path.hasSuffix("/Diary") && DiaryFiles.exports.path != home + "/Diary")
    #expect(DiaryFiles.thumbnails.lastPathComponent == "Diary")
  }
}
