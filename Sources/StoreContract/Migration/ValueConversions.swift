import Foundation
package import ObjectModel

/// What a program knows of values that have another form in a store of an older model: how to turn
/// each of them into a value of the new attribute.
package struct ValueConversions: Sendable {
  /// Turns a stored value, null among them, into the new attribute's.
  ///
  /// Throws `ValueConversionError`.
  package typealias Conversion = @Sendable (AttributeValue) throws -> AttributeValue

  /// The conversion of an attribute of the store's model into one of the new model; nil where the
  /// types alone decide.
  package let conversion: @Sendable (_ old: AttributeDescription, _ new: AttributeDescription) -> Conversion?

  /// The checksum of the only version of the model whose values are converted; nil for any.
  private let source: Data?

  package init(
    of source: ManagedObjectModel? = nil,
    _ conversion: @escaping @Sendable (AttributeDescription, AttributeDescription) -> Conversion?
  ) {
    self.conversion = conversion
    self.source = source?.versionHash
  }

  /// Whether values of a version of the model are converted.
  package func apply(to model: ManagedObjectModel) -> Bool { source == nil || source == model.versionHash }
}

/// Why a stored value is none of the new attribute.
package struct ValueConversionError: Error {
  /// What differs; never holds a stored value.
  package let message: String

  package init(_ message: String) { self.message = message }
}

extension PersistentStoreDescription {
  private static let conversionsKey = "valueConversions"

  /// How values get another form when opening migrates the store; none unless set.
  package var valueConversions: ValueConversions? {
    get { options[Self.conversionsKey] as? ValueConversions }
    set { options[Self.conversionsKey] = newValue }
  }
}
