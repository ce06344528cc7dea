public import Foundation

/// Makes a keyed archive, as `NSKeyedArchiver` does, of objects that are described by the names of
/// their classes and by values for keys.
///
/// Objects may refer to each other in any order: ``addObject(_:)`` makes one without values, and
/// ``set(_:forKey:of:)`` gives it one value at a time. Equal texts are stored once.
public struct KeyedArchiveWriter {
  /// An object of the archive.
  public struct Reference: Sendable, Hashable {
    fileprivate let index: UInt32

    /// nil.
    public static let null = Reference(index: 0)
  }

  /// A value of an object.
  public enum Value: Sendable, Hashable {
    /// A boolean.
    case boolean(Bool)
    /// A whole number.
    case integer(Int64)
    /// A floating-point number.
    case real(Double)
    /// Bytes.
    case data(Data)
    /// Text that is no object, as Foundation stores the text of its own strings.
    case string(String)
    /// Another object.
    case reference(Reference)
    /// Other objects, as collections store their elements.
    case references([Reference])
  }

  private var objects: [PropertyListValue] = [.string("$null")]
  private var values: [Int: [String: PropertyListValue]] = [:]
  private var texts: [String: Reference] = [:]
  private var classes: [[String]: Reference] = [:]

  /// Makes a writer without objects.
  public init() {}

  private mutating func append(_ value: PropertyListValue) -> Reference {
    objects.append(value)
    return Reference(index: UInt32(objects.count - 1))
  }

  /// Adds a text, once for each equal one.
  public mutating func addString(_ text: String) -> Reference {
    if let known = texts[text] { return known }
    let reference = append(.string(text))
    texts[text] = reference
    return reference
  }

  /// Adds an object without values.
  ///
  /// The names are those of its class and of all superclasses up to `NSObject`, the class first.
  public mutating func addObject(_ classNames: [String]) -> Reference {
    let classReference = addClass(classNames)
    let reference = append(.null)
    values[Int(reference.index)] = ["$class": .uid(classReference.index)]
    return reference
  }

  private mutating func addClass(_ names: [String]) -> Reference {
    if let known = classes[names] { return known }
    let reference = append(
      .dictionary([
        "$classname": .string(names.first ?? "NSObject"), "$classes": .array(names.map { .string($0) }),
      ]))
    classes[names] = reference
    return reference
  }

  /// Adds an object with values.
  public mutating func addObject(_ classNames: [String], _ values: [String: Value]) -> Reference {
    let reference = addObject(classNames)
    for (key, value) in values.sorted(by: { $0.key < $1.key }) { set(value, forKey: key, of: reference) }
    return reference
  }

  /// Sets the value of a key of an object that ``addObject(_:)`` made; values of others are ignored.
  public mutating func set(_ value: Value, forKey key: String, of object: Reference) {
    let stored: PropertyListValue =
      switch value {
      case .boolean(let flag): .boolean(flag)
      case .integer(let integer): .integer(integer)
      case .real(let double): .real(double)
      case .data(let data): .data(data)
      case .string(let text): .string(text)
      case .reference(let reference): .uid(reference.index)
      case .references(let references): .array(references.map { .uid($0.index) })
      }
    values[Int(object.index)]?[key] = stored
  }

  /// Adds a value of a class of Foundation with all that it contains.
  ///
  /// - Throws: `KeyedArchiveError` for objects of unknown classes, since they hold nothing.
  public mutating func add(_ value: FoundationValue) throws(KeyedArchiveError) -> Reference {
    switch value {
    case .null: return addObject(["NSNull", "NSObject"])
    case .boolean(let flag): return append(.boolean(flag))
    case .integer(let integer): return append(.integer(integer))
    case .real(let double): return append(.real(double))
    case .string(let text): return addString(text)
    case .data(let data): return append(.data(data))
    case .array(let elements): return try addCollection("NSArray", elements)
    case .orderedSet(let elements): return try addCollection("NSOrderedSet", elements)
    case .set(let elements): return try addCollection("NSSet", elements)
    case .dictionary(let entries): return try addDictionary(entries)
    default: return try addScalar(value)
    }
  }

  private mutating func addCollection(
    _ className: String, _ elements: [FoundationValue]
  ) throws(KeyedArchiveError) -> Reference {
    var references: [Reference] = []
    for element in elements { references.append(try add(element)) }
    return addObject([className, "NSObject"], ["NS.objects": .references(references)])
  }

  private mutating func addDictionary(
    _ entries: [FoundationValue.Entry]
  ) throws(KeyedArchiveError) -> Reference {
    var keys: [Reference] = []
    var values: [Reference] = []
    for entry in entries {
      keys.append(try add(entry.key))
      values.append(try add(entry.value))
    }
    return addObject(
      ["NSDictionary", "NSObject"], ["NS.keys": .references(keys), "NS.objects": .references(values)])
  }

  private mutating func addScalar(_ value: FoundationValue) throws(KeyedArchiveError) -> Reference {
    switch value {
    case .date(let date):
      return addObject(["NSDate", "NSObject"], ["NS.time": .real(date.timeIntervalSinceReferenceDate)])
    case .uuid(let uuid):
      let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
      return addObject(["NSUUID", "NSObject"], ["NS.uuidbytes": .data(bytes)])
    case .url(let url):
      var base = Reference.null
      if let baseURL = url.baseURL { base = try add(.url(baseURL)) }
      return addObject(
        ["NSURL", "NSObject"],
        ["NS.base": .reference(base), "NS.relative": .reference(addString(url.relativeString))])
    case .decimal(let decimal): return addDecimal(decimal)
    case .attributedString(let text):
      let attributes = try add(.dictionary([]))
      return addObject(
        ["NSAttributedString", "NSObject"],
        ["NSString": .reference(addString(text)), "NSAttributes": .reference(attributes)])
    case .indexSet(let set): return addIndexSet(set)
    case .locale(let identifier):
      return addObject(["NSLocale", "NSObject"], ["NS.identifier": .reference(addString(identifier))])
    case .timeZone(let identifier):
      return addObject(["NSTimeZone", "NSObject"], ["NS.name": .reference(addString(identifier))])
    default:
      throw KeyedArchiveError(
        .unsupportedValue, "an object of an unknown class cannot be archived; leave it out")
    }
  }

  /// A mantissa of 128 bits in words, the least significant first, times a power of ten.
  private mutating func addDecimal(_ decimal: Decimal) -> Reference {
    let digits = decimal.isNaN ? 0 : UInt128(decimal.significand.description) ?? 0
    let bytes = (0..<16).map { UInt8(truncatingIfNeeded: digits >> UInt128($0 * 8)) }
    let length = (UInt128.bitWidth - digits.leadingZeroBitCount + 15) / 16
    return addObject(
      ["NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
      [
        "NS.exponent": .integer(digits == 0 ? 0 : Int64(decimal.exponent)),
        "NS.length": .integer(Int64(length)),
        "NS.negative": .boolean(decimal.isNaN || digits != 0 && decimal.sign == .minus),
        "NS.compact": .boolean(true), "NS.mantissa.bo": .integer(1), "NS.mantissa": .data(Data(bytes)),
      ])
  }

  private mutating func addIndexSet(_ set: IndexSet) -> Reference {
    let ranges = Array(set.rangeView)
    var values: [String: Value] = ["NSRangeCount": .integer(Int64(ranges.count))]
    if ranges.count == 1 {
      values["NSLocation"] = .integer(Int64(ranges[0].lowerBound))
      values["NSLength"] = .integer(Int64(ranges[0].count))
    } else if ranges.count > 1 {
      let numbers = ranges.flatMap { [$0.lowerBound, $0.count] }
      let data = append(.data(Data(numbers.flatMap(Self.variableLengthBytes))))
      values["NSRangeData"] = .reference(data)
    }
    return addObject(["NSIndexSet", "NSObject"], values)
  }

  /// Seven bits a byte, the least significant first.
  private static func variableLengthBytes(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = number
    repeat {
      bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return bytes
  }

  /// The archive with an object at its root, which was added before.
  ///
  /// - Throws: `KeyedArchiveError` when the object is not the writer's, or when the archive cannot be
  ///   written as a property list.
  public func data(root: Reference) throws(KeyedArchiveError) -> Data { try data(top: ["root": root]) }

  /// The archive with objects by key at its top, which were added before.
  ///
  /// - Throws: as `data(root:)` does.
  public func data(top: [String: Reference]) throws(KeyedArchiveError) -> Data {
    guard top.values.allSatisfy({ Int($0.index) < self.objects.count }) else {
      throw KeyedArchiveError(
        .unexpectedValue,
        "the root is no object of this writer; add it in a statement before the one that makes the archive")
    }
    var objects = objects
    for (index, values) in values { objects[index] = .dictionary(values) }
    return try PropertyListValue.dictionary([
      "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
      "$top": .dictionary(top.mapValues { .uid($0.index) }), "$objects": .array(objects),
    ]).binaryPropertyList()
  }
}
