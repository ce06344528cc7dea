import ObjectModel
import StoreContract
import Testing

@testable import SQLCipherStore

@Suite("The statements of saves that a store remembers")
struct SaveStatementsTests {
  @Test("however many sets of properties change, no more than a bound")
  func bound() throws {
    var wide = Entity("Wide")
    for index in 0..<20 { wide.attributes.append(Attribute("a\(index)", .integer64)) }
    let model = try ManagedObjectModel(ModelDeclaration(entities: [wide]))
    let entity = try #require(model.entity(named: "Wide"))
    let statements = SaveStatements(StoreSchema(model: model, entityNumbers: [1]))
    for mask in 1...3 * SaveStatements.most {
      var fields = PropertyIndexSet()
      for index in 0..<20 where mask & (1 << index) != 0 { fields.insert(index) }
      let text = statements.update(fields, of: entity)
      #expect(statements.update(fields, of: entity) === text)
    }
    #expect(statements.count <= SaveStatements.most)
  }
}
