/* changes.html: one page for people, in both languages and the portal's frame. It shows the first rows, and
 * links all of them. Rows come by key and are kept by kind; at the end the owner of the templates makes the
 * page (odp_changes_page). */
#include "base/html.h"
#include "site/differences/changes_internal.h"

enum { ROWS_SHOWN = 200, CELLS_SHOWN = 50, FIELDS_SHOWN = 12, VALUE_MAX = 200 };

static const char *const groups[] = {
    [ODP_CHANGE_ADDED] = "added", [ODP_CHANGE_REMOVED] = "removed", [ODP_CHANGE_CHANGED] = "changed"};

/* Data: cleaned and shortened. */
static json_t *clean(struct odp_slice s)
{
    struct odp_buffer out = {0};
    writer_add_clean(&out, s, VALUE_MAX);
    json_t *text = odp_doc_slice(odp_buffer_slice(&out));
    odp_buffer_release(&out);
    return text;
}

/* S as Indonesians read it, where it is a number or a day. */
static json_t *make_text(const struct odp_layout_field *f, struct odp_slice s)
{
    struct odp_buffer out = {0};
    json_t *text = clean(s);
    if (f != NULL && odp_type_is_number(f->type))
        odp_text_decimal(&out, s, ODP_LANG_ID);
    else if (f != NULL && f->type == ODP_TYPE_DATE)
        odp_html_plain_date(&out, odp_or_empty(json_string_value(text)), ODP_LANG_ID);
    if (out.len > 0) {
        json_decref(text);
        text = clean(odp_buffer_slice(&out));
    }
    odp_buffer_release(&out);
    return text;
}

/* A value of the field F (NULL: a geometry's). Of a code "text" is its name, "english" the English one and
 * "code" it itself, where they are others. */
static json_t *make_value(const struct odp_changes_job *job, const struct odp_layout_field *f,
                          struct odp_slice s)
{
    const struct odp_resource *r = job->described;
    const int field =
        f != NULL && r != NULL && s.len > 0 ? odp_schema_find(&r->schema, odp_slice_of(f->name)) : -1;
    struct odp_text label = {{"", ""}};
    if (field >= 0)
        label = odp_code_lists_find(job->codes, r, (uint32_t)field, s);
    const struct odp_slice name = odp_slice_of(odp_text_get(&label, ODP_LANG_ID)),
                           english = odp_slice_of(odp_text_get(&label, ODP_LANG_EN));
    json_t *value =
        json_pack("{s:o, s:b, s:b}", "text", name.len > 0 ? clean(name) : make_text(f, s), "is_null",
                  (int)(s.ptr == NULL), "is_empty", (int)(s.ptr != NULL && s.len == 0));
    if (!odp_slice_eq(english, name))
        odp_set(value, "english", clean(english));
    if (name.len > 0 && !odp_slice_eq(name, s))
        odp_set(value, "code", clean(s));
    return value;
}

static json_t *make_key(const struct odp_changes_writer *w, const struct odp_change *c)
{
    json_t *key = json_array();
    for (uint32_t k = 0; w->job->keyed && k < w->job->to->layout->nkey; k++)
        odp_add(key, make_value(w->job, &w->job->to->layout->fields[w->job->to->layout->key[k]],
                                writer_key(w, c, k)));
    return key;
}

/* Name and title of F, with its unit: "Luas (hektare)"; NULL: of a geometry. */
static json_t *make_field(const struct odp_layout_field *f)
{
    struct odp_buffer title = {0};
    json_t *both = json_object();
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&title);
        if (f != NULL && !odp_text_is_empty(&f->title))
            odp_buffer_add_str(&title, odp_text_get(&f->title, lang));
        if (title.len > 0 && !odp_text_is_empty(&f->unit))
            odp_buffer_printf(&title, " (%s)", odp_text_get(&f->unit, lang));
        odp_set(both, odp_lang_code(lang), clean(odp_buffer_slice(&title)));
    }
    odp_buffer_release(&title);
    return json_pack("{s:o, s:o}", "name", clean(odp_slice_of(f != NULL ? f->name : "")), "title", both);
}

/* F NULL: a geometry. */
static json_t *make_cell(const struct odp_changes_job *job, const struct odp_layout_field *f,
                         struct odp_slice before, struct odp_slice after)
{
    json_t *cell = make_field(f);
    odp_set(cell, "before", make_value(job, f, before));
    odp_set(cell, "after", make_value(job, f, after));
    return cell;
}

static json_t *make_changed(const struct odp_changes_writer *w, const struct odp_change *c)
{
    const struct odp_slice none = {NULL, 0};
    json_t *cells = json_array(), *row = json_pack("{s:o, s:o}", "key", make_key(w, c), "cells", cells);
    for (uint32_t i = 0; i < c->ncells && i < CELLS_SHOWN; i++)
        odp_add(cells, make_cell(w->job, &w->job->to->layout->fields[c->cells[i]],
                                 writer_before(w, c, c->cells[i]), c->after[c->cells[i]]));
    if (c->geometry_changed)
        odp_set(row, "geometry",
                make_cell(w->job, NULL, c->geometry_before.len > 0 ? c->geometry_before : none,
                          c->geometry_after.len > 0 ? c->geometry_after : none));
    if (c->ncells > CELLS_SHOWN)
        odp_set_number(row, "more", c->ncells - CELLS_SHOWN);
    return row;
}

static json_t *make_record(const struct odp_changes_writer *w, const struct odp_change *c)
{
    const bool added = c->op == ODP_CHANGE_ADDED;
    const struct odp_layout *l = added ? w->job->to->layout : w->job->from->layout;
    const struct odp_slice *text = added ? c->after : c->before;
    json_t *fields = json_array(), *row = json_pack("{s:o, s:o}", "key", make_key(w, c), "fields", fields);
    json_int_t more = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        if (text[k].ptr == NULL)
            continue;
        if (json_array_size(fields) == FIELDS_SHOWN) {
            more++;
            continue;
        }
        json_t *field = make_field(&l->fields[k]);
        odp_set(field, "value", make_value(w->job, &l->fields[k], text[k]));
        odp_add(fields, field);
    }
    if (more > 0)
        odp_set_number(row, "more", more);
    return row;
}

static enum odp_status row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    if (w->rows == ROWS_SHOWN)
        return ODP_OK;
    w->rows++;
    odp_add(json_object_get(json_object_get(w->own, groups[c->op]), "rows"),
            c->op == ODP_CHANGE_CHANGED ? make_changed(w, c) : make_record(w, c));
    return ODP_OK;
}

/* ---- the page ---- */

static json_t *make_schema(const struct odp_schema_changes *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n; i++) {
        json_t *o = json_pack("{s:s}", "level", odp_level_name(odp_schema_change_level(s->items[i].kind)));
        for (int l = 0; l < ODP_LANGS; l++) {
            json_t *text = writer_schema_text(&s->items[i], (enum odp_lang)l);
            odp_set(o, odp_lang_code((enum odp_lang)l), clean(odp_slice_of(json_string_value(text))));
            json_decref(text);
        }
        odp_add(list, o);
    }
    return list;
}

/* Sets the number of rows in a group, and how many are shown. */
static void set_group(json_t *data, enum odp_change_op op, uint64_t total)
{
    json_t *group = json_object_get(data, groups[op]);
    const size_t shown = json_array_size(json_object_get(group, "rows"));
    odp_set_number(group, "total", (json_int_t)total);
    odp_set_number(group, "shown", (json_int_t)shown);
    odp_set_flag(group, "any", shown > 0);
    odp_set_flag(group, "is_cut", shown < total);
}

static void set_all(struct odp_changes_writer *w, const struct odp_changes_counts *n)
{
    const struct odp_changes_job *job = w->job;
    json_t *data = w->own;
    const bool noted = job->note.in[ODP_LANG_ID] != NULL;
    const uint64_t total = noted ? 0 : n->added + n->removed + n->changed;
    const char *stem = job->stem != NULL ? job->stem : "changes";
    struct odp_buffer place = {0};
    writer_add_place(&place, job);
    json_t *more = json_pack(
        "{s:s, s:s, s:o, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b, s:b, s:o, s:o, s:b}", "place",
        odp_buffer_cstr(&place), "dataset", job->dataset, "heading",
        odp_text_is_empty(&job->title) ? json_string(job->dataset) : odp_doc_text(&job->title), "from",
        job->from->version, "to", job->to->version, "stem", stem, "from_rows", (json_int_t)n->from_rows,
        "to_rows", (json_int_t)n->to_rows, "rows_changed", (json_int_t)n->changed, "cells_changed",
        (json_int_t)n->cells, "keyed", (int)job->keyed, "geometry_compared", (int)n->geometry_compared,
        "note", noted ? odp_doc_text(&job->note) : json_string(""), "schema", make_schema(job->schema),
        "any_schema", (int)(job->schema->n > 0));
    odp_buffer_release(&place);
    json_object_update(data, more);
    json_decref(more);
    if (n->geometry > 0)
        odp_set_number(data, "geometries", (json_int_t)n->geometry);
    if (total > w->rows)
        odp_set_number(data, "left_out", (json_int_t)(total - w->rows));
    set_group(data, ODP_CHANGE_ADDED, n->added);
    set_group(data, ODP_CHANGE_REMOVED, n->removed);
    set_group(data, ODP_CHANGE_CHANGED, n->changed);
}

static void release(void *own)
{
    json_decref(own);
}

static enum odp_status begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    w->job = job;
    w->own =
        json_pack("{s:{s:[]}, s:{s:[]}, s:{s:[]}}", "added", "rows", "removed", "rows", "changed", "rows");
    w->release = release;
    return ODP_OK;
}

static enum odp_status end(void *ctx, const struct odp_changes_counts *n)
{
    struct odp_changes_writer *w = ctx;
    set_all(w, n);
    enum odp_status status = w->page->render(w->page->ctx, w->own, &w->out);
    return status == ODP_OK ? writer_flush(w, true) : status;
}

const struct odp_changes_sink changes_html = {NULL, begin, row, end};
