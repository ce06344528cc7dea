// Over Models/Fitness.swift: transformers, ephemeral and transient state, own identifiers, Codable
// by hand.

import Foundation
import SwiftData
import Testing

final class FitnessTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Athlete.self, Workout.self, Exercise.self]

  init() throws {
    BadgeColorTransformer.register()
    store = try TestStore()
  }
  deinit { store.remove() }

  private let morning = Date(timeIntervalSinceReferenceDate: 810_000_000)
  private let identity = UUID()

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      let athlete = try #require(Athlete(fullName: "Mara de Wit"))
      athlete.badge = BadgeColor(red: 255, green: 128, blue: 0)
      athlete.ribbon = BadgeColor(red: 1, green: 2, blue: 3)
      athlete.level = 255
      athlete.restingHeartRate = -1
      athlete.weight = 61.5
      athlete.vacation = DateInterval(start: morning, duration: 3_600)
      athlete.isOnline = true
      athlete.record(12.25)
      athlete.record(11)
      athlete.call("Mo")
      let workout = Workout(
        id: identity, title: "Squats", kind: .strength, startedAt: morning, endedAt: morning + 1_800)
      workout.effort = 7
      workout.exercises = [
        Exercise(name: "Squat", sets: [.init(count: 5, weight: 40), .init(count: 5, weight: 42.5)]),
        Exercise(name: "Lunge", sets: [.init(count: 10, weight: 8)]),
      ]
      workout.isExpanded = true
      athlete.workouts = [workout, Workout(title: "Row", kind: .rowing, startedAt: morning + 86_400)]
      context.insert(athlete)
      try context.save()
    }
  }

  private func athlete(in context: ModelContext) throws -> Athlete {
    try #require(try context.fetch(FetchDescriptor<Athlete>()).first)
  }

  @Test func transformedValuesComeBack() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let mara = try athlete(in: context)
      #expect(mara.badge == BadgeColor(red: 255, green: 128, blue: 0))
      #expect(mara.ribbon == BadgeColor(red: 1, green: 2, blue: 3))
      mara.badge = BadgeColor(red: 9, green: 9, blue: 9)
      mara.ribbon = nil
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let mara = try athlete(in: context)
      #expect(mara.badge?.red == 9)
      #expect(mara.ribbon == nil)
    }
  }

  @Test func numbersAndPrivatePropertiesComeBack() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let mara = try athlete(in: context)
      #expect(mara.fullName == "Mara de Wit")
      #expect(mara.level == 255)
      #expect(mara.restingHeartRate == -1)
      #expect(mara.weight == 61.5)
      #expect(mara.vacation == DateInterval(start: morning, duration: 3_600))
      #expect(mara.personalBest == 12.25)
      #expect(mara.allNames == ["Mara de Wit", "Mo"])
      mara.fullName = "Mara Smit"
      try context.save()
      let limit: UInt8 = 200
      let found = FetchDescriptor<Athlete>(
        predicate: #Predicate { $0.level > limit && $0.weight < 62 && $0.familyName.starts(with: "Sm") })
      #expect(try context.fetch(found).map(\.givenName) == ["Mara"])
    }
  }

  @Test func transientStateIsNotKept() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let workout = try #require(try context.fetch(Workout.with(id: identity)).first)
      #expect(!workout.isExpanded)
      #expect(try athlete(in: context).isOnline == false)
      #expect(workout.volume == 492.5)
      workout.exercises.removeAll { $0.name == "Lunge" }
      #expect(workout.volume == 492.5)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let workout = try #require(try context.fetch(Workout.with(id: identity)).first)
      #expect(workout.volume == 412.5)
    }
  }

  @Test func theOwnIdentifierIsTheModelsIdentity() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let workout = try #require(try context.fetch(Workout.with(id: identity)).first)
      let id: Workout.ID = workout.id
      #expect(id == identity)
      #expect(try context.fetch(Workout.with(id: UUID())).isEmpty)
      let same = try #require(try context.fetch(FetchDescriptor<Workout>()).first { $0.id == identity })
      #expect(same === workout)
      #expect(same == workout)
      #expect(Set([same, workout]).count == 1)
      let registered: Workout? = context.registeredModel(for: workout.persistentModelID)
      #expect(registered === workout)
      let exercise = try #require(workout.exercises.first)
      #expect(exercise.id == exercise.persistentModelID)

      context.insert(Workout(id: identity, title: "Squats again", kind: .yoga, startedAt: morning + 9))
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Workout.self) == 2)
      let workout = try #require(try context.fetch(Workout.with(id: identity)).first)
      #expect(workout.title == "Squats again")
      #expect(workout.kind == .yoga)
      #expect(workout.isRunning)
    }
  }

  @Test func initializersAndComputedPropertiesHold() throws {
    #expect(Athlete(fullName: "Mara") == nil)
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let first = try #require(try context.fetch(Workout.with(id: identity)).first)
      #expect(first.effort == 1)
      #expect(first.duration == 1_800)
      let second = Workout(repeating: first, on: morning + 100_000)
      #expect(second.id != first.id)
      try athlete(in: context).workouts.append(second)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let mara = try athlete(in: context)
      let latest = try #require(mara.latestWorkout)
      #expect(latest.title == "Squats")
      #expect(latest.effort == 1)
      #expect(latest.volume == 492.5)
      #expect(latest.athlete === mara)
      #expect(try Workout.ofKind(.strength, in: context).map(\.startedAt) == [morning, morning + 100_000])
      #expect(try context.count(of: Exercise.self) == 4)

      latest.endedAt = morning
      #expect(throws: Workout.ValidationError.endsBeforeStart) { try latest.validate() }
      latest.title = ""
      #expect(throws: Workout.ValidationError.untitled) { try latest.validate() }
      context.rollback()
      try latest.validate()
    }
  }

  @Test func modelsAreCodableByHand() throws {
    let json = """
      [{"id": "\(identity.uuidString)", "title": "Legs", "started_at": 100, "kind": "strength_training",
        "effort": 0.75, "exercises": [{"name": "Squat", "sets": [{"count": 3, "weight": 50}]}]},
       {"id": "\(UUID().uuidString)", "title": "Calm", "started_at": 200, "ended_at": 260, "kind": "yoga"}]
      """
    try store.session(types) { (context: ModelContext) throws in
      let workouts = try JSONDecoder().decode([Workout].self, from: Data(json.utf8))
      for workout in workouts { context.insert(workout) }
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let workouts = try context.fetch(FetchDescriptor<Workout>(sortBy: [SortDescriptor(\.startedAt)]))
      try #require(workouts.map(\.title) == ["Legs", "Calm"])
      #expect(workouts[0].id == identity)
      #expect(workouts[0].effort == 0.75)
      #expect(workouts[0].exercises.map(\.name) == ["Squat"])
      #expect(workouts[0].exercises.first?.workout === workouts[0])
      #expect(workouts[1].duration == 60)
      #expect(workouts[1].effort == 0.5)

      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      let text = String(decoding: try encoder.encode(workouts[0]), as: UTF8.self)
      #expect(
        text == """
          {"effort":0.75,"exercises":[{"name":"Squat","sets":[{"count":3,"weight":50}]}],\
          "id":"\(identity.uuidString)","kind":"strength_training","started_at":100,"title":"Legs"}
          """)
    }
  }

  @Test func anAthleteTakesTheWorkouts() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      context.delete(try athlete(in: context))
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Workout.self) == 0)
      #expect(try context.count(of: Exercise.self) == 0)
    }
  }
}
