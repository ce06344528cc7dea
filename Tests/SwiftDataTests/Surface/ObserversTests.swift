// Observers with contexts of their own, and what observing code sees of them.

import Foundation
import Observation
import SwiftData
import Testing

@MainActor
@Suite("Observers")
struct ObserversTests {
  private let context: ModelContext
  private var container: ModelContainer { context.container }

  init() throws {
    context = try ModelContext.harbor()
    for (name, country) in [("Brest", "France"), ("Calais", "France"), ("Dover", nil)] {
      context.insert(Harbor(name, country: country))
    }
    try context.save()
  }

  /// Waits until something holds, at most four seconds.
  private func wait(until holds: () -> Bool) async throws {
    for _ in 0..<8000 where !holds() { try await _Concurrency.Task.sleep(for: .milliseconds(5)) }
  }

  @Test("An observer of a container follows a condition and an order")
  func filtered() async throws {
    let observer = try ResultsObserver<Harbor, Never>(
      filterBy: #Predicate { $0.country == "France" }, sortBy: [SortDescriptor(\.name, order: .reverse)],
      modelContainer: container)
    #expect(observer.results.map(\.name) == ["Calais", "Brest"] && observer.modelContext != context)
    #expect(observer.sectionBy == nil && observer.sections == nil)
    context.insert(Harbor("Rouen", country: "France"))
    context.insert(Harbor("Hull", country: "England"))
    try context.save()
    try await wait { observer.results.count == 3 }
    #expect(observer.results.map(\.name) == ["Rouen", "Calais", "Brest"])
  }

  @Test("An observer of a container has sections by a text, and by one that may be missing")
  func sectioned() throws {
    var descriptor = FetchDescriptor<Harbor>(sortBy: [SortDescriptor(\.name, order: .reverse)])
    descriptor.fetchLimit = 10
    let names = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.name, modelContainer: container)
    let sections: SectionedResults<Harbor, String> = try #require(names.sections)
    // The order is by the same property, so that it is the sections' as well.
    #expect(sections.sectionTitles == ["Dover", "Calais", "Brest"])
    #expect(names.fetchDescriptor.fetchLimit == 10 && names.sectionBy == \Harbor.name)

    let countries = try ResultsObserver(
      fetchDescriptor: descriptor, sectionBy: \.country, modelContainer: container)
    #expect(countries.sections?.sectionTitles == ["", "France"] && countries.sectionBy == \Harbor.country)
    let france: ResultsSection<Harbor, String> = try #require(countries.sections?[sectionTitle: "France"])
    #expect(france.map(\.name) == ["Calais", "Brest"] && france.id == "France")
    countries.filterBy = #Predicate { $0.name != "Dover" }
    #expect(countries.fetchDescriptor.predicate != nil && countries.sections?.sectionTitles == ["France"])
  }

  @Test("Observing code sees changes of results and of a history")
  func observed() async throws {
    func observe(_ observable: any Observable, _ read: () -> Void) -> AsyncStream<Void> {
      let (changes, change) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking(read) { change.yield() }
      return changes
    }
    let results = try ResultsObserver<Harbor, Never>(modelContainer: container)
    let history = try HistoryObserver(observedModels: [Harbor.self], modelContainer: container)
    let list = results as ResultsObserver<Harbor, Never> as any Observable
    let count = history as HistoryObserver as any Observable
    let (listChanges, countChanges) = (
      observe(list) { _ = results.results.count }, observe(count) { _ = history.eventCounter }
    )
    context.insert(Harbor("Esbjerg", country: "Denmark"))
    try context.save()
    for await _ in listChanges { break }
    for await _ in countChanges { break }
    try await wait { results.results.count == 4 && history.eventCounter == 1 }
    #expect(results.results.count == 4 && history.eventCounter == 1)
  }
}
