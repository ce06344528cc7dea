// Over Models/Recipes.swift: values of every kind, parts in order, rollback, cascades.

import Foundation
import SwiftData
import Testing

@Suite(.serialized)
final class RecipesTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Recipe.self, Cookbook.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private func pancakes(in context: ModelContext) throws -> Recipe {
    let title = "Pancakes"
    let found = try context.fetch(FetchDescriptor<Recipe>(predicate: #Predicate { $0.title == title }))
    #expect(found.count == 1)
    return try #require(found.first)
  }

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      let recipe = Recipe.pancakes
      recipe.photo = Data(repeating: 7, count: 50_000)
      context.insert(recipe)
      try context.save()
    }
  }

  @Test func everyKindOfValueComesBack() throws {
    let before = Recipe.pancakes
    let identity = before.id
    let created = before.createdAt
    try store.session(types) { (context: ModelContext) throws in
      before.photo = Data(repeating: 7, count: 50_000)
      context.insert(before)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      #expect(recipe.id == identity)
      #expect(recipe.createdAt == created)
      #expect(recipe.updatedAt == nil)
      #expect(!recipe.isFavorite)
      #expect(recipe.rating == nil)
      #expect(recipe.difficulty == .medium)
      #expect(recipe.cuisine == .dutch)
      #expect(recipe.yield == .pieces(count: 12, each: "pancake"))
      #expect(recipe.seasons == [.winter, .spring])
      #expect(recipe.allergens == ["gluten", "egg", "milk"])
      #expect(recipe.nutrition?.macros == Nutrition.Macros(protein: 6.4, fat: 9.7, carbohydrates: 28.3))
      #expect(recipe.nutrition?.vitamins == ["B12": 0.2])
      #expect(recipe.time.total == 1_500)
      #expect(recipe.source?.absoluteString == "https://example.org/recipes/pancakes?lang=nl#top")
      #expect(recipe.keywords == ["quick", "sweet"])
      #expect(recipe.photo == Data(repeating: 7, count: 50_000))
      #expect(recipe.subtitle == "Dutch, 25 min")
    }
  }

  @Test func partsAndOrderComeBack() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      #expect(recipe.sortedSteps.map(\.text) == ["Whisk", "Rest", "Bake"])
      #expect(recipe.sortedSteps.map(\.timers) == [[], [900], [60, 60]])
      #expect(recipe.steps.allSatisfy { $0.recipe === recipe })
      #expect(recipe.note?.recipe === recipe)
      let amounts = Dictionary(uniqueKeysWithValues: recipe.ingredients.map { ($0.name, $0.quantity) })
      #expect(amounts == ["Flour": 250, "Milk": 500, "Egg": 2])
      #expect(Set(recipe.ingredients.map(\.unit)) == [.gram, .millilitre, .piece])

      recipe.moveStep(from: 2, to: 0)
      recipe.addStep("Serve")
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      #expect(recipe.sortedSteps.map(\.text) == ["Bake", "Whisk", "Rest", "Serve"])
      recipe.removeStep(at: 1)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let steps = try context.fetch(FetchDescriptor<RecipeStep>(sortBy: [SortDescriptor(\.index)]))
      #expect(steps.map(\.text) == ["Bake", "Rest", "Serve"])
      #expect(steps.map(\.index) == [0, 1, 2])
    }
  }

  @Test func nestedValuesChangeInPlace() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      #expect(!context.hasChanges)
      recipe.nutrition?.macros.fat = 3
      recipe.nutrition?.vitamins["C"] = 1.5
      recipe.allergens.remove("egg")
      recipe.keywords.append("vegan")
      recipe.time.cooking = nil
      recipe.yield = .servings(4)
      recipe.cuisine = nil
      recipe.rating = 5
      recipe.touch(at: Date(timeIntervalSinceReferenceDate: 1_000))
      #expect(recipe.hasChanges)
      try context.save()
      #expect(!recipe.hasChanges)
    }
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      #expect(recipe.nutrition?.macros.fat == 3)
      #expect(recipe.nutrition?.macros.protein == 6.4)
      #expect(recipe.nutrition?.vitamins == ["B12": 0.2, "C": 1.5])
      #expect(recipe.allergens == ["gluten", "milk"])
      #expect(recipe.keywords == ["quick", "sweet", "vegan"])
      #expect(recipe.time == CookingTime(preparation: 300, cooking: nil))
      #expect(recipe.yield == .servings(4))
      #expect(recipe.cuisine == nil)
      #expect(recipe.rating == 5)
      #expect(recipe.updatedAt == Date(timeIntervalSinceReferenceDate: 1_000))
    }
  }

  @Test func rollbackForgetsWhatWasNotSaved() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      recipe.title = "Waffles"
      recipe.nutrition?.calories = 0
      context.insert(Recipe(title: "Soup"))
      #expect(context.hasChanges)
      #expect(context.insertedModelsArray.count == 1)
      #expect(context.changedModelsArray.contains { $0 === recipe })
      context.rollback()
      #expect(!context.hasChanges)
      #expect(recipe.title == "Pancakes")
      #expect(recipe.nutrition?.calories == 227)
      #expect(try context.count(of: Recipe.self) == 1)
    }
  }

  @Test func favoritesAreSortedByTwoKeys() throws {
    try store.session(types) { (context: ModelContext) throws in
      for (title, rating) in [("Soup", 3), ("Bread", 5), ("Dal", 5), ("Rice", 1)] {
        let recipe = Recipe(title: title)
        recipe.rating = rating
        recipe.isFavorite = title != "Rice"
        context.insert(recipe)
      }
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.fetch(FetchDescriptor<Recipe>.favorites).map(\.title) == ["Bread", "Dal", "Soup"])
      let floor = 3
      let rated = FetchDescriptor<Recipe>(
        predicate: #Predicate { recipe in
          if let rating = recipe.rating { return rating > floor } else { return false }
        },
        sortBy: [SortDescriptor(\.title, order: .reverse)])
      #expect(try context.fetch(rated).map(\.title) == ["Dal", "Bread"])
    }
  }

  @Test func aRecipeTakesItsPartsAndLeavesItsCookbook() throws {
    try store.session(types) { (context: ModelContext) throws in
      let book = Cookbook(name: "Breakfast", recipes: [.pancakes, Recipe(title: "Porridge")])
      context.insert(book)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let recipe = try pancakes(in: context)
      #expect(recipe.cookbook?.name == "Breakfast")
      #expect(try context.count(of: Ingredient.self) == 3)
      context.delete(recipe)
      #expect(recipe.isDeleted)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      let book = try #require(try context.fetch(FetchDescriptor<Cookbook>()).first)
      #expect(book.recipes?.map(\.title) == ["Porridge"])
      #expect(try context.count(of: Ingredient.self) == 0)
      #expect(try context.count(of: RecipeStep.self) == 0)
      #expect(try context.count(of: CookNote.self) == 0)
      context.delete(book)
      try context.save()
      let porridge = try #require(try context.fetch(FetchDescriptor<Recipe>()).first)
      #expect(porridge.cookbook == nil)
    }
  }

  @MainActor
  @Test func thePreviewIsInMemory() throws {
    let container = try Recipe.previewContainer()
    let entries: [any Listable] = try container.mainContext.fetch(FetchDescriptor<Recipe>())
    #expect(entries.map(\.title) == ["Pancakes"])
    #expect(container.configurations.allSatisfy { $0.isStoredInMemoryOnly })
  }
}
