import Foundation
import StrongroomData

@Model final class Page {
  #Index<Page>(.binary([\.written]), .fullText([\.title, \.text]), .fullText([\.note]))

  var title: String
  var text: String
  var note: String?
  var written = Date(timeIntervalSinceReferenceDate: 0)
  var isPinned: Bool
  var isRead: Bool?
  var size: Int
  var price: Decimal = 0
  var weight: Double?
  var kind: Standing = Standing.guest
  var tags: [String] = []
  var chapter: Chapter?

  init(_ title: String, _ text: String = "", size: Int = 0, isPinned: Bool = false) {
    (self.title, self.text, self.size, self.isPinned) = (title, text, size, isPinned)
  }
}

@Model final class Chapter {
  var name: String
  @Relationship(inverse: \Page.chapter) var pages: [Page] = []

  init(_ name: String) { self.name = name }
}

@Model final class Misindexed {
  #Index<Misindexed>(.fullText([\.name, \.number]))

  var name = ""
  var number = 0
}
