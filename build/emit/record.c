#include "record.h"

#include <stdlib.h>

#include "base/json.h"

static bool is_public_name(const struct odp_resource *r, const char *name)
{
    for (uint32_t k = 0; k < r->schema.n; k++)
        if (r->schema.fields[k].is_public && strcmp(r->schema.fields[k].name, name) == 0)
            return true;
    return false;
}

const char *odp_emit_free_name(const struct odp_resource *r, const char *name, struct odp_arena *a)
{
    while (name != NULL && is_public_name(r, name))
        name = odp_arena_printf(a, "geometry_%s", name);
    return name;
}

/* LEAD "name": as arena text. */
static enum odp_status make_prefix(const char *lead, const char *name, struct odp_arena *a, const char **out, size_t *len)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_buffer_add_str(&b, lead);
    odp_json_add_string(&b, odp_slice_of(name));
    odp_buffer_add_char(&b, ':');
    struct odp_slice copy = {NULL, 0};
    if (odp_buffer_status(&b) == ODP_OK)
        copy = odp_arena_copy(a, odp_buffer_slice(&b));
    odp_buffer_release(&b);
    *out = copy.ptr;
    *len = copy.len;
    return copy.ptr != NULL ? ODP_OK : ODP_FAIL;
}

enum odp_status odp_json_plan_init(struct odp_json_plan *p, const struct odp_resource *r, bool geometry,
                                   enum odp_geometry_mode mode, const char *lead, struct odp_arena *a)
{
    *p = (struct odp_json_plan){.mode = mode};
    const char *open = odp_arena_printf(a, "%s{", lead);
    p->empty = odp_arena_printf(a, "%s{}", lead);
    p->items = odp_arena_zero(a, (size_t)r->schema.n + 1, sizeof *p->items);
    if (open == NULL || p->empty == NULL || p->items == NULL)
        return ODP_FAIL;
    const char *before = open;
    size_t len;
    for (uint32_t k = 0; k < r->schema.n; k++) {
        const struct odp_field *f = &r->schema.fields[k];
        if (!f->is_public)
            continue;
        struct odp_json_item *item = &p->items[p->n++];
        if (make_prefix(before, f->name, a, &item->prefix, &len) != ODP_OK)
            return ODP_FAIL;
        item->prefix_len = (uint32_t)len;
        item->field = k;
        item->quoted = odp_type_repr(f->type) == ODP_REPR_STRING;
        p->fixed += len;
        before = ",";
    }
    if (geometry && mode != ODP_GEOMETRY_NONE) {
        const char *name = odp_emit_free_name(r, "geometry", a);
        if (name == NULL || make_prefix(before, name, a, &p->geometry, &p->geometry_len) != ODP_OK)
            return ODP_FAIL;
        p->fixed += p->geometry_len;
    }
    p->fixed += strlen(p->empty);
    return ODP_OK;
}

#define ONES  0x0101010101010101u
#define HIGHS 0x8080808080808080u

/* Not 0 if one of the 8 bytes must not stand as it is in a JSON string: a control character, '"', '\', DEL, or 0xE2, which may
 * begin U+2028. Exact as a question about any of them, which is all that is asked. */
static inline uint64_t dirty(uint64_t x)
{
    uint64_t quote = x ^ (ONES * '"'), back = x ^ (ONES * '\\'), del = x ^ (ONES * 0x7f), e2 = x ^ (ONES * 0xe2);
    uint64_t control = (x - ONES * 0x20) & ~x;
    return (control | ((quote - ONES) & ~quote) | ((back - ONES) & ~back) | ((del - ONES) & ~del) | ((e2 - ONES) & ~e2)) &
           HIGHS;
}

char *odp_json_put_clean(char *w, struct odp_slice s)
{
    uint64_t x, seen = 0;
    *w++ = '"';
    if (s.len >= 8) {
        size_t i = 0;
        for (; i + 8 <= s.len; i += 8) {
            memcpy(&x, s.ptr + i, 8);
            memcpy(w + i, &x, 8);
            seen |= dirty(x);
        }
        memcpy(&x, s.ptr + s.len - 8, 8); /* the rest, overlapping what was done */
        memcpy(w + s.len - 8, &x, 8);
        seen |= dirty(x);
    } else if (s.len > 0) {
        x = ONES * ' ';
        memcpy(&x, s.ptr, s.len);
        memcpy(w, &x, 8);
        seen = dirty(x);
    }
    w[s.len] = '"';
    return seen == 0 ? w + s.len + 1 : NULL;
}

/* Room for the values from item K on, when nothing in them is escaped. */
static size_t bound(const struct odp_json_plan *p, const struct odp_batch *b, uint32_t i, uint32_t k)
{
    size_t need = p->fixed + 16;
    for (; k < p->n; k++)
        need += b->columns[p->items[k].field].text[i].len + 12;
    return need;
}

void odp_json_plan_record(const struct odp_json_plan *p, struct odp_buffer *out, const struct odp_batch *b, uint32_t i)
{
    if (p->n == 0 && p->geometry == NULL) {
        odp_buffer_add_str(out, p->empty);
        return;
    }
    char *w = odp_buffer_reserve(out, bound(p, b, i, 0));
    for (uint32_t k = 0; k < p->n && w != NULL; k++) {
        const struct odp_json_item *item = &p->items[k];
        const struct odp_column *column = &b->columns[item->field];
        struct odp_slice text = column->text[i];
        memcpy(w, item->prefix, item->prefix_len);
        w += item->prefix_len;
        if (column->state[i] != ODP_VALUE_OK) {
            memcpy(w, "null", 4);
            w += 4;
        } else if (!item->quoted) {
            memcpy(w, text.ptr, text.len);
            w += text.len;
        } else {
            char *end = odp_json_put_clean(w, text);
            if (end == NULL) { /* something to escape: the slow way, then room for the rest again */
                out->len = (size_t)(w - out->ptr);
                odp_json_add_string(out, text);
                end = odp_buffer_reserve(out, bound(p, b, i, k + 1));
            }
            w = end;
        }
    }
    if (w == NULL)
        return;
    if (p->geometry == NULL) {
        *w++ = '}';
        out->len = (size_t)(w - out->ptr);
        return;
    }
    memcpy(w, p->geometry, p->geometry_len);
    out->len = (size_t)(w + p->geometry_len - out->ptr);
    const struct odp_geom *g = b->geometry != NULL ? b->geometry[i] : NULL;
    if (g == NULL)
        odp_buffer_add_str(out, "null");
    else if (p->mode == ODP_GEOMETRY_SIMPLIFIED)
        odp_emit_add_simplified(out, g);
    else
        odp_geom_add_geojson(out, g);
    odp_buffer_add_char(out, '}');
}

void odp_emit_json_record(struct odp_buffer *out, const struct odp_batch *b, uint32_t i, bool has_geometry,
                          enum odp_geometry_mode mode)
{
    struct odp_arena arena;
    struct odp_json_plan plan;
    odp_arena_init(&arena);
    if (odp_json_plan_init(&plan, b->resource, has_geometry, mode, "", &arena) == ODP_OK)
        odp_json_plan_record(&plan, out, b, i);
    else
        out->failed = true;
    odp_arena_release(&arena);
}

void odp_emit_json_value(struct odp_buffer *out, const struct odp_field *f, uint8_t state, struct odp_slice text)
{
    if (state != ODP_VALUE_OK)
        odp_buffer_add_str(out, "null");
    else if (odp_type_repr(f->type) == ODP_REPR_STRING)
        odp_json_add_string(out, text);
    else
        odp_buffer_add_slice(out, text);
}

const char *odp_emit_license(const struct odp_emit_job *job)
{
    const json_t *own = json_array_get(json_object_get(job->resource->dataset->json, "licenses"), 0);
    const char *path = json_string_value(json_object_get(own, "path"));
    return own != NULL ? path : job->catalog->portal.license_path;
}

struct odp_slice odp_emit_version_date(const char *version)
{
    struct odp_slice s = odp_slice_of(version);
    if (s.len > 10)
        s.len = 10; /* YYYY-MM-DD; what follows is a time or the number of a correction */
    return s;
}

void odp_emit_add_meta(struct odp_buffer *out, const struct odp_emit_job *job, uint64_t total, uint64_t page, uint64_t pages)
{
    const struct odp_resource *r = job->resource;
    odp_buffer_add_str(out, ",\"status\":\"success\",\"meta\":{\"dataset\":");
    odp_json_add_string(out, odp_slice_of(r->dataset->slug));
    if (!r->primary) {
        odp_buffer_add_str(out, ",\"resource\":");
        odp_json_add_string(out, odp_slice_of(r->name));
    }
    odp_buffer_add_str(out, ",\"version\":");
    odp_json_add_string(out, odp_slice_of(job->version));
    odp_buffer_add_str(out, ",\"release\":");
    odp_json_add_string(out, odp_slice_of(job->release));
    if (job->slice != NULL) {
        odp_buffer_add_str(out, ",\"slice\":{");
        odp_json_add_string(out, odp_slice_of(job->slice_field));
        odp_buffer_add_char(out, ':');
        odp_json_add_string(out, job->slice_value);
        odp_buffer_add_char(out, '}');
    }
    odp_buffer_add_str(out, ",\"total\":");
    odp_buffer_add_u64(out, total);
    if (pages > 0) {
        odp_buffer_add_str(out, ",\"page\":");
        odp_buffer_add_u64(out, page);
        odp_buffer_add_str(out, ",\"pages\":");
        odp_buffer_add_u64(out, pages);
    }
    odp_buffer_add_str(out, ",\"last_update\":");
    odp_json_add_string(out, odp_emit_version_date(job->date != NULL ? job->date : job->version));
    const char *license = pages == 0 ? odp_emit_license(job) : NULL; /* a file that is passed on says it itself */
    if (license != NULL) {
        odp_buffer_add_str(out, ",\"license\":");
        odp_json_add_string(out, odp_slice_of(license));
    }
    odp_buffer_add_char(out, '}');
}
