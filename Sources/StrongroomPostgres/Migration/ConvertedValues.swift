import Foundation
import LightweightMigration
import ObjectModel
import StoreContract

/// The values of a migration that the program converts: of each attribute in a table that is dropped with the
/// transaction, since a server calls no function of a program's.
///
/// A value that cannot be converted is null there, and the first one's reason is remembered.
struct ConvertedValues {
  private struct Key: Hashable {
    let old: ObjectIdentifier
    let new: ObjectIdentifier
  }

  private struct Column {
    /// Nil where none is converted.
    let table: String?
    var reason: String?
  }

  private var columns: [Key: Column] = [:]

  /// Converts the values of each attribute that a program converts.
  ///
  /// One statement an attribute, and two for each 1,000 objects.
  /// In a transaction; without a connection where the old version's tables are not there yet.
  init(_ plan: MigrationPlan<ServerSchema>, _ connection: ServerConnection?) throws {
    guard let conversions = plan.conversions else { return }
    for pair in plan.mapping.entities.values {
      for attribute in pair.new.attributes where attribute.field >= 0 && attribute.derivation == nil {
        guard let was = pair.attributes[attribute.index], was.field >= 0 else { continue }
        let key = Key(old: ObjectIdentifier(was), new: ObjectIdentifier(attribute))
        guard columns[key] == nil, let conversion = conversions.conversion(was, attribute) else { continue }
        if was.sealing != nil || attribute.sealing != nil {
          columns[key] = Column(table: nil, reason: Self.sealed)
          continue
        }
        let new = Self.table()
        columns[key] = Column(table: new)
        guard let connection else { continue }
        columns[key]?.reason = try ConvertedAttribute(was: was, new: attribute, owner: pair.new, conversion)
          .fill(new, plan.old, connection)
      }
    }
  }

  private static let sealed =
    "its values are sealed, and a migration does not convert them; add another attribute, copy the values in"
    + " the program, and then remove this one"

  /// No table of a model has such a name.
  private static func table() -> String { "_ converted \(UUID().uuidString.prefix(8))".quoted }

  private func column(_ new: AttributeDescription, from old: AttributeDescription) -> Column? {
    columns[Key(old: ObjectIdentifier(old), new: ObjectIdentifier(new))]
  }

  /// The converted value of the row `r`; nil where the program does not convert the attribute.
  func value(_ new: AttributeDescription, from old: AttributeDescription) -> String? {
    column(new, from: old).map { column in
      column.table.map { "(SELECT v.value FROM \($0) AS v WHERE v._id = r._id)" } ?? "NULL"
    }
  }

  /// Why a value could not be converted.
  func obstacle(_ new: AttributeDescription, from old: AttributeDescription) -> String? {
    column(new, from: old)?.reason
  }
}
