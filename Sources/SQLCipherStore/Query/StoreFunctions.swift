import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// What triggers and queries call where SQL has nothing of its own that means the same: the code
/// that memory runs.
enum StoreFunctions {
  static let scalars: [ScalarFunction] =
    Derivation.Folding.allCases.map { folding in
      ScalarFunction(folding.function, arguments: 1) { arguments in
        arguments.kind(0) == .null ? .null : .text(folding.apply(arguments.text(0)))
      }
    } + [fold, words, search, rank, compare, call, stableCall, element, entries, tag]

  /// `_fold(text, options)`.
  private static let fold = ScalarFunction("_fold", arguments: 2) { arguments in
    if arguments.kind(0) == .null { return .null }
    return .text(
      TextFolding.fold(arguments.text(0), ComparisonOptions(rawValue: Int(arguments.integer(1)))))
  }

  /// `_words(text)`: what an index of words keeps of a text.
  private static let words = ScalarFunction("_words", arguments: 1) { arguments in
    arguments.kind(0) == .null ? .null : .text(TextTokens.joined(arguments.text(0)))
  }

  /// `_search(words, text, ...)`: whether the texts together have the words asked for.
  private static let search = ScalarFunction("_search", arguments: -1) { arguments in
    let texts = (1..<arguments.count).map { place in
      arguments.kind(place) == .null ? [] : TextTokens.all(arguments.text(place)).map(\.word)
    }
    return .integer(TextQuery(arguments.text(0)).matches(texts) ? 1 : 0)
  }

  /// `_rank(matchinfo)`, of the form `pcnalx`: 32-bit numbers in the machine's order
  /// (https://www.sqlite.org/fts3.html#matchinfo).
  private static let rank = ScalarFunction("_rank", arguments: 1) { arguments in
    let bytes = arguments.bytes(0)
    let numbers = stride(from: 0, to: bytes.count - 3, by: 4).map { place in
      Int(UnsafeRawBufferPointer(rebasing: bytes[place..<(place + 4)]).loadUnaligned(as: UInt32.self))
    }
    guard numbers.count > 3 else { return .real(0) }
    let (phrases, columns) = (numbers[0], numbers[1])
    guard max(phrases, columns) <= 1 << 16, numbers.count == 3 + 2 * columns + 3 * phrases * columns else {
      return .failure("_rank was called with no matchinfo of the form pcnalx")
    }
    var rank = TextRank()
    rank.rows = numbers[2]
    rank.means = Array(numbers[3..<(3 + columns)])
    let lengths = Array(numbers[(3 + columns)..<(3 + 2 * columns)])
    var counts: [[Int]] = []
    for phrase in 0..<phrases {
      let hits = (0..<columns).map { 3 + 2 * columns + 3 * ($0 + phrase * columns) }
      counts.append(hits.map { numbers[$0] })
      rank.rowsWith.append(hits.map { numbers[$0 + 2] })
    }
    return .real(rank.rank(counts, lengths))
  }

  /// `_compare(operator, options, kinds, left, right)`: 1 or 0.
  private static let compare = ScalarFunction("_compare", arguments: 5) { arguments in
    let kinds = kinds(arguments, 2)
    guard let op = FetchOperator(rawValue: arguments.text(0)), kinds.count == 2 else {
      return .failure("_compare was called with an operator or kinds that are not known")
    }
    let options = ComparisonOptions(rawValue: Int(arguments.integer(1)))
    do throws(QueryError) {
      let holds = try ValueComparison.holds(
        kinds[0].read(arguments, 3), op, kinds[1].read(arguments, 4), options)
      return .integer(holds ? 1 : 0)
    } catch {
      return .failure(error.message)
    }
  }

  /// `_call(function, kinds, ...)`, the kind of the answer first among the kinds.
  private static let call = ScalarFunction("_call", arguments: -1, isDeterministic: false, answer)
  private static let stableCall = ScalarFunction("_stable_call", arguments: -1, answer)

  private static let answer: ScalarFunction.Body = { arguments in
    let kinds = kinds(arguments, 1)
    guard let function = FetchFunction(rawValue: arguments.text(0)), kinds.count == arguments.count - 1 else {
      return .failure("a function was called that is not known")
    }
    let values = kinds.dropFirst().enumerated().map { $0.element.read(arguments, $0.offset + 2) }
    return kinds[0].write(function.value(values))
  }

  /// What no name has in it.
  static let pathSeparator = "\u{1F}"

  /// `_element(kind, value, path)`: what lies inside a composite or stored JSON.
  private static let element = ScalarFunction("_element", arguments: 3) { arguments in
    guard let kind = kinds(arguments, 0).first else { return .null }
    let names = arguments.text(2).components(separatedBy: pathSeparator)
    return SQLKind.any.write(kind.read(arguments, 1).element(names))
  }

  /// `_entries(aggregate, kind, value)`: over the entries of a collection that is stored as JSON.
  private static let entries = ScalarFunction("_entries", arguments: 3) { arguments in
    guard let aggregate = FetchAggregate(rawValue: arguments.text(0)), let kind = kinds(arguments, 1).first,
      let entries = kind.read(arguments, 2).storedEntries
    else { return .null }
    return SQLKind.any.write(aggregate.value(of: entries, type: nil))
  }

  /// `_tag(kind, value)`: a value with its kind.
  private static let tag = ScalarFunction("_tag", arguments: 2) { arguments in
    guard let kind = kinds(arguments, 0).first else { return .null }
    return SQLKind.any.write(kind.read(arguments, 1))
  }

  fileprivate static func kinds(_ arguments: FunctionArguments, _ place: Int) -> [SQLKind] {
    arguments.bytes(place).compactMap { SQLKind(rawValue: Character(Unicode.Scalar($0))) }
  }

  static let aggregates = FetchAggregate.allCases.map { aggregate in
    AggregateFunction(aggregate.function, arguments: 2) { Values(aggregate) }
  }

  static let collations = [FetchSortDescriptor.Comparator.localized, .localizedStandard].map { comparator in
    TextCollation(comparator.collation) { comparator.compare($0, $1) }
  }

  /// The values of a group: `_sum(kinds, value)`, the kind of the answer first, and an f last where
  /// the attribute is floating.
  private final class Values: AggregateFunction.Group {
    private let aggregate: FetchAggregate
    private var kinds: [SQLKind] = []
    private var values: [AttributeValue] = []
    private var type: AttributeType?

    init(_ aggregate: FetchAggregate) { self.aggregate = aggregate }

    func add(_ row: FunctionArguments) {
      if kinds.isEmpty {
        kinds = StoreFunctions.kinds(row, 0)
        type = kinds.first == .decimal ? .decimal : row.bytes(0).last == UInt8(ascii: "f") ? .double : nil
      }
      if kinds.count == 2 { values.append(kinds[1].read(row, 1)) }
    }

    func finish() -> FunctionResult {
      // Of no rows the kind is not known; the statement says what stands for null then.
      guard kinds.count == 2 else { return .null }
      return kinds[0].write(aggregate.value(of: values, type: type))
    }
  }
}

extension FetchAggregate {
  /// The SQL function of the same meaning.
  var function: String { "_" + rawValue }
}

extension FetchSortDescriptor.Comparator {
  /// The collation of the same order.
  var collation: String { "_" + rawValue.lowercased() }
}

extension ConnectionOptions {
  /// The options every connection to a store begins with.
  static var ofStore: ConnectionOptions {
    var options = ConnectionOptions()
    options.functions = StoreFunctions.scalars
    options.aggregates = StoreFunctions.aggregates
    options.collations = StoreFunctions.collations
    return options
  }
}
