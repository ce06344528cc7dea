// swift-tools-version: 6.1
// Drivers of libFuzzer for what reads files of others. Scripts/fuzz builds and runs them.
import PackageDescription

let package = Package(
  name: "Fuzzing",
  dependencies: [.package(name: "Strongroom", path: "..")],
  targets: [
    .executableTarget(
      name: "archive-fuzzer",
      dependencies: [
        .product(name: "AppleModel", package: "Strongroom"),
        .product(name: "Strongroom", package: "Strongroom"),
      ],
      path: "Sources/ArchiveFuzzer",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "model-fuzzer",
      dependencies: [.product(name: "Strongroom", package: "Strongroom")],
      path: "Sources/ModelFuzzer",
      // libFuzzer brings the main function.
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "predicate-fuzzer",
      dependencies: [.product(name: "Strongroom", package: "Strongroom")],
      path: "Sources/PredicateFuzzer",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
    .executableTarget(
      name: "store-fuzzer",
      dependencies: [
        .product(name: "AppleStore", package: "Strongroom"),
        .product(name: "Strongroom", package: "Strongroom"),
      ],
      path: "Sources/StoreFuzzer",
      swiftSettings: [.unsafeFlags(["-parse-as-library"])]),
  ],
  swiftLanguageModes: [.v6]
)
