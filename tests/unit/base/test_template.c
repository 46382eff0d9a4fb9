/* Templates that are no page of a folder: programs, words by themselves, odd files. (Pages and faults:
 * answers/templates.txt.) */
#include "template_fixture.h"

static struct set s;

static int setup(void **state)
{
    odp_memory_forget();
    set_init(&s);
    return 0;
}

static int teardown(void **state)
{
    set_release(&s);
    return 0;
}

/* Pages of a program, in memory. */
TEST(programs)
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
    } cases[] = {
        {"a/x.py", "\"a\\\"\\\\ '*\\u000a\\u2028e\" # ha\\\"i\n"},
        {"a/x.php", "'a\"\\\\ \\'*\n\xe2\x80\xa8"
                    "e' int[]"},
        {"a/x.md", "[a\"\\\\ '\\* \xe2\x80\xa8"
                   "e](int[])"},
        {"b/x.d.ts", "{ \"a\\\"\\\\ '*\\u000a\\u2028e\": int[] }"},
    };
    struct odp_templates *t;
    struct odp_diags *diags;
    BUFFER(out);
    json_t *common = json_loads("{\"v\": \"text\", \"c\": \"code\"}", 0, NULL),
           *data = json_pack("{s:s, s:s}", "v",
                             "a\"\\ '*\n\xe2\x80\xa8"
                             "e",
                             "c", "int[]");
    const json_t *scope = data;
    const struct odp_templates_options o = {.common = common, .texts = texts};
    must(odp_diags_new(&diags, 10));
    must(odp_templates_open(&t, &o, diags));
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        odp_buffer_clear(&out);
        must(odp_templates_render(t, cases[i].page, ODP_LANG_ID, &scope, 1, &out));
        assert_string_equal(odp_buffer_cstr(&out), cases[i].expected);
    }
    assert_false(odp_templates_has(t, "model.json"));
    odp_templates_close(t);
    odp_diags_free(diags);
    json_decref(common);
    json_decref(data);
}

TEST(words)
{
    set_write(&s, "ours/words/a.json", "{\"hello\": {\"id\": \"Halo\", \"en\": \"Hello\"}}");
    set_write(&s, "ours/words/b.json", "{\"bye\": {\"id\": \"Dah\", \"en\": \"Bye\"}}");
    set_write(&s, "own/words/mine.json", "{\"hello\": {\"id\": \"Hai\", \"en\": \"Hi\"}}");
    must(set_open(&s));
    assert_string_equal(odp_templates_word(s.t, "bye", ODP_LANG_EN), "Bye");
    assert_string_equal(odp_templates_word(s.t, "hello", ODP_LANG_ID), "Hai");
    assert_null(odp_templates_word(s.t, "hell", ODP_LANG_ID));
}

TEST(a_proven_page_is_read_when_it_is_rendered)
{
    set_write(&s, "ours/words/a.json", "{\"hello\": {\"id\": \"Halo\", \"en\": \"Hello\"}}");
    set_write(&s, "ours/pages/p.html", "{{w.hello}}, {{> x}}");
    set_write(&s, "ours/pages/q.html", "{{nobody}}");
    s.proven = true;
    must(set_open(&s));
    set_write(&s, "ours/parts/x.html", "too early");
    must_fail(set_render_page(&s, "p", ODP_LANG_EN, "{}"), "compile p"); /* not seen when it was opened */
    must(set_open(&s));
    set_write(&s, "ours/parts/x.html", "{{site.title}}");
    must(set_render_page(&s, "p", ODP_LANG_EN, "{}"));
    assert_string_equal(odp_buffer_cstr(&s.out), "Hello, Data &amp; Kita");
    must_fail(set_render_page(&s, "q", ODP_LANG_ID, "{}"), "compile q");
    assert_string_equal(odp_buffer_cstr(&s.faults), "");
}

TEST(nothing_but_a_nul)
{
    must(odp_dir_remove(s.dir)); /* the folders need not exist */
    must(odp_dir_make(s.dir));
    must(set_open(&s));
    assert_false(odp_templates_has(s.t, "p"));
    must_fail(set_render_page(&s, "p", ODP_LANG_ID, "{}"), "");
    set_put(&s, "ours/pages/p.html", "ab\0c", 4);
    must_refuse(set_open(&s));
    assert_string_equal(odp_buffer_cstr(&s.faults),
                        "ours/pages/p.html 1:3 a NUL byte; save the file as UTF-8 text []\n");
}

EACH(setup, teardown)
