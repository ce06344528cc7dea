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

  /// Runs a shell script with the probe's path in `$PROBE`; answers what it printed, by lines.
  static func shell(_ script: String, _ environment: [String: String?] = [:]) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/timeout")
    process.arguments = ["--kill-after=1", "40", "/bin/bash", "-c", script]
    var variables = ProcessInfo.processInfo.environment
    variables["PROBE"] = program("keyring-probe").path
    variables["STORE"] = UUID().uuidString
    variables["DISPLAY"] = nil
    for (name, value) in environment { variables[name] = value }
    process.environment = variables
    // A file and not a pipe: a daemon that outlives the script would hold a pipe open.
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    FileManager.default.createFile(atPath: file.path, contents: nil)
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
      unlock() { printf pw | gnome-keyring-daemon --unlock --replace --components=secrets >/dev/null 2>&1; sleep 0.3; }
      lock() { dbus-send --session --print-reply --dest=org.freedesktop.secrets /org/freedesktop/secrets \
        org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null; }
      export -f unlock lock
      cat > "$room/script" <<'SCRIPT'
      \(script)
      pkill -CONT -f "gnome-keyring-daemon" -u "$(id -u)" >/dev/null 2>&1 || true
      SCRIPT
      dbus-run-session -- bash "$room/script"
      """)
  }
}
