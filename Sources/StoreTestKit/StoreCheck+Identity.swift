import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  static let identity: [StoreCheck] = [
    StoreCheck("permanent IDs come in the order asked for, once each") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let names = ["Book", "Person", "Article", "Book", "Tag", "Book"]
      let entities = names.compactMap { model.entity(named: $0) }
      let ids = try store.obtainPermanentIDs(for: entities)
      try expect(ids.map(\.entity.name) == names, "entities in order")
      try expect(ids.allSatisfy { !$0.isTemporaryID && $0.reference > 0 }, "permanent")
      let more = try store.obtainPermanentIDs(for: entities)
      try expect(Set(ids + more).count == 12, "no ID twice")
      try expect(ids.allSatisfy { $0.storeIdentifier == store.identifier }, "IDs carry the store's UUID")
    },
    StoreCheck("IDs are not used again after a deletion, nor after reopening") { factory in
      let model = try Sample.model()
      var store = try await factory.makeStore(model)
      var used = Set(try Sample.insert(store, model, "Person", [["name": "a"], ["name": "b"]]))
      for id in used { try Sample.delete(store, id, version: 1) }
      for id in try Sample.insert(store, model, "Person", [["name": "c"]]) {
        try expect(used.insert(id).inserted, "a deleted object's ID came again")
      }
      guard let again = try await factory.reopen(store, model) else { return }
      store = again
      for id in try Sample.insert(store, model, "Person", [["name": "d"]]) {
        try expect(used.insert(id).inserted, "an ID came again after reopening")
      }
    },
    StoreCheck("an ID's URI carries store, entity and number, and temporary IDs have a form of their own") {
      factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      let id = try Sample.insert(store, model, "Person", [[:]])[0]
      let parts = ManagedObjectID.components(of: id.uriRepresentation())
      try expect(parts?.store == store.identifier, "store UUID")
      try expect(parts?.entityName == "Person" && parts?.reference == id.reference, "entity and number")
      let temporary = ManagedObjectID(
        StoreEntity(id.entity, in: nil), reference: ManagedObjectID.nextTemporaryReference())
      try expect(temporary.isTemporaryID, "temporary")
      try expect(ManagedObjectID.components(of: temporary.uriRepresentation()) == nil, "no permanent URI")
    },
    StoreCheck("metadata lasts; a save of nothing saves it") { factory in
      let model = try Sample.model()
      let store = try await factory.makeStore(model)
      var save = SaveChangesRequest()
      save.metadata = ["made by": "a check"]
      try store.save(save)
      try expect(store.metadata["made by"] == "a check", "metadata")
      try store.save(SaveChangesRequest())
      try expect(store.metadata["made by"] == "a check", "metadata after an empty save")
      if let again = try await factory.reopen(store, model) {
        try expect(again.metadata["made by"] == "a check", "metadata after reopening")
        try expect(again.identifier == store.identifier || store.metadata.isEmpty, "the identifier lasts")
      }
    },
    StoreCheck("an unknown entity is an error, whatever is asked of it") { factory in
      let store = try await factory.makeStore(try Sample.model())
      try expectError(.notFound, "unknown entity") {
        _ = try store.fetchNodes(FetchRequest("Nobody"), lookup: nil)
      }
      try expectError(.notFound, "IDs of it") { _ = try store.fetchObjectIDs(FetchRequest("Nobody")) }
      try expectError(.notFound, "a count of it") { _ = try store.count(for: FetchRequest("Nobody")) }
      try expectError(.notFound, "dictionaries of it") {
        _ = try store.fetchDictionaries(FetchRequest("Nobody"))
      }
    },
    StoreCheck("a closed store refuses") { factory in
      let store = try await factory.makeStore(try Sample.model())
      try store.close()
      try expectError(.other, "closed") { _ = try store.fetchNodes(FetchRequest("Person"), lookup: nil) }
    },
  ]
}
