/* Templates that try to take more than they may have: every one ends soon, with a fault or a page. */
#include <pthread.h>
#include <sys/time.h>

#include "template_fixture.h"

static struct set s;

static int setup(void **state)
{
    set_init(&s);
    /* Linear work stays below this much of the processor's time, however busy the machine is. */
    return setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = 60}, NULL);
}

static int teardown(void **state)
{
    set_release(&s);
    return setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
}

/* COUNT times ONE, between BEFORE and AFTER. */
static void write_many(const char *path, const char *before, const char *one, size_t count, const char *after)
{
    BUFFER(text);
    odp_buffer_add_str(&text, before);
    for (size_t i = 0; i < count; i++)
        odp_buffer_add_str(&text, one);
    odp_buffer_add_str(&text, after);
    must(odp_buffer_status(&text));
    set_put(&s, path, text.len > 0 ? text.ptr : "", text.len);
}

static void refused(const char *says)
{
    must_refuse(set_open(&s));
    if (strstr(odp_buffer_cstr(&s.faults), says) == NULL)
        print_error("%s\n%.2000s\n", says, odp_buffer_cstr(&s.faults));
    assert_non_null(strstr(odp_buffer_cstr(&s.faults), says));
}

TEST(depths)
{
    char text[8192] = "", name[64];
    for (int i = 0; i < 32; i++)
        strcat(text, "{{#f}}");
    strcat(text, "x");
    for (int i = 0; i < 32; i++)
        strcat(text, "{{/f}}");
    set_write(&s, "ours/pages/p.html", text);
    must(set_open(&s));
    must(set_render_page(&s, "p", ODP_LANG_EN, "{\"f\": true}"));
    assert_string_equal(odp_buffer_cstr(&s.out), "x");
    write_many("ours/pages/p.html", "", "{{#f}}", 33, "");
    refused("1:193 sections in sections are deeper than 32");
    write_many("ours/pages/p.html", "", "{{#f}}", 100000, "");
    refused("1:193 sections in sections are deeper than 32");
    /* through parts: 20 here and 20 there */
    write_many("ours/parts/in.html",
               "{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#"
               "f}}{{#f}}{{#f}}{{#f}}{{#f}}",
               "{{/f}}", 20, "");
    write_many("ours/pages/p.html",
               "{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#f}}{{#"
               "f}}{{#f}}{{#f}}{{#f}}{{#f}}{{> in}}",
               "{{/f}}", 20, "");
    refused("ours/parts/in.html 1:73 sections in sections are deeper than 32");
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "ours/parts/n%d.html", i);
        snprintf(text, sizeof text, "{{> n%d}}", i + 1);
        set_write(&s, name, i < 19 ? text : "x");
    }
    set_write(&s, "ours/pages/p.html", "{{> n5}}");
    must(set_open(&s));
    set_write(&s, "ours/pages/p.html", "{{> n4}}");
    refused("ours/parts/n18.html 1:1 parts in parts are deeper than 16");
}

/* Each part takes the next one in twice, ten times, a hundred times. */
TEST(multiplying)
{
    char name[64], one[64];
    static const size_t times[] = {2, 10, 100};
    for (size_t k = 0; k < 3; k++) {
        for (int i = 0; i < 14; i++) {
            snprintf(name, sizeof name, "ours/parts/n%d.html", i);
            snprintf(one, sizeof one,
                     i < 13   ? "{{> n%d}}"
                     : k == 0 ? "{{#f}}{{/f}}{{t}}{{#f}}{{/f}}{{t}}"
                     : k == 1 ? "              %d"
                              : "",
                     i + 1);
            write_many(name, "", one, times[k], "");
        }
        set_write(&s, "ours/pages/p.html", "{{> n0}}");
        refused("ours/pages/p.html this page is too large once its parts are put in");
    }
}

TEST(large_files)
{
    write_many("ours/pages/p.html", "", "0123456789abcdef", 65536, "");
    must(set_open(&s));
    write_many("ours/pages/p.html", "x", "0123456789abcdef", 65536, "");
    refused("ours/pages/p.html template file is larger than 1 MiB");
    write_many("ours/pages/p.html", "{{", "x", 65536, "}}");
    refused("1:1 tag {{ is not closed");
    write_many("ours/pages/p.html", "{{", "x", 500, "}}");
    refused("1:1 name is too long or too deep");
    write_many("ours/pages/p.html", "{{a", ".a", 400, "}}");
    refused("1:1 name is too long or too deep");
    write_many("ours/pages/p.html", "<", "x", 65536, " y=\"{{t}}\">");
    must(set_open(&s));
    write_many("ours/pages/p.html", "<a ", "x", 65536, "=\"{{t}}\">");
    must(set_open(&s));
    write_many("ours/pages/p.html", "<script type=\"application/json", "x", 65536, "\">{{{j}}}</script>");
    refused("inside of <script>");
    write_many("ours/words/a.json", "{\"", "x", 65536, "\": {\"id\": \"a\", \"en\": \"b\"}}");
    refused("a word must have the form expected; mend “xxx");
    assert_true(s.faults.len < 4096); /* it is not shown whole */
}

/* What a naive scan would look at again and again. */
TEST(many_small_things)
{
    static const char *const things[] = {
        "{{",
        "}}",
        "{{\n",
        "{{!",
        "{{/f}}",
        "{{x}}",
        "{{#f}}",
        "{{#f}}{{/f}}",
        "{ }}",
        "a}}",
        "{{{",
        "}}}",
        "{{t}}",
        "{{w.x}}",
        "{{> x}}",
        " {{! x }}",
        "\n",
        "<",
        "<!--",
        "<a",
        "<a href=\"{{t}}\">",
        "<a href='",
        "{{#f}}<p{{/f}}>",
        "{{#list}}",
        "</script",
        "<script>",
        "{{.}}",
        "\t\t\t\t\t\t\t\t{{#f}}\t\t\t\t\t\t\t{{/f}}\t\t",
    };
    for (size_t i = 0; i < ODP_COUNT(things); i++) {
        write_many("ours/pages/p.html", "", things[i], (1 << 20) / strlen(things[i]), "");
        enum odp_status status = set_open(&s);
        assert_true(status == ODP_OK || status == ODP_BAD);
        size_t lines = 0;
        for (const char *c = odp_buffer_cstr(&s.faults); *c != '\0'; c++)
            lines += *c == '\n';
        assert_in_range(lines, status == ODP_BAD,
                        50); /* the number of faults reported of one file is bounded */
    }
    write_many("ours/words/a.json", "{\"a\": 0", ",\n\"b c\": 0", 10000, "}");
    refused("the name of a property that this object does not have yet");
}

/* Rendering costs what comes out. */
TEST(much_data)
{
    set_write(&s, "ours/pages/p.html",
              "{{#rows}}<p>{{name}}{{#cells}}<a href=\"{{.}}\">{{.}}</a>{{/cells}}</p>{{/rows}}");
    must(set_open(&s));
    json_t *rows = json_array(), *data = json_pack("{s:o}", "rows", rows);
    for (int i = 0; i < 20000; i++)
        json_array_append_new(rows, json_pack("{s:s, s:[s, s, s, s]}", "name", "nama <kawasan>", "cells",
                                              "a/b", "c", "d", "e"));
    const json_t *scopes[] = {data};
    odp_buffer_clear(&s.out);
    must(odp_templates_render(s.t, "p", ODP_LANG_EN, scopes, 1, &s.out));
    static const char row[] = "<p>nama &lt;kawasan&gt;<a href=\"a/b\">a/b</a><a href=\"c\">c</a><a "
                              "href=\"d\">d</a><a href=\"e\">e</a></p>";
    assert_int_equal(s.out.len, 20000 * (sizeof row - 1));
    assert_memory_equal(s.out.ptr + s.out.len - (sizeof row - 1), row, sizeof row - 1);
    json_decref(data);
}

struct worker {
    pthread_t thread;
    struct odp_buffer out;
    json_t *data;
};

static void *work(void *arg)
{
    struct worker *w = arg;
    const json_t *scopes[] = {w->data};
    for (int i = 0; i < 200; i++) {
        odp_buffer_clear(&w->out);
        if (odp_templates_render(s.t, "p", i % 2 == 0 ? ODP_LANG_ID : ODP_LANG_EN, scopes, 1, &w->out) !=
            ODP_OK)
            return w;
    }
    return NULL;
}

TEST(threads)
{
    enum { N = 4 };
    struct worker workers[N];
    set_write(&s, "ours/words/a.json", "{\"x\": {\"id\": \"satu\", \"en\": \"one\"}}");
    set_write(&s, "ours/pages/p.html",
              "{{w.x}}{{#rows}}<p>{{name}}{{#cells}}<a "
              "href=\"{{.}}\">{{.}}</a>{{/cells}}</p>{{/rows}}{{#f}}{{t}}{{/f}}");
    must(set_open(&s));
    json_t *data = json_pack("{s:[{s:s, s:[s, s]}], s:b, s:s}", "rows", "name", "n", "cells", "a", "b", "f",
                             1, "t", "<");
    for (int i = 0; i < N; i++) {
        odp_buffer_init(&workers[i].out);
        workers[i].data = data; /* only read */
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        void *failed;
        assert_int_equal(pthread_join(workers[i].thread, &failed), 0);
        assert_null(failed);
        assert_string_equal(odp_buffer_cstr(&workers[i].out),
                            "one<p>n<a href=\"a\">a</a><a href=\"b\">b</a></p>&lt;");
        odp_buffer_release(&workers[i].out);
    }
    json_decref(data);
}

EACH(setup, teardown)
