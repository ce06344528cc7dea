"""The command-line tool, run in a session as a user runs it."""

import os
import re
import time

TABLE = "id,name\n1,alpha\n2,beta\n"


class Answer:
    """What a command printed, and how it ended."""

    def __init__(self, process, seconds):
        self.status = process.returncode
        self.text = process.stdout
        self.seconds = seconds
        self.error = process.stderr.strip()

    @property
    def code(self):
        """`ok`, or the code of the error as the tool names it."""
        if self.status == 0:
            return "ok"
        found = re.search(r"Error: ([A-Za-z]+):", self.error)
        return found.group(1) if found else "exit %d" % self.status


class Tool:
    """Commands on the stores of one session."""

    def __init__(self, room, program):
        self.room = room
        self.program = program
        self.prefix = []
        self.errors = []
        with open(room.path("stores/table.csv"), "w") as file:
            file.write(TABLE)

    def store(self, name):
        return self.room.path("stores/" + name)

    def run(self, *words, limit=150):
        start = time.monotonic()
        process = self.room.run([*self.prefix, self.program, *words], limit=limit)
        answer = Answer(process, time.monotonic() - start)
        if answer.error:
            self.errors.append("%s, after %.1f s: %s" % (" ".join(words), answer.seconds, answer.error))
        return answer

    def make(self, name, *options):
        os.makedirs(os.path.dirname(self.store(name)), exist_ok=True)
        return self.run("import", self.store(name), self.room.path("stores/table.csv"), *options)

    def info(self, name, *options):
        return self.run("info", self.store(name), *options)

    def identity(self, name):
        """The store's UUID, by which its items are found: the first 16 bytes of the file."""
        with open(self.store(name), "rb") as file:
            digits = file.read(16).hex()
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def has(self, name):
        return os.path.exists(self.store(name))

    def content(self, name):
        with open(self.store(name), "rb") as file:
            return file.read()
