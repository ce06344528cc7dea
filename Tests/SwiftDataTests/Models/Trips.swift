// Stands for: a base class with two model subclasses (`@available` as on Apple's platforms),
// `#Index` and `#Unique` over several key paths, `.preserveValueOnDeletion`, cascades with inverses
// named on one side, predicates with `is` and `as?`, predicates made of predicates, `#Expression`,
// ranges in predicates, sample data on the main actor.

import Foundation
import SwiftData

@Model
class Trip {
  #Index<Trip>([\.name], [\.startDate, \.endDate])
  #Unique<Trip>([\.name, \.startDate, \.endDate])

  @Attribute(.preserveValueOnDeletion)
  var name: String
  var destination: String

  @Attribute(.preserveValueOnDeletion)
  var startDate: Date

  @Attribute(.preserveValueOnDeletion)
  var endDate: Date

  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = [BucketListItem]()

  @Relationship(deleteRule: .cascade, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }
}

@available(iOS 26, macOS 26, watchOS 26, tvOS 26, visionOS 26, *)
@Model
final class BusinessTrip: Trip {
  var purpose: String
  var expenseCode: String?
  var perDiem: Double = 0.0

  @Relationship(deleteRule: .cascade, inverse: \BusinessMeal.trip)
  var meals: [BusinessMeal] = []

  init(
    name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture,
    purpose: String, perDiem: Double = 0.0
  ) {
    self.purpose = purpose
    self.perDiem = perDiem
    super.init(name: name, destination: destination, startDate: startDate, endDate: endDate)
  }
}

@available(iOS 26, macOS 26, watchOS 26, tvOS 26, visionOS 26, *)
@Model
final class PersonalTrip: Trip {
  enum Reason: String, CaseIterable, Codable, Identifiable {
    case family
    case reunion
    case wellness
    case unknown

    var id: Self { self }
  }

  var reason: Reason
  var companions: [String] = []

  init(
    name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture,
    reason: Reason = .unknown
  ) {
    self.reason = reason
    super.init(name: name, destination: destination, startDate: startDate, endDate: endDate)
  }
}

@Model
final class BucketListItem {
  var title: String
  var details: String
  var hasReservation: Bool
  var isInPlan: Bool
  var trip: Trip?

  init(title: String, details: String = "", hasReservation: Bool = false, isInPlan: Bool = false) {
    self.title = title
    self.details = details
    self.hasReservation = hasReservation
    self.isInPlan = isInPlan
  }
}

@Model
final class LivingAccommodation {
  var placeName: String
  var address: String
  var isConfirmed = false
  var trip: Trip?

  init(placeName: String, address: String) {
    self.placeName = placeName
    self.address = address
  }
}

@Model
final class BusinessMeal {
  var restaurant: String
  var cost: Double
  var trip: BusinessTrip?

  init(restaurant: String, cost: Double) {
    self.restaurant = restaurant
    self.cost = cost
  }
}

// MARK: - Derived values

extension Trip {
  var numberOfDays: Int {
    Calendar.current.dateComponents([.day], from: startDate, to: endDate).day ?? 0
  }

  var isBooked: Bool { livingAccommodation?.isConfirmed ?? false }
}

extension BusinessTrip {
  var allowance: Double { Double(numberOfDays) * perDiem }
  var spentOnMeals: Double { meals.reduce(0) { $0 + $1.cost } }
}

// MARK: - Queries

enum TripKind: String, CaseIterable {
  case all = "All"
  case personal = "Personal"
  case business = "Business"
}

extension Trip {
  static func predicate(searchText: String, kind: TripKind) -> Predicate<Trip> {
    switch kind {
    case .all:
      return #Predicate {
        searchText.isEmpty
          ? true
          : $0.name.localizedStandardContains(searchText)
            || $0.destination.localizedStandardContains(searchText)
      }
    case .personal:
      return #Predicate {
        $0 is PersonalTrip
          && (searchText.isEmpty || $0.name.localizedStandardContains(searchText)
            || $0.destination.localizedStandardContains(searchText))
      }
    case .business:
      return #Predicate {
        $0 is BusinessTrip
          && (searchText.isEmpty || $0.name.localizedStandardContains(searchText)
            || $0.destination.localizedStandardContains(searchText))
      }
    }
  }

  static func paying(moreThan limit: Double) -> Predicate<Trip> {
    #Predicate<Trip> { trip in
      if let business = trip as? BusinessTrip {
        return business.perDiem > limit
      } else {
        return false
      }
    }
  }

  static func underwayWithOpenWishes(on day: Date) -> FetchDescriptor<Trip> {
    let predicate = #Predicate<Trip> { trip in
      (trip.startDate..<trip.endDate).contains(day) && trip.bucketList.filter { !$0.isInPlan }.count > 0
    }
    return FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.startDate)])
  }
}

// MARK: - Sample data

extension Trip {
  static var samples: [Trip] { [sampleWeekend, sampleFair, sampleReunion] }

  static var sampleWeekend: Trip {
    let trip = Trip(
      name: "Lighthouse weekend", destination: "Texel", startDate: date(5, 2), endDate: date(5, 4))
    trip.bucketList = [
      BucketListItem(title: "Climb the tower", hasReservation: true, isInPlan: true),
      BucketListItem(title: "Count the seals", details: "At low tide"),
    ]
    trip.livingAccommodation = LivingAccommodation(placeName: "Dune House", address: "Slufterweg 4")
    return trip
  }

  static var sampleFair: BusinessTrip {
    let trip = BusinessTrip(
      name: "Paper fair", destination: "Kyōto", startDate: date(6, 10), endDate: date(6, 15),
      purpose: "Buy washi", perDiem: 80)
    trip.meals = [
      BusinessMeal(restaurant: "Nishiki", cost: 42.5), BusinessMeal(restaurant: "Gion", cost: 61),
    ]
    trip.bucketList.append(BucketListItem(title: "Walk the canal"))
    return trip
  }

  static var sampleReunion: PersonalTrip {
    let trip = PersonalTrip(
      name: "Family reunion", destination: "Østerdalen", startDate: date(7, 1), endDate: date(7, 8),
      reason: .reunion)
    trip.companions = ["Ada", "Ole"]
    return trip
  }

  private static func date(_ month: Int, _ day: Int) -> Date {
    Calendar.current.date(from: DateComponents(year: 2026, month: month, day: day)) ?? .distantPast
  }
}

@MainActor
enum TripPreview {
  static let container: ModelContainer = {
    do {
      let schema = Schema([Trip.self, BusinessTrip.self, PersonalTrip.self])
      let configuration = ModelConfiguration(schema: schema, isStoredInMemoryOnly: true)
      let container = try ModelContainer(for: schema, configurations: [configuration])
      insertSamples(into: container.mainContext)
      return container
    } catch {
      fatalError("Could not make the container of the preview: \(error)")
    }
  }()

  static func insertSamples(into context: ModelContext) {
    Trip.samples.forEach { context.insert($0) }
    try? context.save()
  }
}
