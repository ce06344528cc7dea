import CLibSecret
import Foundation
import StoreKeyring

extension SecretSession {
  private static let bus = "org.freedesktop.DBus"

  var proxy: UnsafeMutablePointer<GDBusProxy> {
    UnsafeMutableRawPointer(service).assumingMemoryBound(to: GDBusProxy.self)
  }

  /// Calls a method over the connection that libsecret has.
  /// - Returns: The answer, which the caller releases.
  func call(
    _ doing: String, _ name: String, _ path: String, _ interface: String, _ method: String,
    _ arguments: [OpaquePointer?]
  ) throws -> OpaquePointer {
    var arguments = arguments
    var problem: UnsafeMutablePointer<GError>?
    // By number: from GLib 2.88 on the type is an option set here, which has no name for none.
    let noFlags = GDBusCallFlags(rawValue: 0)
    let answer = g_dbus_connection_call_sync(
      g_dbus_proxy_get_connection(proxy), name, path, interface, method,
      g_variant_new_tuple(&arguments, gsize(arguments.count)), nil, noFlags, -1,
      cancellable.pointer, &problem)
    if let problem { throw GLib.error(problem, doing) }
    guard let answer else { throw KeyringError(.vaultUnreachable, "\(doing) failed without a reason") }
    return answer
  }

  /// The connection that owns a name on the bus; nil where none does.
  func ownerOfName(_ name: String) -> String? {
    let answer = try? call(
      "asking for the owner of a name", Self.bus, "/org/freedesktop/DBus", Self.bus, "GetNameOwner",
      [g_variant_new_string(name)])
    guard let answer else { return nil }
    defer { g_variant_unref(answer) }
    guard let owner = g_variant_get_child_value(answer, 0) else { return nil }
    defer { g_variant_unref(owner) }
    return String(cString: g_variant_get_string(owner, nil))
  }

  /// The program that owns the service's name on the bus, as the kernel names it.
  var program: String? {
    guard let owner = g_dbus_proxy_get_name_owner(proxy) else { return nil }
    defer { g_free(owner) }
    let answer = try? call(
      "asking for the keyring's program", Self.bus, "/org/freedesktop/DBus", Self.bus,
      "GetConnectionUnixProcessID", [g_variant_new_string(owner)])
    guard let answer else { return nil }
    defer { g_variant_unref(answer) }
    guard let number = g_variant_get_child_value(answer, 0) else { return nil }
    defer { g_variant_unref(number) }
    let name = try? String(contentsOfFile: "/proc/\(g_variant_get_uint32(number))/comm", encoding: .utf8)
    return name?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
