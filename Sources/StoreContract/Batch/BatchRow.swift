import Foundation
public import ObjectModel

/// A new row that a batch insert fills.
///
/// It begins with the entity's default values.
///
/// The next row reuses its memory, so do not store it. Not Sendable.
public final class BatchRow {
  /// The entity of the new objects.
  public let entity: EntityDescription
  @usableFromInline package let builder = NodeBuilder()
  /// Destinations of relationships that have join tables, in the order they were set.
  package private(set) var joinTableRows: [(relationship: RelationshipDescription, destinations: [Int64])] =
    []
  private let defaults: [(AttributeDescription, AttributeValue)]
  private let required: [(field: Int, name: String)]

  package init(_ entity: EntityDescription) {
    self.entity = entity
    defaults = entity.attributes.filter { !$0.isTransient && !$0.defaultValue.isNull }.map {
      ($0, $0.defaultValue)
    }
    required = entity.storedFields.enumerated().compactMap { field, stored in
      switch stored {
      case .attribute(let attribute): attribute.isOptional ? nil : (field, attribute.name)
      case .toOne(let relationship): relationship.isOptional ? nil : (field, relationship.name)
      }
    }
  }

  package func begin() throws {
    builder.begin(fieldCount: entity.fieldCount)
    if !joinTableRows.isEmpty { joinTableRows.removeAll(keepingCapacity: true) }
    for (attribute, value) in defaults { try builder.set(attribute, value) }
  }

  /// Checks that all required fields are set.
  ///
  /// - Throws: `invalidValue` when a required field is null.
  package func check() throws {
    for (field, name) in required where builder.isNull(field) {
      throw StoreError(
        .invalidValue, "\(entity.name).\(name) is required; a row of the batch has none. Nothing was inserted"
      )
    }
  }

  // MARK: By property index

  /// Sets an integer or a to-one's reference number.
  @inlinable
  public func set(_ property: PropertyIndex, integer: Int64) { builder.set(property.field, integer: integer) }

  /// Sets a boolean.
  @inlinable
  public func set(_ property: PropertyIndex, boolean: Bool) {
    builder.set(property.field, integer: boolean ? 1 : 0)
  }

  /// Sets a floating-point number, or a date as seconds since 2001-01-01 UTC.
  ///
  /// NaN becomes null.
  @inlinable
  public func set(_ property: PropertyIndex, double: Double) {
    if double.isNaN {
      builder.setNull(property.field)
    } else {
      builder.set(property.field, double: double == 0 ? 0 : double)
    }
  }

  /// Sets a string.
  @inlinable
  public func set(_ property: PropertyIndex, string: String) {
    var string = string
    string.withUTF8 { builder.set(property.field, bytes: UnsafeRawBufferPointer($0)) }
  }

  /// Sets a string by its UTF-8, or binary data.
  @inlinable
  public func set(_ property: PropertyIndex, bytes: UnsafeRawBufferPointer) {
    builder.set(property.field, bytes: bytes)
  }

  /// Sets a value to null.
  @inlinable
  public func setNull(_ property: PropertyIndex) { builder.setNull(property.field) }

  // MARK: By name

  /// Sets an attribute, or a to-one by `.reference`; `.null` clears it.
  /// - Throws: `notFound` when there is no such property, `invalidValue` when the value is not of
  ///   its type.
  public func set(_ name: String, _ value: AttributeValue) throws {
    switch entity.property(named: name) {
    case .attribute(let attribute)? where !attribute.isTransient:
      guard value.matches(attribute.type) else { throw StoreError.invalidValue(attribute) }
      try builder.set(attribute, value)
    case .relationship(let relationship)? where relationship.field >= 0:
      switch value {
      case .null: builder.setNull(relationship.field)
      case .reference(let reference): builder.set(relationship.field, integer: reference)
      default: throw StoreError.invalidValue(nil)
      }
    default: throw StoreError(.notFound, "\(entity.name) has no stored value \(name)")
    }
  }

  /// Sets a to-one's destination.
  ///
  /// - Throws: `notFound` when there is no such to-one.
  public func set(_ name: String, _ destination: ManagedObjectID) throws {
    try set(name, .reference(destination.reference))
  }

  /// Sets the destinations, in this order, of a to-many that is many-to-many or unidirectional.
  ///
  /// - Throws: `notFound` when there is no such to-many, or the destinations' rows store it.
  public func set(_ name: String, destinations: [ManagedObjectID]) throws {
    guard let relationship = entity.relationship(named: name) else {
      throw StoreError(.notFound, "\(entity.name) has no relationship \(name)")
    }
    try addJoinTableRows(relationship, destinations.map(\.reference))
  }

  /// Sets the destinations of a to-many by property index and reference numbers.
  ///
  /// - Throws: as `set(_:destinations:)`.
  public func set(_ property: PropertyIndex, destinations: [Int64]) throws {
    guard case .relationship(let relationship) = entity.properties[property.index] else {
      throw StoreError(.notFound, "\(entity.name) has no relationship of this index")
    }
    try addJoinTableRows(relationship, destinations)
  }

  private func addJoinTableRows(_ relationship: RelationshipDescription, _ destinations: [Int64]) throws {
    // An ordered to-many of a to-one has its order alone in a join table.
    guard relationship.isToMany, relationship.hasJoinTable, relationship.inverse?.isToMany != false else {
      throw StoreError(
        .notFound,
        "\(entity.name).\(relationship.name) is stored in its destinations; "
          + "set their \(relationship.inverse?.name ?? "to-one")"
      )
    }
    joinTableRows.append((relationship, destinations))
  }
}
