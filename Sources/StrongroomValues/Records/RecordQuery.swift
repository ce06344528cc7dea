import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery

/// Makes the engine's requests of what is asked of records.
enum RecordQuery {
  /// The condition of a predicate.
  /// - Throws: `QueryError`, which names the part that has no translation.
  static func condition<Value: Record>(_ predicate: Predicate<Value>?) throws -> FetchPredicate? {
    guard let predicate else { return nil }
    return try FetchPredicate(predicate, values: RecordValues())
  }

  static func request<Value: Record>(
    _ type: Value.Type, _ table: RecordTable, _ condition: FetchPredicate?,
    _ sort: [SortDescriptor<Value>] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> FetchRequest {
    // To a request a limit of 0 is none.
    var request = FetchRequest(
      table.entity.name, where: limit == 0 ? .constant(false) : condition, fetchLimit: limit,
      fetchOffset: offset)
    request.includesSubentities = false
    request.sortDescriptors = try sort.map(Self.sort)
    return request
  }

  private static func sort<Value: Record>(_ descriptor: SortDescriptor<Value>) throws -> FetchSortDescriptor {
    guard let path = descriptor.keyPath else {
      throw ValuesError(
        .unknownProperty, "\(Value.self) is to be sorted by no key path; sort by a stored property")
    }
    var sort = FetchSortDescriptor("", ascending: descriptor.order == .forward)
    sort.keyPath = [try CodableSchema.of(Value.self).name(of: path)]
    if descriptor.stringComparator == nil, isText(path) {
      // Apple's SortDescriptor of a text is localizedStandard unless it says otherwise.
      sort.comparator = .localizedStandard
    }
    return sort
  }

  private static func isText(_ path: AnyKeyPath) -> Bool {
    let type = Swift.type(of: path).valueType
    return type == String.self || type == String?.self
  }
}

/// How records keep what conditions compare.
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
