public import Foundation

extension ManagedObjectID {
  static let scheme = "x-strongroom"

  /// The ID as a URI: `x-strongroom://STORE-UUID/Entity/p12`, or `x-strongroom:///Entity/t3` while
  /// temporary.
  ///
  /// As `NSManagedObjectID.uriRepresentation()`.
  public func uriRepresentation() -> URL {
    var parts = URLComponents()
    parts.scheme = Self.scheme
    parts.host = storeIdentifier?.uuidString ?? ""
    let number = isTemporaryID ? "t\(-reference)" : "p\(reference)"
    parts.percentEncodedPath = "/\(Self.escape(entity.name))/\(number)"
    return parts.url ?? URL(fileURLWithPath: "/")
  }

  /// The parts of a permanent ID's URI; nil when the URI is none.
  ///
  /// Does not look up the entity.
  public static func components(of uri: URL) -> (store: UUID, entityName: String, reference: Int64)? {
    guard let parts = URLComponents(url: uri, resolvingAgainstBaseURL: false), parts.scheme == scheme,
      let store = parts.host.flatMap(UUID.init(uuidString:))
    else { return nil }
    let steps = parts.percentEncodedPath.split(separator: "/", omittingEmptySubsequences: true)
    guard steps.count == 2, let name = String(steps[0]).removingPercentEncoding, steps[1].first == "p",
      let reference = Int64(steps[1].dropFirst()), reference > 0
    else { return nil }
    return (store, name, reference)
  }

  private static func escape(_ name: String) -> String {
    name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
  }
}
