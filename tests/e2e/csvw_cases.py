"""The entries of W3C's CSV on the Web tests, and for those that say something about a dataset.json of ours an input of our own.

MANIFEST says what the suite says: number, verdict and subject of each entry that validates (manifest-validation) or only parses (manifest-nonnorm). The
suite's files are not ours to carry: CASES are made anew from the rule of the recommendation that an entry is about, in CSVW's own words, so that the
same converter and the same tables serve the suite itself where it lies in the shared data."""
import csvwlib

# One line an entry: number, verdict (P passes, W passes with a warning, N is refused, J a parse whose result is compared), subject.
MANIFEST = """
001 P simple table
002 J quoted field
003 J surrounding spaces
005 P identifier references
006 P no identifiers
007 P joined table with unique identifiers
008 P microsyntax, internal field separator
009 P microsyntax, formatted time
010 P country codes and names
011 P metadata beside the file
012 P metadata of the directory
013 P metadata of the user
014 P metadata by a link
015 P metadata of user and directory
016 P metadata by link and of the directory
017 P metadata beside the file and of the directory
018 P metadata of the user, beside the file and of the directory
019 J no header, by the media type
020 J dialect: trim=start
021 J dialect: trim=end
022 J dialect: trim=true
023 P dialect: header=false
024 J dialect: header=false and headerRowCount=1
025 J dialect: header=false and skipRows=1
026 P metadata that names its file
027 P metadata of the user, minimal output
028 P countries.csv
029 P countries.csv, minimal output
030 P countries.json, a foreign key
031 P countries.json, minimal output
032 P virtual columns, several subjects a row
033 P virtual columns, minimal output
034 N roles, a reference that is wrong on purpose
035 N roles, minimal output
036 P tree-ops-ext
037 P tree-ops-ext, minimal output
038 P inherited properties
039 P valid inherited properties
040 W invalid null
041 W invalid lang
042 W invalid textDirection
043 W invalid separator
044 W invalid ordered
045 W invalid default
046 W invalid datatype
047 W invalid aboutUrl
048 W invalid propertyUrl
049 W invalid valueUrl
050 J dialect: delimiter
051 J dialect: commentPrefix before the header
052 J dialect: commentPrefix among the rows
054 J dialect: skipColumns
055 J dialect: skipBlankRows
056 J dialect: skipInitialSpace
057 J dialect in a file of its own
058 J dialect of a table and of its group
059 W dialect: invalid commentPrefix
060 W dialect: invalid delimiter
061 W dialect: invalid doubleQuote
062 W dialect: invalid encoding
063 W dialect: invalid header
065 W dialect: invalid headerRowCount
066 W dialect: invalid lineTerminators
067 W dialect: invalid quoteChar
068 W dialect: invalid skipBlankRows
069 W dialect: invalid skipColumns
070 W dialect: invalid skipInitialSpace
071 W dialect: invalid skipRows
072 W dialect: invalid trim
073 W invalid @language
074 N empty tables
075 W invalid tableDirection of a group
076 W invalid tableDirection of a table
077 N invalid @id of a group
078 N invalid @id of a table
079 N invalid @id of a schema
080 N invalid @id of a column
081 N invalid @id of a dialect
082 N invalid @id of a transformation
083 N invalid @type of a group
084 N invalid @type of a table
085 N invalid @type of a schema
086 N invalid @type of a column
087 N invalid @type of a dialect
088 N invalid @type of a transformation
089 N a group without tables
090 N a table without url
091 N rows with another number of cells
092 N invalid JSON
093 W undefined properties
094 W an item of tables that is no table
095 W an item of transformations that is none
096 W an item of columns that is no column
097 W an item of foreignKeys that is none
098 N tables is no array
099 W transformations is no array
100 N columns is no array
101 W foreignKeys is no array
102 W @id is no link
103 N url is no link
104 N columnReference to no column
105 W primaryKey of no column
106 W dialect is no object
107 N tableSchema is no object
108 N reference is no object
109 N titles with an invalid language
110 W titles with values that are no strings
111 N titles with an invalid value
112 W titles with items that are no strings
113 W invalid suppressOutput
114 W invalid name
115 W invalid virtual
116 P metadata beside a file with a query
117 W metadata beside the file does not name it
118 P metadata of the directory, a file with a query
119 W metadata of the directory does not name the file
120 W metadata by a link does not name the file
121 P metadata of the user does not name the file
122 W metadata by a link is passed over for that beside the file
123 W metadata beside the file is passed over for the directory's
124 N columns that do not match the labels
125 N required column with an empty cell
126 N required column with a cell that means null
127 N incompatible table
128 N duplicate column names
129 W a name that is an integer
130 W a name that is no variable of a URI template
131 W a name that begins with _
132 P a name made of a title
133 N a virtual column before others
134 N @context in an annotation
135 N @list in an annotation
136 N @set in an annotation
137 N @type of a value out of range
138 N @type of a node out of range
139 N @type of a node, a string
140 N @type of a node, an integer
141 N @id of a blank node
142 N @value with @language and @type
143 N @value with more properties
144 N @language without @value
145 N @value with an invalid @language
146 N a property that begins with @
147 N a title in other case
148 N a title in another language
149 P a title in a less specific language
150 W no built-in datatype
151 W no built-in base
152 P string format
153 W string format, a bad expression
154 N string format, a value that does not match
155 P number format
156 W number format, a bad picture
157 N number format, a value that does not match
158 P number format as an object
159 W number format as an object, a bad picture
160 N number format as an object, a value that does not match the picture
161 N number format as an object, a value that does not match without a picture
162 N two signs of groups together
163 N integer with a decimal sign
164 N decimal with an exponent
165 N decimal NaN
166 N decimal INF
167 N decimal -INF
168 P decimal with the sign of groups that is meant by default
169 N invalid decimal
170 P decimal with a percent sign
171 P decimal with a per-mille sign
172 N invalid byte
173 N invalid unsignedLong
174 N invalid unsignedShort
175 N invalid unsignedByte
176 N invalid positiveInteger
177 N invalid negativeInteger
178 N invalid nonPositiveInteger
179 N invalid nonNegativeInteger
180 N invalid double
181 N invalid number
182 N invalid float
183 P boolean format
184 W boolean format, a bad one
185 N boolean format, a value that does not match
186 N a boolean that is none
187 P dates in their own form
188 P date formats
189 P time formats
190 P dateTime formats
191 N a bad date format
192 N date format, a value that does not match
193 P durations
194 N a duration that does not match
195 P lengths that match
196 N a wrong length
197 N too long
198 N too short
199 N length < minLength
200 N length > maxLength
201 N length of a date
202 P float within its bounds
203 N float below minimum
204 N float above maximum
205 N float below minInclusive
206 N float at minExclusive
207 N float above maxInclusive
208 N float at maxExclusive
209 P date within its bounds
210 N date before minimum
211 N date after maximum
212 N date before minInclusive
213 N date at minExclusive
214 N date after maxInclusive
215 N date at maxExclusive
216 N minInclusive and minExclusive
217 N maxInclusive and maxExclusive
218 N maxInclusive < minInclusive
219 N maxExclusive = minInclusive
220 N maxExclusive < minExclusive
221 N maxInclusive = minExclusive
222 N string with minimum
223 N string with maximum
224 N string with minInclusive
225 N string with maxInclusive
226 N string with minExclusive
227 N string with maxExclusive
228 P length of the items of a list
229 P minLength of the items of a list
230 N minLength of the items of a list, too short
231 P primary key of one column
232 N primary key of one column, twice
233 P primary key of several columns
234 N primary key of several columns, twice
235 P rowTitles of one column
236 P rowTitles of several columns
237 P rowTitles, minimal output
238 W a datatype that is a URL
242 P @id of a datatype
243 N @id of a datatype that is a blank node
244 N @id of a datatype that is a built-in one's
245 P time formats with milliseconds
246 P dateTime formats with milliseconds
247 N a time with more milliseconds than its format has
248 P text that is not normalized
249 P addresses that are equal once normalized
250 P a foreign key that holds
251 N foreign key of a column that is not there
252 N foreign key to a column that is not there
253 N foreign key to a table that is not there
254 P foreign key to the same table
255 P foreign key to another table
256 P foreign key of several columns
257 N foreign key, no such row
258 N foreign key, several rows
259 P metadata at /.well-known/csvm
260 P metadata by a template of /.well-known/csvm
261 N maxLength < minLength
262 J dialect: trim=false
263 P @type of an annotation, a built-in
264 P @type of an annotation, a prefixed name
266 W null with items that are no strings
267 N @id of a datatype that is invalid
268 P a datatype without base
269 N boolean format in a wrong form, and a value that is no boolean
270 W a transformation with an unknown property
271 N a foreign key with another property
272 N a reference with another property
273 P @base in the context
274 N the context has other properties
275 W a property of columns at a group
276 W a property of columns at a table
277 W a property of tables at a column
278 N more labels than columns
279 N invalid duration
280 N invalid dayTimeDuration
281 N invalid yearMonthDuration
282 P number pictures
283 P number pictures with signs
284 P number pictures with groups
285 P number pictures with groups of decimals
286 N ##0 and 1,234
287 N ##0 and 123.4
288 N #,#00 and 1
289 N #,#00 and 1234
290 N #,#00 and 12,34
291 N #,#00 and 12,34,567
292 N #,##,#00 and 1
293 N #,##,#00 and 1234
294 N #,##,#00 and 12,34
295 N #,##,#00 and 1,234,567
296 N #0.# and 12.34
297 N #0.# and 1,234.5
298 N #0.0 and 1
299 N #0.0 and 12.34
300 N #0.0# and 1
301 N #0.0# and 12.345
302 N #0.0#,# and 1
303 N #0.0#,# and 12.345
304 N #0.0#,# and 12.34,567
305 P several values of one property, without order
306 P several values of one property, in order
307 P several values of one property, both
308 N invalid datatype (proposed)
"""

# What has no counterpart, by reason (csvwlib.REASONS).
OUT = {
    "LOCATE": "011 012 014 016 017 036 037 116 117 118 119 120 121 122 123 249 259 260",
    "JSON-LD": "073 077 078 079 080 081 083 084 085 086 087 102 134 135 136 137 138 139 140 141 142 143 144 145 146 243 244 263 264 267 273 274",
    "OUTPUT": "044 047 048 049 113 235 236 237 305 306 307",
    "LANGUAGE": "041 042 075 076 109 110 112 148 149",
    "VIRTUAL": "115 133",
    "TRANSFORM": "082 088 095 099 270",
    "DEFAULT": "045",
    "PICTURE": "155 156 157 159 160 282 283 284 285 286 287 288 289 290 291 292 293 294 295 296 297 298 299 300 301 302 303 304",
    "BOOLEAN": "184 269",
    "ITEM-LENGTH": "228 229 230",
    "SKIP": "054 055 068 069",
    "TRIM-SIDE": "020 021",
    "DATATYPE": "238",
}

# Entries of which the suite's own file also holds something without counterpart: a case of ours has the rest of it.
PARTS = {"158": "PICTURE", "188": "ZONE"}

# Verdicts that differ, by reason: (text, what ours is, entries).
DIFFER = {
    "STRICT": ("a property that cannot be used is an error of the catalogue (exit code 2) and never replaced by a default: nothing is published by a schema that nobody meant",
               "N", "040 043 046 059 060 061 062 063 065 066 067 070 071 072 094 096 097 101 105 106 114 129 150 151 153 266"),
    "OPEN": ("further properties are allowed (Data Package v2) and not told, but for unknown ones that begin with odp: or sdi:, and near misspellings (ODP-C12)",
             "P", "093 277"),
    "NAMES": ("a field's name is any text (Table Schema): it is no variable of a URI template", "P", "130 131"),
    "REFERENCE": ("further properties of a foreign key are allowed, as everywhere (Data Package v2)", "P", "271 272"),
    "EXPONENT": ("a number may have an exponent (Table Schema), decimal or not; a spreadsheet's rounding form is told (ODP-S06)", "P", "164"),
    "PERCENT": ("a cell holds the bare number; % and ‰ are the unit's (sdi:satuan), and odp-build proposes the value without them", "N", "170 171"),
    "BOTH": ("an inclusive and an exclusive bound may stand together and both hold (Table Schema)", "P", "216 217"),
    "FRACTION": ("%f takes any number of digits (strptime): a pattern says where a fraction stands, not how long it is", "P", "247"),
    "ONE-ROW": ("a reference holds where its values are in the table it names (Table Schema); that they stand in one row only is the other table's key to say "
                "(primaryKey, uniqueKeys)", "P", "258"),
    "DURATION": ("there is one type of durations (Table Schema), of years as well as of hours", "P", "280 281"),
}

CONTEXT = "http://www.w3.org/ns/csvw"
TREES = "id,Jalan,Jenis,Tanggal\n1,Jl. Melati,Angsana,10/18/2010\n2,Jl. Kenanga,Trembesi,6/2/2010\n"
TREE_ROWS = [["1", "Jl. Melati", "Angsana", "2010-10-18"], ["2", "Jl. Kenanga", "Trembesi", "2010-06-02"]]
DATE = {"base": "date", "format": "M/d/yyyy"}
TREE_COLUMNS = [{"name": "id"}, {"name": "jalan", "titles": "Jalan"}, {"name": "jenis", "titles": "Jenis"}, {"name": "tanggal", "titles": "Tanggal", "datatype": DATE}]
PLACES = "kode,nama\n11,Aceh\n12,Sumatera Utara\n"
COUNTS = "kode,tahun,jumlah\n11,2020,5\n12,2020,7\n11,2021,6\n"
PLACE_COLUMNS = [{"name": "kode"}, {"name": "nama"}]
COUNT_COLUMNS = [{"name": "kode"}, {"name": "tahun", "datatype": "gYear"}, {"name": "jumlah", "datatype": "integer"}]


class Case:
    """METADATA (an object, or the text itself; None: the file alone), FILES it names {name: text}, ROWS a parse is to give."""

    def __init__(self, metadata, files, rows=None, **entry):
        self.metadata, self.files, self.rows, self.entry = metadata, files, rows, entry


def table(columns, text, rows=None, dialect=None, group=None, **schema):
    """One table t.csv; DIALECT of it, GROUP: what its group says."""
    described = {"url": "t.csv", "tableSchema": {"columns": columns, **schema}, **({} if dialect is None else {"dialect": dialect})}
    return Case({"@context": CONTEXT, **({**group, "tables": [described]} if group is not None else described)}, {"t.csv": text}, rows)


def trees(change=None, text=TREES, rows=None, dialect=None, **more):
    """The trees; CHANGE {column: {property: value}}, MORE: what the table says."""
    columns = [{**c, **(change or {}).get(c["name"], {})} for c in TREE_COLUMNS]
    case = table(columns, text, rows, dialect)
    case.metadata.update(more)
    return case


def bare(text, rows=None, **entry):
    """A file without metadata."""
    return Case(None, {"t.csv": text}, rows, **entry)


def one(datatype, *cells, **column):
    """A table whose column v has DATATYPE and CELLS."""
    quoted = "".join(f'{i},"{cell}"\n' for i, cell in enumerate(cells))
    return table([{"titles": "id"}, {"titles": "v", "datatype": datatype, **column}], "id,v\n" + quoted)


def pairs(kind, *formats):
    """A table with a column for each of FORMATS: a pattern and a cell that is right."""
    columns = [{"titles": f"c{i}", "datatype": {"base": kind, "format": pattern} if pattern else kind} for i, (pattern, _) in enumerate(formats)]
    return table(columns, ",".join(f"c{i}" for i in range(len(formats))) + "\n" + ",".join(f'"{cell}"' for _, cell in formats) + "\n")


def keyed(counts=COUNTS, places=PLACES, columns="kode", target="kode", table_of="places.csv", primary="kode", **key):
    """Counts that refer to places by a foreign key; KEY: other properties of it."""
    foreign = {"columnReference": columns, "reference": {"resource": table_of, "columnReference": target}, **key}
    return Case({"@context": CONTEXT, "tables": [
        {"url": "places.csv", "tableSchema": {"columns": PLACE_COLUMNS, "primaryKey": primary}},
        {"url": "counts.csv", "tableSchema": {"columns": COUNT_COLUMNS, "foreignKeys": [foreign]}}]}, {"places.csv": places, "counts.csv": counts})


def grouped(**group):
    return Case({"@context": CONTEXT, **group}, {"t.csv": TREES})


def text_of(case, text):
    """CASE with TEXT in place of its metadata."""
    return Case(text, case.files)


def bounded(kind, low, high, cell, **bounds):
    return one({"base": kind, **bounds}, low, high, cell)


def float_bound(cell, **bounds):
    return bounded("float", "1.5", "2", cell, **bounds)


def date_bound(cell, **bounds):
    return bounded("date", "2015-03-22", "2016-01-01", cell, **bounds)


def annotated(value):
    return trees(**{"dc:title": value})


def located(metadata="t.csv-metadata.json"):
    return bare(TREES, implicit=[metadata])

FLAT = "nama,marga\nHotman,Siregar\n\"Butet\",Lubis\n"
NOTED = "# penerbit Kota\n# diperbarui 2010\n" + TREES
REMARKED = TREES.replace("2,Jl.", "# baris berikut lain\n2,Jl.")
SPACED = "id,Jalan,Jenis,Tanggal\n1, Jl. Melati, Angsana,10/18/2010\n2, Jl. Kenanga, Trembesi,6/2/2010\n"
AROUND = "id,Jalan,Jenis,Tanggal\n1 , Jl. Melati , Angsana ,10/18/2010\n2 , Jl. Kenanga , Trembesi ,6/2/2010\n"
TEXTS = {"tanggal": {"datatype": "string"}}
RAW_ROWS = [["1", "Jl. Melati", "Angsana", "10/18/2010"], ["2", "Jl. Kenanga", "Trembesi", "6/2/2010"]]

CASES = {
    "001": bare("nama,marga\nHotman,Siregar\nButet,Lubis\n"),
    "002": bare(FLAT, [["Hotman", "Siregar"], ["Butet", "Lubis"]]),
    "003": bare("nama,marga\n Hotman , Siregar \n Butet , Lubis \n", [[" Hotman ", " Siregar "], [" Butet ", " Lubis "]]),
    "005": bare("id,nama,induk\na,Hotman,b\nb,Butet,\n"),
    "006": bare("nama,kota,provinsi\nHotman,Medan,Sumatera Utara\nButet,Medan,Sumatera Utara\n"),
    "007": bare("id,nama,id_kota,kota\n1,Hotman,k1,Medan\n2,Butet,k1,Medan\n"),
    "008": bare('nama,anak\nHotman,"Togar,Rina"\nButet,"Poltak,Tiur"\n'),
    "009": bare("nama,lahir\nHotman,4 Maret 1950\nButet,8 Mei 1955\n"),
    "010": bare('kode,nama\nID,Indonesia\nBO,"Bolivia, Plurinational State of"\n'),
    "011": located(), "012": located("csv-metadata.json"), "014": bare(TREES, httpLink='<t.json>; rel="describedby"'),
    "013": trees(aboutUrl="#gid-{id}"), "015": trees(), "018": trees(), "026": trees(), "027": trees(),
    "019": bare(TREES.split("\n", 1)[1], RAW_ROWS, contentType="text/csv;header=absent"),
    "020": trees(TEXTS, AROUND, dialect={"trim": "start"}),
    "021": trees(TEXTS, AROUND, dialect={"trim": "end"}),
    "022": trees(None, AROUND, TREE_ROWS, {"trim": True}),
    "023": Case({"@context": CONTEXT, "url": "t.csv", "dialect": {"header": False}}, {"t.csv": TREES}),
    "024": trees(TEXTS, TREES, RAW_ROWS, {"header": False, "headerRowCount": 1}),
    "025": trees(TEXTS, TREES, RAW_ROWS, {"header": False, "skipRows": 1}),
    "028": bare(PLACES), "029": bare(PLACES), "030": keyed(), "031": keyed(),
    "032": table([*TREE_COLUMNS, {"virtual": True, "propertyUrl": "schema:url", "valueUrl": "#x"}], TREES),
    "033": table([*TREE_COLUMNS, {"virtual": True, "propertyUrl": "schema:url", "valueUrl": "#x"}], TREES),
    "034": keyed(COUNTS + "99,2021,1\n"), "035": keyed(COUNTS + "99,2021,1\n"),
    "038": table([{"titles": "id"}, {"titles": "v"}], "id,v\n1,2\n", group={"datatype": "integer", "required": True}),
    "039": table([{"titles": "id", "required": True, "lang": "id", "textDirection": "ltr"},
                  {"titles": "v", "null": ["-", "x"], "datatype": "integer", "separator": ";", "ordered": True}], "id,v\n1,2;3\n2,-\n"),
    "040": trees({"jenis": {"null": 1}}), "041": trees({"jenis": {"lang": 1}}), "042": trees({"jenis": {"textDirection": "up"}}),
    "043": trees({"jenis": {"separator": False}}), "044": trees({"jenis": {"ordered": "yes"}}), "045": trees({"jenis": {"default": 1}}),
    "046": trees({"jenis": {"datatype": "teks"}}), "047": trees({"jenis": {"aboutUrl": 1}}), "048": trees({"jenis": {"propertyUrl": True}}),
    "049": trees({"jenis": {"valueUrl": []}}),
    "050": trees(None, TREES.replace(",", "\t"), TREE_ROWS, {"delimiter": "\t"}),
    "051": trees(None, NOTED, TREE_ROWS, {"skipRows": 2, "commentPrefix": "#"}),
    "052": trees(None, REMARKED, TREE_ROWS, {"commentPrefix": "#"}),
    "054": trees(dialect={"skipColumns": 1}), "055": trees(dialect={"skipBlankRows": True}),
    "056": trees(None, SPACED, TREE_ROWS, {"skipInitialSpace": True}),
    "057": Case(trees(dialect="dialect.json").metadata, {"t.csv": TREES.replace(",", ";"), "dialect.json": '{"delimiter": ";"}'}, TREE_ROWS),
    "058": table(TREE_COLUMNS, TREES.replace(",", ";"), TREE_ROWS, {"delimiter": ";"}, {"dialect": {"delimiter": "|"}}),
    "059": trees(dialect={"commentPrefix": 1}), "060": trees(dialect={"delimiter": 1}), "061": trees(dialect={"doubleQuote": "yes"}),
    "062": trees(dialect={"encoding": "utf-99"}), "063": trees(dialect={"header": "yes"}), "065": trees(dialect={"headerRowCount": "1"}),
    "066": trees(dialect={"lineTerminators": 1}), "067": trees(dialect={"quoteChar": 1}), "068": trees(dialect={"skipBlankRows": "no"}),
    "069": trees(dialect={"skipColumns": "1"}), "070": trees(dialect={"skipInitialSpace": "no"}), "071": trees(dialect={"skipRows": "1"}),
    "072": trees(dialect={"trim": "maybe"}),
    "073": Case({**trees().metadata, "@context": [CONTEXT, {"@language": "x y"}]}, {"t.csv": TREES}),
    "074": grouped(tables=[]), "075": grouped(tableDirection="up", tables=[trees().metadata]), "076": trees(tableDirection="up"),
    "077": grouped(**{"@id": "_:g", "tables": [trees().metadata]}), "078": trees(**{"@id": "_:t"}), "079": table(TREE_COLUMNS, TREES, **{"@id": "_:s"}),
    "080": trees({"id": {"@id": "_:c"}}), "081": trees(dialect={"@id": "_:d"}), "082": trees(transformations=[{"@id": "_:t"}]),
    "083": grouped(**{"@type": "Table", "tables": [trees().metadata]}), "084": trees(**{"@type": "Schema"}), "085": table(TREE_COLUMNS, TREES, **{"@type": "Table"}),
    "086": trees({"id": {"@type": "Table"}}), "087": trees(dialect={"@type": "Table"}), "088": trees(transformations=[{"@type": "Table"}]),
    "089": grouped(**{"dc:title": "Pohon"}), "090": Case({"@context": CONTEXT, "tableSchema": {"columns": TREE_COLUMNS}}, {"t.csv": TREES}),
    "091": bare("id,v\n1,a\n2\n3,c,d\n"), "092": text_of(trees(), '{"url": "t.csv", "tableSchema": {'),
    "093": trees(warna="hijau"), "094": grouped(tables=[trees().metadata, 1]), "095": trees(transformations=["x"]),
    "096": table([*TREE_COLUMNS, 1], TREES), "097": table(TREE_COLUMNS, TREES, foreignKeys=[1]), "098": grouped(tables=1), "099": trees(transformations=1),
    "100": table(1, TREES), "101": table(TREE_COLUMNS, TREES, foreignKeys=1), "102": trees(**{"@id": 1}),
    "103": Case({"@context": CONTEXT, "url": 1, "tableSchema": {"columns": TREE_COLUMNS}}, {"t.csv": TREES}),
    "104": keyed(columns="wilayah"), "105": table(TREE_COLUMNS, TREES, primaryKey="nomor"), "106": trees(dialect=1),
    "107": Case({"@context": CONTEXT, "url": "t.csv", "tableSchema": 1}, {"t.csv": TREES}), "108": keyed(reference=1),
    "109": trees({"jenis": {"titles": {"x y": "Jenis"}}}), "110": trees({"jenis": {"titles": {"id": 1}}}), "111": trees({"jenis": {"titles": 1}}),
    "112": trees({"jenis": {"titles": ["Jenis", 1]}}), "113": trees(suppressOutput="no"), "114": trees({"jenis": {"name": 1}}),
    "115": trees({"tanggal": {"virtual": "no"}}), "116": located(), "124": trees({"jenis": {"titles": "Spesies"}}),
    "125": trees({"jenis": {"required": True}}, TREES.replace("Angsana", "")),
    "126": trees({"jenis": {"required": True, "null": "-"}}, TREES.replace("Angsana", "-")),
    "127": trees(text="id,Jalan\n1,Jl. Melati\n"), "128": trees({"jenis": {"name": "jalan"}}), "129": trees({"jalan": {"name": 7}}),
    "130": trees({"jalan": {"name": "nama jalan"}}), "131": trees({"jalan": {"name": "_jalan"}}),
    "132": table([{"titles": "id"}, {"titles": "Nama Jalan & Nomor"}], "id,Nama Jalan & Nomor\n1,Jl. Melati 5\n"),
    "133": table([{"name": "x", "virtual": True}, *TREE_COLUMNS], TREES),
    "134": annotated({"@context": {}}), "135": annotated({"@list": ["x"]}), "136": annotated({"@set": ["x"]}), "141": annotated({"@id": "_:x"}),
    "142": annotated({"@value": "x", "@type": "xsd:string", "@language": "id"}), "146": trees(**{"@foo": "x"}), "263": annotated({"@value": "Pohon", "@type": "xsd:string"}),
    "147": trees({"jenis": {"titles": "JENIS"}}), "148": trees({"jenis": {"titles": {"fr": "Jenis"}}}),
    "150": trees({"jenis": {"datatype": "teks"}}), "151": trees({"jenis": {"datatype": {"base": "teks"}}}),
    "152": one({"base": "string", "format": "[A-Z]{2}-[0-9]+"}, "AB-1", "CD-23"), "153": one({"base": "string", "format": "[A-Z"}, "AB"),
    "154": one({"base": "string", "format": "[A-Z]{2}-[0-9]+"}, "AB-1", "ab-1"),
    "155": one({"base": "decimal", "format": "#,##0.0"}, "1,234.5"), "159": one({"base": "decimal", "format": {"pattern": "x"}}, "1"),
    "158": one({"base": "decimal", "format": {"decimalChar": ",", "groupChar": "_"}}, "1_234,5", "7"),
    "161": one({"base": "decimal", "format": {"decimalChar": ",", "groupChar": "_"}}, "1.234"),
    "162": one({"base": "decimal", "format": {"groupChar": "_"}}, "1__234"), "163": one("integer", "1.0"), "164": one("decimal", "1.5E2"),
    "165": one("decimal", "NaN"), "166": one("decimal", "INF"), "167": one("decimal", "-INF"), "168": one("decimal", "1,234.5", "1234.5"),
    "169": one("decimal", "1.2.3"), "172": one("byte", "127", "128"), "173": one("unsignedLong", "18446744073709551615", "18446744073709551616"),
    "174": one("unsignedShort", "65535", "65536"), "175": one("unsignedByte", "255", "256"), "176": one("positiveInteger", "1", "0"),
    "177": one("negativeInteger", "-1", "0"), "178": one("nonPositiveInteger", "0", "1"), "179": one("nonNegativeInteger", "0", "-1"),
    "180": one("double", "1.5", "satu"), "181": one("number", "1.5", "1.5x"), "182": one("float", "1.5", "--1"),
    "183": one({"base": "boolean", "format": "Y|N"}, "Y", "N"), "184": one({"base": "boolean", "format": "YN"}, "true"),
    "185": one({"base": "boolean", "format": "Y|N"}, "Y", "true"), "186": one("boolean", "true", "1", "ya"),
    "187": table([{"titles": "d", "datatype": "date"}, {"titles": "w", "datatype": "dateTime"}, {"titles": "s", "datatype": "dateTimeStamp"}, {"titles": "t", "datatype": "time"},
                  {"titles": "y", "datatype": "gYear"}, {"titles": "m", "datatype": "gYearMonth"}],
                 "d,w,s,t,y,m\n2015-03-22,2015-03-22T20:24:30,2015-03-22T20:24:30+07:00,20:24:30,2015,2015-03\n"),
    "188": pairs("date", ("yyyy-MM-dd", "2015-03-22"), ("yyyyMMdd", "20150322"), ("dd-MM-yyyy", "22-03-2015"), ("d-M-yyyy", "22-3-2015"), ("MM-dd-yyyy", "03-22-2015"),
                 ("M-d-yyyy", "3-22-2015"), ("dd/MM/yyyy", "22/03/2015"), ("d/M/yyyy", "22/3/2015"), ("MM/dd/yyyy", "03/22/2015"), ("M/d/yyyy", "3/22/2015"),
                 ("dd.MM.yyyy", "22.03.2015"), ("d.M.yyyy", "22.3.2015"), ("MM.dd.yyyy", "03.22.2015"), ("M.d.yyyy", "3.22.2015")),
    "189": pairs("time", ("HH:mm:ss", "20:24:30"), ("HHmmss", "202430"), ("HH:mm", "20:24"), ("HHmm", "2024")),
    "190": pairs("dateTime", ("yyyy-MM-ddTHH:mm:ss", "2015-03-22T20:24:30"), ("yyyy-MM-ddTHH:mm", "2015-03-22T20:24"), ("yyyy-MM-dd HH:mm:ss", "2015-03-22 20:24:30"),
                 ("dd.MM.yyyy HH:mm", "22.03.2015 20:24"), ("yyyyMMdd HHmmss", "20150322 202430"), ("yyyy-MM-ddTHH:mm:ssX", "2015-03-22T20:24:30Z")),
    "191": one({"base": "date", "format": "tanggal"}, "2015-03-22"), "192": one({"base": "date", "format": "dd.MM.yyyy"}, "22.03.2015", "2015-03-22"),
    "193": pairs("duration", (None, "P3Y6M4DT12H30M5S"), (None, "P1D"), (None, "PT36H"), (None, "-P60D"), (None, "PT1.5S")), "194": one("duration", "P1D", "1 hari"),
    "195": one({"base": "string", "minLength": 2, "maxLength": 4}, "ab", "abcd"), "196": one({"base": "string", "length": 3}, "abc", "ab"),
    "197": one({"base": "string", "maxLength": 3}, "abcd"), "198": one({"base": "string", "minLength": 3}, "ab"),
    "199": one({"base": "string", "length": 2, "minLength": 3}, "ab"), "200": one({"base": "string", "length": 3, "maxLength": 2}, "abc"),
    "201": one({"base": "date", "length": 10}, "2015-03-22"),
    "202": float_bound("1.75", minInclusive=1.5, maxExclusive=2.5), "203": float_bound("1.4", minimum=1.5), "204": float_bound("2.1", maximum=2),
    "205": float_bound("1.4", minInclusive=1.5), "206": float_bound("1.25", minExclusive=1.25), "207": float_bound("2.1", maxInclusive=2),
    "208": float_bound("2.5", maxExclusive=2.5),
    "209": date_bound("2015-12-31", minInclusive="2015-03-22", maxExclusive="2016-01-02"), "210": date_bound("2015-03-21", minimum="2015-03-22"),
    "211": date_bound("2016-01-02", maximum="2016-01-01"), "212": date_bound("2015-03-21", minInclusive="2015-03-22"),
    "213": date_bound("2015-03-21", minExclusive="2015-03-21"), "214": date_bound("2016-01-02", maxInclusive="2016-01-01"),
    "215": date_bound("2016-01-02", maxExclusive="2016-01-02"),
    "216": float_bound("1.75", minInclusive=1, minExclusive=1), "217": float_bound("1.75", maxInclusive=3, maxExclusive=3),
    "218": float_bound("1.75", minInclusive=3, maxInclusive=1), "219": float_bound("1.75", minInclusive=1, maxExclusive=1),
    "220": float_bound("1.75", minExclusive=3, maxExclusive=1), "221": float_bound("1.75", minExclusive=1, maxInclusive=1),
    **{str(222 + i): one({"base": "string", bound: "a"}, "b")
       for i, bound in enumerate(("minimum", "maximum", "minInclusive", "maxInclusive", "minExclusive", "maxExclusive"))},
    "228": one({"base": "string", "length": 2}, "ab;cd", separator=";"), "230": one({"base": "string", "minLength": 3}, "ab;cde", separator=";"),
    "231": table(COUNT_COLUMNS[:2], "kode,tahun\n11,2020\n12,2020\n", primaryKey="kode"),
    "232": table(COUNT_COLUMNS[:2], "kode,tahun\n11,2020\n11,2021\n", primaryKey="kode"),
    "233": table(COUNT_COLUMNS, COUNTS, primaryKey=["kode", "tahun"]), "234": table(COUNT_COLUMNS, COUNTS + "11,2020,9\n", primaryKey=["kode", "tahun"]),
    "235": table(TREE_COLUMNS, TREES, rowTitles="jalan"), "238": one("http://example.org/jenis", "x"),
    "242": one({"@id": "http://example.org/jenis", "base": "string"}, "x"), "243": one({"@id": "_:x", "base": "string"}, "x"),
    "244": one({"@id": "http://www.w3.org/2001/XMLSchema#string", "base": "string"}, "x"),
    "245": pairs("time", ("HH:mm:ss.S", "20:24:30.1"), ("HH:mm:ss.SSS", "20:24:30.123")),
    "246": pairs("dateTime", ("yyyy-MM-ddTHH:mm:ss.S", "2015-03-22T20:24:30.1"), ("yyyy-MM-dd HH:mm:ss.SSS", "2015-03-22 20:24:30.123")),
    "247": pairs("time", ("HH:mm:ss.S", "20:24:30.123")),
    "248": one("string", "e\u0301tude", "\u00e9tude"),
    "250": keyed(), "251": keyed(columns="wilayah"), "252": keyed(target="nomor"), "253": keyed(table_of="provinsi.csv"),
    "254": table([{"name": "kode"}, {"name": "induk"}], "kode,induk\n11,\n12,11\n", primaryKey="kode",
                 foreignKeys=[{"columnReference": "induk", "reference": {"resource": "t.csv", "columnReference": "kode"}}]),
    "255": keyed(),
    "256": table([{"name": "kode"}, {"name": "nama"}, {"name": "induk"}, {"name": "nama_induk"}], "kode,nama,induk,nama_induk\n11,Aceh,,\n11.01,Simeulue,11,Aceh\n",
                 primaryKey=["kode", "nama"], foreignKeys=[{"columnReference": ["induk", "nama_induk"], "reference": {"resource": "t.csv", "columnReference": ["kode", "nama"]}}]),
    "257": keyed(COUNTS + "99,2021,1\n"), "258": keyed(places=PLACES + "11,Atjeh\n", primary="nama"),
    "261": one({"base": "string", "minLength": 3, "maxLength": 2}, "abc"),
    "262": trees(TEXTS, AROUND, [["1 ", " Jl. Melati ", " Angsana ", "10/18/2010"], ["2 ", " Jl. Kenanga ", " Trembesi ", "6/2/2010"]], {"trim": False}),
    "266": trees({"jenis": {"null": ["-", 1]}}), "267": one({"@id": "_:x"}, "x"), "268": one({"minLength": 1}, "x"), "269": one({"base": "boolean", "format": "YN"}, "Y"),
    "270": trees(transformations=[{"foo": 1}]), "271": keyed(**{"dc:description": "x"}), "272": keyed(reference={"resource": "places.csv", "columnReference": "kode", "dc:description": "x"}),
    "273": Case({**trees().metadata, "@context": [CONTEXT, {"@base": "data/"}]}, {"t.csv": TREES}),
    "274": Case({**trees().metadata, "@context": [CONTEXT, {"@language": "id", "foo": "x"}]}, {"t.csv": TREES}),
    "275": grouped(titles="x", tables=[trees().metadata]), "276": trees(titles="x"), "277": trees({"jenis": {"url": "x"}}),
    "278": trees(text="id,Jalan,Jenis,Tanggal,Warna\n1,Jl. Melati,Angsana,10/18/2010,hijau\n"),
    "279": one("duration", "P1D", "P1S"), "280": one("dayTimeDuration", "P1D", "P1Y"), "281": one("yearMonthDuration", "P1Y", "P1D"),
    "170": one("decimal", "5%"), "171": one("decimal", "5‰"), "305": trees({"jenis": {"propertyUrl": 1}}),
    "308": trees({"jenis": {"datatype": "teks"}}),
}
