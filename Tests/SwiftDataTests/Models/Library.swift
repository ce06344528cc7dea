// Stands for: a large graph whose models have the names that many programs choose, most of them
// names of the standard library, of Foundation, of Swift Testing, of SQL or of an engine below as
// well; properties with such names; relationships without any attribute, so that their inverses are
// found; a schema found from one root.

import Foundation
import SwiftData

// MARK: - The building

@Model final class Branch {
  @Attribute(.unique) var name: String
  var address: Address?
  var rooms: [Room] = []
  var members: [Member] = []
  var events: [Event] = []
  var tasks: [Task] = []
  var games: [Catalog.Set] = []
  init(name: String) { self.name = name }
}

@Model final class Address {
  var street: String
  var zip: String
  var branch: Branch?
  init(street: String, zip: String) {
    self.street = street
    self.zip = zip
  }
}

@Model final class Room {
  var name: String
  var branch: Branch?
  @Relationship(deleteRule: .cascade, inverse: \Table.room) var tables: [Table] = []
  @Relationship(deleteRule: .cascade) var stacks: [Stack] = []
  init(name: String) { self.name = name }
}

@Model final class Table {
  var index: Int
  var room: Room?
  init(index: Int) { self.index = index }
}

@Model final class Stack {
  var key: String
  var sections: [Section] = []
  var room: Room?
  init(key: String) { self.key = key }
}

@Model final class Section {
  var from: String
  var to: String
  var stack: Stack?
  var items: [Item] = []
  init(from: String, to: String) {
    self.from = from
    self.to = to
  }
}

// MARK: - The works

@Model final class Item {
  @Attribute(.unique) var barcode: String
  var state: String = "shelved"
  var section: Section?
  var edition: Edition?
  var loans: [Loan] = []
  var properties: [Property] = []
  init(barcode: String) { self.barcode = barcode }
}

@Model final class Edition {
  var version: Int
  var format: Format?
  var book: Book?
  var publisher: Publisher?
  var items: [Item] = []
  init(version: Int) { self.version = version }
}

@Model final class Book {
  var title: String
  var order: Int = 0
  var authors: [Author] = []
  var editions: [Edition] = []
  var chapters: [Chapter] = []
  var characters: [Character] = []
  var reviews: [Review] = []
  var cover: Image?
  var language: Language?
  var series: Series?
  var category: Category?
  @Relationship(inverse: \Tag.books) var tags: [Tag] = []
  @Relationship(inverse: \Collection.books) var collections: [Collection] = []
  init(title: String) { self.title = title }
}

@Model final class Author {
  var name: String
  @Relationship(inverse: \Book.authors) var books: [Book] = []
  @Relationship(deleteRule: .cascade) var portrait: Image?
  init(name: String) { self.name = name }
}

@Model final class Publisher {
  var name: String
  var editions: [Edition] = []
  init(name: String) { self.name = name }
}

@Model final class Series {
  var name: String
  var books: [Book] = []
  init(name: String) { self.name = name }
}

@Model final class Chapter {
  var number: Int
  var heading: String?
  var book: Book?
  var pages: [Page] = []
  init(number: Int) { self.number = number }
}

@Model final class Page {
  var number: Int
  var text: String = ""
  var chapter: Chapter?
  init(number: Int) { self.number = number }
}

@Model final class Character {
  var name: String
  var book: Book?
  init(name: String) { self.name = name }
}

@Model final class Image {
  var data: Data
  var width: Int = 0
  var height: Int = 0
  var colors: [Color] = []
  init(data: Data) { self.data = data }
}

@Model final class Color {
  var hash: String
  var image: Image?
  init(hash: String) { self.hash = hash }
}

@Model final class Format {
  var name: String
  var editions: [Edition] = []
  init(name: String) { self.name = name }
}

@Model final class Language {
  @Attribute(.unique) var code: String
  var books: [Book] = []
  init(code: String) { self.code = code }
}

// MARK: - How works are arranged

@Model final class Category {
  var name: String
  var parent: Category?
  @Relationship(inverse: \Category.parent) var subcategories: [Category] = []
  var books: [Book] = []
  init(name: String, parent: Category? = nil) {
    self.name = name
    self.parent = parent
  }
}

@Model final class Tag {
  @Attribute(.unique) var name: String
  var books: [Book] = []
  init(_ name: String) { self.name = name }
}

@Model final class Collection {
  var name: String
  var books: [Book] = []
  var group: Group?
  init(name: String) { self.name = name }
}

@Model final class Group {
  var name: String
  var collections: [Collection] = []
  var members: [Member] = []
  init(name: String) { self.name = name }
}

@Model final class Property {
  var key: String
  var value: Value?
  var item: Item?
  init(key: String) { self.key = key }
}

@Model final class Value {
  var text: String
  var property: Property?
  init(_ text: String) { self.text = text }
}

@Model final class Entity {
  var type: String
  var context: String?
  init(type: String) { self.type = type }
}

// MARK: - The people

@Model final class Member {
  var id: Int
  var name: String
  var branch: Branch?
  var group: Group?
  var loans: [Loan] = []
  var orders: [Order] = []
  var reviews: [Review] = []
  var queries: [Query] = []
  init(id: Int, name: String) {
    self.id = id
    self.name = name
  }
}

@Model final class Loan {
  var since: Date
  var until: Date?
  var item: Item?
  var member: Member?
  init(since: Date) { self.since = since }
}

@Model final class Order {
  var select: Bool = true
  var member: Member?
  var book: Book?
  init(book: Book) { self.book = book }
}

@Model final class Review {
  var stars: Int
  var book: Book?
  var member: Member?
  var comments: [Comment] = []
  init(stars: Int) { self.stars = stars }
}

@Model final class Comment {
  var text: String
  var review: Review?
  init(text: String) { self.text = text }
}

@Model final class Event {
  var name: String
  var date: Date
  var branch: Branch?
  init(name: String, date: Date) {
    self.name = name
    self.date = date
  }
}

@Model final class Task {
  var title: String
  var priority: Int = 0
  var done = false
  var branch: Branch?
  init(title: String) { self.title = title }
}

@Model final class Query {
  var text: String
  var member: Member?
  var results: [Result] = []
  init(text: String) { self.text = text }
}

@Model final class Result {
  var rank: Int
  var book: Book?
  var query: Query?
  init(rank: Int, book: Book) {
    self.rank = rank
    self.book = book
  }
}

// MARK: - Names that would hide too much at the top

/// The catalogue of games and rules, with models named as types that every file uses.
enum Catalog {
  @Model final class Set {
    var name: String
    var predicates: [Predicate] = []
    var dictionaries: [Dictionary] = []
    init(name: String) { self.name = name }
  }

  @Model final class Predicate {
    var rule: String
    var `default`: Bool = true
    var set: Set?
    init(rule: String) { self.rule = rule }
  }
}

extension Catalog {
  @Model final class Dictionary {
    var words: [String: String] = [:]
    var set: Set?
    var result: Result?
    init(words: [String: String]) { self.words = words }
  }
}

/// Any model that shows its name.
protocol Named {
  var name: String { get }
}

extension Branch: Named {}
extension Author: Named {}
extension Collection: Named {}

extension Swift.Collection where Element: Named {
  var names: [String] { map(\.name).sorted() }
}
