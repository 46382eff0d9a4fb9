"""Datasets that a catalogue may have and that every generator of code must get over: slugs, fields and values that are words of a language, members of a
class, one identifier with another, or that end a text, a comment or a template where they are pasted in."""
import json

SLUGS = ["usage", "list", "class", "close", "dataset", "constructor", "prototype", "then", "2024", "a-b", "a_b", "a.b", "ab", "object", "string", "record",
         "api-error", "client", "errors", "date", "none", "null", "iterator", "self", "import", "kumuh.timeline"]
FIELDS = [("kunci", "string"), ("class", "integer"), ("def", "number"), ("self", "string"), ("this", "string"), ("to_dict", "string"), ("toArray", "string"), ("then", "string"),
          ("__proto__", "string"), ("constructor", "string"), ("__init__", "string"), ("__class__", "string"), ("luas (ha)", "number"), ("2tahun", "year"), ("a b", "string"),
          ("a-b", "string"), ("a_b", "string"), ("A_B", "string"), ("\"kutip\"", "string"), ("'satu'", "string"), ("garis\\miring", "string"), ("*/ komentar", "string"),
          ("${templat} {$ini} $ini", "string"), ("`balik`", "string"), ("nama é 日本", "string"), ("?>", "string"), ("</script>", "string"), ("\"\"\"", "string"), ("%s {0} @SLUG@ {{x}}", "string"),
          ("None", "string"), ("null", "string"), ("geojson", "string"), ("q", "string"), ("filter", "string"), ("Date", "string"), ("raw", "string"), ("items", "string"), ("fields", "string"),
          ("tanggal", "date"), ("saat", "datetime"), ("jam", "time"), ("tahun", "year"), ("bulan", "yearmonth"), ("lama", "duration"), ("daftar", "list"), ("titik", "geopoint"),
          ("objek", "object"), ("larik", "array"), ("apa saja", "any"), ("ya", "boolean")]
VALUES = ["satu", "du'a", "ti\"ga", "em\\pat", "*/", "${x}", "{$x}", "$x", "`", "<b>", "日本", "with space", "None", "2", "2.50", "\\n", "%s", "{}", "@SLUG@"]


def field(name, type_, **more):
    return {"name": name, "type": type_, "title": f"Judul */ \"\"\" ?> ${{x}} `{name}` \\", "description": "Baris satu\nbaris */ dua\\\n\"\"\" ?> </script> @see {@link} ``` \u2028 akhir\\", **more}


def package(slug, fields, key):
    return {"$schema": "https://datapackage.org/profiles/2.0/datapackage.json", "name": slug, "title": f"Data {slug} */ ?> \"\"\" \\", "description": "Satu\n\n```\n*/ ?> \"\"\" ${x}\\",
            "odp:formats": ["CSV", "JSON"], "odp:lastUpdate": "2024-03-15",
            "resources": [{"name": slug, "type": "table", "path": "data.csv", "schema": {"fields": fields, "primaryKey": [key]}}]}


def add(catalogue):
    """Puts them into a catalogue's folder."""
    closed = [field("pilihan", "string", constraints={"enum": VALUES}), field("kelas", "integer", categories=[{"value": 1, "label": "*/ \"satu\""}, {"value": 2, "label": "dua"}]),
              field("desimal", "number", constraints={"enum": ["1.5", "2"]}), field("wajib", "date", constraints={"required": True, "enum": ["2024-01-01", "2024-02-01"]})]
    # "item" hints at list's item type
    fields = [field(name, type_, **({"constraints": {"required": True, "unique": True}} if name == "kunci" else {})) for name, type_ in FIELDS] + closed
    write(catalogue, "aneh", package("aneh", fields, "kunci"), [f["name"] for f in fields], {"kunci": "k1", "wajib": "2024-01-01"})
    for slug in SLUGS:
        write(catalogue, slug, package(slug, [field("kunci", "string", constraints={"required": True}), field("class", "string")], "kunci"), ["kunci", "class"], {"kunci": "k"})


def write(catalogue, slug, document, names, values):
    folder = catalogue / slug
    folder.mkdir()
    (folder / "dataset.json").write_text(json.dumps(document))
    quoted = ",".join('"' + n.replace('"', '""') + '"' for n in names)
    (folder / "data.csv").write_text(f"{quoted}\r\n{','.join(values.get(n, '') for n in names)}\r\n", newline="")
