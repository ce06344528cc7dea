public import Foundation
import Locks
import ObjectQuery

/// How texts are ordered as people of a language expect it.
///
/// Foundation on Linux has `.lexical` only.
public struct LocalizedComparator: Sendable, Hashable {
  let comparator: FetchSortDescriptor.Comparator

  /// As lists of files are sorted: by language, without regard to case first, and numbers in texts
  /// by their value.
  public static let localizedStandard = LocalizedComparator(comparator: .localizedStandard)
  /// By language.
  public static let localized = LocalizedComparator(comparator: .localized)
}

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a text as people of the user's language expect it: `SortDescriptor(\.name,
  /// comparator: .localizedStandard)`.
  public init(
    _ keyPath: any KeyPath<Compared, String> & Sendable, comparator: LocalizedComparator,
    order: SortOrder = .forward
  ) {
    self.init(LocalizedOrder.path(keyPath, comparator.comparator) { $0[keyPath: keyPath] }, order: order)
  }

  /// Sorts by a text that may be missing.
  public init(
    _ keyPath: any KeyPath<Compared, String?> & Sendable, comparator: LocalizedComparator,
    order: SortOrder = .forward
  ) {
    self.init(LocalizedOrder.path(keyPath, comparator.comparator) { $0[keyPath: keyPath] }, order: order)
  }
}

extension SortDescriptor where Compared: PersistentModel {
  /// Sorts by a boolean, false first: Foundation's own takes comparable values only.
  public init(_ keyPath: any KeyPath<Compared, Bool> & Sendable, order: SortOrder = .forward) {
    self.init(
      LocalizedOrder.path(keyPath, .scalars) { $0[keyPath: keyPath] ? "1" : "0" }, order: order)
  }

  /// Sorts by a boolean that may be missing: that first, then false.
  public init(_ keyPath: any KeyPath<Compared, Bool?> & Sendable, order: SortOrder = .forward) {
    self.init(
      LocalizedOrder.path(keyPath, .scalars) { $0[keyPath: keyPath].map { $0 ? "1" : "0" } }, order: order)
  }
}

/// A text that compares as people of a language expect it.
public struct LocalizedText: Comparable {
  let text: String?
  let isStandard: Bool

  /// Missing texts first.
  public static func < (left: LocalizedText, right: LocalizedText) -> Bool {
    guard let one = left.text else { return right.text != nil }
    guard let other = right.text else { return false }
    return left.isStandard
      ? one.localizedStandardCompare(other) == .orderedAscending
      : one.localizedCompare(other) == .orderedAscending
  }
}

/// The key paths of localized orders: what they stand for is found by them.
enum LocalizedOrder {
  struct Mark: Hashable, Sendable {
    let number: Int
    let isStandard: Bool
  }

  private struct Order: @unchecked Sendable {
    // @unchecked: key paths never change, and the closure reads through one.
    let path: AnyKeyPath
    let comparator: FetchSortDescriptor.Comparator
    let read: (Any) -> String?
  }

  private struct Known: @unchecked Sendable {
    // @unchecked: key paths never change.
    var orders: [Order] = []
    var numbers: [AnyKeyPath: Int] = [:]
  }

  private static let known = Locked(Known())

  /// A key path to the text that a key path reads, ordered by a language.
  static func path<Model: PersistentModel>(
    _ path: AnyKeyPath, _ comparator: FetchSortDescriptor.Comparator, _ read: @escaping (Model) -> String?
  ) -> any KeyPath<Model, LocalizedText> & Sendable {
    let order = Order(path: path, comparator: comparator) { ($0 as? Model).flatMap(read) }
    let number = known.withLock { known in
      for (number, other) in known.orders.enumerated()
      where other.path == order.path && other.comparator == comparator { return number }
      known.orders.append(order)
      return known.orders.count - 1
    }
    let result: any KeyPath<Model, LocalizedText> & Sendable =
      \Model.[LocalizedOrder.Mark(number: number, isStandard: comparator == .localizedStandard)]
    nonisolated(unsafe) let made: AnyKeyPath = result
    known.withLock { $0.numbers[made] = number }
    return result
  }

  /// What a key path of such an order stands for.
  static func taken(_ path: AnyKeyPath) -> (AnyKeyPath, FetchSortDescriptor.Comparator?)? {
    nonisolated(unsafe) let path = path
    let order = known.withLock { known in known.numbers[path].map { known.orders[$0] } }
    return order.map { ($0.path, $0.comparator) }
  }

  static func text(_ model: Any, _ mark: Mark) -> LocalizedText {
    let order = known.withLock { $0.orders[mark.number] }
    return LocalizedText(text: order.read(model), isStandard: mark.isStandard)
  }
}

extension PersistentModel {
  subscript(mark: LocalizedOrder.Mark) -> LocalizedText { LocalizedOrder.text(self, mark) }
}
