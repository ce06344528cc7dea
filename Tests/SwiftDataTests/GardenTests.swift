// Over Models/Garden.swift: what public models with members of every kind promise.

import Foundation
import SwiftData
import Testing

final class GardenTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Patch.self, Shrub.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  @Test func whatFactoriesAndObserversDoIsKept() throws {
    let id = PlantID()
    try store.session(types) { (context: ModelContext) throws in
      let bed = Patch.make("North", capacity: 2)
      context.insert(bed)
      let thyme = Shrub("Thyme", at: .init(row: 1, column: 2), stage: .sprout(leaves: 4))
      thyme.id = id
      try bed.add(thyme)
      try bed.add(Shrub(species: "Sage"))
      #expect(throws: GardenError.bedIsFull(capacity: 2)) { try bed.add(Shrub(species: "Mint")) }
      thyme.species = "Wild thyme"
      thyme.species = "Wild thyme"
      thyme.height = 12
      thyme.height = 14.5
      #expect(thyme.update(\.stage, to: .grown(height: 14.5, isFlowering: true)))
      #expect(!thyme.update(\.height, to: 14.5))
      thyme.notes.append(Shrub.Note(text: "moved"))
      #expect(bed.changes == 2 && bed.hint == "compost, loam" && bed.isFull)
      context.insert(Shrub("Ivy"))
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let bed = try #require(try context.fetch(FetchDescriptor<Patch>(sortBy: Patch.sortedByName)).first)
      #expect(bed.capacity == 2 && bed.filled == 1 && bed.changes == 0 && bed.soil == .loam)
      let thyme = try #require(bed[.init(row: 1, column: 2)])
      #expect(thyme.id == id && thyme.renamed == 1 && thyme.previousHeight == 12)
      #expect(thyme.description == "Wild thyme (14.5 cm, in flower)")
      #expect(thyme.notes.map(\.text) == ["moved"])
      #expect(thyme.isDue(at: .now) && thyme.interval == 3 * 86_400)
      #expect(bed.plants.sorted().map(\.species) == ["Sage", "Wild thyme"])
      #expect(throws: GardenError.self) { try bed.remove(PlantID()) }
      try bed.remove(id)
      #expect(thyme.bed == nil && bed.plants.count == 1)
      try context.save()
    }
  }

  @Test func predicatesOfTheirOwnFind() throws {
    try store.session(types) { (context: ModelContext) throws in
      let bed = Patch.make("South")
      context.insert(bed)
      for (number, species) in ["Rose", "Fern", "Rose"].enumerated() {
        let plant = Shrub(species)
        plant.height = Double(number) * 10
        if number == 0 { try bed.add(plant) } else { context.insert(plant) }
      }
      try context.save()
      func species(_ predicate: Predicate<Shrub>) throws -> [String] {
        try context.fetch(FetchDescriptor(predicate: predicate)).map(\.species).sorted()
      }
      #expect(try species(Shrub.predicate()) == ["Fern", "Rose", "Rose"])
      #expect(try species(Shrub.predicate(species: "Rose", minimumHeight: 5)) == ["Rose"])
      #expect(try species(Shrub.inBed(named: "South")) == ["Rose"])
      #expect(try context.fetch(Shrub.unplanted).map(\.species) == ["Rose", "Fern"])
      let held = Set(try context.fetch(FetchDescriptor<Shrub>()))
      #expect(held.count == 3)
    }
  }
}
