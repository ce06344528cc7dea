import Foundation
import Strongroom

/// One line of the output.
struct Event: Encodable {
  enum Kind: String, Encodable {
    /// A version that was read, or could not be.
    case version
    /// A store that was filled.
    case filled
    /// A migration from one version to the next.
    case step
    /// A migration from one version to a later one at once.
    case jump
    /// A migration from one version to a later one, step by step.
    case path
  }

  let kind: Kind
  var name: String?
  var hash: String?
  var from: Int?
  var to: Int
  /// The database with the objects, where it was done.
  var database: String?
  var forecast: MigrationForecast?
  /// The error's code, where it was refused.
  var code: String?
  var message: String?
  /// The kinds of the reasons of a path's refusal, and the version to which it could not go on.
  var issues: [String]?
  var stoppedAt: Int?
  var hasCopy: Bool?
  /// What is wrong, whatever the objects are.
  var problems: [String]?

  init(_ kind: Kind, from: Int? = nil, to: Int) {
    self.kind = kind
    self.from = from
    self.to = to
  }

  func print() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try FileHandle.standardOutput.write(contentsOf: encoder.encode(self) + Data([10]))
  }
}
