"""Printed documents (PDF) read by their structure: the tree of tags, and the text that belongs to each, straight out of the page's content
streams. qpdf takes the file apart; what the text means is decided here, so it is a reader beside poppler's."""
import base64
import json
import re
import subprocess

TOKEN = re.compile(rb"""[\x00\t\n\x0c\r ]+|%[^\r\n]*|(?P<hex><[0-9A-Fa-f\s]*>)|(?P<open><<|\[)|(?P<close>>>|\])|(?P<string>\()|(?P<name>/[^\x00\t\n\x0c\r ()<>\[\]{}/%]*)
|(?P<number>[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))(?=[\x00\t\n\x0c\r ()<>\[\]{}/%]|$)|(?P<word>[^\x00\t\n\x0c\r ()<>\[\]{}/%]+)""", re.X)
ESCAPES = {ord("n"): 10, ord("r"): 13, ord("t"): 9, ord("b"): 8, ord("f"): 12}


def run(*command, check=True):
    done = subprocess.run([str(c) for c in command], capture_output=True)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-2000:].decode(errors='replace')}")
    return done.stdout


def literal_string(data, at):
    """(bytes, where it ends) of a string whose '(' stands before AT."""
    out, depth = bytearray(), 1
    while True:
        c = data[at]
        at += 1
        if c == 0x5C:
            c = data[at]
            at += 1
            if c in b"01234567":
                octal = re.match(rb"[0-7]{1,3}", data[at - 1:at + 2]).group()
                out.append(int(octal, 8) & 255)
                at += len(octal) - 1
            elif c in b"\r\n":
                at += data[at - 1:at + 1] == b"\r\n"
            else:
                out.append(ESCAPES.get(c, c))
        elif c == 0x28:
            depth += 1
            out.append(c)
        elif c == 0x29:
            depth -= 1
            if depth == 0:
                return bytes(out), at
            out.append(c)
        else:
            out.append(c)


def tokens(data):
    """(kind, value) of a content stream: operands come before their operator; dictionaries and arrays as Python's."""
    at, stack = 0, []
    current = top = []
    while at < len(data):
        m = TOKEN.match(data, at)
        assert m is not None, data[at:at + 40]
        at = m.end()
        kind = m.lastgroup
        if kind is None:
            continue
        text = m.group(kind)
        if kind == "open":
            stack.append((current, text))
            current = []
            continue
        if kind == "close":
            inner, (current, opened) = current, stack.pop()
            current.append(dict(zip(inner[::2], inner[1::2])) if opened == b"<<" else inner)
        elif kind == "string":
            value, at = literal_string(data, at)
            current.append(value)
        elif kind == "hex":
            digits = re.sub(rb"\s", b"", text[1:-1])
            current.append(bytes.fromhex((digits + b"0" * (len(digits) % 2)).decode()))
        elif kind == "name":
            current.append(text.decode("latin-1"))
        elif kind == "number":
            current.append(float(text))
        elif stack:
            current.append(text.decode("latin-1"))
        else:
            operands = list(top)
            top.clear()
            yield text.decode("latin-1"), operands


class Font:
    """Codes of a font to text, by its ToUnicode map; a simple font without one is WinAnsi."""

    def __init__(self, pdf, font):
        font = pdf.get(font)
        self.wide = font["/Subtype"] == "/Type0"
        self.map = None
        if "/ToUnicode" in font:
            self.map = {}
            data = pdf.stream(font["/ToUnicode"])
            for block in re.findall(rb"beginbfchar(.*?)endbfchar", data, re.S):
                for code, text in re.findall(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f\s]+)>", block):
                    self.map[int(code, 16)] = bytes.fromhex(text.decode()).decode("utf-16-be")
            for block in re.findall(rb"beginbfrange(.*?)endbfrange", data, re.S):
                for first, last, text in re.findall(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>", block):
                    base = bytes.fromhex(text.decode()).decode("utf-16-be")
                    for n, code in enumerate(range(int(first, 16), int(last, 16) + 1)):
                        self.map[code] = base[:-1] + chr(ord(base[-1]) + n)
        assert self.map is not None or not self.wide, "a composite font without ToUnicode"

    def text(self, data):
        if self.map is None:
            return data.decode("cp1252", "replace")
        step = 2 if self.wide else 1
        return "".join(self.map.get(int.from_bytes(data[i:i + step], "big"), "\ufffd") for i in range(0, len(data), step))


class Element:
    """An element of the structure tree. kids: elements, or (page, mcid)."""

    def __init__(self, pdf, node, parent):
        self.pdf, self.node, self.parent, self.kids = pdf, node, parent, []
        self.type = node.get("/S", "/Root")[1:]

    def walk(self):
        for kid in self.kids:
            if isinstance(kid, Element):
                yield kid
                yield from kid.walk()

    def find(self, *types):
        return [e for e in self.walk() if e.type in types]

    def children(self, *types):
        return [e for e in self.kids if isinstance(e, Element) and (not types or e.type in types)]

    def text(self):
        """All text below it, in order."""
        return "".join(kid.text() if isinstance(kid, Element) else self.pdf.marked(*kid) for kid in self.kids)

    def pages(self):
        """Numbers of the pages, from 1, that it has content on."""
        own = {self.pdf.page_numbers[kid[0]] for kid in self.kids if not isinstance(kid, Element)}
        return sorted(own.union(*(kid.pages() for kid in self.kids if isinstance(kid, Element))))

    def __repr__(self):
        return f"<{self.type} {len(self.kids)}>"


class Document:
    def __init__(self, path):
        self.path = path
        answer = json.loads(run("qpdf", "--json=2", "--json-stream-data=inline", "--decode-level=generalized", "--json-key=qpdf", "--json-key=pages",
                                "--json-key=outlines", path))
        self.objects = answer["qpdf"][1]
        self.outlines = answer.get("outlines", [])
        self.trailer = self.objects["trailer"]["value"]
        self.catalog = self.get(self.trailer["/Root"])
        self.info = self.get(self.trailer.get("/Info"), {})
        self.page_list = [p["object"] for p in answer["pages"]]
        self.page_numbers = {p: n for n, p in enumerate(self.page_list, 1)}
        self.texts, self.fonts, self.owned = {}, {}, None
        self.root = self.tree()

    def get(self, value, default=None):
        """What a reference stands for; other values are themselves."""
        while isinstance(value, str) and re.fullmatch(r"[0-9]+ [0-9]+ R", value):
            entry = self.objects["obj:" + value]
            value = entry["value"] if "value" in entry else entry["stream"]["dict"]
        return default if value is None else value

    def stream(self, reference):
        return base64.b64decode(self.objects["obj:" + reference]["stream"]["data"])

    def string(self, value):
        """A text string of qpdf's JSON: "u:…" or "b:…"."""
        value = self.get(value)
        if value is None:
            return None
        return value[2:] if value.startswith("u:") else bytes.fromhex(value[2:]).decode("latin-1")

    def tree(self):
        top = self.get(self.catalog.get("/StructTreeRoot"))
        root = Element(self, top or {}, None)
        todo = [(root, top, None)] if top else []
        while todo:  # breadth is large, depth is not; still no recursion on hostile input
            element, node, page = todo.pop()
            page = node.get("/Pg", page)
            kids = self.get(node.get("/K"), [])
            for kid in kids if isinstance(kids, list) else [kids]:
                if isinstance(kid, int):
                    element.kids.append((page, kid))
                    continue
                kid = self.get(kid)
                if kid.get("/Type") == "/MCR":
                    element.kids.append((kid.get("/Pg", page), kid["/MCID"]))
                elif kid.get("/Type") != "/OBJR":
                    child = Element(self, kid, element)
                    element.kids.append(child)
                    todo.append((child, kid, page))
        return root

    def marked(self, page, mcid):
        if page not in self.texts:
            self.texts[page] = self.read_page(page)
        return self.texts[page].get(mcid, "")

    def untagged(self, page):
        """Text of page N (from 1) that belongs to no element: running head and foot."""
        at = self.page_list[page - 1]
        self.marked(at, -1)
        if self.owned is None:
            self.owned = {kid for e in self.root.walk() for kid in e.kids if not isinstance(kid, Element)}
        return "".join(text for mcid, text in self.texts[at].items() if (at, mcid) not in self.owned)

    def read_page(self, page):
        node = self.get(page)
        contents = node.get("/Contents", [])
        data = b"\n".join(self.stream(c) for c in (self.get(contents) if isinstance(self.get(contents), list) else [contents]))
        return self.read_content(data, self.get(node.get("/Resources"), {}))

    def font(self, resources, name):
        reference = self.get(resources.get("/Font"), {})[name]
        if reference not in self.fonts:
            self.fonts[reference] = Font(self, reference)
        return self.fonts[reference]

    def read_content(self, data, resources):
        """{mcid: text}; None: outside of any. ActualText stands for what it encloses."""
        found, stack, saved, font = {}, [], [], None

        def put(text):
            if any(actual for _, actual in stack):
                return
            mcid = next((m for m, _ in reversed(stack) if m is not None), None)
            found[mcid] = found.get(mcid, "") + text

        for operator, operands in tokens(data):
            if operator in ("BDC", "BMC"):
                properties = operands[1] if operator == "BDC" else {}
                if isinstance(properties, str):
                    properties = self.get(self.get(resources["/Properties"])[properties])
                actual = properties.get("/ActualText")
                if actual is not None:
                    put(actual[2:].decode("utf-16-be") if actual.startswith(b"\xfe\xff") else actual.decode("latin-1"))
                mcid = properties.get("/MCID")
                stack.append((int(mcid) if mcid is not None else None, actual is not None))
            elif operator == "EMC":
                stack.pop()
            elif operator == "q":
                saved.append(font)
            elif operator == "Q":
                font = saved.pop()
            elif operator == "Tf":
                font = self.font(resources, operands[0])
            elif operator in ("Tj", "'", '"'):
                put(font.text(operands[-1]))
            elif operator == "TJ":
                for part in operands[0]:
                    if isinstance(part, bytes):
                        put(font.text(part))
            elif operator == "Do":
                reference = self.get(resources.get("/XObject"), {})[operands[0]]
                form = self.get(reference)
                if form.get("/Subtype") == "/Form":
                    for mcid, text in self.read_content(self.stream(reference), self.get(form.get("/Resources"), resources)).items():
                        assert mcid is None
                        put(text)
        assert not stack, "marked content is not balanced"
        return found

    def names(self):
        """Every name that stands in a dictionary or array of the file, as key or as value."""
        found, todo = set(), [e.get("value", e.get("stream", {}).get("dict")) for e in self.objects.values()]
        while todo:
            value = todo.pop()
            if isinstance(value, dict):
                found.update(value)
                todo += value.values()
            elif isinstance(value, list):
                todo += value
            elif isinstance(value, str) and value.startswith("/"):
                found.add(value)
        return found

    def annotations(self):
        """(page's number, annotation) of all pages."""
        for page, n in self.page_numbers.items():
            for a in self.get(self.get(page).get("/Annots"), []):
                yield n, self.get(a)

    def uris(self):
        """(page's number, address) of all links to addresses."""
        for n, a in self.annotations():
            action = self.get(a.get("/A"), {})
            if action.get("/S") == "/URI":
                yield n, self.string(action["/URI"])

    def metadata(self):
        """The XMP packet, as text."""
        return self.stream(self.catalog["/Metadata"]).decode() if "/Metadata" in self.catalog else ""


def words(path, first=None, last=None):
    """[(page's width, height, [(x0, y0, x1, y1, word)])] as poppler places them."""
    import html
    span = [*(("-f", first) if first else ()), *(("-l", last) if last else ())]
    text = run("pdftotext", "-bbox", *span, path, "-").decode()
    pages = []
    for page in re.finditer(r'<page width="([\d.]+)" height="([\d.]+)">(.*?)</page>', text, re.S):
        boxes = re.findall(r'<word xMin="(-?[\d.]+)" yMin="(-?[\d.]+)" xMax="(-?[\d.]+)" yMax="(-?[\d.]+)">(.*?)</word>', page.group(3), re.S)
        pages.append((float(page.group(1)), float(page.group(2)), [(*map(float, b[:4]), html.unescape(b[4])) for b in boxes]))
    return pages


def fonts(path):
    """[(name, type, embedded, subset)] by pdffonts."""
    lines = run("pdffonts", path).decode().splitlines()[2:]
    found = []
    for line in lines:
        m = re.match(r"(\S+)\s+(.+?)\s{2,}\S.*?\s(yes|no)\s+(yes|no)\s+(yes|no)\s+\d+\s+\d+$", line)
        assert m, line
        found.append((m.group(1), m.group(2), m.group(3) == "yes", m.group(4) == "yes"))
    return found


def information(path):
    """{key: text} by pdfinfo."""
    lines = run("pdfinfo", path).decode().splitlines()
    return {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in lines)}


def pixels(path, page, resolution=50):
    """(width, height, grey bytes) of a page as poppler draws it."""
    data = run("pdftoppm", "-r", resolution, "-gray", "-f", page, "-l", page, path)
    m = re.match(rb"P5\s+(\d+)\s+(\d+)\s+255\s", data)
    return int(m.group(1)), int(m.group(2)), data[m.end():]
