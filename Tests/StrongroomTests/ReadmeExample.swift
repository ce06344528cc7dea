import Strongroom

/// The example of the README, word for word.
func readmeExample(url: URL, vault: any KeyVault) async throws -> [String] {
  // README begin
  let model = try ManagedObjectModel {
    EntityDescription("Author") {
      AttributeDescription("name", .string, optional: false)
      RelationshipDescription("books", toMany: "Book", inverse: "author")
    }
    EntityDescription("Book") {
      AttributeDescription("title", .string, optional: false)
      AttributeDescription("pages", .integer32, default: 0)
      RelationshipDescription("author", to: "Author", inverse: "books")
    }
  }
  let container = PersistentContainer(name: "Library", model: model, url: url, vault: vault)
  try await container.load()  // makes key and file, or finds both
  let context = container.newContext()
  let author = try context.insert("Author")
  try author.set("name", "Jane Austen")
  for (title, pages) in [("Emma", 474), ("Persuasion", 249)] {
    let book = try context.insert("Book")
    try book.set("title", title)
    try book.set("pages", pages)
    try book.setObject(author, for: "author")
  }
  try context.save()
  let long = try FetchPredicate(format: "pages > 300 AND author.name BEGINSWITH 'Jane'")
  let titles = try context.fetch(FetchRequest("Book", where: long)).compactMap {
    try $0.get("title", as: String.self)
  }
  // README end
  return titles
}
