import Foundation
import Glibc
import Strongroom
import TableImport
import Testing

@Suite("Files that are no tables")
struct HostileFileTests {
  private func code(_ place: Place, _ name: String, _ data: Data) throws -> TableImportError.Code? {
    do {
      _ = try TableSource([place.write(name, data)])
      return nil
    } catch {
      return (error as? TableImportError)?.code
    }
  }

  @Test("are refused with what they are")
  func refused() throws {
    let place = try Place()
    let wide = Data(String(repeating: "c,", count: 10_000).utf8)
    #expect(try code(place, "wide.csv", wide) == .tooLarge)
    let keys = (0..<10_000).map { "\"k\($0)\":1" }.joined(separator: ",")
    #expect(try code(place, "wide.jsonl", Data("{\(keys)}\n".utf8)) == .tooLarge)
    #expect(try code(place, "open.csv", Data("a,b\n1,\"2\n3,4\n".utf8)) == .malformed)
    #expect(try code(place, "sixteen.csv", Data([0xFF, 0xFE, 0x61, 0, 0x2C, 0])) == .wrongEncoding)
    #expect(try code(place, "unmarked.csv", Data([0x61, 0, 0x2C, 0, 0x62, 0])) == .wrongEncoding)
    // Opening it would block until another process writes to it.
    #expect(mkfifo(place.file("pipe.csv").path, 0o600) == 0)
    #expect(throws: TableImportError.self) { try TableSource([place.file("pipe.csv")]) }
    #expect(try code(place, "array.json", Data("[{\"a\":1}]".utf8)) == .malformed)
    #expect(try code(place, "empty.csv", Data()) == .fileEmpty)
    #expect(
      try code(place, "random", Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) })) == .unknownFormat)
    var damaged = Data("SQLite format 3\0".utf8)
    damaged.append(Data(repeating: 7, count: 4096))
    #expect(try code(place, "damaged.sqlite", damaged) != nil)
    #expect { try TableSource([place.file("none.csv")]) } throws: {
      ($0 as? TableImportError)?.code == .fileMissing
    }
    #expect { try TableSource([]) } throws: { ($0 as? TableImportError)?.code == .unknownFormat }
  }

  @Test("with a row that does not end are refused in fixed memory")
  func long() throws {
    let place = try Place()
    let long = Data(repeating: UInt8(ascii: "x"), count: 80 << 20)
    #expect(try code(place, "long.csv", Data("a,b\n".utf8) + long) == .tooLarge)
    #expect(try code(place, "long.jsonl", long) == .tooLarge)
  }

  @Test("have the format that their first bytes say")
  func formats() throws {
    let place = try Place()
    #expect(TableFormat.of(try place.database()) == .sqlite)
    #expect(TableFormat.of(try place.write("one", "a;b\n1;2\n")) == .csv)
    #expect(TableFormat.of(try place.write("two", "\n {\"a\": 1}\n")) == .jsonLines)
    #expect(TableFormat.of(try place.write("three.tsv", "a\n")) == .csv)
    #expect(TableFormat.of(try place.write("four", Data([0, 1, 2]))) == nil)
    #expect(TableFormat.of(place.file("none")) == nil)
  }
}
