"""Chromium without a window, driven over a pipe by its own protocol."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Browser:
    """A browser with a profile of its own, which ends with it."""

    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="strongroom-browser-")
        (their_in, our_out), (our_in, their_out) = os.pipe(), os.pipe()

        def place():
            # The protocol wants the descriptors 3 and 4; copies of them first, in case they are in each other's way.
            given = os.dup(their_in), os.dup(their_out)
            os.dup2(given[0], 3)
            os.dup2(given[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--remote-debugging-pipe", "--user-data-dir=" + self.profile, "about:blank"],
            pass_fds=(3, 4), preexec_fn=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(their_in)
        os.close(their_out)
        self.out, self.input, self.buffer = our_out, our_in, b""
        self.numbers = itertools.count(1)
        self.events = []

    def close(self):
        try:
            self.call("Browser.close")
        except (OSError, EOFError, RuntimeError):
            pass
        self.process.wait(timeout=20)
        shutil.rmtree(self.profile, ignore_errors=True)

    def call(self, method, session=None, **parameters):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next(30)
            if answer is None:
                raise TimeoutError(method)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(method + ": " + answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def next(self, seconds):
        """The next message; None when none comes in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.input], [], [], max(end - time.monotonic(), 0))
            if not ready:
                return None
            part = os.read(self.input, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)


class Page:
    """One tab."""

    def __init__(self, browser, width=1280, height=800, dark=False):
        self.browser = browser
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")
        self.resize(width, height)
        if dark:
            self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close(self):
        """Ends its requests too: a browser has six connections to a server at most, and each page waits on one."""
        self.browser.call("Target.closeTarget", targetId=self.target)

    def open(self, address):
        self.call("Page.navigate", url=address)

    def run(self, script):
        """The value of a script's expression; awaits a promise."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer)))
        return answer["result"].get("value")

    def wait(self, script, seconds=10):
        """Waits until an expression is something, and answers its value."""
        end = time.monotonic() + seconds
        while True:
            value = None
            try:
                value = self.run(script)
            except RuntimeError:
                # The page is just being replaced.
                pass
            # An element has no value of its own, and is answered as an empty object.
            if value not in (None, False, "", 0):
                return value
            if time.monotonic() > end:
                raise TimeoutError(script + " in a page that shows: " + str(self.run("document.body.innerText"))[:800])
            time.sleep(0.02)

    def key(self, key, modifiers=0):
        code = {"Enter": 13, "Tab": 9, "Escape": 27, "Backspace": 8, "ArrowDown": 40, "ArrowUp": 38}.get(key, ord(key[0].upper()))
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 and not modifiers else "")
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code, modifiers=modifiers,
                      text=text if kind == "keyDown" else "")

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, selector):
        found = self.wait(
            "(() => { const e = document.querySelector(%s); if (!e) return null; e.scrollIntoView({block: 'center'});"
            " const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2] })()" % json.dumps(selector))
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=found[0], y=found[1], button="left", clickCount=1)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def problems(self):
        """What the console and the security policy complained of."""
        found = []
        for event in self.browser.events:
            if event.get("sessionId") != self.session:
                continue
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                found.append(event["params"]["entry"]["text"])
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
        return found
