/// An object of a keyed archive: the names of its classes, and values by key.
///
/// It is a number and its archive: objects that refer to each other in a circle are no trouble, and
/// nothing is read before it is asked for. No class is loaded or instantiated.
public struct ArchivedObject: Sendable, Hashable, CustomStringConvertible {
  let contents: ArchiveContents
  /// The number of the object in its archive.
  public let index: Int

  /// The class and its superclasses, the class first.
  public var classNames: [String] { contents.classNames(of: index) }

  /// The class.
  public var className: String { classNames.first ?? "" }

  /// The keys that have a value, sorted.
  public var keys: [String] { contents.values(of: index).keys.filter { $0 != "$class" }.sorted() }

  /// Whether the class of a name is among the classes.
  public func isKind(of className: String) -> Bool { classNames.contains(className) }

  /// Whether there is a value for a key, be it nil.
  public func contains(_ key: String) -> Bool { key != "$class" && contents.values(of: index)[key] != nil }

  /// The value of a key; null when there is none.
  public subscript(key: String) -> ArchivedValue {
    guard key != "$class", let value = contents.values(of: index)[key] else { return .null }
    return contents.resolve(value)
  }

  /// The class and the number.
  public var description: String { "\(className) #\(index)" }

  /// The same object of the same archive.
  public static func == (left: ArchivedObject, right: ArchivedObject) -> Bool {
    left.index == right.index && left.contents === right.contents
  }

  /// Hashes the identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(ObjectIdentifier(contents))
  }
}

extension ArchivedObject {
  /// The elements of an array, a set or an ordered set, in the order of the archive; nil for any
  /// other object.
  public var elements: [ArchivedValue]? {
    guard isKind(of: "NSArray") || isKind(of: "NSSet") || isKind(of: "NSOrderedSet") else { return nil }
    return list("NS.objects", numbered: "NS.object.")
  }

  /// The keys and values of a dictionary, in the order of the archive; nil for any other object.
  ///
  /// Dictionaries with known keys, which Core Data has its entities in, are included.
  public var entries: [(key: ArchivedValue, value: ArchivedValue)]? {
    guard isKind(of: "NSDictionary") else { return nil }
    if isKind(of: "NSKnownKeysDictionary") { return knownEntries }
    guard let keys = list("NS.keys", numbered: "NS.key."),
      let values = list("NS.objects", numbered: "NS.object."), keys.count == values.count
    else { return nil }
    return zip(keys, values).map { (key: $0, value: $1) }
  }

  /// Keys without a value have a token in place of one.
  private var knownEntries: [(key: ArchivedValue, value: ArchivedValue)]? {
    guard let keys = self["searchMapping"].object?["keys"].object?.elements,
      let values = self["values"].object?.elements, keys.count == values.count
    else { return nil }
    let empty = self["emptyToken"]
    return zip(keys, values).filter { empty.isNull || $1 != empty }.map { (key: $0, value: $1) }
  }

  /// A list under one key, or under a key for each element as the first keyed archives had it.
  private func list(_ key: String, numbered prefix: String) -> [ArchivedValue]? {
    if case .list(let elements) = self[key] { return elements }
    var elements: [ArchivedValue] = []
    while contains(prefix + String(elements.count)) { elements.append(self[prefix + String(elements.count)]) }
    return elements.isEmpty ? nil : elements
  }
}
