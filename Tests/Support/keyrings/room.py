"""A session of its own: a home, a display and a bus that see nothing of the user's, and all of it removed after."""

import os
import shutil
import signal
import subprocess
import tempfile
import time

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <keep_umask/>
  <listen>unix:path=%(folder)s/run/bus</listen>
  <servicedir>%(folder)s/services</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""

LEFT_OUT = ("XDG_", "DBUS_", "GNOME_", "KDE_", "SECRET_", "QT_", "GTK_", "SNAP_")
SERVICES = "/usr/share/dbus-1/services"


class Room:
    """The folder, the display, the bus and the processes of one session."""

    def __init__(self, services=()):
        """Starts the session; its bus starts only the named services on demand."""
        self.folder = tempfile.mkdtemp(prefix="strongroom-keyrings-")
        for name in ("home", "run", "services", "stores"):
            os.mkdir(self.path(name), 0o700)
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(LEFT_OUT) and name != "WAYLAND_DISPLAY"
        }
        self.environment.update(
            HOME=self.path("home"), XDG_RUNTIME_DIR=self.path("run"), LC_ALL="C.UTF-8", NO_AT_BRIDGE="1",
            XDG_DATA_HOME=self.path("home/data"), XDG_CONFIG_HOME=self.path("home/config"),
            XDG_CACHE_HOME=self.path("home/cache"), QT_QPA_PLATFORM="xcb", GTK_A11Y="none",
            DBUS_SESSION_BUS_ADDRESS="unix:path=" + self.path("run/bus"))
        for name in ("data", "config", "cache"):
            os.mkdir(self.path("home/" + name), 0o700)
        self.processes = []
        for name in services:
            shutil.copy(os.path.join(SERVICES, name + ".service"), self.path("services"))
        self._start_display()
        self._start_bus()

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, command, feed=None, pass_fds=()):
        """Starts a program in the session, with its output in the session's folder."""
        name = os.path.basename(command[0])
        log = open(self.path(name + ".log"), "ab")
        process = subprocess.Popen(
            command, env=self.environment, stdout=log, stderr=log, cwd=self.path("home"), pass_fds=pass_fds,
            stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE, start_new_session=True)
        log.close()
        if feed is not None:
            process.stdin.write(feed.encode())
            process.stdin.close()
        self.processes.append(process)
        return process

    def run(self, command, feed=None, limit=60):
        """Runs a program in the session to its end."""
        return subprocess.run(
            command, env=self.environment, input=feed, capture_output=True, text=True, timeout=limit,
            cwd=self.path("home"), check=False)

    def log(self, name):
        try:
            with open(self.path(name + ".log"), errors="replace") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def close(self):
        """Ends what was started here, whatever it makes of milder signals, and removes the folder."""
        own = ("HOME=" + self.path("home")).encode()
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == os.getpid():
                continue
            try:
                with open("/proc/%s/environ" % entry, "rb") as file:
                    if own in file.read().split(b"\0"):
                        os.kill(int(entry), signal.SIGKILL)
            except OSError:
                continue
        for process in self.processes:
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start_display(self):
        reading, writing = os.pipe()
        with open(self.path("Xvfb.log"), "ab") as log:
            self.processes.append(subprocess.Popen(
                ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1024x768x24", "-nolisten", "tcp", "-noreset"],
                env=self.environment, stdout=log, stderr=log, pass_fds=[writing], start_new_session=True))
        os.close(writing)
        with os.fdopen(reading) as file:
            number = file.readline().strip()
        if not number:
            raise RuntimeError("the display did not start: " + self.log("Xvfb"))
        self.environment["DISPLAY"] = ":" + number
        # Without a window manager no window gets the focus that the toolkits wait for.
        self.start(["openbox", "--sm-disable"])

    def _start_bus(self):
        with open(self.path("bus.conf"), "w") as file:
            file.write(BUS % {"folder": self.folder})
        self.start(["dbus-daemon", "--nofork", "--config-file=" + self.path("bus.conf")])
        until(lambda: os.path.exists(self.path("run/bus")), "the session bus")


def until(condition, what, limit=20):
    """Waits for a condition, and gives what it answered."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)
    raise TimeoutError("waited %d s for %s" % (limit, what))
