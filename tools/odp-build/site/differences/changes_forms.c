/* The forms of differences, two of them made here: changes.json (a header, then one change a line, then the
 * counts) and changes.csv (RFC 4180 like the exact CSV of the data: CRLF, null is an unquoted empty field,
 * the empty string is ""; one line a cell). docs/versions.md describes both. */
#include "site/differences/changes_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "write/emit.h"

static const struct odp_slice null = {NULL, 0};
static const char *const ops[] = {"added", "removed", "changed"};

/* ---- changes.json ---- */

static void json_add_take(struct odp_buffer *out, const char *before, json_t *value)
{
    odp_buffer_add_str(out, before);
    if (odp_doc_print(out, value, ODP_DOC_LINE | JSON_ENCODE_ANY) != ODP_OK)
        out->failed = true;
    json_decref(value);
}

static json_t *json_side(const struct odp_changes_side *s)
{
    return json_pack("{s:s, s:o}", "version", s->version, "digest", odp_doc_digest(s->digest));
}

static json_t *json_schema_change(const struct odp_schema_change *c)
{
    return json_pack(
        "{s:s, s:s, s:s?, s:s?, s:s?, s:s?, s:{s:o, s:o}}", "change", odp_schema_change_name(c->kind),
        "level", odp_level_name(odp_schema_change_level(c->kind)), "from", c->from, "to", c->to, "before",
        *c->before != '\0' ? c->before : NULL, "after", *c->after != '\0' ? c->after : NULL, "text", "id",
        writer_schema_text(c, ODP_LANG_ID), "en", writer_schema_text(c, ODP_LANG_EN));
}

static enum odp_status json_begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    struct odp_buffer *out = &w->out;
    const struct odp_layout *now = job->to->layout;
    json_t *key = job->keyed ? json_array() : json_null();
    w->job = job;
    for (uint32_t k = 0; k < now->nkey && job->keyed; k++)
        odp_add(key, json_string(now->fields[now->key[k]].name));
    json_add_take(out, "{\"dataset\":", json_string(job->dataset));
    json_add_take(out, ",\"resource\":", job->resource != NULL ? json_string(job->resource) : json_null());
    json_add_take(out, ",\n\"from\":", json_side(job->from));
    json_add_take(out, ",\n\"to\":", json_side(job->to));
    json_add_take(out, ",\n\"key\":", key);
    odp_buffer_add_str(out, ",\n\"schema\":[");
    for (size_t i = 0; i < job->schema->n; i++)
        json_add_take(out, i > 0 ? ",\n" : "\n", json_schema_change(&job->schema->items[i]));
    odp_buffer_add_str(out, job->schema->n > 0 ? "\n]" : "]");
    if (job->note.in[ODP_LANG_ID] != NULL)
        json_add_take(out, ",\n\"note\":", odp_doc_text(&job->note));
    odp_buffer_add_str(out, ",\n\"changes\":[");
    return writer_flush(w, false);
}

/* The rows go past jansson, which would not keep the literals of numbers. */
static void json_add_name(struct odp_buffer *out, const char *name, bool first)
{
    if (!first)
        odp_buffer_add_char(out, ',');
    odp_json_add_string(out, odp_slice_of(name));
    odp_buffer_add_char(out, ':');
}

static void json_add_value(struct odp_buffer *out, enum odp_type type, struct odp_slice text)
{
    const struct odp_field f = {.type = type};
    odp_emit_json_value(out, &f, text.ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL, text);
}

static void json_add_key(struct odp_changes_writer *w, const struct odp_change *c)
{
    const struct odp_layout *now = w->job->to->layout;
    odp_buffer_add_str(&w->out, ",\"key\":{");
    for (uint32_t k = 0; k < now->nkey; k++) {
        const struct odp_layout_field *f = &now->fields[now->key[k]];
        json_add_name(&w->out, f->name, k == 0);
        json_add_value(&w->out, f->type, writer_key(w, c, k));
    }
    odp_buffer_add_char(&w->out, '}');
}

static void json_add_record(struct odp_buffer *out, const struct odp_layout *l, const struct odp_slice *text)
{
    odp_buffer_add_str(out, ",\"record\":{");
    for (uint32_t k = 0; k < l->n; k++) {
        json_add_name(out, l->fields[k].name, k == 0);
        json_add_value(out, l->fields[k].type, text[k]);
    }
    odp_buffer_add_char(out, '}');
}

static void json_add_cells(struct odp_changes_writer *w, const struct odp_change *c)
{
    const struct odp_layout *old = w->job->from->layout, *now = w->job->to->layout;
    odp_buffer_add_str(&w->out, ",\"cells\":{");
    for (uint32_t i = 0; i < c->ncells; i++) {
        const uint32_t k = c->cells[i];
        json_add_name(&w->out, now->fields[k].name, i == 0);
        odp_buffer_add_char(&w->out, '[');
        json_add_value(&w->out, old->fields[w->job->schema->old_of[k]].type, writer_before(w, c, k));
        odp_buffer_add_char(&w->out, ',');
        json_add_value(&w->out, now->fields[k].type, c->after[k]);
        odp_buffer_add_char(&w->out, ']');
    }
    odp_buffer_add_char(&w->out, '}');
}

static void json_add_geometry(struct odp_buffer *out, const struct odp_change *c)
{
    const bool both = c->op == ODP_CHANGE_CHANGED;
    const struct {
        const char *name;
        bool there;
        struct odp_slice text;
    } sides[] = {{"before", both || c->op == ODP_CHANGE_REMOVED, c->geometry_before},
                 {"after", both || c->op == ODP_CHANGE_ADDED, c->geometry_after}};
    odp_buffer_add_str(out, ",\"geometry\":{");
    for (int i = 0; i < 2; i++)
        if (sides[i].there) {
            json_add_name(out, sides[i].name, i == 0 || !both);
            json_add_value(out, ODP_TYPE_STRING, sides[i].text.len > 0 ? sides[i].text : null);
        }
    odp_buffer_add_char(out, '}');
}

static enum odp_status json_row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    odp_buffer_printf(&w->out, "%s{\"op\":\"%s\"", w->rows++ > 0 ? ",\n" : "\n", ops[c->op]);
    if (w->job->keyed)
        json_add_key(w, c);
    if (c->op == ODP_CHANGE_ADDED)
        json_add_record(&w->out, w->job->to->layout, c->after);
    else if (c->op == ODP_CHANGE_REMOVED)
        json_add_record(&w->out, w->job->from->layout, c->before);
    else if (c->ncells > 0)
        json_add_cells(w, c);
    bool one_sided = c->op != ODP_CHANGE_CHANGED && (c->geometry_before.len > 0 || c->geometry_after.len > 0);
    if (c->geometry_changed || one_sided)
        json_add_geometry(&w->out, c);
    odp_buffer_add_char(&w->out, '}');
    return writer_flush(w, false);
}

static enum odp_status json_end(void *ctx, const struct odp_changes_counts *n)
{
    struct odp_changes_writer *w = ctx;
    json_add_take(&w->out, w->rows > 0 ? "\n],\n\"summary\":" : "],\n\"summary\":",
                  json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "from_rows", (json_int_t)n->from_rows,
                            "to_rows", (json_int_t)n->to_rows, "added", (json_int_t)n->added, "removed",
                            (json_int_t)n->removed, "changed", (json_int_t)n->changed, "cells",
                            (json_int_t)n->cells, "geometry", (json_int_t)n->geometry, "geometry_compared",
                            (int)n->geometry_compared));
    odp_buffer_add_str(&w->out, "}\n");
    return writer_flush(w, true);
}

const struct odp_changes_sink changes_json = {NULL, json_begin, json_row, json_end};

/* ---- changes.csv ---- */

static void csv_add_value(struct odp_buffer *out, struct odp_slice s)
{
    odp_buffer_add_char(out, ',');
    odp_text_csv(out, s);
}

static bool is_fixed(const char *name)
{
    static const char *const fixed[] = {"change", "field", "before", "after"};
    bool found = false;
    for (size_t i = 0; i < ODP_COUNT(fixed); i++)
        found = found || strcmp(fixed[i], name) == 0;
    return found;
}

/* Whether NAME is a column of every changes.csv, or a field of the key. */
static bool is_taken(const struct odp_layout *l, const char *name)
{
    bool taken = is_fixed(name);
    for (uint32_t k = 0; k < l->nkey; k++)
        taken = taken || strcmp(name, l->fields[l->key[k]].name) == 0;
    return taken;
}

/* A key's field under its name; "key_" goes before the name of another column as often as it takes. */
static void csv_add_key_name(struct odp_buffer *out, const struct odp_layout *l, const char *name)
{
    struct odp_arena arena = {0};
    if (is_fixed(name))
        while (is_taken(l, name))
            name = odp_arena_printf(&arena, "key_%s", name);
    csv_add_value(out, odp_slice_of(name));
    odp_arena_release(&arena);
}

static enum odp_status csv_begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    const struct odp_layout *now = job->to->layout;
    w->job = job;
    odp_buffer_add_str(&w->out, "change");
    for (uint32_t k = 0; k < now->nkey && job->keyed; k++)
        csv_add_key_name(&w->out, now, now->fields[now->key[k]].name);
    odp_buffer_add_str(&w->out, job->keyed ? ",field,before,after\r\n" : ",row,field,before,after\r\n");
    return writer_flush(w, false);
}

/* The geometry's column as in the files of the data: a name that no field has. */
static void csv_add_geometry_name(struct odp_buffer *out, const struct odp_changes_job *job)
{
    char name[80] = "geometry";
    while ((odp_layout_find(job->from->layout, name) >= 0 || odp_layout_find(job->to->layout, name) >= 0) &&
           strlen(name) + 10 <= sizeof name) {
        memmove(name + 9, name, strlen(name) + 1);
        memcpy(name, "geometry_", 9);
    }
    odp_buffer_add_char(out, ',');
    odp_buffer_add_str(out, name);
}

static void csv_add_head(struct odp_changes_writer *w, const struct odp_change *c)
{
    odp_buffer_add_str(&w->out, ops[c->op]);
    for (uint32_t k = 0; k < w->job->to->layout->nkey && w->job->keyed; k++)
        csv_add_value(&w->out, writer_key(w, c, k));
    if (!w->job->keyed) {
        odp_buffer_add_char(&w->out, ',');
        odp_buffer_add_u64(&w->out, w->rows);
    }
}

/* FIELD NULL: the geometry. */
static void csv_add_line(struct odp_changes_writer *w, const struct odp_change *c, const char *field,
                         struct odp_slice before, struct odp_slice after)
{
    csv_add_head(w, c);
    if (field != NULL)
        csv_add_value(&w->out, odp_slice_of(field));
    else
        csv_add_geometry_name(&w->out, w->job);
    csv_add_value(&w->out, before);
    csv_add_value(&w->out, after);
    odp_buffer_add_str(&w->out, "\r\n");
}

static struct odp_slice or_null(struct odp_slice s)
{
    return s.len > 0 ? s : null;
}

/* All that is not null of a row that was added or removed; a row of nulls alone is one line without a field.
 */
static void csv_add_row(struct odp_changes_writer *w, const struct odp_change *c)
{
    const bool added = c->op == ODP_CHANGE_ADDED;
    const struct odp_layout *l = added ? w->job->to->layout : w->job->from->layout;
    const struct odp_slice *text = added ? c->after : c->before,
                           geometry = added ? c->geometry_after : c->geometry_before;
    bool any = geometry.len > 0;
    for (uint32_t k = 0; k < l->n; k++) {
        any = any || text[k].ptr != NULL;
        if (text[k].ptr != NULL)
            csv_add_line(w, c, l->fields[k].name, added ? null : text[k], added ? text[k] : null);
    }
    if (geometry.len > 0)
        csv_add_line(w, c, NULL, added ? null : geometry, added ? geometry : null);
    if (!any) {
        csv_add_head(w, c);
        odp_buffer_add_str(&w->out, ",,,\r\n");
    }
}

static enum odp_status csv_row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    w->rows++;
    if (c->op != ODP_CHANGE_CHANGED)
        csv_add_row(w, c);
    for (uint32_t i = 0; i < c->ncells; i++)
        csv_add_line(w, c, w->job->to->layout->fields[c->cells[i]].name, writer_before(w, c, c->cells[i]),
                     c->after[c->cells[i]]);
    if (c->geometry_changed)
        csv_add_line(w, c, NULL, or_null(c->geometry_before), or_null(c->geometry_after));
    return writer_flush(w, false);
}

static enum odp_status csv_end(void *ctx, const struct odp_changes_counts *counts)
{
    return writer_flush(ctx, true);
}

const struct odp_changes_sink changes_csv = {NULL, csv_begin, csv_row, csv_end};

/* ---- writers ---- */

static enum odp_status make(struct odp_changes_writer **out, struct odp_changes_sink *sink,
                            enum odp_changes_form form)
{
    static const struct odp_changes_sink *const forms[] = {[ODP_CHANGES_JSON] = &changes_json,
                                                           [ODP_CHANGES_CSV] = &changes_csv,
                                                           [ODP_CHANGES_HTML] = &changes_html,
                                                           [ODP_CHANGES_TEXT] = &changes_text};
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    *sink = *forms[form];
    sink->ctx = *out;
    return ODP_OK;
}

enum odp_status odp_changes_writer_new(struct odp_changes_writer **out, enum odp_changes_form form,
                                       struct odp_file *file, const struct odp_changes_page *page,
                                       struct odp_changes_sink *sink)
{
    enum odp_status status = make(out, sink, form);
    if (status == ODP_OK) {
        (*out)->file = file;
        (*out)->page = page;
    }
    return status;
}

enum odp_status odp_changes_text_new(struct odp_changes_writer **out, const struct odp_changes_text *t,
                                     struct odp_changes_sink *sink)
{
    enum odp_status status = make(out, sink, ODP_CHANGES_TEXT);
    if (status == ODP_OK)
        (*out)->text = *t;
    return status;
}

void odp_changes_writer_free(struct odp_changes_writer *w)
{
    if (w == NULL)
        return;
    if (w->release != NULL)
        w->release(w->own);
    odp_buffer_release(&w->out);
    free(w);
}
