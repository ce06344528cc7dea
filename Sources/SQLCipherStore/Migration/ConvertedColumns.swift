import CipherDatabase
import Foundation
import LightweightMigration
import Locks
import ObjectModel
import StoreContract

/// The attributes of a migration whose values the program converts, each by an SQL function.
///
/// A value that cannot be converted becomes null, and its reason is remembered.
final class ConvertedColumns: Sendable {
  /// One attribute's function.
  struct Column: Sendable {
    /// The function's name.
    let function: String
    /// Why the first value could not be converted.
    let reason = Locked<String?>(nil)
  }

  private struct Key: Hashable {
    let old: ObjectIdentifier
    let new: ObjectIdentifier
  }

  private let columns: [Key: Column]

  /// Registers a function for each attribute that a program converts.
  init(_ plan: MigrationPlan<StoreSchema>, on connection: Connection) throws {
    var columns: [Key: Column] = [:]
    for pair in plan.mapping.entities.values {
      for attribute in pair.new.attributes where attribute.field >= 0 && attribute.derivation == nil {
        guard let was = pair.attributes[attribute.index], was.field >= 0 else { continue }
        let key = Key(old: ObjectIdentifier(was), new: ObjectIdentifier(attribute))
        guard columns[key] == nil, let conversion = plan.conversions?.conversion(was, attribute) else {
          continue
        }
        let column = Column(function: "_converted_\(UUID().uuidString.lowercased().prefix(8))")
        columns[key] = column
        try Self.function(column, was, attribute, conversion).register(on: connection)
      }
    }
    self.columns = columns
  }

  func column(_ attribute: AttributeDescription, from was: AttributeDescription) -> Column? {
    columns[Key(old: ObjectIdentifier(was), new: ObjectIdentifier(attribute))]
  }

  private static func function(
    _ column: Column, _ was: AttributeDescription, _ attribute: AttributeDescription,
    _ conversion: @escaping ValueConversions.Conversion
  ) -> ScalarFunction {
    ScalarFunction(column.function, arguments: 1) { arguments in
      do {
        return try result(conversion(value(arguments, was)), attribute)
      } catch {
        let message = (error as? ValueConversionError)?.message ?? "its values cannot be read"
        if arguments.kind(0) != .null { column.reason.withLock { $0 = $0 ?? message } }
        return .null
      }
    }
  }

  private static func value(_ arguments: FunctionArguments, _ was: AttributeDescription) -> AttributeValue {
    switch arguments.kind(0) {
    case .null: .null
    case .integer: was.type == .boolean ? .boolean(arguments.integer(0) != 0) : .integer(arguments.integer(0))
    case .real:
      was.type == .date
        ? .date(Date(timeIntervalSinceReferenceDate: arguments.real(0))) : .double(arguments.real(0))
    case .text where was.type == .string: .string(arguments.text(0))
    case .text, .blob: FieldCoding.value(was.type, arguments.bytes(0))
    }
  }

  private static func result(
    _ value: AttributeValue, _ attribute: AttributeDescription
  ) throws -> FunctionResult {
    switch value {
    case .null: return .null
    case .boolean(let flag): return .integer(flag ? 1 : 0)
    case .integer(let integer): return .integer(integer)
    case .double(let double): return .real(double == 0 ? 0 : double)
    case .date(let date): return .real(date.timeIntervalSinceReferenceDate)
    case .string(let text): return .text(text)
    case .data(let data): return .blob(Array(data))
    default:
      switch FieldCoding.bytes(attribute.type, value) {
      case .text(let text): return .text(text)
      case .blob(let bytes): return .blob(bytes)
      case nil: throw ValueConversionError("its values are no \(attribute.type.rawValue)")
      }
    }
  }
}
