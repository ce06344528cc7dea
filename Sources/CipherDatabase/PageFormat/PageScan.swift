import Dispatch
import Glibc
import Locks

/// Looks at a file's pages by their MACs, without opening it as a database.
package enum PageScan {
  /// The page that SQLite leaves empty, since its locks stand on these bytes.
  private static let lockByte = 1 << 30
  /// The pages that a core looks at between two reports: a megabyte.
  private static let part = 256
  /// The pages from which on the cores share the work.
  private static let leastForCores = 1024

  /// The format in which a key reads a file's first page; nil when it does in none.
  package static func format(
    of file: DatabaseFile, key: UnsafeRawBufferPointer, salt: [UInt8]
  ) throws -> PageFormat? {
    try PageFormat.known.first { format in
      let authenticator = try PageAuthenticator(key: key, salt: salt, format: format)
      return page(1, file, format) { authenticator.holds($0, number: 1) } ?? false
    }
  }

  /// The numbers of pages whose MAC does not match.
  ///
  /// About five microseconds a page, divided by the number of cores that are free.
  ///
  /// - `isWrittenTo`: Whether other connections may be writing the file, so that a page may be half
  ///   written. A page that seems damaged is then read again for half a second.
  /// - `progress`: Called with pages done and all pages, every megabyte or so; answers false to
  ///   stop.
  package static func damagedPages(
    _ file: DatabaseFile, _ authenticator: PageAuthenticator, limit: Int = .max, isWrittenTo: Bool = false,
    cores: Int = sysconf(Int32(_SC_NPROCESSORS_ONLN)), progress: (Int, Int) throws -> Void = { _, _ in }
  ) throws -> [UInt32] {
    let count = (file.size + authenticator.format.pageSize - 1) / authenticator.format.pageSize
    let cores = count < leastForCores ? 1 : max(cores, 1)
    var damaged: [UInt32] = []
    var start = 1
    while start <= max(count, 1), damaged.count < limit {
      let end = min(start + part * cores, max(count, 1) + 1)
      let found = damagedPages(file, authenticator, start..<end, cores)
      damaged += found.prefix(limit - damaged.count)
      start = end
      if start > part { try progress(start - 1, count) }
    }
    for _ in 0..<25 where isWrittenTo && !damaged.isEmpty {
      // Of varying length: in step with a writer, each look could meet the page half-way.
      usleep(.random(in: 5000...35_000))
      damaged.removeAll { isIntact($0, file, authenticator) }
    }
    return damaged
  }

  /// The damaged pages of a range, in order, looked at by several cores.
  private static func damagedPages(
    _ file: DatabaseFile, _ authenticator: PageAuthenticator, _ numbers: Range<Int>, _ cores: Int
  ) -> [UInt32] {
    let found = Locked<[UInt32]>([])
    let length = (numbers.count + cores - 1) / cores
    DispatchQueue.concurrentPerform(iterations: cores) { core in
      let start = min(numbers.lowerBound + core * length, numbers.upperBound)
      for number in start..<min(start + length, numbers.upperBound) {
        if (number - 1) * authenticator.format.pageSize == lockByte { continue }
        if !isIntact(UInt32(number), file, authenticator) { found.withLock { $0.append(UInt32(number)) } }
      }
    }
    return found.withLock { $0.sorted() }
  }

  /// Whether a page's MAC matches.
  ///
  /// A page that is being written may be half new.
  package static func isIntact(_ number: UInt32, _ file: DatabaseFile, _ authenticator: PageAuthenticator)
    -> Bool
  {
    page(number, file, authenticator.format) { authenticator.holds($0, number: number) } ?? false
  }

  /// The first few damaged pages among those of a file's first gigabyte.
  static func damagedPages(
    _ file: DatabaseFile, _ key: CipherKeySpec, _ format: CipherFormat
  ) throws -> [UInt32] {
    struct Enough: Error {}
    var damaged: [UInt32] = []
    let authenticator = try key.withKey {
      try PageAuthenticator(key: $0, salt: key.salt, format: format.pages)
    }
    do {
      damaged = try damagedPages(file, authenticator, limit: 8) { done, _ in
        if done >= 1 << 18 { throw Enough() }
      }
    } catch is Enough {}
    return damaged
  }

  /// The first page that is what was written with the key, among the 32 after a file's first.
  package static func firstIntactPage(
    _ file: DatabaseFile, _ authenticator: PageAuthenticator
  ) -> Int? {
    (2..<34).first { isIntact(UInt32($0), file, authenticator) }
  }

  private static func page<R>(
    _ number: UInt32, _ file: DatabaseFile, _ format: PageFormat, _ body: (UnsafeRawBufferPointer) -> R
  ) -> R? {
    withUnsafeTemporaryAllocation(byteCount: format.pageSize, alignment: 8) { buffer in
      let got = file.read(buffer, at: (Int(number) - 1) * buffer.count)
      return got == buffer.count ? body(UnsafeRawBufferPointer(buffer)) : nil
    }
  }
}
