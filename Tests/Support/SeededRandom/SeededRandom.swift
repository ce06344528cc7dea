/// SplitMix64: the same numbers for the same seed, everywhere.
package struct Random: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  package mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True once in so many times.
  package mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

  package mutating func element<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }

  /// Some of a list, each once, in any order.
  package mutating func some<T>(_ most: Int, of list: [T]) -> [T] {
    var rest = list
    return (0..<min(below(most + 1), list.count)).map { _ in rest.remove(at: below(rest.count)) }
  }
}
