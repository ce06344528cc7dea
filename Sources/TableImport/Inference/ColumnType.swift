import ObjectModel

/// The type of an attribute for a column: what its values are, and where several fit, what it
/// declares.
struct ColumnType {
  let type: AttributeType
  /// What whole numbers of a date count, for `DateUnit`.
  private(set) var unit: DateUnit?

  private init(_ type: AttributeType, _ unit: DateUnit? = nil) {
    self.type = type
    self.unit = unit
  }

  init(_ column: SourceColumn, _ format: TableFormat) {
    let profile = column.profile
    let declared = Declared(column.declaredType)
    let numbers = profile.integers + profile.reals
    if profile.count == 0 {
      self.init(declared.type ?? .string)
    } else if profile.blobs == profile.count {
      self.init(declared == .uuid && profile.areUUIDBlobs ? .uuid : .binary)
    } else if profile.structures > 0 {
      self.init(.transformable)
    } else if profile.booleans == profile.count {
      self.init(.boolean)
    } else if numbers == profile.count {
      self = Self.number(profile, declared)
    } else if profile.texts == profile.count {
      self.init(Self.text(profile, declared, format))
    } else {
      self.init(profile.blobs > 0 ? .binary : .string)
    }
  }

  private static func number(_ profile: ColumnProfile, _ declared: Declared) -> ColumnType {
    if declared == .decimal || profile.hasLongNumbers { return ColumnType(.decimal) }
    if profile.reals > 0 { return ColumnType(.double) }
    if declared == .boolean, profile.areFlags { return ColumnType(.boolean) }
    if declared == .date { return ColumnType(.date, DateUnit(magnitude: profile.magnitude)) }
    return ColumnType(declared == .real ? .double : .integer64)
  }

  private static func text(_ profile: ColumnProfile, _ declared: Declared, _ format: TableFormat)
    -> AttributeType
  {
    let forms = profile.forms
    if format == .sqlite {
      // A database can say what its texts are.
      switch declared {
      case .date where forms.contains(.date): return .date
      case .uuid where forms.contains(.uuid): return .uuid
      case .boolean where forms.contains(.boolean): return .boolean
      case .decimal where forms.contains(.number): return .decimal
      default: return .string
      }
    }
    if forms.contains(.date) { return .date }
    if forms.contains(.uuid) { return .uuid }
    if format == .jsonLines { return .string }
    if forms.contains(.integer) { return .integer64 }
    if forms.contains(.number) { return profile.hasLongNumbers ? .decimal : .double }
    return forms.contains(.boolean) ? .boolean : .string
  }

  /// What a column's declared type is meant to be, where one can tell.
  private enum Declared {
    case integer, real, text, blob, boolean, date, uuid, decimal, unknown

    init(_ declared: String) {
      let name = declared.uppercased()
      let starts: [(String, Declared)] = [
        ("BOOL", .boolean), ("DATE", .date), ("TIMESTAMP", .date), ("UUID", .uuid), ("GUID", .uuid),
        ("UNIQUEIDENTIFIER", .uuid), ("DECIMAL", .decimal), ("MONEY", .decimal),
      ]
      if let start = starts.first(where: { name.hasPrefix($0.0) }) {
        self = start.1
      } else if name.hasPrefix("NUMERIC"), name.contains(",") {
        self = .decimal
      } else if name.contains("INT") {
        self = .integer
      } else if name.contains("CHAR") || name.contains("CLOB") || name.contains("TEXT") {
        self = .text
      } else if name.contains("BLOB") {
        self = .blob
      } else if name.contains("REAL") || name.contains("FLOA") || name.contains("DOUB") {
        self = .real
      } else {
        self = .unknown
      }
    }

    var type: AttributeType? {
      switch self {
      case .integer: .integer64
      case .real: .double
      case .text: .string
      case .blob: .binary
      case .boolean: .boolean
      case .date: .date
      case .uuid: .uuid
      case .decimal: .decimal
      case .unknown: nil
      }
    }
  }
}

/// What a date's whole numbers count, since 1970.
enum DateUnit: String {
  case seconds, milliseconds, microseconds

  /// Seconds reach beyond the year 5000 with the least number of milliseconds since 1973.
  init(magnitude: UInt64) {
    self =
      magnitude < 100_000_000_000 ? .seconds : magnitude < 100_000_000_000_000 ? .milliseconds : .microseconds
  }

  var perSecond: Double {
    switch self {
    case .seconds: 1
    case .milliseconds: 1000
    case .microseconds: 1_000_000
    }
  }
}
