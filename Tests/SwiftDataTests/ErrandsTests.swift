// Over Models/Errands.swift: what repositories, actors and lists without views promise.

import Foundation
import SwiftData
import Testing

@MainActor
struct ErrandsTests {
  @Test func aWorkerAddsAndAListShows() async throws {
    let container = ModelContainer.errands()
    let worker = await ErrandHandler(container: container).worker()()
    let ids = try await worker.add(["Bread", "Cake"], at: "Baker")
    _ = try await worker.add(["Nails"], at: "Smith")
    #expect(await worker.handled == 3)
    #expect(try await worker.finish(ids[1]))
    #expect(try await worker.summaries().map(\.title) == ["Bread", "Nails"])
    #expect(try await worker.summaries(matching: "SMI").map(\.shops) == [["Smith"]])

    let list = ErrandList(container: container)
    #expect(list.errands.map(\.title) == ["Bread", "Nails"] && list.failure == nil)
    list.text = "bak"
    #expect(list.errands.map(\.title) == ["Bread"])
    list.text = ""
    list.errands[1].priority = .low
    list.order = .priority
    #expect(list.errands.map(\.title) == ["Nails", "Bread"])
    list.errands[0].trash()
    list.reload()
    #expect(list.errands.map(\.title) == ["Bread"])
    list.delete(at: [0])
    #expect(list.errands.isEmpty)
    #expect(try container.mainContext.count(of: Errand.self) == 2)
  }

  @Test func aRepositoryServesAnyModel() throws {
    let context = ModelContext(ModelContainer.errands())
    let errands = ContextRepository<Errand>(context: context)
    let shops: any Repository<Shop> = ContextRepository<Shop>(context: context)
    try shops.add(Shop(name: "Baker"))
    try errands.add(Errand(title: "Bread", priority: .high))
    try errands.add(Errand(title: "Cake"))
    #expect(
      try errands.all(sortedBy: ErrandOrder.title.descriptors(.reverse)).map(\.title) == ["Cake", "Bread"])
    #expect(try errands.first(where: #Predicate { $0.title == "Cake" })?.priority == .medium)
    #expect(try titles(of: shops.all(sortedBy: [])) == ["Baker"])
    let baker = try #require(try shops.first(where: #Predicate { $0.name == "Baker" }))
    baker.errands?.append(try #require(try errands.first(where: #Predicate { $0.title == "Bread" })))
    #expect(titles(of: context.changedModelsArray).contains("Baker"))
    try context.save()
    #expect(
      try errands.first(where: #Predicate { $0.shops?.isEmpty == false && $0.shops!.count == 1 })?.title
        == "Bread")
    try errands.remove(where: #Predicate { $0.title == "Bread" })
    #expect(try errands.all().map(\.title) == ["Cake"] && baker.errands?.isEmpty == true)
  }

  @Test func changesAreTakenBack() throws {
    let context = ModelContext(ModelContainer.errands())
    context.undoManager = UndoManager()
    let errand = Errand(title: "Bread")
    context.insert(errand)
    try context.save()
    errand.title = "Rolls"
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(errand.title == "Bread")
    context.rollback()
    #expect(!context.hasChanges)
  }
}
