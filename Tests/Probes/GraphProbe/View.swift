import Strongroom

/// A way in which a context is not as the reference is.
struct Difference: Error, CustomStringConvertible {
  let description: String
  /// Whether it is the history that says something else.
  let isOfHistory: Bool

  init(_ description: String) { (self.description, isOfHistory) = (description, false) }

  /// A way in which a history is not as its store is.
  init(history description: String) { (self.description, isOfHistory) = ("history: \(description)", true) }
}

/// The IDs that objects had when they were last seen, by handle.
final class Identities {
  var ids: [Int: ManagedObjectID] = [:]
}

/// One context, and the objects of it that are held, by handle.
final class View {
  let name: String
  let context: ManagedObjectContext
  /// Where objects that are not held are looked up by ID; nil where all are held.
  private let identities: Identities?
  private(set) var objects: [Int: ManagedObject] = [:]
  private var handles: [ObjectIdentifier: Int] = [:]

  init(_ name: String, _ context: ManagedObjectContext, _ identities: Identities? = nil) {
    self.name = name
    self.context = context
    self.identities = identities
  }

  // MARK: Which is which

  /// The handle of an object, by the object itself if it is not held; it is not held after either.
  ///
  /// Nil for an object whose insertion was undone, value by value.
  func peek(_ object: ManagedObject) throws -> Int? {
    if let known = handles[ObjectIdentifier(object)] { return known }
    return try object.get(GraphModel.handle, as: Int.self)
  }

  func handle(of object: ManagedObject) throws -> Int {
    guard let handle = try peek(object) else { throw Difference("\(name): \(object) has no handle") }
    try hold(object, handle)
    return handle
  }

  func hold(_ object: ManagedObject, _ handle: Int) throws {
    if let other = objects[handle] {
      if other === object { return }
      throw Difference(
        "\(name): there are two objects of \(handle), \(other.objectID) and \(object.objectID)")
    }
    objects[handle] = object
    handles[ObjectIdentifier(object)] = handle
  }

  /// Lets go of an object.
  func forget(_ handle: Int) {
    guard let object = objects.removeValue(forKey: handle) else { return }
    handles[ObjectIdentifier(object)] = nil
    identities?.ids[handle] = object.objectID
  }

  func forgetAll() {
    for handle in Array(objects.keys) { forget(handle) }
  }

  /// Holds every object there is, as fetches find them.
  func holdAll() throws {
    for root in GraphModel.roots {
      for object in try context.fetch(FetchRequest(root)) { _ = try handle(of: object) }
    }
  }

  /// The object of a handle: held, known by its ID, or new.
  func object(_ handle: Int) throws -> ManagedObject {
    if let known = objects[handle] {
      guard known.managedObjectContext === context else {
        throw Difference("\(name): the object of \(handle) has lost its context")
      }
      return known
    }
    let id = identities?.ids[handle]
    if let id, let known = context.registeredObject(for: id), known.managedObjectContext === context {
      try hold(known, handle)
      return known
    }
    for new in context.insertedObjects where try peek(new) == handle {
      try hold(new, handle)
      return new
    }
    guard let id, !id.isTemporaryID else { throw Difference("\(name): the object of \(handle) is not found") }
    let object = try context.object(with: id)
    try hold(object, handle)
    return object
  }

  // MARK: Changes

  func perform(_ operation: Operation) throws {
    switch operation {
    case .insert(let handle, let kind):
      let object = try context.insert(kind)
      try object.set(GraphModel.handle, handle)
      try hold(object, handle)
    case .set(let handle, let name, let value): try object(handle).setValue(value.stored, forKey: name)
    case .point(let handle, let name, let destination):
      try object(handle).setObject(try destination.map { try object($0) }, forKey: name)
    case .add(let handle, let name, let destinations):
      try object(handle).add(contentsOf: try destinations.map { try object($0) }, to: name)
    case .remove(let handle, let name, let destination):
      try object(handle).remove(try object(destination), from: name)
    case .assign(let handle, let name, let destinations):
      try object(handle).setObjects(try destinations.map { try object($0) }, forKey: name)
    case .place(let handle, let name, let destination, let index):
      try object(handle).insert(try object(destination), into: name, at: index)
    case .move(let handle, let name, let offsets, let destination):
      try object(handle).move(fromOffsets: IndexSet(offsets), toOffset: destination, in: name)
    case .replace(let handle, let name, let index, let destination):
      try object(handle).replace(at: index, in: name, with: try object(destination))
    case .take(let handle, let name, let index): try object(handle).remove(at: index, from: name)
    case .delete(let handle): try context.delete(try object(handle))
    }
  }
}
