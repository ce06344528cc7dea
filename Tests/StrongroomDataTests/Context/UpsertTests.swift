import Foundation
import StrongroomData
import Testing

@Model final class Writer {
  @Attribute(.unique) var code: String
  var name: String?
  @Relationship(inverse: \Article.writer) var articles: [Article] = []

  init(_ code: String) { self.code = code }
}

@Model final class Article {
  @Attribute(.unique) var code: String
  var title: String?
  var writer: Writer?
  var parent: Article?
  @Relationship(inverse: \Article.parent) var replies: [Article] = []
  @Relationship(inverse: \Topic.articles) var topics: [Topic] = []

  init(_ code: String) { self.code = code }
}

@Model final class Topic {
  @Attribute(.unique) var code: String
  var articles: [Article] = []

  init(_ code: String) { self.code = code }
}

@Suite("Models with unique values that are inserted again", .configuredStores)
struct UpsertTests {
  /// What one import brings: an article, what it answers, who wrote it, and what it is about.
  private func bring(_ order: [Int], linkedLate: Bool, to context: ModelContext) {
    let (article, parent) = (Article("article"), Article("parent"))
    let (writer, topic) = (Writer("writer"), Topic("topic"))
    func link() {
      article.writer = writer
      article.parent = parent
      article.topics = [topic]
    }
    if !linkedLate { link() }
    for place in order {
      switch place {
      case 0: context.insert(article)
      case 1: context.insert(parent)
      case 2: context.insert(writer)
      default: context.insert(topic)
      }
    }
    if linkedLate { link() }
  }

  @Test("keep their links, in whatever order", arguments: [false, true])
  func links(linkedLate: Bool) throws {
    let place = try Place()
    defer { withExtendedLifetime(place) {} }
    let container = try place.container(for: Writer.self, Article.self, Topic.self)
    for order in [[2, 1, 3, 0], [0, 1, 2, 3], [3, 2, 1, 0], [0, 2, 3, 1], [1, 0, 3, 2]] {
      let context = ModelContext(container)
      bring(order, linkedLate: linkedLate, to: context)
      try context.save()
      for looked in [context, ModelContext(container)] {
        let articles = try looked.fetch(FetchDescriptor<Article>(sortBy: [SortDescriptor(\.code)]))
        #expect(articles.map(\.code) == ["article", "parent"], "\(order)")
        let article = try #require(articles.first)
        #expect(article.writer?.code == "writer" && article.parent?.code == "parent", "\(order)")
        #expect(article.topics.map(\.code) == ["topic"], "\(order)")
        #expect(article.writer?.articles.map(\.code) == ["article"], "\(order)")
        #expect(article.parent?.replies.map(\.code) == ["article"], "\(order)")
        #expect(article.topics.first?.articles.map(\.code) == ["article"], "\(order)")
      }
    }
  }

  @Test("leave a relationship that is not set as it is stored")
  func unset() throws {
    let place = try Place()
    defer { withExtendedLifetime(place) {} }
    let container = try place.container(for: Writer.self, Article.self, Topic.self)
    let first = ModelContext(container)
    bring([0, 1, 2, 3], linkedLate: true, to: first)
    try first.save()
    let second = ModelContext(container)
    let again = Article("article")
    again.title = "Again"
    second.insert(again)
    second.insert(Writer("writer"))
    try second.save()
    let third = ModelContext(container)
    let article = try #require(
      try third.fetch(FetchDescriptor<Article>(sortBy: [SortDescriptor(\.code)])).first)
    #expect(article.title == "Again" && article.writer?.code == "writer" && article.topics.count == 1)
  }
}
