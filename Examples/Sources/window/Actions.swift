import CGtk4

/// The window's actions, by name: buttons and keys do the same.
@MainActor final class Actions {
  private let application: UnsafeMutablePointer<GtkApplication>
  private let window: Widget
  private var actions: [String: OpaquePointer] = [:]

  init(_ application: UnsafeMutablePointer<GtkApplication>, _ window: Widget) {
    (self.application, self.window) = (application, window)
  }

  func add(_ name: String, _ keys: String, _ body: @escaping @MainActor () -> Void) {
    let action: OpaquePointer = g_simple_action_new(name, nil)
    on(action, "activate", body)
    g_action_map_add_action(window.opaque, action)
    actions[name] = action
    keys.withCString { keys in
      var list: [UnsafePointer<CChar>?] = [keys, nil]
      gtk_application_set_accels_for_action(application, "win.\(name)", &list)
    }
  }

  func enable(_ name: String, _ isEnabled: Bool) {
    if let action = actions[name] { g_simple_action_set_enabled(action, isEnabled ? 1 : 0) }
  }
}
