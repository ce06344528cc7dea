"""Makes canonical values of what a store's columns hold."""

import os

import canonical
import keyed_archive

RANGES = {"integer16": 15, "integer32": 31, "integer64": 63}


class ValueReader:
    """Reads columns; what is not as its type says is told to `report` as a fault's message."""

    def __init__(self, folder, report):
        self.folder = folder  # of the external files
        self.report = report

    def read(self, attribute, value):
        """The canonical value of a column of an attribute."""
        if value is None:
            return None
        method = getattr(self, "_" + attribute.type, None)
        if method is None:
            self.report("a value of undefined type")
            return {"sql": repr(value)}
        try:
            return method(attribute, value)
        except (ValueError, TypeError, ArithmeticError) as error:
            self.report("a value that is not of its type: %s" % type(error).__name__)
            return {"sql": repr(value)}

    def _number(self, attribute, value):
        if not isinstance(value, int):
            self.report("a value that is not an integer")
            value = int(value)
        bits = RANGES[attribute.type]
        if not -(1 << bits) <= value < 1 << bits:
            self.report("an integer beyond its type")
        return canonical.integer(value)

    _integer16 = _integer32 = _integer64 = _number

    def _boolean(self, attribute, value):
        if value not in (0, 1):
            self.report("a value that is neither true nor false")
        return bool(value)

    def _double(self, attribute, value):
        return canonical.double(value)

    def _float(self, attribute, value):
        return canonical.single(value)

    def _decimal(self, attribute, value):
        if isinstance(value, bytes):
            value = value.decode("ascii")
        return canonical.decimal_text(value)

    def _date(self, attribute, value):
        return canonical.date(value)

    def _string(self, attribute, value):
        return self.text(value)

    def text(self, value):
        if isinstance(value, str):
            return value
        if isinstance(value, bytes):
            try:
                return value.decode("utf-8")
            except UnicodeDecodeError:
                self.report("a text that is not UTF-8")
                return value.decode("utf-8", "replace")
        self.report("a value that is not text")
        return str(value)

    def _uri(self, attribute, value):
        return canonical.uri(self.text(value))

    def _uuid(self, attribute, value):
        if isinstance(value, bytes) and len(value) == 16:
            return canonical.uuid_value(value)
        self.report("a UUID that is not 16 bytes")
        return {"sql": repr(value)}

    def _binary(self, attribute, value):
        data, external = self.data(attribute, value)
        return None if data is None else canonical.binary(data, external)

    def _transformable(self, attribute, value):
        """A keyed archive: its class and digest, and the value where the class is a known one."""
        data, external = self.data(attribute, value)
        if data is None:
            return None
        result = canonical.digest(data)
        result["class"] = keyed_archive.root_class(data)
        if external:
            result["external"] = True
        try:
            result["value"] = keyed_archive.decode(data)
        except (keyed_archive.NotDecodable, KeyError, ValueError, IndexError, TypeError):
            pass
        return {"transformable": result}

    def data(self, attribute, value):
        """Bytes, from a file of their own where the column says so, and whether they come from one."""
        if isinstance(value, str):
            value = value.encode("utf-8")
        if not isinstance(value, bytes):
            self.report("a value that is not bytes")
            return None, False
        if not attribute.external:
            return value, False
        if value[:1] == b"\x01":
            return value[1:], False
        if value[:1] == b"\x02" and len(value) == 38 and value[37:] == b"\0":
            return self.file(value[1:37].decode("ascii", "replace")), True
        self.report("a value for external storage without its first byte")
        return value, False

    def file(self, name):
        path = os.path.join(self.folder, name)
        if os.path.sep in name or not os.path.isfile(path):
            self.report("a file of external storage that is not there: %s" % name)
            return None
        with open(path, "rb") as file:
            return file.read()


def support_folder(store):
    """The folder of a store's external files: the name loses its last extension."""
    folder, name = os.path.split(os.path.abspath(store))
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    return os.path.join(folder, "." + stem + "_SUPPORT", "_EXTERNAL_DATA")
