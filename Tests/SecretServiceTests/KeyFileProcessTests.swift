import Foundation
import Glibc
import Testing

@Suite("Key files and processes", .serialized)
struct KeyFileProcessTests {
  private static let room = """
    room=$(mktemp -d); trap 'rm -rf "$room"' EXIT
    export KEYFILE="$room/keys"

    """

  @Test("many processes that add a key each to one file lose none, also by two names of its folder")
  func many() throws {
    let lines = try Beside.shell(
      Self.room + """
        ln -s "$room" "$room/alias"
        for number in $(seq 12); do
          KEYFILE="$room/keys" $PROBE add $STORE > /dev/null &
          KEYFILE="$room/alias/keys" $PROBE add $STORE > /dev/null &
        done
        wait
        $PROBE find $STORE; ls "$room" | grep -c new; tail -c 1 "$KEYFILE" | od -An -c
        """)
    #expect(lines == ["found 24", "0", "  \\n"], "\(lines)")
  }

  @Test(
    "a process that is killed while it adds keys leaves every key that it acknowledged, and no other file")
  func killed() throws {
    let lines = try Beside.shell(
      Self.room + """
        for number in $(seq 12); do
          timeout -s KILL 0.0$((number % 8 + 2)) $PROBE fill $STORE >> "$room/told"
          printf '%s' "$(cat "$KEYFILE" 2>/dev/null)" > "$room/copy"
        done 2>/dev/null
        $PROBE add $STORE
        lost=0; for key in $(grep -E '^[0-9a-f]{32}$' "$room/told"); do grep -q "^$key v1:" \
        "$KEYFILE" || lost=$((lost + 1)); done
        echo "lost $lost"
        grep -cvE '^[0-9a-f]{32} v1:[0-9a-f:]+$' "$KEYFILE"
        ls "$room" | grep -c '\\.new$'
        """)
    #expect(lines == ["added", "lost 0", "0", "0"], "\(lines)")
  }

  @Test("a full disk fails the adding, and what was there stays", .enabled(if: getuid() == 0))
  func fullDisk() throws {
    let lines = try Beside.shell(
      Self.room + """
        export room
        unshare -m bash -c '
          mount -t tmpfs -o size=64k tmpfs "$room" || { echo unmounted; exit; }
          $PROBE add $STORE
          before=$(md5sum < "$KEYFILE")
          head -c 100000 /dev/zero > "$room/filler" 2>/dev/null
          $PROBE add $STORE; $PROBE find $STORE
          [ "$(md5sum < "$KEYFILE")" = "$before" ] && echo same
          ls "$room" | grep -c "new$"
          rm "$room/filler"; $PROBE add $STORE; $PROBE find $STORE
        ' || echo unmounted
        """)
    // Where nothing may be mounted there is nothing to see.
    if lines.contains("unmounted") { return }
    #expect(lines == ["added", "diskFull - 0", "found 1", "same", "0", "added", "found 2"], "\(lines)")
  }
}
