/// The words of a text as a search sees them: runs of letters, digits and their marks, without case
/// and marks.
///
/// Letters of scripts that write no spaces between words are a word each.
package enum TextTokens {
  /// The words in their order, and where in the text each stands.
  package static func all(_ text: String) -> [(word: String, range: Range<String.Index>)] {
    var result: [(word: String, range: Range<String.Index>)] = []
    let scalars = text.unicodeScalars
    var start: String.Index?
    func end(_ place: String.Index) {
      guard let begin = start else { return }
      start = nil
      let word = fold(String(scalars[begin..<place]))
      if !word.isEmpty { result.append((word, begin..<place)) }
    }
    var place = scalars.startIndex
    while place < scalars.endIndex {
      let scalar = scalars[place]
      let next = scalars.index(after: place)
      if isAlone(scalar) {
        end(place)
        start = place
        end(next)
      } else if isInWord(scalar, first: start == nil) {
        start = start ?? place
      } else {
        end(place)
      }
      place = next
    }
    end(scalars.endIndex)
    return result
  }

  /// The words with spaces between.
  package static func joined(_ text: String) -> String {
    joinedASCII(text) ?? all(text).map(\.word).joined(separator: " ")
  }

  /// The same for a text of ASCII alone, whose words need no properties of Unicode; nil for any other.
  private static func joinedASCII(_ text: String) -> String? {
    var text = text
    return text.withUTF8 { bytes in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      return String(unsafeUninitializedCapacity: bytes.count) { words in
        var count = 0
        var isBehindGap = false
        for byte in bytes {
          guard isInWord(Unicode.Scalar(byte), first: true) else {
            isBehindGap = count > 0
            continue
          }
          if isBehindGap {
            words[count] = UInt8(ascii: " ")
            count += 1
            isBehindGap = false
          }
          words[count] = lowercased(byte)
          count += 1
        }
        return count
      }
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 { byte >= 0x41 && byte <= 0x5A ? byte + 0x20 : byte }

  private static func fold(_ word: String) -> String {
    if word.utf8.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: word.utf8.map(lowercased), as: UTF8.self)
    }
    let folded = TextFolding.fold(word, [.caseInsensitive, .diacriticInsensitive])
    // The index takes every other sign of ASCII for a gap.
    return String(
      String.UnicodeScalarView(folded.unicodeScalars.filter { !$0.isASCII || isInWord($0, first: true) }))
  }

  private static func isInWord(_ scalar: Unicode.Scalar, first: Bool) -> Bool {
    if scalar.isASCII {
      return scalar.value >= 0x61 && scalar.value <= 0x7A || scalar.value >= 0x41 && scalar.value <= 0x5A
        || scalar.value >= 0x30 && scalar.value <= 0x39
    }
    let properties = scalar.properties
    if properties.isAlphabetic || properties.numericType != nil { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return !first
    default: return false
    }
  }

  /// Han, Hiragana and Katakana; Thai, Lao, Khmer and Myanmar.
  private static func isAlone(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return false }
    if scalar.properties.isIdeographic { return true }
    switch scalar.value {
    case 0x3041...0x3096, 0x30A1...0x30FA: return true
    case 0x0E01...0x0E2E, 0x0E81...0x0EAE, 0x1780...0x17A2, 0x1000...0x102A: return true
    default: return false
    }
  }
}
