import Foundation
import StrongroomData
import Testing

@Suite("Configurations with the address of a server")
struct ServerConfigurationTests {
  @Test(
    "are shown and identified without what is secret in it",
    arguments: [
      ("postgresql://ada@db.example.org/shop", "shop", "postgresql://ada@db.example.org/shop#shop"),
      (
        "postgres://ada:swordfish@[::1]:5433/shop?sslmode=require&password=swordfish&host=%2Frun", "shop",
        "postgresql://ada@[::1]:5433/shop?host=/run#shop"
      ),
      ("postgresql:///?host=%2Frun&user=ada&pass%77ord=swordfish", nil, "postgresql:///?host=/run&user=ada"),
      ("postgresql://ada:sword/fish@db.example.org/library", nil, nil),
      ("postgresql://ada:12/swordfish@db.example.org", nil, "postgresql:"),
      ("postgresql://ada:12?swordfish@db.example.org", nil, "postgresql:"),
      ("postgresql:ada:swordfish", nil, "postgresql:"),
    ])
  func shown(address: String, name: String?, shown: String?) throws {
    guard let shown else {
      #expect(URL(string: address) == nil)
      return
    }
    let url = try #require(URL(string: address))
    let configuration = ModelConfiguration(url: url)
    #expect(configuration.name == name ?? "default" && configuration.url == url)
    let id = configuration.id.absoluteString
    #expect(id == (name == nil ? shown + "#default" : shown))
    #expect(configuration.debugDescription == "ModelConfiguration \(name ?? "default"): \(id)")
    #expect(!"\(configuration)".contains("fish"))
    #expect(configuration == ModelConfiguration(url: url))
    #expect(configuration != ModelConfiguration("other", url: url))
  }

  @Test("are refused with what to do where the program has not registered the class of their stores")
  func unregistered() async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let url = try #require(URL(string: "postgresql://ada:swordfish@db.example.org/library"))
      let configuration = ModelConfiguration(url: url)
      func refuse(_ body: () throws -> Void) {
        let error = #expect(throws: SwiftDataError.self) { try body() }
        print(error?.description ?? "")
      }
      refuse { try configuration.validate() }
      refuse { _ = try ModelContainer(for: Team.self, configurations: configuration) }
      refuse {
        _ = try ModelContainer.migrationForecast(
          for: Schema(versionedSchema: SplitNames.After.self), migrationPlan: SplitNames.Plan.self,
          configuration: configuration)
      }
    }
    let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let lines = text.split(separator: "\n").filter { $0.contains("import StrongroomPostgres") }
    #expect(lines.count == 3 && lines.allSatisfy { $0.hasPrefix("unsupportedConfiguration") })
    #expect(!text.contains("swordfish"))
  }
}
