public import Foundation
import Glibc

/// Where a vault's items are stored.
///
/// Vaults with equal locations hold the same items, whichever names they are reached by.
public struct KeyVaultLocation: Sendable, Hashable {
  private enum Form: Sendable, Hashable {
    case file(device: UInt64, inode: UInt64)
    case missingFile(String)
    case service(String)
    case object(ObjectIdentifier)
  }

  private let form: Form

  /// The location of a file: its device and inode, or its folder's real path and its name while the
  /// file does not exist.
  public init(file url: URL) {
    var status = stat()
    if stat(url.path, &status) == 0 {
      form = .file(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
      return
    }
    let folder = url.deletingLastPathComponent().path
    let real = realpath(folder, nil)
    defer { free(real) }
    form = .missingFile((real.map { String(cString: $0) } ?? folder) + "/" + url.lastPathComponent)
  }

  /// The location of a service that exists once, by its name.
  public init(service name: String) { form = .service(name) }

  /// The location of a vault within this process: an object's identity.
  public init(_ object: AnyObject) { form = .object(ObjectIdentifier(object)) }
}
