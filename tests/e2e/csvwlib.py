"""CSV on the Web metadata (W3C, Metadata Vocabulary for Tabular Data) as a dataset.json of ours, where it has a counterpart there.

convert() hands on a value that is wrong as it stands, so that it is our program that judges it, and raises Unmapped with a reason of REASONS where a
property means something that Data Package and its odp: properties have no word for. What only shapes CSVW's own output (URLs of subjects and
properties, languages, titles of rows) says nothing of a table's validity: a sound value of it is left out."""
import csv
import io
import json
import re

REASONS = {
    "LOCATE": "metadata found through a Link header, beside the file or at a well-known address: a dataset.json names its files, and is the only one",
    "JSON-LD": "JSON-LD: contexts, identifiers, node types and annotations, which dataset.json does not have; it is plain JSON",
    "OUTPUT": "shapes CSVW's output only (URLs, order and titles in RDF and JSON), not what a table may hold",
    "LANGUAGE": "several labels of a column, languages of labels and cells, direction of text: a column has one label, the one of the file (odp:sourceName)",
    "VIRTUAL": "virtual columns before others, or not said by a boolean: there are no virtual columns",
    "TRANSFORM": "transformations: the formats of a dataset are made by odp-build",
    "DEFAULT": "a value in place of an empty cell: nothing is put into the data that its author did not write",
    "PICTURE": "number pictures (UAX #35): a number has a decimal sign and a sign of groups, no picture",
    "BOOLEAN": "a boolean's format that is not two values: trueValues and falseValues are lists, with no syntax to be wrong in",
    "ITEM-LENGTH": "length of the elements of a list: minLength and maxLength count elements here (Table Schema)",
    "ZONE": "a date or a time of day with an offset: only date-times have one",
    "SKIP": "dialect with columns or blank rows to skip: every column is declared, and a blank row is a fault to mend (ODP-R01)",
    "TRIM-SIDE": "white space trimmed at one side only: odp:trim is for both",
    "DATATYPE": "a datatype that is named by a URL, or none of CSVW's whose values can be told by a type of Table Schema",
}

INTEGERS = {"integer": None, "long": (-2**63, 2**63 - 1), "int": (-2**31, 2**31 - 1), "short": (-2**15, 2**15 - 1), "byte": (-128, 127),
            "nonNegativeInteger": (0, None), "positiveInteger": (1, None), "nonPositiveInteger": (None, 0), "negativeInteger": (None, -1),
            "unsignedLong": (0, 2**64 - 1), "unsignedInt": (0, 2**32 - 1), "unsignedShort": (0, 2**16 - 1), "unsignedByte": (0, 255)}
NUMBERS = {"number", "double", "float", "decimal"}
STRINGS = {"string", "any", "anyAtomicType", "anyURI", "normalizedString", "token", "language", "Name", "NMTOKEN", "QName", "xml", "html", "json", "base64Binary",
           "hexBinary"}
DATES = {"date": "date", "time": "time", "dateTime": "datetime", "datetime": "datetime", "dateTimeStamp": "datetime"}
OTHERS = {"boolean": "boolean", "gYear": "year", "gYearMonth": "yearmonth", "duration": "duration", "dayTimeDuration": "duration", "yearMonthDuration": "duration"}
NO_TYPE = {"gDay", "gMonth", "gMonthDay"}
ITEMS = {"string", "integer", "boolean", "number", "datetime", "date", "time"}
UAX35 = [("yyyy", "%Y"), ("MM", "%m"), ("M", "%m"), ("dd", "%d"), ("d", "%d"), ("HH", "%H"), ("mm", "%M"), ("ss", "%S"), (r"\.S+", "%f"), ("XXX|xxx|XX|xx|X|x", "%z")]

INHERITED = {"aboutUrl", "datatype", "default", "lang", "null", "ordered", "propertyUrl", "required", "separator", "textDirection", "valueUrl"}
IGNORED = {"@context", "notes"}


class Unmapped(Exception):
    def __init__(self, reason):
        super().__init__(f"{reason}: {REASONS[reason]}")
        self.reason = reason


def refuse(condition, reason):
    if condition:
        raise Unmapped(reason)


def is_plain(value):
    """An annotation that is nothing but text: no JSON-LD in it."""
    if isinstance(value, list):
        return all(map(is_plain, value))
    return not isinstance(value, dict)


def is_language(value):
    return isinstance(value, str) and re.fullmatch(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*", value) is not None


def check_outputs(node, kind):
    """Properties of NODE (a KIND of CSVW's) without a counterpart: a sound one is ignored, any other is a reason not to convert."""
    for key, value in node.items():
        if ":" in key:
            refuse(not is_plain(value), "JSON-LD")
        elif key == "@id":
            refuse(not isinstance(value, str) or value.startswith("_:"), "JSON-LD")
        elif key == "@type":
            refuse(value != kind, "JSON-LD")
        elif key.startswith("@") and key != "@context":
            raise Unmapped("JSON-LD")
        elif key in ("aboutUrl", "propertyUrl", "valueUrl"):
            refuse(not isinstance(value, str), "OUTPUT")
        elif key in ("ordered", "suppressOutput"):
            refuse(not isinstance(value, bool), "OUTPUT")
        elif key == "rowTitles":
            raise Unmapped("OUTPUT")
        elif key == "lang":
            refuse(not is_language(value), "LANGUAGE")
        elif key in ("textDirection", "tableDirection"):
            refuse(value not in ("ltr", "rtl", "auto", "inherit"), "LANGUAGE")
        elif key == "transformations":
            raise Unmapped("TRANSFORM")
        elif key == "default":
            raise Unmapped("DEFAULT")
    for part in node.get("@context", []) if isinstance(node.get("@context"), list) else []:
        refuse(isinstance(part, dict) and (set(part) != {"@language"} or not is_language(part["@language"])), "JSON-LD")


def dates(pattern, kind):
    """A UAX #35 pattern as Table Schema writes it; what is none stays as it is, to be refused."""
    if not isinstance(pattern, str):
        return pattern
    out, rest = "", pattern
    while rest:
        for known, ours in UAX35:
            found = re.match(known, rest)
            if found:
                refuse(ours == "%z" and kind != "datetime", "ZONE")
                out, rest = out + ("." if ours == "%f" else "") + ours, rest[found.end():]
                break
        else:
            out, rest = out + rest[0], rest[1:]
    return out if "%" in out else pattern


def number(field, description):
    form = description.get("format")
    refuse(isinstance(form, str) or isinstance(form, dict) and "pattern" in form, "PICTURE")
    form = form if isinstance(form, dict) else {}
    if field["type"] == "number":
        field["decimalChar"] = form.get("decimalChar", ".")
        field["groupChar"] = form.get("groupChar", "," if field["decimalChar"] != "," else ".")
    else:
        field["groupChar"] = form.get("groupChar", ",")


def bounds(description, base):
    """The constraints of a datatype description, with those that its base brings. What 64 bits do not hold is text: our JSON reader refuses such numbers."""
    low, high = (INTEGERS.get(base) or (None, None)) if isinstance(base, str) else (None, None)
    found = {"minimum": low, "maximum": high}
    for theirs, ours in (("minimum", "minimum"), ("minInclusive", "minimum"), ("maximum", "maximum"), ("maxInclusive", "maximum"),
                         ("minExclusive", "exclusiveMinimum"), ("maxExclusive", "exclusiveMaximum"), ("minLength", "minLength"), ("maxLength", "maxLength")):
        if theirs in description:
            found[ours] = description[theirs]
    if "length" in description:
        length = description["length"]
        found["minLength"], found["maxLength"] = max(length, description.get("minLength", length)), min(length, description.get("maxLength", length))
    return {key: str(value) if isinstance(value, int) and abs(value) >= 2**63 else value for key, value in found.items() if value is not None}


def datatype(field, described):
    description = {"base": described} if not isinstance(described, dict) else described
    check_outputs(description, "Datatype")
    refuse(str(description.get("@id", "")).startswith("http://www.w3.org/2001/XMLSchema#"), "JSON-LD")
    base, form = description.get("base", "string"), description.get("format")
    refuse(base in NO_TYPE or isinstance(base, str) and "://" in base, "DATATYPE")
    constraints = bounds(description, base)
    if base in INTEGERS or base in NUMBERS:
        field["type"] = "integer" if base in INTEGERS else "number"
        number(field, description)
    elif base in DATES:
        field["type"] = DATES[base]
        if form is not None:
            field["format"] = dates(form, field["type"])
        if base in ("dateTime", "datetime"):
            field["odp:timeZone"] = "Asia/Jakarta"  # XSD lets the offset be absent
    elif base in OTHERS:
        field["type"] = OTHERS[base]
        if base == "boolean" and form is not None:
            refuse(not isinstance(form, str) or form.count("|") != 1 or "" in form.split("|"), "BOOLEAN")
            field["trueValues"], field["falseValues"] = ([word] for word in form.split("|"))
        elif base == "boolean":
            field["trueValues"], field["falseValues"] = ["true", "1"], ["false", "0"]
        refuse(base != "boolean" and form is not None, "DATATYPE")
    else:
        field["type"] = "string" if base in STRINGS else base
        if form is not None:
            constraints["pattern"] = form
    return constraints


def column(described, inherited, trim):
    check_outputs(described, "Column")
    said = {**inherited, **described}
    titles = said.get("titles")
    if isinstance(titles, list):
        refuse(len(titles) != 1 or not isinstance(titles[0], str), "LANGUAGE")
        titles = titles[0]
    refuse(isinstance(titles, dict), "LANGUAGE")
    name = said.get("name", titles)
    field = {"name": name} if titles in (None, name) else {"name": name, "odp:sourceName": titles}
    constraints = datatype(field, said.get("datatype", "string"))
    if "required" in said:
        constraints["required"] = said["required"]
    if "null" in said:
        field["missingValues"] = said["null"] if isinstance(said["null"], list) else [said["null"]]
    if "separator" in said:
        refuse({"minLength", "maxLength"} & set(constraints), "ITEM-LENGTH")
        refuse(field["type"] not in ITEMS, "DATATYPE")
        field = {key: field[key] for key in ("name", "odp:sourceName", "missingValues") if key in field} | \
            {"type": "list", "itemType": field["type"], "delimiter": said["separator"]}
    if trim is not None and field["type"] == "string":
        field["odp:trim"] = trim
    return {**field, "constraints": constraints}


def columns(described, inherited, trim):
    """The fields of a table; a list that is none, or that has an item which is no column, stays for our program to refuse."""
    if not isinstance(described, list):
        return described
    virtual = [isinstance(c, dict) and c.get("virtual", False) for c in described]
    refuse(any(not isinstance(v, bool) for v in virtual) or virtual != sorted(virtual), "VIRTUAL")
    return [column(c, inherited, trim) if isinstance(c, dict) else c for c, v in zip(described, virtual) if not v]


def dialect(described):
    """(Table Dialect, encoding, trim)."""
    if not isinstance(described, dict):
        return described, None, None
    check_outputs(described, "Dialect")
    refuse("skipColumns" in described or not isinstance(described.get("skipBlankRows", False), bool) or described.get("skipBlankRows") is True, "SKIP")
    names = {"commentPrefix": "commentChar", "delimiter": "delimiter", "doubleQuote": "doubleQuote", "quoteChar": "quoteChar", "skipInitialSpace": "skipInitialSpace",
             "header": "header", "lineTerminators": "lineTerminator"}
    out = {ours: described[theirs] for theirs, ours in names.items() if theirs in described}
    if isinstance(out.get("lineTerminator"), list) and len(out["lineTerminator"]) == 1:
        out["lineTerminator"] = out["lineTerminator"][0]
    skip, rows = described.get("skipRows", 0), described.get("headerRowCount", 0 if described.get("header") is False else 1)
    if not isinstance(skip, int) or not isinstance(rows, int):
        out["headerRows"] = [skip, rows]
    elif rows > 0:
        if out.get("header") is False:
            out["header"] = True  # headerRowCount goes before it
        if (skip, rows) != (0, 1):
            out["headerRows"] = [skip + 1 + i for i in range(rows)]
    elif skip > 0:
        out["header"], out["commentRows"] = False, list(range(1, skip + 1))
    trim = described.get("trim")
    refuse(trim in ("start", "end"), "TRIM-SIDE")
    return out, described.get("encoding"), {"true": True, "false": False}.get(trim, trim) if isinstance(trim, str) else trim


def embedded(text, form):
    """Columns by the file alone: its labels, or _col.1, _col.2 … where it has none."""
    rows = list(csv.reader(io.StringIO(text), delimiter=form.get("delimiter", ",")))
    if form.get("header") is False:
        return [{"name": f"_col.{i + 1}"} for i in range(len(rows[0]))]
    return [{"name": f"f{i + 1}", "titles": label} for i, label in enumerate(rows[0])]


def keys(schema, urls):
    """primaryKey and foreignKeys as ours; URLS: {url: resource}."""
    out = {}
    if "primaryKey" in schema:
        out["primaryKey"] = schema["primaryKey"]
    if "foreignKeys" in schema:
        out["foreignKeys"] = schema["foreignKeys"]
    if isinstance(schema.get("foreignKeys"), list):
        out["foreignKeys"] = [foreign(key, urls) if isinstance(key, dict) else key for key in schema["foreignKeys"]]
    return out


def foreign(key, urls):
    reference = key.get("reference")
    more = {k: v for k, v in key.items() if k not in ("columnReference", "reference")}
    if isinstance(reference, dict):
        refuse("schemaReference" in reference and reference["schemaReference"] not in urls, "JSON-LD")
        target = reference.get("resource", reference.get("schemaReference"))
        reference = {**{k: v for k, v in reference.items() if k not in ("resource", "schemaReference", "columnReference")},
                     "resource": urls.get(target, target), "fields": reference.get("columnReference")}
    return {"fields": key.get("columnReference"), "reference": reference, **more}


def loaded(value, read):
    """An object property: itself, or the file that a string names."""
    return json.loads(read(value)) if isinstance(value, str) else value


def resource(name, table, inherited, group_dialect, urls, read):
    check_outputs(table, "Table")
    form, encoding, trim = dialect(loaded(table.get("dialect", group_dialect), read))
    schema = loaded(table.get("tableSchema", {}), read)
    out = {"name": name, "type": "table", "path": table.get("url"), **({"dialect": form} if form != {} else {}), **({"encoding": encoding} if encoding else {})}
    if not isinstance(schema, dict):
        return {**out, "schema": schema}
    check_outputs(schema, "Schema")
    inherited = {**inherited, **{k: v for part in (table, schema) for k, v in part.items() if k in INHERITED}}
    described = schema["columns"] if "columns" in schema else embedded(read(table["url"]), form)
    return {**{k: v for k, v in out.items() if v is not None}, **{k: v for k, v in table.items() if k not in KNOWN and ":" not in k},
            "schema": {"fields": columns(described, inherited, trim), **keys(schema, urls)}}


KNOWN = {"url", "dialect", "tableSchema", "tables", "suppressOutput", "tableDirection", "@id", "@type"} | INHERITED | IGNORED


def convert(metadata, read):
    """The package for METADATA (an object of CSVW's); READ(url) gives the text of a file that it names."""
    group = metadata if "url" not in metadata and "tableSchema" not in metadata else {"tables": [metadata]}
    check_outputs(group, "TableGroup")
    package = {"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": "t", "title": "t", "odp:formats": ["JSON"], "odp:lastUpdate": "2024-01-01"}
    package.update({k: v for k, v in group.items() if k not in KNOWN and ":" not in k})
    tables = group.get("tables")
    if tables is None:
        return package
    inherited = {k: v for k, v in group.items() if k in INHERITED}
    if not isinstance(tables, list):
        return {**package, "resources": tables}
    names = {t["url"]: f"r{i + 1}" for i, t in enumerate(tables) if isinstance(t, dict) and isinstance(t.get("url"), str)}
    urls = {**names, **{t["tableSchema"]["@id"]: names[t["url"]] for t in tables
                        if isinstance(t, dict) and isinstance(t.get("tableSchema"), dict) and "@id" in t["tableSchema"] and t.get("url") in names}}
    return {**package, "resources": [resource(f"r{i + 1}", t, inherited, group.get("dialect", {}), urls, read) if isinstance(t, dict) else t
                                     for i, t in enumerate(tables)]}
