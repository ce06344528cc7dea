import Strongroom
import Testing

/// The examples of the README and of the manual's page on performance, word for word.
func readmeExample(url: URL, vault: any KeyVault) async throws -> (titles: [String], pages: Int64) {
  // README begin
  let model = try ManagedObjectModel {
    Entity("Author") {
      Attribute("name", .string, optional: false)
      Relationship("books", toMany: "Book", inverse: "author")
    }
    Entity("Book") {
      Attribute("title", .string, optional: false)
      Attribute("pages", .integer32, default: 0)
      Relationship("author", to: "Author", inverse: "books")
    }
  }
  var description = PersistentStoreDescription(url: url, vault: vault)
  // Once, when the store is made: this code opens the store when the keyring is lost.
  description.recoveryCodeHandler = { code in
    code.withText { print("Write this down:", String(decoding: $0, as: UTF8.self)) }
  }
  let container = PersistentContainer(managedObjectModel: model, description: description)
  try await container.loadPersistentStores()  // makes key and file, or finds both
  let context = container.newContext()
  let author = try context.insert("Author")
  try author.set("name", "Jane Austen")
  for (title, pages) in [("Emma", 474), ("Persuasion", 249)] {
    let book = try context.insert("Book")
    try book.set("title", title)
    try book.set("pages", pages)
    try book.setObject(author, forKey: "author")
  }
  try context.save()
  let long = try FetchPredicate(format: "pages > 300 AND author.name BEGINSWITH 'Jane'")
  let titles = try context.fetch(FetchRequest("Book", where: long)).compactMap {
    try $0.get("title", as: String.self)
  }
  print(titles)  // ["Emma"]
  // README end
  // README begin
  let drafts = (1...100_000).lazy.map { (title: "Draft \($0)", pages: Int64($0 % 500)) }
  try context.batchInsert(into: "Book", of: drafts) { row, draft in
    try row.set("title", .string(draft.title))
    try row.set("pages", .integer(draft.pages))
  }
  let short = try FetchRequest("Book", where: FetchPredicate(format: "pages < 10"))
  try context.batchUpdate(short, set: ["pages": 10])
  var total: Int64 = 0
  var all = FetchRequest("Book")
  all.propertiesToFetch = [ExpressionDescription("title"), ExpressionDescription("pages")]
  try context.enumerateRows(all) { row in  // one row in memory at a time
    total += row.integer(1)
    return true
  }
  let pages = try context.fetchColumns(all).integers("pages")  // or all of them, flat
  print(pages?.reduce(0, +) == total)  // true
  try context.batchDelete(short)
  // README end
  #expect(pages?.reduce(0, +) == total)
  return (titles, total)
}
