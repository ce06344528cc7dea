import CGtk4
import Keeping
import Strongroom
import StrongroomData

/// The window: list and editor of an open store, or the dialog of one that does not open.
@MainActor final class NotesWindow {
  private let window: Widget
  private let overlay: Widget
  private let content: Widget
  private let search: Widget
  private let banner = Banner()
  private let editor = Editor()
  private let actions: Actions
  private var dialog: Dialog?
  private var opening: Opening?
  /// Whether the window was closed while it could not save.
  private var isLeaving = false
  /// What was searched for last.
  private var words = ""
  /// While a step is undone or redone, a note that comes back is shown.
  private var isTakingBack = false
  /// The open store's; nil before.
  private var notes: (context: ModelContext, observer: ResultsObserver<Note, Never>, list: NoteList)?
  private var statements: () -> Int = { 0 }

  init(_ application: UnsafeMutablePointer<GtkApplication>, _ place: StorePlace) {
    window = gtk_application_window_new(application)
    actions = Actions(application, window)
    content = .box(GTK_ORIENTATION_VERTICAL, [banner.widget])
    overlay = gtk_overlay_new()
    search = gtk_search_entry_new()
    gtk_window_set_title(window.cast(), "Notes")
    gtk_window_set_default_size(window.cast(), 880, 560)
    gtk_window_set_titlebar(window.cast(), header())
    gtk_overlay_set_child(overlay.opaque, content)
    gtk_window_set_child(window.cast(), overlay)
    addActions()
    on(search.opaque, "search-changed") { [unowned self] in look() }
    on(search.opaque, "stop-search") { [unowned self] in gtk_editable_set_text(search.opaque, "") }
    editor.onPause = { [unowned self] in save() }
    editor.onTyping = { [unowned self] in isLeaving = false }
    editor.onLoss = { [unowned self] in rescue($0, $1) }
    before(window.opaque, "close-request") { [unowned self] in mayClose() }
    opening = Opening(
      place, show: { [unowned self] in show($0) }, done: { [unowned self] in open($0) })
    show(nil)
    gtk_window_present(window.cast())
    Task { await opening?.open() }
  }

  private func header() -> Widget {
    let header: Widget = gtk_header_bar_new()
    gtk_widget_set_size_request(search, 300, -1)
    gtk_header_bar_set_title_widget(header.opaque, search)
    gtk_header_bar_pack_start(
      header.opaque, .button(icon: "list-add-symbolic", tip: "New note (Ctrl+N)", action: "win.new"))
    gtk_header_bar_pack_start(
      header.opaque, .button(icon: "edit-undo-symbolic", tip: "Undo (Ctrl+Z)", action: "win.undo"))
    gtk_header_bar_pack_start(
      header.opaque, .button(icon: "edit-redo-symbolic", tip: "Redo (Ctrl+Shift+Z)", action: "win.redo"))
    gtk_header_bar_pack_end(
      header.opaque,
      .button(icon: "user-trash-symbolic", tip: "Delete the note (Ctrl+D)", action: "win.delete"))
    return header
  }

  private func addActions() {
    actions.add("new", "<Control>n") { [unowned self] in add() }
    actions.add("delete", "<Control>d") { [unowned self] in delete() }
    actions.add("undo", "<Control>z") { [unowned self] in takeBack { $0.undo() } }
    actions.add("redo", "<Control><Shift>z") { [unowned self] in takeBack { $0.redo() } }
    actions.add("search", "<Control>f") { [unowned self] in _ = gtk_widget_grab_focus(search) }
    actions.add("close", "<Control>w") { [unowned self] in close() }
  }

  /// Closes the window, as its button does.
  func close() { gtk_window_close(window.cast()) }

  /// What cannot be saved is shown first, and lost when the window is closed all the same.
  private func mayClose() -> Bool {
    let again = "Close the window again to leave all the same."
    if isLeaving { return true }
    if opening?.isShowingCode == true {
      dialog?.say(
        "This code is shown only now, and nothing else brings the key back. \(again)", isFailure: true)
    } else if save(else: again) {
      return true
    }
    isLeaving = true
    return false
  }

  // MARK: Opening

  private func show(_ new: Dialog?) {
    gtk_window_set_focus(window.cast(), nil)
    if let dialog { gtk_overlay_remove_overlay(overlay.opaque, dialog.widget) }
    dialog = new
    if let new { gtk_overlay_add_overlay(overlay.opaque, new.widget) }
    gtk_widget_set_sensitive(content, new == nil ? 1 : 0)
    gtk_widget_set_sensitive(search, new == nil && notes != nil ? 1 : 0)
    enableActions()
  }

  private func open(_ container: ModelContainer) {
    let context = container.mainContext
    // Saved when typing pauses, so that an error has a place where it is shown.
    context.autosaveEnabled = false
    context.undoManager = UndoManager()
    do {
      let observer = try ResultsObserver(fetchDescriptor: Note.all, modelContext: context)
      let list = NoteList(observer)
      notes = (context, observer, list)
      observer.onChanges = { [unowned self] in take($0) }
      list.onSelect = { [unowned self] note in select(note) }
      let panes: Widget = gtk_paned_new(GTK_ORIENTATION_HORIZONTAL)
      gtk_paned_set_start_child(panes.opaque, list.widget)
      gtk_paned_set_end_child(panes.opaque, editor.widget)
      gtk_paned_set_resize_start_child(panes.opaque, 0)
      gtk_paned_set_shrink_start_child(panes.opaque, 0)
      gtk_paned_set_position(panes.opaque, 300)
      gtk_widget_set_vexpand(panes, 1)
      gtk_box_append(content.cast(), panes)
      let store = container.persistentContainer.persistentStoreCoordinator.persistentStores.first
      statements = { (store as? SQLCipherStore)?.executedStatements ?? 0 }
      show(nil)
      if let first = observer.results.first {
        list.select(first)
        edit(first)
      } else {
        editor.show(nil)
      }
      enableActions()
      Trace.say("open after \(Trace.elapsed) ms, \(statements()) statements")
    } catch {
      banner.show(failure: "The notes cannot be read: \(reason(error))") { [unowned self] in open(container) }
    }
  }

  // MARK: Notes

  private func reason(_ error: any Error) -> String { Failure(of: error)?.description ?? "\(error)" }

  /// Shows a note, or says that it cannot be read.
  private func edit(_ note: Note?) {
    guard let notes else { return }
    editor.show(note)
    // Others are saved: nothing comes of a note that cannot be typed in.
    let failure = notes.context.readFailure
    if failure != nil { notes.context.clearReadFailure() }
    editor.enable(failure == nil)
    guard let failure else { return }
    banner.show(failure: "“\(note?.name ?? "")” cannot be read: \(reason(failure))") { [unowned self] in
      edit(note)
    }
  }

  /// Offers what was typed into a note that is gone as a new one.
  private func rescue(_ title: String, _ text: String) {
    banner.show("The note that you typed in was deleted elsewhere.", "Keep as New Note") { [unowned self] in
      add(Note(title, text: text))
    }
  }

  private func take(_ changes: [ResultsChange<Note>]) {
    guard let notes else { return }
    notes.list.take(changes)
    if let note = editor.note, note.isDeleted {
      editor.show(isTakingBack ? neighbor(of: note, changes) : nil)
    }
    editor.refresh()
    if isTakingBack, case .insert(let note, _)? = changes.first { edit(note) }
    if let failure = notes.observer.failure {
      banner.show(failure: "The list is not up to date: \(reason(failure))") { [unowned self] in look() }
    }
    enableActions()
  }

  /// The note that now stands where one stood that is deleted.
  private func neighbor(of note: Note, _ changes: [ResultsChange<Note>]) -> Note? {
    guard let results = notes?.observer.results, !results.isEmpty else { return nil }
    for case .delete(note.persistentModelID, let place) in changes {
      return results[min(place, results.count - 1)]
    }
    return nil
  }

  private func select(_ note: Note?) {
    guard note !== editor.note else { return }
    save()
    edit(note)
    enableActions()
  }

  private func add(_ note: Note = Note("")) {
    guard let notes else { return }
    save()
    gtk_editable_set_text(search.opaque, "")
    look()
    notes.context.insert(note)
    save()
    notes.list.select(note)
    edit(note)
    editor.beginTyping()
  }

  private func delete() {
    guard let notes, let note = editor.note else { return }
    save()
    let name = note.name
    let next = notes.list.neighbor(of: note)
    notes.context.delete(note)
    guard save() else { return }
    edit(next)
    notes.list.select(next)
    banner.show("“\(name)” is deleted.", "Undo") { [unowned self] in takeBack { $0.undo() } }
    banner.hideLater()
  }

  private func takeBack(_ step: (UndoManager) -> Void) {
    guard let notes, let undoManager = notes.context.undoManager else { return }
    save()
    isTakingBack = true
    step(undoManager)
    banner.hide()
    save()
    isTakingBack = false
    editor.refresh()
    notes.list.select(editor.note)
  }

  /// Saves what was typed, added and deleted; false when that failed, which the banner shows with an advice.
  @discardableResult private func save(else advice: String = "") -> Bool {
    guard let notes else { return true }
    let start = Trace.elapsed
    editor.commit()
    // Ends the step that can be taken back.
    notes.context.processPendingChanges()
    do {
      guard notes.context.hasChanges else { return true }
      try notes.context.save()
      // What it offers to undo is not the last step any more.
      banner.hide()
      isLeaving = false
      Trace.say("saved in \(Trace.elapsed - start) ms, \(statements()) statements")
    } catch {
      banner.show(failure: "Not saved: \(reason(error)). \(advice)") { [unowned self] in save() }
      return false
    }
    enableActions()
    return true
  }

  /// Shows the notes that have what is typed into the search entry.
  private func look() {
    guard let notes else { return }
    let words = string(gtk_editable_get_text(search.opaque)).trimmingCharacters(in: .whitespaces)
    guard words != self.words || notes.observer.failure != nil else { return }
    self.words = words
    save()
    let start = Trace.elapsed
    notes.observer.onChanges = nil
    notes.observer.filterBy = Note.having(words)
    notes.observer.onChanges = { [unowned self] in take($0) }
    if !notes.list.contains(editor.note) { edit(notes.observer.results.first) }
    notes.list.reload(selecting: editor.note)
    if let failure = notes.observer.failure {
      banner.show(failure: "The search failed: \(reason(failure))") { [unowned self] in look() }
    }
    enableActions()
    let first = notes.observer.results.prefix(5).map(\.name).joined(separator: ", ")
    Trace.say("searched \(words) in \(Trace.elapsed - start) ms: \(first)")
  }

  private func enableActions() {
    let isOpen = notes != nil && dialog == nil
    actions.enable("new", isOpen)
    actions.enable("search", isOpen)
    actions.enable("delete", isOpen && editor.note != nil)
    actions.enable("undo", isOpen && notes?.context.undoManager?.canUndo == true)
    actions.enable("redo", isOpen && notes?.context.undoManager?.canRedo == true)
  }
}
