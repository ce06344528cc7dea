import CGtk4

typealias Widget = UnsafeMutablePointer<GtkWidget>

/// Constructors of widgets as they are used here; views of one pointer as GTK's functions want it.
extension Widget {
  /// The same pointer, for classes whose layout GTK does not show.
  var opaque: OpaquePointer { OpaquePointer(self) }

  /// The same pointer as one to a class whose layout GTK shows.
  func cast<T>(_ type: T.Type = T.self) -> UnsafeMutablePointer<T> {
    UnsafeMutableRawPointer(self).assumingMemoryBound(to: type)
  }

  static func box(_ orientation: GtkOrientation, spacing: Int32 = 0, _ children: [Widget] = []) -> Widget {
    let box: Widget = gtk_box_new(orientation, spacing)
    for child in children { gtk_box_append(box.cast(), child) }
    return box
  }

  static func label(_ text: String, _ classes: String..., wrapped: Bool = false) -> Widget {
    let label: Widget = gtk_label_new(text)
    for name in classes { gtk_widget_add_css_class(label, name) }
    gtk_label_set_wrap(label.opaque, wrapped ? 1 : 0)
    return label
  }

  /// A label of one line at the left, which ends with an ellipsis where it is cut.
  static func line(_ classes: String...) -> Widget {
    let label: Widget = gtk_label_new("")
    for name in classes { gtk_widget_add_css_class(label, name) }
    gtk_label_set_xalign(label.opaque, 0)
    gtk_label_set_ellipsize(label.opaque, PANGO_ELLIPSIZE_END)
    return label
  }

  @MainActor static func button(
    _ title: String, _ classes: String..., action: @escaping @MainActor () -> Void
  ) -> Widget {
    let button: Widget = gtk_button_new_with_label(title)
    for name in classes { gtk_widget_add_css_class(button, name) }
    on(button.opaque, "clicked", action)
    return button
  }

  /// A button of the header: an icon with a tip, for an action of the window.
  static func button(icon: String, tip: String, action: String) -> Widget {
    let button: Widget = gtk_button_new_from_icon_name(icon)
    gtk_widget_set_tooltip_text(button, tip)
    gtk_actionable_set_action_name(button.opaque, action)
    return button
  }

  static func scrolled(_ child: Widget) -> Widget {
    let scrolled: Widget = gtk_scrolled_window_new()
    gtk_scrolled_window_set_child(scrolled.opaque, child)
    gtk_scrolled_window_set_policy(scrolled.opaque, GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
    gtk_widget_set_vexpand(scrolled, 1)
    return scrolled
  }

  func margin(_ size: Int32) -> Widget {
    gtk_widget_set_margin_top(self, size)
    gtk_widget_set_margin_bottom(self, size)
    gtk_widget_set_margin_start(self, size)
    gtk_widget_set_margin_end(self, size)
    return self
  }
}

/// The text of a GTK function that returns one of its own.
func string(_ characters: UnsafePointer<CChar>?) -> String { characters.map { String(cString: $0) } ?? "" }
