/* Code that people copy: it runs as it is printed, with what curl, Node.js (18 and later), Python 3 and PHP 8 bring themselves. The key comes from the
 * environment (ODP_KEY), never out of the text, so that nobody publishes it with the code. What the API answers to a fault is shown: its detail says
 * what to mend. */
#include "site/pages/pages_internal.h"

#include <errno.h>
#include <stdlib.h>

enum language { CURL, JAVASCRIPT, PYTHON, PHP, LANGUAGES };

static const struct {
    const char *lang, *label, *file, *comment; /* comment: how a line of it begins */
} languages[LANGUAGES] = {{"curl", "curl", "contoh.sh", "# "},
                          {"javascript", "JavaScript", "contoh.mjs", "// "},
                          {"python", "Python", "contoh.py", "# "},
                          {"php", "PHP", "contoh.php", "// "}};

/* ---- quoting ---------------------------------------------------------------------------------------------------------------- */

/* For sh, in single quotes; curl reads brackets and braces of an address as patterns. */
static void quote_shell(struct odp_buffer *out, const char *s)
{
    odp_buffer_add_char(out, '\'');
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            odp_buffer_add_str(out, "'\\''");
        else if (strchr("[]{}", *s) != NULL)
            odp_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*s);
        else
            odp_buffer_add_char(out, *s);
    }
    odp_buffer_add_char(out, '\'');
}

/* For JavaScript and Python, in double quotes: what both mean the same by. */
static void quote_double(struct odp_buffer *out, const char *s)
{
    odp_buffer_add_char(out, '"');
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            odp_buffer_add_char(out, '\\');
        if (c < 0x20 || c == 0x7f)
            odp_buffer_printf(out, "\\x%02x", (unsigned)c);
        else
            odp_buffer_add_char(out, *s);
    }
    odp_buffer_add_char(out, '"');
}

static void quote_php(struct odp_buffer *out, const char *s)
{
    odp_buffer_add_char(out, '\'');
    for (; *s != '\0'; s++) {
        if (*s == '\'' || *s == '\\')
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, *s);
    }
    odp_buffer_add_char(out, '\'');
}

/* One line, which nothing in it can end: no control character, and no end of PHP. */
static void add_comment(struct odp_buffer *out, enum language l, const char *s)
{
    if (s == NULL || *s == '\0')
        return;
    odp_buffer_add_str(out, languages[l].comment);
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (strncmp(s, "\xe2\x80\xa8", 3) == 0 || strncmp(s, "\xe2\x80\xa9", 3) == 0) { /* ends a line of JavaScript */
            odp_buffer_add_char(out, ' ');
            s += 2;
            continue;
        }
        odp_buffer_add_char(out, c < 0x20 || c == 0x7f ? ' ' : *s);
        if (*s == '?' && s[1] == '>')
            odp_buffer_add_char(out, ' ');
    }
    odp_buffer_add_char(out, '\n');
}

/* ---- one request ------------------------------------------------------------------------------------------------------------ */

static void add_curl(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, "curl --fail-with-body --silent --show-error \\\n"
                            "  --header \"Authorization: Bearer $ODP_KEY\" \\\n  ");
    quote_shell(out, url);
    odp_buffer_add_char(out, '\n');
}

static void javascript_one(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, "const response = await fetch(\n  ");
    quote_double(out, url);
    odp_buffer_add_str(out, ",\n  { headers: { Authorization: `Bearer ${process.env.ODP_KEY}` } },\n);\n"
                            "const body = await response.json();\n"
                            "if (!response.ok) {\n"
                            "  throw new Error(`${response.status} ${body.code}: ${body.detail}`);\n"
                            "}\n"
                            "console.log(body.data.length, body.data.slice(0, 3));\n");
}

static void python_one(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, "import json\nimport os\nimport urllib.error\nimport urllib.request\n\nrequest = urllib.request.Request(\n    ");
    quote_double(out, url);
    odp_buffer_add_str(out, ",\n    headers={\"Authorization\": \"Bearer \" + os.environ[\"ODP_KEY\"]},\n)\n"
                            "try:\n"
                            "    with urllib.request.urlopen(request) as response:\n"
                            "        body = json.load(response)\n"
                            "except urllib.error.HTTPError as error:\n"
                            "    problem = json.load(error)\n"
                            "    raise SystemExit(f\"{error.code} {problem['code']}: {problem['detail']}\")\n"
                            "print(len(body[\"data\"]), body[\"data\"][:3])\n");
}

static const char php_context[] = "$context = stream_context_create(['http' => [\n"
                                  "    'header' => 'Authorization: Bearer ' . getenv('ODP_KEY'),\n"
                                  "    'ignore_errors' => true,\n"
                                  "]]);\n";
/* The envelope's status is a text, a problem's a number. */
#define PHP_CHECK(indent)                                                                                                                \
    indent "if (($body['status'] ?? '') !== 'success') {\n" indent                                                                        \
           "    fwrite(STDERR, ($body['code'] ?? 'error') . ': ' . ($body['detail'] ?? '') . \"\\n\");\n" indent "    exit(1);\n" indent "}\n"

static void php_one(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, php_context);
    odp_buffer_add_str(out, "$body = json_decode(file_get_contents(\n    ");
    quote_php(out, url);
    odp_buffer_add_str(out, ",\n    false,\n    $context,\n), true);\n" PHP_CHECK(""));
    odp_buffer_add_str(out, "echo count($body['data']), \"\\n\";\nprint_r(array_slice($body['data'], 0, 3));\n");
}

/* ---- page after page -------------------------------------------------------------------------------------------------------- */

/* Many pages in a second are more than a tier allows: each waits as long as it is told (Retry-After), a minute at most, since a spent day is over at midnight. */

/* Each record stands on a line of its own, links on the last (docs/formats.md), so sed is enough. In a subshell: whoever pastes this into a terminal
 * keeps it when a page fails, and nothing is counted then. */
static void curl_all(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, "(\n  url=");
    quote_shell(out, url);
    odp_buffer_add_str(out, "\n  while [ -n \"$url\" ]; do\n"
                            "    rm -f halaman.json\n"
                            "    curl --fail-with-body --silent --show-error --retry 9 --retry-max-time 60 \\\n"
                            "      --header \"Authorization: Bearer $ODP_KEY\" --output halaman.json \"$url\" ||\n"
                            "      { cat halaman.json >&2; exit 1; }\n"
                            "    sed '1d;$d;s/,$//' halaman.json\n"
                            "    next=$(sed -n '$s/.*\"next\":\"\\([^\"]*\\)\".*/\\1/p' halaman.json)\n"
                            "    folder=${url%%\\?*}\n"
                            "    url=${next:+${folder%/*}/$next}\n"
                            "  done\n"
                            ") > rekaman.ndjson && wc -l < rekaman.ndjson\n");
}

static void javascript_all(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, "const headers = { Authorization: `Bearer ${process.env.ODP_KEY}` };\nconst records = [];\nlet url =\n  ");
    quote_double(out, url);
    odp_buffer_add_str(out, ";\nwhile (url) {\n"
                            "  const response = await fetch(url, { headers });\n"
                            "  const body = await response.json();\n"
                            "  const wait = Number(response.headers.get(\"Retry-After\"));\n"
                            "  if (response.status === 429 && wait <= 60) {\n"
                            "    await new Promise((resolve) => setTimeout(resolve, wait * 1000));\n"
                            "    continue;\n"
                            "  }\n"
                            "  if (!response.ok) {\n"
                            "    throw new Error(`${response.status} ${body.code}: ${body.detail}`);\n"
                            "  }\n"
                            "  records.push(...body.data);\n"
                            "  url = body.links.next && new URL(body.links.next, url).href;\n"
                            "}\n"
                            "console.log(records.length);\n");
}

static void python_all(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, "import json\nimport os\nimport time\nimport urllib.error\nimport urllib.parse\nimport urllib.request\n\n"
                            "headers = {\"Authorization\": \"Bearer \" + os.environ[\"ODP_KEY\"]}\nrecords = []\nurl = (\n    ");
    quote_double(out, url);
    odp_buffer_add_str(out, "\n)\nwhile url:\n"
                            "    try:\n"
                            "        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as response:\n"
                            "            body = json.load(response)\n"
                            "    except urllib.error.HTTPError as error:\n"
                            "        wait = int(error.headers.get(\"Retry-After\", 0))\n"
                            "        if error.code == 429 and wait <= 60:\n"
                            "            time.sleep(wait)\n"
                            "            continue\n"
                            "        problem = json.load(error)\n"
                            "        raise SystemExit(f\"{error.code} {problem['code']}: {problem['detail']}\")\n"
                            "    records += body[\"data\"]\n"
                            "    following = body[\"links\"][\"next\"]\n"
                            "    url = following and urllib.parse.urljoin(url, following)\n"
                            "print(len(records))\n");
}

/* A next link is always relative to the folder of the address it came from. */
static void php_all(struct odp_buffer *out, const char *url)
{
    odp_buffer_add_str(out, php_context);
    odp_buffer_add_str(out, "$records = [];\n$url = ");
    quote_php(out, url);
    odp_buffer_add_str(out, ";\nwhile ($url !== null) {\n"
                            "    $stream = fopen($url, 'r', false, $context);\n"
                            "    $body = json_decode(stream_get_contents($stream), true);\n"
                            "    $headers = implode(\"\\n\", stream_get_meta_data($stream)['wrapper_data']);\n"
                            "    preg_match('/^Retry-After: (\\d+)/mi', $headers, $wait);\n"
                            "    if (($body['status'] ?? '') === 429 && ($wait[1] ?? 0) <= 60) {\n"
                            "        sleep((int) ($wait[1] ?? 0));\n"
                            "        continue;\n"
                            "    }\n" PHP_CHECK("    ")
                            "    array_push($records, ...$body['data']);\n"
                            "    $next = $body['links']['next'] ?? null;\n"
                            "    $url = $next === null ? null : dirname(strtok($url, '?')) . '/' . $next;\n"
                            "}\n"
                            "echo count($records), \"\\n\";\n");
}

/* ---- all four --------------------------------------------------------------------------------------------------------------- */

typedef void write_fn(struct odp_buffer *, const char *);

static json_t *make(const char *url, write_fn *const write[LANGUAGES], const char *comment)
{
    json_t *list = json_array();
    struct odp_buffer out;
    bool failed = list == NULL;
    odp_buffer_init(&out);
    for (int l = 0; l < LANGUAGES && !failed; l++) {
        odp_buffer_clear(&out);
        if (l == PHP)
            odp_buffer_add_str(&out, "<?php\n");
        add_comment(&out, (enum language)l, comment);
        write[l](&out, url);
        json_t *o = json_pack("{s:s, s:s, s:s, s:s%}", "lang", languages[l].lang, "label", languages[l].label, "file", languages[l].file, "code",
                              odp_buffer_cstr(&out), out.len);
        failed = odp_buffer_status(&out) != ODP_OK || json_array_append_new(list, o) != 0;
    }
    odp_buffer_release(&out);
    if (!failed)
        return list;
    json_decref(list);
    (void)odp_failure_set("make", "examples", ENOMEM);
    return NULL;
}

static char *address(const struct portal *p, const char *path)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_printf(&b, "%sv1/%s", p->catalog->portal.base_url, path);
    odp_buffer_add_char(&b, '\0');
    if (odp_buffer_status(&b) == ODP_OK)
        return b.ptr; /* the caller's */
    odp_buffer_release(&b);
    return NULL;
}

static json_t *examples_of(const struct portal *p, const char *path, write_fn *const write[LANGUAGES], const char *comment)
{
    char *url = address(p, path);
    json_t *list = url != NULL ? make(url, write, comment) : NULL;
    free(url);
    return list;
}

json_t *portal_examples(const struct portal *p, const char *path, const char *comment)
{
    static write_fn *const write[] = {add_curl, javascript_one, python_one, php_one};
    return examples_of(p, path, write, comment);
}

json_t *portal_examples_all(const struct portal *p, const char *path, const char *comment)
{
    static write_fn *const write[] = {curl_all, javascript_all, python_all, php_all};
    return examples_of(p, path, write, comment);
}
