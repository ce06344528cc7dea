// swift-tools-version: 6.1
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "Strongroom", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/ordo-one/TextTable", from: "0.0.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    // SQLCipher and plain SQLite have the same symbols, so each limit goes into a program of its own.
    .systemLibrary(name: "CSQLCipherLimit", pkgConfig: "sqlcipher"),
    .systemLibrary(name: "CSQLitePlain", pkgConfig: "sqlite3"),
    .target(name: "CLibrary", cSettings: [.unsafeFlags(["-O2"])]),
    .target(
      name: "CLimit", dependencies: ["CLibrary", "CSQLCipherLimit"], cSettings: [.unsafeFlags(["-O2"])]),
    .target(
      name: "CLimitPlain", dependencies: ["CLibrary", "CSQLitePlain"],
      cSettings: [.headerSearchPath("../CLimit/include"), .unsafeFlags(["-O2"])]),
    .target(
      name: "CPostgresLimit", dependencies: ["CLibrary"], cSettings: [.unsafeFlags(["-O2"])],
      linkerSettings: [.linkedLibrary("pq")]),
    .target(
      name: "BenchKit",
      dependencies: [
        "CLibrary", .product(name: "TextTable", package: "TextTable"),
      ]),
    .executableTarget(
      name: "strongroom-bench",
      dependencies: [
        "BenchKit", "CLimit", "CPostgresLimit", "CSQLCipherLimit",
        .product(name: "Strongroom", package: "Strongroom"),
        .product(name: "StrongroomData", package: "Strongroom"),
        .product(name: "StrongroomPostgres", package: "Strongroom"),
        .product(name: "StrongroomRecords", package: "Strongroom"),
        .product(name: "TextTable", package: "TextTable"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/StrongroomBench"),
    .executableTarget(name: "first-row-limit", dependencies: ["CLimit"], path: "Sources/FirstRowLimit"),
    .executableTarget(
      name: "grdb-bench",
      dependencies: [
        "BenchKit", "CLimitPlain", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ], path: "Sources/GRDBBench"),
  ],
  swiftLanguageModes: [.v6]
)
