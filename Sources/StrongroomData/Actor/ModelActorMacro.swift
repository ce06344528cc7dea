/// Gives an actor a `ModelContext` of its own, on whose executor the actor's methods run.
///
/// The actor gets `modelContainer`, `modelExecutor` and, unless it has stored properties that need
/// a value or writes that initializer itself, `init(modelContainer:)`.
@attached(member, names: named(modelExecutor), named(modelContainer), named(init))
@attached(extension, conformances: ModelActor)
public macro ModelActor() = #externalMacro(module: "StrongroomMacros", type: "ModelActorMacro")
