import FlyingFox
import FlyingSocks
import Foundation
import Glibc
import Strongroom

/// Serves the page that shows a store, on this machine alone.
struct InspectServer {
  private let server: HTTPServer
  private let inspection: Inspection

  init(_ inspection: Inspection, port: UInt16) throws {
    self.inspection = inspection
    let address = try sockaddr_in.inet(ip4: "127.0.0.1", port: port)
    server = HTTPServer(address: address, timeout: 60, logger: .disabled)
  }

  /// Runs until its task is cancelled.
  ///
  /// - `isReady`: Called once with the page's address.
  /// - Throws: `ToolFailure` when the port is taken.
  func run(_ isReady: @escaping @Sendable (String) -> Void) async throws {
    let server = server
    let running = Task { try await server.run() }
    try await withTaskCancellationHandler {
      do { try await server.waitUntilListening(timeout: 5) } catch {
        running.cancel()
        throw ToolFailure("the port cannot be opened: leave out --port, or name another one")
      }
      guard case .ip4(_, let port)? = await server.listeningAddress else {
        throw ToolFailure("the server has no address")
      }
      let gate = RequestGate(token: RequestGate.newToken(), port: port)
      let inspection = inspection
      await server.appendRoute("*") { await Self.answer($0, gate, inspection) }
      isReady("http://127.0.0.1:\(port)/\(gate.token)/")
      _ = try? await running.value
    } onCancel: {
      running.cancel()
    }
  }

  private static func answer(_ request: HTTPRequest, _ gate: RequestGate, _ inspection: Inspection) async
    -> HTTPResponse
  {
    guard let path = gate.path(of: request) else { return HTTPResponse(statusCode: .notFound) }
    let answer: Answer
    if let call = path.dropping("api/") {
      answer = await inspection.answer(String(call), request)
    } else if request.method == .GET {
      answer = Page.file(path) ?? .missing
    } else {
      answer = Answer(.methodNotAllowed)
    }
    return HTTPResponse(statusCode: answer.status, headers: headers(answer), body: answer.body)
  }

  /// Nothing from elsewhere is loaded, nothing is stored, and no other page holds this one in a frame.
  private static func headers(_ answer: Answer) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      .contentType: answer.contentType,
      HTTPHeader("Cache-Control"): "no-store",
      HTTPHeader("Content-Security-Policy"):
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      HTTPHeader("Cross-Origin-Opener-Policy"): "same-origin",
      HTTPHeader("Cross-Origin-Resource-Policy"): "same-origin",
      HTTPHeader("Referrer-Policy"): "no-referrer",
      HTTPHeader("X-Content-Type-Options"): "nosniff",
    ]
    if let name = answer.fileName {
      let safe = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "value"
      headers[HTTPHeader("Content-Disposition")] = "attachment; filename*=UTF-8''\(safe)"
    }
    return headers
  }
}

/// What a request is answered with.
struct Answer: Sendable {
  var status = HTTPStatusCode.ok
  var contentType = "text/plain; charset=utf-8"
  var body = Data()
  /// The name under which a browser saves it; nil for what it shows.
  var fileName: String?

  static let missing = Answer(.notFound)

  init(_ status: HTTPStatusCode) { self.status = status }

  init(_ body: Data, _ contentType: String, fileName: String? = nil) {
    (self.body, self.contentType, self.fileName) = (body, contentType, fileName)
  }

  init(_ status: HTTPStatusCode = .ok, json: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    self.init(try encoder.encode(json), "application/json; charset=utf-8")
    self.status = status
  }
}

extension String {
  /// The rest behind a prefix; nil without it.
  func dropping(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
