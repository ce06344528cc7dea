/// One change, which the reference and a context both make.
enum Operation: CustomStringConvertible {
  case insert(Int, String)
  case set(Int, String, Value)
  case point(Int, String, Int?)
  case add(Int, String, [Int])
  case remove(Int, String, Int)
  case assign(Int, String, [Int])
  case place(Int, String, Int, at: Int)
  case move(Int, String, from: [Int], to: Int)
  case replace(Int, String, at: Int, with: Int)
  case take(Int, String, at: Int)
  case delete(Int)

  /// The object that is changed, and those named with it.
  var handles: [Int] {
    switch self {
    case .insert(let handle, _), .set(let handle, _, _), .move(let handle, _, _, _), .take(let handle, _, _),
      .delete(let handle):
      [handle]
    case .point(let handle, _, let destination): [handle] + (destination.map { [$0] } ?? [])
    case .add(let handle, _, let destinations), .assign(let handle, _, let destinations):
      [handle] + destinations
    case .remove(let handle, _, let destination), .place(let handle, _, let destination, _),
      .replace(let handle, _, _, let destination):
      [handle, destination]
    }
  }

  var description: String {
    switch self {
    case .insert(let handle, let kind): "insert \(kind) as \(handle)"
    case .set(let handle, let name, let value): "\(handle).\(name) = \(value)"
    case .point(let handle, let name, let destination):
      "\(handle).\(name) -> \(destination.map { "\($0)" } ?? "nil")"
    case .add(let handle, let name, let destinations): "add \(destinations) to \(handle).\(name)"
    case .remove(let handle, let name, let destination): "remove \(destination) from \(handle).\(name)"
    case .assign(let handle, let name, let destinations): "\(handle).\(name) = \(destinations)"
    case .place(let handle, let name, let destination, let index):
      "insert \(destination) into \(handle).\(name) at \(index)"
    case .move(let handle, let name, let offsets, let destination):
      "move \(offsets) to \(destination) in \(handle).\(name)"
    case .replace(let handle, let name, let index, let destination):
      "replace \(handle).\(name)[\(index)] by \(destination)"
    case .take(let handle, let name, let index): "remove \(handle).\(name)[\(index)]"
    case .delete(let handle): "delete \(handle)"
    }
  }
}
