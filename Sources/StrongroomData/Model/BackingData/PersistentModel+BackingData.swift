// A class has either of two pairs of members: `@Model` writes `_$object` and `init(_$object:)`, a class
// written by hand has `persistentBackingData` and `init(backingData:)`. These are the other pair.
extension PersistentModel {
  /// The values of the model.
  ///
  /// Setting it copies the other values into this model. A class without `@Model` stores it itself.
  public var persistentBackingData: any BackingData<Self> {
    get { ModelBackingData<Self>(_$object) }
    set { ModelBackingData<Self>(_$object).copy(newValue) }
  }

  /// Makes the model of some values.
  ///
  /// It shares the values that `createBackingData()` made, and copies those of another model or of a kind
  /// of the program's own.
  public init(backingData: any BackingData<Self>) {
    let own = (backingData as? ModelBackingData<Self>)?.object
    let object = own.flatMap { $0.hasModel ? nil : $0 } ?? ModelBackingData<Self>.newObject
    let outer = object.beginMaterializing(as: Self.self)
    self.init(_$object: object)
    object.endMaterializing(outer)
    object.note(self)
    if object !== own { ModelBackingData<Self>(object).copy(backingData) }
  }

  /// The object that holds the values.
  ///
  /// - Precondition: The values are those that `createBackingData()` made.
  public var _$object: ModelObject {
    if let own = persistentBackingData as? ModelBackingData<Self> { return own.object }
    preconditionFailure(
      "\(Self.self) has backing data of a kind of its own, which no context can save; begin with \(Self.self)"
        + ".createBackingData()")
  }

  /// Makes the model that shows an object of a context.
  public init(_$object object: ModelObject) { self.init(backingData: ModelBackingData<Self>(object)) }

  /// Makes the values of a new model: the defaults of its class.
  public static func createBackingData<P>() -> some BackingData<P> where P: PersistentModel {
    ModelBackingData<P>(for: P.self)
  }
}
