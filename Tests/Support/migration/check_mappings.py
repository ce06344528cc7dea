#!/usr/bin/env python3
"""Checks mapping models: read and written back, and carried out on filled stores; see README.md."""

import argparse
import os
import subprocess
import sys
import tempfile

import labels
import mapping_file
from derivation import is_computed
from document import Document
from mapping_reference import Step
from model_file import Model

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "apple-stores"))
from strongroom_database import Database  # noqa: E402


def bundle_of(mapping, names):
    """The bundle nearest to a mapping model that has both versions."""
    folder = os.path.dirname(mapping)
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".xcdatamodeld") and all(os.path.isdir(os.path.join(path, part)) for part in names):
            return path
    return None


def plain(value):
    """A value in which equal numbers look alike."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def things(found, model, identity, leads):
    """What `labels` compares, of objects of a model."""
    result = []
    for thing in found:
        entity = model.entities[thing.entity]
        computed = {item.name for item in entity.attributes if is_computed(model, item)}
        values = {name: plain(value) for name, value in thing.attributes.items() if name not in computed}
        result.append((identity(thing), thing.entity, values, {
            name: [leads(other) for other in others] for name, others in thing.links.items()}))
    return result


def compare(step, actual):
    new = step.new
    expected = things(step.result, new, id, id)
    found = things(actual.objects.values(), new, lambda thing: thing.place, lambda place: place)
    return labels.differences(expected, found, lambda entity, name: new.entities[entity].property(name).ordered)


class Check:
    def __init__(self, probe, objects, seed):
        self.probe, self.objects, self.seed = probe, objects, seed
        self.mappings = self.migrated = self.refused = self.objects_seen = 0
        self.apple = self.found = 0

    def differ(self, path, words):
        self.found += 1
        print("%s: %s" % (path, words))

    def run(self, path, name):
        self.mappings += 1
        mappings, texts = mapping_file.read(path)
        versions = [os.path.basename(texts[key].rstrip("/")) for key in ("sourcemodelpath", "destinationmodelpath")]
        bundle = bundle_of(path, versions)
        with tempfile.TemporaryDirectory(prefix="check-mappings-") as folder:
            command = [self.probe, "map", path, folder, "--objects", str(self.objects), "--seed", str(self.seed)]
            if bundle:
                names = [os.path.splitext(item)[0] for item in versions]
                command += ["--bundle", bundle, "--from", names[0], "--to", names[1]]
            ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
            self.written(path, name, folder)
            for line in ran.stdout.splitlines():
                self.differ(name, line)
            if ran.returncode and "validation rules" in ran.stderr and any(item.policy for item in mappings):
                self.refused += 1
            elif ran.returncode:
                words = " ".join(ran.stderr.strip().splitlines()[-2:])
                self.differ(name, "the program ended with %d: %s" % (ran.returncode, words))
            elif bundle:
                self.migration(name, mappings, [Model(os.path.join(bundle, item, "contents")) for item in versions], folder)

    def written(self, path, name, folder):
        target = os.path.join(folder, "written.xcmappingmodel")
        if not os.path.exists(target):
            return self.differ(name, "was not written")
        (first, one), (second, other) = mapping_file.read(path), mapping_file.read(target)
        if [item.described for item in first] != [item.described for item in second]:
            self.differ(name, "is another when it is written")
        for key in ("sourcemodelpath", "destinationmodelpath", "sourcemodeldata", "destinationmodeldata"):
            if "".join(one.get(key, "").split()) != "".join(other.get(key, "").split()):
                self.differ(name, "loses its %s" % key)

    def migration(self, name, mappings, models, folder):
        before, after = (
            Document.read(list(Database(os.path.join(folder, file)).lines()), model)
            for file, model in zip(("before.db", "after.db"), models))
        step = Step(mappings, *models, before)
        self.migrated += 1
        self.objects_seen += len(step.result)
        for words in compare(step, after):
            self.differ(name, words)


def check_apple(arguments, check):
    """The chain of stores that Apple's own software migrated, where the data has it."""
    from apple_results import Chain
    folder = os.path.join(arguments.path, "objcio-moody")
    names = ["Moody"] + ["Moody %d" % number for number in range(2, 6)]
    stores = [os.path.join(arguments.apple, "objcio-moody", name + ".moody") for name in names]
    mappings = [os.path.join(folder, "%s-%s.xcmappingmodel" % pair) for pair in zip(names, names[1:])]
    steps = [(names[0], None)] + [
        (name, path if os.path.isdir(path) else None) for name, path in zip(names[1:], mappings)]
    chain = Chain(arguments.tool, arguments.probe, stores, os.path.join(folder, "Moody.xcdatamodeld"), steps)
    check.apple = chain.run()
    for words in chain.found:
        check.differ("objcio-moody", words)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path")
    parser.add_argument("--probe", required=True)
    parser.add_argument("--apple", help="the Apple stores that the mapping models are of")
    parser.add_argument("--tool")
    parser.add_argument("--objects", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    check = Check(arguments.probe, arguments.objects, arguments.seed)
    for folder, names, _ in sorted(os.walk(arguments.path)):
        if folder.endswith(".xcmappingmodel"):
            check.run(folder, os.path.relpath(folder, arguments.path))
    if arguments.apple:
        check_apple(arguments, check)
    print("mapping models %d, migrated %d, refused without their policies %d, objects %d, steps of Apple's %d,"
          " differences %d" % (check.mappings, check.migrated, check.refused, check.objects_seen, check.apple,
                               check.found))
    return 1 if check.found or not check.mappings else 0


if __name__ == "__main__":
    sys.exit(main())
