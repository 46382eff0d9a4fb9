"""The house stands: a room includes only what its CMake library links (tools/cmake/rooms.cmake), and within a room no file calls, or includes the
header of, one that stands on it."""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import odp

TOOLS = odp.SOURCE / "tools"
BUILD = pathlib.Path(os.environ.get("ODP_BINARY_DIR", odp.SOURCE / "build"))
PROGRAMS = ("lib", "odp-build", "odp-gateway")
# A library's header may be included where its library is linked, and nowhere else.
FOREIGN = {"sqlite3.h": "PkgConfig::SQLITE", "microhttpd.h": "PkgConfig::MICROHTTPD", "hiredis/hiredis.h": "PkgConfig::HIREDIS",
           "xlsxwriter.h": "odp_xlsxwriter_dep", "geos_c.h": "odp_geos_dep", "unicase.h": "odp_unistring_dep", "zip.h": "PkgConfig::ZIP", "expat.h": "PkgConfig::EXPAT",
           "shapefil.h": "PkgConfig::SHAPELIB", "jansson.h": "PkgConfig::JANSSON", "sodium.h": "PkgConfig::SODIUM", "pcre2.h": "PkgConfig::PCRE2", "curl/curl.h": "PkgConfig::CURL"}


def rooms():
    """{room: (rooms that it links, other libraries that it links)}, as configured; folders are relative to tools/."""
    found = {}
    for line in (BUILD / "rooms.txt").read_text().splitlines():
        if not line.startswith("#"):
            room, _, links = line.partition(":")
            inner, _, outer = links.partition("|")
            found[room] = (inner.split(), outer.split())
    return found


def closure(of, room):
    """ROOM, what it links, and what that links."""
    seen, todo = set(), [room]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += of[name][0]
    return seen


def sources():
    return [path for program in PROGRAMS for path in sorted((TOOLS / program).glob("**/*")) if path.suffix in (".c", ".h", ".def")]


def room_of(of, path):
    """The innermost room that PATH lies in; None: main.c."""
    folder = path.relative_to(TOOLS).parent
    while str(folder) != "." and str(folder) not in of:
        folder = folder.parent
    return str(folder) if str(folder) in of else None


def includes(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        match = re.match(r'\s*#\s*include ["<]([^">]+)[">]', line)
        if match:
            yield match[1]


def target(path, name):
    """The file of ours that PATH means by #include "NAME", or None."""
    program = path.relative_to(TOOLS).parts[0]
    for folder in (path.parent, TOOLS / program, TOOLS / "lib"):
        if (folder / name).is_file():
            return folder / name
    return None


def unit(path):
    """A source and its header are one."""
    return str(path.relative_to(TOOLS).with_suffix(""))


def circles(graph):
    """The groups of units that reach each other."""
    order, seen = [], set()
    for start in sorted(graph):
        stack = [(start, iter(sorted(graph[start])))] if start not in seen else []
        seen.add(start)
        while stack:
            node, rest = stack[-1]
            step = next((n for n in rest if n not in seen), None)
            if step is None:
                order.append(node)
                stack.pop()
            else:
                seen.add(step)
                stack.append((step, iter(sorted(graph.get(step, ())))))
    back = collections.defaultdict(set)
    for a, to in graph.items():
        for b in to:
            back[b].add(a)
    found, done = [], set()
    for start in reversed(order):
        group, todo = [], [start]
        while todo:
            node = todo.pop()
            if node not in done:
                done.add(node)
                group.append(node)
                todo += back[node]
        if len(group) > 1:
            found.append(sorted(group))
    return found


def calls():
    """{unit: {unit: names}}: who refers to whose functions and data, by the symbols of the object files. Each program has its own."""
    defined, wanted = {}, {}
    for path in sorted((BUILD / "tools").glob("**/*.c.o")):
        match = re.match(r"(.*)/CMakeFiles/[^/]+\.dir/(.*)\.c\.o$", str(path.relative_to(BUILD / "tools")))
        name = os.path.normpath(f"{match[1]}/{match[2]}")
        program = name.split("/")[0]
        if program not in PROGRAMS or not (TOOLS / f"{name}.c").is_file():
            continue
        for line in subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout.splitlines():
            kind, _, symbol = line[17:].partition(" ")
            if kind == "U":
                wanted.setdefault(name, set()).add(symbol)
            elif kind in "TDBRCV":
                defined[program, symbol] = name
    graph = {name: collections.defaultdict(set) for name in wanted}
    for name, symbols in wanted.items():
        for symbol in symbols:
            owner = defined.get((name.split("/")[0], symbol)) or defined.get(("lib", symbol), name)
            if owner != name:
                graph[name][owner].add(symbol)
    return graph


def arrows():
    """{unit: units that it calls, or whose header it includes}. A private header is the floor that its room's files share: it ties nobody."""
    graph = {name: set(to) for name, to in calls().items()}
    for path in sources():
        for name in includes(path):
            found = target(path, name)
            if found is not None and found.suffix == ".h" and unit(found) != unit(path) and not (path.stem + found.stem).count("_internal"):
                graph.setdefault(unit(path), set()).add(unit(found))
    return graph


# What prints outside the commands: the service's log, and the engine of both programs' command lines (help, what is wrong with an option).
PRINTS = (TOOLS / "odp-gateway/service/state/log.c", TOOLS / "lib/base/options.c")


class Layering(unittest.TestCase):
    def test_rooms_stand_on_what_is_below_them(self):
        of, seen = rooms(), set()
        self.assertGreater(len(of), 30)
        for room, (links, _) in of.items():  # in the order in which CMake came to them: from the ground up
            self.assertLessEqual(set(links), seen, f"{room} links what does not stand below it")
            seen.add(room)
        for room in of:
            if room.startswith("lib/"):
                self.assertEqual([r for r in closure(of, room) if not r.startswith("lib/")], [], f"{room} knows a program")
            self.assertFalse(room.startswith("odp-build/") and any(r.startswith("odp-gateway/") for r in closure(of, room)), room)
            self.assertFalse(room.startswith("odp-gateway/") and any(r.startswith("odp-build/") for r in closure(of, room)), room)

    def test_a_room_includes_only_what_it_links(self):
        of, seen = rooms(), 0
        for path in sources():
            room = room_of(of, path)
            if room is None:
                continue
            may = closure(of, room)
            libraries = {library for r in may for library in of[r][1]}
            for name in includes(path):
                found = target(path, name)
                if found is not None:
                    seen += 1
                    self.assertIn(room_of(of, found), may, f"{path.relative_to(TOOLS)} includes {name}")
                if name in FOREIGN and not (name == "jansson.h" and room == "lib/base"):  # base has the header alone
                    self.assertIn(FOREIGN[name], libraries, f"{path.relative_to(TOOLS)} includes {name}")
                if not path.match("odp-gateway/module/*"):
                    self.assertFalse(name.startswith("ngx_"), f"{path.relative_to(TOOLS)} includes {name}")
        self.assertGreater(seen, 2000)

    def test_a_private_header_is_read_in_its_room(self):
        of = rooms()
        for path in sources():
            for name in includes(path):
                found = target(path, name)
                if found is not None and found.stem.endswith("_internal"):
                    self.assertEqual(room_of(of, path), room_of(of, found), f"{path.relative_to(TOOLS)} includes {name}")

    @unittest.skipIf(shutil.which("nm") is None, "nm is not installed")
    def test_no_call_and_no_include_goes_up(self):
        self.assertGreater(len(calls()), 700)
        self.assertEqual(circles(arrows()), [])

    def test_a_room_has_a_readme_that_is_read_to_its_end(self):
        for folder in {*rooms(), *(f"{p}/{d.name}" for p in ("odp-build", "odp-gateway") for d in (TOOLS / p).iterdir() if d.is_dir())}:
            if folder != "odp-gateway/packaging":
                self.assertLessEqual(len((TOOLS / folder / "README.md").read_text(encoding="utf-8").splitlines()), 60, folder)

    def test_folders_can_be_looked_through(self):
        for program in (*PROGRAMS, "odp-sample"):
            for folder in [TOOLS / program, *(p for p in (TOOLS / program).glob("**/") if p.is_dir())]:
                self.assertLessEqual(len(list(folder.glob("*.c"))), 40, folder)
        for program, most in (("odp-build", 12), ("odp-gateway", 6)):
            self.assertLessEqual(len([p for p in (TOOLS / program).iterdir() if p.is_dir()]), most, program)

    def test_no_room_ends_the_process_or_prints(self):
        for path in sources():
            if path.suffix != ".c" or path.is_relative_to(TOOLS / "odp-gateway/command") or path.name == "main.c" or path in PRINTS:
                continue
            if path.is_relative_to(TOOLS / "odp-build/commands"):
                continue
            text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"', "", path.read_text(), flags=re.S)
            # GLib ends the process itself where it gets no thread, and an arena's reserve has an end, and a value that is none
            # (text that is no UTF-8) has no place in a document; odp_failure_end (base/status.c) lets the program say why.
            if path.name not in ("fonts.c", "arena.c", "doc.c"):
                self.assertNotRegex(text, r"odp_failure_end\((?!const)", path.name)
            for word in ("exit", "printf", "puts", "perror") + (("abort",) if path.name != "status.c" else ()):
                self.assertIsNone(re.search(rf"(?<![\w.>]){word}\s*\(", text), f"{path.name} calls {word}")
            self.assertNotIn("stderr", text, path.name)

    def test_json_is_read_by_one_function(self):
        """jansson's own loses characters where memory is short (base/json_load.h)."""
        seen = 0
        for path in sorted(TOOLS.glob("**/*.c")):
            text = path.read_text()
            seen += text.count("odp_json_load(")
            if path.name != "json_load.c" and path.parent.name != "cmake":
                self.assertNotRegex(text, r"\bjson_load\w*\(", path.name)
        self.assertGreater(seen, 50)


if __name__ == "__main__":
    odp.main()
