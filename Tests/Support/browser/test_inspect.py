"""Drives the page of `strongroom inspect` as a person does. Scripts/test-inspect runs it.

Takes the tool, a folder with the store `s` of books and its keys, and a folder for pictures, from the environment.
"""

import json
import os
import subprocess
import time
import unittest
import urllib.request

from browser import Browser, Page

TOOL = os.environ["STRONGROOM_TOOL"]
FOLDER = os.environ["STRONGROOM_FOLDER"]
PICTURES = os.environ["STRONGROOM_PICTURES"]
CONTROL, SHIFT = 2, 8


class Served:
    """A running `strongroom inspect`."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [TOOL, "inspect", *options, "--vault", "file:" + FOLDER + "/keys", FOLDER + "/s"], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()

    def tell(self, name, **parameters):
        """Changes something past the page."""
        request = urllib.request.Request(
            self.address + "api/" + name, json.dumps(parameters).encode(), {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def object(self, entity, number):
        with urllib.request.urlopen("%sapi/object?entity=%s&number=%s" % (self.address, entity, number)) as answer:
            return json.load(answer)

    def set(self, entity, number, key, value):
        """Sets a value that it has read before."""
        read = next(one["value"] for one in self.object(entity, number)["properties"] if one["name"] == key)
        read = {"readNull": "1"} if read["kind"] == "null" else {"read": read["text"]}
        return self.tell("set", entity=entity, number=str(number), key=key, value=value, **read)

    def delete(self, entity, number):
        return self.tell("delete", entity=entity, number=str(number), version=str(self.object(entity, number)["version"]))

    def close(self):
        if self.process.poll() is not None:
            return
        self.process.terminate()
        self.process.wait(timeout=20)
        self.process.stdout.close()


class InspectTests(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.served = Served(*cls.options)
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.served.close()

    def setUp(self):
        self.browser.events = []
        self.page = Page(self.browser)
        self.page.open(self.served.address)
        self.page.wait("document.body.dataset.ready")

    def other(self):
        """Another program with the store, which ends with the test."""
        other = Served("--write")
        self.addCleanup(other.close)
        return other

    def tearDown(self):
        self.page.close()
        refused = [text for text in self.page.problems() if "400 (Bad Request)" not in text]
        self.assertEqual(refused, [])

    def go(self, place):
        self.page.run("location.hash = %s" % json.dumps("#/" + place))

    def text(self, selector="main"):
        return self.page.run("document.querySelector(%s)?.innerText ?? ''" % json.dumps(selector))

    def shows(self, text, selector="main"):
        self.page.wait("document.querySelector(%s)?.innerText.includes(%s)" % (json.dumps(selector), json.dumps(text)))

    def picture(self, name):
        time.sleep(0.1)
        self.page.picture(os.path.join(PICTURES, name + ".png"))

    def first(self):
        """The number of the book that has a value of every kind; its row is shown."""
        self.go("objects/Book?where=title%20%3D%3D%20'Book%200'")
        self.shows("1–1 of 1")
        return self.page.run("document.querySelector('tr[data-open] a').textContent")


class Reading(InspectTests):
    def test_model(self):
        self.shows("Author", "#entities")
        self.shows("250", "#entities [data-entity=Book]")
        before = self.page.run("document.querySelector('.diagram svg').getAttribute('viewBox')")
        self.page.click(".zoom button")
        self.assertNotEqual(before, self.page.run("document.querySelector('.diagram svg').getAttribute('viewBox')"))
        self.page.click(".zoom button:last-child")
        self.assertEqual(before.split()[:2], self.page.run("document.querySelector('.diagram svg').getAttribute('viewBox')").split()[:2])
        self.picture("inspect-model")
        self.page.run("[...document.querySelectorAll('text.entity')].find((e) => e.textContent === 'Author').dispatchEvent(new MouseEvent('click'))")
        self.shows("Author", "h2")

    def test_pages_and_order(self):
        self.go("objects/Book")
        self.shows("1–100 of 250")
        self.picture("inspect-objects")
        self.page.key("]")
        self.shows("101–200 of 250")
        self.page.key("[")
        self.shows("1–100 of 250")
        self.page.run("[...document.querySelectorAll('th button')].find((e) => e.textContent.startsWith('pages')).click()")
        self.page.wait("document.querySelector('th[aria-sort=ascending]')?.innerText.startsWith('pages')")
        self.page.run("document.querySelector('th[aria-sort=ascending] button').click()")
        self.page.wait("document.querySelector('th[aria-sort=descending]')")
        self.assertIn("349", self.text("tbody tr"))

    def test_filter_with_completion(self):
        self.go("objects/Book")
        self.shows("1–100 of 250")
        self.page.key("/")
        self.page.type("pag")
        self.page.wait("[...document.querySelectorAll('.choices:not([hidden]) li')].some((e) => e.textContent === 'pages')")
        self.page.key("Tab")
        self.page.type(" > 340")
        self.page.key("Enter")
        self.shows("1–9 of 9")
        self.page.key("/")
        self.page.run("document.activeElement.value = 'pages >'")
        self.page.key("Enter")
        self.page.wait("document.querySelector('main .problem')")

    def test_too_long(self):
        for count in (61_000, 90_000):
            self.go("objects/Book?where=" + "a" * count)
            self.shows("60,000 letters", "main .problem")
            self.go("model")
            self.page.wait("document.querySelector('.diagram')")

    def test_object_and_links(self):
        self.first()
        self.page.run("document.querySelector('tr[data-open]').focus()")
        self.page.key("j")
        self.page.key("k")
        self.page.key("Enter")
        self.page.wait("document.querySelector('.properties')")
        self.shows("Book 0", "h2")
        self.shows("12.5")
        self.page.run("[...document.querySelectorAll('.properties a')].find((e) => e.textContent === 'Ada').click()")
        self.shows("Ada", "h2")
        self.shows("1 object")
        self.page.key("Backspace")
        self.shows("Book 0", "h2")

    def test_pictures_long_texts_and_bytes(self):
        number = self.first()
        self.go("object/Book/" + number)
        self.page.wait("document.querySelector('[data-property=cover] img')?.naturalWidth === 2")
        self.picture("inspect-object")
        self.assertEqual(self.page.run("document.querySelector('[data-property=text] .value').innerText.length") // 1000, 2)
        size = self.page.run(
            "fetch(document.querySelector('[data-property=text] a[download]').getAttribute('href')).then((r) => r.text()).then((t) => t.length)")
        self.assertEqual(size, 50_000)
        self.assertIn("300,000 bytes", self.text("[data-property=scan]"))
        size = self.page.run(
            "fetch(document.querySelector('[data-property=scan] a[download]').getAttribute('href')).then((r) => r.arrayBuffer()).then((t) => t.byteLength)")
        self.assertEqual(size, 300_000)
        self.assertIn('"en"', self.text("[data-property=names] pre"))

    def test_markup_stays_text(self):
        self.go("objects/Book?where=" + "title%20BEGINSWITH%20'%3C'")
        self.shows("<img src=x onerror=document.title=1>")
        self.assertEqual(self.page.run("document.querySelectorAll('main img').length"), 0)

    def test_search(self):
        self.go("objects/Book")
        self.page.click("[name=search]")
        self.page.type("zebra")
        self.page.key("Enter")
        self.shows("1–1 of 1")

    def test_query(self):
        self.page.key("q")
        self.page.wait("document.querySelector('[name=text]')")
        self.page.key("/")
        self.page.type("Book | where pages > 345 | sort -pages | columns title, pages")
        self.page.key("Enter")
        self.shows("4 rows")
        self.page.wait("document.querySelector('main tbody td a')?.getAttribute('href').startsWith('#/object/Book/')")
        self.page.click("#plan summary")
        self.shows("SELECT", "#plan")
        self.picture("inspect-query")
        self.go("query?text=" + "Book%20%7C%20group%20read%20%7C%20aggregates%20count")
        self.shows("2 rows")
        self.go("query?text=Book%20%7C%20count")
        self.page.wait("document.querySelector('main tbody td')?.innerText === '250'")
        self.go("query?text=Bok")
        self.page.wait("document.querySelector('main .problem')?.innerText.includes('Book')")

    def test_history(self):
        self.page.key("h")
        self.page.wait("document.querySelector('.transaction')")
        self.page.click(".transaction:last-child summary")
        self.shows("252 inserted")
        self.shows("252 changes")
        self.picture("inspect-history")

    def test_store(self):
        self.page.key("s")
        self.shows("SQLCipher")
        self.shows("the key file")
        self.page.run("[...document.querySelectorAll('main button')].find((e) => e.textContent === 'Check integrity').click()")
        self.page.wait("document.querySelector('#check .good')", 60)
        self.picture("inspect-store")
        with open(FOLDER + "/keys", "rb") as file:
            for line in file.read().decode("latin-1").split():
                if len(line) >= 32:
                    self.assertNotIn(line, self.page.run("document.documentElement.outerHTML"))

    def test_live(self):
        self.go("objects/Author")
        self.shows("1–2 of 2")
        self.page.wait("document.querySelector('#live.on')")
        other = self.other()
        made = other.tell("insert", entity="Author")["made"]
        other.set("Author", made["number"], "name", "Comes later")
        other.tell("save")
        self.shows("Comes later")
        self.shows("3", "#entities [data-entity=Author] .count")
        other.delete("Author", made["number"])
        other.tell("save")
        self.shows("1–2 of 2")

    def test_help_and_keys(self):
        self.page.key("?")
        self.page.wait("document.querySelector('#help[open]')")
        self.page.key("Escape")
        self.page.wait("!document.querySelector('#help[open]')")
        for key, title in (("q", "Query"), ("h", "History"), ("s", "Store"), ("m", "Model")):
            self.page.key(key)
            self.shows(title, "h2")

    def test_history_stays_open(self):
        self.page.wait("document.querySelector('#live.on')")
        self.go("history")
        self.page.wait("document.querySelector('.transaction:last-child .changes')?.innerText.includes('252 inserted')")
        self.page.click(".transaction:last-child summary")
        self.shows("252 changes")
        count = self.page.run("document.querySelectorAll('.transaction').length")
        other = self.other()
        other.tell("insert", entity="Author")
        other.tell("undo")
        made = other.tell("insert", entity="Author")["made"]
        other.set("Author", made["number"], "name", "Comes and goes")
        other.tell("save")
        self.page.wait("document.querySelectorAll('.transaction').length === %d" % (count + 1))
        self.assertTrue(self.page.run("document.querySelector('.transaction:last-child details').open"))
        self.shows("252 changes")
        other.delete("Author", made["number"])
        other.tell("save")

    def test_one_scrollbar_and_whole_words(self):
        number = self.first()
        for width, height in ((390, 760), (800, 700), (1400, 850)):
            for dark in (False, True):
                self.page.close()
                self.page = Page(self.browser, width, height, dark=dark)
                self.page.open(self.served.address)
                self.page.wait("document.body.dataset.ready")
                for name, place, there in (
                        ("model", "model", ".diagram"), ("objects", "objects/Book", "#range"), ("object", "object/Book/" + number, ".properties"),
                        ("query", "query?text=Book", "#range"), ("history", "history", ".timeline"), ("store", "store", "#check")):
                    self.go(place)
                    self.page.wait("document.querySelector(%s)" % json.dumps(there))
                    scrolling = self.page.run(
                        "[document.documentElement, document.querySelector('main'), document.querySelector('.scrolled')].filter((e) => e && e.scrollHeight > e.clientHeight + 1"
                        " && (e === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(e).overflowY))).length")
                    self.assertLessEqual(scrolling, 1, (name, width))
                    self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), width, (name, width))
                    if name == "object":
                        lines = self.page.run(
                            "Math.max(...[...document.querySelectorAll('.properties th')].map((e) =>"
                            " { const text = document.createRange(); text.selectNodeContents(e.firstChild); return text.getClientRects().length }))")
                        self.assertEqual(lines, 1, "a label is not broken")
                    if name == "model" and dark:
                        self.assertNotEqual(self.page.run("getComputedStyle(document.querySelector('.diagram rect')).fill"), "rgb(255, 255, 255)")
                    if name == "model":
                        shown = self.page.run("document.querySelector('.diagram text').getBoundingClientRect().height")
                        self.assertGreater(shown, 7, (width, "the diagram can be read"))
                    self.picture("%s-%d-%s" % (name, width, "dark" if dark else "light"))

    def test_narrow_and_dark(self):
        self.page.close()
        self.page = Page(self.browser, 390, 760, dark=True)
        self.page.open(self.served.address + "#/objects/Book")
        self.page.wait("document.querySelector('#range')")
        self.assertLessEqual(self.page.run("document.documentElement.scrollWidth"), 390)
        self.assertNotEqual(self.page.run("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.picture("inspect-narrow")

    def test_nothing_is_changed(self):
        self.assertFalse(self.page.run("!!document.querySelector('main [type=button]')"))
        status = self.page.run(
            "fetch('api/insert', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{\"entity\":\"Book\"}' }).then((r) => r.status)")
        self.assertEqual(status, 403)
        self.browser.events = []

    def test_replaced_file(self):
        self.page.wait("document.querySelector('#live.on')")
        os.rename(FOLDER + "/s", FOLDER + "/away")
        try:
            self.shows("replaced or removed", "#live.off")
        finally:
            os.rename(FOLDER + "/away", FOLDER + "/s")
        self.page.wait("document.querySelector('#live.on')")

    def test_wrong_places(self):
        self.go("constructor")
        self.page.wait("document.querySelector('.diagram')")
        self.go("objects/Book?offset=-5")
        self.shows("1–100 of 250")
        for place in ("objects/Nothing", "object/Book/99999", "object/Book/x", "query?text=%7C%7C"):
            self.go(place)
            self.page.wait("document.querySelector('main .problem')")
            self.go("model")
            self.page.wait("document.querySelector('.diagram')")


class Writing(InspectTests):
    options = ("--write",)

    def change(self, name, value):
        self.page.run(
            "(() => { const e = document.querySelector('[data-property=%s] textarea, [data-property=%s] input, [data-property=%s] select');"
            " e.value = %s; e.dispatchEvent(new Event('change')) })()" % (name, name, name, json.dumps(value)))

    def test_edit_undo_and_save(self):
        number = self.first()
        self.go("object/Book/" + number)
        self.page.wait("document.querySelector('[data-property=title] textarea')")
        self.page.run("document.querySelector('[data-property=title] textarea').focus()")
        self.page.run("document.activeElement.select()")
        self.page.type("Another")
        self.page.key("Tab")
        self.shows("1 changed", "#edits")
        self.page.wait("document.querySelector('[data-property=title].changed')")
        self.assertEqual(self.page.run("document.activeElement.closest('[data-property]').dataset.property"), "pages")
        self.page.run("document.activeElement.blur()")
        self.page.key("z", CONTROL)
        self.shows("Book 0", "h2")
        self.page.key("Z", CONTROL | SHIFT)
        self.shows("Another", "h2")
        self.picture("inspect-edit")
        self.page.key("s", CONTROL)
        self.page.wait("document.querySelector('#edits').hidden")
        # What is being typed is saved, too.
        self.page.run("document.querySelector('[data-property=title] textarea').focus()")
        self.page.run("document.activeElement.select()")
        self.page.type("Book 0")
        self.page.key("s", CONTROL)
        self.go("objects/Book?where=title%20%3D%3D%20'Book%200'")
        self.shows("1–1 of 1")

    def test_typing_while_the_object_is_shown_again(self):
        """What a save shows again comes half a second late here, while a person goes on."""
        self.go("object/Book/" + self.first())
        self.page.wait("document.querySelector('[data-property=title] textarea')")
        self.page.run(
            "(() => { const send = window.fetch; window.late = 0; window.fetch = async (address, ...rest) => {"
            " const answer = await send(address, ...rest); if (!address.includes('api/object?')) return answer;"
            " await new Promise((done) => setTimeout(done, 500)); setTimeout(() => { window.late += 1 }, 50); return answer; } })()")

        def focus():
            self.page.run("(() => { const e = document.querySelector('[data-property=title] textarea'); e.focus(); e.select() })()")

        def save():
            late = self.page.run("window.late")
            self.page.key("s", CONTROL)
            self.page.wait("document.querySelector('#edits').hidden")
            return "window.late > %d" % late

        focus()
        self.page.type("Typed")
        answered = save()
        focus()
        self.page.type("Bo")
        self.page.wait(answered)
        self.page.type("ok")
        answered = save()
        self.page.wait(answered)
        self.shows("Book", "h2")
        focus()
        self.page.type("Typed")
        answered = save()
        focus()
        self.page.wait(answered)
        self.page.type("Book 0")
        self.page.wait(save())
        self.page.wait("document.querySelector('h2').innerText === 'Book 0'")
        self.page.wait("document.querySelector('#edits').hidden")
        self.first()

    def test_refused_beside_the_field(self):
        self.go("object/Book/" + self.first())
        self.page.wait("document.querySelector('[data-property=pages] input')")
        self.change("pages", "-1")
        self.shows("minimum", "[data-property=pages] .problem")
        self.change("pages", "many")
        self.shows("whole number", "[data-property=pages] .problem")
        self.change("bought", "yesterday")
        self.shows("2020-05-06", "[data-property=bought] .problem")
        self.change("bought", "2020-05-06")
        self.page.wait("document.querySelector('[data-property=bought] .problem').textContent === ''")
        self.page.key("s", CONTROL)
        self.shows("correct it", "#edits")
        self.change("pages", "100")
        self.page.wait("document.querySelector('[data-property=pages] .problem').textContent === ''")
        self.page.run("[...document.querySelectorAll('#edits button')].find((e) => e.textContent === 'Drop all').click()")
        self.page.wait("document.querySelector('#edits').hidden || document.querySelector('#edits').innerText.includes('nothing')")

    def test_insert_link_delete(self):
        self.go("objects/Author")
        self.page.wait("document.querySelector('#range')")
        self.page.run("[...document.querySelectorAll('main button')].find((e) => e.textContent === 'New').click()")
        self.page.wait("document.querySelector('[data-property=name] textarea')")
        self.page.key("s", CONTROL)
        self.shows("required", "[data-property=name] .problem")
        self.change("name", "New author")
        self.shows("1 new", "#edits")
        self.page.run("document.querySelector('[data-property=books] input').value = 'Book 9'")
        self.page.run("document.querySelector('[data-property=books] form button').click()")
        self.shows("1 object", "[data-property=books]")
        self.shows("by a relationship", "#edits")
        self.shows("New author", "h2")
        self.page.run("document.querySelector('[data-property=books] input').value = '99999'")
        self.page.run("document.querySelector('[data-property=books] form button').click()")
        self.shows("Book has no object 99999", "[data-property=books] .problem")
        self.page.key("s", CONTROL)
        self.page.wait("document.querySelector('#edits').hidden")
        self.page.run("document.querySelector('[data-property=books] button.plain').click()")
        self.shows("0 objects", "[data-property=books]")
        self.page.run("document.querySelector('button.danger').click()")
        self.shows("deleted, not saved", "h2")
        self.page.key("s", CONTROL)
        self.shows("1–2 of 2")

    def test_two_writers(self):
        number = self.first()
        self.go("object/Book/" + number)
        self.page.wait("document.querySelector('[data-property=price] input')")
        self.change("price", "1")
        self.shows("1 changed", "#edits")
        other = self.other()
        other.set("Book", number, "price", "2")
        other.tell("save")
        self.page.key("s", CONTROL)
        self.shows("another program has changed", "#edits")
        self.page.wait("document.querySelector('#conflict[open]')")
        self.assertEqual(self.page.run("[...document.querySelectorAll('#conflict [data-conflict=price] td')].map((e) => e.innerText.trim())"), ["12.5", "1", "2"])
        self.picture("inspect-conflict")
        self.page.run("[...document.querySelectorAll('#conflict button')].find((e) => e.textContent === 'Not now').click()")
        self.shows("1 changed", "#edits")
        self.page.key("s", CONTROL)
        self.page.wait("document.querySelector('#conflict[open]')")
        self.page.run("[...document.querySelectorAll('#conflict button')].find((e) => e.textContent === 'All mine').click()")
        self.page.run("[...document.querySelectorAll('#conflict button')].find((e) => e.textContent === 'Save these').click()")
        self.page.wait("document.querySelector('#edits').hidden")
        self.page.wait("document.querySelector('[data-property=price] input')?.value === '1'")
        other.set("Book", number, "price", "12.5")
        other.tell("save")

    def press(self, text, within="main"):
        self.page.wait(
            "(() => { const e = [...document.querySelectorAll(%s)].find((e) => e.textContent === %s); e?.click(); return !!e })()"
            % (json.dumps(within + " button"), json.dumps(text)))

    def test_another_saves_what_is_being_typed(self):
        """Neither text is lost: the field has mine, beside it stands theirs, and nothing is saved before a choice."""
        number = self.first()
        other = self.other()

        def meet(mine, theirs):
            self.go("object/Book/" + number)
            self.page.wait("document.querySelector('[data-property=title] textarea')")
            self.page.run("(() => { const e = document.querySelector('[data-property=title] textarea'); e.focus(); e.select() })()")
            self.page.type(mine)
            other.set("Book", number, "title", theirs)
            self.assertIsNone(other.tell("save").get("error"))
            self.page.key("s", CONTROL)
            self.shows(theirs, "[data-property=title] .problem")
            self.shows("was not taken", "#edits")
            self.assertEqual(self.page.run("document.querySelector('[data-property=title] textarea').value"), mine)

        def stored():
            return next(one["value"]["text"] for one in other.object("Book", number)["properties"] if one["name"] == "title")

        meet("Mine", "Theirs")
        # It stays while others save, and is asked again where they saved the same.
        other.set("Book", number, "title", "Theirs again")
        other.tell("save")
        self.page.run("document.activeElement.blur()")
        self.press("Take mine")
        self.shows("Theirs again", "[data-property=title] .problem")
        self.press("Take mine")
        self.page.wait("document.querySelector('[data-property=title] .problem').textContent === ''")
        self.page.key("s", CONTROL)
        self.page.wait("document.querySelector('#edits').hidden")
        self.assertEqual(stored(), "Mine")
        meet("Mine, too", "Book 0")
        self.press("Take that")
        self.page.wait("document.querySelector('[data-property=title] textarea').value === 'Book 0'")
        self.page.key("s", CONTROL)
        self.page.wait("document.querySelector('#edits').hidden")
        self.assertEqual(stored(), "Book 0")
        # What was typed stands in the bar when the page is left.
        meet("Left", "Book 0!")
        self.go("objects/Author")
        self.shows("Book %s, title: “Left” was not taken" % number, "#edits")
        self.press("✕", "#edits")
        self.page.wait("document.querySelector('#edits').hidden")
        other.set("Book", number, "title", "Book 0")
        other.tell("save")

    def test_choices_one_after_the_other(self):
        number = self.first()
        other = self.other()
        made = str(other.tell("insert", entity="Author")["made"]["number"])
        other.set("Author", made, "name", "Short-lived")
        other.tell("save")
        # What is lost with the choice to store it again is said with it.
        self.go("object/Author/" + made)
        self.page.wait("document.querySelector('[data-property=name] textarea')")
        self.change("name", "Short-lived!")
        self.shows("1 changed", "#edits")
        other.delete("Author", made)
        other.tell("save")
        self.page.key("s", CONTROL)
        self.shows("Store mine again, without what was in books", "#conflict[open]")
        self.press("All mine", "#conflict")
        self.press("Save these", "#conflict")
        self.page.wait("document.querySelector('#edits').hidden")
        self.go("object/Book/" + number)
        self.page.wait("document.querySelector('[data-property=author] form input')")
        self.page.run("document.querySelector('[data-property=author] form input').value = 'Short-lived!'")
        self.page.run("document.querySelector('[data-property=author] form button').click()")
        self.shows("Short-lived!", "[data-property=author]")
        other.delete("Author", made)
        other.tell("save")
        self.page.key("s", CONTROL)
        self.shows("deleted by another program", "#conflict[open]")
        self.press("Save these", "#conflict")
        self.shows("leads to objects that another program has deleted", "#conflict[open]")
        self.press("Save these", "#conflict")
        self.page.wait("document.querySelector('#edits').hidden")
        self.assertFalse(self.page.run("document.querySelector('#conflict').open"))
        self.page.wait("document.querySelector('[data-property=author] form')")
        self.page.run("document.querySelector('[data-property=author] form input').value = 'Ada'")
        self.page.run("document.querySelector('[data-property=author] form button').click()")
        self.shows("Ada", "[data-property=author]")
        self.page.key("s", CONTROL)
        self.page.wait("document.querySelector('#edits').hidden")

    def test_line_ends(self):
        number = self.first()
        other = self.other()

        def stored():
            return next(one["value"]["text"] for one in other.object("Book", number)["properties"] if one["name"] == "title")

        for end in ("\r\n", "\r", "\n"):
            other.set("Book", number, "title", "One" + end + "two")
            self.assertIsNone(other.tell("save").get("error"))
            self.go("model")
            self.go("object/Book/" + number)
            self.page.wait("document.querySelector('[data-property=title] textarea')?.value === 'One\\ntwo'")
            self.page.run("(() => { const e = document.querySelector('[data-property=title] textarea'); e.focus(); e.setSelectionRange(7, 7) })()")
            self.page.type("!")
            self.page.key("s", CONTROL)
            limit = time.monotonic() + 10
            while stored() == "One" + end + "two" and time.monotonic() < limit:
                time.sleep(0.05)
            self.assertEqual(stored(), "One" + end + "two!")
            self.page.wait("document.querySelector('#edits').hidden")
        other.set("Book", number, "title", "One\r\ntwo\n")
        self.assertIsNone(other.tell("save").get("error"))
        self.shows("lines end in different ways", "[data-property=title]")
        self.assertFalse(self.page.run("!!document.querySelector('[data-property=title] textarea')"))
        other.set("Book", number, "title", "Book 0")
        other.tell("save")

    def test_a_name_that_another_has(self):
        self.go("objects/Author")
        self.page.wait("document.querySelector('#range')")
        self.press("New")
        self.page.wait("document.querySelector('[data-property=name] textarea')")
        self.change("name", "Ada")
        self.shows("1 new", "#edits")
        self.page.key("s", CONTROL)
        self.shows("no two may have the same name, and another has it: Ada", "[data-property=name] .problem")
        self.assertNotIn("x-strongroom", self.text("#edits"))
        ada = self.page.run("document.querySelector('[data-property=name] .problem a').getAttribute('href')")
        self.assertTrue(ada.startswith("#/object/Author/"), ada)
        # A new object that is dropped has no page: its entity's list is shown.
        self.press("Drop all", "#edits")
        self.shows("1–2 of 2")
        self.press("New")
        self.page.wait("document.querySelector('[data-property=name] textarea')")
        self.press("Undo", "#edits")
        self.shows("1–2 of 2")

    def test_two_tabs(self):
        """A tab shows the unsaved changes of another, and does not replace them unseen."""
        number = self.first()
        first, second = self.page, Page(self.browser)
        second.open(self.served.address + "#/object/Book/" + number)
        self.go("object/Book/" + number)
        for tab in (first, second):
            tab.wait("document.querySelector('[data-property=title] textarea')")
            tab.wait("document.querySelector('#live.on')")
        title = "document.querySelector('[data-property=title] textarea')"
        self.change("title", "Of the first tab")
        second.wait(title + ".value === 'Of the first tab'")
        second.wait("document.querySelector('#edits').innerText.includes('1 changed')")
        second.run("%s.focus()" % title)
        self.change("title", "Of the first tab again")
        second.wait("document.querySelector('#edits').innerText.includes('1 changed')")
        second.run("(() => { const e = %s; e.value = 'Of the second tab'; e.dispatchEvent(new Event('change')); e.blur() })()" % title)
        second.wait("document.querySelector('[data-property=title] .problem')?.innerText.includes('Of the first tab again')")
        self.assertEqual(first.run(title + ".value"), "Of the first tab again")
        second.run("[...document.querySelectorAll('[data-property=title] button')].find((e) => e.textContent === 'Take mine').click()")
        first.wait(title + ".value === 'Of the second tab'")
        self.press("Drop all", "#edits")
        for tab in (first, second):
            tab.wait(title + ".value === 'Book 0'")
            tab.wait("(() => { const e = document.querySelector('#edits'); return e.hidden || !e.innerText.includes('changed') })()")
        second.close()

    def test_drop_all(self):
        self.go("object/Book/" + self.first())
        self.page.wait("document.querySelector('[data-property=title] textarea')")
        self.change("title", "Not for long")
        self.shows("1 changed", "#edits")
        self.page.run("[...document.querySelectorAll('#edits button')].find((e) => e.textContent === 'Drop all').click()")
        self.shows("Book 0", "h2")


del InspectTests

if __name__ == "__main__":
    unittest.main()
