// swift-tools-version: 6.1
// Three programs that keep their data with Strongroom; README.md beside this file tells how to run them.
import PackageDescription

let package = Package(
  name: "Examples",
  dependencies: [
    .package(name: "Strongroom", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
  ],
  targets: [
    .systemLibrary(name: "CNCurses", pkgConfig: "ncursesw", providers: [.apt(["libncurses-dev"])]),
    .systemLibrary(name: "CGtk4", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    // What all do: open a store, and bring its key back when the keyring lost it.
    .target(
      name: "Keeping",
      dependencies: [
        .product(name: "Strongroom", package: "Strongroom"),
        .product(name: "StrongroomData", package: "Strongroom"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(name: "journal", dependencies: ["Keeping"]),
    .executableTarget(name: "board", dependencies: ["CNCurses", "Keeping"]),
    .executableTarget(name: "window", dependencies: ["CGtk4", "Keeping"]),
  ],
  swiftLanguageModes: [.v6]
)
