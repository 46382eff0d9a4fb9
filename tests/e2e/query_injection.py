"""Texts that were made to break out of SQL, of FTS5's language or of CQL2: whatever parameter carries them, a query finds exactly the records that have the text, or
is refused with a sentence; and no byte of the index changes. The big list of naughty strings where it is there, and a list of our own always."""
import hashlib
import json
import os
import subprocess
import urllib.parse

import odp

TOOL = os.path.join(os.environ["ODP_BINARY_DIR"], "tests", "query_tool")
OWN = ["' OR '1'='1", "'; DROP TABLE data; --", "\" OR \"\"=\"", "1; ATTACH DATABASE 'x' AS y", "x' UNION SELECT sql FROM sqlite_master --", "') OR 1=1 --",
       "\\' OR 1=1 --", "'/**/OR/**/1=1", "a' AND (SELECT count(*) FROM meta) > 0 AND 'a'='a", "load_extension('x')", "c0 = c1", "?", "?1", ":a", "@a", "$a", "%", "_%",
       "data MATCH 'x'", "NEAR(a b, 2)", "a OR b", "NOT a", "{c0}: a", "c0 : a", "^a", "a* OR b*", "\"", "\"\"", "(", ")", "'", "''", "\\", "*", "-", "+", "AND",
       "DATE('2024-01-01')", "CASEI(nama)", "TRUE", "NULL", "1 OR 1=1", "nama", "randomblob(1000000000)", "printf('%99999999d', 1)", "x'41'", "--", "/*", ";",
       "..%2f", "<script>alert(1)</script>", "${7*7}", "{{7*7}}", "\u202e", "İ", "ﬀ", "e\u0301", "😀"]


class Injection(odp.Case):
    def setUp(self):
        super().setUp()
        suite = odp.SHARED / "csv/blns/blns.json"
        known = json.loads(suite.read_text()) if suite.exists() else []
        plain = {s for s in OWN + known if s.strip() and all(c >= " " and c != "\x7f" for c in s) and "\ufffd" not in s}
        self.texts = sorted(s for s in plain if not any(0x7f <= ord(c) < 0xa0 for c in s))
        self.catalogue(references=False)
        rows = "id,nama,nilai\n" + "".join(f'{i},"{t.replace(chr(34), chr(34) * 2)}",{i}\n' for i, t in enumerate(self.texts))
        fields = [{"name": "id", "type": "integer"}, {"name": "nama", "type": "string", "odp:privacy": ["nik", "npwp", "phone", "email"]},
                  {"name": "nilai", "type": "number"}]
        off = {"odp:severity": {"spreadsheet-error": "off", "spreadsheet-hashes": "off", "spreadsheet-scientific": "off"}}
        self.dataset("nakal", rows, fields, resource={"schema": {"primaryKey": ["id"]}, **off})
        self.odp("build", "--out", "site")
        (self.index,) = (self.dir / "site" / "search" / "nakal").rglob("*.sqlite")
        self.before = hashlib.sha256(self.index.read_bytes()).hexdigest()

    def ask(self, questions):
        """Answers to QUESTIONS (dictionaries of parameters): a document, or the line of a refusal."""
        text = "".join("envelope\t" + urllib.parse.urlencode(q) + "\n" for q in questions)
        done = subprocess.run([TOOL, str(self.index)], input=text.encode(), capture_output=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr.decode()[-3000:])
        out, answers = done.stdout, []
        for _ in questions:
            line, _, out = out.partition(b"\n")
            if line.startswith(b"ok "):
                size = int(line.split()[1])
                answers.append(json.loads(out[:size]))
                out = out[size + 1:]
            else:
                self.assertTrue(line.startswith(b"bad "), line)
                answers.append(line.decode())
        self.assertEqual(out, b"")
        return answers

    def tearDown(self):
        self.assertEqual(hashlib.sha256(self.index.read_bytes()).hexdigest(), self.before, "the index has changed")
        super().tearDown()

    def ids(self, answer):
        self.assertIsInstance(answer, dict, answer)
        return [r["id"] for r in answer["data"]]

    def test_as_values_each_finds_itself(self):
        escaped = [t.replace("\\", "\\\\").replace("'", "''") for t in self.texts]
        forms = {"filter": [{"filter": f"nama = '{t}'"} for t in escaped],
                 "in": [{"filter": f"nama IN ('{t}', 'tak ada')"} for t in escaped],
                 "json": [{"filter": json.dumps({"op": "=", "args": [{"property": "nama"}, t]}), "filter-lang": "cql2-json"} for t in self.texts]}
        for name, questions in forms.items():
            for i, (text, answer) in enumerate(zip(self.texts, self.ask(questions))):
                self.assertEqual(self.ids(answer), [i], f"{name}: {text!r}")

    def test_as_equality_parameter(self):
        plain = [t for t in self.texts if "," not in t]
        for text, answer in zip(plain, self.ask([{"nama": t} for t in plain])):
            self.assertEqual(self.ids(answer), [self.texts.index(text)], repr(text))

    def test_as_words_numbers_names_and_filters_they_are_found_or_refused(self):
        everything = len(self.texts)
        for parameter in ("q", "filter", "nilai", "sortby", "properties", "bbox", "datetime", "cursor", "limit", "facets", "aggregate", "groupby", "view", "filter-crs",
                          "filter-lang", "offset"):
            for text, answer in zip(self.texts, self.ask([{parameter: t} for t in self.texts])):
                if isinstance(answer, str):
                    self.assertRegex(answer, r"^bad [a-z-]+ .*[a-z]{3}", (parameter, text))
                elif parameter == "q":
                    self.assertLess(answer["meta"]["total"], everything, text)
                elif parameter == "filter":
                    self.assertIn(text.upper(), ("TRUE", "FALSE"), "this is a filter")

    def test_as_names_of_parameters(self):
        for text, answer in zip(self.texts, self.ask([{t: "1"} for t in self.texts])):
            if text not in ("nama", "nilai", "id"):
                self.assertRegex(answer if isinstance(answer, str) else "", r"^bad parameter-unknown ", repr(text))


if __name__ == "__main__":
    odp.main()
