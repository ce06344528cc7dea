// swift-tools-version: 6.1
import CompilerPluginSupport
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "Strongroom",
  products: [
    .library(name: "Strongroom", targets: ["Strongroom"]),
    .library(name: "StrongroomData", targets: ["StrongroomData"]),
    .library(name: "StrongroomRecords", targets: ["StrongroomRecords"]),
    .library(name: "StrongroomRecordMacros", targets: ["StrongroomRecordMacros"]),
    .library(name: "StrongroomArchive", targets: ["StrongroomArchive"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "StrongroomViews", targets: ["StrongroomViews"]),
    .library(name: "StrongroomPostgres", targets: ["StrongroomPostgres"]),
    .library(name: "StoreTransfer", targets: ["StoreTransfer"]),
    .library(name: "AppleModel", targets: ["AppleModel", "KeyedArchive"]),
    .library(name: "AppleStore", targets: ["AppleStore"]),
    .library(name: "TableImport", targets: ["TableImport"]),
    .library(name: "MappingModels", targets: ["MappingModels"]),
    .library(name: "SecretService", targets: ["SecretService"]),
    // For authors of stores and of vaults.
    .library(name: "StoreContract", targets: ["ObjectModel", "ObjectQuery", "StoreContract"]),
    .library(name: "StoreKeyring", targets: ["StoreKeyring"]),
    .library(name: "StoreTestKit", targets: ["StoreTestKit"]),
    .executable(name: "strongroom", targets: ["strongroom"]),
    .plugin(name: "ModelClasses", targets: ["ModelClasses"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    .package(url: "https://github.com/swiftlang/swift-syntax", from: "603.0.1"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLCipher", pkgConfig: "sqlcipher", providers: [.apt(["libsqlcipher-dev"])]),
    .systemLibrary(
      name: "CLibSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    .systemLibrary(name: "CLinux"),
    .target(name: "CSwiftRuntime"),
    .systemLibrary(name: "CGLib", pkgConfig: "glib-2.0", providers: [.apt(["libglib2.0-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CLibEdit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"])]),
    // The library that SQLCipher encrypts with.
    .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    // Found without pkg-config, which would have SwiftPM recommend it to programs that do not use it.
    .systemLibrary(name: "CLibPQ"),
    .target(name: "Cryptography", dependencies: ["CLibCrypto"], swiftSettings: strict),
    .target(name: "Locks", swiftSettings: strict),
    .target(
      name: "CipherDatabase",
      dependencies: [
        "CLinux", "CSQLCipher", "Cryptography", "Locks",
      ], swiftSettings: strict),
    .target(
      name: "StoreKeyring",
      dependencies: ["Cryptography", "Locks"], swiftSettings: strict),
    .target(
      name: "SecretService", dependencies: ["CLibSecret", "Locks", "StoreKeyring"], swiftSettings: strict),
    .target(
      name: "ObjectModel",
      dependencies: [
        "CGLib", "Locks",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ], swiftSettings: strict),
    .target(name: "ObjectQuery", dependencies: ["Locks", "ObjectModel"], swiftSettings: strict),
    // What Apple's frameworks archive: property lists, keyed archives, models.
    .target(name: "KeyedArchive", dependencies: ["CZlib"], swiftSettings: strict),
    .target(
      name: "AppleModel", dependencies: ["KeyedArchive", "ObjectModel", "ObjectQuery"],
      swiftSettings: strict),
    .target(
      name: "StoreContract", dependencies: ["Locks", "ObjectModel", "ObjectQuery"], swiftSettings: strict),
    .target(name: "StoreKeys", dependencies: ["StoreContract", "StoreKeyring"], swiftSettings: strict),
    // What stores on a database have in common when another version of their model is opened.
    .target(
      name: "LightweightMigration", dependencies: ["Locks", "ObjectModel", "StoreContract"],
      swiftSettings: strict),
    .target(
      name: "SQLCipherStore",
      dependencies: [
        "CipherDatabase", "Cryptography", "LightweightMigration", "Locks", "ObjectModel", "ObjectQuery",
        "StoreContract", "StoreKeyring", "StoreKeys",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "StrongroomPostgres",
      dependencies: [
        "CLibPQ", "Cryptography", "LightweightMigration", "Locks", "ObjectModel", "ObjectQuery",
        "StoreContract", "StoreKeyring", "StoreKeys",
      ],
      swiftSettings: strict),
    // Stores moved into another kind of store, and compared.
    .target(
      name: "StoreTransfer", dependencies: ["ObjectModel", "ObjectQuery", "StoreContract"],
      swiftSettings: strict),
    .target(
      name: "AppleStore",
      dependencies: [
        "AppleModel", "CipherDatabase", "KeyedArchive", "ObjectModel", "SQLCipherStore", "StoreContract",
      ], swiftSettings: strict),
    // Tables of other programs: SQLite, CSV, JSON lines.
    .target(
      name: "TableImport",
      dependencies: ["CipherDatabase", "ObjectContext", "ObjectModel", "SQLCipherStore", "StoreContract"],
      swiftSettings: strict),
    .target(
      name: "ObjectContext",
      dependencies: [
        "Locks", "ObjectModel", "ObjectQuery", "StoreContract",
        .product(name: "OrderedCollections", package: "swift-collections"),
      ], swiftSettings: strict),
    // Migrations by Core Data's mapping models.
    .target(
      name: "MappingModels",
      dependencies: [
        "AppleModel", "KeyedArchive", "Locks", "ObjectContext", "ObjectModel", "ObjectQuery", "StoreContract",
      ], swiftSettings: strict),
    .target(
      name: "StoreTestKit", dependencies: ["ObjectModel", "ObjectQuery", "StoreContract"],
      swiftSettings: strict),
    .target(
      name: "Strongroom",
      dependencies: [
        "ObjectContext", "ObjectModel", "ObjectQuery", "SecretService", "SQLCipherStore",
        "StoreContract", "StoreKeyring",
      ], swiftSettings: strict),
    .target(
      name: "StrongroomRecords",
      dependencies: ["Locks", "ObjectContext", "ObjectModel", "ObjectQuery", "StoreContract", "Strongroom"],
      swiftSettings: strict),
    .target(
      name: "StrongroomArchive",
      dependencies: [
        "ObjectContext", "ObjectModel", "ObjectQuery", "SecretService", "StoreContract", "StoreKeyring",
        "Strongroom",
      ], swiftSettings: strict),
    // Only programs that use `StrongroomData` or `StrongroomRecordMacros` build swift-syntax: nothing above
    // depends on it.
    .macro(
      name: "StrongroomMacros",
      dependencies: [
        .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
      ], swiftSettings: strict),
    .target(
      name: "StrongroomData",
      dependencies: [
        "CSwiftRuntime", "Locks", "ObjectContext", "ObjectModel", "ObjectQuery", "SecretService",
        "SQLCipherStore", "StoreContract", "StoreKeyring", "Strongroom", "StrongroomMacros",
        .product(name: "Logging", package: "swift-log"),
      ], swiftSettings: strict),
    .target(name: "SwiftData", dependencies: ["StrongroomData"], swiftSettings: strict),
    // `@Query` for view frameworks, of which it builds none.
    .target(name: "StrongroomViews", dependencies: ["StrongroomData"], swiftSettings: strict),
    .target(
      name: "StrongroomRecordMacros", dependencies: ["StrongroomMacros", "StrongroomRecords"],
      swiftSettings: strict),
    .executableTarget(
      name: "strongroom",
      dependencies: [
        "AppleModel", "AppleStore", "CLibEdit", "CLinux", "CipherDatabase", "Locks", "MappingModels",
        "ObjectQuery", "SQLCipherStore", "SecretService", "StoreContract", "StoreKeyring", "StoreTransfer",
        "Strongroom", "StrongroomPostgres", "TableImport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "TextTable", package: "TextTable"),
      ], path: "Sources/strongroom-tool", resources: [.embedInCode("Inspect/Page")], swiftSettings: strict),
    // What `Scripts/demo` imports with.
    .executableTarget(
      name: "debian-catalogue",
      dependencies: ["Strongroom", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      path: "Examples/debian-catalogue", swiftSettings: strict),
    .plugin(name: "ModelClasses", capability: .buildTool(), dependencies: ["model-classes"]),
    .executableTarget(
      name: "model-classes",
      dependencies: ["ObjectModel", .product(name: "ArgumentParser", package: "swift-argument-parser")],
      swiftSettings: strict),
    // Programs that tests run in a process of its own: with another library loaded first, on another bus.
    .executableTarget(
      name: "cipher-probe", dependencies: ["CipherDatabase"], path: "Tests/Probes/CipherProbe",
      swiftSettings: strict
    ),
    .executableTarget(
      name: "import-probe", dependencies: ["Strongroom"], path: "Tests/Probes/ImportProbe",
      swiftSettings: strict),
    .executableTarget(
      name: "torture-probe", dependencies: ["AppleStore", "StoreContract", "Strongroom"],
      path: "Tests/Probes/TortureProbe", swiftSettings: strict),
    .executableTarget(
      name: "sharing-probe", dependencies: ["Strongroom"], path: "Tests/Probes/SharingProbe",
      swiftSettings: strict),
    .executableTarget(
      name: "processes-probe",
      dependencies: ["PostgresServer", "StoreContract", "Strongroom", "StrongroomPostgres"],
      path: "Tests/Probes/ProcessesProbe", swiftSettings: strict),
    .target(name: "SeededRandom", path: "Tests/Support/SeededRandom", swiftSettings: strict),
    .target(name: "CrossUIShape", path: "Tests/Support/CrossUIShape", swiftSettings: strict),
    .target(name: "TerminalUIShape", path: "Tests/Support/TerminalUIShape", swiftSettings: strict),
    .target(name: "BuiltProgram", path: "Tests/Support/BuiltProgram", swiftSettings: strict),
    .target(
      name: "CountingVault", dependencies: ["StoreKeyring"], path: "Tests/Support/CountingVault",
      swiftSettings: strict),
    .target(
      name: "PostgresServer",
      dependencies: ["Locks", "ObjectModel", "StoreContract", "StoreTestKit", "StrongroomPostgres"],
      path: "Tests/Support/PostgresServer",
      swiftSettings: strict),
    .target(
      name: "MigrationPlace", dependencies: ["PostgresServer", "Strongroom", "StrongroomPostgres"],
      path: "Tests/Support/MigrationPlace", swiftSettings: strict),
    // The least store that a stranger would write.
    .target(
      name: "MinimalStore",
      dependencies: ["Locks", "ObjectModel", "ObjectQuery", "StoreContract", "StoreTestKit"],
      path: "Tests/Support/MinimalStore", swiftSettings: strict),
    .executableTarget(
      name: "differential-probe",
      dependencies: [
        "PostgresServer", "SeededRandom", "Strongroom", "StrongroomPostgres",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/Probes/DifferentialProbe", swiftSettings: strict),
    .executableTarget(
      name: "graph-probe",
      dependencies: [
        "PostgresServer", "SeededRandom", "Strongroom", "StrongroomPostgres",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/Probes/GraphProbe", swiftSettings: strict),
    .executableTarget(
      name: "migration-probe",
      dependencies: [
        "MappingModels", "SeededRandom", "Strongroom",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Tests/Probes/MigrationProbe", swiftSettings: strict),
    .executableTarget(
      name: "keyring-probe", dependencies: ["SecretService", "StoreKeyring"],
      path: "Tests/Probes/KeyringProbe",
      swiftSettings: strict),
    .testTarget(
      name: "StrongroomViewsTests", dependencies: ["StrongroomData", "StrongroomViews"],
      swiftSettings: strict),
    .testTarget(name: "CryptographyTests", dependencies: ["Cryptography"], swiftSettings: strict),
    .testTarget(
      name: "CipherDatabaseTests",
      dependencies: [
        "CipherDatabase", "CSQLCipher", "Cryptography", "Locks", "SeededRandom", "cipher-probe",
      ],
      swiftSettings: strict),
    .testTarget(name: "StoreKeyringTests", dependencies: ["StoreKeyring"], swiftSettings: strict),
    .testTarget(
      name: "SecretServiceTests",
      dependencies: ["CLibSecret", "Locks", "SecretService", "StoreKeyring", "keyring-probe"],
      swiftSettings: strict),
    .testTarget(
      name: "ObjectModelTests", dependencies: ["ObjectModel"], exclude: ["Fixtures"], swiftSettings: strict),
    .testTarget(name: "ObjectQueryTests", dependencies: ["ObjectQuery"], swiftSettings: strict),
    .testTarget(name: "KeyedArchiveTests", dependencies: ["KeyedArchive"], swiftSettings: strict),
    .testTarget(
      name: "AppleModelTests", dependencies: ["AppleModel", "KeyedArchive", "ObjectModel", "ObjectQuery"],
      swiftSettings: strict),
    .testTarget(
      name: "AppleStoreTests",
      dependencies: ["AppleModel", "AppleStore", "CipherDatabase", "Strongroom", "StrongroomData"],
      exclude: [
        "Fixtures/made.sqlite", "Fixtures/made.sqlite-wal", "Fixtures/faulty.sqlite",
        "Fixtures/swiftdata.sqlite",
      ], swiftSettings: strict),
    .testTarget(
      name: "TableImportTests", dependencies: ["Strongroom", "TableImport"],
      exclude: ["Fixtures/made.sqlite", "Fixtures/caseless.sqlite"], swiftSettings: strict),
    .testTarget(
      name: "MappingModelsTests",
      dependencies: ["Locks", "MappingModels", "MigrationPlace", "Strongroom"],
      swiftSettings: strict),
    .testTarget(
      name: "StoreContractTests", dependencies: ["StoreContract", "StoreTestKit"],
      swiftSettings: strict),
    .testTarget(
      name: "SQLCipherStoreTests",
      dependencies: [
        "CountingVault", "SQLCipherStore", "StoreTestKit", "StoreKeyring", "CipherDatabase", "Cryptography",
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .testTarget(
      name: "StoreTestKitTests",
      dependencies: ["MinimalStore", "ObjectModel", "StoreContract", "StoreTestKit"], swiftSettings: strict),
    .testTarget(
      name: "StrongroomPostgresTests",
      dependencies: [
        "Locks", "ObjectContext", "ObjectModel", "ObjectQuery", "PostgresServer", "SecretService",
        "StoreContract", "StoreKeyring", "StoreTestKit", "StoreTransfer", "StrongroomPostgres",
      ], swiftSettings: strict),
    .testTarget(
      name: "StoreTransferTests",
      dependencies: [
        "BuiltProgram", "Locks", "MinimalStore", "ObjectModel", "ObjectQuery", "PostgresServer",
        "SQLCipherStore", "SeededRandom", "StoreContract", "StoreKeyring", "StoreTestKit", "StoreTransfer",
        "StrongroomPostgres",
      ], swiftSettings: strict),
    .testTarget(
      name: "ObjectContextTests",
      dependencies: [
        "Locks", "MigrationPlace", "MinimalStore", "ObjectContext", "ObjectModel", "ObjectQuery",
        "PostgresServer", "SQLCipherStore", "SeededRandom", "StoreContract", "StoreKeyring", "StoreTestKit",
        "Strongroom",
        "StrongroomPostgres", "sharing-probe",
      ], swiftSettings: strict),
    .testTarget(
      name: "ModelPluginTests", dependencies: ["Strongroom"], exclude: ["Shop.xcdatamodeld"],
      swiftSettings: strict, plugins: ["ModelClasses"]),
    .testTarget(
      name: "StrongroomMacrosTests",
      dependencies: [
        "StrongroomMacros",
        .product(name: "SwiftDiagnostics", package: "swift-syntax"),
        .product(name: "SwiftIfConfig", package: "swift-syntax"),
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
        .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
      ], swiftSettings: strict),
    // What the repository asks of its own sources: complexity, folders, words, imports.
    .testTarget(
      name: "HouseTests",
      dependencies: [
        .product(name: "SwiftParser", package: "swift-syntax"),
        .product(name: "SwiftSyntax", package: "swift-syntax"),
      ], swiftSettings: strict),
    .testTarget(
      name: "StrongroomDataTests",
      dependencies: [
        "CSQLCipher", "CountingVault", "Locks", "PostgresServer", "SeededRandom", "Strongroom",
        "StrongroomData", "StrongroomPostgres", "strongroom",
      ], swiftSettings: strict),
    .testTarget(
      name: "StrongroomRecordsTests", dependencies: ["Locks", "Strongroom", "StrongroomRecords"],
      swiftSettings: strict),
    .testTarget(
      name: "StrongroomArchiveTests", dependencies: ["Strongroom", "StrongroomArchive", "StrongroomRecords"],
      swiftSettings: strict),
    // Every piece of Swift in the manual, compiled and run.
    .testTarget(
      name: "ManualTests",
      dependencies: [
        "AppleStore", "CrossUIShape", "Locks", "MappingModels", "PostgresServer", "StoreTransfer",
        "Strongroom", "StrongroomArchive", "StrongroomData", "StrongroomPostgres", "StrongroomRecordMacros",
        "StrongroomViews", "TableImport",
        "TerminalUIShape",
        .product(name: "Logging", package: "swift-log"),
      ],
      exclude: ["Library.xcdatamodeld"], swiftSettings: strict, plugins: ["ModelClasses"]),
    // Files of SwiftData models as people wrote them, compiled unchanged: so without our own strict settings.
    .testTarget(name: "SwiftDataTests", dependencies: ["SwiftData"]),
    .testTarget(
      name: "StrongroomTests",
      dependencies: [
        "BuiltProgram", "Strongroom", "import-probe", "torture-probe", "differential-probe", "graph-probe",
        "migration-probe", "processes-probe",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "StrongroomToolTests",
      dependencies: [
        "BuiltProgram", "MappingModels", "PostgresServer", "StoreTransfer", "Strongroom",
        "StrongroomPostgres",
        "strongroom",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
