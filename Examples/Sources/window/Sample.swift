import StrongroomData

/// Notes for trying, by the thousand.
enum Sample {
  private static let subjects = [
    "Boiler", "Bread", "Garden", "Dentist", "Library", "Bicycle", "Passport", "Kitchen", "Letter", "Piano",
    "Tax return", "Holiday", "Neighbours", "Recipe", "Roof",
  ]
  private static let remarks = [
    "Ask for an offer before the end of the month.", "The second shelf from the top.",
    "Two hundred grams are enough.", "Nobody answered; try again on Monday.",
    "The number is on the back of the invoice.", "Take the bus and not the tram.",
  ]

  /// Adds notes, some thousand in one transaction; each is an hour older than the one before.
  @MainActor static func fill(_ container: ModelContainer, count: Int) throws {
    let now = Date.now
    for start in stride(from: 0, to: count, by: 5000) {
      let context = ModelContext(container)
      for number in start..<min(start + 5000, count) {
        let subject = subjects[number % subjects.count]
        let remark = (0..<3).map { remarks[(number + $0) % remarks.count] }.joined(separator: " ")
        context.insert(
          Note(
            "\(subject) \(number + 1)", text: remark, changed: now.addingTimeInterval(-3600 * Double(number)))
        )
      }
      try context.save()
    }
  }
}
