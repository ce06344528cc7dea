import Foundation

extension SampleMark {
  /// A value of a type that is not decoded from parts; nil for other types.
  func value(of type: Any.Type) -> Any? {
    if let integer = type as? any FixedWidthInteger.Type { return integer.sample(self) }
    return scalar(type) ?? foundationValue(type)
  }

  private func scalar(_ type: Any.Type) -> Any? {
    switch type {
    case is Bool.Type: bit
    case is String.Type: "s\(number)"
    case is Double.Type: Double(number) + 0.5
    case is Float.Type: Float(smallNumber) + 0.5
    case is CGFloat.Type: CGFloat(number) + 0.5
    case is Decimal.Type: Decimal(number)
    default: nil
    }
  }

  private func foundationValue(_ type: Any.Type) -> Any? {
    switch type {
    case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(number))
    case is Data.Type: Data("\(number)".utf8)
    case is URL.Type: URL(string: "x:\(number)")
    case is UUID.Type: uuid
    case is TimeZone.Type: TimeZone(secondsFromGMT: 0)
    case is Calendar.Type: Calendar(identifier: .gregorian)
    case is Locale.Type: Locale(identifier: bit ? "en" : "de")
    case is DateComponents.Type: DateComponents(day: smallNumber)
    default: nil
    }
  }

  private var uuid: UUID {
    let bytes = withUnsafeBytes(of: UInt64(number)) { Array($0) }
    return UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], 9, 9, 9))
  }
}

extension FixedWidthInteger {
  /// A positive number that the type can represent.
  fileprivate static func sample(_ mark: SampleMark) -> Any {
    bitWidth <= 8
      ? Self(mark.smallNumber) : Self(truncatingIfNeeded: bitWidth <= 16 ? mark.number % 30_000 : mark.number)
  }
}
