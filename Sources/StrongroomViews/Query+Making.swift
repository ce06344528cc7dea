public import Foundation
public import StrongroomData

/// A property that results can be sectioned by: a text, or one that may be missing.
public protocol QuerySectionTitle {
  /// How a query's observer sections by a key path to such a value.
  static func sectioning<Element: PersistentModel>(by path: KeyPath<Element, Self>) -> QuerySectioning<
    Element
  >
}

extension String: QuerySectionTitle {
  /// Sections by the text.
  public static func sectioning<Element: PersistentModel>(
    by path: KeyPath<Element, String>
  ) -> QuerySectioning<Element> { QuerySectioning(path: .text(path)) }
}

extension Optional: QuerySectionTitle where Wrapped == String {
  /// Sections by the text; models without one are the section "".
  public static func sectioning<Element: PersistentModel>(
    by path: KeyPath<Element, String?>
  ) -> QuerySectioning<Element> { QuerySectioning(path: .optionalText(path)) }
}

extension Query {
  /// The models of a descriptor.
  public init(_ descriptor: FetchDescriptor<Element>, animation: QueryAnimation = .default) {
    self.init(descriptor, nil, animation)
  }

  /// The models that a condition selects, in an order.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: QueryAnimation = .default
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), nil, animation)
  }

  /// The models that a condition selects, in the order of a property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value> & Sendable,
    order: SortOrder = .forward, animation: QueryAnimation = .default
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(FetchDescriptor(predicate: filter, sortBy: [sort]), nil, animation)
  }

  /// The models that a condition selects, in the order of a property that may be missing.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value?> & Sendable,
    order: SortOrder = .forward, animation: QueryAnimation = .default
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(FetchDescriptor(predicate: filter, sortBy: [sort]), nil, animation)
  }

  /// The models of a descriptor, by sections.
  public init<Title: QuerySectionTitle>(
    _ descriptor: FetchDescriptor<Element>, animation: QueryAnimation = .default,
    sectionBy: KeyPath<Element, Title>
  ) {
    self.init(descriptor, Title.sectioning(by: sectionBy), animation)
  }

  /// The models that a condition selects, by sections, in an order.
  public init<Title: QuerySectionTitle>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    animation: QueryAnimation = .default, sectionBy: KeyPath<Element, Title>
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: descriptors), Title.sectioning(by: sectionBy), animation)
  }

  /// The models that a condition selects, by sections, in the order of a property.
  public init<Value: Comparable, Title: QuerySectionTitle>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value> & Sendable,
    order: SortOrder = .forward, animation: QueryAnimation = .default, sectionBy: KeyPath<Element, Title>
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(FetchDescriptor(predicate: filter, sortBy: [sort]), Title.sectioning(by: sectionBy), animation)
  }

  /// The models that a condition selects, by sections, in the order of a property that may be missing.
  public init<Value: Comparable, Title: QuerySectionTitle>(
    filter: Predicate<Element>? = nil, sort keyPath: any KeyPath<Element, Value?> & Sendable,
    order: SortOrder = .forward, animation: QueryAnimation = .default, sectionBy: KeyPath<Element, Title>
  ) {
    let sort = SortDescriptor(keyPath, order: order)
    self.init(FetchDescriptor(predicate: filter, sortBy: [sort]), Title.sectioning(by: sectionBy), animation)
  }
}
