import CLibSecret
import Glibc
import StoreKeyring

extension SecretSession {
  /// Has the keyring's program write what it was given to its disk, where it would do so only later.
  ///
  /// A key that is only in the memory of a program is lost with it, and the store's file is encrypted with
  /// it already. KWallet writes after five seconds, or at once when it is asked through its own interface.
  /// KeePassXC writes within a tenth of a second and cannot be asked. GNOME Keyring has written when it
  /// answers.
  func writeToDisk() {
    guard let owner = g_dbus_proxy_get_name_owner(proxy) else { return }
    defer { g_free(owner) }
    let own = String(cString: owner)
    for version in ["6", "5"] where ownerOfName("org.kde.kwalletd\(version)") == own {
      return writeWallet(own, "/modules/kwalletd\(version)")
    }
    if program == "keepassxc" { usleep(1_000_000) }
  }

  /// Writes KWallet's default wallet.
  ///
  /// It is open, for programs of the Secret Service among others, so that no prompt is shown; where it is
  /// not, nothing was stored in it.
  private func writeWallet(_ owner: String, _ path: String) {
    func wallet(_ method: String, _ arguments: [OpaquePointer?] = []) -> OpaquePointer? {
      try? call("writing the wallet", owner, path, "org.kde.KWallet", method, arguments)
    }
    guard let answer = wallet("networkWallet") else { return }
    defer { g_variant_unref(answer) }
    guard let name = g_variant_get_child_value(answer, 0) else { return }
    defer { g_variant_unref(name) }
    guard let users = wallet("users", [name]) else { return }
    defer { g_variant_unref(users) }
    // The Secret Service's own name among the wallet's users is empty.
    guard String(cString: g_variant_get_type_string(users)) == "(as)", hasEmptyName(users) else { return }
    let words = [name, g_variant_new_int64(0), g_variant_new_string("")]
    guard let opened = wallet("open", words) else { return }
    defer { g_variant_unref(opened) }
    guard let handle = g_variant_get_child_value(opened, 0) else { return }
    defer { g_variant_unref(handle) }
    guard let written = wallet("sync", [handle, g_variant_new_string("")]) else { return }
    g_variant_unref(written)
  }

  private func hasEmptyName(_ users: OpaquePointer) -> Bool {
    guard let names = g_variant_get_child_value(users, 0) else { return false }
    defer { g_variant_unref(names) }
    return (0..<g_variant_n_children(names)).contains { index in
      guard let name = g_variant_get_child_value(names, index) else { return false }
      defer { g_variant_unref(name) }
      return g_variant_get_string(name, nil).pointee == 0
    }
  }
}
