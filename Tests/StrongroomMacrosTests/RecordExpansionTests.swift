import StrongroomMacros
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import Testing

/// The whole text of what `@Record` expands to, and what it says.
struct RecordExpansionTests {
  @Test func aMarkedKeyDefaultsAndOldNames() {
    expectExpansion(
      """
      @Record(originalName: "Volume")
      public struct Book {
        @PrimaryKey public var isbn: String
        @Column(originalName: "name", indexed: true) public var title: String
        public var pages = 0
        public var genre: Genre = .novel
        public var tags: [String] = ["new"]
        public var added: Date = .now
        public var token = UUID()
        public let made = 1
        public var isLong: Bool { pages > 500 }
        public static var all = 0
      }
      """,
      """
      public struct Book {
        public var isbn: String
        public var title: String
        public var pages = 0
        public var genre: Genre = .novel
        public var tags: [String] = ["new"]
        public var added: Date = .now
        public var token = UUID()
        public let made = 1
        public var isLong: Bool { pages > 500 }
        public static var all = 0
      }

      extension Book: StrongroomRecords.Record {
        public static var primaryKey: Swift.KeyPath<Book, String> {
          \\.isbn
        }
        public static var originalTableName: Swift.String? {
          "Volume"
        }
        public static var columns: [StrongroomRecords.RecordColumn<Book>] {
          [
            StrongroomRecords.RecordColumn(\\.title, originalName: "name", indexed: true),
            StrongroomRecords.RecordColumn(\\.pages, default: 0),
            StrongroomRecords.RecordColumn(\\.genre, default: .novel),
            StrongroomRecords.RecordColumn(\\.tags, default: ["new"])
          ]
        }
      }
      """)
  }

  @Test func anID() {
    expectExpansion(
      """
      @Record struct Label {
        var id: UUID
      }
      """,
      """
      struct Label {
        var id: UUID
      }

      extension Label: StrongroomRecords.Record {
        static var primaryKey: Swift.KeyPath<Label, UUID> {
          \\.id
        }
      }
      """)
  }

  @Test(arguments: [
    ("@Record class Book {}", "a record is a struct: write 'struct', or '@Model' before a class"),
    (
      "@Record struct Book { var name: String }",
      "mark the property that identifies a 'Book' with '@PrimaryKey', or call it 'id'"
    ),
    (
      "@Record struct Book { @PrimaryKey var a: Int; @PrimaryKey var b: Int }", "a record has one primary key"
    ),
    ("@Record struct Book { var id = 1 }", "write the type of the primary key 'id'"),
  ])
  func remarks(source: String, message: String) throws {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "test.swift")])
    let group = try #require(file.statements.first?.item.asProtocol((any DeclGroupSyntax).self))
    let attribute = try #require(group.attributes.first?.as(AttributeSyntax.self))
    let made = try RecordMacro.expansion(
      of: attribute, attachedTo: group, providingExtensionsOf: TypeSyntax("Book"), conformingTo: ["Record"],
      in: context)
    #expect(made.isEmpty && context.diagnostics.map(\.message) == [message])
  }
}
