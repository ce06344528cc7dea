/// One version of a program's models: a name space with the classes as they were then.
public protocol VersionedSchema: SendableMetatype {
  /// The classes.
  static var models: [any PersistentModel.Type] { get }
  /// The version.
  static var versionIdentifier: Schema.Version { get }
}
