"""DuckDB's SQL for the work of a check, from the same dataset.json that odp-build reads.

What it does: every field's type (declared, not inferred: DuckDB's best), required, minimum, maximum, lengths, patterns, categories,
unique and primary keys, keys into code lists, rules that are plain comparisons. What it does not: say where a fault is, propose a
correction, watch for personal data, spreadsheet damage, white space, totals and the rest of what a check looks at."""
import json
import pathlib

TYPES = {"string": "VARCHAR", "integer": "BIGINT", "number": "DOUBLE", "year": "INTEGER", "date": "DATE", "boolean": "VARCHAR", "datetime": "VARCHAR"}


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def columns(names):
    return ", ".join(f'"{n}"' for n in names)


class Table:
    """One resource of a catalogue that odp-sample made, as DuckDB is told of it."""

    def __init__(self, catalog, slug):
        self.catalog = pathlib.Path(catalog)
        self.slug = slug
        self.package = json.loads((self.catalog / slug / "dataset.json").read_text())
        self.resource = self.package["resources"][0]
        self.fields = self.resource["schema"]["fields"]
        self.csv = self.catalog / slug / self.resource["path"]
        self.public = [f["name"] for f in self.fields if f.get("sdi:aksesPublik", True)]

    def source(self):
        dialect = self.resource.get("dialect", {})
        columns = ", ".join(f"{quoted(f['name'])}: {quoted(TYPES[f['type']])}" for f in self.fields)
        dates = {f["format"] for f in self.fields if f["type"] == "date" and f.get("format", "default") != "default"}
        options = [f"delim = {quoted(dialect.get('delimiter', ','))}", "header = true", "quote = '\"'", "escape = '\"'", f"columns = {{{columns}}}"]
        if dates:
            options.append(f"dateformat = {quoted(dates.pop())}")
        if any(f.get("decimalChar") == "," for f in self.fields):
            options.append("decimal_separator = ','")
        return f"read_csv({quoted(self.csv)}, {', '.join(options)})"

    def conditions(self):
        """SQL that is true for a value that breaks its field's constraints; null breaks nothing (required apart)."""
        for f in self.fields:
            name, rules = '"' + f["name"] + '"', f.get("constraints", {})
            literal = (lambda v: f"DATE {quoted(v)}") if f["type"] == "date" else str
            if rules.get("required"):
                yield f"{name} IS NULL"
            if "pattern" in rules:
                yield f"NOT regexp_full_match({name}, {quoted(rules['pattern'])})"
            if "minimum" in rules:
                yield f"{name} < {literal(rules['minimum'])}"
            if "maximum" in rules:
                yield f"{name} > {literal(rules['maximum'])}"
            if "minLength" in rules:
                yield f"length({name}) < {rules['minLength']}"
            if "maxLength" in rules:
                yield f"length({name}) > {rules['maxLength']}"
            values = [c["value"] if isinstance(c, dict) else c for c in f.get("categories", [])] or rules.get("enum", [])
            if values:
                yield f"{name} NOT IN ({', '.join(quoted(v) for v in values)})"
        for key in self.resource.get("odp:foreignKeys", []):
            if "references/" in key["reference"]["dataset"]:
                yield f'"{key["fields"][0]}" NOT IN ({", ".join(quoted(c) for c in self.codes(key))})'
        for rule in self.resource.get("odp:rules", []):
            yield f"NOT ({rule['expr']})"

    def codes(self, key):
        name, _, edition = key["reference"]["dataset"].partition("/")[2].partition("@")
        folder = self.catalog / "references" / name
        package = json.loads((folder / "dataset.json").read_text())
        resource = next((r for r in package["resources"] if edition in r["path"] or edition in r["name"]), package["resources"][0])
        lines = (folder / resource["path"]).read_text(encoding="utf-8-sig").splitlines()
        column = lines[0].split(resource.get("dialect", {}).get("delimiter", ",")).index(key["reference"]["fields"][0])
        return sorted({line.split(resource.get("dialect", {}).get("delimiter", ","))[column].strip('"') for line in lines[1:] if line})

    def unique(self):
        primary = self.resource["schema"].get("primaryKey", [])
        keys = [primary] if primary else []
        keys += [[f["name"]] for f in self.fields if f.get("constraints", {}).get("unique")]
        return keys

    def check(self):
        """One row: records, those that break something, keys that occur once more. As a WHERE of one OR it is fastest: what is decided is not looked at further."""
        twice = " + ".join(f"(SELECT coalesce(sum(n - 1), 0) FROM (SELECT count(*) AS n FROM t GROUP BY {columns(k)} HAVING count(*) > 1))" for k in self.unique()) or "0"
        return f"SELECT (SELECT count(*) FROM t) AS records, (SELECT count(*) FROM t WHERE {self.broken()}) AS broken, {twice} AS twice"

    def broken(self):
        return " OR ".join(f"({c})" for c in self.conditions()) or "false"

    def load(self, ordered=False):
        """Into a table in memory: faster than a look at the file for each question. Unordered is fastest; then files have another order than the source."""
        return ([] if ordered else ["SET preserve_insertion_order = false"]) + [f"CREATE TABLE t AS SELECT * FROM {self.source()}"]

    def script_check(self):
        return "\n--\n".join([*self.load(), self.check()])

    def script_export(self, json_out, csv_out, ordered=False):
        """Read once, checked, written in both formats, public fields only."""
        return "\n--\n".join([*self.load(ordered), f"CREATE TABLE found AS {self.check()}",
                              "SELECT CASE WHEN broken + twice > 0 THEN error('broken') END FROM found",
                              f"COPY (SELECT {columns(self.public)} FROM t) TO {quoted(json_out)} (FORMAT json, ARRAY true)",
                              f"COPY (SELECT {columns(self.public)} FROM t) TO {quoted(csv_out)} (FORMAT csv, HEADER)"])

    def script_own(self, text, json_out="", csv_out=""):
        """A reader's own SQL (--sql), in which {source}, {broken}, {columns}, {json} and {csv} stand for what the bench knows."""
        for name, value in (("source", self.source()), ("broken", self.broken()), ("columns", columns(self.public)), ("json", quoted(json_out)), ("csv", quoted(csv_out))):
            text = text.replace("{" + name + "}", value)
        return text
