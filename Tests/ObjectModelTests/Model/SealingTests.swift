import Foundation
import ObjectModel
import Testing

@Suite("Sealed attributes of a model")
struct SealingTests {
  private func model(_ attribute: Attribute, _ change: (inout Entity) -> Void = { _ in }) throws
    -> ManagedObjectModel
  {
    var entity = Entity("A") { attribute }
    change(&entity)
    return try ManagedObjectModel(ModelDeclaration(entities: [entity]))
  }

  @Test("it is part of the version where it is set, and models without it have the version they had")
  func version() throws {
    let plain = try model(Attribute("a", .string))
    #expect(plain.versionChecksum == "cjM8DDnyXhTXQpQmp/E/D1ozBCaUQyNYwRnXCORgsnI=")
    var hashes: Set<Data> = [plain.versionHash]
    for sealing in AttributeSealing.allCases {
      let sealed = try model(Attribute("a", .string, sealing: sealing))
      #expect(hashes.insert(sealed.versionHash).inserted)
      #expect(sealed.entities[0].attributes[0].sealing == sealing)
      let again = try ManagedObjectModel(jsonData: sealed.jsonData())
      #expect(again == sealed && again.entities[0].attributes[0].sealing == sealing)
    }
    let noted = try model(Attribute("a", .string, userInfo: ["other": "full"]))
    #expect(noted.versionHash == plain.versionHash && noted.entities[0].attributes[0].sealing == nil)
  }

  @Test("a model says what contradicts it, by name")
  func contradictions() throws {
    func issue(_ attribute: Attribute, _ change: (inout Entity) -> Void = { _ in }) -> String {
      do {
        _ = try model(attribute, change)
        return "none"
      } catch let error as ModelError {
        return error.issues.map { "\($0.reason) \($0.entity ?? "").\($0.property ?? "")" }.joined(
          separator: ", ")
      } catch { return "\(error)" }
    }
    let found = "wrongSealing A.a"
    #expect(issue(Attribute("a", .string, userInfo: [Attribute.sealingKey: "Full"])) == found)
    #expect(issue(Attribute("a", .string, transient: true, sealing: .full)) == found)
    #expect(issue(Attribute("a", .string, indexed: true, sealing: .full)) == found)
    #expect(issue(Attribute("a", .string, indexed: true, sealing: .equality)) == "none")
    for type in [AttributeType.transformable] {
      #expect(issue(Attribute("a", type, sealing: .equality)) == found)
      #expect(issue(Attribute("a", type, sealing: .full)) == "none")
    }
    var derived = Attribute("a", .date, sealing: .full)
    derived.derivationExpression = "now()"
    #expect(issue(derived) == found)
    var copy = Attribute("b", .string)
    copy.derivationExpression = "uppercase:(a)"
    for sealing in AttributeSealing.allCases {
      #expect(issue(Attribute("a", .string, sealing: sealing)) { $0.attributes.append(copy) } == found)
      let isFull = sealing == .full
      #expect(
        issue(Attribute("a", .string, sealing: sealing)) {
          $0.uniquenessConstraints.append(UniquenessConstraint("b", "a"))
          $0.attributes.append(Attribute("b", .string))
        } == (isFull ? found : "none"))
      #expect(
        issue(Attribute("a", .string, sealing: sealing)) {
          $0.fetchIndexes.append(FetchIndex("i", [FetchIndexElement("a")]))
        } == (isFull ? found : "none"))
      #expect(
        issue(Attribute("a", .string, sealing: sealing)) {
          $0.fetchIndexes.append(FetchIndex("i", [FetchIndexElement("a", fullText: true)]))
        } == found)
    }
    #expect(throws: ModelError.self) {
      let composite = Composite("C", [Attribute("x", .string, sealing: .full)])
      return try ManagedObjectModel(
        ModelDeclaration(
          entities: [Entity("A") { Attribute("a", .composite, composite: "C") }], composites: [composite]))
    }
    // A subentity's constraint names what it inherits.
    #expect(throws: ModelError.self) {
      try ManagedObjectModel {
        Entity("A") { Attribute("a", .string, sealing: .full) }
        Entity("B", parent: "A") { UniquenessConstraint("a") }
      }
    }
  }

  @Test("a model file has it in the user info, and the comparison of two versions says that it changed")
  func files() throws {
    let plain = try model(Attribute("a", .string))
    let sealed = try model(Attribute("a", .string, sealing: .equality))
    let differences = ModelDifferences(from: plain, to: sealed)
    #expect("\(differences)".contains("sealing") && "\(differences)".contains("equality"))
  }
}
