// Values of models by key path, and models as generic code has them.

import Foundation
import SwiftData
import Testing

@Suite("Values of models")
struct BackingDataUsesTests {
  @Test("A required to-one and a to-many of models that are coded are read and set by key path")
  func relationships() throws {
    let context = try ModelContext.harbor()
    let (brest, calais) = (Harbor("Brest"), Harbor("Calais"))
    for harbor in [brest, calais] { context.insert(harbor) }
    let mooring = Mooring(1, in: brest)
    context.insert(mooring)
    #expect(mooring.getValue(forKey: \.harbor) === brest)
    mooring.setValue(forKey: \.harbor, to: calais)
    #expect(mooring.harbor === calais && brest.moorings.isEmpty)
    let moorings: [Mooring] = calais.getValue(forKey: \.moorings)
    #expect(moorings == [mooring])
    brest.setValue(forKey: \.moorings, to: [mooring, Mooring(2, in: brest)])
    try context.save()
    let read = ModelContext(context.container)
    let found = try #require(read.model(for: brest.persistentModelID) as? Harbor)
    #expect(found.getValue(forKey: \.moorings).map(\.number).sorted() == [1, 2])
    #expect(found.moorings.allSatisfy { $0.getValue(forKey: \.harbor).name == "Brest" })
  }

  @Test("An attribute that a transformer stores is set by key path")
  func transformed() throws {
    let context = try ModelContext.harbor()
    let trawler = Trawler("Anna")
    context.insert(trawler)
    let red = BadgeColor(red: 200, green: 1, blue: 2)
    trawler.setTransformableValue(forKey: \.flag, to: red)
    #expect(trawler.flag == red && trawler.hasChanges)
    try context.save()
    let other = ModelContext(context.container)
    let found = try #require(try other.fetch(FetchDescriptor<Trawler>()).first)
    #expect(found.getTransformableValue(forKey: \.flag) == red && found.flag !== red)
    found.setTransformableValue(forKey: \.flag, to: nil)
    try other.save()
    #expect(try ModelContext(context.container).fetch(FetchDescriptor<Trawler>()).map(\.flag) == [nil])
  }

  @Test("Models are equal to themselves alone")
  func equality() throws {
    func count<Model: PersistentModel>(_ models: [Model], like model: Model) -> Int {
      models.count { $0 == model }
    }
    let context = try ModelContext.harbor()
    let anna = Trawler("Anna")
    context.insert(anna)
    try context.save()
    let same = try #require(try context.fetch(FetchDescriptor<Trawler>()).first)
    let other = try #require(try ModelContext(context.container).fetch(FetchDescriptor<Trawler>()).first)
    #expect(count([same, anna, other, Trawler("Anna")], like: anna) == 2)
    try expectHashed(anna as any PersistentModel as any Hashable, same, other)
    #expect(identity(anna as any PersistentModel as any Identifiable) == AnyHashable(other.persistentModelID))
  }

  @Test("The root of a model is the class that has the properties")
  func roots() throws {
    func names<Model: PersistentModel>(of model: Model) -> [String] {
      let root: Model.Root.Type = Model.Root.self
      return root.schemaMetadata.map(\.name)
    }
    #expect(names(of: Trawler("Anna")) == ["name", "length", "owner", "flag", "harbor"])
  }

  @Test("Backing data and to-many values say of which class they are")
  func types() throws {
    func model<Data: BackingData>(of data: Data) -> Data.Model {
      Data.Model(backingData: data as any BackingData<Data.Model>)
    }
    let data: some BackingData<Trawler> = Trawler.createBackingData()
    data.setValue(forKey: \.name, to: "Anna")
    #expect(model(of: data).name == "Anna")
    let context = try ModelContext.harbor()
    let harbor = Harbor("Brest")
    context.insert(harbor)
    harbor.trawlers = [model(of: data)]
    harbor.moorings = [Mooring(4, in: harbor)]
    let trawler: [Trawler].PersistentElement? = harbor.trawlers.first
    let moorings: [Mooring]? = harbor.moorings
    let mooring: [Mooring]?.PersistentElement? = moorings?.first
    #expect(trawler?.harbor === harbor && mooring?.harbor === harbor && mooring?.number == 4)
  }
}
