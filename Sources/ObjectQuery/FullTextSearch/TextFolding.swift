import Foundation

/// Text as it is compared without case or marks: the same in memory, in SQL and in indexes.
///
/// Case is folded as Unicode's full case folding does, canonically (The Unicode Standard, section
/// 3.13, D145): ß is ss, all three sigmas are one, whatever the language. Marks are the nonspacing
/// ones (category Mn) after canonical decomposition.
package enum TextFolding {
  package static func fold(_ text: String, _ options: ComparisonOptions) -> String {
    guard options.folds else { return text }
    let isCaseFolded = options.contains(.caseInsensitive)
    if let ascii = foldASCII(text, isCaseFolded) { return ascii }
    var scalars = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if isCaseFolded { append(caseFolding: scalar, to: &scalars) } else { scalars.append(scalar) }
    }
    // Composed again, so that a letter with its mark is one scalar and no prefix of it is a letter
    // of its own.
    let folded = String(scalars)
    guard options.contains(.diacriticInsensitive) else { return folded.precomposedStringWithCanonicalMapping }
    let bare = folded.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
      $0.properties.generalCategory != .nonspacingMark
    }
    return String(String.UnicodeScalarView(bare)).precomposedStringWithCanonicalMapping
  }

  private static func foldASCII(_ text: String, _ isCaseFolded: Bool) -> String? {
    var text = text
    return text.withUTF8 { bytes -> String? in
      guard bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
      if !isCaseFolded { return String(decoding: bytes, as: UTF8.self) }
      return String(unsafeUninitializedCapacity: bytes.count) { folded in
        for (place, byte) in bytes.enumerated() {
          folded[place] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
        }
        return bytes.count
      }
    }
  }

  /// Swift knows no foldings, but the mappings of a letter down, up and down again come to the same
  /// classes, but for ı, which goes up to I and yet is not an i.
  private static func append(caseFolding scalar: Unicode.Scalar, to scalars: inout String.UnicodeScalarView) {
    if scalar.value < 0x80 || scalar == "\u{131}" {
      let isCapital = scalar.value >= 0x41 && scalar.value <= 0x5A
      scalars.append(isCapital ? Unicode.Scalar(scalar.value | 0x20) ?? scalar : scalar)
      return
    }
    for low in scalar.properties.lowercaseMapping.unicodeScalars {
      for high in low.properties.uppercaseMapping.unicodeScalars {
        scalars.append(contentsOf: high.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }
}
