import CLibSecret
import Foundation

extension SecretFileSession {
  /// Runs a call of libsecret, which in a sandbox asks the portal for the file's password.
  ///
  /// libsecret subscribes to the portal's answer after it has asked, and GLib drops an answer that comes
  /// before the subscription, or before it knows who owns the portal's name: the call would wait for ever.
  /// So GLib learns the owner first, and an answer waits a moment for the subscription.
  func asking<R>(_ body: () throws -> R) throws -> R {
    guard Self.isSandboxed, let connection = g_bus_get_sync(G_BUS_TYPE_SESSION, cancellable.pointer, nil)
    else { return try body() }
    defer { g_object_unref(UnsafeMutableRawPointer(connection)) }
    // The process outlives its session.
    g_dbus_connection_set_exit_on_close(connection, 0)
    let subscription = Self.subscribe(connection)
    defer { g_dbus_connection_signal_unsubscribe(connection, subscription) }
    let filter = g_dbus_connection_add_filter(connection, Self.delay, nil, nil)
    defer { g_dbus_connection_remove_filter(connection, filter) }
    // The bus answers in order: after this, GLib knows the owner.
    let bus = "org.freedesktop.DBus"
    let answer = g_dbus_connection_call_sync(
      connection, bus, "/org/freedesktop/DBus", bus, "GetId", nil, nil, G_DBUS_CALL_FLAGS_NONE, -1,
      cancellable.pointer, nil)
    if let answer { g_variant_unref(answer) }
    return try body()
  }

  /// As libsecret decides whether to ask the portal.
  private static var isSandboxed: Bool {
    FileManager.default.fileExists(atPath: "/.flatpak-info")
      || ProcessInfo.processInfo.environment["SNAP_NAME"] != nil
  }

  private static func subscribe(_ connection: OpaquePointer) -> guint {
    // The signals are queued in this context, which is freed with them.
    let context = g_main_context_new()
    g_main_context_push_thread_default(context)
    defer {
      g_main_context_pop_thread_default(context)
      g_main_context_unref(context)
    }
    return g_dbus_connection_signal_subscribe(
      connection, "org.freedesktop.portal.Desktop", "org.freedesktop.portal.Request", "Response", nil, nil,
      G_DBUS_SIGNAL_FLAGS_NONE, { _, _, _, _, _, _, _ in }, nil, nil)
  }

  /// Called on GLib's thread for each message, before it is given to those who have subscribed to it.
  private static let delay: GDBusMessageFilterFunction = { _, message, isIncoming, _ in
    if isIncoming != 0, g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL,
      let member = g_dbus_message_get_member(message), String(cString: member) == "Response"
    {
      g_usleep(100_000)
    }
    return message
  }
}
