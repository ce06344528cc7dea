import StrongroomData
import Testing

@Suite("The manual: a program without a keyring")
struct ServerProgramTests {
  private func ownFolder() -> URL {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["STATE_DIRECTORY"] ?? ".")
    return folder
  }

  private func visit(_ folder: URL) throws -> Int {
    let keys = KeyFileVault(url: folder.appendingPathComponent("visits.keys"))
    var configuration = ModelConfiguration(
      url: folder.appendingPathComponent("visits.store"), keyVault: keys)
    configuration.recoveryCodeHandler = { code in
      code.withText { print("Write this down:", String(decoding: $0, as: UTF8.self)) }
    }
    let context = ModelContext(try ModelContainer(for: Visit.self, configurations: configuration))
    context.insert(Visit(host: ProcessInfo.processInfo.hostName))
    try context.save()
    print(try context.fetchCount(FetchDescriptor<Visit>()), "visits")  // 1 visits
    return try context.fetchCount(FetchDescriptor<Visit>())
  }

  @Test("It makes its store and key in its folder, and finds both")
  func visits() throws {
    let place = try Place()
    let folder = place.file("visits.store").deletingLastPathComponent()
    #expect(try visit(folder) == 1)
    #expect(try visit(folder) == 2)
    #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("visits.keys").path))
  }

  @Test("A key file's key as a credential")
  func credential() throws {
    let place = try Place()
    let (url, file) = (place.file("visits.store"), place.file("visits.keys"))
    func visit(_ vaults: [any KeyVault]) throws -> Int {
      var configuration = ModelConfiguration(url: url)
      configuration.keyVaults = vaults
      let context = ModelContext(try ModelContainer(for: Visit.self, configurations: configuration))
      context.insert(Visit(host: "server"))
      try context.save()
      return try context.fetchCount(FetchDescriptor<Visit>())
    }
    let keys = KeyFileVault(url: file)
    var configuration = ModelConfiguration(url: url)
    configuration.keyVaults = [CredentialVault("visits-key"), keys]
    #expect(try visit(configuration.keyVaults) == 1)
    // What `cut -d' ' -f2` makes of the key file.
    let item = try #require(try String(contentsOf: file, encoding: .utf8).split(separator: " ").last)
    try Data(item.utf8).write(to: place.file("visits-key"))
    chmod(place.file("visits-key").path, 0o400)
    try FileManager.default.removeItem(at: file)
    let handed = CredentialVault("visits-key", directory: file.deletingLastPathComponent())
    #expect(try visit([handed, keys]) == 2)
  }

  @Test("Its folder is the one it is started in, unless a service manager names one")
  func folder() {
    let named = ProcessInfo.processInfo.environment["STATE_DIRECTORY"]
    #expect(ownFolder().path == named ?? FileManager.default.currentDirectoryPath)
  }
}
