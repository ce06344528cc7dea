/// The results of a fetch: models, which are made as they are looked at, or their identifiers.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  private enum Contents {
    case objects([ModelObject], show: (ModelObject) -> Element)
    case values([Element])
  }

  private let contents: Contents

  init(_ objects: [ModelObject]) where Element: PersistentModel {
    contents = .objects(objects) { $0.shown(as: Element.self) }
  }

  package init(_ values: [Element]) { contents = .values(values) }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of results.
  public var endIndex: Int {
    switch contents {
    case .objects(let objects, _): objects.count
    case .values(let values): values.count
    }
  }
  /// The result at an index.
  ///
  /// No statement, unless the model is a fault that is then read.
  public subscript(position: Int) -> Element {
    switch contents {
    case .objects(let objects, let show): show(objects[position])
    case .values(let values): values[position]
    }
  }
}
