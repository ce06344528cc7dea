import FlyingFox
import Foundation

/// A request of the page: what it asks for, with its parameters.
///
/// What changes something is a POST whose parameters are an object of JSON.
struct InspectCall: Sendable {
  private static let longestBody = 16 << 20

  let name: String
  let isChange: Bool
  private let parameters: [String: String]

  /// - Throws: `ToolFailure` for a body that is no such object.
  init(_ name: String, _ request: HTTPRequest) async throws {
    self.name = name
    isChange = request.method == .POST
    guard isChange else {
      parameters = Dictionary(request.query.map { ($0.name, $0.value) }) { first, _ in first }
      return
    }
    let length = request.headers[.contentLength].flatMap(Int.init) ?? .max
    // A form of another page cannot send this type.
    guard request.headers[.contentType] == "application/json", length <= Self.longestBody,
      let body = try? JSONDecoder().decode([String: String].self, from: try await request.bodyData)
    else { throw ToolFailure("a change is sent as an object of JSON") }
    parameters = body
  }

  /// A parameter; nil when it is missing or empty.
  subscript(_ name: String) -> String? { parameters[name].flatMap { $0.isEmpty ? nil : $0 } }

  /// - Throws: `ToolFailure` when it is missing.
  func text(_ name: String) throws -> String {
    guard let text = parameters[name] else { throw ToolFailure("the request has no \(name)") }
    return text
  }

  /// A number from 0 to a greatest; the usual one where there is none.
  func number(_ name: String, or usual: Int, upTo greatest: Int) -> Int {
    self[name].flatMap(Int.init).map { min(max($0, 0), greatest) } ?? usual
  }
}
