#!/usr/bin/env python3
"""Imports every store of Core Data under some folders and compares the results with the source.

    check_import.py TOOL [PATH...] [--made N] [--export]

TOOL is the built command-line tool. Each store is imported, decrypted and read again; its document must equal
the source's but at the places of the source's own faults. The source and its folder must stay as they were.
With --made N stores of every way are made as well, of N seeds. With --export the new store is written as one of Core Data's again; that one must equal the source, and what
is imported of it the first import. The last line is `stores N, objects N, links N, differences N`; the exit
code is 1 where there are differences.
"""

import argparse
import hashlib
import itertools
import os
import re
import subprocess
import sys
import tempfile

from check import WAYS

HERE = os.path.dirname(os.path.abspath(__file__))
COUNTS = re.compile(r"objects (\d+), values (\d+), links (\d+), differences (\d+)")
EXPLAINED = re.compile(r"explained by faults (\d+)")


class Failed(Exception):
    pass


def stores(paths):
    """The SQLite files under some paths that have metadata of Core Data."""
    for path in paths:
        files = [path] if os.path.isfile(path) else sorted(
            os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
        for file in files:
            with open(file, "rb") as opened:
                if opened.read(16) == b"SQLite format 3\0":
                    yield file


def fingerprint(folder):
    """Names, sizes, times and contents of what is in a folder."""
    found = []
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(place, name)
            status = os.stat(path)
            with open(path, "rb") as file:
                found.append((path, status.st_size, status.st_mtime_ns, hashlib.sha256(file.read()).hexdigest()))
    return found


def made(folder, seeds, objects):
    """Makes a store of each way for each seed, in a folder of its own."""
    for seed in range(1, seeds + 1):
        for number, way in enumerate(WAYS):
            place = os.path.join(folder, "made-%d-%d" % (seed, number))
            os.mkdir(place)
            store = os.path.join(place, "store.sqlite")
            subprocess.run(
                [sys.executable, os.path.join(HERE, "make_store.py"), store, os.path.join(place, "expected"),
                 "--seed", str(seed), "--objects", str(objects)] + way, check=True)
            yield store


class Check:
    def __init__(self, tool, folder, with_export):
        self.tool, self.folder, self.with_export = tool, folder, with_export
        self.number = 0
        self.objects = self.links = self.differences = self.explained = self.faults = 0

    def path(self, name):
        self.number += 1
        return os.path.join(self.folder, "%d-%s" % (self.number, name))

    def run(self, *arguments):
        result = subprocess.run([self.tool] + list(arguments), capture_output=True, text=True)
        if result.returncode:
            raise Failed("%s: %s" % (arguments[0], (result.stderr or result.stdout).strip()[-600:]))
        return result.stdout

    def read(self, program, *arguments):
        target = self.path(program)
        with open(target, "w", encoding="utf-8") as file:
            result = subprocess.run([sys.executable, os.path.join(HERE, program)] + list(arguments),
                                    stdout=file, stderr=subprocess.PIPE, text=True)
        if result.returncode:
            raise Failed("%s: %s" % (program, result.stderr.strip()[-600:]))
        return target

    def imported(self, source):
        """A store made of a source, and its document."""
        store, plain = self.path("store"), self.path("plain")
        key = "file:" + store + ".key"
        self.run("import", store, source, "--vault", key)
        findings = subprocess.run([self.tool, "verify", store, "--vault", key], capture_output=True, text=True)
        if findings.returncode and "required and has no value" not in findings.stdout:
            raise Failed("verify: " + findings.stdout[-600:] + findings.stderr[-600:])
        self.run("decrypt", store, plain, "--vault", key, "--yes")
        return store, key, self.read("strongroom_database.py", plain)

    def compare(self, name, first, second):
        result = subprocess.run(
            [sys.executable, os.path.join(HERE, "compare.py"), first, second, "--match", "key", "--explained"],
            capture_output=True, text=True)
        counts = COUNTS.search(result.stdout)
        if counts is None:
            raise Failed("compare.py: " + result.stderr[-600:])
        differences = int(counts.group(4))
        self.differences += differences
        self.explained += int(EXPLAINED.search(result.stdout).group(1))
        if differences:
            print("%s: %s" % (name, result.stdout[-2000:]))
        return int(counts.group(1)), int(counts.group(3)), differences

    def store(self, path):
        before = fingerprint(os.path.dirname(os.path.abspath(path)))
        source = self.read("apple_store.py", path)
        store, key, document = self.imported(path)
        objects, links, differences = self.compare("import", source, document)
        self.objects += objects
        self.links += links
        if self.with_export:
            again = self.path("again.sqlite")
            self.run("export", store, "--apple", again, "--vault", key, "--yes")
            differences += self.compare("export", document, self.read("apple_store.py", again))[2]
            differences += self.compare("import again", document, self.imported(again)[2])[2]
        if fingerprint(os.path.dirname(os.path.abspath(path))) != before:
            raise Failed("the source or its folder was changed")
        return "objects %d, links %d, differences %d" % (objects, links, differences)


def main():
    parser = argparse.ArgumentParser(description="Imports stores of Core Data and compares.")
    parser.add_argument("tool")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--made", type=int, default=0, help="of so many seeds, stores are made and imported")
    parser.add_argument("--objects", type=int, default=120, help="in each made store")
    parser.add_argument("--export", action="store_true", help="export again, and import that")
    arguments = parser.parse_intermixed_args()
    count = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        check = Check(os.path.abspath(arguments.tool), folder, arguments.export)
        for path in itertools.chain(stores(arguments.paths), made(folder, arguments.made, arguments.objects)):
            count += 1
            try:
                print("%s: %s" % (path, check.store(path)), flush=True)
            except Failed as failure:
                failed += 1
                print("%s: %s" % (path, failure), flush=True)
        print("explained by faults of the sources: %d" % check.explained)
        print("stores %d, objects %d, links %d, differences %d"
              % (count, check.objects, check.links, check.differences + failed))
        sys.exit(1 if failed or check.differences or not count else 0)


if __name__ == "__main__":
    main()
