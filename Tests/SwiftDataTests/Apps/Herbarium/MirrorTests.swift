// Over the mirror files of this folder: two devices with a file each, over one server.

import Foundation
import SwiftData
import Testing

@MainActor
final class MirrorTests {
  private let stores: [TestStore]
  private let server = MirrorServer()

  init() throws { stores = try [TestStore(), TestStore()] }
  deinit { for store in stores { store.remove() } }

  private func device(_ index: Int) throws -> MirrorDevice {
    MirrorDevice(try stores[index].container(for: Schema(versionedSchema: HerbariumSchemaV2.self)))
  }

  private func fill(_ context: ModelContext) throws {
    let drawer = Drawer(title: "Alps")
    context.insert(drawer)
    for name in ["Arnica", "Edelweiss", "Gentian", "Primula"] {
      let specimen = Specimen(name: name, drawer: drawer)
      specimen.tags = [name.lowercased()]
      specimen.marks = name == "Arnica" ? ["folded"] : []
      context.insert(specimen)
      context.insert(FieldNote(text: "On \(name)", date: .now, specimen: specimen))
      try context.save()
    }
  }

  @Test func everyDeviceGetsEverything() throws {
    let (here, there) = (try device(0), try device(1))
    try fill(here.context)
    here.context.insert(Specimen(name: ""))
    #expect(try here.synchronize(with: server) == MirrorApplier.Outcome())
    #expect(server.records.count == 9 && here.tracker.scans == 1)
    let outcome = try there.synchronize(with: server)
    #expect(outcome.inserted == 9 && outcome.waiting == 0 && outcome.uploads.isEmpty)
    #expect(try there.names() == ["Arnica", "Edelweiss", "Gentian", "Primula"])
    let arnica = try #require(try there.specimen("Arnica"))
    #expect(arnica.drawer?.title == "Alps" && arnica.drawer?.specimens.count == 4)
    #expect(arnica.marks == ["folded"] && arnica.tags == ["arnica"])
    #expect(arnica.notes?.map(\.text) == ["On Arnica"])
    // Nothing is sent back, and nothing twice.
    let tag = server.tag
    for device in [here, there, here] {
      #expect(try device.synchronize(with: server) == MirrorApplier.Outcome())
    }
    #expect(server.tag == tag && here.tracker.scans == 1 && there.tracker.scans == 1)
  }

  @Test func changesOfBothMeet() throws {
    let (here, there) = (try device(0), try device(1))
    try fill(here.context)
    try here.synchronize(with: server)
    try there.synchronize(with: server)
    let (mine, theirs) = (
      try #require(try here.specimen("Gentian")), try #require(try there.specimen("Gentian"))
    )
    mine.sheets += 2
    mine.source = .gift
    theirs.sheets += 3
    theirs.name = "Blue gentian"
    theirs.drawer?.pausedAt = .now
    try here.synchronize(with: server)
    let outcome = try there.synchronize(with: server)
    #expect(outcome.updated == 1 && outcome.uploads.count == 1)
    try here.synchronize(with: server)
    for specimen in [mine, theirs] {
      #expect(specimen.name == "Blue gentian" && specimen.sheets == 6 && specimen.source == .gift)
    }

    // One adds to the drawer, the other deletes from it.
    let drawer = try #require(mine.drawer)
    here.context.insert(Specimen(name: "Saxifrage", drawer: drawer))
    there.context.delete(try #require(try there.specimen("Primula")))
    try here.synchronize(with: server)
    #expect(try there.synchronize(with: server).inserted == 1)
    #expect(theirs.drawer?.pausedAt == nil)
    #expect(try here.synchronize(with: server).deleted == 2)
    #expect(try here.names() == ["Arnica", "Blue gentian", "Edelweiss", "Saxifrage"])
    #expect(try there.names() == here.names())
    #expect(try here.context.count(of: FieldNote.self) == 3)

    // A drawer goes with all that is in it.
    there.context.delete(try #require(theirs.drawer))
    try there.synchronize(with: server)
    #expect(server.records.isEmpty)
    try here.synchronize(with: server)
    for device in [here, there] {
      #expect(try device.context.count(of: Drawer.self) == 0)
      #expect(try device.context.count(of: Specimen.self) == 0)
      #expect(try device.context.count(of: FieldNote.self) == 0)
      #expect(try device.context.count(of: MirrorState.self) == 0)
    }
  }

  @Test func childrenWaitForTheirParents() throws {
    let (here, there) = (try device(0), try device(1))
    try fill(here.context)
    try here.synchronize(with: server)
    // One record at a time, the newest first: notes and specimens before the drawer.
    let outcome = try there.synchronize(with: server, batch: 1)
    #expect(outcome.inserted == 9 && outcome.waiting > 0)
    #expect(try there.names() == here.names())
    #expect(try there.context.fetch(FetchDescriptor<FieldNote>()).allSatisfy { $0.specimen != nil })
    let states = MirrorStates.all(in: there.context)
    #expect(states.allSatisfy { $0.localKey != nil && $0.waitingReason == nil } && states.count == 9)
  }

  @Test func aNewStartGoesOnFromTheToken() throws {
    do {
      let here = try device(0)
      try fill(here.context)
      try here.synchronize(with: server)
    }
    do {
      let context = ModelContext(try device(0).context.container)
      try context.delete(model: Specimen.self, where: #Predicate { $0.name < "F" })
      try context.save()
    }
    let here = try device(0)
    for state in MirrorStates.all(in: here.context) where state.kind == "Drawer" {
      #expect((MirrorStates.model(for: state, in: here.context) as? Drawer)?.title == "Alps")
    }
    #expect(try here.tracker.processHistory().deletes.count == 4)
    try here.synchronize(with: server)
    #expect(server.records.count == 5 && here.tracker.scans == 0)
    #expect(MirrorStates.all(in: here.context).count == 5)
  }

  @Test func anExpiredTokenMeansAComparison() throws {
    let here = try device(0)
    try fill(here.context)
    try here.synchronize(with: server)
    try here.tracker.trimProcessedHistory()
    try here.synchronize(with: server)
    #expect(here.tracker.scans == 1, "what was read may be trimmed")
    let arnica = try #require(try here.specimen("Arnica"))
    arnica.sheets = 9
    here.context.delete(try #require(try here.specimen("Gentian")))
    try here.context.save()
    try here.context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    here.context.insert(Specimen(name: "Iris"))
    try here.synchronize(with: server)
    #expect(here.tracker.scans == 2)
    #expect(server.records.count == 8)
    #expect(server.records["Specimen:\(arnica.id)"]?.payload.number("sheets") == 9)
    #expect(try here.tracker.processHistory() == MirrorTracker.Outcome())
  }
}
