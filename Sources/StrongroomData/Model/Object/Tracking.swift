import CSwiftRuntime
import Glibc
import Observation

/// Finds out whether reads are being tracked, without a registrar for each object: making one takes
/// several times as long as reading a row.
///
/// A probe records a read through a key path of its own. While reads are tracked, observation
/// inserts the key path into a set, which hashes it, and the mark in it notices the hashing. Each
/// tracking leaves an observer with the probe, which lives as long as the probe: so a probe is for
/// one tracking, and is released when its thread tracks nothing any more.
final class Tracking {
  /// How often a mark was hashed, and met its like.
  private struct Counts {
    var hashed = 0
    var met = 0
  }

  private final class Mark: Hashable {
    let counts = UnsafeMutablePointer<Counts>.allocate(capacity: 1)

    init() { counts.initialize(to: Counts()) }

    deinit { counts.deallocate() }

    func hash(into hasher: inout Hasher) { counts.pointee.hashed += 1 }

    static func == (left: Mark, right: Mark) -> Bool {
      left.counts.pointee.met += 1
      return left === right
    }
  }

  private final class Probe: Observable {
    let mark: Mark
    // Equal, and not the same: one object is found in a set without asking its mark.
    private let recorded: KeyPath<Probe, Int>
    private let path: KeyPath<Probe, Int>
    private let registrar = ObservationRegistrar()

    init() {
      let mark = Mark()
      self.mark = mark
      recorded = \Probe[mark]
      path = \Probe[mark]
    }

    private subscript(mark: Mark) -> Int { 0 }

    /// Records the first read of a tracking.
    func begin() { registrar.access(self, keyPath: recorded) }

    @inline(__always)
    func access() { registrar.access(self, keyPath: path) }
  }

  @exclusivity(unchecked) private var retained = Probe()
  // The one that is retained: reading counts no references.
  @exclusivity(unchecked) private var probe: Unmanaged<Probe>
  /// Those of the probe's mark, and what they were last.
  @exclusivity(unchecked) private var counts: UnsafeMutablePointer<Counts>
  @exclusivity(unchecked) private var last = Counts()
  /// Probes that recorded a read of a tracking which may go on.
  @exclusivity(unchecked) private var used: [Probe] = []
  /// Of models that were deallocated since a tracking read them.
  ///
  /// It may go on, and observation does not release an observer that it adds to the registrar of a
  /// deallocated model.
  @exclusivity(unchecked) private var orphans: [TrackedProperties] = []
  private static let most = 1024

  private init() {
    probe = .passUnretained(retained)
    counts = retained.mark.counts
  }

  // Made once, for its destructor: a thread releases its own at its end.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { own in
      thread_pointer_set(nil)
      if let own { Unmanaged<Tracking>.fromOpaque(own).release() }
    }
    return key
  }()

  /// Whether reads on this thread are tracked.
  static var isOn: Bool {
    let own = thread_pointer() ?? begin()
    return Unmanaged<Tracking>.fromOpaque(own)._withUnsafeGuaranteedRef { $0.isOn }
  }

  private static func begin() -> UnsafeMutableRawPointer {
    let own = Unmanaged.passRetained(Tracking()).toOpaque()
    thread_pointer_set(own)
    pthread_setspecific(key, own)
    return own
  }

  @inline(__always)
  private var isOn: Bool {
    probe._withUnsafeGuaranteedRef { $0.access() }
    if counts.pointee.hashed != last.hashed, isRecorded() { return true }
    if !used.isEmpty { releaseProbes() }
    return false
  }

  /// Retains what a model that is being deallocated had, as long as a tracking may have read it.
  static func retain(_ properties: TrackedProperties) {
    guard let own = thread_pointer() else { return }
    Unmanaged<Tracking>.fromOpaque(own)._withUnsafeGuaranteedRef {
      if !$0.used.isEmpty { $0.orphans.append(properties) }
    }
  }

  /// Whether a read that found the mark hashed was recorded.
  private func isRecorded() -> Bool {
    // A tracking that did not have the probe yet is another one than the probe's own.
    let isAnother = counts.pointee.met == last.met
    last = counts.pointee
    return !isAnother || replaceProbe()
  }

  /// Gives the tracking that has just begun a probe of its own.
  ///
  /// - Returns: Whether one has begun. The end of a tracking hashes the mark too, which the first
  ///   read after it finds.
  private func replaceProbe() -> Bool {
    // Where every read is tracked, the trackings of long ago have ended.
    if used.count >= Self.most {
      used.removeFirst(Self.most / 2)
      orphans = []
    }
    used.append(retained)
    take(Probe())
    retained.begin()
    last = counts.pointee
    return last.hashed > 0
  }

  /// Releases what the trackings of this thread left, since all of them have ended.
  private func releaseProbes() {
    let old = (retained, used, orphans)
    used = []
    orphans = []
    take(Probe())
    withExtendedLifetime(old) {}
  }

  private func take(_ new: Probe) {
    retained = new
    probe = .passUnretained(new)
    counts = new.mark.counts
    last = Counts()
  }
}
