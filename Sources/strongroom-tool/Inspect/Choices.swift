import Foundation
import Strongroom

/// What a person has chosen for the objects that another program has saved, until the save is made.
///
/// A choice can lead to a conflict of another object, which is asked for next.
struct Choices {
  /// What was chosen for one object: the names of the properties that are to be as they are stored, or an
  /// empty name where the object as a whole is.
  private struct Choice: Decodable {
    let entity: String
    let number: Int64
    let version: Int64
    /// What was asked; nil for a choice that answers whatever is asked of the object.
    let kind: Inspection.ShownConflict.Kind?
    let theirs: Set<String>
  }

  private struct Key: Hashable {
    let entity: String
    let number: Int64
    let kind: Inspection.ShownConflict.Kind?
  }

  private var made: [Key: Choice] = [:]

  /// Adds choices to the ones before; for the same conflict, the last one counts.
  mutating func add(_ json: String) throws {
    guard let choices = try? JSONDecoder().decode([Choice].self, from: Data(json.utf8)) else {
      throw ToolFailure("the choices are no list of JSON")
    }
    for choice in choices {
      made[Key(entity: choice.entity, number: choice.number, kind: choice.kind)] = choice
    }
  }

  /// Saves as was chosen; refuses what was not asked yet, and what has been saved after the choice.
  var policy: MergePolicy {
    let made = made
    return .custom("chosen") { conflict in
      let (entity, number) = (conflict.objectID.entity.name, conflict.objectID.reference)
      let choice =
        made[Key(entity: entity, number: number, kind: Inspection.kind(conflict))]
        ?? made[Key(entity: entity, number: number, kind: nil)]
      guard let choice, choice.version == conflict.persistedVersion, !conflict.isConstraint else {
        return .refuse
      }
      return Inspection.resolution(conflict, theirs: choice.theirs)
    }
  }
}
