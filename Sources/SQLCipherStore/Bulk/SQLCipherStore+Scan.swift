import CipherDatabase
import ObjectModel
public import ObjectQuery
public import StoreContract

extension SQLCipherStore {
  /// Runs through the rows of a request's columns in its order. One statement; memory for one row, whatever their
  /// number, unless a part of the request cannot be asked in SQL or equal rows are to come once.
  public func scan(
    _ request: FetchRequest, begin: (ScanColumns) throws -> Void, row: (PackedRow) throws -> Bool
  ) throws {
    let opened = try open
    var request = request
    request.resultType = .dictionaries
    let shape = RequestShape(request)
    try translating(path) {
      let plan = try plan(shape, in: opened)
      let isDone = try opened.pool.read { connection -> Bool in
        guard !plan.needsEvaluation, !request.returnsDistinctResults, let columns = plan.dictionaryColumns,
          let statement = try plan.bound(connection, request, shape.constants)
        else { return false }
        defer { statement.reset() }
        let types = columns.map { $0.isReference ? AttributeType.objectID : $0.type }
        try begin(ScanColumns(names: columns.map(\.name), types: types))
        let kinds = types.map { SelectPlan.Kind(column: $0) }
        let builder = NodeBuilder()
        try types.withUnsafeBufferPointer { types in
          while try statement.step() {
            statement.decode(kinds, into: builder)
            if try !row(builder.row(types)) { break }
          }
        }
        return true
      }
      if !isDone { try scanDictionaries(request, begin: begin, row: row) }
    }
  }
}

extension SelectPlan.Kind {
  init(column type: AttributeType) {
    switch type {
    case .integer16, .integer32, .integer64, .boolean, .objectID: self = .integer
    case .double, .float, .date: self = .double
    case .string, .uri, .composite, .undefined: self = .text
    case .uuid, .decimal, .binary, .transformable: self = .blob
    }
  }
}

extension Statement {
  /// Puts the row's columns into a builder, one field each.
  @inline(__always)
  func decode(_ kinds: [SelectPlan.Kind], into builder: NodeBuilder) {
    builder.begin(fieldCount: kinds.count)
    kinds.withUnsafeBufferPointer { kinds in
      for place in 0..<kinds.count {
        let value = value(Int32(truncatingIfNeeded: place))
        if value.isNull { continue }
        switch kinds[place] {
        case .integer: builder.set(place, integer: value.int64)
        case .double: builder.set(place, double: value.double)
        case .text, .blob: builder.set(place, bytes: value.bytes)
        }
      }
    }
  }
}
