import Foundation
import NIOHTTP1

/// A request of the page: what it asks for, with its parameters.
///
/// What changes something is a POST whose parameters are an object of JSON.
struct InspectRequest: Sendable {
  static let longestBody = 16 << 20
  /// Of what is asked for, as an address has it.
  static let longestTarget = 60_000

  /// The path behind the secret.
  let path: String
  let method: HTTPMethod
  private let parameters: [String: String]?

  init(_ target: Substring, _ head: HTTPRequestHead, _ body: Data) {
    method = head.method
    let parts = URLComponents(string: String(target))
    path = parts?.percentEncodedPath ?? "?"
    if head.method == .POST {
      // A form of another page cannot send this type.
      parameters =
        head.headers["Content-Type"] == ["application/json"]
        ? try? JSONDecoder().decode([String: String].self, from: body) : nil
    } else {
      let items = parts?.queryItems ?? []
      parameters = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
    }
  }

  /// A parameter; nil when it is missing or empty.
  subscript(_ name: String) -> String? { parameters?[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// - Throws: `ToolFailure` when it is missing.
  func text(_ name: String) throws -> String {
    guard let text = parameters?[name] else { throw ToolFailure("the request has no \(name)") }
    return text
  }

  /// A number in a range, at its nearer end where it is outside; the usual one where there is none.
  func number(_ name: String, or usual: Int, in range: ClosedRange<Int>) -> Int {
    self[name].flatMap(Int.init).map { min(max($0, range.lowerBound), range.upperBound) } ?? usual
  }

  /// - Throws: `ToolFailure` for a change without an object of parameters.
  func checkBody() throws {
    if parameters == nil { throw ToolFailure("a change is sent as an object of JSON") }
  }
}
