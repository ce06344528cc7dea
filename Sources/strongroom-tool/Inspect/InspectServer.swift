import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Strongroom

/// Serves the page that shows a store, on this machine alone.
struct InspectServer {
  let inspection: Inspection
  /// 0 for one that is free.
  let port: Int

  /// Runs until its task is cancelled.
  ///
  /// - `isReady`: Called once with the page's address.
  /// - Throws: `ToolFailure` when the port cannot be opened, or is closed before the task is cancelled; what
  ///   `isReady` throws.
  func run(_ isReady: (String) throws -> Void) async throws {
    let token = RequestGate.newToken()
    let (inspection, strangers) = (inspection, Strangers())
    let listening = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 128)
      .serverChannelInitializer { channel in
        // Where the program may open no more files, accepting is tried again after a second.
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(AcceptBackoffHandler())
        }
      }
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let gate = RequestGate(token: token, port: channel.localAddress?.port ?? 0)
          try channel.pipeline.syncOperations.configureHTTPServerPipeline(withErrorHandling: false)
          try channel.pipeline.syncOperations.addHandler(
            IdleStateHandler(readTimeout: InspectConnection.longestSilence))
          try channel.pipeline.syncOperations.addHandler(InspectConnection(gate, inspection, strangers))
        }
      }
    let channel: any Channel
    do { channel = try await listening.bind(host: "127.0.0.1", port: port).get() } catch {
      throw ToolFailure("port \(port) cannot be opened: leave out --port, or name another one")
    }
    do {
      try isReady("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\(token)/")
    } catch {
      try? await channel.close()
      throw error
    }
    try await withTaskCancellationHandler {
      try await channel.closeFuture.get()
    } onCancel: {
      inspection.running.end()
      channel.close(promise: nil)
    }
    if !Task.isCancelled { throw ToolFailure("the port was closed; start again") }
  }
}
