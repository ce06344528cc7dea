/// Makes a class a model: an entity of the store whose stored properties are saved there, encrypted.
///
/// Every stored `var` becomes an attribute or, when its type is a model, an optional one or an
/// array of them, a relationship. `@Transient` leaves one out. The class gets `PersistentModel` and
/// with it `Observable`, `Hashable` by identity and `Identifiable`; a class whose properties all
/// have default values gets `init()` if it has no initializer.
///
/// ```swift
/// @Model final class Trip {
///   @Attribute(.unique) var name: String
///   @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []
///   @Transient var isOpen = false
///
///   init(name: String) { self.name = name }
/// }
/// ```
///
/// A model may be the superclass of another one: write `@Model` before both. Models are not
/// Sendable: use each where its context is used, and pass `persistentModelID` elsewhere. Property
/// observers run when a property is set: not for its first value, nor when a row is read, but for a
/// later one in an initializer too.
@attached(
  member, conformances: PersistentModel,
  names: named(_$indexes), named(_$storage), named(_$object), named(_$observationRegistrar), named(init),
  named(schemaMetadata), named(_$constraints), named(_$equals))
@attached(memberAttribute)
@attached(extension, conformances: PersistentModel, Sendable)
public macro Model() = #externalMacro(module: "StrongroomMacros", type: "ModelMacro")

/// Says how a property is stored: unique, in bytes of its own outside the row, through a
/// transformer, under a former name.
///
/// - Parameters:
///   - options: what is special about the attribute; none says nothing.
///   - originalName: the name that the property has in stores of earlier versions, when it was
///     renamed since.
///   - hashModifier: a text that tells this version of the property from an earlier one of the same
///     shape.
@attached(peer)
public macro Attribute(
  _ options: Schema.Attribute.Option..., originalName: String? = nil, hashModifier: String? = nil
) = #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")

/// Declares a property as a relationship.
///
/// - Parameters:
///   - options: what is special about the relationship.
///   - deleteRule: what happens to the destinations when the model is deleted.
///   - minimumModelCount: the fewest destinations that a save accepts; 0 for any.
///   - maximumModelCount: the most destinations that a save accepts; 0 for any.
///   - originalName: the name that the property has in stores of earlier versions, when it was
///     renamed since.
///   - inverse: the destination's property that is the inverse. One of the two sides names it,
///     never both: the compiler calls that a circular reference. Without it, the inverse is found
///     when there is just one that fits.
///   - hashModifier: a text that tells this version of the property from an earlier one of the same
///     shape.
@attached(peer)
public macro Relationship(
  _ options: Schema.Relationship.Option..., deleteRule: Schema.Relationship.DeleteRule = .nullify,
  minimumModelCount: Int? = 0, maximumModelCount: Int? = 0, originalName: String? = nil,
  inverse: AnyKeyPath? = nil, hashModifier: String? = nil
) = #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")

/// Leaves a property out of the store: it lives in the instance alone and needs a default value.
@attached(peer)
public macro Transient() = #externalMacro(module: "StrongroomMacros", type: "PropertyMarkerMacro")

/// Gives a property the accessors that read and write the store. `@Model` writes it; the number is
/// the property's index among those of its class.
@attached(accessor, names: named(init), named(get), named(set))
@attached(peer, names: prefixed(_), prefixed(_$observing_))
public macro _PersistedProperty(_ ordinal: Int) =
  #externalMacro(module: "StrongroomMacros", type: "PersistedPropertyMacro")

/// Says which properties, each list taken together, no two models of a type may share. Write it
/// among the members of the model: `#Unique<Trip>([\.name], [\.start, \.end])`.
///
/// Inserting a model with values that a stored one has updates the stored one.
@freestanding(declaration)
public macro Unique<T>(_ constraints: [PartialKeyPath<T>]...) =
  #externalMacro(module: "StrongroomMacros", type: "ConstraintMarkerMacro") where T: PersistentModel

/// Says which properties, each list taken together, fetches search and sort by. Write it among the
/// members of the model: `#Index<Trip>([\.name], [\.start, \.end])`.
@freestanding(declaration)
public macro Index<T>(_ indices: [PartialKeyPath<T>]...) =
  #externalMacro(module: "StrongroomMacros", type: "ConstraintMarkerMacro") where T: PersistentModel

/// Says which properties fetches search and sort by, and with which kind of index:
/// `#Index<Place>(.binary([\.name]), .rtree([\.latitude, \.longitude]), .fullText([\.name,
/// \.notes]))`.
@freestanding(declaration)
public macro Index<T>(_ indices: Schema.Index<T>.Types<T>...) =
  #externalMacro(module: "StrongroomMacros", type: "ConstraintMarkerMacro") where T: PersistentModel
