"""What every provider of the Secret Service is asked to do here."""

import signal

from room import Room, until
from screen import Person, Screen
from secrets_bus import SecretsBus
from tool import Tool

PASSWORD = "throw-away"


class Provider:
    """One real program in a session of its own."""

    name = ""
    title = ""
    #: The package whose version is the program's.
    package = ""
    #: What the session's bus starts when it is asked for.
    services = ()
    #: What a person types into the program's dialogs, by a part of their titles.
    dialogs = {}

    def __init__(self, program):
        self.room = Room(self.services)
        try:
            self.screen = Screen(self.room)
            self.bus = SecretsBus(self.room)
            self.tool = Tool(self.room, program)
            self.process = None
            self.set_up()
        except BaseException:
            self.room.close()
            raise

    def close(self):
        self.bus.close()
        self.room.close()

    def set_up(self):
        """Makes the keyring with a password, starts the program and unlocks it."""
        raise NotImplementedError

    def later_session(self):
        """Ends the session that made the keyring, where the next one differs."""

    def start(self, unlocked=True):
        """Starts the program as its users do."""
        raise NotImplementedError

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(20)
        until(lambda: not self.bus.is_there(), "the service to leave the bus")

    def lock(self):
        self.bus.lock()
        until(self.bus.is_locked, "the collection to be locked")

    def person(self, consents=True):
        return Person(self.screen, self.dialogs, consents)

    def unlock(self):
        """Has the default collection unlocked, with the password."""
        with self.person():
            self.bus.unlock()
        until(lambda: not self.bus.is_locked(), "the collection to be unlocked")
