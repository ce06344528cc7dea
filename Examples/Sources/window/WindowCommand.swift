import ArgumentParser
import CGtk4
import Glibc
import Keeping
import StrongroomData

@main struct WindowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "window",
    abstract: "Notes in a window, which shows at once what other processes do to them.",
    discussion: """
      Notes are kept in an encrypted file; its key is in your keyring.

      Exit codes: 0 done, 2 the keyring lost the key, 3 the keyring cannot be asked, 4 the file or the disk is at \
      fault, 64 the command line is wrong. The window asks instead.
      """)
  @OptionGroup var place: StorePlace
  @Option(help: "Adds a note of this title, without a window.") var add: String?
  @Flag(help: "Prints the titles, without a window.") var list = false
  @Option(help: "Adds so many notes for trying, without a window.") var fill: Int?
  @Flag(help: "Puts the key back into the keyring, by the recovery code, without a window.") var recover =
    false
  @Flag(help: "Dark, whatever the desktop says.") var dark = false
  @Flag(help: "Prints what the window shows, line by line.") var trace = false

  func validate() throws {
    if let fill, fill < 1 || fill > 1_000_000 { throw ValidationError("--fill takes 1 to 1,000,000") }
    guard [add != nil, fill != nil, list, recover].count(where: \.self) <= 1 else {
      throw ValidationError("--add, --fill, --list and --recover exclude each other")
    }
  }

  // GTK's main thread is the one that `main` begins on.
  func run() throws { try onMain { Result { try start() } }.get() }

  @MainActor private func start() throws {
    Trace.begin(trace)
    if add == nil, fill == nil, !list, !recover { return try showWindow() }
    try MainLoop.run {
      try await Failure.reporting("window") {
        if recover { return try await place.recover("window") }
        let container = try await place.open(
          "window", for: Note.self, making: !list, recovery: "window --recover")
        let context = ModelContext(container)
        if let add {
          context.insert(Note(add))
          try context.save()
        } else if let fill {
          try Sample.fill(container, count: fill)
        } else {
          for note in try context.fetch(Note.all) { print(Terminal.plain(note.name)) }
        }
      }
    }
  }

  @MainActor private func showWindow() throws {
    MainLoop.attach()
    guard let application = gtk_application_new("org.strongroom.example.window", G_APPLICATION_NON_UNIQUE)
    else { throw Failure(.nothingDone, "GTK did not start") }
    var window: NotesWindow?
    on(OpaquePointer(application), "activate") {
      Appearance.start(dark: dark)
      window = NotesWindow(application, place)
    }
    // A signal closes the window as its button does, so that what was typed is saved.
    for number in [SIGTERM, SIGINT, SIGHUP] { MainLoop.on(signal: number) { window?.close() } }
    let code = UnsafeMutableRawPointer(application).withMemoryRebound(to: GApplication.self, capacity: 1) {
      g_application_run($0, 0, nil)
    }
    withExtendedLifetime(window) {}
    if code != 0 { throw ExitCode(code) }
  }
}
