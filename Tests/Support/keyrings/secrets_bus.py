"""The Secret Service as a program sees it that is not the engine: plain calls on the session's bus."""

import os

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.freedesktop.secrets"
ROOT = "/org/freedesktop/secrets"
SERVICE = "org.freedesktop.Secret.Service"


class SecretsBus:
    """Calls to the Secret Service of a session."""

    def __init__(self, room):
        self.room = room
        self.connection = Gio.DBusConnection.new_for_address_sync(
            room.environment["DBUS_SESSION_BUS_ADDRESS"],
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        self.connection.set_exit_on_close(False)

    def close(self):
        self.connection.close_sync(None)

    def call(self, name, path, interface, method, arguments=None, limit=10000):
        answer = self.connection.call_sync(
            name, path, interface, method, arguments, None, Gio.DBusCallFlags.NO_AUTO_START, limit, None)
        return answer.unpack()

    def is_there(self, name=NAME):
        return self.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
                         GLib.Variant("(s)", (name,)))[0]

    def owner(self, name=NAME):
        """The process that has a name on the bus."""
        return self.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetConnectionUnixProcessID",
                         GLib.Variant("(s)", (name,)))[0]

    def program(self):
        with open("/proc/%d/comm" % self.owner()) as file:
            return file.read().strip()

    def default(self):
        """The path of the default collection; None where there is none."""
        path = self.call(NAME, ROOT, SERVICE, "ReadAlias", GLib.Variant("(s)", ("default",)))[0]
        return None if path == "/" else path

    def property(self, path, interface, name):
        return self.call(NAME, path, "org.freedesktop.DBus.Properties", "Get",
                         GLib.Variant("(ss)", ("org.freedesktop.Secret." + interface, name)))[0]

    def is_locked(self):
        path = self.default()
        return path is None or self.property(path, "Collection", "Locked")

    def search(self, **attributes):
        """The paths of items with these attributes: unlocked ones and locked ones."""
        return self.call(NAME, ROOT, SERVICE, "SearchItems", GLib.Variant("(a{ss})", (attributes,)))

    def label(self, path):
        return self.property(path, "Item", "Label")

    def attributes(self, path):
        return self.property(path, "Item", "Attributes")

    def lock(self):
        _, prompt = self.call(NAME, ROOT, SERVICE, "Lock", GLib.Variant("(ao)", ([self.default()],)))
        self.finish(prompt)

    def unlock(self):
        _, prompt = self.call(NAME, ROOT, SERVICE, "Unlock", GLib.Variant("(ao)", ([self.default()],)))
        self.finish(prompt)

    def delete(self, path):
        self.finish(self.call(NAME, path, "org.freedesktop.Secret.Item", "Delete")[0])

    def finish(self, prompt, limit=15):
        """Carries out a prompt, and gives whether it was dismissed."""
        if prompt == "/":
            return False
        loop = GLib.MainLoop()
        outcome = []

        def completed(_connection, _sender, _path, _interface, _signal, values):
            outcome.append(values.unpack()[0])
            loop.quit()

        own = self.connection.signal_subscribe(
            None, "org.freedesktop.Secret.Prompt", "Completed", prompt, None, Gio.DBusSignalFlags.NONE, completed)
        try:
            self.call(NAME, prompt, "org.freedesktop.Secret.Prompt", "Prompt", GLib.Variant("(s)", ("",)))
            GLib.timeout_add_seconds(limit, loop.quit)
            if not outcome:
                loop.run()
        finally:
            self.connection.signal_unsubscribe(own)
        if not outcome:
            raise TimeoutError("the prompt %s had no answer" % os.path.basename(prompt))
        return outcome[0]
