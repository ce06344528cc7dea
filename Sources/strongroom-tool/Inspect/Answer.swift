import Foundation
import NIOHTTP1

/// What a request is answered with.
struct Answer: Sendable {
  var status = HTTPResponseStatus.ok
  var contentType = "text/plain; charset=utf-8"
  var body = Data()
  /// The name under which a browser saves it; nil for what it shows.
  var fileName: String?

  static let missing = Answer(.notFound)
  static let tooLong =
    (try? Answer(
      .uriTooLong,
      json: Refusal(
        "the condition or query is too long: it may have \(InspectRequest.longestTarget.formatted()) letters"
          + " and digits, where any other sign counts as three or more"))) ?? Answer(.uriTooLong)

  init(_ status: HTTPResponseStatus) { self.status = status }

  init(_ body: Data, _ contentType: String, fileName: String? = nil) {
    (self.body, self.contentType, self.fileName) = (body, contentType, fileName)
  }

  init(_ status: HTTPResponseStatus = .ok, json: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    self.init(try encoder.encode(json), "application/json; charset=utf-8")
    self.status = status
  }

  /// Nothing from elsewhere is loaded, nothing is stored, and no other page holds this one in a frame.
  var headers: HTTPHeaders {
    var headers: HTTPHeaders = [
      "Content-Type": contentType, "Content-Length": "\(body.count)", "Cache-Control": "no-store",
      "Content-Security-Policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
    ]
    if let fileName {
      let safe = fileName.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "value"
      headers.add(name: "Content-Disposition", value: "attachment; filename*=UTF-8''\(safe)")
    }
    return headers
  }
}
