/// The types that to-many relationships have: arrays of models, and optional ones.
public protocol RelationshipCollection {
  /// The class of the models.
  associatedtype PersistentElement: PersistentModel

  /// Makes the value of a relationship; nil where it was never set.
  init(_$models models: [PersistentElement]?)
  /// The models; nil where the value is.
  var _$models: [PersistentElement]? { get }
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the models.
  public typealias PersistentElement = Element

  /// The models; none for nil.
  public init(_$models models: [Element]?) { self = models ?? [] }
  /// The models.
  public var _$models: [Element]? { self }
}

extension Optional: RelationshipCollection where Wrapped: RelationshipCollection {
  /// The class of the models.
  public typealias PersistentElement = Wrapped.PersistentElement

  /// The models, or nil.
  public init(_$models models: [PersistentElement]?) { self = models.map { Wrapped(_$models: $0) } }
  /// The models, or nil.
  public var _$models: [PersistentElement]? { flatMap(\._$models) }
}
