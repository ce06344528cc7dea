"""The windows of a session's display, and a person in front of it."""

import threading
import time


class Screen:
    """What can be seen on a display, and what can be typed."""

    def __init__(self, room):
        self.room = room

    def windows(self):
        """The titles of the visible windows, by number."""
        found = self.room.run(["xdotool", "search", "--onlyvisible", "--name", "."]).stdout.split()
        titles = {}
        for number in found:
            title = self.room.run(["xdotool", "getwindowname", number]).stdout.strip()
            if title and title.lower() != "openbox":
                titles[number] = title
        return titles

    def focus(self, number):
        self.room.run(["xdotool", "windowactivate", number])
        time.sleep(0.3)

    def type(self, text):
        self.room.run(["xdotool", "type", "--delay", "15", text])

    def press(self, key):
        self.room.run(["xdotool", "key", key])

    def picture(self, path):
        """Leaves a picture of the display, for who looks into a failure."""
        self.room.run(["import", "-window", "root", path])


class Person(threading.Thread):
    """Answers dialogs while something else runs: consents to each, or closes each."""

    def __init__(self, screen, dialogs, consents=True):
        """`dialogs` has what to type before Return, by a part of the dialog's title."""
        super().__init__(daemon=True)
        self.screen = screen
        self.dialogs = dialogs
        self.consents = consents
        self.seen = []
        self.is_done = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_done.set()
        self.join()

    def run(self):
        answered = {}
        while not self.is_done.wait(0.2):
            for number, title in self.screen.windows().items():
                text = next((text for part, text in self.dialogs.items() if part in title), None)
                # A dialog that is still there after a while did not get the keys.
                if text is not None and time.monotonic() - answered.get(number, 0) > 5:
                    if number not in answered:
                        self.seen.append(title)
                    self._answer(number, text)
                    answered[number] = time.monotonic()

    def _answer(self, number, text):
        self.screen.focus(number)
        if not self.consents:
            self.screen.press("Escape")
            return
        if text:
            self.screen.type(text)
        self.screen.press("Return")
