import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let singleValues: [ContextCheck] = [
    ContextCheck("one value is judged by the rules of its property before it is set (validateValue:forKey:)")
    {
      factory in
      let context = try await ContextScenario(factory).newContext()
      let person = try Fixtures.person(context, "Ada")
      let task = try Fixtures.make("Task", ["title": "t"], in: context)
      func rules(_ object: ManagedObject, _ value: AttributeValue, _ name: String) throws -> [ValidationRule]
      {
        do {
          try object.validate(value, forKey: name)
          return []
        } catch let error as ContextError where error.code == .validation {
          try expect(error.failures.allSatisfy { $0.value == value && $0.property == name }, "\(name)")
          try expect(error.failures.allSatisfy { $0.objectID == object.objectID }, "whose it is")
          return error.failures.map(\.rule)
        }
      }
      for isSaved in [false, true] {
        try expect(rules(person, 0, "age").isEmpty && rules(person, 150, "age").isEmpty, "within")
        try expect(rules(person, -1, "age") == [.least(0)], "too little")
        try expect(rules(person, 151, "age") == [.greatest(150)], "too much")
        try expect(rules(person, "forbidden", "motto") == [.own], "the class's own")
        try expect(rules(task, .null, "title") == [.required], "required")
        try expect(rules(task, .null, "owner") == [.required], "a required to-one")
        try expect(rules(task, .reference(person.objectID.reference), "owner").isEmpty, "an object")
        try expectContextError(.wrongType, "a text") { try person.validate("x", forKey: "age") }
        try expectContextError(.wrongType, "too wide") {
          try person.validate(.integer(1 << 40), forKey: "age")
        }
        try expectContextError(.unknownKey, "a name") { try person.validate("x", forKey: "nothing") }
        try expectContextError(.wrongType, "several") { try person.validate(.null, forKey: "friends") }
        try expectContextError(.validation, "a Swift value") { try person.validate("age", 151) }
        try expectContextError(.validation, "no Swift value") { try task.validate("title", String?.none) }
        try person.validate("age", 7)
        try expect(person.get("age", as: Int.self) == 18, "nothing is set")
        try task.setObject(person, forKey: "owner")
        if !isSaved { try context.save() }
      }
      try expect(!context.hasChanges, "nor changed")
    },
    ContextCheck(
      "a refused save tells each value it refused, and no text of it does (NSValidationValueErrorKey)"
    ) {
      factory in
      let context = try await ContextScenario(factory).newContext()
      let person = try Fixtures.make("Person", ["age": -4711, "motto": "forbidden"], in: context)
      try Fixtures.make("Task", in: context).setObject(person, forKey: "owner")
      let error = try expectContextError(.validation, "three rules") { try context.save() }
      let told = Dictionary(error.failures.map { ($0.property ?? "", $0) }) { first, _ in first }
      try expect(told.count == 3, "three")
      try expect(told["age"]?.value == -4711 && told["motto"]?.value == "forbidden", "the values")
      try expect(told["title"]?.value == .null && told["title"]?.message == "is required", "a missing one")
      try expect(told["age"]?.message == ValidationRule.least(0).description, "the rule in words")
      let texts = ["\(error)", "\(error.failures)", error.message] + error.failures.map(\.message)
      try expect(!texts.contains { $0.contains("4711") || $0.contains("forbidden") }, "no text has them")
    },
  ]
}
