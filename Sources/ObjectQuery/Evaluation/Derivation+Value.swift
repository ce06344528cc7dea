import Foundation
package import ObjectModel

extension Derivation {
  /// The value for an object, computed in memory.
  /// - Throws: what reading the object throws.
  package func value(of object: any QueryObject, for attribute: AttributeDescription) throws -> AttributeValue
  {
    switch self {
    case .now: return .date(Date())
    case .copy(let step, let source, let folding):
      var holder: (any QueryObject)? = object
      if let step { holder = try object.queryDestination(of: step) }
      guard let value = try holder?.queryValue(of: source) else { return .null }
      guard let folding, case .string(let text) = value else { return value }
      return .string(folding.apply(text))
    case .count(let relationship):
      return .integer(Int64(try object.queryDestinations(of: relationship).count))
    case .sum(let relationship, let source):
      var whole: Int64 = 0
      var real = 0.0
      for destination in try object.queryDestinations(of: relationship) {
        switch try destination.queryValue(of: source) {
        case .integer(let integer): whole &+= integer
        case .double(let double): real += double
        default: break
        }
      }
      return attribute.type.isInteger ? .integer(whole) : .double(real + Double(whole))
    }
  }
}

extension Derivation.Folding {
  /// The folded text.
  package func apply(_ text: String) -> String {
    switch self {
    case .canonical: TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive])
    case .uppercase: text.uppercased()
    case .lowercase: text.lowercased()
    }
  }
}
