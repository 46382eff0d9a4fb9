#include "write/record.h"

#include "base/json.h"
#include "base/put.h"
#include "write/simplified.h"

static bool is_public_name(const struct odp_resource *r, const char *name)
{
    for (uint32_t k = 0; k < r->schema.n; k++)
        if (r->schema.fields[k].is_public && strcmp(r->schema.fields[k].name, name) == 0)
            return true;
    return false;
}

const char *odp_emit_free_name(const struct odp_resource *r, const char *name, struct odp_arena *a)
{
    while (is_public_name(r, name))
        name = odp_arena_printf(a, "geometry_%s", name);
    return name;
}

/* LEAD "name": and TAIL as arena text, padded for odp_put_padded. Returns its length without the padding. */
static size_t make_prefix(const char *lead, const char *name, const char *tail, struct odp_arena *a,
                          const char **out)
{
    static const char padding[16];
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_json_add_str(&b, lead, name);
    odp_buffer_add_char(&b, ':');
    odp_buffer_add_str(&b, tail);
    size_t len = b.len;
    odp_buffer_add(&b, padding, sizeof padding);
    *out = odp_arena_copy(a, odp_buffer_slice(&b)).ptr;
    a->failed |= b.failed;
    odp_buffer_release(&b);
    return len;
}

/* The member NAME with the batch's column COLUMN; BEFORE it is LEAD. */
static void add_item(struct odp_json_plan *p, uint32_t column, const char *name, enum odp_type type,
                     const char *before, struct odp_arena *a)
{
    struct odp_json_item *item = &p->items[p->n++];
    item->quoted = odp_type_repr(type) == ODP_REPR_STRING;
    item->plain = !item->quoted || odp_field_type(type)->plain;
    item->field = column;
    item->prefix_len = (uint32_t)make_prefix(before, name, item->quoted ? "\"" : "", a, &item->prefix);
    p->fixed += item->prefix_len + 4; /* and "null", or the closing quote */
}

void odp_json_plan_init(struct odp_json_plan *p, const struct odp_emit_job *job, enum odp_geometry_mode mode,
                        const struct odp_label_columns *labels, const char *lead, struct odp_arena *a)
{
    const struct odp_resource *r = job->resource;
    *p = (struct odp_json_plan){.mode = mode};
    const char *open = odp_arena_printf(a, "%s{", lead);
    p->empty = odp_arena_printf(a, "%s{}", lead);
    p->items =
        odp_arena_zero(a, r->schema.n + (labels != NULL ? labels->n : 0) + (size_t)1, sizeof *p->items);
    for (uint32_t k = 0; k < r->schema.n; k++) {
        const struct odp_field *f = &r->schema.fields[k];
        uint32_t names[ODP_LANGS], n = odp_label_columns_after(labels, k, names);
        if (f->is_public)
            add_item(p, k, f->name, f->type, p->n == 0 ? open : ",", a);
        for (uint32_t i = 0; i < n; i++)
            add_item(p, names[i], labels->columns[names[i] - labels->first].name, ODP_TYPE_STRING, ",", a);
    }
    if (job->has_geometry && mode != ODP_GEOMETRY_NONE) {
        p->geometry_len =
            make_prefix(p->n == 0 ? open : ",", odp_emit_free_name(r, "geometry", a), "", a, &p->geometry);
        p->fixed += p->geometry_len;
    }
    p->fixed += strlen(p->empty) + 16; /* what odp_put_padded writes too much */
}

/* Bytes of record I but for its geometry, where nothing in it is escaped. */
static size_t bound(const struct odp_json_plan *p, const struct odp_batch *b, uint32_t i)
{
    size_t need = p->fixed;
    for (uint32_t k = 0; k < p->n; k++)
        need += b->columns[p->items[k].field].text[i].len;
    return need;
}

/* The members of record I at W as they are; NULL: something in them may have to be escaped. */
static char *put_members(const struct odp_json_plan *p, char *w, const struct odp_batch *b, uint32_t i)
{
    odp_bytes16 seen = {0};
    const struct odp_around text = odp_around_of(odp_buffer_slice(&b->text));
    for (const struct odp_json_item *item = p->items, *end = item + p->n; item < end; item++) {
        const struct odp_column *column = &b->columns[item->field];
        w = odp_put_padded(w, item->prefix, item->prefix_len);
        if (column->state[i] != ODP_VALUE_OK) {
            w -= item->quoted; /* the quote in the prefix */
            memcpy(w, "null", 4);
            w += 4;
            continue;
        }
        w = item->plain ? odp_put_part(w, column->text[i], text, &seen, odp_look_nowhere)
                        : odp_put_part(w, column->text[i], text, &seen, odp_look_json);
        *w = '"';
        w += item->quoted;
    }
    return odp_any16(seen) ? NULL : w;
}

/* The same where something is escaped: value by value. */
static void add_members(const struct odp_json_plan *p, struct odp_buffer *out, const struct odp_batch *b,
                        uint32_t i)
{
    for (const struct odp_json_item *item = p->items, *end = item + p->n; item < end; item++) {
        const struct odp_column *column = &b->columns[item->field];
        bool there = column->state[i] == ODP_VALUE_OK;
        odp_buffer_add(out, item->prefix, item->prefix_len - (!there && item->quoted));
        if (!there)
            odp_buffer_add(out, "null", 4);
        else if (item->plain)
            odp_buffer_add_slice(out, column->text[i]);
        else
            odp_json_add_inside(out, column->text[i]);
        if (there && item->quoted)
            odp_buffer_add_char(out, '"');
    }
}

void odp_json_plan_record(const struct odp_json_plan *p, struct odp_buffer *out, const struct odp_batch *b,
                          uint32_t i)
{
    if (p->n == 0 && p->geometry == NULL) {
        odp_buffer_add_str(out, p->empty);
        return;
    }
    char *w = odp_buffer_reserve(out, bound(p, b, i));
    if (w == NULL)
        return;
    w = put_members(p, w, b, i);
    if (w != NULL)
        out->len = (size_t)(w - out->ptr);
    else
        add_members(p, out, b, i);
    if (p->geometry != NULL) {
        const struct odp_geom *g = b->geometry != NULL ? b->geometry[i] : NULL;
        odp_buffer_add(out, p->geometry, p->geometry_len);
        if (g == NULL)
            odp_buffer_add_str(out, "null");
        else if (p->mode == ODP_GEOMETRY_SIMPLIFIED)
            odp_emit_add_simplified(out, g);
        else
            odp_geom_add_geojson(out, g);
    }
    odp_buffer_add_char(out, '}');
}

void odp_emit_json_value(struct odp_buffer *out, const struct odp_field *f, uint8_t state,
                         struct odp_slice text)
{
    if (state != ODP_VALUE_OK)
        odp_buffer_add_str(out, "null");
    else if (odp_type_repr(f->type) == ODP_REPR_STRING)
        odp_json_add_string(out, text);
    else
        odp_buffer_add_slice(out, text);
}

void odp_emit_add_meta(struct odp_buffer *out, const struct odp_emit_job *job, uint64_t total,
                       const struct odp_emit_page *page)
{
    const struct odp_resource *r = job->resource;
    odp_json_add_str(out, ",\"status\":\"success\",\"meta\":{\"dataset\":", r->dataset->slug);
    if (!r->primary) {
        odp_json_add_str(out, ",\"resource\":", r->name);
    } else if (page != NULL) {
        odp_buffer_add_str(out, ",\"resource\":null");
    }
    odp_json_add_str(out, ",\"version\":", job->version);
    odp_json_add_str(out, ",\"release\":", job->release);
    if (job->slice != NULL) {
        odp_json_add_str(out, ",\"slice\":{", job->slice_field);
        odp_buffer_add_char(out, ':');
        odp_json_add_string(out, job->slice_value);
        odp_buffer_add_char(out, '}');
    }
    odp_json_add_u64(out, ",\"total\":", total);
    if (page != NULL) {
        odp_json_add_u64(out, ",\"returned\":", page->records);
        odp_json_add_u64(out, ",\"limit\":", page->limit);
        odp_json_add_u64(out, ",\"page\":", page->number);
        odp_json_add_u64(out, ",\"pages\":", page->pages);
    }
    odp_json_add_slice(
        out, ",\"last_update\":", odp_emit_version_date(job->date != NULL ? job->date : job->version));
    const char *license =
        page == NULL ? odp_emit_license(job) : NULL; /* a file that is passed on says it itself */
    odp_json_add_str(out, ",\"license\":", license);
    odp_buffer_add_char(out, '}');
}
