"""What a run left: the log of each process, the history, and what is in the store in the end."""

import json
import os

INSERT, UPDATE, DELETE = 0, 1, 2
FOREVER = float("inf")


class Operation:
    """One operation: when it began and ended, what it was about, and how it ended (None when it was killed).

    One whose outcome was unknown ends as `saved` or `unsaved`, a save or a batch: that is what the store answered
    when it was asked, and what the history is compared with.
    """

    def __init__(self, line):
        self.name = line["begin"]
        self.begin = line["at"]
        self.end = FOREVER
        self.outcome = None
        self.text = ""
        self.kind = line["kind"]
        self.group = line.get("group")
        self.groups = line.get("groups", [])
        self.reference = line.get("id")
        self.inserts = line.get("inserts", 0)
        self.updates = pairs(line.get("updates", []))
        self.deletes = pairs(line.get("deletes", []))
        self.rows = None
        self.inserted = None
        self.count = None

    def finish(self, line):
        self.end = line["at"]
        self.outcome = line["outcome"]
        self.text = line.get("text", "")
        self.rows = pairs(line["rows"]) if "rows" in line else None
        self.inserted = line.get("ids")
        self.count = line.get("count")

    @property
    def is_write(self):
        return self.kind not in ("read", "look")

    @property
    def has_written(self):
        """Whether it was acknowledged, and changed something whatever others did."""
        if self.outcome not in ("ok", "saved") or not self.is_write:
            return False
        # Such a batch has no count, but a batch that changes nothing has no commit that can be lost.
        if self.outcome == "saved" and self.kind != "save":
            return True
        return bool(self.updates or self.inserts) if self.kind == "save" else self.count > 0

    @property
    def seconds(self):
        return (self.end - self.begin) / 1e9

    @property
    def writer(self):
        return int(self.name.split(".")[0])


class Transaction:
    """One of the history: its number, the operation's name, and objects with what was done to each."""

    def __init__(self, line):
        self.number = line["number"]
        self.author = line.get("author")
        self.changes = [tuple(change) for change in line["changes"]]

    def __eq__(self, other):
        return (self.number, self.author, self.changes) == (other.number, other.author, other.changes)


class Life:
    """What one process of a consumer saw from its start to its end."""

    def __init__(self, kind, start):
        self.kind, self.start = kind, start
        self.seen = []

    def add(self, line):
        self.seen += [(Transaction(one), line["at"]) for one in line["seen"]]


class Evidence:
    """- `consumers`: by number, the lives of each in their order."""

    def __init__(self, operations, history, content, consumers, busy_timeout=60.0):
        self.operations = operations
        self.history = history
        self.content = content
        self.consumers = consumers
        self.busy_timeout = busy_timeout

    @staticmethod
    def read(folder):
        with open(os.path.join(folder, "settings.json"), encoding="utf-8") as file:
            settings = json.load(file)
        operations, lives = {}, {}
        for name in sorted(os.listdir(folder)):
            lines = whole_lines(os.path.join(folder, name)) if name.endswith((".log", ".jsonl")) else []
            if name.startswith("writer-"):
                collect(operations, lines)
            elif name.startswith("consumer-") and lines:
                number, life = (int(part) for part in name[len("consumer-"):-len(".log")].split("-"))
                lives[number, life] = read_life(lines)
        consumers = {}
        for (number, _), life in sorted(lives.items()):
            consumers.setdefault(number, []).append(life)
        history = [Transaction(line) for line in whole_lines(os.path.join(folder, "history.jsonl"))]
        content = [
            (line["id"], line["group"], line["text"])
            for line in whole_lines(os.path.join(folder, "content.jsonl"))]
        return Evidence(operations, history, content, consumers, settings["busyTimeout"] / 1000)


def pairs(rows):
    return [(row["id"], row["value"]) for row in rows]


def whole_lines(path):
    """Each line of a file; a kill may have left a piece of the last, which did not happen then."""
    if not os.path.exists(path):
        return []
    with open(path, "rb") as file:
        return [json.loads(line) for line in file.read().split(b"\n")[:-1]]


def collect(operations, lines):
    for line in lines:
        if "begin" in line:
            operations[line["begin"]] = Operation(line)
        else:
            operations[line["end"]].finish(line)


def read_life(lines):
    life = Life(lines[0]["kind"], lines[0]["at"])
    for line in lines[1:]:
        life.add(line)
    return life
