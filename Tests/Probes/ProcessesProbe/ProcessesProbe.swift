import Foundation
import Glibc
import Strongroom

/// Lets processes share a store.
///
/// `processes-probe run FOLDER` leaves in the folder what each did, and what is in the store in the end;
/// `Tests/Support/processes/judge.py` reads it. `processes-probe delay` measures how soon another process has
/// a commit. The other words start one of the processes.
@main
struct ProcessesProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let words = Array(arguments.dropFirst())
    switch words.first {
    case "run":
      guard words.count >= 2, let options = RunOptions(words.dropFirst(2)) else { usage() }
      try await Run(Playground(words[1]), options).run()
    case "delay":
      guard let options = DelayOptions(words.dropFirst()) else { usage() }
      exit(try await Delay(options).run() ? 0 : 1)
    case "writer", "consumer-notified", "consumer-polling":
      guard words.count == 4, let number = Int(words[2]), let life = Int(words[3]) else { usage() }
      let playground = Playground(words[1])
      if words[0] == "writer" {
        try await Writer(playground, number: number, life: life).run()
      } else {
        try await Consumer(playground, number: number, life: life, isNotified: words[0].hasSuffix("notified"))
          .run()
      }
    case "delay-writer":
      guard words.count == 4, let commits = Int(words[2]), let pause = Int(words[3]) else { usage() }
      try await DelayWriter(Playground(words[1]), commits: commits, pause: pause).run()
    case "delay-watcher":
      guard words.count == 3, let commits = Int(words[2]) else { usage() }
      try await DelayWatcher(Playground(words[1]), commits: commits).run()
    default: usage()
    }
  }

  private static func usage() -> Never {
    say(
      """
      usage: processes-probe run FOLDER [--seconds N] [--processes N] [--busy-timeout MS] [--no-kills]
                                  [--store postgres [--crashes] [--switchovers N]]
             processes-probe delay [--commits N] [--pause MS]

      """)
    exit(64)
  }
}

/// For whoever looks on.
func say(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

/// This program, for its processes.
func ownProcess(_ arguments: [String]) -> Process {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
  process.arguments = arguments
  return process
}
