import Foundation
import ObjectQuery
import Testing

@Suite("Sample values of Codable types")
struct SampleMakerTests {
  private struct Inner: Decodable {
    let left: Int
    let right: Int
    enum Keys: CodingKey { case values, left, right }
    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
        .nestedContainer(keyedBy: Keys.self, forKey: .values)
      left = try values.decode(Int.self, forKey: .left)
      right = try values.decode(Int.self, forKey: .right)
    }
  }

  private struct Outer: Decodable { let inner: Inner }

  @Test("containers nested in the first are refused or decoded, as asked; deeper ones are decoded")
  func nesting() throws {
    let failure = #expect(throws: SampleFailure.self) {
      try SampleMaker(round: 0, nesting: .refused).sample(Inner.self)
    }
    #expect(failure?.message.contains("values") == true)
    let inner = try SampleMaker(round: 0, nesting: .allowed).sample(Inner.self)
    #expect(inner.left != inner.right)
    let maker = SampleMaker(round: 0, nesting: .refused)
    _ = try maker.sample(Outer.self)
    #expect(maker.notes.map(\.name) == ["inner"])
  }

  private final class Endless: Decodable { let inner: Endless }
  private struct MaybeEndless: Decodable {
    let inner: Endless?
    let count: Int
  }

  @Test("a type that requires a value of itself fails; where it is optional it is nil")
  func endless() throws {
    #expect(throws: SampleFailure.self) {
      try SampleMaker(round: 0, nesting: .allowed).sample(Endless.self)
    }
    let maker = SampleMaker(round: 0, nesting: .refused)
    #expect(try maker.sample(MaybeEndless.self).inner == nil)
    #expect(maker.notes.map(\.name) == ["inner", "count"] && maker.notes.map(\.isOptional) == [true, false])
  }

  private final class Octant: Decodable {
    let a: Octant?
    let b: Octant?
    let c: Octant?
    let d: Octant?
    let e: Octant?
    let f: Octant?
    let g: Octant?
    let h: Octant?
    var count: Int { [a, b, c, d, e, f, g, h].reduce(1) { $0 + ($1?.count ?? 0) } }
  }

  @Test("a type that contains itself eight times has a sample of four levels and their leaves")
  func octants() throws {
    let count = try SampleMaker(round: 0, nesting: .allowed).sample(Octant.self).count
    #expect(count == 1 + 8 + 64 + 512 + 4096)
  }

  private struct Even: Decodable, SampleProviding {
    static var example: Even { Even(number: 4) }
    let number: Int
    init(number: Int) { self.number = number }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Int.self)
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "never"))
    }
  }

  private enum Kind: String, Decodable { case plain, fancy }

  private struct Mixed: Decodable {
    let even: Even
    let range: ClosedRange<Int>
    let fees: [String: Int]
    let pairs: [[Int]: String]
    let left: Kind
    let right: Kind
    let small: Int8
  }

  @Test("examples, ranges, dictionaries of any key, and enumerations that do not list their cases")
  func kinds() throws {
    var kinds: Set<[Kind]> = []
    for round in 0..<SampleMark.rounds {
      let mixed = try SampleMaker(round: round, nesting: .refused).sample(Mixed.self)
      #expect(mixed.even.number == 4 && mixed.fees.count == 1 && mixed.pairs.count == 1)
      #expect(mixed.range.contains(mixed.range.lowerBound) && mixed.small > 0)
      kinds.insert([mixed.left, mixed.right])
    }
    #expect(kinds.contains([.plain, .fancy]) && kinds.contains([.fancy, .plain]))
  }

  @Test("the one candidate that every round agrees with is found")
  func search() {
    func matches(_ read: (Int, Int) -> Int) -> Set<String> {
      KeyPathSearch.matches { round -> (read: Int, values: [String: Int])? in
        let (x, y) = (round, 10)
        return (read(x, y), ["x": x, "y": y])
      }
    }
    #expect(matches { x, _ in x } == ["x"])
    #expect(matches { _, y in y } == ["y"])
    #expect(matches { x, y in max(x, y) } == [])
  }
}
