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
    case .point(let handle, _, let target): [handle] + (target.map { [$0] } ?? [])
    case .add(let handle, _, let targets), .assign(let handle, _, let targets): [handle] + targets
    case .remove(let handle, _, let target), .place(let handle, _, let target, _),
      .replace(let handle, _, _, let target):
      [handle, target]
    }
  }

  var description: String {
    switch self {
    case .insert(let handle, let kind): "insert \(kind) as \(handle)"
    case .set(let handle, let name, let value): "\(handle).\(name) = \(value)"
    case .point(let handle, let name, let target): "\(handle).\(name) -> \(target.map { "\($0)" } ?? "nil")"
    case .add(let handle, let name, let targets): "add \(targets) to \(handle).\(name)"
    case .remove(let handle, let name, let target): "remove \(target) from \(handle).\(name)"
    case .assign(let handle, let name, let targets): "\(handle).\(name) = \(targets)"
    case .place(let handle, let name, let target, let index):
      "insert \(target) into \(handle).\(name) at \(index)"
    case .move(let handle, let name, let offsets, let destination):
      "move \(offsets) to \(destination) in \(handle).\(name)"
    case .replace(let handle, let name, let index, let target):
      "replace \(handle).\(name)[\(index)] by \(target)"
    case .take(let handle, let name, let index): "remove \(handle).\(name)[\(index)]"
    case .delete(let handle): "delete \(handle)"
    }
  }
}
