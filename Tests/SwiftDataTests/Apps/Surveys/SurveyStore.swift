// Stands for: an offline client of several servers, which has no views here. One sendable class has an actor
// for each topic, nested in its extensions, one made by the macro and public, one that conforms by hand;
// values of any Codable type under typed keys; a comparison with what a server sent; conditions that ask a
// captured value for a property; models that never leave their actor and sendable values that do.

import Foundation
import SwiftData

final class SurveyStore: Sendable {
  let modelContainer: ModelContainer
  let values: ValueSubsystem
  let visits: VisitSubsystem
  let sites: SiteSubsystem

  init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    values = .init(modelContainer: modelContainer)
    visits = .init(modelContainer: modelContainer)
    sites = .init(modelContainer: modelContainer)
  }

  /// For previews.
  convenience init() throws {
    let schema = Schema(versionedSchema: SurveySchema.self)
    let configuration = ModelConfiguration(
      "SurveyPreview", schema: schema, isStoredInMemoryOnly: true, allowsSave: true, groupContainer: .none,
      cloudKitDatabase: .none)
    self.init(
      modelContainer: try ModelContainer(for: schema, migrationPlan: nil, configurations: [configuration]))
  }

  func remove(siteID: SiteIdentifier) async throws {
    await values.remove(siteID: siteID)
    await visits.remove(siteID: siteID)
    try await sites.remove(siteID)
  }

  func remove(station: String) async {
    await values.remove(station: station)
    await visits.remove(station: station)
    await sites.remove(station: station)
  }
}

enum SurveyError: Error, Equatable {
  case missing
  case busy
}
