/// The name among several that a mistyped name may have meant.
package enum NearestName {
  /// Whether one name may be a variant of another.
  static func isNear(_ one: String, _ other: String) -> Bool {
    distance(Array(one.lowercased()), Array(other.lowercased())) <= (one.count + 2) / 3
  }

  /// What a message ends with: `; did you mean title?`, or nothing when no name is near.
  package static func question(_ name: String, among names: some Sequence<String>) -> String {
    let typed = Array(name.lowercased())
    let limit = (typed.count + 2) / 3
    let nearest = names.map { (name: $0, distance: distance(typed, Array($0.lowercased()))) }
      .filter { $0.distance <= limit }.min { ($0.distance, $0.name) < ($1.distance, $1.name) }
    return nearest.map { "; did you mean \($0.name)?" } ?? ""
  }

  /// The number of characters to add, take out, change or swap with their neighbour.
  private static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var rows = [Array(0...other.count)]
    for (place, character) in one.enumerated() {
      var row = [place + 1]
      for (column, its) in other.enumerated() {
        let above = rows[place]
        var least = min(above[column + 1] + 1, row[column] + 1, above[column] + (character == its ? 0 : 1))
        if place > 0, column > 0, character == other[column - 1], one[place - 1] == its {
          least = min(least, rows[place - 1][column - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
