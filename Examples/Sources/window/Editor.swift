import CGtk4
import StrongroomData

/// The pane on the right: the title and the text of the note that is selected.
@MainActor final class Editor {
  let widget: Widget
  /// Called at the first pause after typing.
  var onPause: (@MainActor () -> Void)?
  /// Called at each key.
  var onTyping: (@MainActor () -> Void)?
  /// Called when the note is deleted by another window while it is typed in, with the typed text.
  var onLoss: (@MainActor (_ title: String, _ text: String) -> Void)?

  private(set) var note: Note?
  private let title: Widget
  private let text: Widget
  private let buffer: UnsafeMutablePointer<GtkTextBuffer>
  private let date: Widget
  private let fields: Widget
  /// What the fields were filled with: what differs from it was typed.
  private var filled = (title: "", text: "")
  private var isFilling = false
  /// Waits for a pause in the typing; nil when all that was typed is in the note.
  private var pause: Task<Void, Never>?

  init() {
    title = gtk_entry_new()
    gtk_entry_set_placeholder_text(title.cast(), "Title")
    gtk_entry_set_has_frame(title.cast(), 0)
    gtk_widget_add_css_class(title, "note-title")
    text = gtk_text_view_new()
    gtk_text_view_set_wrap_mode(text.cast(), GTK_WRAP_WORD_CHAR)
    gtk_text_view_set_accepts_tab(text.cast(), 0)
    gtk_widget_add_css_class(text, "note-text")
    buffer = gtk_text_view_get_buffer(text.cast())
    // What is taken back is what the store has: one history for typing, adding and deleting.
    gtk_editable_set_enable_undo(title.opaque, 0)
    gtk_text_buffer_set_enable_undo(buffer, 0)
    date = .line("dim-label", "note-date")
    widget = gtk_stack_new()
    fields = .box(GTK_ORIENTATION_VERTICAL, [title, .scrolled(text), date])
    gtk_widget_add_css_class(fields, "editor")
    gtk_stack_add_named(widget.opaque, Self.empty, "empty")
    gtk_stack_add_named(widget.opaque, fields, "note")
    gtk_widget_set_hexpand(widget, 1)
    on(title.opaque, "changed") { [unowned self] in typed() }
    on(title.opaque, "activate") { [unowned self] in _ = gtk_widget_grab_focus(text) }
    on(OpaquePointer(buffer), "changed") { [unowned self] in typed() }
  }

  /// What is shown when there is no note: what to do.
  private static var empty: Widget {
    let image: Widget = gtk_image_new_from_icon_name("document-new-symbolic")
    gtk_image_set_pixel_size(image.opaque, 64)
    gtk_widget_add_css_class(image, "dim-label")
    let button: Widget = gtk_button_new_with_label("New Note")
    gtk_actionable_set_action_name(button.opaque, "win.new")
    for name in ["pill", "suggested-action"] { gtk_widget_add_css_class(button, name) }
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    let column = Widget.box(
      GTK_ORIENTATION_VERTICAL, spacing: 14,
      [image, .label("No note is selected", "dim-label", "empty"), button])
    gtk_widget_set_valign(column, GTK_ALIGN_CENTER)
    return column
  }

  /// Shows a note, or none.
  func show(_ note: Note?) {
    commit()
    self.note = note
    refresh()
    Trace.say("editor \(note?.name ?? "none")")
  }

  /// Shows what the note is now, in the fields that are not being typed in.
  func refresh() {
    if note?.isDeleted == true { lose() }
    gtk_stack_set_visible_child_name(widget.opaque, note == nil ? "empty" : "note")
    guard let note else { return }
    let (isTitleTyped, isTextTyped) = (pause != nil && titleIsTyped, pause != nil && textIsTyped)
    isFilling = true
    // Setting equal texts would move the cursor.
    if !isTitleTyped, typedTitle != note.title { gtk_editable_set_text(title.opaque, note.title) }
    if !isTextTyped, typedText != note.text { gtk_text_buffer_set_text(buffer, note.text, -1) }
    isFilling = false
    // As the fields have it: an entry cuts a title of 65,535 characters.
    if !isTitleTyped { filled.title = typedTitle }
    if !isTextTyped { filled.text = typedText }
    gtk_label_set_text(date.opaque, "Edited \(note.day(.long))")
  }

  /// Whether the note can be typed in: one that cannot be read is not empty.
  func enable(_ isEnabled: Bool) { gtk_widget_set_sensitive(fields, isEnabled ? 1 : 0) }

  private func lose() {
    let isTyped = pause != nil && (titleIsTyped || textIsTyped)
    let (title, text) = (typedTitle, typedText)
    pause?.cancel()
    (pause, note) = (nil, nil)
    if isTyped { onLoss?(title, text) }
  }

  /// Puts the cursor into the title.
  func beginTyping() { _ = gtk_widget_grab_focus(title) }

  /// Puts what was typed into the note.
  func commit() {
    guard pause != nil else { return }
    if note?.isDeleted == true { return lose() }
    pause?.cancel()
    pause = nil
    guard let note, titleIsTyped || textIsTyped else { return }
    if titleIsTyped { note.title = typedTitle }
    if textIsTyped { note.text = typedText }
    filled = (typedTitle, typedText)
    note.changed = .now
  }

  private func typed() {
    guard !isFilling, note != nil else { return }
    onTyping?()
    pause?.cancel()
    pause = Task { [weak self] in
      guard (try? await Task.sleep(for: .milliseconds(600))) != nil else { return }
      self?.onPause?()
    }
  }

  private var titleIsTyped: Bool { typedTitle != filled.title }
  private var textIsTyped: Bool { typedText != filled.text }

  private var typedTitle: String { string(gtk_editable_get_text(title.opaque)) }

  private var typedText: String {
    var (start, end) = (GtkTextIter(), GtkTextIter())
    gtk_text_buffer_get_bounds(buffer, &start, &end)
    let characters = gtk_text_buffer_get_text(buffer, &start, &end, 0)
    defer { g_free(characters) }
    return string(characters)
  }
}
