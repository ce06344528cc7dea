// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
public import StrongroomData

public class Unstored {
  public var extra = 1
  public init() {}
}

protocol Titled { var title: String { get set } }

extension Shapes {
  @Model final class Coded: Codable, Hashable, Titled {
    var title: String
    var others: [String] = []

    init(title: String) { self.title = title }

    enum CodingKeys: String, CodingKey { case title }

    required init(from decoder: any Decoder) throws {
      title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(title, forKey: .title)
    }

    static func == (left: Coded, right: Coded) -> Bool { left.title == right.title }
    func hash(into hasher: inout Hasher) { hasher.combine(title) }
  }

  @Model final class Explicit: StrongroomData.PersistentModel, Comparable {
    var number = 1
    init(number: Int) { self.number = number }
    static func < (left: Explicit, right: Explicit) -> Bool { left.number < right.number }
  }

  @Model final class Plain {
    var number = 1
    var text: String?
    var others: [Plain] = []
  }

  @Model final class Convenient {
    var number = 1
    convenience init(number: Int) {
      self.init()
      self.number = number
    }
  }

  @Model final class Empty { init() {} }
  @Model final class Vouched: @unchecked Sendable {
    var number: Int
    init(number: Int) { self.number = number }
  }
  @Model final class `switch` {
    var `protocol`: String = "p"
    var `init`: Int = 0
    init() {}
  }
  @Model package final class Packaged {
    package var number: Int
    package init(number: Int) { self.number = number }
  }
  // Names of types that the expansion uses.
  @Model final class Observation {
    var value: Int
    init(value: Int) { self.value = value }
  }
  @StrongroomData.Model final class Qualified {
    @StrongroomData.Attribute(.unique, originalName: "was") var name: String
    @StrongroomData.Transient var passing: Int = 3
    init(name: String) { self.name = name }
  }

  @Model open class Opened {
    open var number: Int = 0
    public init() {}
  }
  @Model public final class SubOpened: Opened { public var other: Int = 2 }
  @Model fileprivate class Filed {
    private var secret = 1
    init() {}
  }
  @Model private final class SubFiled: Filed { var number: Int = 3 }
  @Model final class OnUnstored: Unstored {
    var number: Int
    init(number: Int) {
      self.number = number
      super.init()
    }
  }

  @Model class First {
    var number: Int
    var note = "first"
    init(number: Int) {
      self.number = number
      self.note += "!"
    }
    convenience init(text: String) { self.init(number: text.count) }
  }
  @Model class Second: First { var flag: Bool = true }
  @Model final class Third: Second {
    var text: String
    init(text: String) {
      self.text = text
      super.init(number: text.count)
      self.note += "?"
    }
  }

  @ModelActor actor Importer {
    func number() -> Int { 3 }
  }
  @ModelActor public actor Fetcher {
    let source: String
    var count = 0
    public init(container: ModelContainer, source: String) {
      self.source = source
      modelContainer = container
      modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    }
  }
}

extension Shapes {
  /// Private models are seen in this file alone.
  static func filedNumber() -> Int { SubFiled().number }
}

public extension Shapes {
  @Model final class Lent {
    public var number: Int = 3
    public init() {}
  }
}
