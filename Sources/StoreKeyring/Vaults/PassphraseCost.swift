/// The cost of one guess of a passphrase: the parameters of scrypt (RFC 7914).
///
/// A guess takes 128 · rounds · blockSize bytes of memory.
public struct PassphraseCost: Sendable, Hashable, Codable {
  /// N in RFC 7914, a power of two.
  public var rounds: Int
  /// r in RFC 7914.
  public var blockSize: Int
  /// p in RFC 7914.
  public var parallelism: Int

  /// N 2¹⁷, r 8, p 1: 128 MiB and about half a second.
  ///
  /// These are the values of OWASP's Password Storage Cheat Sheet.
  public static let standard = PassphraseCost(rounds: 1 << 17, blockSize: 8, parallelism: 1)

  /// Creates a cost from scrypt's parameters.
  public init(rounds: Int, blockSize: Int, parallelism: Int) {
    self.rounds = rounds
    self.blockSize = blockSize
    self.parallelism = parallelism
  }

  /// Whether one key's cost is within bounds, so that a planted key cannot exhaust the machine's
  /// memory.
  var isBearable: Bool {
    rounds >= 2 && rounds & (rounds - 1) == 0 && rounds <= 1 << 22 && (1...32).contains(blockSize)
      && (1...16).contains(parallelism) && 128 * rounds * blockSize <= 1 << 30
  }

  /// Whether the total cost of a store's keys is within bounds, since opening a store tries all.
  ///
  /// The bound is the cost of 32 keys at `standard`, about 15 seconds. Keys whose own cost is out
  /// of bounds are not tried and do not count.
  static func isBearable(_ costs: [PassphraseCost]) -> Bool {
    costs.filter(\.isBearable).reduce(0) { $0 + $1.rounds * $1.blockSize * $1.parallelism }
      <= 32 * standard.rounds * standard.blockSize
  }
}
