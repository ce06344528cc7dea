"""What is done with each provider, in this order, and what should come of it."""

import os
import shutil
import signal
import threading
import time

ROWS = []


def row(title, expected="ok"):
    """Registers a row with what a keyring should do."""
    def register(function):
        ROWS.append((function.__name__, title, expected, function))
        return function
    return register


def words(*parts):
    return ", ".join(str(part) for part in parts)


def opened(provider, name, *options):
    """Opens a store with prompts that a person consents to."""
    with provider.person():
        return provider.tool.info(name, "--prompt", *options)


def made(provider, name):
    """Makes a store with prompts that a person consents to."""
    with provider.person():
        return provider.tool.make(name, "--prompt")


def items(provider, name):
    """How many items the keyring has for a store, locked ones too."""
    unlocked, locked = provider.bus.search(store=provider.tool.identity(name))
    return len(unlocked) + len(locked)


@row("a store is made in the session that made the keyring")
def first_session(p):
    code = made(p, "first.store").code
    p.later_session()
    return code


@row("a store is made silently, right after the login")
def make_silently(p):
    return p.tool.make("silent.store").code


@row("a store is made, with prompts allowed", "ok, 1 item in the default collection")
def make(p):
    answer = made(p, "a.store")
    if answer.code != "ok":
        return answer.code
    found = p.bus.search(store=p.tool.identity("a.store"))
    paths = found[0] + found[1]
    where = "in the default collection" if all(path.startswith(p.bus.default()) for path in paths) else "elsewhere"
    return words("ok", "%d item %s" % (len(paths), where))


@row("another process opens it silently")
def open_silently(p):
    return p.tool.info("a.store").code


@row("another process opens it, with prompts allowed")
def open_with_prompts(p):
    return opened(p, "a.store").code


@row("a second store of the same name has a key of its own", "ok, ok, ok")
def same_name(p):
    return words(made(p, "other/a.store").code, opened(p, "other/a.store").code, opened(p, "a.store").code)


@row("a store with a name outside ASCII", "ok, ok")
def unicode_name(p):
    return words(made(p, "Bücher 日本.store").code, opened(p, "Bücher 日本.store").code)


@row("four processes make stores at the same time", "ok, 4 of 4 open")
def at_once(p):
    answers = []
    with p.person():
        threads = [
            threading.Thread(target=lambda name=name: answers.append(p.tool.make(name, "--prompt")))
            for name in ["at-once-%d.store" % number for number in range(4)]
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    codes = sorted({answer.code for answer in answers})
    count = sum(opened(p, "at-once-%d.store" % number).code == "ok" for number in range(4))
    return words(*codes, "%d of 4 open" % count)


@row("the key is rotated", "ok, ok, 1 item")
def rotate(p):
    with p.person():
        answer = p.tool.run("key", "rotate", "--discard-old", p.tool.store("a.store"), "--prompt")
    return words(answer.code, opened(p, "a.store").code, "%d item" % items(p, "a.store"))


@row("the key is moved to a file and back", "ok, 0 items, ok, 1 item, ok")
def move(p):
    store, file = p.tool.store("a.store"), "file:" + p.tool.store("a.key")
    with p.person():
        out = p.tool.run("key", "move", store, "--to", file, "--prompt")
    count = items(p, "a.store")
    with p.person():
        back = p.tool.run("key", "move", store, "--vault", file, "--to", "keyring", "--prompt")
    return words(out.code, "%d items" % count, back.code, "%d item" % items(p, "a.store"), opened(p, "a.store").code)


@row("it is locked, and a store is opened silently", "vaultLocked, at once, no dialog")
def locked_open(p):
    p.lock()
    return silently(p, lambda: p.tool.info("a.store"))


@row("it is locked, and a store is made silently", "vaultLocked, at once, no dialog, no file")
def locked_make(p):
    outcome = silently(p, lambda: p.tool.make("locked.store"))
    return words(outcome, "a file" if p.tool.has("locked.store") else "no file")


def silently(p, action):
    """How a silent call ends, how soon, and whether a dialog came all the same."""
    before = set(p.screen.windows())
    answer = action()
    dialog = {number: title for number, title in p.screen.windows().items() if number not in before}
    if dialog:
        close_dialogs(p)
    return words(answer.code, "at once" if answer.seconds < 3 else "after %.0f s" % answer.seconds,
                 "a dialog" if dialog else "no dialog")


def close_dialogs(p):
    with p.person(consents=False):
        time.sleep(2)


@row("the prompt is closed", "promptDismissed, at once, the file as it was")
def dismissed(p):
    before = p.tool.content("a.store")
    with p.person(consents=False) as person:
        answer = p.tool.info("a.store", "--prompt")
    if not person.seen:
        return words(answer.code, "no dialog")
    return words(answer.code, "at once" if answer.seconds < 8 else "after %.0f s" % answer.seconds,
                 "the file as it was" if p.tool.content("a.store") == before else "the file changed")


@row("the prompt is closed while a store is made", "promptDismissed, no file")
def dismissed_make(p):
    with p.person(consents=False):
        answer = p.tool.make("dismissed.store", "--prompt")
    return words(answer.code, "a file" if p.tool.has("dismissed.store") else "no file")


@row("the prompt gets the password", "ok, after a dialog")
def prompted(p):
    with p.person() as person:
        answer = p.tool.info("a.store", "--prompt")
    return words(answer.code, "after a dialog" if person.seen else "no dialog")


@row("the program is ended and started anew")
def restarted(p):
    time.sleep(7)
    p.stop()
    p.start()
    return opened(p, "a.store").code


@row("it is started anew without the password, and a store is opened silently", "vaultLocked, at once, no dialog")
def restarted_locked(p):
    p.stop()
    p.start(unlocked=False)
    return silently(p, lambda: p.tool.info("a.store"))


@row("it is started anew without the password, and the prompt gets it")
def restarted_prompted(p):
    return opened(p, "a.store").code


@row("a store is made, and the program ends at once", "ok, ok")
def ended_at_once(p):
    return after_the_end(p, "ended.store", signal.SIGTERM)


@row("a store is made, and the program is killed at once", "ok, ok")
def killed_at_once(p):
    return after_the_end(p, "killed.store", signal.SIGKILL)


def after_the_end(p, name, how):
    answer = made(p, name)
    p.stop(how)
    p.start()
    return words(answer.code, opened(p, name).code)


@row("the key is rotated, and the program is killed at once", "ok, ok, ok")
def killed_after_rotation(p):
    answer = made(p, "rotated.store")
    time.sleep(7)
    with p.person():
        rotated = p.tool.run("key", "rotate", "--discard-old", p.tool.store("rotated.store"), "--prompt")
    p.stop(signal.SIGKILL)
    p.start()
    return words(answer.code, rotated.code, opened(p, "rotated.store").code)


@row("the item is deleted by another program", "keyMissing, 0 items, the file as it was")
def deleted(p):
    p.unlock()
    code = p.tool.store("a.code")
    with p.person():
        p.tool.run("key", "recovery", "show", p.tool.store("a.store"), "--file", code, "--prompt")
        unlocked, locked = p.bus.search(store=p.tool.identity("a.store"))
        for path in unlocked + locked:
            p.bus.delete(path)
    before = p.tool.content("a.store")
    answer = opened(p, "a.store")
    again = made(p, "a.store")
    return words(answer.code if again.status else "made anew", "%d items" % items(p, "a.store"),
                 "the file as it was" if p.tool.content("a.store") == before else "the file changed")


@row("the recovery code brings the key back", "ok, 1 item, ok")
def recovered(p):
    with p.person():
        answer = p.tool.run(
            "key", "recovery", "restore", p.tool.store("a.store"), "--file", p.tool.store("a.code"), "--prompt")
    return words(answer.code, "%d item" % items(p, "a.store"), opened(p, "a.store").code)


@row("the program hangs", "timedOut, after 10 s")
def hanging(p):
    process = p.bus.owner()
    os.kill(process, signal.SIGSTOP)
    try:
        answer = p.tool.info("a.store")
    finally:
        os.kill(process, signal.SIGCONT)
    return words(answer.code, "after %.0f s" % answer.seconds)


@row("the program is not running", "noSecretService, the file as it was")
def absent(p):
    before = p.tool.content("a.store")
    p.stop()
    answer = p.tool.info("a.store")
    return words(answer.code, "the file as it was" if p.tool.content("a.store") == before else "the file changed")


def migrated(source, destination):
    """Brings a store and its key from one keyring to another by a key file."""
    name = "from-%s.store" % source.name
    made(source, name)
    file = source.tool.store(name + ".key")
    with source.person():
        out = source.tool.run("key", "add", source.tool.store(name), "--to", "file:" + file, "--prompt")
    for path in (source.tool.store(name), file):
        if os.path.exists(path):
            shutil.copy(path, destination.room.path("stores"))
    without = opened(destination, name)
    file = destination.tool.store(name + ".key")
    with destination.person():
        back = destination.tool.run(
            "key", "add", destination.tool.store(name), "--vault", "file:" + file, "--to", "keyring", "--prompt")
    return words(out.code, without.code, back.code, opened(destination, name).code)


MIGRATED = "ok, keyMissing, ok, ok"
