import Foundation
import ObjectModel
import Observation

/// One persistent property of a class of models.
final class PropertySchema: @unchecked Sendable {
  // @unchecked: `index` is written by the shape's initialiser, before anybody else sees it; key
  // paths and their names never change.
  enum Kind {
    case attribute(AttributeType, isOptional: Bool)
    case relationship(any PersistentModel.Type, isToMany: Bool, isOptional: Bool)
  }

  let name: String
  let keyPath: AnyKeyPath
  let valueType: Any.Type
  let kind: Kind
  let attribute: Schema.Attribute?
  let relationship: Schema.Relationship?
  /// Makes a default value at each call.
  let makeDefault: (() -> Any?)?
  /// What is wrong with it.
  private(set) var issue: String?
  /// The value that rows of an older version get; the same for as long as the program runs.
  private(set) var rowDefault: AttributeValue?
  private let owner: any PersistentModel.Type
  let coding: AnyObject
  private let notifier: @Sendable (any PersistentModel, ObservationRegistrar) -> Void
  var index = PropertyIndex(index: 0, field: -1)

  init(_ metadata: Schema.PropertyMetadata, of owner: any PersistentModel.Type) {
    self.owner = owner
    name = metadata.name
    keyPath = metadata.keypath
    valueType = type(of: metadata.keypath).valueType
    makeDefault = metadata.makeDefault
    let attribute = metadata.metadata as? Schema.Attribute
    relationship = metadata.metadata as? Schema.Relationship
    self.attribute = attribute
    if let (destination, isToMany, isOptional) = Self.destination(valueType) {
      kind = .relationship(destination, isToMany: isToMany, isOptional: isOptional)
      coding = NoCoding()
      if attribute != nil { issue = "it is a relationship: give it @Relationship in place of @Attribute" }
    } else {
      let form = Self.form(valueType, attribute)
      kind = .attribute(form.type, isOptional: form.isOptional)
      coding = form.coding
      issue = form.issue
      if relationship != nil, issue == nil {
        issue =
          "its type is no model, so it cannot be a relationship; give it @Attribute in place of @Relationship"
      }
    }
    notifier = Self.teller(metadata.keypath, owner)
    rowDefault = makeRowDefault()
  }

  /// How values of an attribute's type are stored.
  static func form(_ type: Any.Type, _ attribute: Schema.Attribute?) -> ValueForm {
    ValueForm(type, transformer: attribute?.transformerName, isCodable: attribute?.isCodable ?? false)
  }

  /// The destination class of a relationship's type; nil for an attribute.
  static func destination(_ type: Any.Type) -> (any PersistentModel.Type, isToMany: Bool, isOptional: Bool)? {
    if let model = type as? any PersistentModel.Type { return (model, false, false) }
    if let list = type as? any AnyList.Type, let model = list.element as? any PersistentModel.Type {
      return (model, true, false)
    }
    guard let optional = type as? any AnyOptional.Type, let inner = destination(optional.wrapped) else {
      return nil
    }
    return (inner.0, inner.isToMany, true)
  }

  /// How values are coded.
  func coding<Value>(of type: Value.Type) -> ValueCoding<Value> {
    // The shape made it of the key path's own type, which is the one that is asked for.
    unsafeDowncast(coding, to: ValueCoding<Value>.self)
  }

  /// What is read where nothing that fits is stored: the declared default.
  ///
  /// - `isDeleted`: Whether the model was deleted before it was read, so that any empty value will
  ///   do.
  func empty<Value>(_ type: Value.Type, isDeleted: Bool) -> Value {
    if let value = makeDefault?() as? Value { return value }
    if isDeleted {
      let coding = coding(of: type)
      for stored in (caseValues ?? []) + Self.emptyValues {
        if let value = coding.decode(stored) { return value }
      }
    }
    preconditionFailure(
      "\(ModelSchema.name(owner)).\(name): what is stored is no \(Value.self); declare the property"
        + " optional, give it a"
        + " default value, or migrate the store")
  }

  /// Empty values of every form that attributes have.
  private static let emptyValues: [AttributeValue] =
    [
      .string(""), .integer(0), .double(0), .decimal(0), .boolean(false),
      .date(Date(timeIntervalSinceReferenceDate: 0)),
      .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
      .uri(URL(fileURLWithPath: "/")), .data(Data()),
    ] + ["[]", "{}", "0", "\"\"", "false"].map { .data(Data($0.utf8)) }

  /// Tells those who track the property that it changed.
  func notify(_ model: any PersistentModel, _ registrar: ObservationRegistrar) { notifier(model, registrar) }

  private static func teller(
    _ keyPath: AnyKeyPath, _ owner: any PersistentModel.Type
  ) -> @Sendable (any PersistentModel, ObservationRegistrar) -> Void {
    func open<Model: PersistentModel>(
      _ type: Model.Type
    ) -> @Sendable (any PersistentModel, ObservationRegistrar) -> Void {
      func openValue<Value>(
        _ value: Value.Type
      ) -> @Sendable (any PersistentModel, ObservationRegistrar) -> Void {
        guard let path = keyPath as? KeyPath<Model, Value> else { return { _, _ in } }
        // Key paths of properties hold nothing that changes.
        nonisolated(unsafe) let known = path
        return { model, registrar in
          guard let model = model as? Model else { return }
          registrar.willSet(model, keyPath: known)
          registrar.didSet(model, keyPath: known)
        }
      }
      return _openExistential(Swift.type(of: keyPath).valueType, do: openValue)
    }
    return open(owner)
  }
}

/// Of relationships, whose values are objects.
private final class NoCoding {}

/// Optional types, seen without their parameter.
protocol AnyOptional {
  static var wrapped: Any.Type { get }
  static func coding(_ form: ValueForm) -> AnyObject
}

extension Optional: AnyOptional {
  static var wrapped: Any.Type { Wrapped.self }
  static func coding(_ form: ValueForm) -> AnyObject {
    let inner = unsafeDowncast(form.coding, to: ValueCoding<Wrapped>.self)
    return ValueCoding<Wrapped?>(
      encode: { $0.map(inner.encode) ?? .null },
      decode: { $0.isNull ? .some(.none) : inner.decode($0).map { $0 } }
    )
  }
}

/// Arrays, seen without their parameter.
protocol AnyList { static var element: Any.Type { get } }
extension Array: AnyList { static var element: Any.Type { Element.self } }
