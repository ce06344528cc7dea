import Foundation
import PostgresServer

extension PostgresServer {
  /// The address of a schema, as the tool takes it.
  func address(of schema: String, user: String = "tester") throws -> String {
    let name = schema.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return try url.absoluteString.replacing("user=tester", with: "user=\(user)") + "&schema=\(name)"
  }
}
