import CGtk4

/// A line above the notes: what went wrong, or what can be taken back.
@MainActor final class Banner {
  let widget: Widget
  private let bar: Widget
  private let message: Widget
  private let button: Widget
  private var action: (@MainActor () -> Void)?
  private var ending: Task<Void, Never>?

  init() {
    message = .label("", wrapped: true)
    gtk_label_set_xalign(message.opaque, 0)
    gtk_widget_set_hexpand(message, 1)
    button = gtk_button_new()
    let close: Widget = gtk_button_new_from_icon_name("window-close-symbolic")
    gtk_widget_add_css_class(close, "flat")
    gtk_widget_set_tooltip_text(close, "Dismiss")
    bar = .box(GTK_ORIENTATION_HORIZONTAL, spacing: 8, [message, button, close])
    gtk_widget_add_css_class(bar, "banner")
    widget = gtk_revealer_new()
    gtk_revealer_set_child(widget.opaque, bar)
    on(button.opaque, "clicked") { [unowned self] in
      hide()
      action?()
    }
    on(close.opaque, "clicked") { [unowned self] in hide() }
  }

  /// Shows an error until it is dismissed, with a way to try again.
  func show(failure: String, again: @escaping @MainActor () -> Void) {
    show(failure, "Try Again", again)
    gtk_widget_add_css_class(bar, "failure")
  }

  /// Shows a message for some seconds.
  func show(_ text: String, _ title: String? = nil, _ action: (@MainActor () -> Void)? = nil) {
    gtk_widget_remove_css_class(bar, "failure")
    gtk_label_set_text(message.opaque, text)
    gtk_button_set_label(button.cast(), title ?? "")
    gtk_widget_set_visible(button, title == nil ? 0 : 1)
    self.action = action
    gtk_revealer_set_reveal_child(widget.opaque, 1)
    Trace.say("banner \(text)")
    ending?.cancel()
    ending = nil
  }

  /// Hides the banner after some seconds, unless another message comes.
  func hideLater() {
    ending = Task { [weak self] in
      guard (try? await Task.sleep(for: .seconds(8))) != nil else { return }
      self?.hide()
    }
  }

  func hide() {
    ending?.cancel()
    gtk_revealer_set_reveal_child(widget.opaque, 0)
  }
}
