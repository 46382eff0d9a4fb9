/* changes.html: one page for people, in both languages and the portal's frame. It shows the first rows, and
 * says where all of them are. Rows come by key; they are held by kind until the page is put together at the
 * end, by who has the templates (odp_changes_page). */
#include <errno.h>
#include <stdlib.h>

#include "site/differences/changes_internal.h"

enum { ROWS_SHOWN = 200, CELLS_SHOWN = 50, FIELDS_SHOWN = 12, VALUE_MAX = 200 };

static const char *const groups[] = {
    [ODP_CHANGE_ADDED] = "added", [ODP_CHANGE_REMOVED] = "removed", [ODP_CHANGE_CHANGED] = "changed"};

struct html_form {
    struct odp_doc doc;
    json_t *data; /* model/changes.json of templates/portal */
};

/* Data: cleaned and shortened. */
static json_t *clean(struct html_form *h, struct odp_slice s)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    writer_add_clean(&out, s, VALUE_MAX);
    json_t *text = odp_doc_slice(odp_buffer_slice(&out));
    h->doc.failed = h->doc.failed || out.failed;
    odp_buffer_release(&out);
    return text;
}

static json_t *make_value(struct html_form *h, struct odp_slice s)
{
    return json_pack("{s:o, s:b, s:b}", "text", s.ptr != NULL ? clean(h, s) : json_string(""), "is_null",
                     s.ptr == NULL, "is_empty", s.ptr != NULL && s.len == 0);
}

static json_t *make_name(struct html_form *h, const char *name)
{
    return clean(h, odp_slice_of(name));
}

static json_t *make_key(struct odp_changes_writer *w, const struct odp_change *c)
{
    struct html_form *h = w->own;
    json_t *key = json_array();
    for (uint32_t k = 0; w->job->keyed && k < w->job->to->layout->nkey; k++)
        odp_doc_add(&h->doc, key, make_value(h, writer_key(w, c, k)));
    return key;
}

static json_t *make_cell(struct html_form *h, json_t *name_take, struct odp_slice before,
                         struct odp_slice after)
{
    return json_pack("{s:o, s:o, s:o}", "name", name_take, "before", make_value(h, before), "after",
                     make_value(h, after));
}

static json_t *make_changed(struct odp_changes_writer *w, const struct odp_change *c)
{
    struct html_form *h = w->own;
    const struct odp_slice none = {NULL, 0};
    json_t *cells = json_array(), *row = json_pack("{s:o}", "key", make_key(w, c));
    for (uint32_t i = 0; i < c->ncells && i < CELLS_SHOWN; i++)
        odp_doc_add(&h->doc, cells,
                    make_cell(h, make_name(h, w->job->to->layout->fields[c->cells[i]].name),
                              writer_before(w, c, c->cells[i]), c->after[c->cells[i]]));
    if (c->geometry_changed)
        odp_doc_set(&h->doc, row, "geometry",
                    make_cell(h, json_string(""), c->geometry_before.len > 0 ? c->geometry_before : none,
                              c->geometry_after.len > 0 ? c->geometry_after : none));
    odp_doc_set(&h->doc, row, "cells", cells);
    if (c->ncells > CELLS_SHOWN)
        odp_doc_set(&h->doc, row, "more", json_integer(c->ncells - CELLS_SHOWN));
    return row;
}

static json_t *make_record(struct odp_changes_writer *w, const struct odp_change *c)
{
    struct html_form *h = w->own;
    const struct odp_layout *l = c->op == ODP_CHANGE_ADDED ? w->job->to->layout : w->job->from->layout;
    const struct odp_slice *text = c->op == ODP_CHANGE_ADDED ? c->after : c->before;
    json_t *fields = json_array(), *row = json_pack("{s:o, s:o}", "key", make_key(w, c), "fields", fields);
    json_int_t more = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        if (text[k].ptr != NULL && json_array_size(fields) < FIELDS_SHOWN)
            odp_doc_add(&h->doc, fields,
                        json_pack("{s:o, s:o}", "name", make_name(h, l->fields[k].name), "value",
                                  make_value(h, text[k])));
        else
            more += text[k].ptr != NULL;
    }
    if (more > 0)
        odp_doc_set(&h->doc, row, "more", json_integer(more));
    return row;
}

static enum odp_status row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    struct html_form *h = w->own;
    if (w->rows == ROWS_SHOWN)
        return ODP_OK;
    w->rows++;
    json_t *made = c->op == ODP_CHANGE_CHANGED ? make_changed(w, c) : make_record(w, c);
    odp_doc_add(&h->doc, json_object_get(json_object_get(h->data, groups[c->op]), "rows"), made);
    return h->doc.failed ? odp_failure_set("compare", NULL, ENOMEM) : ODP_OK;
}

/* ---- the page --------------------------------------------------------------------------------------- */

static json_t *make_schema(struct odp_changes_writer *w)
{
    const struct odp_schema_changes *s = w->job->schema;
    struct html_form *h = w->own;
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++) {
        json_t *in[ODP_LANGS];
        for (int l = 0; l < ODP_LANGS; l++) {
            struct odp_buffer text;
            odp_buffer_init(&text);
            odp_schema_change_text(&text, &s->items[i], (enum odp_lang)l);
            in[l] = clean(h, odp_buffer_slice(&text));
            odp_buffer_release(&text);
        }
        odp_doc_add(&h->doc, list,
                    json_pack("{s:o, s:o, s:s}", "id", in[ODP_LANG_ID], "en", in[ODP_LANG_EN], "level",
                              odp_level_name(odp_schema_change_level(s->items[i].kind))));
    }
    return list;
}

static void set_number(struct html_form *h, json_t *o, const char *key, uint64_t n)
{
    odp_doc_set(&h->doc, o, key, json_integer((json_int_t)n));
}

/* How many of GROUP there are, and how many of them are shown. */
static void set_group(struct html_form *h, enum odp_change_op op, uint64_t total)
{
    json_t *group = json_object_get(h->data, groups[op]);
    const size_t shown = json_array_size(json_object_get(group, "rows"));
    set_number(h, group, "total", total);
    set_number(h, group, "shown", shown);
    odp_doc_set(&h->doc, group, "any", json_boolean(shown > 0));
    odp_doc_set(&h->doc, group, "is_cut", json_boolean(shown < total));
}

static void set_all(struct odp_changes_writer *w, const struct odp_changes_counts *n)
{
    const struct odp_changes_job *job = w->job;
    struct html_form *h = w->own;
    const uint64_t total = job->note.in[ODP_LANG_ID] != NULL ? 0 : n->added + n->removed + n->changed;
    const struct {
        const char *name;
        uint64_t n;
    } counts[] = {{"from_rows", n->from_rows},
                  {"to_rows", n->to_rows},
                  {"rows_changed", n->changed},
                  {"cells_changed", n->cells}};
    struct odp_buffer place;
    odp_buffer_init(&place);
    writer_add_place(&place, job);
    odp_doc_set(&h->doc, h->data, "place", odp_doc_slice(odp_buffer_slice(&place)));
    odp_buffer_release(&place);
    odp_doc_set_str(&h->doc, h->data, "dataset", job->dataset);
    odp_doc_set(&h->doc, h->data, "heading",
                odp_text_is_empty(&job->title) ? json_string(job->dataset) : odp_doc_text(&job->title));
    odp_doc_set_str(&h->doc, h->data, "from", job->from->version);
    odp_doc_set_str(&h->doc, h->data, "to", job->to->version);
    odp_doc_set_str(&h->doc, h->data, "stem", job->stem != NULL ? job->stem : "changes");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        set_number(h, h->data, counts[i].name, counts[i].n);
    if (n->geometry > 0)
        set_number(h, h->data, "geometries", n->geometry);
    if (total > w->rows)
        set_number(h, h->data, "left_out", total - w->rows);
    odp_doc_set(&h->doc, h->data, "keyed", json_boolean(job->keyed));
    odp_doc_set(&h->doc, h->data, "geometry_compared", json_boolean(n->geometry_compared));
    odp_doc_set(&h->doc, h->data, "note",
                job->note.in[ODP_LANG_ID] != NULL ? odp_doc_text(&job->note) : json_string(""));
    odp_doc_set(&h->doc, h->data, "schema", make_schema(w));
    odp_doc_set(&h->doc, h->data, "any_schema", json_boolean(job->schema->n > 0));
    set_group(h, ODP_CHANGE_ADDED, n->added);
    set_group(h, ODP_CHANGE_REMOVED, n->removed);
    set_group(h, ODP_CHANGE_CHANGED, n->changed);
}

static void release(void *own)
{
    struct html_form *h = own;
    json_decref(h->data);
    free(h);
}

static enum odp_status begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    struct html_form *h = calloc(1, sizeof *h);
    if (h == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    h->data =
        json_pack("{s:{s:[]}, s:{s:[]}, s:{s:[]}}", "added", "rows", "removed", "rows", "changed", "rows");
    w->job = job;
    w->own = h;
    w->release = release;
    return ODP_OK;
}

static enum odp_status end(void *ctx, const struct odp_changes_counts *n)
{
    struct odp_changes_writer *w = ctx;
    struct html_form *h = w->own;
    set_all(w, n);
    if (h->doc.failed)
        return odp_failure_set("compare", NULL, ENOMEM);
    enum odp_status status = w->page->render(w->page->ctx, h->data, &w->out);
    return status == ODP_OK ? writer_flush(w, true) : status;
}

const struct odp_changes_sink changes_html = {NULL, begin, row, end};
