public import Foundation
public import Logging
import SQLCipherStore
import SecretService
public import StoreContract
public import StoreKeyring

/// Where and how a container stores models.
///
/// A store is an encrypted file; its key is in the desktop's keyring unless `keyVault` is set. Where the URL
/// is the address of a server, `postgresql://user@host/database`, it is in a PostgreSQL database, by the
/// class that the program registers: `PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)`.
public struct ModelConfiguration: Sendable, Identifiable, CustomDebugStringConvertible {
  /// Whether the models go to a cloud.
  ///
  /// There is none here.
  public struct CloudKitDatabase: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case automatic, none, named(String) }
    let kind: Kind

    /// What the program is entitled to: nothing, on Linux.
    public static let automatic = CloudKitDatabase(kind: .automatic)
    /// No cloud.
    public static let none = CloudKitDatabase(kind: .none)
    /// A database of a name, which a container refuses with
    /// `SwiftDataError.unsupportedConfiguration`.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(kind: .named(privateDBName))
    }
  }

  /// Whether the file is put where programs of one group find it.
  ///
  /// There are no groups here.
  public struct GroupContainer: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case automatic, none, named(String) }
    let kind: Kind

    /// What the program is entitled to: nothing, on Linux.
    public static let automatic = GroupContainer(kind: .automatic)
    /// No group.
    public static let none = GroupContainer(kind: .none)
    /// A group of a name, which becomes a folder in the user's data folder, next to those of
    /// programs.
    public static func identifier(_ groupName: String) -> GroupContainer {
      GroupContainer(kind: .named(groupName))
    }
  }

  /// The name: of the file or the database, unless it is given; `default` where there is neither.
  public let name: String
  /// The classes; nil for all of the container's.
  public var schema: Schema?
  /// The file, or the address of the server as it was given.
  ///
  /// Under `XDG_DATA_HOME` unless given; see `applicationIdentifier`.
  public var url: URL {
    givenURL ?? Self.place(name, group: groupContainer, application: applicationIdentifier)
  }
  /// Whether nothing is written to disk: the models live as long as the container.
  public let isStoredInMemoryOnly: Bool
  /// Whether changes may be saved.
  public let allowsSave: Bool
  /// The group container asked for.
  public let groupContainer: GroupContainer
  /// The cloud database asked for.
  public let cloudKitDatabase: CloudKitDatabase
  /// Where the store's key is: vaults in the order in which they are asked.
  ///
  /// A new store's key goes into every one that keeps keys. The desktop's keyring unless set. Of a store on a
  /// server it is the key of sealed attributes, and the vaults have the password as well.
  public var keyVaults: [any KeyVault] {
    get { givenVaults ?? [SecretServiceVault(application: givenApplication ?? "org.strongroom")] }
    set { givenVaults = newValue }
  }
  /// The first of `keyVaults`; setting it leaves no other.
  public var keyVault: any KeyVault {
    get { keyVaults.first ?? SecretServiceVault(application: givenApplication ?? "org.strongroom") }
    set { keyVaults = [newValue] }
  }
  /// Called once, when the store is made, with the code that opens it when its key is lost; show it
  /// to the user, who should write it down.
  ///
  /// Called on the thread that opens the store.
  public var recoveryCodeHandler: (@Sendable (RecoveryCode) -> Void)?
  /// Whether a store that is newer than the container's models is opened for reading only; false unless
  /// set.
  ///
  /// It opens when every model and property of the container is in it as it is; saving throws then.
  /// Else the container throws `SwiftDataError.unsupportedMigration`, which says what is lacking. A newer
  /// store on a server is refused.
  public var opensNewerStoreReadOnly = false
  /// Where the store reports events that an operator wants to know; nil, the default, for nowhere.
  ///
  /// No message contains a stored value or key bytes. A store on a server reports none.
  public var logger: Logger?
  /// Changes what the store is opened with, for the engine's settings that a configuration has not:
  /// `keyInteraction`, `pageCacheBytes`, `durability`, `isExclusive`, `slowStatementMilliseconds`,
  /// `logLabel`, `busyTimeoutMilliseconds`; of a store on a server `serverSchema` and others of
  /// `StrongroomPostgres`.
  ///
  /// Called each time that the store is opened, after the configuration's own values were set; not
  /// for a store in memory.
  public var storeDescriptionHandler: (@Sendable (inout PersistentStoreDescription) -> Void)?
  /// The program's name in its data folder and in the keyring, in reverse-DNS form; the process's
  /// name unless set.
  ///
  /// Set it, so that a program that is renamed finds its store.
  public var applicationIdentifier: String {
    get { givenApplication ?? ProcessInfo.processInfo.processName }
    set { givenApplication = newValue }
  }
  private var givenURL: URL?
  /// Whether the URL is the address of a server.
  let isOnServer: Bool
  /// Of the configuration of a draft, which replaces the store when a migration is done: how the
  /// draft is opened.
  private(set) var draftDescription: PersistentStoreDescription?
  /// The key that an earlier step of the same opening found.
  var knownCipher: KnownCipher?
  private var givenVaults: [any KeyVault]?
  private var givenApplication: String?

  /// The name of the group, if one is asked for by name.
  public var groupAppContainerIdentifier: String? {
    if case .named(let name) = groupContainer.kind { return name }
    return nil
  }
  /// The name of the cloud database, if one is asked for by name.
  public var cloudKitContainerIdentifier: String? {
    if case .named(let name) = cloudKitDatabase.kind { return name }
    return nil
  }
  /// What identifies a configuration.
  public typealias ID = URL
  /// The file; of a store in memory, a URL of the scheme `memory` with its name; of one on a server, its
  /// address without the password, with the configuration's name as the fragment.
  public var id: URL {
    if isOnServer { return serverID }
    guard isStoredInMemoryOnly else { return url.standardizedFileURL }
    var parts = URLComponents()
    parts.scheme = "memory"
    parts.path = name
    return parts.url ?? URL(fileURLWithPath: "/dev/null")
  }
  /// What the engine's model calls the store's configuration.
  var storeName: String {
    if isOnServer { return serverID.absoluteString }
    return isStoredInMemoryOnly ? "memory:\(name)" : url.standardizedFileURL.path
  }
  /// Name and URL, without a password.
  public var debugDescription: String {
    "ModelConfiguration \(name): \(isStoredInMemoryOnly ? "in memory" : storeName)"
  }

  /// A configuration by name, in the program's data folder or in memory.
  /// - Parameters:
  ///   - name: The name, also the file's; `default` unless given.
  ///   - schema: The classes; nil for all of the container's.
  ///   - isStoredInMemoryOnly: Whether nothing is written to disk.
  ///   - allowsSave: Whether changes may be saved.
  ///   - groupContainer: A named group's folder is used instead of the program's.
  ///   - cloudKitDatabase: A named database is refused by the container.
  ///   - keyVault: Where the store's key is; nil for the desktop's keyring.
  ///   - applicationIdentifier: The program's name in its data folder and in the keyring; nil for
  ///     the process's.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic,
    keyVault: (any KeyVault)? = nil, applicationIdentifier: String? = nil
  ) {
    self.init(
      name: name, schema: schema, url: nil, isStoredInMemoryOnly, allowsSave, groupContainer,
      cloudKitDatabase,
      keyVault, applicationIdentifier)
  }

  /// A configuration with a file of its own, or with a store on a server.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic, keyVault: (any KeyVault)? = nil,
    applicationIdentifier: String? = nil
  ) {
    self.init(
      name: name, schema: schema, url: url, false, allowsSave, .none, cloudKitDatabase, keyVault,
      applicationIdentifier)
  }

  /// A configuration for some classes.
  @_disfavoredOverload
  public init(for types: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(types), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  private init(
    name: String?, schema: Schema?, url: URL?, _ isStoredInMemoryOnly: Bool, _ allowsSave: Bool,
    _ group: GroupContainer, _ cloud: CloudKitDatabase, _ vault: (any KeyVault)?, _ application: String?
  ) {
    isOnServer = Self.isServer(url)
    let placeName = isOnServer ? Self.database(url) : url?.deletingPathExtension().lastPathComponent
    self.name = name ?? placeName ?? "default"
    self.schema = schema
    givenURL = url
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    groupContainer = group
    cloudKitDatabase = cloud
    givenApplication = application
    givenVaults = vault.map { [$0] }
  }

  /// The same for a draft of the store, with the classes of another version.
  func draft(_ description: PersistentStoreDescription) -> ModelConfiguration {
    var draft = self
    draft.draftDescription = description
    draft.givenURL = description.url
    draft.schema = nil
    return draft
  }

  private static func place(_ name: String, group: GroupContainer, application: String) -> URL {
    var folder = application
    if case .named(let group) = group.kind { folder = group }
    return DataFolder.url.appendingPathComponent(folder).appendingPathComponent("\(name).store")
  }
}

extension ModelConfiguration: Hashable {
  /// The same name, URL, schema and options.
  public static func == (left: ModelConfiguration, right: ModelConfiguration) -> Bool {
    left.name == right.name && left.storeName == right.storeName && left.schema == right.schema
      && left.allowsSave == right.allowsSave && left.cloudKitDatabase == right.cloudKitDatabase
  }
  /// Hashes the URL.
  public func hash(into hasher: inout Hasher) { hasher.combine(storeName) }
}
