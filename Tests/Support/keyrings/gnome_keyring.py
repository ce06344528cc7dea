"""GNOME Keyring, with the prompter of GCR."""

from provider import PASSWORD, Provider
from room import until


class GnomeKeyring(Provider):
    name = "gnome-keyring"
    title = "GNOME Keyring"
    package = "gnome-keyring"
    services = ("org.gnome.keyring.SystemPrompter", "org.gnome.keyring.PrivatePrompter")
    dialogs = {"Keyring": PASSWORD}

    def set_up(self):
        self.start()

    def start(self, unlocked=True):
        """As the login starts it, with the login's password, or as after a login without one."""
        command = ["gnome-keyring-daemon", "--foreground", "--components=secrets"]
        self.process = self.room.start(command + ["--unlock"] * unlocked, PASSWORD if unlocked else None)
        until(self.bus.is_there, "the daemon")
        until(self.bus.default, "the default collection")
