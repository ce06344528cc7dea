"""KWallet, opened by the login as Plasma's does it, with the dialogs of its own daemon."""

import hashlib
import os
import socket

from provider import PASSWORD, Provider
from room import until

SETTINGS = "[Wallet]\nFirst Use=false\n"


class KWallet(Provider):
    name = "kwallet"
    title = "KWallet"
    #: Debian 13 has the sixth, Debian 12 the fifth.
    daemon = "kwalletd6" if os.path.exists("/usr/bin/kwalletd6") else "kwalletd5"
    package = "kwallet6" if daemon == "kwalletd6" else "libkf5wallet-bin"
    dialogs = {"KDE Wallet": PASSWORD}

    def set_up(self):
        with open(self.room.path("home/config/kwalletrc"), "w") as file:
            file.write(SETTINGS)
        os.mkdir(self.room.path("home/data/kwalletd"), 0o700)
        with open(self.salt, "wb") as file:
            file.write(os.urandom(56))
        self._start_by_login()
        until(lambda: os.path.exists(self.room.path("home/data/kwalletd/kdewallet.kwl")), "the wallet")
        until(self.bus.is_there, "the daemon")

    def later_session(self):
        self.stop()
        self.start()

    @property
    def salt(self):
        return self.room.path("home/data/kwalletd/kdewallet.salt")

    def start(self, unlocked=True):
        """As the login starts it, which hands it the key of the login's password; or as after a login without one."""
        if not unlocked:
            self.process = self.room.start([self.daemon])
        else:
            self._start_by_login()
        until(self.bus.is_there, "the daemon")
        until(self.bus.default, "the default collection")

    def _start_by_login(self):
        with open(self.salt, "rb") as file:
            key = hashlib.pbkdf2_hmac("sha512", PASSWORD.encode(), file.read(), 50000, 56)
        path = self.room.path("run/kwallet.socket")
        if os.path.exists(path):
            os.unlink(path)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(path)
            listener.listen(1)
            reading, writing = os.pipe()
            handed = [reading, listener.fileno()]
            self.room.environment["PAM_KWALLET5_LOGIN"] = path
            self.process = self.room.start([self.daemon, "--pam-login", *map(str, handed)], pass_fds=handed)
            os.close(reading)
            with os.fdopen(writing, "wb") as pipe:
                pipe.write(key)
            with socket.socket(socket.AF_UNIX) as session:
                session.connect(path)
                lines = ["%s=%s" % pair for pair in self.room.environment.items() if "\n" not in pair[1]]
                session.sendall("\n".join(lines).encode() + b"\n")
