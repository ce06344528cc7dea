import Foundation

/// The JSON that objects are stored as, coded with the archive at hand for their references.
enum ArchiveCoding {
  /// The archive under a coder's user info.
  private struct UserInfo: @unchecked Sendable {
    // @unchecked: coding runs on the archive's own isolation, and ends before the call that began
    // it.
    weak var archive: ObjectArchive?
  }

  private static let key = CodingUserInfoKey(rawValue: "strongroom.archive")

  static func archive(_ userInfo: [CodingUserInfoKey: Any]) -> ObjectArchive? {
    key.flatMap { userInfo[$0] as? UserInfo }?.archive
  }

  static func encode(_ value: any Encodable, in archive: ObjectArchive) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    if let key { encoder.userInfo[key] = UserInfo(archive: archive) }
    return try encoder.encode(value)
  }

  static func decode<Value: Decodable>(
    _ type: Value.Type, _ data: Data, in archive: ObjectArchive
  ) throws -> Value {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "+inf", negativeInfinity: "-inf", nan: "nan")
    if let key { decoder.userInfo[key] = UserInfo(archive: archive) }
    return try decoder.decode(type, from: data)
  }
}
