/* What is wrong with templates is found when they are opened: where it stands, what it says, and that nothing
 * else is said. */
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

/* TEXT as page p has the one fault EXPECTED: "1:5 words in it [mark]". */
static void has(const char *text, const char *expected)
{
    char line[1024];
    set_write(&s, "ours/pages/p.html", text);
    enum odp_status status = set_open(&s);
    if (status != ODP_BAD)
        print_error("not found: %s\n", text);
    assert_int_equal(status, ODP_BAD);
    assert_null(s.t);
    snprintf(line, sizeof line, "%s", odp_buffer_cstr(&s.faults));
    static const char prefix[] = "ours/pages/p.html ";
    size_t place = strcspn(expected, " ");
    const char *mark = strstr(expected, " [") != NULL ? strstr(expected, " [") : expected + strlen(expected);
    size_t words = (size_t)(mark - expected) > place ? (size_t)(mark - expected) - place - 1 : 0;
    char want[256];
    snprintf(want, sizeof want, "%.*s", (int)words, expected + place + 1);
    bool one = strchr(line, '\n') == line + strlen(line) - 1;
    bool right = strncmp(line, prefix, sizeof prefix - 1) == 0 &&
                 strncmp(line + sizeof prefix - 1, expected, place + 1) == 0 && strstr(line, want) != NULL;
    size_t len = strlen(line), n = strlen(mark);
    right = right && one && len > n && strncmp(line + len - 1 - n, mark, n) == 0;
    if (!right)
        print_error("%s\n  expected: %s\n  found: %s", text, expected, line);
    assert_true(right);
}

static void tags(void **state)
{
    has("a\n b {{t\n}}", "2:4 is not closed by }} on its line [{{t]");
    has("é{{t", "1:2 is not closed by }} [{{t]");
    has("{{{h}}", "1:1 {{{ is not closed by }}} [{{{h}}]");
    has("{{{h}} }", "1:1 {{{ is not closed [{{{h}} }]");
    has("{{! a\nb", "1:1 {{! is not closed [{{!]");
    has("{{t}}}", "1:1 unbalanced braces [{{t}}}]");
    has("a {t}} b", "1:3 unbalanced braces [{t}}]");
    has("a {#f}} b", "1:3 unbalanced braces [{#f}}]");
    has("{{ {t} }}", "1:1 unbalanced braces [{{ {t} }}]");
    has("{{=<% %>=}}", "1:1 delimiters [{{=<% %>=}}]");
    has("{{}}", "1:1 not a name [{{}}]");
    has("{{a b}}", "1:1 not a name [{{a b}}]");
    has("{{a..b}}", "1:1 not a name [{{a..b}}]");
    has("{{.a}}", "1:1 not a name [{{.a}}]");
    has("{{a.}}", "1:1 not a name [{{a.}}]");
    has("{{> a/b}}", "1:1 not a name [{{> a/b}}]");
    has("{{# }}", "1:1 not a name [{{# }}]");
    has("{{/}}", "1:1 not a name [{{/}}]");
    has("{{a.b.c.d.e.f.g.h.i}}", "1:1 too long or too deep [{{a.b.c.d.e.f.g.h.i}}]");
    has("{{aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa}}", "1:1 too long or too deep");
}

static void sections(void **state)
{
    has("a\n{{#f}}\nb", "2:1 section {{#f}} is not closed; add {{/f}} [{{#f}}]");
    has("{{^f}}{{t}}", "1:1 section {{^f}} is not closed; add {{/f}} [{{^f}}]");
    has("x{{/f}}", "1:2 {{/f}} closes a section that is not open [{{/f}}]");
    has("{{#f}}{{#g}}{{/f}}{{/g}}",
        "1:13 {{/f}} closes a section while {{#g}} inside of it is open [{{/f}}]");
    has("{{#f}}{{/ g }}{{/f}}", "1:7 {{/ g }} closes a section that is not open [{{/ g }}]");
    has("{{#w.x}}{{/w.x}}", "1:1 a word is always there [{{#w.x}}]");
}

static void names(void **state)
{
    has("{{titel}}", "1:1 there is no name “titel” here (page “p”) [{{titel}}]");
    has("{{roots}}", "1:1 => root [{{roots}}]");
    has("{{site.titel}}", "1:1 | title, license => site.title [{{site.titel}}]");
    has("{{obj.in.deeep}}", "1:1 => obj.in.deep [{{obj.in.deeep}}]");
    has("{{t.x}}", "1:1 there is no name “t.x” [{{t.x}}]");
    has("{{#rows}}{{nam}}{{/rows}}", "1:10 => name [{{nam}}]");
    has("{{#rows}}{{cels.x}}{{/rows}}", "1:10 => cells [{{cels.x}}]");
    has("{{rows.name}}",
        "1:1 “rows” is a list and has no named members; open it with {{#rows}} [{{rows.name}}]");
    has("{{#rowz}}{{name}}{{unheard_of}}{{/rowz}}{{t}}",
        "1:1 => rows [{{#rowz}}]"); /* what follows from it is not said */
    has("{{.}}", "1:1 {{.}} is only in a section [{{.}}]");
    has("{{#f}}{{.}}{{/f}}", "1:7 {{.}} is only in a section [{{.}}]");
    has("{{#rows}}{{.}}{{/rows}}", "1:10 holds others [{{.}}]");
    has("{{obj}}", "1:1 “obj” is not a text but holds others; open it with {{#obj}}…{{/obj}} [{{obj}}]");
    has("{{list}}", "1:1 “list” is not a text [{{list}}]");
    has("{{f}}", "1:1 “f” is yes or no and not a text; use {{#f}}…{{/f}} [{{f}}]");
    has("{{h}}", "1:1 “h” is markup; write {{{h}}} [{{h}}]");
    has("{{j}}", "1:1 “j” is JSON; write {{{j}}} [{{j}}]");
    has("{{{t}}}", "1:1 must be escaped; write {{t}} [{{{t}}}]");
    has("{{&t}}", "1:1 must be escaped; write {{t}} [{{&t}}]");
    has("{{?}}", "1:1 not a name [{{?}}]");
    has("{{opt.?}}", "1:1 not a name [{{opt.?}}]");
}

static void places(void **state)
{
    has("<{{t}}>", "1:2 may not be the name of an element [{{t}}]");
    has("<a{{t}}>", "1:3 may not be the name [{{t}}]");
    has("<a {{t}}>", "1:4 may not be the name [{{t}}]");
    has("<a b{{t}}=\"\">", "1:5 may not be the name [{{t}}]");
    has("<a title={{t}}>", "1:10 write title=\"{{t}}\" [{{t}}]");
    has("<a title=x{{t}}>", "1:11 write title=\"{{t}}\" [{{t}}]");
    has("<a href={{t}}>", "1:9 write href=\"{{t}}\" [{{t}}]");
    has("<!-- {{t}} -->", "1:6 inside of an HTML comment [{{t}}]");
    has("<!doctype {{t}}>", "1:11 declaration [{{t}}]");
    has("</a {{t}}>", "1:5 declaration [{{t}}]");
    has("</{{t}}>", "1:3 declaration [{{t}}]");
    has("<script>var a = \"{{t}}\";</script>", "1:18 inside of <script> [{{t}}]");
    has("<SCRIPT>{{t}}</script>", "1:9 inside of <script> [{{t}}]");
    has("<style>{{t}}</style>", "1:8 inside of <style> [{{t}}]");
    has("<p style=\"color: {{t}}\">", "1:18 attribute style; [{{t}}]");
    has("<p onClick='{{t}}'>", "1:13 attribute onclick; [{{t}}]");
    has("<img srcset=\"{{t}} 2x\">", "1:14 attribute srcset; [{{t}}]");
    has("<iframe srcdoc=\"{{t}}\">", "1:17 attribute srcdoc; [{{t}}]");
    has("<p title=\"{{{h}}}\">", "1:11 “h” may stand between elements alone [{{{h}}}]");
    has("<title>{{{h}}}</title>", "1:8 “h” may stand between elements alone [{{{h}}}]");
    has("<p>{{{j}}}", "1:4 may only be the whole of <script [{{{j}}}]");
    has("<script>{{{j}}}</script>", "1:9 inside of <script> [{{{j}}}]");
    has("<script type=\"module\">{{{j}}}</script>", "1:23 inside of <script> [{{{j}}}]");
    has("<script type=\"application/json{{t}}\">{{{j}}}</script>", "1:38 inside of <script> [{{{j}}}]");
    has("<script type=\"application/json\" type=\"module\">{{{j}}}</script>",
        "1:47 inside of <script> [{{{j}}}]");
    has("<script type=\"application/json\">{{t}}</script>", "1:33 a JSON <script> holds one {{{…}}} [{{t}}]");
    has("<script type=\"application/json\">{\"a\": {{{j}}} }</script>",
        "1:39 a JSON <script> holds one [{{{j}}}]");
    has("<script type=\"application/json\">{{{j}}};</script>", "1:40 a JSON <script> holds one [;]");
    has("<script type=\"application/json\">{{{j}}}{{{j}}}</script>",
        "1:40 a JSON <script> holds one [{{{j}}}]");
    has("<script type=\"application/json\">{{{t}}}</script>", "1:33 must be escaped");
}

static void contexts(void **state)
{
    has("<a title=\"{{#f}}x\"{{/f}}>", "1:11 section {{#f}} ends in another place [{{#f}}]");
    has("{{#f}}<p{{/f}}>", "1:1 section {{#f}} ends in another place [{{#f}}]");
    has("{{#f}}<!--{{/f}}-->", "1:1 section {{#f}} ends [{{#f}}]");
    has("{{#f}}<script>{{/f}}</script>", "1:1 section {{#f}} ends [{{#f}}]");
    has("<{{#f}}a{{/f}}>", "1:2 section {{#f}} ends [{{#f}}]");
    has("<scr{{#f}}ipt{{/f}}>", "1:5 section {{#f}} ends [{{#f}}]");
    has("<script {{#f}}type=\"application/json\"{{/f}}>{}</script>", "1:9 section {{#f}} ends [{{#f}}]");
    has("<script type=\"application/json\">{{#k}}{{{k}}}{{/k}}</script>",
        "1:33 section {{#k}} ends [{{#k}}]");
    has("<a{{#list}} b{{/list}}>", "1:3 section {{#list}} ends [{{#list}}]"); /* an attribute twice */
    has("<a b{{#f}} c{{/f}}=\"x\">", "1:19 runs into what is before it [=]");
    has("<a{{#f}} c{{/f}}d>", "1:17 runs into what is before it [d]");
    has("<a{{#f}} c{{/f}}{{#g}}d{{/g}}>", "1:23 runs into what is before it [d]");
    has("<script><!--<script></script>{{t}}", "1:12 <!-- inside of <script> moves the end [-]");
    has("<p", "1:2 the page ends inside of a tag, quotes, a comment, or <p> [p]");
    has("<p title=\"x>\n</p>\n", "2:5 the page ends inside of []");
    has("<title>x", "1:8 <title>; close it [x]");
    has("<!-- x ->", "1:9 the page ends inside [>]");
}

static void files(void **state)
{
    has("a\n\xff", "2:1 not UTF-8 [\xef\xbf\xbd]");
    set_put(&s, "ours/pages/p.html", "ab\0c", 4);
    assert_int_equal(set_open(&s), ODP_BAD);
    assert_string_equal(odp_buffer_cstr(&s.faults),
                        "ours/pages/p.html 1:3 a NUL byte; save the file as UTF-8 text []\n");
}

static void files_and_folders(void **state)
{
    set_write(&s, "ours/pages/p.html", "x");
    set_write(&s, "ours/pages/beranda.html", "x");
    set_write(&s, "ours/pages/P2.html", "x");
    set_write(&s, "ours/pages/p.htm", "x");
    set_write(&s, "ours/pages/q.id.html", "x");
    set_write(&s, "ours/parts/a.md", "x");
    set_write(&s, "ours/words/a.txt", "x");
    assert_int_equal(set_open(&s), ODP_BAD);
    assert_string_equal(
        odp_buffer_cstr(&s.faults),
        "ours/pages/P2.html this is not the name of a template; use lower-case letters, digits, '-', '_' and "
        "one of the endings named | .html, .id.html, .en.html, .xml, .txt, .json\n"
        "ours/pages/p.htm this is not the name of a template; use lower-case letters, digits, '-', '_' and "
        "one of the endings named | .html, .id.html, .en.html, .xml, .txt, .json\n"
        "ours/parts/a.md this is not the name of a template; use lower-case letters, digits, '-', '_' and "
        "one of the endings named | .html, .xml, .txt, .json\n"
        "ours/words/a.txt this is not the name of a template; use lower-case letters, digits, '-', '_' and "
        "one of the endings named | .json\n"
        "ours/pages/beranda.html there is no page named “beranda”; name the file after a page that there is "
        "| p, q\n"
        "ours/pages/q.id.html page “q” is not there in language “en”; write a file for that language too\n");
}

static void same_page_twice(void **state)
{
    set_write(&s, "ours/pages/p.html", "x");
    set_write(&s, "ours/pages/p.xml", "<x/>");
    set_write(&s, "ours/pages/q/x", "a folder");
    assert_int_equal(set_open(&s), ODP_BAD);
    assert_non_null(strstr(odp_buffer_cstr(&s.faults),
                           "ours/pages/p.xml this page stands in the same folder already: /"));
    assert_non_null(strstr(odp_buffer_cstr(&s.faults), "ours/pages/q this is not the name of a template"));
    set_write(&s, "ours/pages/q.html/x", "a folder");
    assert_int_equal(set_open(&s), ODP_BAD);
    assert_non_null(
        strstr(odp_buffer_cstr(&s.faults), "ours/pages/q.html template file cannot be read: Is a directory"));
    set_write(&s, "own/pages", "a file");
    assert_int_equal(set_open(&s), ODP_BAD);
    assert_non_null(
        strstr(odp_buffer_cstr(&s.faults), "own/pages/ template file cannot be read: Not a directory"));
}

static void words(void **state)
{
    set_write(&s, "ours/pages/p.html", "{{w.helo}} {{{w.hello}}} <p {{w.hello}}>");
    set_write(&s, "ours/words/a.json",
              "{\"hello\": {\"id\": \"a\", \"en\": \"b\"},\n \"x\": \"y\", \"empty\": {\"id\": \"\", \"en\": "
              "\"x\"},\n"
              " \"more\": {\"id\": \"a\", \"en\": \"b\", \"fr\": \"c\"}, \"a b\": {\"id\": \"a\", \"en\": "
              "\"b\"},\n \"one\": {\"id\": \"a\"}}");
    set_write(&s, "ours/words/b.json", "{\n\"hello\": {\"id\": \"a\", \"en\": \"b\"}}");
    set_write(&s, "ours/words/c.json", "{\"a\": 1,\n }");
    set_write(&s, "ours/words/d.json", "[]");
    set_write(&s, "ours/words/e.json", "{\"a\": {}, \"a\": {}}");
    assert_int_equal(set_open(&s), ODP_BAD);
    char *found = strdup(odp_buffer_cstr(&s.faults));
    assert_non_null(found);
    static const char expected[] =
        "ours/words/a.json 2:2 a word must have the form expected; mend “x” | \"key\": {\"id\": \"…\", "
        "\"en\": \"…\"} [\"x\"]\n"
        "ours/words/a.json 2:12 word “empty” is empty in language “id”; write its text [\"empty\"]\n"
        "ours/words/a.json 3:2 a word must have the form expected; mend “more” | \"key\": {\"id\": \"…\", "
        "\"en\": \"…\"} [\"more\"]\n"
        "ours/words/a.json 3:45 a word must have the form expected; mend “a b” | \"key\": {\"id\": \"…\", "
        "\"en\": \"…\"} [\"a b\"]\n"
        "ours/words/a.json 4:2 a word must have the form expected; mend “one” | \"key\": {\"id\": \"…\", "
        "\"en\": \"…\"} [\"one\"]\n";
    assert_int_equal(strncmp(found, expected, sizeof expected - 1), 0);
    static const char *const also[] = {
        "ours/words/c.json 2:2 not valid JSON: ",
        "ours/words/d.json 1:1 a word must have the form expected",
        "ours/words/e.json 1:",
        "ours/words/b.json 2:1 word “hello” is in /",
        "p.html 1:1 there is no word “helo”; mend the name, or add it to words/*.json => w.hello "
        "[{{w.helo}}]",
        "p.html 1:12 “w.hello” is a text and must be escaped; write {{w.hello}}",
        "p.html 1:29 a value may not be the name"};
    for (size_t i = 0; i < sizeof also / sizeof *also; i++) {
        if (strstr(found, also[i]) == NULL)
            print_error("%s\n%s\n", also[i], found);
        assert_non_null(strstr(found, also[i]));
    }
    size_t lines = 0;
    for (const char *c = found; *c != '\0'; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 5 + 7);
    free(found);
}

static void parts(void **state)
{
    set_write(&s, "ours/parts/a.html", "{{> b}}");
    set_write(&s, "ours/parts/b.html", "\n{{> a}} {{nope}} {{#f}}");
    set_write(&s, "ours/pages/p.html", "{{> a}} {{> tidak}}");
    set_write(&s, "ours/pages/q.html", "{{> a}}");
    assert_int_equal(set_open(&s), ODP_BAD); /* once for each place, however many pages take the part in */
    assert_string_equal(
        odp_buffer_cstr(&s.faults),
        "ours/parts/b.html 2:18 section {{#f}} is not closed; add {{/f}} [{{#f}}]\n"
        "ours/parts/b.html 2:1 this part takes in itself: a → b → a; break the circle [{{> a}}]\n"
        "ours/parts/b.html 2:9 there is no name “nope” here (page “p”); use one that there is | t, u, o, f, "
        "g, h, j, k, obj, opt, list, rows, … [{{nope}}]\n"
        "ours/pages/p.html 1:9 there is no parts/tidak.html; mend the name, or make that file | a, b [{{> "
        "tidak}}]\n");
    set_write(&s, "ours/parts/a.html", "a");
    set_write(&s, "ours/parts/b.html", "b");
    set_write(&s, "ours/pages/p.html", "{{> p}}");
    assert_int_equal(set_open(&s), ODP_BAD);
}

static void all_of_them(void **state)
{
    set_write(&s, "ours/pages/p.html",
              "<a {{x1}}>{{#f}}{{x2}}\n<b title={{t}}>{{/g}}{{/f}}<style>{{t}}</style> {{x 3}}");
    assert_int_equal(set_open_as(&s, ODP_LANG_ID), ODP_BAD);
    assert_string_equal(odp_buffer_cstr(&s.faults),
                        "ours/pages/p.html 2:16 {{/g}} menutup bagian yang tidak dibuka; hapus tanda ini, "
                        "atau buka bagiannya lebih dulu [{{/g}}]\n"
                        "ours/pages/p.html 2:49 ini bukan nama; tulis huruf, angka, '_' atau '-', dengan "
                        "titik di antara anggota, misalnya {{site.title}} [{{x 3}}]\n"
                        "ours/pages/p.html 1:4 tidak ada nama “x1” di sini (halaman “p”); pakai nama yang "
                        "ada | t, u, o, f, g, h, j, k, obj, opt, list, rows, … [{{x1}}]\n"
                        "ours/pages/p.html 1:17 tidak ada nama “x2” di sini (halaman “p”); pakai nama yang "
                        "ada | t, u, o, f, g, h, j, k, obj, opt, list, rows, … [{{x2}}]\n");
    /* with its structure mended the places are told too */
    set_write(&s, "ours/pages/p.html", "<a {{x1}}>{{#f}}{{x2}}\n<b title={{t}}>{{/f}}<style>{{t}}</style>");
    assert_int_equal(set_open(&s), ODP_BAD);
    assert_non_null(strstr(odp_buffer_cstr(&s.faults), "2:10 a value in an attribute without quotes"));
    assert_non_null(strstr(odp_buffer_cstr(&s.faults), "2:29 no value may stand inside of <style>"));
    assert_non_null(strstr(odp_buffer_cstr(&s.faults), "1:4 a value may not be the name"));
}

/* A folder that wins: what nothing asks for is a warning, a fault of ours hidden by it is none. */
static void folder_that_wins(void **state)
{
    set_write(&s, "ours/pages/p.html", "{{> head}} {{w.hello}}");
    set_write(&s, "ours/parts/head.html", "a");
    set_write(&s, "ours/parts/unused.html", "a");
    set_write(&s, "ours/words/a.json",
              "{\"hello\": {\"id\": \"a\", \"en\": \"b\"}, \"code\": {\"id\": \"a\", \"en\": \"b\"}}");
    set_write(&s, "own/parts/haed.html", "b");
    set_write(&s, "own/words/a.json",
              "{\"hello\": {\"id\": \"a\", \"en\": \"b\"}, \"code\": {\"id\": \"a\", \"en\": \"b\"}, "
              "\"helo\": {\"id\": \"a\", \"en\": \"b\"}}");
    assert_int_equal(set_open(&s), ODP_OK);
    assert_string_equal(
        odp_buffer_cstr(&s.faults),
        "warning own/parts/haed.html no page takes in this part; mend the file's name, or remove it\n"
        "warning own/words/a.json word “helo” is not used; mend the key, or remove it\n");
    set_write(&s, "own/pages/p.html", "{{> haed}}{{t}}{{w.helo}}");
    set_write(&s, "ours/pages/p.html", "{{t");
    assert_int_equal(set_open(&s), ODP_BAD); /* its own structure is looked at all the same */
    assert_string_equal(odp_buffer_cstr(&s.faults),
                        "ours/pages/p.html 1:1 tag {{ is not closed by }} on its line; close it [{{t]\n");
    set_write(&s, "ours/pages/p.html", "{{t}}{{unheard_of}}");
    assert_int_equal(set_open(&s), ODP_OK);
    assert_string_equal(odp_buffer_cstr(&s.faults), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(tags, setup, teardown),
                                       cmocka_unit_test_setup_teardown(sections, setup, teardown),
                                       cmocka_unit_test_setup_teardown(names, setup, teardown),
                                       cmocka_unit_test_setup_teardown(places, setup, teardown),
                                       cmocka_unit_test_setup_teardown(contexts, setup, teardown),
                                       cmocka_unit_test_setup_teardown(files, setup, teardown),
                                       cmocka_unit_test_setup_teardown(files_and_folders, setup, teardown),
                                       cmocka_unit_test_setup_teardown(same_page_twice, setup, teardown),
                                       cmocka_unit_test_setup_teardown(words, setup, teardown),
                                       cmocka_unit_test_setup_teardown(parts, setup, teardown),
                                       cmocka_unit_test_setup_teardown(all_of_them, setup, teardown),
                                       cmocka_unit_test_setup_teardown(folder_that_wins, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
