import Testing

/// Each thing that is said about a declaration, with the mend it offers applied.
struct RemarkTests {
  private func model(_ member: String) -> String {
    "@Model final class Trip {\n  \(member)\n  init() {}\n}"
  }

  private let transient = "mark it '@Transient', and it is not stored"

  @Test func structsAndActorsBecomeClasses() throws {
    try expectRemark(
      "a model is a class: write 'final class', or drop '@Model' and store the type as a Codable property",
      mends: ["replace 'struct' with 'final class'"],
      to: "@Model struct Trip { var name = \"\" }", fixed: "@Model final class Trip { var name = \"\" }")
    try expectRemark(
      "a model is a class: write 'final class'", mends: ["replace 'actor' with 'final class'"],
      to: "@Model actor Trip {}", fixed: "@Model final class Trip {}")
  }

  @Test func enumsAreStoredInModels() throws {
    try expectRemark(
      "a model is a class: store an enum as a Codable property of one", to: "@Model enum Kind { case a }")
  }

  @Test func genericClassesAreRefused() throws {
    try expectRemark(
      "a model cannot be generic: each model is one entity of the store; use a plain type",
      to: "@Model final class Box<T> { init() {} }")
  }

  @Test func constantsBecomeVariables() throws {
    let message = "a stored property of a model is set when its row is read: declare 'id' as 'var'"
    try expectRemark(
      message, mends: ["replace 'let' with 'var'"], to: model("let id: UUID"), fixed: model("var id: UUID"))
    let mends = ["replace 'let' with 'var'", transient]
    try expectRemark(
      message, mends: mends, to: model("let id = UUID()"), fixed: model("var id = UUID()"))
    try expectRemark(
      message, mends: mends, applying: transient, to: model("let id = UUID()"),
      fixed: model("@Transient let id = UUID()"))
  }

  @Test func lazyPropertiesAreTransient() throws {
    let message = "'size' is stored, so it cannot be lazy; give it a value in the initializer"
    let mends = [transient, "remove 'lazy'"]
    try expectRemark(
      message, mends: mends, to: model("lazy var size = 1"), fixed: model("@Transient lazy var size = 1"))
    try expectRemark(
      message, mends: mends, applying: "remove 'lazy'", to: model("lazy var size = 1"),
      fixed: model("var size = 1"))
  }

  @Test(arguments: ["weak", "unowned"]) func referencesNeedNoStrength(_ word: String) throws {
    try expectRemark(
      "a relationship holds no model in memory by itself, so 'owner' need not be '\(word)'",
      mends: ["remove '\(word)'", transient], to: model("private \(word) var owner: Trip?"),
      fixed: model("private var owner: Trip?"))
  }

  @Test func publishedGoesAway() throws {
    try expectRemark(
      "a model is observed as it is: 'name' needs no '@Published'", mends: ["remove '@Published'"],
      to: model("@Published var name = \"\""), fixed: model("var name = \"\""))
  }

  @Test func severalBindingsAreSplit() throws {
    let message = "declare each stored property of a model in a 'var' of its own"
    try expectRemark(
      message, mends: ["split the declaration"], to: model("private var a, b: Int, c = 3"),
      fixed: model("private var a: Int\n  private var b: Int\n  private var c = 3"))
    try expectRemark(message, to: model("var (a, b) = (1, 2)"))
  }

  @Test func transientsNeedValues() throws {
    try expectRemark(
      "'size' is not stored, so it needs a default value for models that are read",
      mends: ["give it a default value"], to: model("@Transient var size: Int"),
      fixed: model("@Transient var size: Int = <#value#>"))
  }

  @Test func tuplesAreRefused() throws {
    try expectRemark(
      "a tuple cannot be stored: make the type of 'range' a struct that is Codable",
      to: model("var range: (Int, Int)"))
  }

  @Test func functionsAndOpenTypesAreRefused() throws {
    try expectRemark(
      "a function cannot be stored: 'done' needs a type that is Codable or a model, or '@Transient'",
      mends: [transient], to: model("var done: (() -> Void)?"),
      fixed: model("@Transient var done: (() -> Void)?"))
    try expectRemark(
      "a value of any type cannot be stored: 'kind' needs a type that is Codable or a model, or '@Transient'",
      to: model("var kind: any Hashable"))
  }

  @Test(arguments: ["schemaMetadata", "_$storage"]) func namesAreKept(_ name: String) throws {
    try expectRemark("'\(name)' is a name that models need; choose another one", to: model("var \(name) = 1"))
  }

  @Test func modelsNeedInitializers() throws {
    try expectRemark(
      "'Trip' needs an initializer that gives values to 'name', 'class'", mends: ["add an initializer"],
      to: "@Model public final class Trip {\n  var name: String\n  var `class`: Int\n  var size = 1\n}",
      fixed: """
        @Model public final class Trip {
          var name: String
          var `class`: Int
          var size = 1

          public init(name: String, `class`: Int) {
            self.name = name
            self.`class` = `class`
          }
        }
        """)
  }

  @Test func modelActorsAreActors() throws {
    try expectRemark(
      "'@ModelActor' stands before an actor: write 'actor'", mends: ["replace 'class' with 'actor'"],
      to: "@ModelActor class Importer {}", fixed: "@ModelActor actor Importer {}")
    try expectRemark(
      "'@ModelActor' stands before an actor: write 'actor'", to: "@ModelActor enum Importer {}")
  }
}
