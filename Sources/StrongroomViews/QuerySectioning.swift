public import StrongroomData

/// The property by which a query's results are divided.
public struct QuerySectioning<Element: PersistentModel> {
  enum Path {
    case text(KeyPath<Element, String>)
    case optionalText(KeyPath<Element, String?>)
  }

  let path: Path

  var anyPath: PartialKeyPath<Element> {
    switch path {
    case .text(let path): path
    case .optionalText(let path): path
    }
  }
}
