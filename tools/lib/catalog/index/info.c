/* struct odp_search_info as JSON and back. Reading trusts nothing: the engine indexes arrays by what
 * stands here. */
#include <math.h>

#include "base/decimal.h"
#include "base/json.h"
#include "base/json_load.h"
#include "catalog/index/search.h"

enum { COLUMNS_MAX = 2000, SCALE_MAX = 15, TEXT_MAX = 1 << 20 };

static const char *const modes[] = {"full", "simplified", "none", NULL};

/* The members of odp:timeline in the order in which they are written. */
#define TIMELINE(X) X(project) X(milestone) X(planned) X(actual) X(date) X(delay)

/* ---- writing ---- */

static void add_name(struct odp_buffer *out, const char *name)
{
    if (out->len > 0 && out->ptr[out->len - 1] != '{')
        odp_buffer_add_char(out, ',');
    odp_json_add_string(out, odp_slice_of(name));
    odp_buffer_add_char(out, ':');
}

static void add_string(struct odp_buffer *out, const char *name, const char *value)
{
    add_name(out, name);
    if (value != NULL)
        odp_json_add_string(out, odp_slice_of(value));
    else
        odp_buffer_add_str(out, "null");
}

static void add_text(struct odp_buffer *out, const char *name, const struct odp_text *t)
{
    add_name(out, name);
    odp_buffer_add_char(out, '{');
    add_string(out, "id", t->in[ODP_LANG_ID] != NULL ? t->in[ODP_LANG_ID] : "");
    add_string(out, "en", t->in[ODP_LANG_EN] != NULL ? t->in[ODP_LANG_EN] : "");
    odp_buffer_add_char(out, '}');
}

static void add_int(struct odp_buffer *out, const char *name, int64_t value)
{
    add_name(out, name);
    odp_buffer_printf(out, "%lld", (long long)value);
}

static void add_bool(struct odp_buffer *out, const char *name, bool value)
{
    add_name(out, name);
    odp_buffer_add_str(out, value ? "true" : "false");
}

static void add_column(struct odp_buffer *out, const struct odp_search_column *c)
{
    odp_buffer_add_char(out, '{');
    add_string(out, "name", c->name);
    add_string(out, "type", odp_type_name(c->type));
    add_text(out, "title", &c->title);
    add_text(out, "unit", &c->unit);
    add_bool(out, "of_record", c->of_record);
    add_bool(out, "required", c->required);
    add_bool(out, "indexed", c->indexed);
    add_bool(out, "text", c->text);
    add_bool(out, "labels", c->labels);
    add_bool(out, "wide", c->wide);
    add_int(out, "scale", c->scale);
    odp_buffer_add_char(out, '}');
}

static void add_geometry(struct odp_buffer *out, const struct odp_search_info *i)
{
    add_name(out, "geometry");
    if (!i->has_geometry) {
        odp_buffer_add_str(out, "null");
        return;
    }
    odp_buffer_add_char(out, '{');
    add_string(out, "name", i->geometry_name);
    add_string(out, "mode", modes[i->mode]);
    add_int(out, "types", i->geometry_types);
    add_bool(out, "csv_points", i->csv_points);
    add_bool(out, "csv_wkt", i->csv_wkt);
    add_int(out, "bare", (int64_t)i->bare);
    add_name(out, "bbox");
    for (int k = 0; i->has_bbox && k < 4; k++) {
        char text[48];
        odp_buffer_add_char(out, k == 0 ? '[' : ',');
        odp_buffer_add(out, text, odp_decimal_fixed(i->bbox[k], 7, text));
    }
    odp_buffer_add_str(out, i->has_bbox ? "]}" : "null}");
}

static void add_times(struct odp_buffer *out, const struct odp_search_info *i)
{
    add_name(out, "datetime");
    if (i->datetime[0] < 0)
        odp_buffer_add_str(out, "null");
    else
        odp_buffer_printf(out, "[%d,%d]", i->datetime[0], i->datetime[1]);
    add_string(out, "start", i->interval[0]);
    add_string(out, "end", i->interval[1]);
    add_name(out, "timeline");
    if (i->project < 0) {
        odp_buffer_add_str(out, "null");
        return;
    }
    odp_buffer_add_char(out, '{');
#define X(member) add_int(out, #member, i->member);
    TIMELINE(X)
#undef X
    odp_buffer_add_char(out, '}');
}

enum odp_status odp_search_info_write(const struct odp_search_info *i, struct odp_buffer *out)
{
    odp_buffer_add_char(out, '{');
    add_string(out, "slug", i->slug);
    add_string(out, "resource", i->resource);
    add_string(out, "version", i->version);
    add_string(out, "last_update", i->last_update);
    add_int(out, "rows", (int64_t)i->rows);
    add_name(out, "columns");
    odp_buffer_add_char(out, '[');
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        odp_buffer_add_str(out, k > 0 ? ",\n" : "\n");
        add_column(out, &i->columns[k]);
    }
    odp_buffer_add_char(out, ']');
    add_name(out, "key");
    odp_buffer_add_char(out, '[');
    for (uint32_t k = 0; k < i->nkey; k++)
        odp_buffer_printf(out, k > 0 ? ",%u" : "%u", i->key[k]);
    odp_buffer_add_char(out, ']');
    add_geometry(out, i);
    add_times(out, i);
    odp_buffer_add_char(out, '}');
    return odp_buffer_status(out);
}

/* ---- reading ---- */

/* What is read; the first fault stays. */
struct reading {
    struct odp_search_info *info;
    struct odp_arena *arena;
    enum odp_status status;
};

static bool bad(struct reading *r)
{
    if (r->status == ODP_OK)
        r->status = ODP_BAD;
    return false;
}

/* A text of member NAME in the arena. NULL: there is none, which is a fault unless OPTIONAL and null. */
static const char *read_string(struct reading *r, const json_t *j, const char *name, bool optional)
{
    const json_t *value = json_object_get(j, name);
    if (optional && json_is_null(value))
        return NULL;
    if (!json_is_string(value) || json_string_length(value) > TEXT_MAX) {
        (void)bad(r);
        return NULL;
    }
    const char *copy =
        odp_arena_copy(r->arena, (struct odp_slice){json_string_value(value), json_string_length(value)}).ptr;
    return copy;
}

static struct odp_text read_text(struct reading *r, const json_t *j, const char *name)
{
    const json_t *value = json_object_get(j, name);
    return (struct odp_text){{read_string(r, value, "id", false), read_string(r, value, "en", false)}};
}

static bool read_bool(struct reading *r, const json_t *j, const char *name)
{
    const json_t *value = json_object_get(j, name);
    if (!json_is_boolean(value))
        (void)bad(r);
    return json_is_true(value);
}

/* A whole number within LOW .. HIGH; LOW where there is none. */
static int64_t to_int(struct reading *r, const json_t *value, int64_t low, int64_t high)
{
    json_int_t v = json_integer_value(value);
    if (json_is_integer(value) && v >= low && v <= high)
        return v;
    (void)bad(r);
    return low;
}

static int read_choice(struct reading *r, const json_t *j, const char *name, const char *const *choices)
{
    const char *text = json_string_value(json_object_get(j, name));
    for (int k = 0; text != NULL && choices[k] != NULL; k++)
        if (strcmp(text, choices[k]) == 0)
            return k;
    (void)bad(r);
    return 0;
}

static void read_column(struct reading *r, const json_t *j, struct odp_search_column *c)
{
    const char *types[ODP_TYPE_COUNT + 1] = {NULL};
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        types[t] = odp_type_name((enum odp_type)t);
    c->name = read_string(r, j, "name", false);
    c->type = (enum odp_type)read_choice(r, j, "type", types);
    c->title = read_text(r, j, "title");
    c->unit = read_text(r, j, "unit");
    c->of_record = read_bool(r, j, "of_record");
    c->required = read_bool(r, j, "required");
    c->indexed = read_bool(r, j, "indexed");
    c->text = read_bool(r, j, "text");
    c->labels = read_bool(r, j, "labels");
    c->wide = read_bool(r, j, "wide");
    c->scale = (int)to_int(r, json_object_get(j, "scale"), -1, SCALE_MAX);
    if (c->name != NULL && *c->name == '\0')
        (void)bad(r);
}

/* Names are told apart by their bytes: odp_search_find gives one column a name. */
static bool has_name_before(const struct odp_search_info *i, uint32_t k)
{
    return odp_search_find(i, odp_slice_of(i->columns[k].name)) != (int)k;
}

static void read_columns(struct reading *r, const json_t *j)
{
    struct odp_search_info *i = r->info;
    const json_t *list = json_object_get(j, "columns");
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > COLUMNS_MAX) {
        (void)bad(r);
        return;
    }
    i->columns = odp_arena_zero(r->arena, n + 1, sizeof *i->columns);
    for (size_t k = 0; k < n && r->status == ODP_OK; k++) {
        struct odp_search_column *c = &i->columns[k];
        read_column(r, json_array_get(list, k), c);
        if (r->status != ODP_OK)
            return;
        i->ncolumns++;
        if (c->of_record && i->nfields++ != k)
            (void)bad(r); /* the record's come first */
        if (has_name_before(i, (uint32_t)k))
            (void)bad(r);
    }
}

static void read_key(struct reading *r, const json_t *j)
{
    struct odp_search_info *i = r->info;
    const json_t *list = json_object_get(j, "key");
    size_t n = json_array_size(list);
    if (!json_is_array(list) || n > i->nfields) {
        (void)bad(r);
        return;
    }
    i->key = odp_arena_zero(r->arena, n + 1, sizeof *i->key);
    for (; i->nkey < n && r->status == ODP_OK; i->nkey++) {
        i->key[i->nkey] = (uint32_t)to_int(r, json_array_get(list, i->nkey), 0, (int64_t)i->nfields - 1);
        for (uint32_t k = 0; k < i->nkey; k++)
            if (i->key[k] == i->key[i->nkey])
                (void)bad(r);
    }
}

static void read_bbox(struct reading *r, const json_t *j)
{
    struct odp_search_info *i = r->info;
    const json_t *list = json_object_get(j, "bbox");
    if (json_is_null(list))
        return;
    i->has_bbox = json_array_size(list) == 4;
    for (size_t k = 0; i->has_bbox && k < 4; k++) {
        const json_t *value = json_array_get(list, k);
        i->bbox[k] = json_number_value(value);
        if (!json_is_number(value) || !(fabs(i->bbox[k]) <= 360))
            (void)bad(r);
    }
    if (!i->has_bbox || i->bbox[0] > i->bbox[2] || i->bbox[1] > i->bbox[3])
        (void)bad(r);
}

static void read_geometry(struct reading *r, const json_t *j)
{
    struct odp_search_info *i = r->info;
    const json_t *g = json_object_get(j, "geometry");
    if (json_is_null(g))
        return;
    i->has_geometry = true;
    i->geometry_name = read_string(r, g, "name", false);
    i->mode = (enum odp_geometry_mode)read_choice(r, g, "mode", modes);
    i->geometry_types =
        (unsigned)to_int(r, json_object_get(g, "types"), 0, 2 * ODP_GEOM_BIT_MULTIPOLYGON - 1);
    i->csv_points = read_bool(r, g, "csv_points");
    i->csv_wkt = read_bool(r, g, "csv_wkt");
    i->bare = (uint64_t)to_int(r, json_object_get(g, "bare"), 0, (int64_t)i->rows);
    read_bbox(r, g);
    if (i->geometry_name != NULL && *i->geometry_name == '\0')
        (void)bad(r);
}

/* A column by its number, of one of the types A and B. */
static int read_place(struct reading *r, const json_t *value, enum odp_type a, enum odp_type b)
{
    int k = (int)to_int(r, value, 0, (int64_t)r->info->ncolumns - 1);
    if (r->status == ODP_OK && r->info->columns[k].type != a && r->info->columns[k].type != b)
        (void)bad(r);
    return k;
}

static void read_times(struct reading *r, const json_t *j)
{
    static const char *const names[] = {"start", "end"};
    struct odp_search_info *i = r->info;
    const json_t *list = json_object_get(j, "datetime");
    bool there = !json_is_null(list);
    if (there && json_array_size(list) != 2)
        (void)bad(r);
    for (size_t k = 0; k < 2; k++) {
        struct odp_datetime d;
        i->datetime[k] =
            there ? read_place(r, json_array_get(list, k), ODP_TYPE_DATE, ODP_TYPE_DATETIME) : -1;
        i->interval[k] = read_string(r, j, names[k], true);
        if (r->status != ODP_OK || i->interval[k] == NULL)
            continue;
        bool day = there && i->columns[i->datetime[k]].type == ODP_TYPE_DATE;
        struct odp_slice text = odp_slice_of(i->interval[k]);
        if (!there || odp_date_parse(text, day ? ODP_DATE : ODP_DATETIME, NULL, NULL, &d) != ODP_DATE_OK)
            (void)bad(r);
    }
}

static void read_timeline(struct reading *r, const json_t *j)
{
    struct odp_search_info *i = r->info;
    const json_t *t = json_object_get(j, "timeline");
    if (json_is_null(t))
        return;
#define X(member) i->member = (int)to_int(r, json_object_get(t, #member), 0, (int64_t)i->ncolumns - 1);
    TIMELINE(X)
#undef X
    if (r->status == ODP_OK &&
        (i->columns[i->planned].type != ODP_TYPE_DATE || i->columns[i->actual].type != ODP_TYPE_DATE ||
         i->columns[i->date].type != ODP_TYPE_DATE || i->columns[i->delay].type != ODP_TYPE_INTEGER))
        (void)bad(r);
}

/* The same as a schema, for the expression compiler. */
static void make_schema(struct reading *r)
{
    struct odp_search_info *i = r->info;
    struct odp_field *fields = odp_arena_zero(r->arena, (size_t)i->ncolumns + 1, sizeof *fields);
    for (uint32_t k = 0; k < i->ncolumns; k++) {
        const struct odp_search_column *c = &i->columns[k];
        fields[k] =
            (struct odp_field){.name = c->name,
                               .source_name = c->name,
                               .type = c->type,
                               .title = c->title,
                               .unit = c->unit,
                               .description = {{"", ""}},
                               .constraints = {.required = c->required, .min_length = -1, .max_length = -1},
                               .is_public = true,
                               .where = ""};
    }
    i->schema = (struct odp_schema){.fields = fields, .n = i->ncolumns, .primary = {i->key, i->nkey, ""}};
}

enum odp_status odp_search_info_read(struct odp_search_info *i, struct odp_slice json, struct odp_arena *a)
{
    struct reading r = {i, a, ODP_OK};
    *i = (struct odp_search_info){.datetime = {-1, -1}, ODP_SEARCH_NO_TIMELINE};
    json_t *j = odp_json_load(json.ptr != NULL ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, NULL);
    if (!json_is_object(j))
        (void)bad(&r);
    i->slug = read_string(&r, j, "slug", false);
    i->resource = read_string(&r, j, "resource", true);
    i->version = read_string(&r, j, "version", false);
    i->last_update = read_string(&r, j, "last_update", false);
    i->rows = (uint64_t)to_int(&r, json_object_get(j, "rows"), 0, INT64_MAX);
    if (r.status == ODP_OK)
        read_columns(&r, j);
    if (r.status == ODP_OK)
        read_key(&r, j);
    if (r.status == ODP_OK)
        read_geometry(&r, j);
    if (r.status == ODP_OK)
        read_times(&r, j);
    if (r.status == ODP_OK)
        read_timeline(&r, j);
    if (r.status == ODP_OK)
        make_schema(&r);
    json_decref(j);
    return r.status == ODP_OK ? odp_search_name(i, a) : r.status;
}
