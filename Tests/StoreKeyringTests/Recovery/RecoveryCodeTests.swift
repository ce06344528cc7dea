import Foundation
import Testing

@testable import StoreKeyring

@Suite("Recovery codes")
struct RecoveryCodeTests {
  private func text(_ code: RecoveryCode) -> [UInt8] { code.withText { Array($0) } }

  private func read(_ text: [UInt8]) throws -> RecoveryCode {
    try text.withUnsafeBytes { try RecoveryCode(text: $0) }
  }

  @Test("twelve groups of five, which give the key back however they are typed")
  func form() throws {
    let (key, store) = (StoreKey(), UUID())
    let code = text(RecoveryCode(key, for: store))
    let groups = code.split(separator: UInt8(ascii: "-"))
    #expect(groups.count == 12 && groups.allSatisfy { $0.count == 5 })
    let alphabet = Set("0123456789ABCDEFGHJKMNPQRSTVWXYZ-".utf8)
    #expect(code.allSatisfy(alphabet.contains))
    let typed = String(decoding: code, as: UTF8.self)
    let forms = [
      typed, typed.lowercased(), typed.filter { $0 != "-" }, typed.replacingOccurrences(of: "-", with: " \n"),
      typed.replacingOccurrences(of: "0", with: "O").replacingOccurrences(of: "1", with: "l"),
    ]
    for form in forms {
      let back = try read(Array(form.utf8))
      #expect(back.key.isSame(as: key))
      #expect(back.mayBelong(to: store))
    }
    let others = (0..<2000).filter { _ in RecoveryCode(key, for: store).mayBelong(to: UUID()) }
    #expect(others.count < 20)
  }

  @Test("every single wrong character and every swap of two is found")
  func check() throws {
    for _ in 0..<3 {
      let code = text(RecoveryCode(StoreKey(), for: UUID())).filter { $0 != UInt8(ascii: "-") }
      for place in code.indices {
        for other in "0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8 where other != code[place] {
          var wrong = code
          wrong[place] = other
          #expect(throws: KeyringError.self) { try read(wrong) }
        }
        for second in code.indices where second > place && code[second] != code[place] {
          var swapped = code
          swapped.swapAt(place, second)
          #expect(throws: KeyringError.self) { try read(swapped) }
        }
      }
    }
  }

  @Test("what is no code is refused as such, with what it is")
  func refusals() throws {
    for wrong in [
      "", "00000", String(repeating: "0", count: 60), String(repeating: "0", count: 61), "U", "é", "#",
    ] {
      #expect { try read(Array(wrong.utf8)) } throws: { ($0 as? KeyringError)?.code == .recoveryCodeInvalid }
    }
  }

  @Test("a code is not printed by descriptions and dumps")
  func redaction() {
    let code = RecoveryCode(StoreKey(), for: UUID())
    let shown = String(decoding: text(code), as: UTF8.self)
    var dumped = ""
    dump(code, to: &dumped)
    for form in ["\(code)", String(reflecting: code), dumped] { #expect(!form.contains(shown.prefix(5))) }
  }
}
