// Stands for: nested Codable structures, enums with raw values, with associated values, optional
// and in arrays, sets, URLs, inferred property types, steps kept in order by an index, a to-many
// without an inverse, a to-one child, protocols that models conform to, `#if canImport(SwiftData)`,
// an in-memory container of several types.

import Foundation

#if canImport(SwiftData)
  import SwiftData
#endif

enum Difficulty: Int, Codable, CaseIterable, Comparable {
  case easy = 1
  case medium
  case hard

  static func < (lhs: Difficulty, rhs: Difficulty) -> Bool { lhs.rawValue < rhs.rawValue }
}

enum Cuisine: String, Codable, CaseIterable, Identifiable {
  case dutch, japanese, mexican, persian

  var id: String { rawValue }
  var title: String { rawValue.capitalized }
}

enum Yield: Codable, Equatable {
  case servings(Int)
  case pieces(count: Int, each: String)
  case untold
}

struct Nutrition: Codable, Hashable {
  struct Macros: Codable, Hashable {
    var protein: Double
    var fat: Double
    var carbohydrates: Double
  }

  var calories: Int
  var macros: Macros
  var vitamins: [String: Double] = [:]
}

struct CookingTime: Codable, Hashable, Sendable {
  var preparation: TimeInterval
  var cooking: TimeInterval?

  var total: TimeInterval { preparation + (cooking ?? 0) }
}

/// What a list can show of any model.
protocol Listable {
  var title: String { get }
  var subtitle: String { get }
}

/// A model that notes when it was made and changed.
protocol Timestamped: AnyObject {
  var createdAt: Date { get set }
  var updatedAt: Date? { get set }
}

extension Timestamped {
  func touch(at date: Date = .now) { updatedAt = date }
}

@Model
final class Recipe: Identifiable, Timestamped {
  var id = UUID()
  @Attribute var title: String
  var createdAt: Date = Date.now
  var updatedAt: Date?
  var isFavorite = false
  var rating: Int?
  var difficulty: Difficulty = Difficulty.easy
  var cuisine: Cuisine?
  var yield: Yield = Yield.untold
  var seasons: [Season] = []
  var allergens: Set<String> = []
  var nutrition: Nutrition?
  var time: CookingTime
  var source: URL?
  var keywords = [String]()
  @Attribute(.externalStorage) var photo: Data?

  @Relationship(deleteRule: .cascade)
  var ingredients: [Ingredient]

  @Relationship(deleteRule: .cascade, inverse: \RecipeStep.recipe)
  var steps = [RecipeStep]()

  @Relationship(deleteRule: .cascade, inverse: \CookNote.recipe)
  var note: CookNote?

  var cookbook: Cookbook?

  init(
    title: String,
    difficulty: Difficulty = .easy,
    time: CookingTime = CookingTime(preparation: 600, cooking: nil),
    ingredients: [Ingredient] = []
  ) {
    self.title = title
    self.difficulty = difficulty
    self.time = time
    self.ingredients = ingredients
  }

  enum Season: String, Codable, CaseIterable {
    case spring, summer, autumn, winter
  }
}

@Model
final class Ingredient {
  enum Unit: String, Codable {
    case gram = "g"
    case millilitre = "ml"
    case piece
  }

  var name: String
  var quantity: Double
  var unit: Unit

  init(_ name: String, _ quantity: Double, _ unit: Unit = .gram) {
    self.name = name
    self.quantity = quantity
    self.unit = unit
  }
}

@Model
final class RecipeStep {
  var index: Int
  var text: String
  var timers: [TimeInterval] = []
  var recipe: Recipe?

  init(index: Int, text: String, timers: [TimeInterval] = []) {
    self.index = index
    self.text = text
    self.timers = timers
  }
}

@Model
final class CookNote {
  var text: String
  var recipe: Recipe?

  init(text: String) { self.text = text }
}

@Model
final class Cookbook {
  @Attribute(.unique) var name: String
  @Relationship(deleteRule: .nullify, inverse: \Recipe.cookbook) var recipes: [Recipe]?

  init(name: String, recipes: [Recipe] = []) {
    self.name = name
    self.recipes = recipes
  }
}

// MARK: - Behaviour

extension Recipe: Listable {
  var subtitle: String {
    [cuisine?.title, "\(Int(time.total / 60)) min"].compactMap { $0 }.joined(separator: ", ")
  }

  var sortedSteps: [RecipeStep] { steps.sorted { $0.index < $1.index } }

  func addStep(_ text: String, timers: TimeInterval...) {
    steps.append(RecipeStep(index: steps.count, text: text, timers: timers))
  }

  func moveStep(from source: Int, to target: Int) {
    var ordered = sortedSteps
    ordered.insert(ordered.remove(at: source), at: target)
    for (index, step) in ordered.enumerated() where step.index != index { step.index = index }
  }

  func removeStep(at index: Int) {
    let step = sortedSteps[index]
    steps.removeAll { $0 === step }
    step.modelContext?.delete(step)
    for (index, step) in sortedSteps.enumerated() { step.index = index }
  }
}

extension FetchDescriptor where T == Recipe {
  static var favorites: FetchDescriptor<Recipe> {
    FetchDescriptor(
      predicate: #Predicate { $0.isFavorite },
      sortBy: [SortDescriptor(\.rating, order: .reverse), SortDescriptor(\.title)])
  }
}

extension Recipe {
  static var pancakes: Recipe {
    let recipe = Recipe(
      title: "Pancakes",
      difficulty: .medium,
      time: CookingTime(preparation: 300, cooking: 1_200),
      ingredients: [
        Ingredient("Flour", 250), Ingredient("Milk", 500, .millilitre), Ingredient("Egg", 2, .piece),
      ])
    recipe.cuisine = .dutch
    recipe.yield = .pieces(count: 12, each: "pancake")
    recipe.seasons = [.winter, .spring]
    recipe.allergens = ["gluten", "egg", "milk"]
    recipe.nutrition = Nutrition(
      calories: 227,
      macros: Nutrition.Macros(protein: 6.4, fat: 9.7, carbohydrates: 28.3),
      vitamins: ["B12": 0.2])
    recipe.source = URL(string: "https://example.org/recipes/pancakes?lang=nl#top")
    recipe.keywords = ["quick", "sweet"]
    recipe.addStep("Whisk")
    recipe.addStep("Rest", timers: 900)
    recipe.addStep("Bake", timers: 60, 60)
    recipe.note = CookNote(text: "Double for guests")
    return recipe
  }

  @MainActor
  static func previewContainer() throws -> ModelContainer {
    let container = try ModelContainer(
      for: Recipe.self, Cookbook.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    container.mainContext.insert(Recipe.pancakes)
    container.mainContext.insert(Cookbook(name: "Breakfast"))
    return container
  }
}
