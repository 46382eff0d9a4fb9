/* Templates rendered: Mustache's semantics, escaping by context, parts, words, folders that win. */
#include "template_fixture.h"

static struct set s;

static int setup(void **state)
{
    set_init(&s);
    return 0;
}

static int teardown(void **state)
{
    set_release(&s);
    return 0;
}

#define DATA                                                                                                 \
    "{\"t\": \"teks\", \"u\": \"<&>\\\"'\", \"f\": true, \"h\": \"<b>tebal</b>\", \"j\": {\"a\": "           \
    "\"</script>&\\u2028\"}, \"list\": [\"a\", \"<b>\"], "                                                   \
    "\"obj\": {\"name\": \"nama\", \"in\": {\"deep\": \"dalam\"}}, \"rows\": [{\"name\": \"satu\", "         \
    "\"cells\": [\"1\", \"2\"]}, "                                                                           \
    "{\"name\": \"dua\", \"t\": \"t2\", \"last\": true, \"cells\": []}]}"

static void renders(const char *text, const char *data, const char *expected)
{
    set_write(&s, "ours/pages/p.html", text);
    enum odp_status status = set_open(&s);
    if (status != ODP_OK)
        print_error("%s\n%s", text, odp_buffer_cstr(&s.faults));
    assert_int_equal(status, ODP_OK);
    status = set_render_page(&s, "p", ODP_LANG_ID, data);
    if (status != ODP_OK)
        print_error("%s\n%s\n", text, odp_failure_text());
    assert_int_equal(status, ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), expected);
}

static void values(void **state)
{
    renders("", DATA, "");
    renders("<p>{{t}}</p>", DATA, "<p>teks</p>");
    renders("{{ t }}{{site.title}}", DATA, "teksData &amp; Kita");
    renders("{{u}}", DATA, "&lt;&amp;&gt;&quot;&#39;");
    renders("{{{h}}}{{&h}}{{& h }}", DATA, "<b>tebal</b><b>tebal</b><b>tebal</b>");
    renders("a{{o}}b{{opt.name}}c{{site.license.path}}", DATA, "abc"); /* what may be absent is nothing */
    renders("{{obj.in.deep}}", DATA, "dalam");
    renders("a{{! a {{ comment\n over lines }}b", DATA, "ab");
    renders("{ {a} } }} {\"a\":{\"b\":1}} <p>}}</p>", DATA, "{ {a} } }} {\"a\":{\"b\":1}} <p>}}</p>");
    renders("\xef\xbb\xbfx", DATA, "x");
}

static void sections(void **state)
{
    renders("{{#f}}ya{{/f}}{{^f}}tidak{{/f}}{{#g}}ya{{/g}}{{^g}}tidak{{/g}}", DATA, "yatidak");
    renders("{{#list}}<i>{{.}}</i>{{/list}}{{^list}}-{{/list}}", DATA, "<i>a</i><i>&lt;b&gt;</i>");
    renders("{{#rows}}{{name}}:{{#cells}}{{.}},{{/cells}}{{^cells}}-{{/cells}}{{^last}};{{/last}}{{/rows}}",
            DATA, "satu:1,2,;dua:-");
    renders("{{#t}}[{{.}}]{{/t}}{{#o}}[{{.}}]{{/o}}{{^o}}x{{/o}}", DATA, "[teks]x");
    renders("{{#obj}}{{name}} {{u}} {{#in}}{{deep}}{{name}}{{/in}}{{/obj}}", DATA,
            "nama &lt;&amp;&gt;&quot;&#39; dalamnama");
    renders("{{#opt}}a{{/opt}}{{^opt}}b{{/opt}}{{#opt.name}}c{{/opt.name}}", DATA, "b");
    renders("{{#h}}{{{h}}}{{/h}}{{#k}}x{{/k}}{{#j}}y{{/j}}", DATA, "<b>tebal</b>y");
    /* What an item may have and has not is absent; the page's own t is not taken for it. */
    renders("{{#rows}}({{#t}}{{.}}{{/t}}{{^t}}-{{/t}}{{t}}){{/rows}}", DATA, "(-)(t2t2)");
    renders("{{#rows}}{{#rows}}{{name}}{{/rows}}|{{/rows}}", DATA, "satudua|satudua|");
    renders("{{#list}}{{#rows}}{{#cells}}{{.}}{{/cells}}{{/rows}}{{.}}{{/list}}", DATA, "12a12&lt;b&gt;");
}

static void lines(void **state)
{
    renders("a\n{{#f}}\nb\n{{/f}}\nc\n", DATA, "a\nb\nc\n");
    renders("a\r\n  {{#f}}  \r\nb\r\n\t{{/f}}\r\nc", DATA, "a\r\nb\r\nc");
    renders("{{#f}}\na\n{{/f}}", DATA, "a\n");
    renders("a\n{{! x\ny }}\nb", DATA, "a\nb");
    renders("a\n {{t}} \nb", DATA, "a\n teks \nb");
    renders("a {{#f}}\nb {{/f}}\n", DATA, "a \nb \n");
    renders("{{#f}} {{/f}}\n", DATA, " \n");
    renders("| {{! x }} |\n", DATA, "|  |\n");
    renders("{{^f}}\nx\n{{/f}}\n\ny", DATA, "\ny");
}

static void parts(void **state)
{
    set_write(&s, "ours/parts/a.html", "[{{t}}]");
    set_write(&s, "ours/parts/lines.html",
              "x\n\n{{#f}}\n<p\n>{{t}}</p>\n{{/f}}\n{{#f}}z{{/f}}\n  {{> a }}\n");
    set_write(&s, "ours/parts/row.html", "{{name}}/{{t}};");
    set_write(&s, "ours/parts/open.html", "<a title=\"");
    renders("{{>a}}-{{> a}}", DATA, "[teks]-[teks]");
    renders("{{#rows}}{{> row}}{{/rows}}", DATA,
            "satu/;dua/t2;"); /* a part sees the scopes of where it stands */
    renders("{{> open}}{{u}}\">", DATA,
            "<a title=\"&lt;&amp;&gt;&quot;&#39;\">"); /* and its place in the markup goes on behind it */
    renders("<i>\n  {{> lines}}\n</i>", DATA, "<i>\n  x\n\n  <p\n  >teks</p>\n  z\n    [teks]</i>");
    renders("<i>\n  {{t}} {{> lines}}\n</i>", DATA, "<i>\n  teks x\n\n<p\n>teks</p>\nz\n  [teks]\n</i>");
}

static void attributes(void **state)
{
    renders("<a title=\"{{u}}\" class='x{{#f}} is-{{t}}{{/f}}'>", DATA,
            "<a title=\"&lt;&amp;&gt;&quot;&#39;\" class='x is-teks'>");
    renders("<option{{#f}} selected{{/f}}>", DATA, "<option selected>");
    renders("<option {{#f}}selected{{/f}} {{#g}}x{{/g}}>", DATA, "<option selected >");
    renders("<input{{#f}} disabled{{/f}}{{^f}} id=\"a\"{{/f}}{{#t}} value=\"{{t}}\"{{/t}} name=x />", DATA,
            "<input disabled value=\"teks\" name=x />");
    renders("<div class=\"card{{#g}} is-new{{/g}}\">a</div>", DATA, "<div class=\"card\">a</div>");
    renders("<title>{{u}}</title><textarea>{{u}}</textarea>", DATA,
            "<title>&lt;&amp;&gt;&quot;&#39;</title><textarea>&lt;&amp;&gt;&quot;&#39;</textarea>");
    renders("<p data-x=\"<script>\">{{t}}</p><!-- <a --><P TITLE='{{t}}'>1 < 2 {{t}}", DATA,
            "<p data-x=\"<script>\">teks</p><!-- <a --><P TITLE='teks'>1 < 2 teks");
    renders("<!doctype html><title></title ><br/>{{t}}<!-->{{t}}<!-- a--!>{{t}}<?x>{{t}}</ x>{{t}}", DATA,
            "<!doctype html><title></title ><br/>teks<!-->teks<!-- a--!>teks<?x>teks</ x>teks");
    renders("<script>if (a < b) \"</p>\"</script>{{t}}<style>a{}</style>{{t}}", DATA,
            "<script>if (a < b) \"</p>\"</script>teks<style>a{}</style>teks");
}

static void address(const char *template, const char *t, const char *expected)
{
    char data[512];
    json_t *text = json_string(t);
    char *quoted = json_dumps(text, JSON_ENCODE_ANY);
    snprintf(data, sizeof data, "{\"t\": %s, \"u\": \"b/c\"}", quoted);
    free(quoted);
    json_decref(text);
    renders(template, data, expected);
}

static void addresses(void **state)
{
    address("<a href=\"{{t}}\">", "https://a.example/b?c=d&e=%20#f",
            "<a href=\"https://a.example/b?c=d&amp;e=%20#f\">");
    address("<a href=\"{{t}}\">", "javascript:alert(1)", "<a href=\"#\">");
    address("<a href=\"{{t}}\">", "JaVaScRiPt:alert(1)", "<a href=\"#\">");
    address("<a href='{{t}}'>", "data:text/html,x", "<a href='#'>");
    address("<a href='{{t}}'>", "vbscript:x", "<a href='#'>");
    address("<a HREF='{{t}}' id='{{t}}'>", "vbscript:x", "<a HREF='#' id='vbscript:x'>");
    address("<a href=\"{{t}}\">", "MAILTO:a@example.org", "<a href=\"MAILTO:a@example.org\">");
    address("<a href=\"{{t}}\">", "tel:+62-21", "<a href=\"tel:+62-21\">");
    address("<a href=\"{{t}}\">", "a b\"c'd<e>\x01%zz%2", "<a href=\"a%20b%22c%27d%3Ce%3E%01%25zz%252\">");
    address("<a href=\"{{t}}\">", " javascript:x", "<a href=\"#\">");
    address("<a href=\"{{t}}\">", "java\nscript:x", "<a href=\"#\">");
    address("<a href=\"{{t}}{{u}}\">", "javascript:", "<a href=\"#\">");
    address("<a href=\"{{t}}:x{{u}}\">", "javascript", "<a href=\"#\">"); /* whatever it is made of */
    address("<a href=\" {{t}}\">", "javascript:x", "<a href=\"#\">");
    address("<a href=\"java{{t}}\">", "script:x", "<a href=\"#\">");
    address("<a href=\"{{root}}{{u}}?x={{t}}\">", "a:b", "<a href=\"../b/c?x=a:b\">");
    address("<a href=\"?x={{t}}\">", "a:b", "<a href=\"?x=a:b\">");
    address("<a href=\"#{{t}}\">", "a:b", "<a href=\"#a:b\">");
    address("<a href=\"{{t}}/{{u}}\">", "@ROOT@", "<a href=\"@ROOT@/b/c\">");
    address("<a href=\"{{t}}\">", "//host/x", "<a href=\"//host/x\">");
    address("<img src=\"{{t}}\">", "data:image/png;base64,AA", "<img src=\"data:image/png;base64,AA\">");
    address("<a href=\"{{t}}\">", "data:image/png;base64,AA", "<a href=\"#\">");
    address("<img src=\"{{t}}\">", "data:text/html,AA", "<img src=\"#\">");
    address("<iframe src=\"{{t}}\">", "data:image/svg+xml,AA", "<iframe src=\"#\">");
    address("<form action=\"{{t}}\"><button formaction=\"{{t}}\"><blockquote cite=\"{{t}}\">", "x:y",
            "<form action=\"#\"><button formaction=\"#\"><blockquote cite=\"#\">");
    address("<a href=\"{{#u}}{{t}}{{/u}}{{^u}}/{{/u}}\">", "x:y", "<a href=\"#\">");
    address("<a href=\"javascript:x\" title=\"{{t}}\">", "a",
            "<a href=\"javascript:x\" title=\"a\">"); /* the template's own text is its author's */
    address("<a href=\"\">{{t}}", "a", "<a href=\"\">a");
}

static void scripts(void **state)
{
    renders("<script type=\"application/ld+json\">\n{{{j}}}\n</script>{{t}}", DATA,
            "<script "
            "type=\"application/ld+json\">\n{\"a\":\"\\u003c/script\\u003e\\u0026\\u2028\"}\n</script>teks");
    renders("<script id=x type=application/json>{{& j}}</script>", DATA,
            "<script id=x type=application/json>{\"a\":\"\\u003c/script\\u003e\\u0026\\u2028\"}</script>");
    renders("{{#k}}<script type=\"application/json\">{{{k}}}</script>{{/k}}", "{\"k\": [1, null, 0.1]}",
            "<script type=\"application/json\">[1,null,0.1]</script>");
    renders("{{#k}}<script type=\"application/json\">{{{k}}}</script>{{/k}}", "{\"k\": null}", "");
    renders("<script type=\"application/json\">{\"a\": 1}</script>", DATA,
            "<script type=\"application/json\">{\"a\": 1}</script>");
}

static void other_forms(void **state)
{
    set_write(&s, "ours/pages/p.xml",
              "<?xml version=\"1.0\"?>\n<a href=\"{{t}}\"><script>{{u}}</script><![CDATA[<]]><!-- x --></a>");
    assert_int_equal(set_open(&s), ODP_OK);
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_EN, "{\"t\": \"x:<\", \"u\": \"&\"}"), ODP_OK);
    assert_string_equal(
        odp_buffer_cstr(&s.out),
        "<?xml version=\"1.0\"?>\n<a href=\"x:&lt;\"><script>&amp;</script><![CDATA[<]]><!-- x --></a>");
    set_remove(&s, "ours/pages/p.xml");
    set_write(&s, "ours/pages/q.txt", "<a href={{t}} <!-- {{u}} {{#list}}{{.}} {{/list}}");
    assert_int_equal(set_open(&s), ODP_OK);
    assert_int_equal(
        set_render_page(&s, "q", ODP_LANG_EN, "{\"t\": \"x:<\", \"u\": \"&\", \"list\": [\"\\\"\"]}"),
        ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "<a href=x:< <!-- & \" ");
}

/* Pages of a program, in memory. */
static void programs(void **state)
{
    static const struct odp_template_text texts[] = {
        {"model.json", (const unsigned char *)"not a page"},
        {"a/x.py", (const unsigned char *)"\"{{v}}\" # {{w.hi}}\n"},
        {"a/x.php", (const unsigned char *)"'{{v}}' {{{c}}}"},
        {"a/x.md", (const unsigned char *)"[{{v}}]({{{c}}})"},
        {"b/x.d.ts", (const unsigned char *)"{ {{> shape}} }"},
        {"b/parts/shape.ts", (const unsigned char *)"\"{{v}}\": {{{c}}}"},
        {"b/words/w.json", (const unsigned char *)"{\"hi\": {\"id\": \"ha\\\"i\", \"en\": \"hi\"}}"},
        {NULL, NULL}};
    static const struct {
        const char *page, *expected;
    } cases[] = {{"a/x.py", "\"a\\\"\\\\ '*\\u000a\\u2028e\" # ha\\\"i\n"},
                 {"a/x.php", "'a\"\\\\ \\'*\n\xe2\x80\xa8"
                             "e' int[]"},
                 {"a/x.md", "[a\"\\\\ '\\* \xe2\x80\xa8"
                            "e](int[])"},
                 {"b/x.d.ts", "{ \"a\\\"\\\\ '*\\u000a\\u2028e\": int[] }"}};
    struct odp_templates *t;
    struct odp_diags *diags;
    struct odp_buffer out;
    json_t *common = json_loads("{\"v\": \"text\", \"c\": \"code\"}", 0, NULL),
           *data = json_pack("{s:s, s:s}", "v",
                             "a\"\\ '*\n\xe2\x80\xa8"
                             "e",
                             "c", "int[]");
    const json_t *scope = data;
    const struct odp_templates_options o = {.common = common, .texts = texts};
    odp_buffer_init(&out);
    assert_int_equal(odp_diags_new(&diags, 10), ODP_OK);
    assert_int_equal(odp_templates_open(&t, &o, diags), ODP_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        odp_buffer_clear(&out);
        assert_int_equal(odp_templates_render(t, cases[i].page, ODP_LANG_ID, &scope, 1, &out), ODP_OK);
        assert_string_equal(odp_buffer_cstr(&out), cases[i].expected);
    }
    assert_false(odp_templates_has(t, "model.json"));
    odp_templates_close(t);
    odp_diags_free(diags);
    odp_buffer_release(&out);
    json_decref(common);
    json_decref(data);
}

static void words(void **state)
{
    set_write(
        &s, "ours/words/a.json",
        "{\"hello\": {\"id\": \"Halo <\", \"en\": \"Hello\"}, \"url\": {\"id\": \"x:y\", \"en\": \"a b\"}}");
    set_write(&s, "ours/words/b.json", "{\"bye\": {\"id\": \"Dah\", \"en\": \"Bye\"}}");
    set_write(&s, "own/words/mine.json", "{\"hello\": {\"id\": \"Hai\", \"en\": \"Hi\"}}");
    renders("{{w.hello}}, {{#f}}<b title=\"{{w.bye}}\">{{/f}}<a href=\"{{w.url}}\">", DATA,
            "Hai, <b title=\"Dah\"><a href=\"#\">");
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_EN, DATA), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "Hi, <b title=\"Bye\"><a href=\"a%20b\">");
    assert_string_equal(odp_templates_word(s.t, "bye", ODP_LANG_EN), "Bye");
    assert_string_equal(odp_templates_word(s.t, "hello", ODP_LANG_ID), "Hai");
    assert_null(odp_templates_word(s.t, "hell", ODP_LANG_ID));
    set_remove(&s, "own/words/mine.json");
    renders("{{w.hello}}", DATA, "Halo &lt;");
}

/* A value appears in the page's language, or as its filter asks. */
static void filters(void **state)
{
    static const char data[] =
        "{\"b\": {\"id\": \"Satu\", \"en\": \"One\"}, \"n\": 12345, \"d\": \"2024-03-15\", \"s\": \"a&b c\", "
        "\"rows\": [{\"x\": 1}, {\"x\": 2}]}";
    s.model = "{\"b\": \"both\", \"n\": \"number\", \"d\": \"text\", \"s\": \"text\", \"rows\": [{\"x\": "
              "\"number\"}]}";
    set_write(&s, "ours/words/a.json",
              "{\"kind_a\": {\"id\": \"jenis a\", \"en\": \"kind a\"}, \"many\": {\"id\": \"{n|number} "
              "baris, {b}\", \"en\": \"{n|number} rows, {b}\"}}");
    renders("{{b}} {{b|en}} {{n}} {{n|number}} {{d|day}} {{s|percent}}", data,
            "Satu One 12345 12.345 15 Maret 2024 a%26b%20c");
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_EN, data), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "One One 12345 12,345 15 March 2024 a%26b%20c");
    renders("{{#rows}}{{^-first}}, {{/-first}}{{x}}{{#-last}}.{{/-last}}{{/rows}}", data, "1, 2.");
    renders("{{w.many}}; {{d|word kind_}}", "{\"b\": \"Satu\", \"n\": 1000, \"d\": \"a\"}",
            "1.000 baris, Satu; jenis a");
    set_remove(&s, "ours/pages/p.html");
    set_write(&s, "ours/pages/p.json",
              "{\"s\": \"{{s}}\", \"rows\": [{{#rows}}{{x}}, {{/rows}}], \"b\": \"{{b|id}}\",}");
    assert_int_equal(set_open(&s), ODP_OK);
    assert_int_equal(
        set_render_page(&s, "p", ODP_LANG_EN, "{\"s\": \"\\\"\\n\", \"b\": \",]\", \"rows\": [{\"x\": 1}]}"),
        ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "{\"s\": \"\\\"\\u000a\", \"rows\": [1 ], \"b\": \",]\"}");
}

static void folders(void **state)
{
    set_write(&s, "ours/parts/a.html", "ours-a ");
    set_write(&s, "ours/parts/b.html", "ours-b ");
    set_write(&s, "own/parts/b.html", "own-b ");
    set_write(&s, "ours/pages/p.id.html", "{{> a}}{{> b}}id");
    set_write(&s, "ours/pages/p.en.html", "{{> a}}{{> b}}en");
    set_write(&s, "ours/pages/.p.html.swp", "{{");
    set_write(&s, "ours/pages/p.html~", "{{");
    assert_int_equal(set_open(&s), ODP_OK);
    assert_true(odp_templates_has(s.t, "p"));
    assert_false(odp_templates_has(s.t, "q"));
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_EN, DATA), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "ours-a own-b en");
    set_write(&s, "own/pages/p.en.html", "{{> b}}mine"); /* file by file */
    assert_int_equal(set_open(&s), ODP_OK);
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_EN, DATA), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "own-b mine");
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_ID, DATA), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "ours-a own-b id");
    set_remove(&s, "own/pages/p.en.html");
    set_write(&s, "own/pages/p.html", "{{> b}}both"); /* one for both languages wins over two */
    assert_int_equal(set_open(&s), ODP_OK);
    assert_int_equal(set_render_page(&s, "p", ODP_LANG_ID, DATA), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.out), "own-b both");
    /* no pages at all: the folders need not be there */
    set_close(&s);
    assert_int_equal(odp_dir_remove(s.dir), ODP_OK);
    assert_int_equal(odp_dir_make(s.dir), ODP_OK);
    assert_int_equal(set_open(&s), ODP_OK);
    assert_false(odp_templates_has(s.t, "p"));
}

/* What the model promises and the data lack is our mistake. */
static void broken_promises(void **state)
{
    static const struct {
        const char *text, *data, *failure;
    } cases[] = {
        {"{{t}}", "{}", "render page p (id), name t: not there"},
        {"{{t}}", "{\"t\": null}", "render page p (id), name t: not there"},
        {"{{t}}", "{\"t\": 1}", "render page p (id), name t: not a text"},
        {"{{obj.in.deep}}", "{\"obj\": {\"in\": {}}}", "render page p (id), name obj.in.deep: not there"},
        {"{{obj.in.deep}}", "{\"obj\": {\"in\": \"x\"}}",
         "render page p (id), name obj.in.deep: is not in an object"},
        {"{{#f}}{{/f}}", "{\"f\": \"ya\"}", "render page p (id), name f: not true or false"},
        {"{{#list}}{{/list}}", "{}", "render page p (id), name list: not there"},
        {"{{#list}}{{/list}}", "{\"list\": {}}", "render page p (id), name list: not an array"},
        {"{{#list}}{{.}}{{/list}}", "{\"list\": [{}]}", "render page p (id), name .: not a text"},
        {"{{#rows}}{{name}}{{/rows}}", "{\"rows\": [\"x\"]}",
         "render page p (id), name name: is not in an object"},
        {"{{#opt}}{{name}}{{/opt}}", "{\"opt\": {}}", "render page p (id), name name: not there"},
        {"{{#obj}}{{/obj}}", "{\"obj\": []}", "render page p (id), name obj: not an object"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_write(&s, "ours/pages/p.html", cases[i].text);
        assert_int_equal(set_open(&s), ODP_OK);
        odp_failure_clear();
        assert_int_equal(set_render_page(&s, "p", ODP_LANG_ID, cases[i].data), ODP_FAIL);
        assert_string_equal(odp_failure_text(), cases[i].failure);
    }
    odp_failure_clear();
    assert_int_equal(set_render_page(&s, "tidak", ODP_LANG_ID, "{}"), ODP_FAIL);
    odp_failure_clear();
    s.model = "{\"t\": \"txt\"}";
    assert_int_equal(set_open(&s), ODP_FAIL);
    odp_failure_clear();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(values, setup, teardown),
                                       cmocka_unit_test_setup_teardown(sections, setup, teardown),
                                       cmocka_unit_test_setup_teardown(lines, setup, teardown),
                                       cmocka_unit_test_setup_teardown(parts, setup, teardown),
                                       cmocka_unit_test_setup_teardown(attributes, setup, teardown),
                                       cmocka_unit_test_setup_teardown(addresses, setup, teardown),
                                       cmocka_unit_test_setup_teardown(scripts, setup, teardown),
                                       cmocka_unit_test_setup_teardown(other_forms, setup, teardown),
                                       cmocka_unit_test_setup_teardown(words, setup, teardown),
                                       cmocka_unit_test_setup_teardown(filters, setup, teardown),
                                       cmocka_unit_test_setup_teardown(folders, setup, teardown),
                                       cmocka_unit_test_setup_teardown(programs, setup, teardown),
                                       cmocka_unit_test_setup_teardown(broken_promises, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
