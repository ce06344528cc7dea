"""What is done in a sandbox, and what comes of it."""

import os

from rows import silently, words

ROWS = []


def row(title, expected):
    def register(function):
        ROWS.append((function.__name__, title, expected, function))
        return function
    return register


@row("a store is made and opened with `SECRET_BACKEND=file`", "ok, ok, 0 items in the desktop's keyring")
def portal_make(p):
    p.enter(SECRET_BACKEND="file")
    made = p.tool.make("a.store").code
    opened = p.tool.info("a.store").code
    unlocked, locked = p.bus.search(store=p.tool.identity("a.store"))
    return words(made, opened, "%d items in the desktop's keyring" % len(unlocked + locked))


@row("a store is made without the variable", "noSecretService, no file")
def portal_without_variable(p):
    p.enter()
    code = p.tool.make("b.store").code
    p.enter(SECRET_BACKEND="file")
    return words(code, "a file" if p.tool.has("b.store") else "no file")


@row("the portal is not running", "noSecretService, and ok when it is again")
def portal_absent(p):
    p.stop_portal()
    code = p.tool.info("a.store").code
    p.start_portal()
    return words(code, "and %s when it is again" % p.tool.info("a.store").code)


@row("the desktop's keyring is locked, and a store is opened silently", "timedOut, after 10 s, a dialog")
def portal_locked(p):
    p.lock()
    outcome = silently(p, lambda: p.tool.info("a.store"))
    return outcome


@row("the desktop's keyring was lost, and with it the portal's secret", "keyMissing, the file as it was")
def portal_lost(p):
    before = p.tool.content("a.store")
    p.stop()
    p.stop_portal()
    os.unlink(p.room.path("home/data/keyrings/login.keyring"))
    p.start()
    p.start_portal()
    code = p.tool.info("a.store").code
    return words(code, "the file as it was" if p.tool.content("a.store") == before else "the file changed")
