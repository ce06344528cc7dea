"""KeePassXC, with its Secret Service integration and a database whose root group is exposed."""

import base64
import os
import uuid

from provider import PASSWORD, Provider
from room import until

DATABASE = """<?xml version="1.0" encoding="UTF-8"?>
<KeePassFile>
  <Meta>
    <DatabaseName>keys</DatabaseName>
    <CustomData>
      <Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{%s}</Value></Item>
    </CustomData>
  </Meta>
  <Root><Group><UUID>%s</UUID><Name>Root</Name></Group></Root>
</KeePassFile>
"""

SETTINGS = """[General]
ConfigVersion=2
UpdateCheckMessageShown=true
[GUI]
CheckForUpdates=false
[FdoSecrets]
Enabled=true
"""


class KeePassXC(Provider):
    name = "keepassxc"
    title = "KeePassXC"
    package = "keepassxc"
    dialogs = {"Unlock Database": PASSWORD, "Access Request": ""}

    def set_up(self):
        group = uuid.uuid4()
        with open(self.room.path("keys.xml"), "w") as file:
            file.write(DATABASE % (group, base64.b64encode(group.bytes).decode()))
        made = self.room.run(["keepassxc-cli", "import", "--set-password", self.room.path("keys.xml"), self.database],
                             2 * (PASSWORD + "\n"))
        if made.returncode != 0:
            raise RuntimeError("the database was not made: " + made.stderr)
        folder = self.room.path("home/config/keepassxc")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "keepassxc.ini"), "w") as file:
            file.write(SETTINGS)
        self.start()

    @property
    def database(self):
        return self.room.path("home/keys.kdbx")

    def start(self, unlocked=True):
        """With the database open, or locked as when it is started by itself."""
        if unlocked:
            self.process = self.room.start(["keepassxc", "--pw-stdin", self.database], PASSWORD + "\n")
        else:
            self.process = self.room.start(["keepassxc", self.database])
        until(self.bus.is_there, "the program")
        until(self.bus.default, "the default collection")
        if unlocked:
            until(lambda: not self.bus.is_locked(), "the open database")
