import Foundation

/// Lossless: a one-letter tag, then the value; floating-point numbers as their bits.
extension AttributeValue: Codable {
  private enum Tag: String, Codable { case b, i, d, t, s, x, u, r, n, c, o }

  /// Encodes null as null and everything else as a tag and a value.
  public func encode(to encoder: any Encoder) throws {
    if isNull {
      var single = encoder.singleValueContainer()
      return try single.encodeNil()
    }
    var list = encoder.unkeyedContainer()
    switch self {
    case .null: break
    case .boolean(let flag): try list.put(Tag.b, flag)
    case .integer(let integer): try list.put(Tag.i, String(integer))
    case .double(let double): try list.put(Tag.d, String(double.bitPattern, radix: 16))
    case .date(let date):
      try list.put(Tag.t, String(date.timeIntervalSinceReferenceDate.bitPattern, radix: 16))
    case .string(let text): try list.put(Tag.s, text)
    case .data(let data): try list.put(Tag.x, data.base64EncodedString())
    case .uuid(let uuid): try list.put(Tag.u, uuid.uuidString)
    case .uri(let url): try list.put(Tag.r, url.absoluteString)
    case .decimal(let decimal): try list.put(Tag.n, decimal.description)
    case .composite(let elements): try list.put(Tag.c, elements)
    case .reference(let reference): try list.put(Tag.o, String(reference))
    }
  }

  /// Decodes what `encode(to:)` wrote.
  public init(from decoder: any Decoder) throws {
    if let single = try? decoder.singleValueContainer(), single.decodeNil() {
      self = .null
      return
    }
    var list = try decoder.unkeyedContainer()
    let tag = try list.decode(Tag.self)
    func check<T>(_ value: T?) throws -> T {
      if let value { return value }
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath, debugDescription: "a value does not fit its tag \(tag.rawValue)"))
    }
    if tag == .b {
      self = .boolean(try list.decode(Bool.self))
      return
    }
    if tag == .c {
      self = .composite(try list.decode([String: AttributeValue].self))
      return
    }
    let text = try list.decode(String.self)
    switch tag {
    case .i: self = .integer(try check(Int64(text)))
    case .d: self = .double(Double(bitPattern: try check(UInt64(text, radix: 16))))
    case .t:
      let seconds = Double(bitPattern: try check(UInt64(text, radix: 16)))
      self = .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .x: self = .data(try check(Data(base64Encoded: text)))
    case .u: self = .uuid(try check(UUID(uuidString: text)))
    case .r: self = .uri(try check(URL(string: text)))
    case .n: self = .decimal(try check(Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))))
    case .o: self = .reference(try check(Int64(text)))
    default: self = .string(text)
    }
  }
}

extension UnkeyedEncodingContainer {
  fileprivate mutating func put(_ tag: some Encodable, _ value: some Encodable) throws {
    try encode(tag)
    try encode(value)
  }
}
