// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
public import StrongroomData

/// Models that are written in every way that a SwiftData model can be; compiling is half of the
/// test.
public enum Shapes {}

let shapeSize = 11

struct Shade: Codable, Equatable {
  var value: Int
  static let dark = Shade(value: 0)
}

enum Grade: Int, Codable {
  case first = 1
  case second
  static var initial: Grade { .second }
}

extension Shapes {
  @Model public final class Wide: CustomStringConvertible, Identifiable {
    /// A documented property.
    public var id: UUID = UUID()
    private(set) var hidden: Int = 1
    public internal(set) var shown: String
    fileprivate var filed = false
    private var _rating: Int = 3
    var rating: Int {
      get { _rating }
      set { _rating = newValue }
    }
    var `default`: Bool = true
    var `class`: String?
    @Attribute(
      .unique,
      originalName: "was"  // its former name
    )
    var several: String = UUID().uuidString
    @Attribute(.externalStorage) var data: Data?
    @Attribute(.ephemeral) var ephemeral: Int? = nil
    @Attribute(.spotlight, .allowsCloudEncryption) var many: String? = nil
    @Attribute var bare: Int = 0
    var wrapped: Wide!
    var wrappedText: String! = "q"
    var table: [String: [Int]] = [:]
    var sugarless: Swift.Optional<Wide> = nil
    var sugarlessNumber: Optional<Int> = .none
    var called: [Int] = {
      var list = [1]
      list.append(2)
      return list
    }()
    var grade: Grade = .initial
    var shade: Shade = .dark
    var inferredShade = Shade.dark
    var inner: Inner = .init()
    var ofType: Int = Wide.usual
    var global = shapeSize
    var interpolated = "a\(shapeSize)"
    var lines = """
      a
      b
      """
    var unordered: Set<String> = []
    var decimal: Decimal = 0
    var link: URL?
    var when: Date = .now
    nonisolated var free: Int = 4
    var big: Int64 = .max
    var span: ClosedRange<Int> = 0...3
    var single: Float = 1
    var real: Double = 5
    var list: [Wide]?
    @Relationship(.unique) var one: Wide?
    @Relationship(deleteRule: .nullify, minimumModelCount: 0, maximumModelCount: 3) var limited: [Wide] = []
    @Relationship var plain: [Wide]
    public var description: String { "wide" }
    @Transient var passing: Int = 0
    @Transient private var observer: (() -> Void)? = nil
    @Transient var anything: Any?
    @Transient lazy var slow: Int = 5
    @Transient let constant = UUID()
    let limit = 10
    static let usual = 7
    struct Inner: Codable { var number = 1 }
    typealias Kind = Grade
    var kind: Kind = .first
    var late: Int { get async throws { 1 } }
    #if os(Linux)
      var here: Int = 5
    #else
      var elsewhere: Int = 6
    #endif
    #if NEVER
      var never: Int
    #endif

    init(shown: String, plain: [Wide] = []) {
      self.shown = shown
      self.plain = plain
      if shown.isEmpty { data = Data() } else { data = nil }
      link = nil
      count()
    }

    convenience init() { self.init(shown: "none") }

    convenience init?(only isWanted: Bool) {
      if !isWanted { return nil }
      self.init()
    }

    init?(named name: String) {
      if name.isEmpty { return nil }
      shown = name
      plain = []
    }

    init(throwing name: String) throws {
      if name.isEmpty { throw CocoaError(.fileNoSuchFile) }
      shown = name
      plain = []
    }

    required init(number: Int) {
      shown = "\(number)"
      plain = []
      unordered.insert("x")
    }

    private func count() {
      _rating += 1
      passing = 8
    }
  }

  @Model final class Watched {
    var log = 0
    var size: Int {
      willSet { log += newValue }
      didSet {
        log += oldValue
        if size > 10 { size = 10 }
      }
    }
    var text = "a" { didSet { log += 100 } }

    init(size: Int) { self.size = size }
  }
}
