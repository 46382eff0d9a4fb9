/* profile.json: one field a line. Exact figures are strings: a JSON library would round them. */

#include "base/json.h"
#include "base/json_load.h"
#include "check/drift/profile.h"

/* ---- writing ---- */

static void add_frequent(struct odp_buffer *out, const struct odp_profile_field *f)
{
    odp_buffer_add_str(out, ", \"frequent\": [");
    for (size_t i = 0; i < f->nvalues; i++) {
        odp_json_add_slice(out, i > 0 ? ", {\"value\": " : "{\"value\": ", f->values[i].value);
        odp_buffer_printf(out, ", \"count\": %llu}", (unsigned long long)f->values[i].count);
    }
    odp_buffer_add_char(out, ']');
}

static void add_histogram(struct odp_buffer *out, const struct odp_histogram_bins *h)
{
    odp_buffer_add_str(out, ", \"histogram\": {\"bounds\": [");
    for (size_t i = 0; i <= h->n; i++)
        odp_buffer_printf(out, "%s\"%s\"", i > 0 ? ", " : "", h->bounds[i]);
    odp_buffer_add_str(out, "], \"counts\": [");
    for (size_t i = 0; i < h->n; i++)
        odp_buffer_printf(out, "%s%llu", i > 0 ? ", " : "", (unsigned long long)h->counts[i]);
    odp_buffer_add_str(out, "]}");
}

static void add_field(struct odp_buffer *out, const struct odp_profile_field *f)
{
    odp_json_add_str(out, "{\"name\": ", f->name);
    odp_buffer_printf(out, ", \"type\": \"%s\", \"nulls\": ", odp_type_name(f->type));
    odp_buffer_add_u64(out, f->nulls);
    odp_json_add_u64(out, ", \"distinct\": ", f->distinct);
    if (f->estimated)
        odp_buffer_add_str(out, ", \"estimated\": true");
    odp_json_add_str(out, ", \"minimum\": ", f->minimum);
    odp_json_add_str(out, ", \"maximum\": ", f->maximum);
    odp_json_add_str(out, ", \"sum\": ", f->sum);
    odp_json_add_str(out, ", \"mean\": ", f->mean);
    if (f->changed >= 0)
        odp_buffer_printf(out, ", \"changed\": %lld", (long long)f->changed);
    if (f->listed) {
        odp_buffer_add_str(out, ", \"values\": {");
        for (size_t i = 0; i < f->nvalues; i++) {
            odp_json_add_slice(out, i > 0 ? ", " : "", f->values[i].value);
            odp_json_add_u64(out, ": ", f->values[i].count);
        }
        odp_buffer_add_char(out, '}');
    } else if (f->nvalues > 0) {
        add_frequent(out, f);
    }
    if (f->histogram.n > 0)
        add_histogram(out, &f->histogram);
    odp_buffer_add_char(out, '}');
}

static void add_geometry(struct odp_buffer *out, const struct odp_profile *p)
{
    odp_json_add_u64(out, ",\n  \"geometry\": {\"records\": ", p->located);
    odp_json_add_u64(out, ", \"points\": ", p->points);
    if (p->has_bbox) {
        odp_buffer_add_str(out, ", \"bbox\": [");
        for (int i = 0; i < 4; i++) {
            char text[40];
            odp_buffer_add_str(out, i > 0 ? ", " : "");
            odp_buffer_add(out, text, odp_decimal_fixed(p->bbox[i], 7, text));
        }
        odp_buffer_add_char(out, ']');
    }
    odp_buffer_add_char(out, '}');
}

enum odp_status odp_profile_json(struct odp_buffer *out, const struct odp_profile *p,
                                 const struct odp_resource *r, const char *version)
{
    odp_json_add_str(out, "{\n  \"dataset\": ", r->dataset->slug);
    odp_json_add_str(out, ",\n  \"resource\": ", r->name);
    odp_json_add_str(out, ",\n  \"version\": ", version);
    odp_json_add_u64(out, ",\n  \"rows\": ", p->rows);
    if (p->shared > 0)
        odp_buffer_printf(out, ",\n  \"shared\": %llu", (unsigned long long)p->shared);
    odp_buffer_add_str(out, ",\n  \"fields\": [");
    for (size_t i = 0; i < p->n; i++) {
        odp_buffer_add_str(out, i > 0 ? ",\n    " : "\n    ");
        add_field(out, &p->fields[i]);
    }
    odp_buffer_add_str(out, "\n  ]");
    if (p->has_geometry)
        add_geometry(out, p);
    odp_buffer_add_str(out, "\n}\n");
    return odp_buffer_status(out);
}

char *odp_profile_path(const char *slug, const char *name, const char *folder, struct odp_arena *a)
{
    return odp_arena_printf(a, "data/%s/%s/profile%s%s.json", slug, folder, name != NULL ? "-" : "",
                            name != NULL ? name : "");
}

/* ---- reading ---- */

static bool read_type(const json_t *o, enum odp_type *out)
{
    *out = odp_type_of(odp_slice_of(odp_json_text(o, "type")));
    return *out != ODP_TYPE_COUNT;
}

static uint64_t read_count(const json_t *o, const char *key, bool *ok)
{
    const json_t *v = json_object_get(o, key);
    *ok = *ok && json_is_integer(v) && json_integer_value(v) >= 0;
    return *ok ? (uint64_t)json_integer_value(v) : 0;
}

static const char *read_text(const json_t *o, const char *key, struct odp_arena *a)
{
    const char *text = odp_json_text(o, key);
    return text != NULL ? odp_arena_str(a, text) : NULL;
}

static bool read_values(const json_t *o, struct odp_arena *a, struct odp_profile_field *f)
{
    json_t *values = json_object_get(o, "values"), *count;
    const char *key;
    if (values == NULL)
        return true;
    struct odp_profile_value *list = odp_arena_array(a, json_object_size(values) + 1, sizeof *list);
    if (!json_is_object(values))
        return false;
    json_object_foreach(values, key, count)
    {
        struct odp_slice text = odp_arena_copy(a, odp_slice_of(key));
        if (!json_is_integer(count) || json_integer_value(count) < 0)
            return false;
        list[f->nvalues++] = (struct odp_profile_value){text, (uint64_t)json_integer_value(count)};
    }
    f->values = list;
    f->listed = true;
    return true;
}

static bool read_field(const json_t *o, struct odp_arena *a, struct odp_profile_field *f)
{
    bool ok = read_type(o, &f->type);
    f->name = read_text(o, "name", a);
    f->nulls = read_count(o, "nulls", &ok);
    f->distinct = read_count(o, "distinct", &ok);
    f->estimated = json_is_true(json_object_get(o, "estimated"));
    f->minimum = read_text(o, "minimum", a);
    f->maximum = read_text(o, "maximum", a);
    f->sum = read_text(o, "sum", a);
    f->mean = read_text(o, "mean", a);
    const json_t *changed = json_object_get(o, "changed");
    f->changed = json_is_integer(changed) ? (int64_t)json_integer_value(changed) : -1;
    return read_values(o, a, f) && ok && f->name != NULL;
}

static bool read_geometry(const json_t *o, struct odp_profile *p)
{
    const json_t *box = json_object_get(o, "bbox");
    bool ok = true;
    p->has_geometry = true;
    p->located = read_count(o, "records", &ok);
    p->points = read_count(o, "points", &ok);
    p->has_bbox = json_array_size(box) == 4;
    for (size_t i = 0; p->has_bbox && i < 4; i++)
        p->bbox[i] = json_number_value(json_array_get(box, i));
    return ok;
}

enum odp_status odp_profile_read(struct odp_slice text, struct odp_arena *a, struct odp_profile *out,
                                 const char **version)
{
    json_t *o = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *list = json_object_get(o, "fields"), *geometry = json_object_get(o, "geometry");
    struct odp_profile_field *fields = odp_arena_zero(a, json_array_size(list) + 1, sizeof *fields);
    bool ok = json_is_array(list);
    *out = (struct odp_profile){.fields = fields};
    out->rows = read_count(o, "rows", &ok);
    if (json_object_get(o, "shared") != NULL)
        out->shared = read_count(o, "shared", &ok);
    *version = read_text(o, "version", a);
    ok = ok && *version != NULL;
    for (size_t i = 0; ok && i < json_array_size(list); i++)
        ok = read_field(json_array_get(list, i), a, &fields[out->n++]);
    if (ok && geometry != NULL)
        ok = read_geometry(geometry, out);
    json_decref(o);
    return ok ? ODP_OK : ODP_BAD;
}
