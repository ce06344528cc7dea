import Strongroom

/// A change of something else than what is there now: another program has saved it, or another page has
/// changed it, since the page that sends the change has read it.
struct ChangedMeanwhile: Error {
  /// What the property has now; nil where it is no attribute.
  var now: ShownValue?

  /// Refuses to change an attribute that is not as the page has read it.
  static func check(_ call: InspectRequest, _ object: ManagedObject, _ attribute: AttributeDescription) throws
  {
    let now = ShownValue(try object.value(forKey: attribute.name), of: attribute.type, upTo: .max)
    if try !isRead(now.kind == .null ? nil : now.text, call) { throw ChangedMeanwhile(now: now) }
  }

  /// Refuses to change a to-one that does not lead to where it led when the page has read it.
  static func check(_ call: InspectRequest, _ object: ManagedObject, _ toOne: RelationshipDescription) throws
  {
    let now = try object.object(toOne.name).map { "\($0.objectID.reference)" }
    if try !isRead(now, call) { throw ChangedMeanwhile() }
  }

  /// Refuses to delete an object that has another version than the one that the page has read.
  static func check(_ call: InspectRequest, _ object: ManagedObject) throws {
    if try call.text("version") != "\(object.version)" { throw ChangedMeanwhile() }
  }

  /// Compares what the page says that it has read with what is there, character by character.
  private static func isRead(_ now: String?, _ call: InspectRequest) throws -> Bool {
    let read = call["readNull"] == nil ? try call.text("read") : nil
    guard let now, let read else { return now == nil && read == nil }
    return read.utf8.elementsEqual(now.utf8)
  }
}
