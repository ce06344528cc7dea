import ObjectContext
import ObjectModel
import ObjectQuery

extension ModelContext {
  /// Values of the models that a descriptor describes, a tuple each; with functions among the
  /// columns, a tuple for each group of models that have the same other values, or one for all
  /// where there are no others.
  ///
  /// No model is made. Groups come in the order of their values, unless the descriptor sorts by
  /// some of these. One statement. Leaves unsaved changes out.
  ///
  /// ```swift
  /// let rows = try context.fetch(FetchDescriptor<Book>(), columns: .value(\.genre), .count(), .sum(\.pages))
  /// for (genre, count, pages) in rows { print(genre, count, pages) }
  /// ```
  /// - Throws: as `fetch(_:)`; `unsupportedKeyPath` for a column that is no stored property, or
  ///   whose values its type cannot hold, as a sum of `Int` that overflows.
  public func fetch<T: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<T>, columns: repeat ModelColumn<T, each Value>
  ) throws -> [(repeat each Value)] {
    let shape = ModelSchema.of(T.self)
    var fetched: [ExpressionDescription] = []
    for column in repeat each columns {
      fetched.append(try shape.column(column.path, column.aggregate, number: fetched.count))
    }
    let rows = try run(descriptor) { request in
      var request = request
      request.propertiesToFetch = fetched
      if fetched.contains(where: { $0.aggregate != nil }) {
        request.propertiesToGroupBy = fetched.filter { $0.aggregate == nil }.map(\.name)
        try shape.checkOrder(request)
      }
      return try engine.fetchDictionaries(request)
    }
    return try rows.map { row in
      var place = 0
      func next<V>(_ column: ModelColumn<T, V>) throws -> V {
        defer { place += 1 }
        if let value = column.decode(row[fetched[place].name] ?? .null) { return value }
        throw SwiftDataError(
          .unsupportedKeyPath,
          "the column \(fetched[place].name) of \(T.self) has a value that is no \(V.self)")
      }
      return (repeat try next(each columns))
    }
  }
}

extension ModelSchema {
  /// The engine's column of a key path; of all models for none.
  fileprivate func column(
    _ path: AnyKeyPath?, _ aggregate: FetchAggregate?, number: Int
  ) throws -> ExpressionDescription {
    guard let path else { return ExpressionDescription("", aggregate: aggregate, as: "\(number)") }
    guard let names = self.path(of: path), !names.isEmpty, let attribute = attribute(names) else {
      throw SwiftDataError(
        .unsupportedKeyPath,
        "a column of \(type) has a key path to \(Swift.type(of: path).valueType) that is no stored"
          + " attribute; name one that"
          + " is, over to-ones if need be")
    }
    let isOrdered = if case .attribute(.transformable, _) = attribute.kind { false } else { true }
    guard aggregate == nil && attribute.attribute?.isTransformable != true || aggregate != nil && isOrdered
    else {
      throw SwiftDataError(
        .unsupportedKeyPath, "a column of \(type) is \(attribute.name), of whose bytes nothing can be made")
    }
    let dotted = names.joined(separator: ".")
    return ExpressionDescription(dotted, aggregate: aggregate, as: aggregate == nil ? dotted : "\(number)")
  }

  /// The attribute at the end of a path over to-ones.
  private func attribute(_ names: [String]) -> PropertySchema? {
    var shape = self
    for (place, name) in names.enumerated() {
      guard let property = shape.properties.first(where: { $0.name == name }) else { return nil }
      switch property.kind {
      case .attribute: return place == names.count - 1 ? property : nil
      case .relationship(let destination, let isToMany, _):
        if isToMany { return nil }
        shape = ModelSchema.of(destination)
      }
    }
    return nil
  }

  /// - Throws: `unsupportedSortDescriptor` for an order of groups by what they may differ in.
  fileprivate func checkOrder(_ request: FetchRequest) throws {
    for sort in request.sortDescriptors
    where !request.propertiesToGroupBy.contains(sort.keyPath.joined(separator: ".")) {
      let name = sort.keyPath.isEmpty ? "identity" : sort.keyPath.joined(separator: ".")
      throw SwiftDataError(
        .unsupportedSortDescriptor,
        "groups of \(type) are to be sorted by \(name), which makes no"
          + " group; sort by a column"
          + " that does, or sort the result")
    }
  }
}
