import Foundation
import ObjectModel
import PostgresServer
import StoreContract
import Testing

@testable import StrongroomData

@Suite("Sealed attributes of typed models")
struct SealedAttributeTests {
  @Model final class Patient {
    var name = ""
    @Attribute(.sealed(.equality), .unique) var insurance = ""
    @Attribute(.sealed(.full)) var notes: String?
    init() {}
  }

  @Test("the option is in the model, in a schema by hand, and in what a schema is coded as")
  func option() throws {
    let model = try Schema([Patient.self]).managedObjectModel()
    let patient = try #require(model.entity(named: "Patient"))
    #expect(patient.attributes.map(\.sealing) == [nil, .equality, .full])
    let hand = Schema.Attribute(name: "notes", options: [.sealed(.full)], valueType: String?.self)
    let made = try Schema(Schema.Entity("Patient", properties: hand)).managedObjectModel()
    #expect(made.entity(named: "Patient")?.attributes.first?.sealing == .full)
    let coded = try JSONDecoder().decode(Schema.Attribute.self, from: JSONEncoder().encode(hand))
    #expect(coded.options == [.sealed(.full)] && coded.options != [.sealed(.equality)])
  }

  @Test(
    "a file, which is encrypted as a whole, has sealed attributes as others: they are sorted and searched")
  func file() throws {
    let container = try ModelContainer(
      for: Patient.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for name in ["b", "a", "c"] {
      let patient = Patient()
      (patient.insurance, patient.notes) = (name, "note \(name)")
      context.insert(patient)
    }
    try context.save()
    let descriptor = FetchDescriptor<Patient>(
      predicate: #Predicate { $0.insurance < "c" }, sortBy: [SortDescriptor(\.notes)])
    #expect(try context.fetch(descriptor).map(\.insurance) == ["a", "b"])
  }

  @Test("a server reads none of them: they are found when equal, unique, and not sorted", .serverStoresOnly)
  func server() throws {
    let place = try Place()
    let container = try place.container(for: Patient.self)
    func save(_ name: String, _ insurance: String, _ notes: String?) throws {
      let context = ModelContext(container)
      let patient = Patient()
      (patient.name, patient.insurance, patient.notes) = (name, insurance, notes)
      context.insert(patient)
      try context.save()
    }
    try save("Ada", "number 1", "in good health")
    try save("Bo", "number 2", nil)
    try save("Ada L.", "number 1", "in best health")
    let context = ModelContext(container)
    let insurance = "number 1"
    let found = try context.fetch(
      FetchDescriptor<Patient>(predicate: #Predicate { $0.insurance == insurance }))
    #expect(found.map(\.name) == ["Ada L."] && found.map(\.notes) == ["in best health"])
    let unnoted = FetchDescriptor<Patient>(predicate: #Predicate { $0.notes == nil })
    #expect(try context.fetch(unnoted).map(\.name) == ["Bo"])
    #expect { try context.fetch(FetchDescriptor<Patient>(sortBy: [SortDescriptor(\.notes)])) } throws: {
      ($0 as? StoreError)?.code == .unsupportedRequest && "\($0)".contains("notes")
    }
    let rows = try PostgresServer.shared().execute(
      "SELECT name, encode(insurance, 'escape'), encode(notes, 'escape')"
        + " FROM \"\(place.schemaName)\".\"Patient\"")
    #expect(rows.contains("Ada L.") && !rows.contains("number") && !rows.contains("health"))
  }
}
