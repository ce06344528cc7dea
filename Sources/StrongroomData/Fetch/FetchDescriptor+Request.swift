import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery

extension FetchDescriptor {
  /// The engine's request.
  /// - Throws: `SwiftDataError`: `unsupportedPredicate`, which names the part,
  ///   `unsupportedSortDescriptor`, `unsupportedKeyPath`.
  func request(_ entity: String, in core: ContainerCore) throws -> FetchRequest {
    var request = FetchRequest(entity, fetchLimit: fetchLimit, fetchOffset: fetchOffset ?? 0)
    request.predicate = try predicate.map { try condition($0, in: core) }
    request.sortDescriptors = try sortBy.map(Self.sort)
    request.includesPendingChanges = includePendingChanges
    let shape = ModelSchema.of(T.self)
    let columns = try propertiesToFetch.compactMap { path -> ExpressionDescription? in
      guard let names = shape.path(of: path), names.count <= 1 else {
        throw Self.unknown(path, "propertiesToFetch")
      }
      guard let name = names.first, !shape.isToMany(name) else { return nil }
      return ExpressionDescription(name)
    }
    if !columns.isEmpty { request.propertiesToFetch = columns }
    request.relationshipKeyPathsForPrefetching = try relationshipKeyPathsForPrefetching.map { path in
      guard let names = shape.path(of: path), !names.isEmpty else {
        throw Self.unknown(path, "relationshipKeyPathsForPrefetching")
      }
      return names.joined(separator: ".")
    }
    if let search { request.search = TextSearch(search, in: try searchedIndex(shape)) }
    return request
  }

  private func searchedIndex(_ shape: ModelSchema) throws -> String? {
    if searchedProperties.isEmpty { return nil }
    let names = try searchedProperties.map { path in
      guard let names = shape.path(of: path), names.count == 1 else {
        throw Self.unknown(path, "searchedProperties")
      }
      return names[0]
    }
    return Schema.indexName(names, .fullText)
  }

  private static func unknown(_ path: AnyKeyPath, _ place: String) -> SwiftDataError {
    SwiftDataError(
      .unsupportedKeyPath,
      "\(place) of \(T.self) has a key path to \(type(of: path).valueType) that is no persistent property;"
        + " name a property"
        + " that is stored")
  }

  private static func sort(_ descriptor: SortDescriptor<T>) throws -> FetchSortDescriptor {
    guard let path = descriptor.keyPath else { throw unsupported(T.self) }
    let (property, comparator) = LocalizedOrder.taken(path) ?? (path, nil)
    let shape = ModelSchema.of(T.self)
    guard let names = shape.path(of: property) else { throw unsupported(type(of: property).valueType) }
    if names.count == 1,
      case .attribute(.transformable, _)? = shape.properties.first(where: { $0.name == names[0] })?.kind
    {
      throw unordered(type(of: property).valueType)
    }
    var sort = FetchSortDescriptor("", ascending: descriptor.order == .forward)
    sort.keyPath = names
    if let comparator {
      sort.comparator = comparator
    } else if descriptor.stringComparator == nil, type(of: property).valueType is any TextValue.Type {
      // Apple's SortDescriptor of a text is localizedStandard unless it says otherwise.
      sort.comparator = .localizedStandard
    }
    return sort
  }

  private static func unordered(_ type: Any.Type) -> SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      "\(T.self) is to be sorted by a \(type) that is stored as bytes, which have no order; sort by a"
        + " plain property, or"
        + " sort the result in memory")
  }

  private static func unsupported(_ type: Any.Type) -> SwiftDataError {
    SwiftDataError(
      .unsupportedSortDescriptor,
      "\(T.self) is to be sorted by a key path to \(type) that is no stored attribute; sort by a stored"
        + " one, or sort the"
        + " result in memory")
  }
}

private protocol TextValue {}
extension String: TextValue {}
extension Optional: TextValue where Wrapped == String {}

/// Turns a predicate into the engine's condition.
/// - Throws: `SwiftDataError.unsupportedPredicate`, which names the part that has no translation.
func condition<T: PersistentModel>(_ predicate: Predicate<T>, in core: ContainerCore) throws -> FetchPredicate
{
  do { return try FetchPredicate(predicate, values: ModelValues(core: core)) } catch {
    throw SwiftDataError(.unsupportedPredicate, error.message, cause: error)
  }
}

extension ModelSchema {
  func isToMany(_ name: String) -> Bool {
    guard case .relationship(_, let isToMany, _)? = properties.first(where: { $0.name == name })?.kind else {
      return false
    }
    return isToMany
  }
}
