import Foundation

extension FoundationValue {
  /// Reads a value of an archive with all that it contains.
  ///
  /// - Throws: `KeyedArchiveError` when a collection contains itself, is nested more than 128 levels
  ///   deep, has more than four million values with those that are shared counted each time, or when
  ///   an object lacks a value that its class needs.
  public init(_ value: ArchivedValue) throws(KeyedArchiveError) {
    var reader = FoundationValueReader()
    self = try reader.read(value)
  }
}

/// Makes values of archived objects; its limit of parts is for all values together.
package struct FoundationValueReader {
  private var open: Set<ArchivedObject> = []
  private var depth = 0
  private var count = 0
  private static let greatestDepth = 128
  private static let greatestCount = 4 << 20
  /// The bytes that count as one part: texts may be shared, and what is printed of them is not.
  private static let textPart = 64

  package init() {}

  package mutating func read(_ value: ArchivedValue) throws(KeyedArchiveError) -> FoundationValue {
    try spend(1)
    switch value {
    case .null: return .null
    case .boolean(let flag): return .boolean(flag)
    case .integer(let integer): return .integer(integer)
    case .real(let double): return .real(double)
    case .date(let date): return .date(date)
    case .data(let data):
      try spend(data.count / Self.textPart)
      return .data(data)
    case .string(let text):
      try spend(text.utf8.count / Self.textPart)
      return .string(text)
    case .list(let elements):
      try descend()
      defer { depth -= 1 }
      return .array(try read(elements))
    case .object(let object):
      try descend()
      defer { depth -= 1 }
      guard open.insert(object).inserted else {
        throw KeyedArchiveError(
          .cycle, "the archived value contains itself, which only objects can; read the objects one by one")
      }
      defer { open.remove(object) }
      if let collection = try collection(object) { return collection }
      return try Self.scalar(object) ?? .unknown(object.className)
    }
  }

  private mutating func descend() throws(KeyedArchiveError) {
    guard depth < Self.greatestDepth else {
      throw KeyedArchiveError(
        .tooDeep, "the archived value is nested more than \(Self.greatestDepth) levels deep; flatten it")
    }
    depth += 1
  }

  private mutating func spend(_ parts: Int) throws(KeyedArchiveError) {
    count += parts
    guard count <= Self.greatestCount else {
      throw KeyedArchiveError(
        .tooLarge, "the archived value has more than \(Self.greatestCount) parts; store it in smaller ones")
    }
  }

  private mutating func read(_ elements: [ArchivedValue]) throws(KeyedArchiveError) -> [FoundationValue] {
    var values: [FoundationValue] = []
    values.reserveCapacity(elements.count)
    for element in elements { values.append(try read(element)) }
    return values
  }

  /// A collection; nil for an object of any other class.
  private mutating func collection(_ object: ArchivedObject) throws(KeyedArchiveError) -> FoundationValue? {
    if let entries = object.entries {
      var result: [FoundationValue.Entry] = []
      result.reserveCapacity(entries.count)
      for (key, value) in entries { result.append(FoundationValue.Entry(try read(key), try read(value))) }
      return .dictionary(result)
    }
    guard let elements = object.elements else { return nil }
    let values = try read(elements)
    if object.isKind(of: "NSArray") { return .array(values) }
    return object.isKind(of: "NSOrderedSet") ? .orderedSet(values) : .set(values)
  }

  /// The readers of the classes that contain no other objects, subclasses first.
  private static let scalars: [(className: String, read: @Sendable (ArchivedObject) -> FoundationValue?)] = [
    ("NSString", { ArchivedValue.object($0).text.map(FoundationValue.string) }),
    ("NSDate", { $0["NS.time"].number.map { .date(Date(timeIntervalSinceReferenceDate: $0)) } }),
    ("NSData", { ArchivedValue.object($0).bytes.map(FoundationValue.data) }),
    ("NSUUID", { $0["NS.uuidbytes"].bytes.flatMap(uuid) }),
    ("NSURL", { url($0) }),
    ("NSNull", { _ in .null }),
    ("NSDecimalNumber", { decimal($0) }),
    ("NSDecimalNumberPlaceholder", { decimal($0) }),
    ("NSAttributedString", { $0["NSString"].text.map(FoundationValue.attributedString) }),
    ("NSIndexSet", { indexSet($0) }),
    ("NSLocale", { $0["NS.identifier"].text.map(FoundationValue.locale) }),
    ("NSTimeZone", { $0["NS.name"].text.map(FoundationValue.timeZone) }),
    // Collections without elements have no list in the oldest archives.
    ("NSDictionary", { $0.keys.isEmpty ? .dictionary([]) : nil }),
    ("NSArray", { $0.keys.isEmpty ? .array([]) : nil }),
    ("NSOrderedSet", { $0.keys.isEmpty ? .orderedSet([]) : nil }),
    ("NSSet", { $0.keys.isEmpty ? .set([]) : nil }),
  ]

  /// A value without others inside; nil for an object of any other class.
  private static func scalar(_ object: ArchivedObject) throws(KeyedArchiveError) -> FoundationValue? {
    guard let known = scalars.first(where: { object.isKind(of: $0.className) }) else { return nil }
    guard let value = known.read(object) else {
      throw KeyedArchiveError(
        .unexpectedValue,
        "an archived \(known.className) does not hold what one consists of; use another copy")
    }
    return value
  }

  private static func uuid(_ bytes: Data) -> FoundationValue? {
    guard bytes.count == 16 else { return nil }
    let b = [UInt8](bytes)
    return .uuid(
      UUID(
        uuid: (
          b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
        )))
  }

  /// A URL may be relative to another.
  private static func url(_ object: ArchivedObject) -> FoundationValue? {
    var parts: [String] = []
    var next: ArchivedObject? = object
    while let current = next {
      guard let part = current["NS.relative"].text, parts.count < greatestDepth else { return nil }
      parts.append(part)
      next = current["NS.base"].object
    }
    var url: URL?
    for part in parts.reversed() { url = URL(string: part, relativeTo: url) }
    return url.map(FoundationValue.url)
  }

  /// The number is a mantissa of 128 bits in words, times a power of ten.
  private static func decimal(_ object: ArchivedObject) -> FoundationValue? {
    guard let bytes = object["NS.mantissa"].bytes, bytes.count <= 16, bytes.count.isMultiple(of: 2),
      let exponent = object["NS.exponent"].integer.flatMap({ Int8(exactly: $0) }),
      let length = object["NS.length"].integer
    else { return nil }
    let isNegative = object["NS.negative"].flag == true
    if length == 0 { return .decimal(isNegative ? .nan : 0) }
    // The byte order of the words is named: 2 for the most significant byte first.
    let isBigEndian = object["NS.mantissa.bo"].integer == 2
    let all = [UInt8](bytes)
    var digits: UInt128 = 0
    for position in stride(from: 0, to: all.count, by: 2) {
      let (first, second) = (UInt128(all[position]), UInt128(all[position + 1]))
      digits |= (isBigEndian ? first << 8 | second : second << 8 | first) << UInt128(position * 8)
    }
    let text = "\(isNegative ? "-" : "")\(digits)e\(exponent)"
    return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map(FoundationValue.decimal)
  }

  /// One range has keys of its own; several are pairs of numbers of seven bits a byte.
  private static func indexSet(_ object: ArchivedObject) -> FoundationValue? {
    guard let count = object["NSRangeCount"].integer ?? (object.keys.isEmpty ? 0 : nil) else { return nil }
    if count == 0 { return .indexSet(IndexSet()) }
    var numbers: [Int] = []
    if let data = object["NSRangeData"].bytes {
      guard let read = variableLengthNumbers(data) else { return nil }
      numbers = read
    } else {
      guard let location = object["NSLocation"].integer, let length = object["NSLength"].integer else {
        return nil
      }
      numbers = [Int(location), Int(length)]
    }
    guard Int64(numbers.count) / 2 == count, numbers.count.isMultiple(of: 2) else { return nil }
    var set = IndexSet()
    for position in stride(from: 0, to: numbers.count, by: 2) {
      let (end, overflows) = numbers[position].addingReportingOverflow(numbers[position + 1])
      guard numbers[position] >= 0, numbers[position + 1] > 0, !overflows else { return nil }
      set.insert(integersIn: numbers[position]..<end)
    }
    return .indexSet(set)
  }

  /// Numbers of seven bits a byte, the least significant first; nil when they are cut off or too large.
  private static func variableLengthNumbers(_ data: Data) -> [Int]? {
    var numbers: [Int] = []
    var number = 0
    var shift = 0
    for byte in data {
      guard shift < 56 else { return nil }
      number |= Int(byte & 0x7F) << shift
      shift += 7
      if byte & 0x80 == 0 {
        numbers.append(number)
        number = 0
        shift = 0
      }
    }
    return shift == 0 ? numbers : nil
  }
}

extension ArchivedValue {
  /// A number of any kind, as a floating one.
  fileprivate var number: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .real(let double): double
    default: nil
    }
  }
}
