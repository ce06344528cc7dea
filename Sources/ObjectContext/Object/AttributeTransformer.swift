public import Foundation
import Locks

/// Turns values of one type into the bytes of a transformable attribute and back.
///
/// The model names the transformer of an attribute; the program registers it under that name before
/// it reads or sets the attribute. Bytes are only ever read as the type that the caller asks for:
/// nothing in a file chooses what is made of it.
public protocol AttributeTransformer: Sendable {
  /// The type of the values.
  associatedtype Value
  /// The bytes to store. What it throws, the save or the setter throws.
  func data(from value: Value) throws -> Data
  /// The value of stored bytes. What it throws, the read throws.
  func value(from data: Data) throws -> Value
}

extension AttributeTransformer {
  /// Makes the transformer known under the name that models use for it; a later one takes an
  /// earlier one's place.
  public func register(as name: String) {
    let read: AttributeTransformers.Read = { try value(from: $0) }
    let write: AttributeTransformers.Write = { any in
      guard let value = any as? Value else { return nil }
      return try data(from: value)
    }
    AttributeTransformers.register(name, read, write)
  }
}

/// The transformers by name.
enum AttributeTransformers {
  typealias Read = @Sendable (Data) throws -> Any
  typealias Write = @Sendable (Any) throws -> Data?

  private static let known = Locked<[String: (read: Read, write: Write)]>([:])

  static func register(_ name: String, _ read: @escaping Read, _ write: @escaping Write) {
    known.withLock { $0[name] = (read, write) }
  }

  static subscript(name: String) -> (read: Read, write: Write)? { known.withLock { $0[name] } }
}
