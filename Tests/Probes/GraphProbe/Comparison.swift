import Strongroom

/// Looks whether a context is as the reference is.
///
/// The reference agrees with itself on both ends of every link, so what equals it does too.
struct Comparison {
  let view: View
  let graph: Graph
  /// Whether the context has nothing but what is stored, so that the store's own values are of now.
  var isStored = false

  /// Every object, and what fetches find.
  func all() throws {
    for handle in graph.live { try object(handle) }
    for index in GraphModel.kinds.indices { try fetch(index) }
  }

  /// One object: what it is, every value, every link in its order.
  func object(_ handle: Int) throws {
    guard let thing = graph.things[handle] else { return }
    let kind = GraphModel.kinds[thing.kind]
    var property = "itself"
    do {
      let object = try view.object(handle)
      if object.entity.name != kind.name || object.isDeleted {
        throw different(handle, kind, property, kind.name, "\(object)")
      }
      for (index, field) in kind.fields.enumerated() {
        property = field.name
        let (expected, found) = (thing.values[index].stored, try object.value(forKey: field.name))
        if expected != found { throw different(handle, kind, property, "\(expected)", "\(found)") }
      }
      if isStored, let name = GraphModel.counted[kind.name] {
        property = GraphModel.count
        let (expected, found) = (
          graph.destinations(handle, name).count, try object.get(property, as: Int.self)
        )
        if expected != found { throw different(handle, kind, property, "\(expected)", "\(found ?? -1)") }
      }
      for (index, link) in kind.links.enumerated() {
        property = link.name
        let found = try destinations(of: object, link)
        if found != thing.links[index] {
          throw different(handle, kind, property, "\(thing.links[index])", "\(found)")
        }
      }
    } catch let error as Difference {
      throw error
    } catch {
      throw Difference("\(view.name): \(kind.name) \(handle).\(property): reading threw \(error)")
    }
  }

  /// The handles that a link leads to; none of them may be gone, or deleted unless a denial holds
  /// it.
  private func destinations(of object: ManagedObject, _ link: Link) throws -> [Int] {
    let destinations: [ManagedObject] =
      link.isToMany
      ? Array(try object.objects(link.name)) : try object.object(link.name).map { [$0] } ?? []
    var found: [Int] = []
    for destination in destinations {
      let handle = try view.handle(of: destination)
      if destination.managedObjectContext !== view.context || destination.isDeleted && graph.isLive(handle) {
        throw Difference(
          "\(view.name): \(object).\(link.name) leads to \(handle), which is gone: \(destination)")
      }
      found.append(handle)
    }
    return link.isOrdered ? found : found.sorted()
  }

  /// A kind's objects as a fetch and a count find them, unsaved changes included.
  func fetch(_ kind: Int) throws {
    let request = FetchRequest(GraphModel.kinds[kind].name)
    let expected = graph.handles(of: kind)
    let found = try view.context.fetch(request).map { try view.handle(of: $0) }.sorted()
    if found != expected {
      throw Difference("\(view.name): a fetch of \(request.entityName): expected \(expected), found \(found)")
    }
    let count = try view.context.count(for: request)
    if count != expected.count {
      throw Difference(
        "\(view.name): a count of \(request.entityName): expected \(expected.count), found \(count)")
    }
  }

  /// What an object says of its own changes, beside what is stored of it.
  ///
  /// - `isLinked`: Whether links of it were changed, though they may be as before now.
  func changes(of handle: Int, stored: Graph, isLinked: Bool) throws {
    guard let now = graph.things[handle], let then = stored.things[handle], !now.isGhost else { return }
    let kind = GraphModel.kinds[now.kind]
    let object = try view.object(handle)
    var expected: Set<String> = []
    var columns: Set<String> = []
    let before = try object.committedValues()
    for (index, field) in kind.fields.enumerated() {
      columns.insert(field.name)
      if now.values[index] != then.values[index] { expected.insert(field.name) }
      let (old, found) = (then.values[index].stored, before[field.name] ?? .null)
      if old != found { throw different(handle, kind, "committed \(field.name)", "\(old)", "\(found)") }
    }
    for (index, link) in kind.links.enumerated() where !link.isToMany {
      columns.insert(link.name)
      if now.links[index] != then.links[index] { expected.insert(link.name) }
    }
    let found = Set(try object.changedValues().keys).intersection(columns)
    if found != expected {
      throw different(handle, kind, "changedValues", "\(expected.sorted())", "\(found.sorted())")
    }
    let isChanged = object.hasPersistentChangedValues
    if expected.isEmpty ? isChanged && !isLinked : !isChanged || !object.isUpdated {
      throw different(
        handle, kind, "hasPersistentChangedValues", "\(!expected.isEmpty)", "\(isChanged) of \(object)")
    }
  }

  private func different(
    _ handle: Int, _ kind: Kind, _ property: String, _ expected: String, _ found: String
  ) -> Difference {
    Difference("\(view.name): \(kind.name) \(handle), \(property): expected \(expected), found \(found)")
  }
}
