#!/usr/bin/env python3
"""Checks the migrations between the versions of real models against a reference; see README.md."""

import argparse
import concurrent.futures
import os
import sys
import time

from chain import Chain


def bundles(path):
    """The bundles of model versions below a folder, and the folder itself where it has versions."""
    found = [path] if versions(path) and not path.rstrip("/").endswith(".xcdatamodeld") else []
    for folder, names, _ in os.walk(path):
        names.sort()
        if folder.rstrip("/").endswith(".xcdatamodeld"):
            found.append(folder)
    return found


def check(bundle, name, arguments):
    return Chain(bundle, name, arguments.probe, arguments.objects, arguments.seed).run()


class Progress:
    """Steps done, rate and time left, on a terminal."""

    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.monotonic()
        self.is_shown = sys.stderr.isatty()

    def add(self, report):
        self.done += report.versions
        if not self.is_shown:
            return
        rate = self.done / max(0.001, time.monotonic() - self.start)
        left = (self.total - self.done) / max(0.001, rate)
        sys.stderr.write("\r%d of %d versions, %.1f a second, %d s left \033[K" % (
            self.done, self.total, rate, left))
        if self.done >= self.total:
            sys.stderr.write("\n")
        sys.stderr.flush()


def versions(bundle):
    return sum(name.endswith(".xcdatamodel") for name in os.listdir(bundle))


def run(arguments):
    path = os.path.abspath(arguments.path)
    found = [(bundle, os.path.relpath(bundle, os.path.dirname(path) if bundle == path else path))
             for bundle in bundles(path)]
    found = [item for item in found if arguments.chain is None or arguments.chain in item[1]]
    # The longest first, so that none is waited for alone at the end.
    found.sort(key=lambda item: (-versions(item[0]), item[1]))
    progress, reports = Progress(sum(versions(bundle) for bundle, _ in found)), []
    with concurrent.futures.ProcessPoolExecutor(arguments.jobs) as pool:
        waiting = {pool.submit(check, bundle, name, arguments): name for bundle, name in found}
        for future in concurrent.futures.as_completed(waiting):
            reports.append(future.result())
            progress.add(reports[-1])
    return sorted(reports, key=lambda report: report.name)


def tell(reports, show):
    for report in reports:
        if report.steps or report.differences:
            print("%s: versions %d, inferred %d, refused %d, jumps %d, differences %d" % (
                report.name, report.versions, report.inferred, report.refused, report.jumps,
                len(report.differences)))
        for words in report.differences[:show]:
            print("  DIFFERENCE %s" % words)
        for words in report.unread:
            print("  not read: %s" % words)
    refusals, named = {}, {}
    for report in reports:
        for kind, words in report.refusals:
            refusals.setdefault(kind, []).append("%s %s" % (report.name, words))
        for reason, count in report.named.items():
            named[reason] = named.get(reason, 0) + count
    print("\nreasons of refusals")
    for kind, places in sorted(refusals.items(), key=lambda item: -len(item[1])):
        print("%6d  %s, e.g. %s" % (len(places), kind, places[0]))
    print("where one jump and steps differ, as the reference says")
    for reason, count in sorted(named.items(), key=lambda item: -item[1]):
        print("%6d  %s" % (count, reason))


def main():
    parser = argparse.ArgumentParser(description="Checks migrations between versions of models.")
    parser.add_argument("path", help="a folder with bundles of model versions")
    parser.add_argument("--probe", required=True, help="the program that migrates")
    parser.add_argument("--objects", type=int, default=8, help="objects of each entity, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--chain", help="only the chains whose path contains this")
    parser.add_argument("--show", type=int, default=20, help="how many differences of a chain are printed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if not os.path.isdir(arguments.path):
        parser.error("there is no folder %s" % arguments.path)
    reports = run(arguments)
    tell(reports, arguments.show)

    def total(name):
        return sum(getattr(report, name) for report in reports)
    count = sum(len(report.differences) for report in reports)
    print("\nobjects %d, jumps %d, seed %d" % (total("objects"), total("jumps"), arguments.seed))
    print("chains %d, steps %d, inferred %d, refused %d, differences %d" % (
        len(reports), total("steps"), total("inferred"), total("refused"), count))
    sys.exit(1 if count or not reports else 0)


if __name__ == "__main__":
    main()
