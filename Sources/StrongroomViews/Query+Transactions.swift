public import Foundation
public import StrongroomData

extension Query {
  /// The models of a descriptor.
  public init(_ descriptor: FetchDescriptor<Element>, transaction: QueryTransaction) {
    self.init(descriptor, nil, transaction.animation)
  }

  /// The models that a condition selects, in an order.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: QueryTransaction
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), nil, transaction.animation)
  }

  /// The models that a condition selects, in the order of a property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value> & Sendable,
    order: SortOrder = .forward, transaction: QueryTransaction
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(FetchDescriptor(predicate: filter, sortBy: [sort]), nil, transaction.animation)
  }

  /// The models that a condition selects, in the order of a property that may be missing.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value?> & Sendable,
    order: SortOrder = .forward, transaction: QueryTransaction
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(FetchDescriptor(predicate: filter, sortBy: [sort]), nil, transaction.animation)
  }

  /// The models of a descriptor, by sections.
  public init<Title: QuerySectionTitle>(
    _ descriptor: FetchDescriptor<Element>, transaction: QueryTransaction, sectionBy: KeyPath<Element, Title>
  ) {
    self.init(descriptor, Title.sectioning(by: sectionBy), transaction.animation)
  }

  /// The models that a condition selects, by sections, in an order.
  public init<Title: QuerySectionTitle>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    transaction: QueryTransaction, sectionBy: KeyPath<Element, Title>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), Title.sectioning(by: sectionBy),
      transaction.animation)
  }

  /// The models that a condition selects, by sections, in the order of a property.
  public init<Value: Comparable, Title: QuerySectionTitle>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value> & Sendable,
    order: SortOrder = .forward, transaction: QueryTransaction, sectionBy: KeyPath<Element, Title>
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [sort]), Title.sectioning(by: sectionBy),
      transaction.animation)
  }

  /// The models that a condition selects, by sections, in the order of a property that may be missing.
  public init<Value: Comparable, Title: QuerySectionTitle>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value?> & Sendable,
    order: SortOrder = .forward, transaction: QueryTransaction, sectionBy: KeyPath<Element, Title>
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [sort]), Title.sectioning(by: sectionBy),
      transaction.animation)
  }
}
