"""One chain: the program migrates its stores, and each result is compared with the reference's."""

import json
import os
import subprocess
import sys
import tempfile

from comparison import differences
from document import Document
from forecast import compare, compare_issues
from losses import Losses
from model_file import Model, Unreadable, versions
from reference import Step
from ways import Way, reasons

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apple-stores"))
from strongroom_database import Database  # noqa: E402


class Report:
    """What was found of one chain; small, since it goes from one process to another."""

    def __init__(self, name):
        self.name, self.versions, self.steps, self.inferred, self.refused = name, 0, 0, 0, 0
        self.jumps = self.objects = 0
        self.differences, self.refusals, self.named, self.unread = [], [], {}, []

    def differ(self, where, words):
        self.differences.append("%s %s: %s" % (self.name, where, words))


class Chain:
    def __init__(self, bundle, name, probe, objects, seed):
        self.bundle, self.probe, self.objects, self.seed = bundle, probe, objects, seed
        self.report = Report(name)
        self.models, self.names, self.hashes, self.filled = [], [], [], {}

    def run(self):
        self.read()
        if not self.names:
            self.report.unread.append("no version in the readable form")
            return self.report
        with tempfile.TemporaryDirectory(prefix="migrate-chains-") as folder:
            events = self.migrate(folder)
            self.check(events)
        return self.report

    def read(self):
        for name, path in versions(self.bundle):
            self.names.append(name)
            try:
                self.models.append(Model(path))
            except Unreadable as error:
                self.models.append(None)
                self.report.unread.append("%s: %s" % (name, error))
        self.report.versions = len(self.names)
        self.report.steps = max(0, len(self.names) - 1)

    def migrate(self, folder):
        command = [self.probe, self.bundle, folder, "--objects", str(self.objects), "--seed", str(self.seed)]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
        if ran.returncode:
            last = ran.stderr.strip().splitlines()[-3:]
            self.report.differ(
                "as a whole", "the program ended with %d: %s" % (ran.returncode, " ".join(last)))
        return self.read_documents([json.loads(line) for line in ran.stdout.splitlines()])

    def read_documents(self, events):
        for event in events:
            path, model = event.get("database"), self.models[event["to"]]
            if path is None or model is None:
                continue
            try:
                event["document"] = Document.read(list(Database(path).lines()), model)
            except Exception as error:  # Whatever it is, it is a finding.
                self.report.differ(self.place(event), "cannot be read: %r" % error)
            os.remove(path)
        return events

    def place(self, event):
        if "from" not in event:
            return self.names[event["to"]]
        return "%s %s → %s" % (event["kind"], self.names[event["from"]], self.names[event["to"]])

    # Checks

    def check(self, events):
        done = set()
        for event in events:
            for problem in event.get("problems", []):
                self.report.differ(self.place(event), problem)
            getattr(self, "check_" + event["kind"])(event)
            if event["kind"] == "step":
                done.add(event["from"])
        for index in range(self.report.steps):
            if index in done:
                continue
            unread = [self.names[place] for place in (index, index + 1) if self.models[place] is None]
            if unread:
                self.report.refused += 1
                self.report.refusals.append(("a version that is no valid model", self.names[index + 1]))
            else:
                self.report.differ("step to %s" % self.names[index + 1], "was not tried")

    def check_version(self, event):
        index = event["to"]
        self.hashes.append(event.get("hash"))
        if self.names[index] != event["name"]:
            self.report.differ(event["name"], "is not version %d, which is %s" % (index, self.names[index]))
        if (self.models[index] is None) != (event.get("hash") is None):
            self.report.differ(event["name"], "is read by one side: %s" % event.get("message", "the program"))

    def check_filled(self, event):
        document, model = event.get("document"), self.models[event["to"]]
        if document is None:
            return
        self.filled[event["to"]] = document
        self.report.objects += len(document.objects)
        for thing in document.objects.values():
            entity = model.entities[thing.entity]
            wanted = {part.name for part in entity.attributes + entity.relationships if part.stored}
            if wanted != set(thing.attributes) | set(thing.links):
                self.report.differ(self.place(event), "%s has other properties" % thing.entity)
                return

    def check_step(self, event):
        if event.get("document") is not None:
            self.report.inferred += 1
        else:
            self.report.refused += 1
            for issue in event["forecast"]["issues"]:
                self.report.refusals.append((issue["kind"], "%s: %s" % (self.place(event), issue["message"])))
        self.check_migration(event)

    def check_jump(self, event):
        self.report.jumps += 1
        step = self.check_migration(event)
        if step is None or step.result is None:
            return
        way = self.way(event)
        if way.stopped is not None:
            return
        for reason, words in reasons(way, step):
            if reason is None:
                self.report.differ(self.place(event), "%s is another by steps, for no known reason" % words)
            else:
                self.report.named[reason] = self.report.named.get(reason, 0) + 1

    def way(self, event):
        return Way(self.models, self.hashes, event["from"], event["to"], self.filled[event["from"]])

    def check_migration(self, event):
        """One migration in one step; returns what the reference says of it."""
        old, new = self.models[event["from"]], self.models[event["to"]]
        document = self.filled.get(event["from"])
        if old is None or new is None or document is None:
            return None
        place, forecast = self.place(event), event["forecast"]
        step = Step(old, new, document)
        if forecast["isCurrent"] != (self.hashes[event["from"]] == self.hashes[event["to"]]):
            self.report.differ(place, "the forecast is wrong about whether there is anything to do")
        for words in compare_issues(step, forecast):
            self.report.differ(place, words)
        if step.result is not None:
            losses = Losses(step)
            for words in compare(step, losses, forecast):
                self.report.differ(place, words)
            if event["hasCopy"] != losses.is_any:
                self.report.differ(place, "a copy %s" % ("is there" if event["hasCopy"] else "is missing"))
        self.check_outcome(event, step, place)
        return step

    def check_outcome(self, event, step, place):
        if event.get("code"):
            if event["code"] != "modelMismatch" or not event["forecast"]["issues"]:
                self.report.differ(place, "refused without a reason: %s" % event["message"])
            elif step.result is not None:
                self.report.differ(place, "refused, and should be possible")
        elif step.result is None:
            self.report.differ(place, "done, and should be refused")
        elif event.get("document") is not None:
            if event["forecast"]["issues"]:
                self.report.differ(place, "done, and the forecast said that it would fail")
            self.compare(step.result, event["document"], step.new, place)

    def compare(self, expected, actual, model, place):
        for entity, key, name, words in differences(expected, actual, model):
            self.report.differ(place, "%s %s%s %s" % (entity, key, " " + name if name else "", words))

    def check_path(self, event):
        if event["from"] not in self.filled:
            return
        end = event.get("stoppedAt", event["to"])
        way = Way(self.models, self.hashes, event["from"], end, self.filled[event["from"]])
        place = self.place(event)
        if way.stopped != event.get("stoppedAt"):
            self.report.differ(place, "stops at version %s, and should at %s %s" % (
                event.get("stoppedAt"), way.stopped, sorted(way.issues)))
        elif way.stopped is not None and way.issues != set(event.get("issues") or []):
            self.report.differ(place, "stops for %s, and should for %s" % (
                sorted(event.get("issues") or []), sorted(way.issues)))
        elif event.get("document") is not None:
            self.compare(way.document, event["document"], self.models[event["to"]], place)
