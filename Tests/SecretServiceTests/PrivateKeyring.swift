import Foundation

/// The programs beside the tests.
enum Beside {
  static func program(_ name: String) -> URL {
    // The test bundle lies in the build folder, beside every program that was built with it.
    URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent(name)
  }

  /// Whether the tests run under a keyring of their own; without one none of them may touch any.
  static var hasPrivateKeyring: Bool {
    ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"
  }

  /// Foundation learns of a child's end by a descriptor that every descendant inherits: a daemon
  /// that outlives the script must not have it.
  private static let closing = """
    for fd in /proc/$$/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done 2>/dev/null

    """

  /// Runs a shell script with the probe's path in `$PROBE`; answers what it printed, by lines.
  static func shell(_ script: String, _ environment: [String: String?] = [:]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    process.arguments = ["--kill-after=1", "40", "/bin/bash", "-c", closing + script]
    var variables = ProcessInfo.processInfo.environment
    variables["PROBE"] = program("keyring-probe").path
    variables["STORE"] = UUID().uuidString
    variables["DISPLAY"] = nil
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    // A file and not a pipe: a daemon that outlives the script would hold a pipe open.
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data().write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.standardOutput = try FileHandle(forWritingTo: file)
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let output = try Data(contentsOf: file)
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  /// Runs a script on a bus of its own, in a home of its own that is removed after.
  static func onPrivateBus(_ script: String) throws -> [String] {
    try shell(
      """
      room=$(mktemp -d); trap 'rm -rf "$room"' EXIT; mkdir -m 700 "$room/run"
      export HOME="$room" XDG_RUNTIME_DIR="$room/run" XDG_DATA_HOME="$room/data" PROBE STORE
      unlock() { printf pw | gnome-keyring-daemon --unlock --replace --components=secrets \
      >/dev/null 2>&1; sleep 0.3; }
      lock() { dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
        org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login \
      >/dev/null; }
      export -f unlock lock
      cat > "$room/script" <<'SCRIPT'
      \(script)
      SCRIPT
      dbus-run-session -- bash "$room/script"
      # Bus and daemons of this room only, whatever they make of milder signals.
      for process in /proc/[0-9]*; do
        id=${process#/proc/}
        [ "$id" != "$$" ] && grep -qzxF "HOME=$room" "$process/environ" 2>/dev/null && kill -9 "$id"
      done
      """)
  }
}
