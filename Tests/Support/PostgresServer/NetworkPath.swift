package import Foundation
import Glibc
import Locks

/// A way to a server over TCP, which can be cut, and can swallow what is sent over it or answered.
package final class NetworkPath: Sendable {
  private struct State: Sendable {
    var isSwallowing = false
    var isSwallowingAnswers = false
    var isHolding = false
    var isCutting = false
    var isHalving = false
    /// What is sent instead of the server's next answer.
    var lastWord: [UInt8]?
    /// What was sent to a server's socket, and has not arrived.
    var held: (bytes: [UInt8], to: Int32)?
    var sockets: [Int32] = []
  }

  private let state = Locked(State())
  private let listener: Int32
  private let socketPath: String
  /// Where it is, on 127.0.0.1.
  package let port: UInt16

  package init(to server: PostgresServer) throws {
    socketPath = server.folder.appending(path: ".s.PGSQL.5432").path
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    if !isBound { throw PostgresServer.Failure(description: "no port") }
    Thread.detachNewThread { [self] in accept() }
  }

  /// The address of a database by this way.
  package var url: URL {
    get throws {
      guard let url = URL(string: "postgresql://tester@127.0.0.1:\(port)/postgres?sslmode=disable") else {
        throw PostgresServer.Failure(description: "no address")
      }
      return url
    }
  }

  /// Has what is sent vanish from now on, with connections that stay, or forwards again on new ones.
  package func swallow(_ isSwallowing: Bool) {
    state.withLock { ($0.isSwallowing, $0.isSwallowingAnswers) = (isSwallowing, false) }
  }

  /// Has the answers vanish from now on, to what the server gets.
  package func swallowAnswers() { state.withLock { $0.isSwallowingAnswers = true } }

  /// Cuts the next connection over which something is sent, which is still on its way to the server then.
  ///
  /// - Parameter cuttingOthers: Whether no new connection leads to the server from then on.
  package func hold(cuttingOthers: Bool = false) {
    state.withLock { ($0.isHolding, $0.isCutting) = (true, cuttingOthers) }
  }

  /// Cuts the next connection over which something is sent, when the server has the first part of it and
  /// learns nothing of the end.
  package func halve() { state.withLock { $0.isHalving = true } }

  /// Has the next answer be that the server cannot write and ends, when it has done what it was asked.
  package func panic() {
    let fields = ["SPANIC", "VPANIC", "C53100", "Mcould not write to log file", ""]
    let text = Array(fields.map { $0 + "\0" }.joined().utf8)
    let word = [UInt8(ascii: "E"), 0, 0, 0, UInt8(text.count + 4)] + text
    state.withLock { $0.lastWord = word }
  }

  /// Has new connections lead to the server again.
  package func endCutting() { state.withLock { $0.isCutting = false } }

  /// Has arrive what is on its way.
  package func release() {
    guard let (bytes, server) = state.withLock({ $0.held }) else { return }
    send(server, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  /// Ends all connections.
  package func cut() {
    for socket in state.withLock({ $0.sockets }) { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  private func accept() {
    while case let client = Glibc.accept(listener, nil, nil), client >= 0 {
      let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: socketPath.utf8) }
      let isThere = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
        }
      }
      if !isThere || state.withLock({ $0.isCutting }) {
        for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) }
      }
      state.withLock { $0.sockets += [client, server] }
      // What was made while all was swallowed stays so.
      let isSwallowed = Locked(false)
      for (from, to) in [(client, server), (server, client)] {
        Thread.detachNewThread { [self] in forward(from, to, isSwallowed, isAnswer: from == server) }
      }
    }
  }

  /// What is sent until there is a pause.
  private func rest(_ from: Int32) -> [UInt8] {
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    var socket = pollfd(fd: from, events: Int16(POLLIN), revents: 0)
    while poll(&socket, 1, 200) > 0, case let count = recv(from, &buffer, buffer.count, 0), count > 0 {
      rest += buffer[..<count]
    }
    return rest
  }

  private func forward(_ from: Int32, _ to: Int32, _ isSwallowed: Locked<Bool>, isAnswer: Bool) {
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = recv(from, &buffer, buffer.count, 0), count > 0 {
      if state.withLock({ $0.isSwallowing || isAnswer && $0.isSwallowingAnswers }) {
        isSwallowed.withLock { $0 = true }
      }
      let isHeld = state.withLock { state in
        defer { if !isAnswer { state.isHolding = false } }
        return !isAnswer && state.isHolding
      }
      let lastWord = state.withLock { state in
        defer { if isAnswer { state.lastWord = nil } }
        return isAnswer ? state.lastWord : nil
      }
      if let lastWord {
        _ = rest(from)
        send(to, lastWord, lastWord.count, Int32(MSG_NOSIGNAL))
        break
      }
      if isHeld {
        let whole = Array(buffer[..<count]) + rest(from)
        state.withLock { $0.held = (whole, to) }
        isSwallowed.withLock { $0 = true }
        shutdown(from, Int32(SHUT_RDWR))
      }
      if isSwallowed.withLock({ $0 }) { continue }
      var sent = 0
      while sent < count {
        let more = send(to, Array(buffer[sent..<count]), count - sent, Int32(MSG_NOSIGNAL))
        if more <= 0 { break }
        sent += more
      }
      let isHalved = state.withLock { state in
        defer { if !isAnswer { state.isHalving = false } }
        return !isAnswer && state.isHalving
      }
      if isHalved {
        isSwallowed.withLock { $0 = true }
        shutdown(from, Int32(SHUT_RDWR))
      }
    }
    // A server behind a dead network learns nothing of its client's end.
    if !isSwallowed.withLock({ $0 }) { shutdown(to, Int32(SHUT_RDWR)) }
  }
}
