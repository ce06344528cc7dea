import Locks
public import ObjectContext

/// Makes the objects of one entity mapping and their relationships; subclass it for what expressions
/// cannot say.
///
/// As `NSEntityMigrationPolicy`. There is one instance for each entity mapping of a migration. First
/// every mapping's objects are made, then every mapping's relationships. What a policy changes in
/// the mapping holds for the objects that follow.
open class EntityMigrationPolicy {
  /// Makes a policy; called by migrations.
  public required init() {}

  /// Called before the mapping's objects are made.
  ///
  /// What it throws ends the migration, as with all of these methods.
  open func begin(_ mapping: inout EntityMapping, with manager: MigrationManager) throws {}

  /// Makes what becomes of one source object, and associates it with the source object.
  ///
  /// An override may call `super` before or after its own work, make other objects, or none.
  open func createDestinationInstances(
    forSource source: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    guard let name = mapping.destinationEntityName else { return }
    let destination = try manager.destinationContext.insert(name)
    for attribute in mapping.attributeMappings {
      try manager.setAttribute(attribute, of: destination, from: source, self)
    }
    manager.associate(sourceInstance: source, withDestinationInstance: destination, for: mapping)
  }

  /// Called when all of the mapping's objects are made.
  open func endInstanceCreation(forMapping mapping: inout EntityMapping, manager: MigrationManager) throws {}

  /// Sets the relationships of one object that was made.
  open func createRelationships(
    forDestination destination: ManagedObject, in mapping: inout EntityMapping, manager: MigrationManager
  ) throws {
    let source = try manager.sourceInstances(
      forEntityMappingName: mapping.name, destinationInstances: [destination]
    ).first
    for relationship in mapping.relationshipMappings {
      try manager.setRelationship(relationship, of: destination, from: source, self)
    }
  }

  /// Called when all of the mapping's relationships are set.
  open func endRelationshipCreation(
    forMapping mapping: inout EntityMapping, manager: MigrationManager
  ) throws {}

  /// Called when all relationships of all mappings are set; throw to refuse the result.
  ///
  /// The rules of the model are checked afterwards.
  open func performCustomValidation(
    forMapping mapping: inout EntityMapping, manager: MigrationManager
  ) throws {}

  /// Called at the end, in the order of the mappings.
  open func end(_ mapping: inout EntityMapping, manager: MigrationManager) throws {}

  /// The value of a function that an expression calls on `$entityPolicy`.
  /// - Parameters:
  ///   - selector: The function's name as the mapping model has it, such as `fullNameOf:`.
  ///   - arguments: Its arguments; null for `$manager` and other parts of the migration.
  ///   - manager: The migration.
  /// - Returns: What the property gets.
  /// - Throws: `MappingModelError` with code `unsupportedExpression` unless overridden.
  open func value(
    ofFunction selector: String, arguments: [MappingValue], manager: MigrationManager
  ) throws -> MappingValue {
    throw MappingModelError(
      .unsupportedExpression,
      "an expression calls \(selector) of \(Self.self); override value(ofFunction:arguments:manager:) for it")
  }
}

extension EntityMigrationPolicy {
  private static let known = Locked<[String: EntityMigrationPolicy.Type]>([:])

  /// Makes the class known to migrations under the name that mapping models have for it; a later one
  /// takes an earlier one's place.
  ///
  /// A name in a mapping model may have a module before it, or a placeholder for one: `MyApp.Policy`
  /// finds what is registered as `MyApp.Policy`, else as `Policy`.
  /// - Parameter name: The name; nil for that of the class.
  public class func register(as name: String? = nil) {
    let type = self
    known.withLock { $0[name ?? String(describing: type)] = type }
  }

  /// The class of a name in a mapping model; nil when it is not registered.
  static func registered(as name: String) -> EntityMigrationPolicy.Type? {
    known.withLock { known in
      known[name] ?? name.split(separator: ".").last.flatMap { known[String($0)] }
    }
  }
}
