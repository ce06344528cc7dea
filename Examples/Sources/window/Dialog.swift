import CGtk4

/// A card in the middle of the window; what is behind it waits.
@MainActor final class Dialog {
  let widget: Widget
  private let column: Widget
  private let message: Widget
  private let buttons: Widget

  init(_ name: String, icon: String, title: String, message text: String) {
    let image: Widget = gtk_image_new_from_icon_name(icon)
    gtk_image_set_pixel_size(image.opaque, 48)
    let heading = Widget.label(title, "dialog-title", wrapped: true)
    message = .label(text, wrapped: true)
    for label in [heading, message] {
      gtk_label_set_justify(label.opaque, GTK_JUSTIFY_CENTER)
      gtk_label_set_max_width_chars(label.opaque, 48)
    }
    buttons = .box(GTK_ORIENTATION_HORIZONTAL, spacing: 12)
    gtk_widget_set_halign(buttons, GTK_ALIGN_CENTER)
    // A long message is scrolled, so that the buttons stay in the window.
    let scrolled = Widget.scrolled(message)
    gtk_scrolled_window_set_propagate_natural_height(scrolled.opaque, 1)
    gtk_scrolled_window_set_propagate_natural_width(scrolled.opaque, 1)
    gtk_widget_set_vexpand(scrolled, 0)
    column = .box(GTK_ORIENTATION_VERTICAL, spacing: 14, [image, heading, scrolled])
    gtk_widget_add_css_class(column, "card")
    gtk_widget_set_halign(column, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(column, GTK_ALIGN_CENTER)
    widget = .box(GTK_ORIENTATION_VERTICAL, [column])
    gtk_widget_add_css_class(widget, "shade")
    gtk_widget_set_vexpand(column, 1)
    gtk_widget_set_hexpand(column, 1)
    Trace.say("dialog \(name): \(text)")
  }

  /// Puts a widget below the message.
  func add(_ widget: Widget) { gtk_box_append(column.cast(), widget) }

  /// Puts the buttons below the rest, the last of them as what is expected.
  func add(buttons list: [(title: String, action: @MainActor () -> Void)]) {
    for (index, choice) in list.enumerated() {
      let button = Widget.button(choice.title, "pill", action: choice.action)
      if index == list.count - 1 { gtk_widget_add_css_class(button, "suggested-action") }
      gtk_box_append(buttons.cast(), button)
    }
    gtk_box_append(column.cast(), buttons)
  }

  /// Puts the keyboard to the button that is expected.
  func focusButton() {
    if let button = gtk_widget_get_last_child(buttons) { _ = gtk_widget_grab_focus(button) }
  }

  /// Says something else, such as why it did not work.
  func say(_ text: String, isFailure: Bool = false) {
    gtk_label_set_text(message.opaque, text)
    if isFailure { gtk_widget_add_css_class(message, "error") }
    Trace.say("dialog says: \(text)")
  }

  /// Whether buttons and fields can be used.
  func enable(_ isEnabled: Bool) {
    // GTK complains of a text field that has the keyboard and cannot be used.
    if !isEnabled { gtk_root_set_focus(gtk_widget_get_root(widget), nil) }
    gtk_widget_set_sensitive(widget, isEnabled ? 1 : 0)
  }
}
