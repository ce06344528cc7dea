import CGtk4
import Keeping
import Strongroom
import StrongroomData

/// Opens the store, off the main thread, and asks in dialogs for what that takes.
@MainActor final class Opening {
  private let place: StorePlace
  private let show: @MainActor (Dialog?) -> Void
  private let done: @MainActor (ModelContainer) -> Void
  /// Whether the code of a new store is shown, which nothing shows again.
  private(set) var isShowingCode = false

  /// - Parameters:
  ///   - place: Where the store is.
  ///   - show: Shows a dialog, or none.
  ///   - done: Called once, with the open store.
  init(
    _ place: StorePlace, show: @escaping @MainActor (Dialog?) -> Void,
    done: @escaping @MainActor (ModelContainer) -> Void
  ) {
    (self.place, self.show, self.done) = (place, show, done)
  }

  /// Opens the store, or asks why it does not open.
  /// - Parameter prompt: Whether the keyring may ask for its password.
  func open(prompt: Bool = false) async {
    do {
      let (container, code) = try await Self.container(place, prompt: prompt)
      guard let code else { return finish(container) }
      showCode(code, container)
    } catch {
      let failure = Failure(of: error) ?? (error as? Failure) ?? Failure(.store, "\(error)")
      switch failure.code {
      case .keyringUnavailable where Failure.isLocked(error): askToUnlock(prompt ? failure.description : nil)
      case .keyringUnavailable: askToRetry("The keyring cannot be asked", failure.description)
      case .keyLost: askForCode()
      case .nothingDone, .store: askToRetry("The notes cannot be opened", failure.description)
      }
    }
  }

  private static func container(
    _ place: StorePlace, prompt: Bool
  ) async throws -> (ModelContainer, RecoveryCode?) {
    var configuration = place.configuration("window")
    let made = MadeCode()
    configuration.recoveryCodeHandler = { made.set($0) }
    if prompt { configuration.storeDescriptionHandler = { $0.keyInteraction = .prompt } }
    let given = configuration
    // Opening blocks its thread, and the keyring may take as long as the typing of a password.
    let container = try await Task.detached {
      try ModelContainer(for: Note.self, configurations: given)
    }.value
    return (container, made.code)
  }

  private func finish(_ container: ModelContainer) {
    isShowingCode = false
    show(nil)
    done(container)
  }

  // MARK: Dialogs

  /// - Parameter reason: Why unlocking failed; nil when it was not tried.
  private func askToUnlock(_ reason: String?) {
    let dialog = Dialog(
      "locked", icon: "system-lock-screen-symbolic", title: "The keyring is locked",
      message: "The key of your notes is in it. Unlock it here, or elsewhere and then try again.")
    if let reason { dialog.say(sentence(reason), isFailure: true) }
    dialog.add(buttons: [
      ("Try Again", { [self] in retry(dialog, prompt: false) }),
      ("Unlock…", { [self] in retry(dialog, prompt: true) }),
    ])
    present(dialog)
  }

  private func askToRetry(_ title: String, _ reason: String) {
    let dialog = Dialog(
      "failure", icon: "dialog-error-symbolic", title: title, message: sentence(reason))
    dialog.add(buttons: [("Try Again", { [self] in retry(dialog, prompt: false) })])
    present(dialog)
  }

  private func askForCode() {
    let dialog = Dialog(
      "recovery", icon: "dialog-password-symbolic", title: "The keyring lost the key",
      message: "Type the recovery code that was shown when the notes were made. "
        + "It puts the key back into the keyring.")
    let entry: Widget = gtk_password_entry_new()
    gtk_password_entry_set_show_peek_icon(entry.opaque, 1)
    gtk_widget_add_css_class(entry, "code")
    gtk_widget_set_size_request(entry, 420, -1)
    let restore: @MainActor () -> Void = { [self] in
      let code = SecretBytes(entry: entry)
      dialog.enable(false)
      Task {
        do {
          try await place.recover("window", typed: code)
          await open()
        } catch {
          dialog.enable(true)
          dialog.say(sentence(Failure(of: error)?.description ?? "\(error)"), isFailure: true)
          _ = gtk_widget_grab_focus(entry)
        }
      }
    }
    on(entry.opaque, "activate", restore)
    dialog.add(entry)
    dialog.add(buttons: [("Bring the Key Back", restore)])
    show(dialog)
    _ = gtk_widget_grab_focus(entry)
  }

  private func showCode(_ code: RecoveryCode, _ container: ModelContainer) {
    let dialog = Dialog(
      "code", icon: "dialog-password-symbolic", title: "Write this recovery code down",
      message: "The key of your notes is in the keyring. When the keyring is lost, this code brings it back. "
        + "It is not shown again.")
    let groups = code.withText { String(decoding: $0, as: UTF8.self) }.split(separator: "-")
    let lines = [groups.prefix(6), groups.dropFirst(6)].map { $0.joined(separator: "-") }
    let label = Widget.label(lines.joined(separator: "-\n"), "code")
    gtk_label_set_selectable(label.opaque, 1)
    dialog.add(label)
    dialog.add(buttons: [("I Wrote It Down", { [self] in finish(container) })])
    isShowingCode = true
    present(dialog)
  }

  private func present(_ dialog: Dialog) {
    show(dialog)
    dialog.focusButton()
  }

  private func retry(_ dialog: Dialog, prompt: Bool) {
    dialog.enable(false)
    Task { await open(prompt: prompt) }
  }

  private func sentence(_ text: String) -> String {
    guard let first = text.first else { return "" }
    return first.uppercased() + text.dropFirst() + (text.hasSuffix(".") ? "" : ".")
  }
}

/// The code of a store that was just made, from the thread that makes it.
private final class MadeCode: @unchecked Sendable {
  // @unchecked: set before the opening ends, and read after that.
  private(set) var code: RecoveryCode?
  func set(_ code: RecoveryCode) { self.code = code }
}

extension SecretBytes {
  /// What was typed into a password entry, whose own memory is locked too; the entry is emptied.
  fileprivate convenience init(entry: Widget) {
    let typed = gtk_editable_get_text(entry.opaque)
    self.init(UnsafeRawBufferPointer(start: typed, count: typed.map { strlen($0) } ?? 0))
    gtk_editable_set_text(entry.opaque, "")
  }
}
