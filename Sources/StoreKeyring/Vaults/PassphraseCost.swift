/// What one guess of a passphrase costs: the parameters of scrypt (RFC 7914). Memory is 128 · rounds · blockSize bytes.
public struct PassphraseCost: Sendable, Hashable, Codable {
  /// N, a power of two.
  public var rounds: Int
  /// r.
  public var blockSize: Int
  /// p.
  public var parallelism: Int

  /// N 2¹⁷, r 8, p 1: 128 MiB and about half a second, as OWASP's sheet on password storage recommends.
  public static let standard = PassphraseCost(rounds: 1 << 17, blockSize: 8, parallelism: 1)

  /// Sets parameters.
  public init(rounds: Int, blockSize: Int, parallelism: Int) {
    self.rounds = rounds
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// What one key may ask for: a planted one must not take the machine's memory.
  var isBearable: Bool {
    rounds >= 2 && rounds & (rounds - 1) == 0 && rounds <= 1 << 22 && (1...32).contains(blockSize)
      && (1...16).contains(parallelism) && 128 * rounds * blockSize <= 1 << 30
  }

  /// What all keys of a store may ask for together, since one opening tries them all: as much as thirty-two keys of the standard
  /// cost, a quarter of a minute. Keys that are not tried, because they ask for too much each, are not counted.
  static func isBearable(_ costs: [PassphraseCost]) -> Bool {
    costs.filter(\.isBearable).reduce(0) { $0 + $1.rounds * $1.blockSize * $1.parallelism }
      <= 32 * standard.rounds * standard.blockSize
  }
}
