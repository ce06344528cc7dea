import CGtk4
import Keeping
import StrongroomData

/// The list on the left: GTK's list view over `Rows`, and how many there are.
@MainActor final class NoteList {
  let widget: Widget
  /// Called when another row is selected.
  var onSelect: (@MainActor (Note?) -> Void)?

  private let rows: Rows
  private let view: Widget
  private let selection: OpaquePointer
  private let pages: Widget
  private let count: Widget
  /// The rows on the screen, by GTK's items.
  private var bound: [OpaquePointer: (note: Note, title: Widget, date: Widget)] = [:]
  /// While the list changes, what GTK selects is not the user's choice.
  private var isChanging = false

  init(_ observer: ResultsObserver<Note, Never>) {
    rows = Rows(observer)
    selection = gtk_single_selection_new(rows.model)
    gtk_single_selection_set_autoselect(selection, 0)
    gtk_single_selection_set_can_unselect(selection, 1)
    let factory: OpaquePointer = gtk_signal_list_item_factory_new()
    view = gtk_list_view_new(selection, factory)
    gtk_widget_add_css_class(view, "navigation-sidebar")
    pages = gtk_stack_new()
    gtk_stack_add_named(pages.opaque, .scrolled(view), "list")
    gtk_stack_add_named(pages.opaque, .label("No notes", "dim-label", "empty"), "empty")
    gtk_stack_add_named(pages.opaque, .label("Nothing found", "dim-label", "empty"), "none")
    count = Widget.label("", "dim-label", "count")
    widget = .box(GTK_ORIENTATION_VERTICAL, [pages, count])
    gtk_widget_set_size_request(widget, 260, -1)

    onArgument(factory, "setup") { [unowned self] in setUp($0) }
    onArgument(factory, "bind") { [unowned self] in bind($0) }
    onArgument(factory, "unbind") { [unowned self] item in if let item { bound[item] = nil } }
    on(selection, "notify::selected") { [unowned self] in
      if !isChanging { onSelect?(selected) }
    }
    summarize()
  }

  /// The note of the row that is selected.
  var selected: Note? { Row.note(of: gtk_single_selection_get_selected_item(selection)) }

  /// Shows what an observer reports.
  func take(_ changes: [ResultsChange<Note>]) {
    isChanging = true
    rows.take(changes)
    isChanging = false
    // Rows on the screen show what their notes are now.
    for row in bound.values { show(row) }
    summarize()
  }

  /// Shows another search's results, with a note selected if it is among them.
  func reload(selecting note: Note?) {
    isChanging = true
    // Else GTK looks for the selected row among all new ones.
    gtk_single_selection_set_selected(selection, GTK_INVALID_LIST_POSITION)
    rows.reload()
    isChanging = false
    summarize()
    select(note)
  }

  /// Selects a note's row and scrolls to it; does nothing when it is in no row.
  func select(_ note: Note?) {
    guard let note, let place = rows.place(of: note) else { return }
    isChanging = true
    gtk_single_selection_set_selected(selection, guint(place))
    isChanging = false
    gtk_widget_activate_action_variant(view, "list.scroll-to-item", g_variant_new_uint32(guint(place)))
  }

  /// Whether a note is among the results.
  func contains(_ note: Note?) -> Bool { note.flatMap(rows.place(of:)) != nil }

  /// The note beside one that is to be deleted.
  func neighbor(of note: Note) -> Note? {
    guard let place = rows.place(of: note) else { return nil }
    let results = rows.observer.results
    return [place + 1, place - 1].first { results.indices.contains($0) }.map { results[$0] }
  }

  private func summarize() {
    let number = rows.observer.results.count
    let isSearch = rows.observer.filterBy != nil
    gtk_stack_set_visible_child_name(pages.opaque, number > 0 ? "list" : isSearch ? "none" : "empty")
    let figures = number.formatted(.number.locale(.init(identifier: "en")))
    gtk_label_set_text(count.opaque, number == 1 ? "1 note" : "\(figures) notes")
    Trace.say("count \(number)")
  }

  // MARK: Rows

  private func setUp(_ item: OpaquePointer?) {
    let title = Widget.line("row-title")
    let date = Widget.line("dim-label", "row-date")
    gtk_list_item_set_child(item, .box(GTK_ORIENTATION_VERTICAL, spacing: 2, [title, date]))
  }

  private func bind(_ item: OpaquePointer?) {
    guard let item, let note = Row.note(of: gtk_list_item_get_item(item)),
      let title: Widget = gtk_widget_get_first_child(gtk_list_item_get_child(item)),
      let date: Widget = gtk_widget_get_next_sibling(title)
    else { return }
    bound[item] = (note, title, date)
    show((note, title, date))
    Trace.say("row \(note.name)")
  }

  private func show(_ row: (note: Note, title: Widget, date: Widget)) {
    guard !row.note.isDeleted else { return }
    let name = Terminal.plain(row.note.name)
    if string(gtk_label_get_text(row.title.opaque)) != name {
      Trace.say("title \(name)")
      gtk_label_set_text(row.title.opaque, name)
    }
    gtk_label_set_text(row.date.opaque, row.note.day(.abbreviated))
  }
}
