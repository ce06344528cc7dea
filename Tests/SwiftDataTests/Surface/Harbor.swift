// The models that the tests of the single declarations store.

import Foundation
import SwiftData

@Model final class Harbor {
  var name: String
  var country: String?
  @Relationship(deleteRule: .cascade, inverse: \Trawler.harbor) var trawlers: [Trawler] = []
  @Relationship(deleteRule: .cascade, inverse: \Mooring.harbor) var moorings: [Mooring] = []

  init(_ name: String, country: String? = nil) {
    self.name = name
    self.country = country
  }
}

@Model final class Trawler {
  @Attribute(.preserveValueOnDeletion) var name: String
  @Attribute(.preserveValueOnDeletion) var length: Int
  var owner = ""
  @Attribute(.transformable(by: BadgeColorTransformer.self)) var flag: BadgeColor?
  var harbor: Harbor?

  init(_ name: String, length: Int = 10, harbor: Harbor? = nil) {
    self.name = name
    self.length = length
    self.harbor = harbor
  }
}

/// A model that is coded itself, and that is always in a harbor.
@Model final class Mooring: Codable {
  var number: Int
  var harbor: Harbor

  init(_ number: Int, in harbor: Harbor) {
    self.number = number
    self.harbor = harbor
  }

  convenience init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Int.self), in: Harbor("unknown"))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}

/// What is deleted without its dinghies being changed.
@Model final class Fleet {
  @Relationship(deleteRule: .noAction, inverse: \Dinghy.fleet) var dinghies: [Dinghy] = []
  init() {}
}

@Model final class Dinghy {
  var number: Int
  var fleet: Fleet?
  init(_ number: Int) { self.number = number }
}

extension ModelContext {
  /// A context of a container of its own, in memory, with these models.
  static func harbor() throws -> ModelContext {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Harbor.self, configurations: configuration))
    context.autosaveEnabled = false
    return context
  }
}
