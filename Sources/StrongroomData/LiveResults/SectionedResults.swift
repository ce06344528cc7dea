/// Results by the value of a property, in the order in which the values first appear.
public struct SectionedResults<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection {
  private var sections: [ResultsSection<Element, SectionTitle>] = []
  private var places: [SectionTitle: Int] = [:]

  init(_ results: FetchResultsCollection<Element>, title: (Element) -> SectionTitle) {
    var models: [[Element]] = []
    for model in results {
      let title = title(model)
      if let place = places[title] {
        models[place].append(model)
      } else {
        places[title] = models.count
        models.append([model])
        sections.append(ResultsSection(title: title, models: []))
      }
    }
    for (place, own) in models.enumerated() { sections[place].models = own }
  }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sections.count }
  /// The section at an index.
  public subscript(position: Int) -> ResultsSection<Element, SectionTitle> { sections[position] }
  /// The section of a title; nil where no result has it.
  ///
  /// O(1).
  public subscript(sectionTitle title: SectionTitle) -> ResultsSection<Element, SectionTitle>? {
    places[title].map { sections[$0] }
  }
  /// The titles of the sections, in their order.
  public var sectionTitles: [SectionTitle] { sections.map(\.title) }
}

/// The results that have the same value of the property that they are sectioned by.
public struct ResultsSection<Element: PersistentModel, SectionTitle: Hashable>: RandomAccessCollection,
  Identifiable
{
  /// The value; empty for models that have none.
  public let title: SectionTitle
  fileprivate(set) var models: [Element]

  /// The title.
  public var id: SectionTitle { title }
  /// 0.
  public var startIndex: Int { 0 }
  /// The number of models.
  public var endIndex: Int { models.count }
  /// The model at an index.
  public subscript(position: Int) -> Element { models[position] }
}
