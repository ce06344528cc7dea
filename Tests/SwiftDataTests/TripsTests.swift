// Over Models/Trips.swift: what a base class, its subclasses and predicates over them promise.

import Foundation
import SwiftData
import Testing

final class TripsTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Trip.self, BusinessTrip.self, PersonalTrip.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      for trip in Trip.samples { context.insert(trip) }
      try context.save()
    }
  }

  private func names(_ predicate: Predicate<Trip>, in context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\Trip.startDate)])).map(
      \.name)
  }

  @Test func everyTripComesBackAsItsOwnClass() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)]))
      try #require(trips.map(\.name) == ["Lighthouse weekend", "Paper fair", "Family reunion"])
      #expect(type(of: trips[0]) == Trip.self)
      #expect(trips[0].numberOfDays == 2)

      let fair = try #require(trips[1] as? BusinessTrip)
      #expect(fair.purpose == "Buy washi")
      #expect(fair.expenseCode == nil)
      #expect(fair.allowance == 400)
      #expect(fair.spentOnMeals == 103.5)
      #expect(fair.meals.allSatisfy { $0.trip === fair })
      #expect(fair.bucketList.map(\.title) == ["Walk the canal"])
      #expect(fair.bucketList.first?.trip === fair)

      let reunion = try #require(trips[2] as? PersonalTrip)
      #expect(reunion.reason == .reunion)
      #expect(reunion.companions == ["Ada", "Ole"])
      #expect(reunion.livingAccommodation == nil)
    }
  }

  @Test func relationshipsHoldBothWaysAndChangesLast() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let houses = try context.fetch(FetchDescriptor<LivingAccommodation>())
      let house = try #require(houses.first)
      #expect(house.trip?.name == "Lighthouse weekend")
      #expect(house.trip?.livingAccommodation === house)
      #expect(house.trip?.isBooked == false)
      house.isConfirmed = true

      let seals = try #require(house.trip?.bucketList.first { $0.title == "Count the seals" })
      let fair = try #require(try context.fetch(FetchDescriptor<BusinessTrip>()).first)
      seals.trip = fair
      #expect(Set(fair.bucketList.map(\.title)) == ["Walk the canal", "Count the seals"])
      #expect(house.trip?.bucketList.map(\.title) == ["Climb the tower"])
      fair.expenseCode = "KY-7"
      fair.name = "Paper and ink fair"
      try context.save()
      #expect(!context.hasChanges)
    }
    try store.session(types) { (context: ModelContext) throws in
      let fair = try #require(try context.fetch(FetchDescriptor<BusinessTrip>()).first)
      #expect(fair.name == "Paper and ink fair")
      #expect(fair.expenseCode == "KY-7")
      #expect(fair.bucketList.count == 2)
      let booked = try context.fetch(
        FetchDescriptor<Trip>(predicate: #Predicate { $0.livingAccommodation?.isConfirmed == true }))
      #expect(booked.map(\.name) == ["Lighthouse weekend"])
    }
  }

  @Test func fetchesGoDeepOrShallow() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Trip.self) == 3)
      #expect(try context.count(of: BusinessTrip.self) == 1)
      #expect(try context.count(of: PersonalTrip.self) == 1)

      #expect(try names(Trip.predicate(searchText: "", kind: .all), in: context).count == 3)
      #expect(try names(Trip.predicate(searchText: "", kind: .personal), in: context) == ["Family reunion"])
      #expect(try names(Trip.predicate(searchText: "KYOTO", kind: .business), in: context) == ["Paper fair"])
      #expect(try names(Trip.predicate(searchText: "kyoto", kind: .personal), in: context).isEmpty)
      #expect(
        try names(Trip.predicate(searchText: "fa", kind: .all), in: context) == [
          "Paper fair", "Family reunion",
        ])

      #expect(try names(Trip.paying(moreThan: 79.5), in: context) == ["Paper fair"])
      #expect(try names(Trip.paying(moreThan: 80), in: context).isEmpty)

      let shallow = FetchDescriptor<BusinessTrip>(
        predicate: #Predicate { $0.destination == "Kyōto" && $0.perDiem == 80 },
        sortBy: [SortDescriptor(\.name)])
      #expect(try context.fetch(shallow).map(\.purpose) == ["Buy washi"])
    }
  }

  @Test func expressionsCountInsidePredicates() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let weekend = try #require(
        try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.destination == "Texel" })).first)
      let start = weekend.startDate
      let end = weekend.endDate
      #expect(try context.fetch(Trip.underwayWithOpenWishes(on: start)).map(\.name) == ["Lighthouse weekend"])
      #expect(try context.fetch(Trip.underwayWithOpenWishes(on: end)).isEmpty)

      for item in weekend.bucketList { item.isInPlan = true }
      try context.save()
      #expect(try context.fetch(Trip.underwayWithOpenWishes(on: start)).isEmpty)
    }
  }

  @Test func deletingATripTakesItsParts() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { !($0 is PersonalTrip) }))
      #expect(trips.count == 2)
      for trip in trips { context.delete(trip) }
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Family reunion"])
      #expect(try context.count(of: BucketListItem.self) == 0)
      #expect(try context.count(of: LivingAccommodation.self) == 0)
      #expect(try context.count(of: BusinessMeal.self) == 0)
    }
  }

  @Test func deletingByModelMayLeaveSubclasses() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      try context.delete(model: Trip.self, includeSubclasses: false)
      try context.save()
      #expect(
        try names(Trip.predicate(searchText: "", kind: .all), in: context) == [
          "Paper fair", "Family reunion",
        ])
      try context.delete(model: Trip.self, where: #Predicate { $0.name.contains("reunion") })
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.fetch(FetchDescriptor<Trip>()).map(\.name) == ["Paper fair"])
    }
  }

  @Test func theSameNameAndDatesUpdateTheTripThatIsThere() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let first = try #require(
        try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate)])).first)
      let start = first.startDate
      let end = first.endDate
      context.insert(
        Trip(name: "Lighthouse weekend", destination: "Vlieland", startDate: start, endDate: end))
      let other = Trip(name: "Second weekend", destination: "Texel", startDate: start, endDate: end)
      context.insert(other)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let weekends = try context.fetch(
        FetchDescriptor<Trip>(
          predicate: #Predicate { $0.name.localizedStandardContains("weekend") },
          sortBy: [SortDescriptor(\.name)]))
      #expect(weekends.map(\.name) == ["Lighthouse weekend", "Second weekend"])
      #expect(weekends.map(\.destination) == ["Vlieland", "Texel"])
    }
  }

  @MainActor
  @Test func thePreviewHasItsSamples() throws {
    let context = TripPreview.container.mainContext
    #expect(try context.count(of: Trip.self) == 3)
    #expect(try context.fetch(FetchDescriptor<BusinessTrip>()).first?.meals.count == 2)
  }
}
