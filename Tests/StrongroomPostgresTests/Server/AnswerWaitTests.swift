import Dispatch
import Foundation
import Testing

@testable import StrongroomPostgres

@Suite("Waiting for an answer")
struct AnswerWaitTests {
  @Test("an answer is seen whether the one before came at once or late, and none ends the wait in time")
  func waits() throws {
    var ends: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let (own, other) = (ends[0], ends[1])
    var socket = pollfd(fd: own, events: Int16(POLLIN), revents: 0)
    var wait = AnswerWait()
    var byte: UInt8 = 0
    func answer(after delay: Int) {
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(delay)) {
        var byte: UInt8 = 1
        write(other, &byte, 1)
      }
    }
    for delay in [0, 0, 20, 0, 20, 20, 0] {
      answer(after: delay)
      #expect(wait.event(of: &socket, milliseconds: 600_000) == 1)
      #expect(Int32(socket.revents) & POLLIN != 0)
      #expect(read(own, &byte, 1) == 1)
      #expect(wait.event(of: &socket, milliseconds: 1) == 0, "nothing was sent")
      #expect(wait.event(of: &socket, milliseconds: 0) == 0)
    }
    shutdown(other, Int32(SHUT_RDWR))
    #expect(wait.event(of: &socket, milliseconds: 600_000) == 1, "a connection that ends is an event")
  }
}
