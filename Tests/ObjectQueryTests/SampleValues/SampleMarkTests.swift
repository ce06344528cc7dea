import ObjectQuery
import Testing

@Suite("Marks of sample values")
struct SampleMarkTests {
  private static func bits(_ property: Int) -> UInt32 {
    (0..<SampleMark.rounds).reduce(0) { bits, round in
      bits << 1 | (SampleMark(property: property, round: round).bit ? 1 : 0)
    }
  }

  /// Of different sets with the same number of elements none contains another.
  @Test("no Boolean property equals another, the conjunction or the disjunction of others")
  func bits() {
    let all = (1...1023).map(Self.bits)
    #expect(Set(all).count == all.count)
    #expect(all.allSatisfy { $0.nonzeroBitCount == SampleMark.rounds / 2 })
  }

  @Test("small numbers tell properties apart over all rounds")
  func numbers() {
    let all = (1...1023).map { property in
      (0..<SampleMark.rounds).map { SampleMark(property: property, round: $0).smallNumber }
    }
    #expect(Set(all).count == all.count)
    #expect(all.joined().allSatisfy { (1...100).contains($0) })
  }
}
