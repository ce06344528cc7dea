import CipherDatabase
import StoreContract

extension Statement {
  /// Puts a column into a field, which is null already.
  ///
  /// A value that is not zero or empty is not null either, so its type is asked for only where it
  /// may be.
  @inline(__always)
  func decode(_ column: Int32, _ kind: SelectPlan.Kind, into field: Int, of builder: NodeBuilder) {
    switch kind {
    case .integer:
      let integer = int64(column)
      if integer != 0 || !isNull(column) { builder.set(field, integer: integer) }
    case .double:
      let number = double(column)
      if number != 0 || !isNull(column) { builder.set(field, double: number) }
    case .external where isInteger(column): builder.setUnread(field)
    case .text, .blob, .external:
      let bytes = bytes(column)
      if bytes.baseAddress != nil || !isNull(column) { builder.set(field, bytes: bytes) }
    }
  }

  /// Puts the row's columns into a builder, one field each.
  @inline(__always)
  func decode(_ kinds: [SelectPlan.Kind], into builder: NodeBuilder) {
    builder.begin(fieldCount: kinds.count)
    kinds.withUnsafeBufferPointer { kinds in
      for place in 0..<kinds.count {
        decode(Int32(truncatingIfNeeded: place), kinds[place], into: place, of: builder)
      }
    }
  }
}
