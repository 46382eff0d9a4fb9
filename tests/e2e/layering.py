"""Which stage may include which (build/README.md): base <- catalog <- table <- expr <- the stages <- pipeline <- tools."""
import re
import unittest

import odp

MAY = {
    "base": {"base"},
    "catalog": {"base", "catalog"},
    "table": {"base", "catalog", "table"},
    "expr": {"base", "catalog", "table", "search", "expr"},
    "spreadsheet": {"base", "spreadsheet"},
    "ingest": {"base", "catalog", "table", "expr", "spreadsheet", "ingest"},
    "entry": {"base", "catalog", "table", "entry"},
    "draft": {"base", "catalog", "table", "ingest", "spreadsheet", "draft"},
    "profile": {"base", "catalog", "table", "profile"},
    "cross": {"base", "catalog", "table", "expr", "cross"},
    "score": {"base", "catalog", "release", "score"},
    "correct": {"base", "catalog", "table", "ingest", "spreadsheet", "report", "correct"},
    "document": {"base", "document"},
    "validate": {"base", "catalog", "table", "expr", "document", "validate"},
    "search": {"base", "catalog", "table", "search"},
    "query": {"base", "catalog", "table", "expr", "search", "query"},
    "print": {"base", "catalog", "table", "print"},
    "emit": {"base", "catalog", "table", "expr", "document", "search", "print", "map", "emit"},
    "remote": {"base", "remote"},
    "sign": {"base", "sign"},
    "diff": {"base", "catalog", "table", "emit", "diff"},
    # release implements emit's output
    "release": {"base", "catalog", "table", "expr", "search", "emit", "diff", "remote", "release"},
    "publish": {"base", "catalog", "table", "emit", "diff", "remote", "sign", "release", "publish"},
    "template": {"base", "template"},
    "map": {"base", "table", "map"},
    "metadata": {"base", "catalog", "print", "emit", "release", "metadata"},
    "client": {"base", "catalog", "emit", "release", "client"},
    "portal": {"base", "catalog", "client", "table", "expr", "diff", "release", "metadata", "score", "template", "map", "portal", "core"}, # core: its list of errors alone
    "api": {"base", "catalog", "search", "emit", "release", "api", "core", "events"}, # core, events: their lists alone, see below
    "events": {"base", "catalog", "table", "expr", "diff", "release", "events"},
    "report": {"base", "score", "report"}, # score: how a scorecard looks (score/score.h), no more
}


# The same inside the gateway: core knows neither nginx nor the store; nothing but the module knows nginx.
GATEWAY_MAY = {
    "core": {"base", "core"},
    "secrets": {"base", "secrets"},
    "module": {"base", "core", "secrets", "module"},
    "deliver": {"base", "secrets", "deliver"},
    "service": {"base", "catalog", "search", "query", "release", "events", "core", "secrets", "deliver", "service"},
    "command": {"base", "catalog", "release", "core", "secrets", "deliver", "service", "command"},
}
GATEWAY_FOREIGN = {"core": r"ngx_|sqlite3|jansson|microhttpd|hiredis", "secrets": r"ngx_|sqlite3|jansson|microhttpd|hiredis|curl", "module": r"sqlite3|jansson|microhttpd|hiredis|curl",
                   "deliver": r"ngx_|sqlite3|microhttpd|hiredis",
                   "service": r"ngx_", "command": r"ngx_|sqlite3\.h|hiredis"}


class Layering(unittest.TestCase):
    def test_parts_of_the_gateway_include_only_what_is_below_them(self):
        seen = 0
        for path in sorted((odp.SOURCE / "tools/odp-gateway").glob("*/*.[chd]*")):
            part = path.parent.name
            for line in path.read_text().splitlines():
                match = re.match(r'\s*#include ["<]([^">]+)[">]', line)
                if match:
                    seen += 1
                    folder, _, rest = match[1].partition("/")
                    if rest and (odp.SOURCE / "build" / folder).is_dir() or folder in GATEWAY_MAY:
                        self.assertIn(folder, GATEWAY_MAY[part], f"{path.name} includes {match[1]}")
                    self.assertIsNone(re.match(GATEWAY_FOREIGN[part], match[1]), f"{path.name} includes {match[1]}")
        self.assertGreater(seen, 50)

    def test_stages_include_only_what_is_below_them(self):
        seen = 0
        for path in sorted((odp.SOURCE / "build").glob("*/*.[chd]*")):
            for line in path.read_text().splitlines():
                match = re.match(r'\s*#include "([a-z]+)/', line)
                if match:
                    seen += 1
                    self.assertIn(match[1], MAY[path.parent.name], f"{path.name} includes {match[1]}/")
                    if match[1] == "core": # data: the API's description has each error that the gateway can say
                        self.assertIn("core/problem.def", line)
                    if match[1] == "events" and path.parent.name == "api": # data: and each event
                        self.assertIn("events/events.def", line)
        self.assertGreater(seen, 50)

    def test_no_stage_ends_the_process_or_prints(self):
        library = [p for p in (odp.SOURCE / "tools/odp-gateway").glob("*/*.c") if p.parent.name != "command" and p.name != "log.c"]
        for path in sorted([*(odp.SOURCE / "build").glob("**/*.c"), *library]):
            text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"', "", path.read_text(), flags=re.S)
            # GLib ends the process itself where it gets no thread; asked first, odp_failure_end (base/status.c) lets the program say why.
            if path.name != "fonts.c":
                self.assertNotRegex(text, r"odp_failure_end\((?!const)", path.name)
            for word in ("exit", "printf", "puts", "perror") + (("abort",) if path.name != "status.c" else ()):
                self.assertIsNone(re.search(rf"(?<![\w.>]){word}\s*\(", text), f"{path.name} calls {word}")
            self.assertNotIn("stderr", text, path.name)

    def test_json_is_read_by_one_function(self):
        """jansson's own loses characters where memory is short (base/json_load.h)."""
        seen = 0
        for path in sorted([*(odp.SOURCE / "build").glob("**/*.c"), *(odp.SOURCE / "tools").glob("**/*.c")]):
            text = path.read_text()
            seen += text.count("odp_json_load(")
            if path.name != "json_load.c":
                self.assertNotRegex(text, r"\bjson_load\w*\(", path.name)
        self.assertGreater(seen, 50)


if __name__ == "__main__":
    odp.main()
