"""Frictionless's own validation tests (mined from the upstream sources with their CSV files): the same errors at the same places.

Each test becomes a dataset with the descriptor that the upstream test means. Upstream infers a schema where a test has none; we
never infer, so TABLES says what inference gives for each file. Every test is compared, or stands in OUT_OF_SCOPE with its reason;
what is compared and differs stands in DIFFERENCES with our result and its reason, and fails as soon as our result is another one,
also when it becomes equal. RULES are the differences that are the same in many tests."""
import collections
import csv
import json
import re
import shutil
import unittest

import odp

SUITE = "csv/frictionless"

# What upstream infers for each file: fields in order, and what else the descriptor needs.
TABLES = {
    "ascii.csv": "A:integer B:integer C:integer",
    "ascii-notvalid.csv": "A:integer B:string C:string",
    "blank-cells.csv": "id:integer name:string",
    "blank-headers.csv": ("id:integer age:integer", {"schema": {"fieldsMatch": ["subset"]}}),
    "blank-rows.csv": "id:integer name:string age:integer",
    "blank-rows-multiple.csv": "id:integer name:string age:integer",
    "defective-rows.csv": "id:integer name:string age:integer",
    "delimiter.csv": "id:integer name:string",
    "duplicate-column.csv": "A:string B:string C:string",
    "duplicate-headers.csv": ("id:string name:string age:integer", {"schema": {"fieldsMatch": ["subset"]}}),
    "duplicate-rows.csv": "id:integer name:string age:integer",
    "empty.csv": "id:integer",
    "encoding-issue-274.csv": "*",
    "invalid.csv": ("id:integer name:string", {"schema": {"fieldsMatch": ["subset"]}}),
    "issue-1066-largecellsize.csv": "Description:string status:string",
    "issue-1066-smallcellsize.csv": "Description:string status:string",
    "issue-811.csv": ("*", {"dialect": {"delimiter": ";"}, "encoding": "windows-1252"}),
    "issue-833.csv": "id:number value:array",
    "latin1.csv": "id:integer name:string",
    "matrix.csv": "f1:integer f2:integer f3:integer f4:integer",
    "nested-invalid.csv": "id:integer cat:integer name:string",
    "structure-errors.csv": "id:integer name:string age:integer",
    "sync-schema.csv": "name:string id:integer",
    "table.csv": "id:integer name:string",
    "table-limits.csv": ("field1:integer field2:integer field3:integer field4:integer", {"dialect": {"skipInitialSpace": True}}),
    "unique-field.csv": "id:string name:string slug:string",
    "without-headers.csv": "field1:integer field2:string",
    "without-headers-extra.csv": "field1:integer field2:string",
    "without-rows.csv": "id:string name:string",
}

PARTIAL = {"schema": {"fieldsMatch": ["partial"]}}
KEY = {"schema": {"primaryKey": ["id"], "fields": [{"name": "id", "type": "string", "constraints": {"unique": True}},
                                                   {"name": "name", "type": "string"}, {"name": "slug", "type": "string"}]}}
ASCII = {"schema": {"fields": [{"name": n, "type": "string", "constraints": {"pattern": "[\\x00-\\x7f]*"}} for n in "ABC"]}}
# Upstream picks errors; here a row with the wrong number of cells cannot be let pass, so those are left out of what is compared.
PICK_HEADER, PICK_BLANK = {"blank-row": "off"}, {"duplicate-label": "off"}
PICKED = ("pick_errors", "bound_checklist", "pick_errors_tags")

# What a test says beside its file: members of the resource (None: a different field list), by the test's name.
SETUPS = {
    "test_validate_baseline_stats_hash": {"hash": "sha256:a1fd6c5ff3494f697874deeb07f69f8667e903dd94a7bc062dd57550cea26da8"},
    "test_validate_baseline_stats_bytes": {"bytes": 30},
    "test_validate_baseline_stats_bytes_invalid": {"bytes": 40},
    "test_resource_validate_stats_hash": {"hash": "sha256:a1fd6c5ff3494f697874deeb07f69f8667e903dd94a7bc062dd57550cea26da8"},
    "test_resource_validate_stats_bytes": {"bytes": 30},
    "test_resource_validate_stats_bytes_invalid": {"bytes": 40},
    "test_validate_ascii_value_845": ASCII,
    "test_validate_ascii_value_descriptor_845": ASCII,
    "test_validate_ascii_not_valid_845": ASCII,
    "test_validate_forbidden_value": {"odp:rules": [{"code": "forbidden", "expr": "id NOT IN (2)", "message": "forbidden"}]},
    "test_validate_duplicate_row": {"odp:severity": {"duplicate-row": "error"}},
    "test_validate_duplicate_row_valid": {"odp:severity": {"duplicate-row": "error"}},
    "test_resource_validate_pick_errors": {"odp:severity": PICK_BLANK},
    "test_resource_validate_bound_checklist": {"odp:severity": PICK_BLANK},
    "test_resource_validate_pick_errors_tags": {"odp:severity": PICK_HEADER},
    "test_resource_validate_skip_errors": {"odp:severity": {"blank-label": "off", "blank-row": "off"}},
    "test_resource_validate_skip_errors_tags": {"odp:severity": {"blank-label": "off", "duplicate-label": "off"}},
    "test_resource_validate_fails_with_wrong_encoding_issue_274": {"encoding": "utf-8"},
    "test_resource_validate_encoding": {"encoding": "utf-8"},
    "test_resource_validate_encoding_invalid": {"encoding": "utf-8"},
    "test_resource_validate_format": {"format": "csv"},
    "test_resource_validate_detector_sync_schema": dict(PARTIAL, fields="id:integer name:string"),
    "test_validate_resource_duplicate_labels_with_sync_schema_issue_910": PARTIAL,
    "test_resource_validate_resource_duplicate_labels_with_sync_schema_issue_910": PARTIAL,
    "test_resource_schema_sync_on_an_inferred_schema_is_deprecated": PARTIAL,
    "test_resource_fields_match_without_schema_sync_needs_no_detector":
        {"fields": "name:any", "schema": {"fieldsMatch": ["subset"]}},
    "test_resource_validate_detector_patch_schema": {"schema": {"missingValues": ["-"]}},
    "test_resource_validate_detector_patch_schema_fields": {"fields": "id:string name:string", "schema": {"missingValues": ["-"]}},
    "test_resource_validate_detector_infer_type_string": {"fields": "id:string name:string"},
    "test_resource_validate_detector_infer_type_any": {"fields": "id:any name:any"},
    "test_resource_validate_detector_infer_names": {"fields": "id:integer name:string", "dialect": {"header": False}},
    "test_resource_validate_dialect_header_false": {"dialect": {"header": False}},
    "test_resource_validate_dialect_none_extra_cell": {"dialect": {"header": False}},
    "test_resource_validate_dialect_delimiter": {"dialect": {"delimiter": ";"}},
    "test_resource_validate_dialect_number": {"fields": "11:integer 12:integer 13:integer 14:integer", "dialect": {"headerRows": [2]}},
    "test_resource_validate_dialect_list_of_numbers":
        {"fields": ["11 21 31", "12 22 32", "13 23 33", "14 24 34"], "dialect": {"headerRows": [2, 3, 4]}},
    "test_resource_validate_dialect_list_of_numbers_and_headers_join":
        {"fields": ["11.21.31", "12.22.32", "13.23.33", "14.24.34"], "dialect": {"headerRows": [2, 3, 4], "headerJoin": "."}},
    "test_resource_validate_dialect_skip_rows": {"dialect": {"commentChar": "41", "commentRows": [2]}},
    "test_resource_validate_schema_extra_headers_and_cells": {"fields": "id:integer"},
    "test_resource_validate_less_actual_fields_with_required_constraint_issue_950":
        {"schema": {"fields": [{"name": "id", "type": "integer"}, {"name": "name", "type": "string"},
                               {"name": "bad", "type": "any", "constraints": {"required": True}}]}},
    "test_resource_validate_schema_unique_error": dict(KEY, **{"odp:severity": {"primary-key": "off"}}),
    "test_resource_validate_schema_primary_key_error": dict(KEY, **{"odp:severity": {"constraint-unique": "off"}}),
    "test_resource_validate_schema_primary_key_and_unique_error": KEY,
    "test_resource_schema_foreign_keys_invalid":
        {"schema": {"primaryKey": ["id"], "foreignKeys": [{"fields": ["cat"], "reference": {"fields": ["id"]}}]}},
    "test_resource_validate_schema_invalid_json": {"schema": "invalid.json"},
    "test_validate_required_invalid": {"table": "table.csv", "schema_file": "schema-invalid.json"},
    "test_validate_file_set_default_field_type_if_missing":
        {"table": "sync-schema.csv", "schema_file": "invalid-schema.json"},
    "schema/__spec__/test_validate.py::test_validate": {"table": "table.csv", "schema_file": "schema.json"},
}

# The mined data say "valid" of a test that asserts about its rows, or nothing at all: what its source says.
SAID_IN_SOURCE = {
    "test_resource_schema_foreign_keys_invalid": [[6, None, "foreign-key"]],
}

SKIP = [  # (reason, tests by name, or by file)
    ("the file is not among the mined files", r"issue-1066\.csv"),
    ("a spreadsheet, JSON or a zip archive as the source: sources are CSV files and shapefiles", r"\.(xlsx|zip|json) table|\.xlsx|"
     r"(table|without-rows)\.csv\.zip|package(-invalid)?\.zip|data/table\.json|test_package_validate_parallel_from_dict$"),
    ("a file that is no table", r"table\.bad"),
    ("a check for cells of unusual length: upstream's statistics, no rule of ours",
     r"test_validate_deviated_cell_(large|small)_cell_size_with_deviation"),
    ("a number of rows or fields is no property of Data Package v2",
     r"test_validate_table_dimensions_.*(num_rows|min_rows|max_rows|num_fields|min_fields|max_fields)(_wrong)?(_declarative)?$|_stats_rows_invalid"),
    ("a check written in Python", r"test_resource_validate_custom_check"),
    ("upstream stops after n errors; every fault is counted here, and --examples is a limit for each group",
     r"_limit_errors"),
    ("a source on another machine", r"test_package_validate_uppercase_format_issue_494|test_s3"),
    ("a path of several files", r"issue_991"),
    ("transformations of upstream's library", r"test_step_"),
    ("several tables in one validation object of upstream's", r"test_inquiry_with_task_class"),
]

# test: (reason, our result)
UNIQUE_LABELS = ("upstream refuses to match by name at all; the second column of a name is told where it is", [["duplicate-label"]])
DIFFERENCES = {
    "test_validate_resource_duplicate_labels_with_sync_schema_issue_910": UNIQUE_LABELS,
    "test_resource_validate_resource_duplicate_labels_with_sync_schema_issue_910": UNIQUE_LABELS,
    "test_resource_validate_dialect_skip_rows":
        ("commentChar is one character (Table Dialect v2, commentChar); upstream takes a text", [[1, None, None, "metadata-error"]]),
    "test_resource_validate_schema_primary_key_and_unique_error":
        ("the same field as key and unique is one fault, told as the key's", [[1, 10, None, "primary-key"]]),
}

TYPES = {"ODP-H02": "blank-label", "ODP-H03": "duplicate-label", "ODP-H04": "missing-label", "ODP-H05": "extra-label",
         "ODP-H06": "incorrect-label", "ODP-R01": "blank-row", "ODP-R02": "missing-cell", "ODP-R03": "extra-cell",
         "ODP-B02": "unique-error", "ODP-K01": "primary-key", "ODP-K05": "primary-key", "ODP-K02": "foreign-key",
         "ODP-L01": "row-constraint", "ODP-K06": "duplicate-row", "ODP-E01": "encoding-error", "ODP-F05": "byte-count",
         "ODP-F06": "hash-count", "ODP-F04": "source-error"}
LETTERS = {"T": "type-error", "B": "constraint-error", "C": "metadata-error"}
METADATA = {"package-error", "resource-error", "schema-error", "field-error"}
ROWS_ONLY = {"blank-row", "primary-key", "foreign-key", "duplicate-row"}
CHECKS = {"test_validate_ascii_not_valid_845": ("constraint-error", "ascii-value"),
          "test_validate_forbidden_value": ("row-constraint", "forbidden-value")}


def one_a_ragged_row(errors):
    """A row with the wrong number of cells is one fault, told at the first cell that is missing or too many."""
    seen, kept = set(), []
    for e in errors:
        key = (*e[:-2], e[-1])
        if e[-1] not in ("missing-cell", "extra-cell") or key not in seen:
            kept.append(e)
        seen.add(key)
    return kept


def blank_row_is_no_record(errors):
    """A blank row is told once; it is not also a record without a key."""
    blank = {tuple(e[:-2]) for e in errors if e[-1] == "blank-row"}
    return [e for e in errors if e[-1] == "blank-row" or tuple(e[:-2]) not in blank]


def column_told_at_its_label(errors):
    """A column that is missing or not in the schema is told at the header, not again in every row."""
    columns = {e[-2] for e in errors if e[-1] in ("missing-label", "extra-label")}
    return [e for e in errors if e[-3] is None or e[-2] not in columns]


RULES = [one_a_ragged_row, blank_row_is_no_record, column_told_at_its_label]


def short(test):
    return test["test"].rsplit("::", 1)[1]


def lookup(table, test):
    """The entry for the test's name, or for the end of its full name where the name alone is not unique."""
    for key, value in table.items():
        if key == short(test) or ("::" in key and test["test"].endswith(key)):
            return value
    return None


def skip_reason(test):
    for reason, pattern in SKIP:
        if re.search(pattern, test["file"]) or re.search(pattern, short(test)):
            return reason
    return None


def fields_of(spec, path, options):
    if spec == "*":  # every label of the file, as text
        with open(path, newline="", encoding=options.get("encoding", "utf-8")) as f:
            spec = next(csv.reader(f, delimiter=options.get("dialect", {}).get("delimiter", ",")))
        return [{"name": f"f{i}", "odp:sourceName": label, "type": "string"} for i, label in enumerate(spec)]
    if isinstance(spec, list):
        return [{"name": n, "type": "integer"} for n in spec]
    return [dict(zip(("name", "type"), f.rsplit(":", 1))) for f in spec.split()]


class Frictionless(odp.Case):
    @classmethod
    def setUpClass(cls):
        cls.tests = []
        path = odp.SHARED / SUITE / "expected_from_upstream_tests.json"
        if path.exists():
            cls.tests = json.loads(path.read_text(encoding="utf-8"))

    def setUp(self):
        super().setUp()
        self.folder = self.needs(SUITE) / "data"

    # -- a dataset from a test -----------------------------------------------------------------------------------------------
    def resource(self, test, target):
        setup = dict(lookup(SETUPS, test) or {})
        name = setup.pop("table", test["file"].removeprefix("data/"))
        spec = TABLES[name]
        spec, common = spec if isinstance(spec, tuple) else (spec, {})
        common = json.loads(json.dumps(common))
        shutil.copy(self.folder / name, target / "table.csv")
        schema = setup.pop("schema", {})
        options = {**common, **setup}
        fields = fields_of(options.pop("fields", spec), self.folder / name, options)
        given = options.pop("schema_file", None)
        if given:
            schema = json.loads((self.folder / given).read_text())
        if isinstance(schema, dict):
            schema = {"fields": fields, **common.get("schema", {}), **schema}
        return {"name": "t", "type": "table", "path": "table.csv", **options, "schema": schema}

    def package(self, test, target):
        """The descriptor of the test, with the files it names beside it."""
        source = self.folder / test["file"].removeprefix("data/")
        if source.suffix == ".json" and "schema" not in source.name:
            if source.name == "invalid.json":
                return source.read_text()
            found = json.loads(source.read_text())
            if short(test).endswith("single_resource_issue_221"):
                found["resources"] = [r for r in found["resources"] if r["name"] == "number-two"]
            resources = found.get("resources", [found])
            for r in resources:
                r["type"] = "table"
                if "schema" not in r:
                    r["schema"] = {"fields": fields_of("*", source.parent / r["path"], {})}
                (target / r["path"]).parent.mkdir(parents=True, exist_ok=True)
                if (source.parent / r["path"]).exists():
                    shutil.copy(source.parent / r["path"], target / r["path"])
            more = {k: found[k] for k in ("created",) if k in found}
        else:
            resources, more = [self.resource(test, target)], {}
        return json.dumps({"name": "t", "title": "t", "odp:formats": ["JSON"], "odp:lastUpdate": "2024-01-01", **more,
                           "resources": resources})

    # -- our result in upstream's words --------------------------------------------------------------------------------------
    def ours(self, test):
        for child in self.dir.iterdir():
            shutil.rmtree(child)
        self.catalogue(references=False)
        target = self.dir / "catalog" / "t"
        target.mkdir()
        text = self.package(test, target)
        (target / "dataset.json").write_text(text)
        report = self.report("check", expect=None)
        package = json.loads(text) if short(test) != "test_validate_package_invalid_json_issue_192" else {"resources": []}
        errors = [self.translate(test, d, package) for d in report["diagnostics"] if d["severity"] == "error"]
        picked = short(test).endswith(PICKED)
        return [e for e in errors if not picked or e[-1] not in ("missing-cell", "extra-cell")]

    def translate(self, test, d, package):
        kind = TYPES.get(d["code"]) or LETTERS.get(d["code"][4], d["code"])
        names = [r["name"] for r in package["resources"]]
        resource = package["resources"][names.index(d["resource"])] if d["resource"] in names else {}
        column = None
        if kind == "missing-label":
            column = [f["name"] for f in resource["schema"]["fields"]].index(d["field"]) + 1
        elif d["column"] and kind not in ROWS_ONLY and d["code"][4] not in "CEF":
            encoding = resource.get("encoding", "utf-8")
            line = (self.dir / d["file"]).read_bytes().decode(encoding).splitlines()[d["line"] - 1]
            column = line[:d["column"] - 1].count(resource.get("dialect", {}).get("delimiter", ",")) + 1
            column += kind == "missing-cell"  # the place is the row's end; upstream counts the cell that is not there
        row = d["line"] if d["code"][4] in "RTBKL" else None
        kind = kind if CHECKS.get(short(test), ("",))[0] != kind else CHECKS[short(test)][1]
        return [names.index(d["resource"]) + 1 if d["resource"] in names else None, row, column, kind]

    @staticmethod
    def theirs(test):
        """[[task, row, field, type]], where the test gives them; only the type else; None: at least one error."""
        said = lookup(SAID_IN_SOURCE, test)
        if said is not None:
            return [[1, *e] for e in said], 4
        if not test["errors"]:
            return (None if test["valid"] is False else []), 4
        block = test["errors"][0]
        errors = [["metadata-error" if v in METADATA else v for v in e] for e in block["expected"]]
        if block["fields"][0] == "type":
            return [[e[0]] for e in errors], 1
        return [[1, *e] if block["fields"][0] == "rowNumber" else e for e in errors], 4

    # -- the suite -----------------------------------------------------------------------------------------------------------
    def test_suite(self):
        count, skipped, used = collections.Counter(), collections.Counter(), collections.Counter()
        for test in self.tests:
            name = test["test"].removeprefix("frictionless/")
            with self.subTest(name):
                expected, depth = self.theirs(test)
                if skip_reason(test):
                    skipped[skip_reason(test)] += 1
                    continue
                count["run"] += 1
                if expected:
                    for rule in RULES if depth == 4 else []:
                        kept = rule(expected)
                        used[rule.__name__] += kept != expected
                        expected = kept
                got = [e[-depth:] for e in self.ours(test)]
                difference = lookup(DIFFERENCES, test)
                equal = bool(got) if expected is None else sorted(map(str, got)) == sorted(map(str, expected))
                if difference is None:
                    self.assertTrue(equal, f"\n  theirs {expected}\n  ours   {got}")
                    count["equal"] += 1
                else:
                    self.assertFalse(equal, "stands in DIFFERENCES and no longer differs")
                    self.assertEqual(sorted(map(str, got)), sorted(map(str, difference[1])), difference[0])
                    count["differ"] += 1
        print(f"\n{len(self.tests)} tests: {count['run']} run, {count['equal']} equal, {count['differ']} differ, "
              f"{sum(skipped.values())} out of scope")
        for test, (reason, _) in DIFFERENCES.items():
            print(f"  differs: {test}: {reason}")
        for reason, n in skipped.items():
            print(f"  {n:3} out of scope: {reason}")
        for rule in RULES:
            self.assertTrue(used[rule.__name__], f"rule {rule.__name__} applies to no test")
            print(f"  {used[rule.__name__]:3} by rule: {rule.__doc__}")
        self.assertEqual({reason for reason, _ in SKIP} - set(skipped), set(), "reasons that no test needs")

    def test_tables_are_used(self):
        """No entry for a test or a file that is not there."""
        names = {short(t) for t in self.tests}
        full = [t["test"] for t in self.tests]
        for key in [*SETUPS, *DIFFERENCES, *SAID_IN_SOURCE]:
            self.assertTrue(key in names or any(t.endswith(key) for t in full if "::" in key), key)
        for name in TABLES:
            self.assertTrue((self.folder / name).exists(), name)


if __name__ == "__main__":
    unittest.main()
