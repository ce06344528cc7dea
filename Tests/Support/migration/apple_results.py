"""Migrates an Apple store along its versions, and compares each with what Apple's own software made of it."""

import os
import subprocess
import sys
import tempfile

import labels
from check_mappings import things
from document import Document
from model_file import Model

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apple-stores"))
from strongroom_database import Database  # noqa: E402


class Chain:
    """Stores of one app, each version's migrated from the one before by Apple's own software."""

    def __init__(self, tool, probe, stores, bundle, steps):
        self.tool, self.probe, self.stores, self.bundle, self.steps = tool, probe, stores, bundle, steps
        self.folder = None
        self.found = []

    def ran(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
        if done.returncode or done.stdout.startswith("verify"):
            raise RuntimeError("%s: %s" % (" ".join(command[:3]), (done.stderr + done.stdout)[-500:]))

    def strongroom(self, *arguments):
        self.ran(self.tool, *arguments, "--vault", "file:%s/keys" % self.folder)

    def imported(self, apple, name):
        path = os.path.join(self.folder, name)
        self.strongroom("import", path, apple)
        return path

    def version(self, index):
        return os.path.join(self.bundle, "%s.xcdatamodel" % self.steps[index][0])

    def objects(self, store, index):
        database = os.path.join(self.folder, "plain.db")
        self.strongroom("decrypt", store, database, "--yes")
        model = Model(os.path.join(self.version(index), "contents"))
        found = Document.read(list(Database(database).lines()), model)
        os.remove(database)
        return things(found.objects.values(), model, lambda thing: thing.place, lambda place: place), model

    def compare(self, own, theirs, index, what):
        expected, model = self.objects(theirs, index)
        actual, _ = self.objects(own, index)
        ordered = lambda entity, name: model.entities[entity].property(name).ordered  # noqa: E731
        self.found += ["%s, %s: %s" % (self.steps[index][0], what, words)
                       for words in labels.differences(expected, actual, ordered)]

    def run(self):
        with tempfile.TemporaryDirectory(prefix="apple-results-") as self.folder:
            apples = [self.imported(path, "apple-%d" % index) for index, path in enumerate(self.stores)]
            own, at_once = self.imported(self.stores[0], "own"), self.imported(self.stores[0], "at-once")
            for index in range(1, len(self.steps)):
                mapping = self.steps[index][1]
                self.strongroom("migrate", own, self.version(index), "--allow-loss",
                                *(["--mapping", mapping] if mapping else []))
                self.compare(own, apples[index], index, "step by step")
                for name in os.listdir(self.folder):
                    if name.startswith("own.before-migration"):
                        os.remove(os.path.join(self.folder, name))
            self.ran(self.probe, "staged", at_once, "--keys", "%s/keys" % self.folder, "--bundle", self.bundle,
                     "--versions", *[name for name, _ in self.steps],
                     "--mappings", *[mapping or "-" for _, mapping in self.steps[1:]])
            self.compare(at_once, apples[-1], len(self.steps) - 1, "in one go")
        return len(self.steps) - 1
