public import ObjectModel
public import StoreContract

/// What a comparison of two stores of one model found.
public struct StoreComparison: Sendable, Hashable {
  /// Something that the two do not have alike.
  public struct Difference: Sendable, Hashable, Encodable, CustomStringConvertible {
    /// The entity.
    public let entity: String
    /// The object's number in the first store; nil where the whole entity is concerned.
    public let reference: Int64?
    /// The property; nil for the object itself.
    public let property: String?
    /// What differs; never a stored value.
    public let message: String

    /// Where it is and what it is, in one line.
    public var description: String {
      let name = [entity, property].compactMap { $0 }.joined(separator: ".")
      return "\(name)\(reference.map { " of object \($0)" } ?? ""): \(message)"
    }
  }

  /// The number of objects compared, by entity, without those of subentities.
  public internal(set) var objectCounts: [String: Int] = [:]
  /// The number of values of attributes compared.
  public internal(set) var valueCount = 0
  /// The number of links compared: of to-ones, and of to-manys without a to-one inverse.
  public internal(set) var linkCount = 0
  /// The number of differences.
  public internal(set) var differenceCount = 0
  /// The first hundred differences.
  public internal(set) var differences: [Difference] = []

  private static let mostDifferences = 100

  /// The number of objects compared.
  public var objectCount: Int { objectCounts.values.reduce(0, +) }

  init() {}

  /// Compares a store with another one that has its objects under the same numbers: every value, link and
  /// order, and the program's metadata.
  ///
  /// Each is read as of one moment, where it has snapshots. Memory does not grow with the number of objects.
  /// Cancelling the task stops it. Each piece of up to 4,096 objects is a statement of each store.
  /// - Parameters:
  ///   - store: The first store, which is loaded.
  ///   - other: The other.
  ///   - model: The model that both were opened with.
  ///   - progress: Called now and then.
  /// - Returns: What was compared, and what differs.
  /// - Throws: `StoreError`: `modelMismatch` where one was opened with another model; `cancelled`; what
  ///   reading throws.
  public static func of(
    _ store: any IncrementalStore, _ other: any IncrementalStore, model: ManagedObjectModel,
    progress: @escaping @Sendable (StoreMoveProgress) -> Void = { _ in }
  ) throws -> StoreComparison {
    try model.check(isModelOf: store)
    try model.check(isModelOf: other)
    let pages = (try StorePages(momentOf: store), try StorePages(momentOf: other))
    var result = try StoreComparing(pages.0, pages.1, model, progress: progress).run()
    for (name, pages) in [("the first store", pages.0), ("the second store", pages.1)] {
      do { try pages.verify() } catch let error as StoreError
        where [.fileDamaged, .schemaMismatch].contains(error.code)
      {
        result.add(name, nil, nil, error.message)
      }
    }
    return result
  }

  mutating func add(_ entity: String, _ reference: Int64?, _ property: String?, _ message: String) {
    differenceCount += 1
    if differences.count < Self.mostDifferences {
      differences.append(
        Difference(entity: entity, reference: reference, property: property, message: message))
    }
  }

  /// - Throws: `copyDiffers` with the advice where there is a difference.
  func requireNone(_ advice: String) throws {
    guard let first = differences.first else { return }
    throw StoreError(
      .copyDiffers,
      "the new store differs from its source in \(differenceCount.counted("place")), first in \(first);"
        + " \(advice)"
    )
  }
}

extension StoreError.Code {
  /// A store does not have what was written into it.
  public static let copyDiffers = Self("copyDiffers")
}
