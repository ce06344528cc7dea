import Foundation
package import ObjectModel

extension AttributeType {
  /// The type of attributes that hold values of a plain Swift type as they are; nil for all other
  /// types.
  package init?(plain swiftType: Any.Type) {
    guard let known = Self.plain[ObjectIdentifier(swiftType)] else { return nil }
    self = known
  }

  private static let plain: [ObjectIdentifier: AttributeType] = [
    ObjectIdentifier(String.self): .string, ObjectIdentifier(Bool.self): .boolean,
    ObjectIdentifier(Int.self): .integer64, ObjectIdentifier(Int64.self): .integer64,
    ObjectIdentifier(Int32.self): .integer32, ObjectIdentifier(Int16.self): .integer16,
    ObjectIdentifier(Int8.self): .integer16, ObjectIdentifier(UInt8.self): .integer16,
    ObjectIdentifier(UInt16.self): .integer32, ObjectIdentifier(UInt32.self): .integer64,
    ObjectIdentifier(UInt64.self): .decimal, ObjectIdentifier(UInt.self): .decimal,
    ObjectIdentifier(Double.self): .double, ObjectIdentifier(Float.self): .float,
    ObjectIdentifier(CGFloat.self): .double,
    ObjectIdentifier(Date.self): .date, ObjectIdentifier(Data.self): .binary,
    ObjectIdentifier(UUID.self): .uuid, ObjectIdentifier(URL.self): .uri,
    ObjectIdentifier(Decimal.self): .decimal,
  ]
}
