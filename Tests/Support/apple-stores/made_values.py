"""Random values for made stores: what the column holds, and the canonical value that a reader must find."""

import decimal
import hashlib
import json
import os
import struct
import uuid

from archive_writer import Boxed, Made, archive, array, dictionary

TEXTS = [
    "", "plain", "a\0b", "\0", "\U0001F469‍\U0001F680 \U0001F1E9\U0001F1EA", "é", "e\u0301", "\u202eright",
    "line\r\nline", "tab\t\"quote\" 'single'", "\ufeffmark", "Größe ß", "null", "\U0010FFFF", "x" * 5000,
]
INTEGERS = {"integer16": 15, "integer32": 31, "integer64": 63}
DOUBLES = [0.0, 1.0, -1.5, 0.1, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
           -1.7976931348623157e308, 1 / 3, 9007199254740993.0, 123456.789]
DATES = [0.0, -978307200.0, -978307200.5, -63114076800.0, 63113904000.0, 777024000, 777036120.925461,
         -1e9 - 0.125, 0.1]
DECIMALS = ["0", "10.11", "-0.01", "1000000", "123456789012.345", "-99999999.99", "0.000001", "42"]


def digest(data):
    return {"sha256": hashlib.sha256(data).hexdigest(), "length": len(data)}


class Values:
    """Makes pairs of stored and canonical value; external files go into `folder`."""

    def __init__(self, random, folder):
        self.random, self.folder = random, folder
        self.files = 0

    def pair(self, field):
        """A value of a field, null now and then where it may be."""
        if field.optional and self.random.random() < 0.2:
            return None, None
        return getattr(self, "_" + field.kind)(field)

    def _integer(self, field):
        limit = 1 << INTEGERS[field.kind]
        number = self.random.choice([0, 1, -1, limit - 1, -limit, self.random.randrange(-limit, limit)])
        return number, number

    _integer16 = _integer32 = _integer64 = _integer

    def _boolean(self, field):
        flag = self.random.random() < 0.5
        return int(flag), flag

    def _double(self, field):
        number = self.random.choice(DOUBLES + [self.random.uniform(-1e6, 1e6)])
        return number, number

    def _float(self, field):
        number = self.random.choice([0.0, 1.5, 0.1, 3.4e38, 1e-45, self.random.uniform(-1e3, 1e3)])
        number = struct.unpack("<f", struct.pack("<f", number))[0]
        return number, number

    def _decimal(self, field):
        text = self.random.choice(DECIMALS + ["%d.%02d" % (self.random.randrange(10 ** 9), 25)])
        return float(decimal.Decimal(text)), {"decimal": text}

    def _date(self, field):
        seconds = self.random.choice(DATES + [self.random.uniform(-2e9, 2e9)])
        return seconds, {"date": repr(float(seconds))}

    def _string(self, field):
        text = self.random.choice(TEXTS + ["text %d" % self.random.randrange(10 ** 6)])
        return text, text

    def _uuid(self, field):
        data = bytes(self.random.randrange(256) for _ in range(16))
        return data, {"uuid": str(uuid.UUID(bytes=data))}

    def _uri(self, field):
        text = self.random.choice(
            ["https://example.org/a?b=c#d", "file:///tmp/a%20b", "mailto:a@example.org"])
        return text, {"uri": text}

    def some_bytes(self):
        size = self.random.choice([0, 1, 3, 37, 38, 200, 3000])
        first = self.random.choice([b"\x01", b"\x02", b"\x00"])
        return (first + self.random.randbytes(size))[:size]

    def _binary(self, field):
        if field.content == "json":
            document = self.document()
            data = json.dumps(document).encode()
            return data, {"binary": dict(digest(data), json=document)}
        data = self.some_bytes()
        if field.external:
            return self.external(data, "binary", digest(data))
        return data, {"binary": digest(data)}

    def document(self):
        return self.random.choice([[], {}, [{"string": {"_0": "new"}}, 1, 1.5, None, True],
                                   {"a": {"b": [self.random.randrange(1000)]}}])

    def external(self, data, kind, value):
        """Bytes behind a first byte, or in a file of their own."""
        if self.random.random() < 0.5:
            return b"\x01" + data, {kind: value}
        name = self.file_name()
        self.files += 1
        os.makedirs(self.folder, exist_ok=True)
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)
        return b"\x02" + name.encode() + b"\0", {kind: dict(value, external=True)}

    def file_name(self):
        return str(uuid.UUID(bytes=self.random.randbytes(16))).upper()

    def _transformable(self, field):
        data, name, value = getattr(self, "_of_" + field.content)()
        result = dict(digest(data), **{"class": name})
        if value is not None:
            result["value"] = value
        if field.external:
            return self.external(data, "transformable", result)
        return data, {"transformable": result}

    def small(self):
        """An archived plain value and its canonical form."""
        number = self.random.randrange(-1000, 1000)
        made_uuid = self.random.randbytes(16)
        return self.random.choice([
            (Boxed(number), number), (Boxed(0.5), 0.5), (Boxed(True), True), ("text", "text"), ("", ""),
            (Made("NSNull"), {"null": True}), (Made("NSDate", **{"NS.time": 1.5}), {"date": "1.5"}),
            (Made("NSUUID", **{"NS.uuidbytes": made_uuid}), {"uuid": str(uuid.UUID(bytes=made_uuid))}),
            (Made("NSURL", **{"NS.base": None, "NS.relative": "https://example.org"}),
             {"uri": "https://example.org"}),
            (Made("NSMutableString", **{"NS.string": "other"}), "other"),
            (Made("NSMutableData", **{"NS.data": b"abc"}), {"binary": digest(b"abc")}),
            (self.decimal_number(-1234, -2), {"decimal": "-12.34"}),
            (array([Boxed(1), "two"]), {"array": [1, "two"]}),
        ])

    @staticmethod
    def decimal_number(mantissa, exponent):
        digits = abs(mantissa).to_bytes(16, "little")
        return Made("NSDecimalNumber", **{
            "NS.exponent": exponent, "NS.length": 1, "NS.negative": mantissa < 0, "NS.compact": True,
            "NS.mantissa.bo": 1, "NS.mantissa": digits})

    def _of_array(self):
        members = [self.small() for _ in range(self.random.randrange(4))]
        name = self.random.choice(["NSArray", "NSMutableArray"])
        data = archive(array([made for made, _ in members], name))
        return data, name, {"array": [value for _, value in members]}

    def _of_dictionary(self):
        pairs = [("key %d" % at, self.small()) for at in range(self.random.randrange(4))]
        data = archive(dictionary([(key, made) for key, (made, _) in pairs], "NSDictionary"))
        values = sorted([[key, value] for key, (_, value) in pairs],
                        key=lambda pair: json.dumps(pair, sort_keys=True))
        return data, "NSDictionary", {"dictionary": values}

    def _of_single(self):
        data = archive(Made("NSSet", **{"NS.objects": [Boxed(3), Boxed(1)]}))
        return data, "NSSet", {"set": [1, 3]}

    def _of_unknown(self):
        data = archive(Made("Made.Shade", red=self.random.random(), green=0.5, name="shade"))
        return data, "Made.Shade", None

    def _of_opaque(self):
        return self.random.randbytes(24), None, None

    def _of_jsonarray(self):
        document = ["word %d" % at for at in range(self.random.randrange(3))]
        return archive(json.dumps(document).encode()), "NSData", {"json": document}
