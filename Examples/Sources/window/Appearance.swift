import CGtk4

/// Light or dark, as the desktop says, and the few styles that GTK's theme has not.
@MainActor enum Appearance {
  /// Follows the desktop's setting, or is dark.
  static func start(dark: Bool) {
    let provider: UnsafeMutablePointer<GtkCssProvider> = gtk_css_provider_new()
    gtk_css_provider_load_from_data(provider, style, -1)
    gtk_style_context_add_provider_for_display(gdk_display_get_default(), OpaquePointer(provider), 600)
    if dark { prefer(dark: true) } else { follow() }
  }

  /// Asks the desktop's portal, and listens to it; without one GTK's own setting stays.
  private static func follow() {
    var failure: UnsafeMutablePointer<GError>?
    guard let bus = g_bus_get_sync(G_BUS_TYPE_SESSION, nil, &failure) else {
      g_error_free(failure)
      return
    }
    g_dbus_connection_signal_subscribe(
      bus, portal, settings, "SettingChanged", "/org/freedesktop/portal/desktop", appearance,
      G_DBUS_SIGNAL_FLAGS_NONE,
      { _, _, _, _, _, values, _ in
        guard
          string(g_variant_get_string(g_variant_get_child_value(values, 1), nil)) == Appearance.colorScheme
        else { return }
        Appearance.take(g_variant_get_child_value(values, 2))
      }, nil, nil)
    var names: [OpaquePointer?] = [g_variant_new_string(appearance), g_variant_new_string(colorScheme)]
    g_dbus_connection_call(
      bus, portal, "/org/freedesktop/portal/desktop", settings, "Read", g_variant_new_tuple(&names, 2), nil,
      G_DBUS_CALL_FLAGS_NONE, 1000, nil,
      { bus, answer, _ in
        let bus = bus.map { OpaquePointer($0) }
        guard let values = g_dbus_connection_call_finish(bus, answer, nil) else { return }
        Appearance.take(g_variant_get_child_value(values, 0))
        g_variant_unref(values)
      }, nil)
  }

  private nonisolated static let portal = "org.freedesktop.portal.Desktop"
  private nonisolated static let settings = "org.freedesktop.portal.Settings"
  private nonisolated static let appearance = "org.freedesktop.appearance"
  private nonisolated static let colorScheme = "color-scheme"

  /// Takes a colour scheme, in one variant or in two: 1 is dark, 2 light, 0 no preference.
  private nonisolated static func take(_ scheme: OpaquePointer?) {
    var scheme = scheme
    while let inner = scheme, string(g_variant_get_type_string(inner)) == "v" {
      scheme = g_variant_get_variant(inner)
      g_variant_unref(inner)
    }
    guard let scheme else { return }
    let isDark = g_variant_get_uint32(scheme) == 1
    g_variant_unref(scheme)
    onMain { prefer(dark: isDark) }
  }

  private static func prefer(dark: Bool) {
    var value = GValue()
    g_value_init(&value, boolean_type())
    g_value_set_boolean(&value, dark ? 1 : 0)
    let settings = UnsafeMutableRawPointer(gtk_settings_get_default())
    g_object_set_property(
      settings?.assumingMemoryBound(to: GObject.self), "gtk-application-prefer-dark-theme", &value)
    g_value_unset(&value)
    Trace.say(dark ? "dark" : "light")
  }

  private static let style = """
    .row-title { font-weight: bold; }
    .row-date { font-size: smaller; }
    .navigation-sidebar row { padding: 8px 12px; }
    .count { padding: 6px; font-size: smaller; border-top: 1px solid alpha(currentColor, 0.15); }
    .empty { font-size: larger; }
    .editor { background: @theme_base_color; }
    .note-title { font-size: 160%; font-weight: bold; padding: 18px 24px 6px; background: none;
      outline: none; }
    .note-text { padding: 6px 24px; background: none; }
    .note-date { padding: 6px 24px; font-size: smaller; }
    .banner { padding: 8px 12px; background: alpha(currentColor, 0.1); }
    .banner.failure { background: #c01c28; color: white; }
    .banner.failure button.flat { color: white; }
    .shade { background: alpha(black, 0.35); }
    .card { padding: 28px 32px; margin: 24px; border-radius: 14px; background: @theme_bg_color;
      box-shadow: 0 6px 24px alpha(black, 0.35); }
    .dialog-title { font-size: 140%; font-weight: bold; }
    .code { font-family: monospace; font-size: larger; }
    .pill { padding: 8px 20px; }
    .error { color: @error_color; }
    """
}
