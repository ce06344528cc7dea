"""The canonical form of values, shared by everything that writes or compares canonical documents.

A document is JSON lines. The first line is the store (`kind` "store"), then comes an object a line
(`kind` "object") in the order of root entity and key, then a line a fault (`kind` "fault").

A value is null, true or false, a number or a text where JSON has the type, and otherwise an object whose
only key says what it is: `date`, `decimal`, `uuid`, `uri`, `double` (infinity and NaN), `binary`,
`transformable`, `composite`, and inside transformables `array`, `set` and `dictionary`.
"""

import decimal
import hashlib
import json
import math
import struct
import uuid


def integer(number):
    return int(number)


def double(number):
    """A double; JSON has no infinity and no NaN, so those are texts."""
    number = float(number)
    if math.isfinite(number):
        return number
    return {"double": "nan" if math.isnan(number) else ("inf" if number > 0 else "-inf")}


def single(number):
    """The nearest number of 32 bits, which is all that a float attribute can have."""
    try:
        return double(struct.unpack("<f", struct.pack("<f", float(number)))[0])
    except OverflowError:
        return double(math.copysign(math.inf, number))


def date(seconds):
    """A date: the shortest text that reads back as exactly these seconds since 2001-01-01 UTC."""
    return {"date": repr(float(seconds))}


def decimal_text(value):
    """A decimal number without exponent and without zeros at its end."""
    if isinstance(value, float):
        value = repr(value)
    number = decimal.Decimal(value)
    if not number.is_finite():
        return {"decimal": "NaN"}
    text = format(number, "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return {"decimal": "0" if text in ("-0", "") else text}


def uuid_value(data):
    return {"uuid": str(uuid.UUID(bytes=bytes(data)))}


def uri(text):
    return {"uri": text}


def digest(data):
    return {"sha256": hashlib.sha256(data).hexdigest(), "length": len(data)}


def json_bytes(data):
    """The JSON document that bytes are, as a list of one, or an empty list."""
    if data[:1] not in (b"[", b"{", b'"'):
        return []
    try:
        return [json.loads(data.decode("utf-8"))]
    except (ValueError, RecursionError):
        return []


def binary(data, external=False):
    """Bytes; the decoded document beside the digest where they are JSON."""
    value = digest(data)
    for document in json_bytes(data):
        value["json"] = document
    if external:
        value["external"] = True
    return {"binary": value}


def composite(elements):
    """A composite; one without any value is null, since the columns cannot tell the two apart."""
    if all(value is None for value in elements.values()):
        return None
    return {"composite": elements}


def line(document):
    """A line of a document, the same text for the same content."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sort_key(value):
    return json.dumps(value, ensure_ascii=True, sort_keys=True)
