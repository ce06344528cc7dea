import ObjectModel

/// Where a store has an attribute: in a column, or, a composite, in one for each element.
indirect enum AppleColumn {
  case column(String)
  /// Nil for an element that the store lacks.
  case elements([(attribute: AttributeDescription, column: AppleColumn?)])
}

/// Where a store has a to-one relationship.
struct AppleToOne {
  let column: String
  /// The column with the number of the destination's entity.
  let entityColumn: String?
}

/// Where a store has the links of a to-many relationship that is not just its inverse's column.
struct AppleLinks {
  let table: String
  /// The column with the key of the object that has the relationship.
  let owner: String
  /// The column with the key of its destination.
  let destination: String
  /// The column with the place in the order.
  let order: String?
  /// Whether each link is there once in each direction: a many-to-many that is its own inverse.
  var isReflexive = false
}
