import Dispatch
import Foundation
import Glibc
import Locks

/// The kernel's word that a file is written to.
///
/// One inotify instance serves the whole process: a user may have few of them, and any number of
/// files can be watched by one.
final class FileEvents: Sendable {
  /// Nil where the kernel gives no instance.
  static let shared = FileEvents()

  /// Watches one file for as long as it is alive.
  final class Watch: Sendable {
    private let events: FileEvents
    private let file: Int32
    private let number: Int

    fileprivate init(_ events: FileEvents, _ file: Int32, _ number: Int) {
      (self.events, self.file, self.number) = (events, file, number)
    }

    deinit { events.end(file, number) }
  }

  private struct Listeners: Sendable {
    var last = 0
    /// By the kernel's number of the file: one file, watched twice, has one.
    var calls: [Int32: [Int: @Sendable () -> Void]] = [:]
  }

  private let descriptor: Int32
  // nonisolated(unsafe): set up once, before anybody else sees it, and only referred to from then on.
  private nonisolated(unsafe) let source: any DispatchSourceRead
  private let listeners = Locked(Listeners())

  private init?() {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { return nil }
    source = DispatchSource.makeReadSource(
      fileDescriptor: descriptor, queue: DispatchQueue(label: "strongroom.file-events"))
    source.setEventHandler { [weak self] in self?.read() }
    source.activate()
  }

  /// Calls a closure after each write to a file, several in a row perhaps once.
  ///
  /// Nil where the file cannot be watched.
  func watch(_ url: URL, _ written: @escaping @Sendable () -> Void) -> Watch? {
    listeners.withLock { listeners in
      let file = inotify_add_watch(descriptor, url.path, UInt32(IN_MODIFY))
      if file < 0 { return nil }
      listeners.last += 1
      listeners.calls[file, default: [:]][listeners.last] = written
      return Watch(self, file, listeners.last)
    }
  }

  private func end(_ file: Int32, _ number: Int) {
    listeners.withLock { listeners in
      listeners.calls[file]?[number] = nil
      guard listeners.calls[file]?.isEmpty == true else { return }
      listeners.calls[file] = nil
      inotify_rm_watch(descriptor, file)
    }
  }

  private func read() {
    var files: Set<Int32> = []
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) {
      buffer in
      while case let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count), count > 0 {
        var place = 0
        while place < count {
          let event = buffer.load(fromByteOffset: place, as: inotify_event.self)
          // More was written than the kernel could tell: it may have been any file.
          if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { files.formUnion(listeners.withLock { $0.calls.keys }) }
          files.insert(event.wd)
          place += MemoryLayout<inotify_event>.size + Int(event.len)
        }
      }
    }
    for call in listeners.withLock({ listeners in files.flatMap { (listeners.calls[$0] ?? [:]).values } }) {
      call()
    }
  }
}
