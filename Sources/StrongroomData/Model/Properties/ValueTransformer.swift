public import Foundation
import Locks

/// The name of a value transformer.
public struct NSValueTransformerName: RawRepresentable, Sendable, Hashable {
  /// The name.
  public let rawValue: String
  /// Makes a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Makes a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

/// Turns values of a program's own into data, for attributes that are `.transformable(by:)`: a
/// subclass overrides `transformedValue(_:)` to make `Data` of a value and
/// `reverseTransformedValue(_:)` to make a value of it.
///
/// Foundation on Linux has no such class; this one has the members of Apple's. Transformers are
/// used from any thread.
open class ValueTransformer: NSObject {
  /// Makes a transformer.
  public required override init() { super.init() }

  /// The class of what is made.
  ///
  /// The default says nothing of it.
  open class func transformedValueClass() -> AnyClass { NSObject.self }
  /// Whether values can be made of data again.
  open class func allowsReverseTransformation() -> Bool { true }
  /// What is to be stored for a value: `Data`, or nil for none.
  ///
  /// The default is the value itself.
  open func transformedValue(_ value: Any?) -> Any? { value }
  /// The value that what is stored stands for.
  ///
  /// The default is the same as `transformedValue(_:)`.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

  private struct Known: @unchecked Sendable {
    // @unchecked: transformers are handed out under the mutex, and hold nothing that changes.
    var byName: [String: ValueTransformer]
  }

  private static let known = Locked(
    Known(byName: ["NSSecureUnarchiveFromData": NSSecureUnarchiveFromDataTransformer()]))

  /// Makes a transformer known under a name; a later one takes an earlier one's place, nil takes it
  /// away.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?, forName name: NSValueTransformerName
  ) {
    let box = Known(byName: transformer.map { [name.rawValue: $0] } ?? [:])
    known.withLock { $0.byName[name.rawValue] = box.byName[name.rawValue] }
  }

  /// The transformer of a name; nil when there is none.
  public class func valueTransformer(forName name: NSValueTransformerName) -> ValueTransformer? {
    known.withLock { Known(byName: $0.byName) }.byName[name.rawValue]
  }

  /// The names of all transformers.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    known.withLock { $0.byName.keys.sorted() }.map { NSValueTransformerName($0) }
  }

  /// Makes a transformer of a class known under the name of the class, with its module and without,
  /// unless there is one of that name.
  ///
  /// Classes of one name in two modules have the same name only without.
  /// - Returns: The name with the module.
  static func register(_ type: ValueTransformer.Type) -> String {
    let names = [String(reflecting: type), String(describing: type)].map { NSValueTransformerName($0) }
    var own: ValueTransformer?
    for name in names where valueTransformer(forName: name) == nil {
      let transformer = own ?? type.init()
      own = transformer
      setValueTransformer(transformer, forName: name)
    }
    return names[0].rawValue
  }

  /// The transformer that a schema names.
  static func named(_ name: String) -> ValueTransformer {
    if let transformer = valueTransformer(forName: NSValueTransformerName(name)) { return transformer }
    preconditionFailure(
      "no value transformer is called \(name); call ValueTransformer.setValueTransformer(_:forName:) before"
        + " a model uses it"
    )
  }

  /// What an attribute stores for a value.
  ///
  /// - Precondition: What is archived is of the transformer's classes: else it would be lost.
  final func stored(_ value: Any?) -> Any? {
    guard self is NSSecureUnarchiveFromDataTransformer else { return transformedValue(value) }
    let data = reverseTransformedValue(value)
    precondition(
      data != nil || value == nil,
      "\(Self.self) archives no value of this class; add it to allowedTopLevelClasses")
    return data
  }

  /// The value of what an attribute stores.
  final func restored(_ stored: Any?) -> Any? {
    self is NSSecureUnarchiveFromDataTransformer ? transformedValue(stored) : reverseTransformedValue(stored)
  }
}
