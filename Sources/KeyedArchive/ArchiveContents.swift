/// The checked objects of an archive, which all its values share.
final class ArchiveContents: Sendable {
  private let objects: [PropertyListValue]
  /// The classes that the archive describes.
  private let classes: [[String]]
  /// The index in `classes` by object; nil for objects without a class.
  private let classIndices: [Int?]

  /// Checks every class and every reference, so that reading cannot fail later.
  init(
    _ objects: [PropertyListValue], top: [String: PropertyListValue]
  ) throws(KeyedArchiveError) {
    self.objects = objects
    var classes: [[String]] = []
    var indices: [Int: Int] = [:]
    for (index, object) in objects.enumerated() {
      guard case .dictionary(let values) = object, let name = values["$classname"] else { continue }
      indices[index] = classes.count
      classes.append(try Self.classNames(name, values["$classes"]))
    }
    var classIndices: [Int?] = []
    classIndices.reserveCapacity(objects.count)
    for (index, object) in objects.enumerated() {
      classIndices.append(try Self.classIndex(of: object, isClass: indices[index] != nil, indices))
    }
    self.classes = classes
    self.classIndices = classIndices
    let isClass = Set(indices.keys)
    for value in top.values { try Self.check(value, objects.count, isClass) }
    for (index, object) in objects.enumerated() where !isClass.contains(index) {
      guard case .dictionary(let values) = object else { continue }
      for (key, value) in values where key != "$class" { try Self.check(value, objects.count, isClass) }
    }
  }

  /// The class first, whatever the list of its superclasses says.
  private static func classNames(
    _ name: PropertyListValue, _ chain: PropertyListValue?
  ) throws(KeyedArchiveError) -> [String] {
    guard case .string(let name) = name else { throw damaged("a class has no name") }
    var names = [name]
    if case .array(let others)? = chain {
      for case .string(let other) in others where other != name { names.append(other) }
    }
    return names
  }

  private static func damaged(_ what: String) -> KeyedArchiveError {
    KeyedArchiveError(.damaged, "the keyed archive is damaged: \(what); use another copy")
  }

  private static func classIndex(
    of object: PropertyListValue, isClass: Bool, _ indices: [Int: Int]
  ) throws(KeyedArchiveError) -> Int? {
    switch object {
    case .dictionary(let values):
      if isClass { return nil }
      guard case .uid(let uid)? = values["$class"], let index = indices[Int(uid)] else {
        throw damaged("an object has no class")
      }
      return index
    case .array, .set, .uid: throw damaged("an object is a bare collection or reference")
    default: return nil
    }
  }

  /// What an object's values refer to must be there and be no class.
  private static func check(
    _ value: PropertyListValue, _ count: Int, _ classes: Set<Int>
  ) throws(KeyedArchiveError) {
    switch value {
    case .uid(let uid):
      guard Int(uid) < count, !classes.contains(Int(uid)) else {
        throw damaged("a value refers to no object")
      }
    case .array(let elements), .set(let elements):
      for element in elements { try check(element, count, classes) }
    case .dictionary:
      throw KeyedArchiveError(
        .unsupportedValue,
        "a value of the keyed archive is a dictionary without a class, which NSKeyedArchiver does not write;"
          + " use another file")
    default: break
    }
  }

  var count: Int { objects.count }

  func classNames(of index: Int) -> [String] { classIndices[index].map { classes[$0] } ?? [] }

  func values(of index: Int) -> [String: PropertyListValue] {
    if case .dictionary(let values) = objects[index] { return values }
    return [:]
  }

  /// The value that a reference stands for: nil for the first object, an object, or a plain value.
  func resolve(_ value: PropertyListValue) -> ArchivedValue {
    guard case .uid(let uid) = value else { return plain(value) }
    if uid == 0, objects[0] == .string("$null") { return .null }
    if classIndices[Int(uid)] != nil { return .object(ArchivedObject(contents: self, index: Int(uid))) }
    return plain(objects[Int(uid)])
  }

  private func plain(_ value: PropertyListValue) -> ArchivedValue {
    switch value {
    case .boolean(let flag): .boolean(flag)
    case .integer(let integer): .integer(integer)
    case .real(let double): .real(double)
    case .date(let date): .date(date)
    case .data(let data): .data(data)
    case .string(let text): .string(text)
    case .array(let elements), .set(let elements): .list(elements.map(resolve))
    case .null, .dictionary, .uid: .null
    }
  }
}
