"""How long `strongroom inspect` takes to open a store and to answer each kind of request, and how its memory grows meanwhile.

Usage: measure.py TOOL STORE VAULT   (Scripts/bench-inspect calls it)
"""

import json
import random
import subprocess
import sys
import time
import urllib.parse
import urllib.request


def resident(process):
    with open("/proc/%d/status" % process) as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))


def main(tool, store, vault):
    begin = time.monotonic()
    served = subprocess.Popen([tool, "inspect", store, "--vault", vault], stdout=subprocess.PIPE, text=True)
    address = served.stdout.readline().strip()

    def ask(name, **parameters):
        query = urllib.parse.urlencode(parameters, quote_via=urllib.parse.quote)
        start = time.monotonic()
        with urllib.request.urlopen(address + name + "?" + query) as answer:
            body = answer.read()
        return (time.monotonic() - start) * 1000, body

    ask("")
    model = json.loads(ask("api/model")[1])
    counts = json.loads(ask("api/counts")[1])
    print("opened, with model and counts, in %.0f ms" % ((time.monotonic() - begin) * 1000))
    chance = random.Random(7)
    entities = [entity for entity in model["entities"] if counts[entity["name"]] > 0]
    times = {}

    def measure(kind, name, **parameters):
        times.setdefault(kind, []).append(ask(name, **parameters)[0])

    def browse(rounds):
        for _ in range(rounds):
            entity = chance.choice(entities)
            name, count = entity["name"], counts[entity["name"]]
            measure("page of objects", "api/objects", entity=name, offset=chance.randrange(count), limit=100)
            sort = chance.choice([one["name"] for one in entity["attributes"] if one["type"] != "binary"])
            measure("sorted page", "api/objects", entity=name, sort="-" + sort, offset=chance.randrange(min(count, 5000)))
            text = next(one["name"] for one in entity["attributes"] if one["type"] == "string")
            measure("filtered page", "api/objects", entity=name, where="%s CONTAINS[cd] '%s'" % (text, chance.choice("abcdefgh")))
            rows = json.loads(ask("api/objects", entity=name, offset=chance.randrange(count), limit=1)[1])["rows"]
            for row in rows:
                measure("object", "api/object", entity=row["entity"], number=row["number"])
            measure("query", "api/query", text="%s | where %s BEGINSWITH '%s' | limit 100" % (name, text, chance.choice("abc")))
            measure("history", "api/history")
            measure("store", "api/store")
            measure("counts", "api/counts")
            measure("completion", "api/complete", text="%s | where n" % name)
            measure("diagram", "api/diagram.svg")

    browse(20)
    before = resident(served.pid)
    browse(200)
    after = resident(served.pid)
    for kind, all_times in times.items():
        all_times.sort()
        print("%-16s median %6.1f ms, slowest %6.1f ms of %d" % (kind, all_times[len(all_times) // 2], all_times[-1], len(all_times)))
    print("memory %.1f MB after 200 requests, %.1f MB after 2200" % (before / 1024, after / 1024))
    served.terminate()
    served.wait()


main(*sys.argv[1:])
