/* For the tests of differences: two versions as text, through the readers, into every form. */
#pragma once
#include "json_holds.h"

#include <unistd.h>

#include "base/json.h"
#include "site/differences/changes.h"
#include "site/metadata/metadata.h"

enum { CF_FORMS = 5 }; /* json, csv, html, text id, text en */

struct cf_side {
    const char *schema; /* single quotes mean double ones */
    enum odp_form form;
    struct odp_slice bytes;
};

/* What came out. */
struct cf {
    char dir[FRESH_FOLDER];
    size_t memory;  /* 0: the usual */
    uint64_t limit; /* of the terminal's form */
    bool counts_only;
    struct odp_changes_counts counts;
    struct odp_buffer out[CF_FORMS];
};

static inline void cf_init(struct cf *cf)
{
    memset(cf, 0, sizeof *cf);
    fresh_folder(cf->dir, "changes");
}

static inline void cf_release(struct cf *cf)
{
    for (int i = 0; i < CF_FORMS; i++)
        odp_buffer_release(&cf->out[i]);
    must(odp_dir_remove(cf->dir));
}
#define CF(v) OWNED(cf, v, cf, &v)

static inline enum odp_status cf_flush(void *ctx, struct odp_slice text)
{
    odp_buffer_add_slice(ctx, text);
    return ODP_OK;
}

struct cf_open {
    json_t *json;
    const char *path;
    struct odp_changes_side side;
    struct odp_layout *layout;
};

static inline void cf_open_side(struct cf *cf, struct cf_open *o, const struct cf_side *s, const char *name,
                                const char *version, const uint8_t *digest, struct odp_arena *a)
{
    const char *why = "";
    o->json = parsed(s->schema);
    if (odp_layout_read(&o->layout, o->json, a, &why) != ODP_OK)
        fail_msg("%s", why);
    o->path = odp_arena_printf(a, "%s/%s", cf->dir, name);
    must(odp_file_put(o->path, s->bytes, 0600, NULL));
    o->side = (struct odp_changes_side){.version = version, .digest = digest, .layout = o->layout};
    must(odp_reading_open(&o->side.reading, s->form, o->layout, &o->path, 1));
}

static inline void cf_close_side(struct cf_open *o)
{
    odp_reading_close(o->side.reading);
    assert_int_equal(unlink(o->path), 0);
    json_decref(o->json);
}

/* Runs it with every form; EXTRA is one more sink or NULL. The folder has no scratch file afterwards. */
static inline enum odp_status cf_run_with(struct cf *cf, const struct cf_side *from, const struct cf_side *to,
                                          const struct odp_changes_sink *extra)
{
    static const uint8_t digests[2][ODP_SHA256_SIZE] = {{1}, {2}};
    static const char *const names[] = {"changes.json", "changes.csv", "changes.html"};
    static const struct odp_changes_page page = {
        NULL, odp_metadata_changes}; /* no template of ours has a fault to tell */
    struct odp_arena a;
    struct cf_open sides[2];
    struct odp_schema_changes schema;
    struct odp_changes_writer *writers[CF_FORMS] = {NULL};
    struct odp_changes_sink sinks[CF_FORMS + 1];
    struct odp_file *files[3];
    const char **left;
    size_t nleft;
    odp_arena_init(&a);
    cf_open_side(cf, &sides[0], from, "from", "2023-09-15", digests[0], &a);
    cf_open_side(cf, &sides[1], to, "to", "2024-03-15", digests[1], &a);
    must(odp_schema_compare(&schema, sides[0].layout, sides[1].layout, &a));
    for (int i = 0; i < 3; i++) {
        must(odp_file_create(&files[i], odp_arena_printf(&a, "%s/%s", cf->dir, names[i]), 0600));
        must(odp_changes_writer_new(&writers[i], (enum odp_changes_form)i, files[i], &page, &sinks[i]));
    }
    for (int i = 3; i < CF_FORMS; i++) {
        struct odp_changes_text text = {
            .lang = i == 3 ? ODP_LANG_ID : ODP_LANG_EN,
            .limit = cf->limit,
            .ctx = &cf->out[i],
            .flush = cf_flush,
        };
        odp_buffer_clear(&cf->out[i]);
        must(odp_changes_text_new(&writers[i], &text, &sinks[i]));
    }
    if (extra != NULL)
        sinks[CF_FORMS] = *extra;
    struct odp_changes_job job = {
        .dataset = "uji",
        .resource = "uji",
        .title = {{"Uji <coba>", "Test & try"}},
        .from = &sides[0].side,
        .to = &sides[1].side,
        .schema = &schema,
        .keyed = schema.comparable,
        .note = {{cf->counts_only ? "rahasia" : NULL, cf->counts_only ? "secret" : NULL}}};
    struct odp_changes_options options = {
        .scratch = cf->dir, .memory = cf->memory, .counts_only = cf->counts_only};
    enum odp_status status = odp_changes_run(&job, &options, sinks, CF_FORMS + (extra != NULL), &cf->counts);
    for (int i = 0; i < 3; i++) {
        const char *path = odp_arena_printf(&a, "%s/%s", cf->dir, names[i]);
        odp_buffer_clear(&cf->out[i]);
        must(odp_file_close(files[i], NULL));
        must(odp_file_read(path, 1 << 30, &cf->out[i], NULL));
        assert_int_equal(unlink(path), 0);
    }
    for (int i = 0; i < CF_FORMS; i++)
        odp_changes_writer_free(writers[i]);
    for (int i = 0; i < 2; i++) {
        if (status == ODP_BAD && odp_reading_fault(sides[i].side.reading)[0] != '\0')
            print_message("%s\n", odp_reading_fault(sides[i].side.reading));
        cf_close_side(&sides[i]);
    }
    must(odp_dir_list(cf->dir, &a, &left, &nleft));
    assert_int_equal(nleft, 0);
    odp_arena_release(&a);
    return status;
}

static inline enum odp_status cf_run(struct cf *cf, const struct cf_side *from, const struct cf_side *to)
{
    return cf_run_with(cf, from, to, NULL);
}

/* Two CSV texts. */
static inline void cf_csv(struct cf *cf, const char *old_schema, const char *old, const char *schema,
                          const char *now)
{
    struct cf_side from = {old_schema, ODP_FORM_CSV, odp_slice_of(old)},
                   to = {schema, ODP_FORM_CSV, odp_slice_of(now)};
    must(cf_run(cf, &from, &to));
}

/* "added removed changed cells geometry" */
static inline void cf_counts(const struct cf *cf, uint64_t added, uint64_t removed, uint64_t changed,
                             uint64_t cells, uint64_t geometry)
{
    assert_int_equal(cf->counts.added, added);
    assert_int_equal(cf->counts.removed, removed);
    assert_int_equal(cf->counts.changed, changed);
    assert_int_equal(cf->counts.cells, cells);
    assert_int_equal(cf->counts.geometry, geometry);
}

/* The part of changes.json between "changes":[ and its end. */
static inline void cf_changes(struct cf *cf, const char *expected)
{
    static const char head[] = "\"changes\":[";
    const char *text = odp_buffer_cstr(&cf->out[0]), *from = strstr(text, head),
               *to = strstr(text, "],\n\"summary\"");
    char first;
    assert_true(
        odp_json_valid(odp_buffer_slice(&cf->out[0]), &first)); /* jansson has no integers of thirty digits */
    assert_non_null(from);
    assert_non_null(to);
    from += sizeof head - 1;
    char *part = strndup(from, (size_t)(to - from));
    for (char *p = part; *p != '\0'; p++)
        *p = *p == '"' ? '\'' : *p;
    assert_string_equal(part, expected);
    free(part);
}
