"""Runs every row with every provider, and compares each cell with what is written down.

    matrix.py TOOL [PROVIDER]...
"""

import datetime
import subprocess
import sys
import traceback

import portal_rows
import rows
from expected import DIFFERENCES
from gnome_keyring import GnomeKeyring
from keepassxc import KeePassXC
from kwallet import KWallet
from portal import Portal

PROVIDERS = {provider.name: provider for provider in (GnomeKeyring, KWallet, KeePassXC, Portal)}


def version(package):
    return subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True, check=False).stdout


class Matrix:
    """The outcomes by row and provider."""

    def __init__(self):
        self.cells = {}
        self.titles = {}
        self.wrong = []

    def enter(self, row, title, expected, provider, outcome):
        self.titles[row] = (title, expected)
        self.cells[row, provider.name] = outcome
        wanted, _ = DIFFERENCES.get((row, provider.name), (expected, ""))
        if outcome != wanted:
            self.wrong.append("\n  ".join(
                ["%s, %s: %s, and not %s" % (provider.title, title, outcome, wanted), *provider.tool.errors]))
        provider.tool.errors.clear()
        print("%-14s %-100s %s" % (provider.name, title, outcome), file=sys.stderr, flush=True)

    def run_rows(self, provider, own):
        for row, title, expected, function in own:
            self.enter(row, title, expected, provider, attempt(function, provider))
            if provider.process.poll() is not None:
                provider.start()

    def run_migrations(self, sessions):
        for source in sessions:
            for destination in sessions:
                if source is not destination:
                    self.enter("from_" + source.name, "a key comes from %s by a key file" % source.title,
                               rows.MIGRATED, destination, attempt(rows.migrated, source, destination))

    def print(self, providers, heading):
        names = {provider.name for provider in providers}
        own = [row for row in self.titles if any((row, name) in self.cells for name in names)]
        print("\n| | %s | %s |" % (heading, " | ".join(one.title for one in providers)))
        print("|" + " --- |" * (len(providers) + 2))
        for row in own:
            title, expected = self.titles[row]
            print("| %s | %s | %s |" % (title, expected, " | ".join(self.cell(row, one) for one in providers)))
        notes = [
            "- %s, %s: %s" % (one.title, self.titles[row][0], DIFFERENCES[row, one.name][1])
            for row in own for one in providers if (row, one.name) in DIFFERENCES
        ]
        if notes:
            print("\nWhat differs:\n\n" + "\n".join(notes))

    def cell(self, row, provider):
        outcome = self.cells.get((row, provider.name))
        if outcome is None:
            return ""
        return "yes" if outcome == self.titles[row][1] else "**%s**" % outcome


def attempt(function, *sessions):
    try:
        return function(*sessions)
    except Exception as error:  # what a program under test does may be anything
        traceback.print_exc()
        ended = [one.title for one in sessions if one.process.poll() is not None]
        return "failed: %s%s" % (error, "".join("; %s has ended" % title for title in ended))


def main():
    tool, names = sys.argv[1], sys.argv[2:] or list(PROVIDERS)
    providers = [PROVIDERS[name] for name in names]
    desktops = [one for one in providers if one is not Portal]
    matrix, sessions = Matrix(), []
    try:
        for provider in desktops:
            sessions.append(provider(tool))
            matrix.run_rows(sessions[-1], rows.ROWS)
        matrix.run_migrations(sessions)
        if Portal in providers:
            sessions.append(Portal(tool))
            matrix.run_rows(sessions[-1], portal_rows.ROWS)
    finally:
        for session in sessions:
            session.close()
    print("Run on %s with libsecret %s and %s." % (
        datetime.date.today().isoformat(), version("libsecret-1-0"),
        ", ".join("%s %s" % (one.title, version(one.package)) for one in providers)))
    if desktops:
        matrix.print(desktops, "a keyring should")
    if Portal in providers:
        matrix.print([Portal], "expected")
    for line in matrix.wrong:
        print("not as written down: " + line, file=sys.stderr)
    sys.exit(1 if matrix.wrong else 0)


if __name__ == "__main__":
    main()
