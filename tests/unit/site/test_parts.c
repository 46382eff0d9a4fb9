/* Parts of a site: when they are carried over, and when they are made again. */
#include "site_fixture.h"

#include "base/json_load.h"
#include "json_holds.h"

enum quirk { NONE, SPEAKS, LOOKS_AT_ALL, FAILS, KEEPS, TELLS };

/* A build is made of these; NULL: the file is not there. */
struct with {
    const char *source, *other, *key;
    uint8_t common;
    enum quirk quirk;
    const char *before; /* what the part that is made had in the site before */
};
static const struct with plain = {"'a'", "'b'", "k", 1, NONE, ""};

/* Reads the source; the second time it is at hand. */
static void read_kept(struct site *s, json_t *kept)
{
    const struct odp_site_job job = {.stage = s->stage, .diags = s->diags, .kept = kept};
    json_t *document;
    must(odp_job_read_kept(&job, "sumber.json", &document));
    assert_non_null(document);
    json_decref(document);
}

static enum odp_status make(struct site *s, const struct with *w, json_t *kept)
{
    size_t n;
    const struct odp_slice before = odp_part_text_before(s->stage);
    if (w->before != NULL)
        assert_true(odp_slice_eq(before, odp_slice_of(w->before)));
    if (before.len > 0) {
        BUFFER(file);
        must(odp_part_read_before(s->stage, "hasil.json", &file));
        assert_string_equal(odp_buffer_cstr(&file), site_quoted(s, w->before));
    }
    if (w->quirk == KEEPS)
        read_kept(s, kept);
    else
        assert_non_null(odp_stage_find(s->stage, "sumber.json"));
    assert_int_equal(odp_stage_has(s->stage, "lain.json"), w->other != NULL);
    if (w->quirk == TELLS)
        odp_part_key_tells(s->stage);
    assert_null(odp_stage_find(s->stage, "hasil.json"));
    site_put(s, "hasil.json", w->source);
    assert_non_null(odp_stage_find(s->stage, "hasil.json")); /* its own */
    odp_part_set_text(s->stage, odp_slice_of(w->source));
    if (w->quirk == LOOKS_AT_ALL)
        (void)odp_stage_files(s->stage, &n);
    if (w->quirk == SPEAKS) {
        const struct odp_diag d = {.code = ODP_V92};
        must(odp_diags_add(s->diags, &d));
    }
    return w->quirk == FAILS ? ODP_BAD : ODP_OK;
}

/* Builds the site once more. Whether the part was made. */
static bool build(struct site *s, const struct with *w)
{
    struct odp_site *before = site_open_parts(s, w->common);
    site_put(s, "sumber.json", w->source);
    if (w->other != NULL)
        site_put(s, "lain.json", w->other);
    json_t *kept = json_object();
    if (w->quirk == KEEPS) /* outside of the part */
        read_kept(s, kept);
    const enum odp_status status = odp_part_begin(s->stage, "satu", odp_slice_of(w->key));
    if (status == ODP_OK)
        assert_int_equal(odp_part_end(s->stage, make(s, w, kept)), w->quirk == FAILS ? ODP_BAD : ODP_OK);
    else
        assert_int_equal(status, ODP_DONE);
    json_decref(kept);
    assert_true(odp_slice_eq(odp_part_text(s->stage), odp_slice_of(w->source)));
    site_switch_parts(s, before);
    assert_string_equal(site_read(s, "hasil.json"), site_quoted(s, w->source));
    return status == ODP_OK;
}

TEST(a_part_is_made_again_when_what_it_is_made_of_is_another)
{
    static const struct {
        struct with with;
        bool made;
    } rows[] = {
        {{"'a'", "'b'", "k", 1, NONE, NULL}, false},
        {{"'a'", "'c'", "k", 1, NONE, NULL}, false}, /* only its being there */
        {{"'a'", NULL, "k", 1, NONE, "'a'"}, true},
        {{"'z'", "'b'", "k", 1, NONE, "'a'"}, true},
        {{"'a'", "'b'", "l", 1, NONE, "'a'"}, true},
        {{"'a'", "'b'", "k", 2, NONE, ""}, true}, /* by another program */
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        SITE(s);
        assert_true(build(&s, &plain));
        if (build(&s, &rows[i].with) != rows[i].made)
            fail_msg("row %zu", i);
        assert_false(build(&s, &rows[i].with)); /* carried over, and noted again */
    }
}

TEST(a_part_that_says_something_is_made_by_every_build)
{
    static const enum quirk quirks[] = {SPEAKS, LOOKS_AT_ALL, FAILS};
    for (size_t i = 0; i < ODP_COUNT(quirks); i++) {
        struct with odd = plain;
        odd.quirk = quirks[i];
        odd.before = "";
        SITE(s);
        assert_true(build(&s, &odd));
        assert_true(build(&s, &plain));
        assert_false(build(&s, &plain));
    }
}

/* Each byte of the file in turn is another, and the file ends there. */
TEST(a_damaged_file_is_as_if_there_were_none)
{
    size_t len = 1;
    SITE(s);
    assert_true(build(&s, &plain));
    for (size_t at = 0; at < len; at += 7) {
        char *target = realpath(s.out, NULL);
        const char *path = odp_arena_printf(&s.arena, "%s.parts", target);
        BUFFER(file);
        must(odp_file_read(path, 1 << 20, &file, NULL));
        len = file.len;
        file.ptr[at]++;
        file.len = at % 2 == 0 ? len : at;
        (void)remove(path);
        must(odp_file_put(path, odp_buffer_slice(&file), 0644, NULL));
        assert_true(build(&s, &plain));
        free(target);
    }
    assert_true(len > 100);
}

TEST(a_part_depends_on_what_was_at_hand)
{
    struct with keeps = {"{'n':1}", "'b'", "k", 1, KEEPS, ""};
    SITE(s);
    assert_true(build(&s, &keeps));
    assert_false(build(&s, &keeps));
    keeps.before = keeps.source;
    keeps.source = "{'n':2}";
    assert_true(build(&s, &keeps));
}

TEST(what_the_key_tells_is_not_asked_again)
{
    struct with tells = plain;
    tells.quirk = TELLS;
    SITE(s);
    assert_true(build(&s, &tells));
    tells.other = NULL;
    assert_false(build(&s, &tells));
    tells.key = "l";
    tells.before = tells.source;
    assert_true(build(&s, &tells));
}

TEST(keys_of_different_values_differ)
{
    static const char *const values[] = {
        "[]",     "[[]]",   "[[],[]]",   "[[[]]]",      "{}",        "[{}]",          "[1]",
        "[1,1]",  "[1.0]",  "['1']",     "['']",        "['','']",   "[true]",        "[false]",
        "[null]", "['ab']", "['a','b']", "[['a'],'b']", "{'a':'b'}", "{'a':{'b':1}}", "{'a':{},'b':1}"};
    enum { N = ODP_COUNT(values) };
    struct odp_buffer keys[N] = {0};
    for (size_t i = 0; i < N; i++) {
        char *text = quoted("", values[i], "");
        json_t *value = odp_json_load(text, strlen(text), 0, NULL);
        assert_non_null(value);
        odp_doc_key(&keys[i], value);
        must(odp_buffer_status(&keys[i]));
        for (size_t k = 0; k < i; k++)
            assert_false(odp_slice_eq(odp_buffer_slice(&keys[k]), odp_buffer_slice(&keys[i])));
        json_decref(value);
        free(text);
    }
    for (size_t i = 0; i < N; i++)
        odp_buffer_release(&keys[i]);
}
