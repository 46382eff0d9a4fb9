/* Differences and delta files of a new version, against the version before. Both are made of published forms,
 * the new ones as they are staged: so the very bytes that people get are compared. */
#include "run/build_internal.h"

#include <errno.h>

#include "base/json_load.h"
#include "site/versions/names.h"
#include "published/stage.h"
#include "published/doc.h"
#include "published/version_reading.h"
#include "site/differences/changes.h"
#include "site/differences/delta.h"
#include "site/metadata/metadata.h"
#include "site/pages/portal.h"
#include "words/run.h"

/* ---- the new side ---- */

struct side {
    struct odp_layout *layout;
    struct odp_reading *reading;
    json_t *schema; /* of the staged side: holds the layout's strings */
    const char **paths;
    size_t npaths;
};

static void close_side(struct side *s)
{
    if (s->schema == NULL) {
        odp_version_reading_close(s->reading, s->layout);
    } else {
        odp_reading_close(s->reading);
        json_decref(s->schema);
    }
}

static enum odp_status read_staged_layout(struct build *b, const struct odp_resource *r, const char *version,
                                          struct side *out)
{
    struct odp_buffer text = {0};
    const char *why = "";
    const char *path = odp_schema_path(r, version, b->run.arena);
    const char *full = odp_stage_place(b->run.stage, path, b->run.arena);
    enum odp_status status = full != NULL ? odp_file_read(full, 64 << 20, &text, NULL) : ODP_FAIL;
    if (status == ODP_OK)
        out->schema = odp_json_load(text.ptr, text.len, 0, NULL);
    odp_buffer_release(&text);
    if (status != ODP_OK || out->schema == NULL)
        return odp_failure_set("read", full, 0);
    status = odp_layout_read(&out->layout, out->schema, b->run.arena, &why);
    return status == ODP_BAD ? odp_failure_set(why, full, 0) : status;
}

/* The staged pages of R, in order; NPATHS 0: there are none. */
static enum odp_status list_pages(struct build *b, const struct odp_resource *r, const char *version,
                                  struct side *out)
{
    uint64_t pages = b->run.tasks[r->index].rows + 1; /* no page is empty, but the first may be */
    out->npaths = 0;
    out->paths = odp_arena_array(b->run.arena, (size_t)pages + 1, sizeof *out->paths);
    for (uint64_t n = 1; n <= pages; n++) {
        const char *path =
            n == 1 ? odp_emit_api_path(r, b->run.arena) : odp_emit_page_path(r, version, n, b->run.arena);
        if (odp_stage_find(b->run.stage, path) == NULL)
            break;
        if ((out->paths[out->npaths++] = odp_stage_place(b->run.stage, path, b->run.arena)) == NULL)
            return ODP_FAIL;
    }
    return ODP_OK;
}

/* The form that tells most: a whole geometry before none. */
static enum odp_status open_staged(struct build *b, const struct odp_resource *r, const char *version,
                                   struct side *out)
{
    const struct odp_emit_job job = {.catalog = b->run.catalog, .resource = r, .version = version};
    bool pages_are_whole = r->geometry.api == ODP_GEOMETRY_FULL;
    enum odp_status status = read_staged_layout(b, r, version, out);
    for (size_t k = 0; k < ODP_FORMAT_FILES && status == ODP_OK; k++) {
        const struct odp_format_file *f = &odp_format_files[k];
        if (f->form == ODP_FORM_NONE)
            continue;
        const char *path = odp_emit_data_path(&job, f->extension, b->run.arena);
        bool poor = f->form == ODP_FORM_CSV && out->layout->has_geometry && pages_are_whole;
        if (poor || odp_stage_find(b->run.stage, path) == NULL)
            continue;
        const char **one = odp_arena_zero(b->run.arena, 1, sizeof *one);
        if ((one[0] = odp_stage_place(b->run.stage, path, b->run.arena)) == NULL)
            return ODP_FAIL;
        return odp_reading_open(&out->reading, f->form, out->layout, one, 1);
    }
    if (status == ODP_OK)
        status = list_pages(b, r, version, out);
    return status == ODP_OK
               ? odp_reading_open(&out->reading, ODP_FORM_PAGES, out->layout, out->paths, out->npaths)
               : status;
}

/* ---- changes.* ---- */

static const struct {
    enum odp_changes_form form;
    const char *extension, *media_type;
} forms[] = {{ODP_CHANGES_JSON, ".json", "application/json"},
             {ODP_CHANGES_CSV, ".csv", "text/csv; charset=utf-8; header=present"},
             {ODP_CHANGES_HTML, ".html", "text/html; charset=utf-8"}};
enum { FORMS = ODP_COUNT(forms) };

struct outputs {
    struct odp_file *files[FORMS];
    struct odp_changes_writer *writers[FORMS];
    const char *paths[FORMS];
    struct odp_changes_page page;
};

static char *changes_path(const struct odp_resource *r, const char *version, const char *extension,
                          struct odp_arena *a)
{
    return odp_arena_printf(a, "data/%s/%s/changes%s%s%s", r->dataset->slug, version, r->primary ? "" : "-",
                            r->primary ? "" : r->name, extension);
}

static enum odp_status open_outputs(struct build *b, const struct odp_resource *r, const char *version,
                                    struct outputs *out, struct odp_changes_sink *sinks)
{
    struct odp_output *stage = odp_stage_output(b->run.stage);
    const bool framed =
        b->run.catalog->share != NULL; /* else there is no portal whose frame the page could have */
    out->page = framed ? (struct odp_changes_page){b->run.frame, odp_portal_frame_changes}
                       : (struct odp_changes_page){b->run.result->diags, odp_metadata_changes};
    for (size_t k = 0; k < FORMS; k++) {
        out->paths[k] = changes_path(r, version, forms[k].extension, b->run.arena);
        if (stage->create(stage->ctx, out->paths[k], &out->files[k]) != ODP_OK ||
            odp_changes_writer_new(&out->writers[k], forms[k].form, out->files[k], &out->page, &sinks[k]) !=
                ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status close_outputs(struct build *b, struct outputs *out, enum odp_status status)
{
    struct odp_output *stage = odp_stage_output(b->run.stage);
    for (size_t k = 0; k < FORMS; k++) {
        odp_changes_writer_free(out->writers[k]);
        if (status != ODP_OK)
            odp_file_discard(out->files[k]);
        else if (stage->close(stage->ctx, out->files[k], out->paths[k], forms[k].media_type,
                              ODP_CLASS_PUBLIC) != ODP_OK)
            status = ODP_FAIL;
    }
    return status;
}

static json_t *describe(const struct odp_changes_counts *n, const struct odp_schema_changes *schema,
                        const char *from, bool counts_only, const struct outputs *out)
{
    json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:b, s:s, s:I}", "from", from, "added",
                          (json_int_t)n->added, "removed", (json_int_t)n->removed, "changed",
                          (json_int_t)n->changed, "cells", (json_int_t)n->cells, "geometry",
                          (json_int_t)n->geometry, "geometry_compared", n->geometry_compared, "needs",
                          odp_level_name(schema->level), "schema_changes", (json_int_t)schema->n);
    if (counts_only)
        json_object_set_new(o, "counts_only", json_true());
    for (size_t k = 0; k < FORMS; k++)
        json_object_set_new(o, forms[k].extension + 1, json_sprintf("../../%s", out->paths[k]));
    return o;
}

struct sides {
    const struct odp_version *before;
    const json_t *entry; /* of the table in it */
    struct side old, now;
};

/* Both sides are open. */
static enum odp_status compare(struct build *b, const struct odp_resource *r, const struct sides *s,
                               json_t **described)
{
    const struct odp_version *before = s->before;
    const struct side *old = &s->old, *now = &s->now;
    const struct part *part = &b->parts[odp_build_index(b, r->dataset)];
    const struct odp_version *newest = &part->history.versions[0];
    const char *reason = odp_json_text(newest->json, "reason");
    bool counts_only =
        newest->state == ODP_VERSION_WITHDRAWN && reason != NULL && strcmp(reason, "privacy") == 0;
    static const struct odp_text hidden = {{W_run_version_between_two_withdrawn_for}};
    uint8_t old_digest[ODP_SHA256_SIZE] = {0};
    (void)odp_doc_read_digest(s->entry, "digest", old_digest);
    struct odp_schema_changes schema = {0};
    struct odp_changes_counts counts = {0};
    struct odp_changes_side from = {before->name, old_digest, old->layout, old->reading};
    struct odp_changes_side to = {part->version, b->run.tasks[r->index].published.logical, now->layout,
                                  now->reading};
    struct odp_changes_job job = {.dataset = r->dataset->slug,
                                  .resource = r->name,
                                  .title = r->dataset->title,
                                  .from = &from,
                                  .to = &to,
                                  .schema = &schema,
                                  .codes = b->run.codes,
                                  .described = r};
    struct odp_changes_sink sinks[FORMS];
    struct outputs out = {0};
    struct odp_output *stage = odp_stage_output(b->run.stage);
    const struct odp_changes_options options = {stage->scratch(stage->ctx, b->run.arena), ODP_CHANGES_MEMORY,
                                                counts_only};
    if (counts_only)
        job.note = hidden;
    enum odp_status status = odp_schema_compare(&schema, old->layout, now->layout, b->run.arena);
    job.keyed = schema.comparable;
    job.stem = r->primary ? "changes" : odp_arena_printf(b->run.arena, "changes-%s", r->name);
    if (status == ODP_OK)
        status = odp_dir_make(options.scratch);
    if (status == ODP_OK)
        status = open_outputs(b, r, part->version, &out, sinks);
    if (status == ODP_OK)
        status = odp_changes_run(&job, &options, sinks, FORMS, &counts);
    if (status == ODP_BAD) {
        const char *fault = odp_reading_fault(old->reading)[0] != '\0' ? odp_reading_fault(old->reading)
                                                                       : odp_reading_fault(now->reading);
        status = odp_build_complain(b, ODP_V03, r->dataset, before->name, fault, NULL);
    }
    status = close_outputs(b, &out, status);
    if (odp_dir_remove(options.scratch) != ODP_OK)
        status = ODP_FAIL;
    if (status == ODP_OK)
        *described = describe(&counts, &schema, before->name, counts_only, &out);
    return status;
}

static enum odp_status change_resource(struct build *b, const struct odp_resource *r,
                                       const struct odp_version *before, json_t **out)
{
    const struct part *part = &b->parts[odp_build_index(b, r->dataset)];
    struct sides s = {.before = before,
                      .entry = odp_json_find(json_object_get(before->json, "resources"), "name", r->name)};
    struct side *old = &s.old, *now = &s.now;
    if (s.entry == NULL) { /* a new table: all of it is new, which is no difference */
        *out = json_null();
        return ODP_OK;
    }
    enum odp_status status = open_staged(b, r, part->version, now);
    if (status == ODP_OK) {
        const struct odp_version_source source = {b->run.previous, s.entry, now->layout->has_geometry};
        status = odp_version_reading_open(&old->reading, &old->layout, &source, b->run.arena,
                                          b->run.result->diags);
    }
    if (status == ODP_OK)
        status = compare(b, r, &s, out);
    close_side(old);
    if (now->schema != NULL)
        close_side(now);
    return status;
}

enum odp_status odp_build_changes(struct build *b, const struct odp_dataset *d, json_t **out)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    const struct odp_version *before = odp_history_current(&part->history);
    enum odp_status status = ODP_OK;
    *out = NULL;
    if (before == NULL)
        return ODP_OK;
    json_t *list = json_array();
    for (size_t k = 0; k < d->nresources && status == ODP_OK; k++) {
        json_t *one = NULL;
        status = change_resource(b, &d->resources[k], before, &one);
        if (status == ODP_OK)
            json_array_append_new(list, one);
    }
    if (status == ODP_OK)
        *out = list;
    else
        json_decref(list);
    return status;
}

/* ---- delta files ---- */

/* At most half of the file, and less than its gzip twin: who takes the delta instead of the file is to win by
 * it. 0: none is tried, for what does not compress (a workbook, a PDF) has nothing in common with its
 * successor either. */
static uint64_t limit_of(const struct build *b, const struct odp_site_file *file)
{
    const char *path = odp_arena_printf(b->run.arena, "%s.gz", file->path);
    const struct odp_site_file *twin = odp_stage_find(b->run.stage, path);
    return twin == NULL ? 0 : twin->size < file->size / 2 ? twin->size : file->size / 2;
}

static enum odp_status delta_one(struct build *b, const struct odp_resource *r,
                                 const struct odp_version *before, const json_t *old_file,
                                 const char *version, json_t *list)
{
    struct odp_arena *a = b->run.arena;
    struct odp_output *stage = odp_stage_output(b->run.stage);
    const char *old_path = odp_version_path(odp_json_text(old_file, "url"));
    const char *name = old_path != NULL ? strrchr(old_path, '/') + 1 : NULL;
    const char *path =
        name != NULL ? odp_arena_printf(a, "data/%s/%s/%s", r->dataset->slug, version, name) : NULL;
    const struct odp_site_file *was = old_path != NULL ? odp_site_find(b->run.previous, old_path) : NULL;
    const struct odp_site_file *is = path != NULL ? odp_stage_find(b->run.stage, path) : NULL;
    struct odp_delta_side from = {.version = before->name}, to = {.version = version};
    struct odp_file *file = NULL;
    uint64_t limit = was != NULL && is != NULL ? limit_of(b, is) : 0;
    if (limit == 0)
        return ODP_OK;
    const char *delta = odp_arena_printf(a, "%s.from-%s.delta", path, before->name);
    from.info.size = was->size;
    to.info.size = is->size;
    memcpy(from.info.sha256, was->sha256, sizeof was->sha256);
    memcpy(to.info.sha256, is->sha256, sizeof is->sha256);
    to.path = odp_stage_place(b->run.stage, path, a);
    enum odp_status status = odp_site_local(b->run.previous, was, a, &from.path, b->run.result->diags);
    if (status == ODP_OK)
        status = to.path != NULL ? stage->create(stage->ctx, delta, &file) : ODP_FAIL;
    if (status != ODP_OK)
        return status;
    status = odp_delta_make(file, &from, &to, limit);
    if (status != ODP_OK) {
        odp_file_discard(file);
        const char *left = odp_stage_place(b->run.stage, delta, a);
        if (left == NULL ||
            odp_file_kind_of(left) != ODP_FILE_NONE) /* it would be published, named by nobody */
            return left == NULL ? ODP_FAIL : odp_failure_set("remove", left, EIO);
        return status == ODP_DONE ? ODP_OK : status;
    }
    status = stage->close(stage->ctx, file, delta, "application/gzip", ODP_CLASS_PUBLIC);
    const struct odp_site_file *made = status == ODP_OK ? odp_stage_find(b->run.stage, delta) : NULL;
    if (made == NULL)
        return ODP_FAIL;
    char hash[ODP_DIGEST_TEXT];
    odp_digest_text(made->sha256, hash);
    json_array_append_new(list,
                          json_pack("{s:s, s:O, s:o, s:I, s:s}", "from", before->name, "name",
                                    json_object_get(old_file, "name"), "url", json_sprintf("../../%s", delta),
                                    "bytes", (json_int_t)made->size, "hash", hash));
    return ODP_OK;
}

enum odp_status odp_build_deltas(struct build *b, const struct odp_dataset *d)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    const char *previous = odp_json_text(part->history.versions[0].json, "previous");
    const struct odp_version *before = previous != NULL ? odp_history_find(&part->history, previous) : NULL;
    json_t *entries = json_object_get(part->history.versions[0].json, "resources");
    enum odp_status status = ODP_OK;
    if (before == NULL || before->state != ODP_VERSION_PUBLISHED)
        return ODP_OK;
    for (size_t k = 0; k < d->nresources && status == ODP_OK; k++) {
        const json_t *old = odp_json_find(json_object_get(before->json, "resources"), "name",
                                          d->resources[k].name),
                     *files = json_object_get(old, "files");
        json_t *list = json_array();
        for (size_t i = 0; i < json_array_size(files) && status == ODP_OK; i++)
            status = delta_one(b, &d->resources[k], before, json_array_get(files, i), part->version, list);
        if (status == ODP_OK && json_array_size(list) > 0)
            json_object_set(json_array_get(entries, k), "deltas", list);
        json_decref(list);
    }
    return status;
}
