/// What values a column has.
struct ColumnProfile {
  private(set) var integers = 0
  private(set) var reals = 0
  private(set) var texts = 0
  private(set) var blobs = 0
  private(set) var booleans = 0
  private(set) var structures = 0
  /// The greatest distance of a whole number from zero.
  private(set) var magnitude: UInt64 = 0
  /// Whether every whole number is 0 or 1.
  private(set) var areFlags = true
  /// Whether every blob has as many bytes as a UUID.
  private(set) var areUUIDBlobs = true
  /// What every text can be read as.
  private(set) var forms = TextForms.all
  /// Whether a number has more digits than a double holds.
  private(set) var hasLongNumbers = false

  var count: Int { integers + reals + texts + blobs + booleans + structures }

  mutating func add(integer: Int64) {
    integers += 1
    magnitude = max(magnitude, integer.magnitude)
    if integer != 0, integer != 1 { areFlags = false }
  }

  mutating func addReal() { reals += 1 }
  mutating func addBoolean() { booleans += 1 }
  mutating func addStructure() { structures += 1 }
  mutating func addLongNumber() {
    reals += 1
    hasLongNumbers = true
  }

  mutating func addBlob(count: Int) {
    blobs += 1
    if count != 16 { areUUIDBlobs = false }
  }

  mutating func add(text: UnsafeRawBufferPointer) {
    texts += 1
    guard !forms.isEmpty else { return }
    forms = TextForms.of(text, among: forms)
    if forms.contains(.number), !hasLongNumbers, text.count > TextForms.doubleDigits {
      hasLongNumbers = TextForms.digits(text) > TextForms.doubleDigits
    }
  }
}
