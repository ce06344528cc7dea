public import Foundation
import Glibc

/// Where a vault's items really are: vaults of equal locations hold the same items, whatever the names that lead there.
public struct KeyVaultLocation: Sendable, Hashable {
  private enum Form: Sendable, Hashable {
    case file(device: UInt64, inode: UInt64)
    case missingFile(String)
    case service(String)
    case object(ObjectIdentifier)
  }

  private let form: Form

  /// A file, by device and inode; by its folder's real path and its name while there is none.
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

  /// A service that there is one of, by its name.
  public init(service name: String) { form = .service(name) }

  /// A vault within this process.
  public init(_ object: AnyObject) { form = .object(ObjectIdentifier(object)) }
}
