import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery

/// Translates predicates and sort descriptors of records to requests of the engine.
enum RecordQuery {
  /// The engine's form of a predicate.
  /// - Throws: `QueryError`, which names the part that has no translation.
  static func condition<Value: Record>(_ predicate: Predicate<Value>?) throws -> FetchPredicate? {
    guard let predicate else { return nil }
    return try FetchPredicate(predicate, values: RecordValues())
  }

  static func request<Value: Record>(
    _ type: Value.Type, _ table: RecordTable, _ condition: FetchPredicate?,
    _ sortDescriptors: [SortDescriptor<Value>] = [], fetchLimit: Int? = nil, fetchOffset: Int = 0
  ) throws -> FetchRequest {
    // A request's limit of 0 means no limit, as in Core Data.
    var request = FetchRequest(
      table.entity.name, where: fetchLimit == 0 ? .constant(false) : condition, fetchLimit: fetchLimit,
      fetchOffset: fetchOffset)
    request.includesSubentities = false
    request.sortDescriptors = try sortDescriptors.map(Self.translated)
    return request
  }

  private static func translated<Value: Record>(_ descriptor: SortDescriptor<Value>) throws
    -> FetchSortDescriptor
  {
    guard let path = descriptor.keyPath else {
      throw RecordError(
        .unknownProperty, "a sort descriptor of \(Value.self) has no key path; sort by a stored property")
    }
    var translated = FetchSortDescriptor("", ascending: descriptor.order == .forward)
    translated.keyPath = [try CodableSchema.of(Value.self).name(of: path)]
    if descriptor.stringComparator == nil, isText(path) {
      // The default of a SortDescriptor of strings on Apple's platforms.
      translated.comparator = .localizedStandard
    }
    return translated
  }

  private static func isText(_ path: AnyKeyPath) -> Bool {
    let type = Swift.type(of: path).valueType
    return type == String.self || type == String?.self
  }
}

/// How predicates compare the columns of records.
private struct RecordValues: PredicateValues {
  func isJSON(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool {
    ColumnForm.type(of: Swift.type(of: keyPath).valueType) == .transformable
  }

  func isOrdered(_ keyPath: AnyKeyPath, of type: Any.Type) -> Bool { !isJSON(keyPath, of: type) }

  func stored(_ value: Any, as keyPath: AnyKeyPath, of type: Any.Type) -> AttributeValue? {
    guard type is any Record.Type, let value = value as? any Encodable else { return nil }
    return try? ColumnForm.encode(value)
  }

  func json(_ value: any Encodable) -> Data? { try? CodableCoding.data(value) }
}
