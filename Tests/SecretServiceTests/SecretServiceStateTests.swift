import Foundation
import Testing

@Suite("What the keyring's states look like", .serialized, .enabled(if: Beside.hasPrivateKeyring))
struct SecretServiceStateTests {
  @Test("no session bus, told apart from no service")
  func unreachable() throws {
    for address in [nil, "unix:path=/nonexistent/bus", "disabled:"] {
      for action in ["find", "add"] {
        let lines = try Beside.shell(
          "$PROBE \(action) $STORE", ["DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": "/nonexistent"])
        #expect(lines.first?.hasPrefix("noSessionBus g-") == true, "\(address ?? "none"): \(lines)")
      }
    }
    // A bus with an empty folder of services, so that none can be started.
    let lines = try Beside.shell(
      """
      room=$(mktemp -d); trap 'kill $pid; rm -rf "$room"' EXIT
      printf '<busconfig><type>session</type><listen>unix:tmpdir=%s</listen><policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>' "$room" > "$room/c"
      dbus-daemon --config-file="$room/c" --print-address=1 --nofork > "$room/address" 2>/dev/null & pid=$!
      sleep 0.5
      export DBUS_SESSION_BUS_ADDRESS=$(cat "$room/address")
      $PROBE find $STORE; $PROBE add $STORE
      """)
    #expect(lines == ["noSecretService g-dbus-error-quark 2", "noSecretService g-dbus-error-quark 2"])
  }

  @Test("absent, present, locked, and locked after the daemon was started anew")
  func locked() throws {
    let lines = try Beside.onPrivateBus(
      """
      unlock
      $PROBE find $STORE; $PROBE add $STORE; $PROBE find $STORE
      lock
      $PROBE find $STORE; $PROBE add $STORE; $PROBE find 00000000-0000-0000-0000-000000000001
      gnome-keyring-daemon --replace --components=secrets >/dev/null 2>&1 & sleep 0.7
      $PROBE find $STORE; $PROBE add $STORE
      """)
    #expect(
      lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        == [
          "found 0", "added", "found 1", "vaultLocked -", "vaultLocked -", "vaultLocked -", "vaultLocked -",
          "vaultLocked -",
        ])
  }

  @Test("no default collection")
  func noDefault() throws {
    let lines = try Beside.onPrivateBus(
      """
      gnome-keyring-daemon --start --components=secrets >/dev/null 2>&1; sleep 0.3
      $PROBE find $STORE; $PROBE add $STORE
      """)
    #expect(lines.map { $0.split(separator: " ")[0] } == ["noDefaultCollection", "noDefaultCollection"])
  }

  @Test("a daemon that hangs ends in a timeout, and one that died is found again")
  func hanging() throws {
    let lines = try Beside.onPrivateBus(
      """
      unlock
      $PROBE add $STORE
      pid=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \
        org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets | awk '{print $2}')
      kill -STOP $pid
      timeout 20 $PROBE find $STORE
      kill -CONT $pid; kill -9 $pid; sleep 0.2
      unlock
      $PROBE find $STORE
      """)
    #expect(lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }.first == "added")
    #expect(lines.count == 3 && lines[1].hasPrefix("timedOut"), "\(lines)")
    #expect(lines.last == "found 1")
  }
}
