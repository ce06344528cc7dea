"""Reads the index that the compiler writes beside a debug build, through the toolchain's libIndexStore."""

import ctypes
import json
import os
import subprocess

# The bits of roles, and the kind of a unit's dependency, of the library's header.
REFERENCE, IMPLICIT, OVERRIDE_OF = 1 << 2, 1 << 8, 1 << 11
RECORD = 2


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_char)), ("length", ctypes.c_size_t)]

    def __str__(self):
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


POINTER, ROLES = ctypes.c_void_p, ctypes.c_uint64
EACH = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, POINTER)
EACH_NAME = ctypes.CFUNCTYPE(ctypes.c_bool, POINTER, Text)
# What the functions return and take, without the prefix that they share.
FUNCTIONS = {
    "store_create": (POINTER, [ctypes.c_char_p, POINTER]),
    "store_dispose": (None, [POINTER]),
    "store_units_apply_f": (ctypes.c_bool, [POINTER, ctypes.c_uint, POINTER, EACH_NAME]),
    "store_get_unit_modification_time": (ctypes.c_bool, [POINTER, ctypes.c_char_p, POINTER, POINTER, POINTER]),
    "unit_reader_create": (POINTER, [POINTER, ctypes.c_char_p, POINTER]),
    "unit_reader_dispose": (None, [POINTER]),
    "unit_reader_get_main_file": (Text, [POINTER]),
    "unit_reader_dependencies_apply_f": (ctypes.c_bool, [POINTER, POINTER, EACH]),
    "unit_dependency_get_kind": (ctypes.c_int, [POINTER]),
    "unit_dependency_get_name": (Text, [POINTER]),
    "unit_dependency_get_filepath": (Text, [POINTER]),
    "record_reader_create": (POINTER, [POINTER, ctypes.c_char_p, POINTER]),
    "record_reader_dispose": (None, [POINTER]),
    "record_reader_occurrences_apply_f": (ctypes.c_bool, [POINTER, POINTER, EACH]),
    "occurrence_get_symbol": (POINTER, [POINTER]),
    "occurrence_get_roles": (ROLES, [POINTER]),
    "occurrence_get_line_col": (None, [POINTER, POINTER, POINTER]),
    "occurrence_relations_apply_f": (ctypes.c_bool, [POINTER, POINTER, EACH]),
    "symbol_relation_get_roles": (ROLES, [POINTER]),
    "symbol_relation_get_symbol": (POINTER, [POINTER]),
    "symbol_get_usr": (Text, [POINTER]),
    "symbol_get_name": (Text, [POINTER]),
}


def library():
    """The library of the toolchain whose `swift` is on the path."""
    info = json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True).stdout)
    # The resources are in usr/lib/swift.
    folder = os.path.dirname(info["paths"]["runtimeResourcePath"])
    loaded = ctypes.CDLL(os.path.join(folder, "libIndexStore.so"))
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(loaded, "indexstore_" + name)
        function.restype, function.argtypes = result, arguments
    return loaded


class Occurrence:
    """A symbol's name in a source file."""

    def __init__(self, line, column, usr, name, roles, implemented):
        self.line, self.column, self.usr, self.name = line, column, usr, name
        # Whether the source has it, and not what the compiler or a macro adds.
        self.is_written = bool(roles & REFERENCE) and not roles & IMPLICIT
        # What a declaration that the source has overrides or implements: names by identifier.
        self.implemented = implemented


class IndexStore:
    def __init__(self, path):
        self.path, self.c = path, library()
        self.store = self.call("store_create", os.fsencode(path), None)
        if not self.store:
            raise OSError(f"no index at {path}; build with swift build --build-tests")

    def call(self, name, *arguments):
        return getattr(self.c, "indexstore_" + name)(*arguments)

    def each(self, name, reader, body):
        """Calls a function for each part of what a reader reads."""
        self.call(name, reader, None, EACH(lambda _, part: body(part) or True))

    def units(self):
        names = []
        add = EACH_NAME(lambda _, name: names.append(str(name)) or True)
        self.call("store_units_apply_f", self.store, 0, None, add)
        return names

    def time(self, unit):
        seconds, nanoseconds = ctypes.c_int64(), ctypes.c_int64()
        self.call(
            "store_get_unit_modification_time", self.store, unit.encode(), ctypes.byref(seconds),
            ctypes.byref(nanoseconds), None)
        return seconds.value + nanoseconds.value / 1e9

    def records(self, folder):
        """The records of the source files below a folder, of each file's last compilation."""
        found = {}
        for unit in self.units():
            reader = self.call("unit_reader_create", self.store, unit.encode(), None)
            if not reader:
                continue
            file = str(self.call("unit_reader_get_main_file", reader))
            # Units of files that were deleted stay.
            if file.startswith(folder + "/") and os.path.exists(file):
                records = []

                def add(part):
                    if self.call("unit_dependency_get_kind", part) == RECORD:
                        if str(self.call("unit_dependency_get_filepath", part)) == file:
                            records.append(str(self.call("unit_dependency_get_name", part)))

                self.each("unit_reader_dependencies_apply_f", reader, add)
                found[file] = max(found.get(file, (0, [])), (self.time(unit), records))
            self.call("unit_reader_dispose", reader)
        for file, (time, _) in found.items():
            if os.path.getmtime(file) > time:
                raise OSError(f"{file} is newer than its index; build with swift build --build-tests")
        return {record for _, records in found.values() for record in records}

    def symbol(self, symbol):
        return str(self.call("symbol_get_usr", symbol)), str(self.call("symbol_get_name", symbol))

    def occurrences(self, record):
        found = []
        line, column = ctypes.c_uint(), ctypes.c_uint()

        def add(part):
            usr, name = self.symbol(self.call("occurrence_get_symbol", part))
            roles = self.call("occurrence_get_roles", part)
            self.call("occurrence_get_line_col", part, ctypes.byref(line), ctypes.byref(column))
            implemented = {}

            def relate(relation):
                if self.call("symbol_relation_get_roles", relation) & OVERRIDE_OF:
                    usr, name = self.symbol(self.call("symbol_relation_get_symbol", relation))
                    implemented[usr] = name

            if roles & OVERRIDE_OF and not roles & IMPLICIT:
                self.each("occurrence_relations_apply_f", part, relate)
            found.append(Occurrence(line.value, column.value, usr, name, roles, implemented))

        reader = self.call("record_reader_create", self.store, record.encode(), None)
        if reader:
            self.each("record_reader_occurrences_apply_f", reader, add)
            self.call("record_reader_dispose", reader)
        return found
