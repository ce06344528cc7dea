"""A sandbox as Flatpak makes one, whose programs get a secret from the portal and keep their keys in a file with it."""

import os

from gnome_keyring import GnomeKeyring
from room import until

INFO = """[Application]
name=org.strongroom.Test
runtime=runtime/org.strongroom.Test/x86_64/1

[Instance]
instance-id=1
"""

#: What the sandbox sees of the machine. Its root is its own, so that the file that marks it is nowhere else.
SHARED = ("/usr", "/etc", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/tmp", "/home", "/root", "/run", "/var", "/work")


class Portal(GnomeKeyring):
    """The tool in a sandbox, xdg-desktop-portal, and GNOME Keyring, which keeps the sandbox's secret."""

    name = "portal"
    title = "Flatpak's portal"
    package = "xdg-desktop-portal"
    services = GnomeKeyring.services + ("org.freedesktop.impl.portal.PermissionStore",)

    def set_up(self):
        with open(self.room.path("flatpak-info"), "w") as file:
            file.write(INFO)
        self.room.environment["XDG_CURRENT_DESKTOP"] = "GNOME"
        super().set_up()
        self.start_portal()
        # What Flatpak lets through to the session's bus.
        self.room.start(self.sandbox() + [
            "xdg-dbus-proxy", self.room.environment["DBUS_SESSION_BUS_ADDRESS"], self.room.path("run/filtered"),
            "--filter", "--talk=org.freedesktop.portal.*", "--call=org.freedesktop.portal.*=*"])
        until(lambda: os.path.exists(self.room.path("run/filtered")), "the filter")

    def start_portal(self):
        self.portal = self.room.start(["/usr/libexec/xdg-desktop-portal"])
        until(lambda: self.bus.is_there("org.freedesktop.portal.Desktop"), "the portal")

    def stop_portal(self):
        self.portal.terminate()
        self.portal.wait(20)
        until(lambda: not self.bus.is_there("org.freedesktop.portal.Desktop"), "the portal to leave the bus")

    def sandbox(self, **variables):
        """The command that enters the sandbox, with these variables set in it."""
        command = ["bwrap", "--die-with-parent", "--proc", "/proc", "--dev", "/dev",
                   "--ro-bind", self.room.path("flatpak-info"), "/.flatpak-info"]
        for folder in SHARED:
            if os.path.islink(folder):
                command += ["--symlink", os.readlink(folder), folder]
            elif os.path.isdir(folder):
                command += ["--bind", folder, folder]
        for name, value in variables.items():
            command += ["--setenv", name, value]
        return command

    def enter(self, **variables):
        """Has the tool run in the sandbox from now on, behind the filter."""
        self.tool.prefix = self.sandbox(
            DBUS_SESSION_BUS_ADDRESS="unix:path=" + self.room.path("run/filtered"), **variables)
