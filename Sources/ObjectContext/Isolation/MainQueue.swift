import Dispatch
import Foundation

/// The queue of the main actor's work, which a program that waits asynchronously drains on any
/// thread.
package enum MainQueue {
  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the code that asks is the main actor's.
  package static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: key) == true }
}
