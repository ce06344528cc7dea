import CLibPQ
import Glibc
import StoreKeyring

/// One setting of a connection, as libpq names it.
struct ConnectionSetting: Sendable {
  private enum Value: Sendable {
    case text(String)
    case secret(SecretBytes)
  }

  private let name: String
  private let value: Value

  init(_ name: String, _ value: String) { (self.name, self.value) = (name, .text(value)) }

  /// A setting whose copies are wiped.
  init(_ name: String, _ secret: SecretBytes) { (self.name, value) = (name, .secret(secret)) }

  /// Has OpenSSL not ask on the program's terminal for a private key's passphrase, which the vaults may have;
  /// once in a process, and not where the program answers itself.
  static let asksNoTerminal: Void = {
    if PQgetSSLKeyPassHook_OpenSSL() == nil {
      PQsetSSLKeyPassHook_OpenSSL(PQdefaultSSLKeyPassHook_OpenSSL)
    }
  }()

  typealias Strings = UnsafePointer<UnsafePointer<CChar>?>

  /// Calls a closure with the names and the values, which each end with a null pointer.
  static func withStrings<R>(
    _ settings: [ConnectionSetting], _ body: (Strings, Strings) throws -> R
  ) rethrows -> R {
    let names = settings.map { CString($0.name) }
    let values = settings.map { setting in
      switch setting.value {
      case .text(let text): CString(text)
      case .secret(let secret): CString(secret)
      }
    }
    defer { for string in names + values { string.release() } }
    return try (names.map(\.pointer) + [nil]).withUnsafeBufferPointer { names in
      try (values.map(\.pointer) + [nil]).withUnsafeBufferPointer { values in
        try body(names.baseAddress.unsafelyUnwrapped, values.baseAddress.unsafelyUnwrapped)
      }
    }
  }

  /// A copy that ends with a zero and is wiped when it is released.
  private struct CString {
    private let bytes: UnsafeMutableRawBufferPointer

    var pointer: UnsafePointer<CChar>? {
      UnsafePointer(bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
    }

    init(_ text: String) {
      var text = text
      bytes = text.withUTF8 { Self.copy(UnsafeRawBufferPointer($0)) }
    }

    init(_ secret: SecretBytes) { bytes = secret.withUnsafeBytes { Self.copy($0) } }

    private static func copy(_ source: UnsafeRawBufferPointer) -> UnsafeMutableRawBufferPointer {
      let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count + 1, alignment: 1)
      copy.copyMemory(from: source)
      copy[source.count] = 0
      return copy
    }

    func release() {
      bytes.baseAddress.map { explicit_bzero($0, bytes.count) }
      bytes.deallocate()
    }
  }
}

extension ServerConnection {
  /// The server that it leads to, one of several that an address may have.
  var place: [ConnectionSetting] {
    [("host", PQhost(handle)), ("hostaddr", PQhostaddr(handle)), ("port", PQport(handle))]
      .map { ConnectionSetting($0.0, $0.1.map { String(cString: $0) } ?? "") }
  }
}
