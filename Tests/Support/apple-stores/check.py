#!/usr/bin/env python3
"""Checks the referee itself: made stores are read as expected, and a change of one value is found.

    check.py [--seeds N] [--objects N]

Each seed makes a store of each way, reads it and compares with what its maker expects, line for line. Then
the keys are exchanged, which must make no difference, and one value or link is changed, which must make one.
"""

import argparse
import copy
import json
import os
import random
import subprocess
import sys
import tempfile

import canonical

HERE = os.path.dirname(os.path.abspath(__file__))
WAYS = [[], ["--log", "all"], ["--log", "half", "--renamed"], ["--faults"], ["--faults", "--renamed"]]


def run(*arguments):
    return subprocess.run([sys.executable] + list(arguments), capture_output=True, text=True, cwd=HERE)


def write(path, documents):
    with open(path, "w", encoding="utf-8") as file:
        for document in documents:
            file.write(canonical.line(document) + "\n")


def rekeyed(documents, shuffler):
    """The same objects under other keys, in another order, with their former keys as `source`."""
    result = copy.deepcopy([item for item in documents if item["kind"] != "fault"])
    objects = [item for item in result if item["kind"] == "object"]
    roots = {entity["name"]: entity["root"] for entity in result[0]["entities"]}
    ordered = {(entity["name"], name) for entity in result[0]["entities"] for name in entity["ordered"]}
    new = {}
    for at, item in enumerate(shuffler.sample(objects, len(objects))):
        new[(item["root"], item["key"])] = at + 1000
    for item in objects:
        item["source"] = [item["entity"], item["key"]]
        item["key"] = new[(item["root"], item["key"])]
        for name, links in item["relationships"].items():
            many = isinstance(links, list) and (not links or isinstance(links[0], list))
            for link in links if many else [links] if links else []:
                link[1] = new[(roots[link[0]], link[1])]
            if many and (item["entity"], name) not in ordered:
                links.sort(key=lambda link: link[1])
    return result[:1] + shuffler.sample(objects, len(objects))


def changed(documents, shuffler):
    """One value or one link of one object changed."""
    result = copy.deepcopy(documents)
    item = shuffler.choice([item for item in result if item["kind"] == "object"])
    part = shuffler.choice([part for part in ("attributes", "relationships") if item[part]])
    name = shuffler.choice(sorted(item[part]))
    value = item[part][name]
    if part == "attributes":
        item[part][name] = "changed" if value != "changed" else None
    elif isinstance(value, list) and value and isinstance(value[0], list):
        value.pop(shuffler.randrange(len(value)))
    else:
        item[part][name] = [[item["entity"], item["key"]]] if value == [] else \
            None if value else [item["entity"], item["key"]]
    return result


def check(folder, seed, way, objects):
    """The failures of one store."""
    store, expected, found, other = (os.path.join(folder, name)
                                     for name in ("s.sqlite", "expected", "found", "other"))
    made = run("make_store.py", store, expected, "--seed", str(seed), "--objects", str(objects), *way)
    if made.returncode:
        return ["not made: " + made.stderr[-500:]]
    read = run("apple_store.py", store)
    with open(found, "w", encoding="utf-8") as file:
        file.write(read.stdout)
    with open(expected, encoding="utf-8") as file:
        lines = file.read().split("\n")
    failures = []
    if sorted(lines) != sorted(read.stdout.split("\n")):
        failures.append("read otherwise than expected: " + read.stderr[-500:])
    documents = [json.loads(line) for line in lines if line]
    shuffler = random.Random(seed)
    write(other, rekeyed(documents, shuffler))
    same = run("compare.py", found, other)
    if same.returncode or not same.stdout.endswith("differences 0\n"):
        failures.append("other keys make a difference: " + same.stdout[-500:])
    write(other, rekeyed(changed(documents, shuffler), shuffler))
    one = run("compare.py", found, other)
    if one.returncode != 1 or not one.stdout.endswith("differences 1\n"):
        failures.append("one change is not one difference: " + one.stdout[-500:] + one.stderr[-500:])
    return failures


def main():
    parser = argparse.ArgumentParser(description="Checks the referee with stores of its own.")
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--objects", type=int, default=120)
    arguments = parser.parse_args()
    bad = stores = 0
    for seed in range(1, arguments.seeds + 1):
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                failures = check(folder, seed, way, arguments.objects)
            stores += 1
            bad += bool(failures)
            for failure in failures:
                print("seed %d %s: %s" % (seed, " ".join(way), failure))
    print("stores %d, failed %d" % (stores, bad))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
