import Foundation
import NIOCore
import NIOHTTP1

/// One connection of a browser: takes requests, has them answered, and writes the answers.
///
/// A request that the gate refuses is answered before its body is read, and ends the connection.
final class InspectConnection: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  /// After which a connection without a request is closed.
  static let longestSilence = TimeAmount.seconds(60)
  /// After which a change interrupts the read that it waits for.
  private static let patience = TimeAmount.milliseconds(200)

  private let gate: RequestGate
  private let inspection: Inspection
  private let strangers: Strangers
  private var deadline: Scheduled<Void>?
  private var request: (target: Substring, head: HTTPRequestHead)?
  private var body = Data()
  private var answering: Task<Void, Never>?

  init(_ gate: RequestGate, _ inspection: Inspection, _ strangers: Strangers) {
    (self.gate, self.inspection, self.strangers) = (gate, inspection, strangers)
  }

  func channelActive(context: ChannelHandlerContext) {
    let channel = context.channel
    strangers.add(channel)
    deadline = channel.eventLoop.scheduleTask(in: Strangers.patience) { channel.close(promise: nil) }
    context.fireChannelActive()
  }

  /// The connection is closed, or its client has shown the secret.
  private func isNoStranger(_ channel: any Channel) {
    deadline?.cancel()
    strangers.remove(channel)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      body = Data()
      request = gate.target(of: head).map { ($0, head) }
      guard let request else { return refuse(.missing, context) }
      isNoStranger(context.channel)
      if request.target.utf8.count > InspectRequest.longestTarget {
        self.request = nil
        refuse(.tooLong, context)
      }
    case .body(let part):
      guard request != nil else { return }
      body.append(contentsOf: part.readableBytesView)
      if body.count > InspectRequest.longestBody {
        request = nil
        refuse(Answer(.payloadTooLarge), context)
      }
    case .end:
      guard let (target, head) = request else { return }
      request = nil
      answer(InspectRequest(target, head, body), isLast: !head.isKeepAlive, context)
    }
  }

  /// Closes a connection that has sent nothing for long.
  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent, answering == nil { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  /// The client has closed the connection, so that its request is cancelled.
  func channelInactive(context: ChannelHandlerContext) {
    answering?.cancel()
    isNoStranger(context.channel)
    context.fireChannelInactive()
  }

  /// What is no request is the last of its connection.
  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
    refuse(error == .headerOverflow ? .tooLong : Answer(.badRequest), context)
  }

  private func refuse(_ answer: Answer, _ context: ChannelHandlerContext) {
    Self.write(answer, isLast: true, to: context.channel)
  }

  private func answer(_ request: InspectRequest, isLast: Bool, _ context: ChannelHandlerContext) {
    let (channel, inspection) = (context.channel, inspection)
    let waiting =
      request.method == .GET
      ? nil
      : channel.eventLoop.scheduleRepeatedTask(
        initialDelay: Self.patience, delay: Self.patience
      ) { _ in inspection.running.interrupt() }
    let answer = channel.eventLoop.makePromise(of: Answer.self)
    answering = answer.completeWithTask { await Self.answer(request, inspection) }
    answer.futureResult.assumeIsolated().whenSuccess { answer in
      waiting?.cancel()
      self.answering = nil
      Self.write(answer, isLast: isLast, to: channel)
    }
  }

  private static func answer(_ request: InspectRequest, _ inspection: Inspection) async -> Answer {
    if let call = request.path.dropping("api/") { return await inspection.answer(String(call), request) }
    guard request.method == .GET else { return Answer(.methodNotAllowed) }
    return Page.file(request.path) ?? .missing
  }

  private static func write(_ answer: Answer, isLast: Bool, to channel: any Channel) {
    var headers = answer.headers
    if isLast { headers.add(name: "Connection", value: "close") }
    let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: answer.body))), promise: nil)
    let written = channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    if isLast { written.whenComplete { _ in channel.close(promise: nil) } }
  }
}

extension String {
  /// The rest behind a prefix; nil without it.
  func dropping(_ prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
