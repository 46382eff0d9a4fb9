/* For the tests of sites: a small catalogue made by hand, and a site that is staged and switched in. In
 * texts of JSON ' means ". What these functions return lives until the site is released. */
#pragma once

#include "emit_fixture.h"

#include <jansson.h>

#include "published/parts.h"
#include "site/versions/release.h"

struct site {
    struct fixture fx; /* its folder, its catalogue */
    char out[512];
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct odp_arena arena;
    json_t *held; /* documents */
};

/* Without a stage. */
static inline void site_init(struct site *s)
{
    memset(s, 0, sizeof *s);
    fx_init(&s->fx);
    fx_path(&s->fx, "site", s->out);
    odp_arena_init(&s->arena);
    s->held = json_array();
    must(odp_diags_new(&s->diags, 10));
    s->fx.catalog.portal.base_url = "https://data.example.go.id/";
    s->fx.catalog.portal.time_zone = "Asia/Jakarta";
    s->fx.catalog.portal.publisher = (struct odp_text){{"Kementerian", "Ministry"}};
}

static inline void site_open(struct site *s)
{
    must(odp_stage_open(&s->stage, s->out, s->diags));
}

static inline bool site_any(const void *ctx, const struct odp_site_file *f)
{
    return true;
}

/* All files of SLUG. */
static inline enum odp_status site_carry(struct odp_stage *stage, const struct odp_site *old,
                                         const char *slug, struct odp_diags *diags)
{
    return odp_stage_carry_if(stage, old, slug, site_any, NULL, diags);
}

static inline void site_release(struct site *s)
{
    json_decref(s->held);
    odp_stage_close(s->stage);
    odp_diags_free(s->diags);
    odp_arena_release(&s->arena);
    fx_release(&s->fx);
}
#define SITE(v) OWNED(site, v, site, &v)

static inline const char *site_quoted(struct site *s, const char *text)
{
    return double_quotes(odp_arena_str(&s->arena, text));
}

/* The same with EVIL for each %. */
static inline const char *site_filled(struct site *s, const char *text, const char *evil)
{
    struct odp_buffer out = {0};
    const char *mark;
    for (text = site_quoted(s, text); (mark = strchr(text, '%')) != NULL; text = mark + 1)
        odp_buffer_printf(&out, "%.*s%s", (int)(mark - text), text, evil);
    odp_buffer_add_str(&out, text);
    return odp_buffer_keep(&out, &s->arena);
}

static inline json_t *site_parse(struct site *s, const char *text)
{
    json_error_t error;
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (value == NULL)
        fail_msg("%s: %.3000s", error.text, text);
    assert_int_equal(json_array_append_new(s->held, value), 0);
    return value;
}

static inline json_t *site_json(struct site *s, const char *text)
{
    return site_parse(s, site_quoted(s, text));
}

static inline void site_put_as(struct site *s, const char *path, const char *type, enum odp_class cls,
                               const char *bytes)
{
    must(odp_stage_put(s->stage, path, type, cls, odp_slice_of(bytes)));
}

/* Stages JSON, public. */
static inline void site_put(struct site *s, const char *path, const char *text)
{
    site_put_as(s, path, "application/json", ODP_CLASS_PUBLIC, site_quoted(s, text));
}

static inline struct odp_site_job site_job(struct site *s, const char *entries)
{
    return (struct odp_site_job){
        .stage = s->stage, .catalog = &s->fx.catalog, .entries = site_json(s, entries), .diags = s->diags};
}

/* Makes the stage the site, and keeps KEEP builds. Returns the build's path. */
static inline const char *site_switch(struct site *s, unsigned keep)
{
    const char *build = NULL;
    must(odp_stage_manifest(s->stage, &s->fx.catalog));
    must(odp_stage_switch(s->stage, keep, &s->arena, &build));
    odp_stage_close(s->stage);
    s->stage = NULL;
    return odp_arena_str(&s->arena, build);
}

/* Opens a stage whose parts, of COMMON, are carried over from the site before. That site, or NULL. */
static inline struct odp_site *site_open_parts(struct site *s, uint8_t common)
{
    struct odp_site *before = NULL;
    site_open(s);
    assert_int_not_equal(odp_site_open_quietly(&before, s->out), ODP_FAIL);
    if (before != NULL)
        must(odp_stage_same_as(s->stage, before));
    must(odp_stage_parts(s->stage, (uint8_t[ODP_SHA256_SIZE]){common}));
    site_put(s, "v1/index.json", "{'data':[],'meta':{}}");
    return before;
}

/* Makes the stage the site, with its parts; closes the site BEFORE. */
static inline void site_switch_parts(struct site *s, struct odp_site *before)
{
    const char *build = NULL;
    must(odp_stage_manifest(s->stage, &s->fx.catalog));
    must(odp_parts_write(s->stage, odp_stage_build(s->stage, &s->arena)));
    must(odp_stage_switch(s->stage, 5, &s->arena, &build));
    odp_stage_close(s->stage);
    s->stage = NULL;
    odp_site_close(before);
}

/* The published file at PATH. */
static inline const char *site_read(struct site *s, const char *path)
{
    size_t len;
    char *text = fx_read(&s->fx, odp_arena_printf(&s->arena, "site/%s", path), &len);
    const char *kept = odp_arena_copy(&s->arena, (struct odp_slice){text, len}).ptr;
    free(text);
    return kept;
}

static inline json_t *site_document(struct site *s, const char *path)
{
    return site_parse(s, site_read(s, path));
}

static inline bool site_has(const struct site *s, const char *path)
{
    char full[1024];
    assert_true(snprintf(full, sizeof full, "%s/%s", s->out, path) < (int)sizeof full);
    return access(full, F_OK) == 0;
}

/* The value at PATH ("a|b|0"), or "missing". */
static inline const char *site_json_at(struct site *s, const json_t *root, const char *path)
{
    char *save = NULL, *copy = odp_arena_str(&s->arena, path);
    for (char *name = strtok_r(copy, "|", &save); name != NULL && root != NULL;
         name = strtok_r(NULL, "|", &save))
        root = json_is_array(root) ? json_array_get(root, (size_t)atoi(name)) : json_object_get(root, name);
    char *text = json_dumps(root, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
    const char *kept = text != NULL ? odp_arena_str(&s->arena, text) : "missing";
    free(text);
    return kept;
}

/* The value at PATH is JSON; NULL: no value. */
static inline void expect_json(struct site *s, const json_t *root, const char *path, const char *json)
{
    const char *is = site_json_at(s, root, path), *wanted = json != NULL ? site_quoted(s, json) : "missing";
    if (strcmp(is, wanted) != 0)
        fail_msg("%s is %s, not %s", path, is, wanted);
}
