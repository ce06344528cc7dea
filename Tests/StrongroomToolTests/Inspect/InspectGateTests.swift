import BuiltProgram
import Foundation
import Glibc
import Strongroom
import Testing

/// Who gets what from the port of `strongroom inspect`.
///
/// Curl sends what no other client would.
@Suite("The page of a store", .enabled(if: RunningInspect.hasCurl, "curl is not installed"))
struct InspectGateTests {
  private func curl(_ arguments: String...) throws -> (status: String, body: String) {
    try RunningInspect.curl(arguments)
  }

  @Test("gives nothing to who does not have its address: other paths, names, origins and sites")
  func gate() async throws {
    let shelf = try await InspectShelf(books: 10)
    let running = try RunningInspect(shelf)
    let own = running.address.absoluteString
    let call = own + "api/counts"
    #expect(try curl(call).body.contains("\"Book\":10"))
    let server = "http://127.0.0.1:\(running.port)/"
    let wrong = String(own.dropLast(2)) + (own.hasSuffix("_/") ? "-/" : "_/")
    for address in [
      server, server + "api/counts", wrong, wrong + "api/counts", server + "x/../api/counts",
      own.uppercased(),
    ] {
      #expect(try curl(address).status == "404", "\(address)")
      #expect(try curl(address).body.isEmpty, "\(address)")
    }
    for header in [
      "Host: evil.example", "Host: evil.example:\(running.port)", "Host: 127.0.0.1", "Host:",
      "Host: 127.0.0.1:1",
      "Origin: http://evil.example", "Origin: null", "Origin: https://127.0.0.1:\(running.port)",
      "Origin: http://127.0.0.1:1", "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
    ] {
      let (status, body) = try curl("-H", header, call)
      #expect(status == "404" && body.isEmpty, "\(header) got \(status) \(body)")
    }
    for header in [
      "Host: localhost:\(running.port)", "Origin: http://127.0.0.1:\(running.port)",
      "Sec-Fetch-Site: same-origin",
    ] {
      #expect(try curl("-H", header, call).status == "200", "\(header)")
    }
  }

  @Test("listens on the loopback address alone, and its headers forbid caches, frames and foreign scripts")
  func headers() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 1))
    let head = try curl("-i", running.address.absoluteString).body
    for wanted in [
      "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "no-store", "nosniff",
      "no-referrer",
    ] { #expect(head.contains(wanted), "\(wanted) is missing in \(head)") }
    #expect(!head.lowercased().contains("access-control"))
    #expect(!head.contains("unsafe"))
    let sockets = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
    let port = String(format: ":%04X", running.port)
    let listening = sockets.split(separator: "\n").filter { $0.contains(port + " 00000000:0000 0A") }
    #expect(listening.count == 1 && listening.allSatisfy { $0.contains("0100007F" + port) }, "\(listening)")
  }

  @Test("changes nothing unless it was started for writing, and then only what is sent as JSON")
  func writing() async throws {
    let shelf = try await InspectShelf(books: 1)
    let json = ["-X", "POST", "-H", "Content-Type: application/json", "-d", "{\"entity\":\"Book\"}"]
    do {
      let running = try RunningInspect(shelf)
      let insert = running.address.absoluteString + "api/insert"
      #expect(try RunningInspect.curl(json + [insert]).status == "403")
      #expect(try curl(insert).status == "404")
      #expect(try curl("-X", "DELETE", insert).status == "405")
    }
    let running = try RunningInspect(shelf, "--write")
    let insert = running.address.absoluteString + "api/insert"
    #expect(try curl("-d", "{\"entity\":\"Book\"}", insert).status == "400")
    #expect(try curl("-H", "Content-Type: application/json", "-d", "no JSON", insert).status == "400")
    #expect(try curl("-H", "Content-Type: text/plain", "-d", "{\"entity\":\"Book\"}", insert).status == "400")
    #expect(try RunningInspect.curl(json + ["-H", "Origin: http://evil.example", insert]).status == "404")
    #expect(try curl(running.address.absoluteString + "api/edits").body.contains("\"inserted\":0"))
    #expect(try RunningInspect.curl(json + [insert]).status == "200")
    #expect(try curl(running.address.absoluteString + "api/edits").body.contains("\"inserted\":1"))
  }

  @Test("answers hostile requests with an error, and goes on")
  func hostile() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 3))
    let own = running.address.absoluteString
    for (path, status) in [
      ("..%2f..%2f..%2fetc/passwd", "404"), ("api/nothing", "404"), ("api/objects", "400"),
      ("api/objects?entity=Book&where=%27", "400"), ("api/objects?entity=Book&sort=nothing", "400"),
      ("api/objects?entity=Book&offset=99999999999999999999&limit=-5", "200"),
      ("api/objects?entity=Book&limit=0", "200"),
      ("api/history?before=-9223372036854775808", "200"), ("api/history?before=9223372036854775807", "200"),
      ("api/changes?number=-9223372036854775808", "200"), ("api/changes?number=9223372036854775807", "400"),
      ("api/object?entity=Author&number=3", "400"),
      ("api/object?entity=Book&number=1e9", "400"), ("api/object?entity=Bo%00ok&number=1", "400"),
      ("api/value?entity=Book&number=1&key=keys", "400"),
      ("api/query?text=" + String(repeating: "(", count: 4000), "400"),
      (
        "api/query?text=Book%20%7C%20where%20" + String(repeating: "NOT%20", count: 900) + "pages%20%3D%201",
        "200"
      ),
    ] {
      let answer = try curl(own + path)
      #expect(answer.status == status, "\(path.prefix(60)) got \(answer.status) \(answer.body.prefix(200))")
    }
    // The longer one is refused before it is read whole.
    for count in [60_000, 90_000] {
      let long = "api/objects?entity=Book&where=" + String(repeating: "a", count: count)
      let (status, body) = try curl(own + long)
      let refusal = try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any]
      #expect(
        status == "414" && (refusal?["error"] as? String)?.contains("60,000") == true, "\(status) \(body)")
    }
    #expect(try curl(own + "api/counts").status == "200")
  }

  @Test(
    "stays up for its owner whatever others send to the port: odd headers, long lines, very many connections")
  func strangers() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 1))
    let server = "http://127.0.0.1:\(running.port)/"
    _ = try curl("-H", "s: 1", "-H", "ſ: 1", "-H", "σ: 1", "-H", "ς: 1", server)
    let before = try running.processorSeconds
    _ = try curl("-H", "A: " + String(repeating: "a", count: 60_000), server)
    _ = try curl(server + String(repeating: "x", count: 60_000))
    #expect(try running.processorSeconds - before < 5, "a long line is read in one go")
    #expect(try curl(running.address.absoluteString + "api/counts").status == "200")
    let flood = Process()
    flood.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    flood.arguments = [
      "-c",
      """
      import resource, socket
      resource.setrlimit(resource.RLIMIT_NOFILE, (3000, 3000))
      open_ones = []
      for _ in range(2500):
          one = socket.socket()
          one.settimeout(0.5)
          try: one.connect(("127.0.0.1", \(running.port)))
          except OSError: break
          open_ones.append(one)
      """,
    ]
    try flood.run()
    flood.waitUntilExit()
    #expect(try curl(running.address.absoluteString + "api/counts").status == "200")
  }

  @Test("goes on answering while strangers hold more connections than it may have open files")
  func heldConnections() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 1))
    try running.limitFiles(to: 256)
    let (flood, input, output) = (Process(), Pipe(), Pipe())
    flood.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    flood.arguments = [
      "-c",
      """
      import socket, sys
      held = []
      for _ in range(500):
          one = socket.socket()
          one.settimeout(5)
          try:
              one.connect(("127.0.0.1", \(running.port)))
              one.send(b"G")
          except OSError: pass
          held.append(one)
      print(len(held), flush=True)
      sys.stdin.read()
      """,
    ]
    (flood.standardInput, flood.standardOutput) = (input, output)
    try flood.run()
    defer { flood.terminate() }
    #expect(String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("500"))
    let before = try running.processorSeconds
    #expect(try curl(running.address.absoluteString + "api/counts").status == "200")
    #expect(try curl("-m", "9", "http://127.0.0.1:\(running.port)/").status == "404")
    try await Task.sleep(for: .seconds(2))
    #expect(try running.processorSeconds - before < 1)
  }

  @Test("closes a connection that does not send the head of a request")
  func slowHead() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 1))
    let slow = Process()
    slow.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    slow.arguments = [
      "-c",
      """
      import socket, sys
      one = socket.create_connection(("127.0.0.1", \(running.port)), 30)
      one.settimeout(0.2)
      one.send(b"GET / HTTP/1.1\\r\\nSlow: ")
      for _ in range(100):
          try:
              one.send(b"a")
              sys.exit(0 if one.recv(1) == b"" else 1)
          except TimeoutError: pass
          except OSError: sys.exit(0)
      sys.exit(1)
      """,
    ]
    try slow.run()
    slow.waitUntilExit()
    #expect(slow.terminationStatus == 0)
  }

  @Test("does not change an object under another entity's name")
  func otherEntity() async throws {
    let running = try RunningInspect(try await InspectShelf(books: 5), "--write")
    let delete = running.address.absoluteString + "api/delete"
    let (status, body) = try RunningInspect.curl([
      "-H", "Content-Type: application/json", "-d", "{\"entity\":\"Author\",\"number\":\"4\"}", delete,
    ])
    #expect(status == "400" && body.contains("Author has no object 4"), "\(body)")
  }

  @Test("ends with an error where its address cannot be printed")
  func closedOutput() async throws {
    let shelf = try await InspectShelf(books: 1)
    for output in [">&-", "> /dev/full", "| true"] {
      let command = ([BuiltProgram.url().path, "inspect"] + shelf.vault + [shelf.store]).map { "'\($0)'" }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/bin/bash")
      process.arguments = ["-c", "set -o pipefail; \(command.joined(separator: " ")) \(output)"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 1, "\(output)")
      let names = try FileManager.default.contentsOfDirectory(atPath: shelf.folder.path)
      #expect(names.filter { $0.hasPrefix("s") } == ["s"], "\(output) leaves a log")
    }
  }

  @Test("ends with its program, and says what is wrong with a port")
  func ends() async throws {
    let shelf = try await InspectShelf(books: 1)
    var running: RunningInspect? = try RunningInspect(shelf)
    let (address, port) = (try #require(running?.address.absoluteString), try #require(running?.port))
    let (code, output) = try BuiltProgram.run(["inspect", "--port", "\(port)"] + shelf.vault + [shelf.store])
    #expect(code == 1 && output.contains("port"), "\(output)")
    running = nil
    #expect(try curl(address).status == "000")
    let names = try FileManager.default.contentsOfDirectory(atPath: shelf.folder.path)
    #expect(names.filter { $0.hasPrefix("s") } == ["s"], "the store is closed")
  }
}
