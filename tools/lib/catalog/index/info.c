/* struct odp_search_info as JSON and back. Reading trusts nothing: the engine indexes arrays by these
 * numbers. */
#include "base/decimal.h"
#include "base/json.h"
#include "base/json_load.h"
#include "catalog/index/search.h"

enum { COLUMNS_MAX = 2000, SCALE_MAX = 15 };

static const char *const modes[] = {"full", "simplified", "none"};

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
    add_int(out, "places", c->places);
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

/* ---- reading: false is "not such a document" ---- */

/* NAME among CHOICES; -1: it is none of them. */
static int choice_of(const char *name, const char *const *choices, int n)
{
    for (int k = 0; k < n; k++)
        if (strcmp(name, choices[k]) == 0)
            return k;
    return -1;
}

static void copy(const char **text, struct odp_arena *a)
{
    *text = odp_arena_str(a, *text);
}

/* A text, or null. */
static bool read_nullable(const json_t *j, const char **text, struct odp_arena *a)
{
    *text = json_is_string(j) ? odp_arena_str(a, json_string_value(j)) : NULL;
    return json_is_string(j) || json_is_null(j);
}

static bool read_column(json_t *j, struct odp_search_column *c, struct odp_arena *a)
{
    const char *types[ODP_TYPE_COUNT], *type;
    int of_record, required, indexed, text, labels, wide;
    c->places = -1; /* of an index of an older odp */
    if (json_unpack(j, "{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s}, s:b, s:b, s:b, s:b, s:b, s:b, s:i, s?i}",
                    "name", &c->name, "type", &type, "title", "id", &c->title.in[ODP_LANG_ID], "en",
                    &c->title.in[ODP_LANG_EN], "unit", "id", &c->unit.in[ODP_LANG_ID], "en",
                    &c->unit.in[ODP_LANG_EN], "of_record", &of_record, "required", &required, "indexed",
                    &indexed, "text", &text, "labels", &labels, "wide", &wide, "scale", &c->scale, "places",
                    &c->places) != 0)
        return false;
    for (int t = 0; t < ODP_TYPE_COUNT; t++)
        types[t] = odp_type_name((enum odp_type)t);
    int known = choice_of(type, types, ODP_TYPE_COUNT);
    c->type = (enum odp_type)known;
    c->of_record = of_record;
    c->required = required;
    c->indexed = indexed;
    c->text = text;
    c->labels = labels;
    c->wide = wide;
    copy(&c->name, a);
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        copy(&c->title.in[lang], a);
        copy(&c->unit.in[lang], a);
    }
    return known >= 0 && *c->name != '\0' && c->scale >= -1 && c->scale <= SCALE_MAX;
}

/* The record's columns come first, and no two have one name. */
static bool read_columns(struct odp_search_info *i, const json_t *list, struct odp_arena *a)
{
    size_t n = json_array_size(list);
    if (n > COLUMNS_MAX)
        return false;
    i->columns = odp_arena_zero(a, n + 1, sizeof *i->columns);
    for (uint32_t k = 0; k < n; k++) {
        struct odp_search_column *c = &i->columns[k];
        if (!read_column(json_array_get(list, k), c, a))
            return false;
        i->ncolumns++;
        i->nfields += c->of_record;
        if ((c->of_record && i->nfields != k + 1) || odp_search_find(i, odp_slice_of(c->name)) != (int)k)
            return false;
    }
    return true;
}

static bool read_key(struct odp_search_info *i, const json_t *list, struct odp_arena *a)
{
    i->nkey = (uint32_t)json_array_size(list);
    if (json_array_size(list) > i->nfields)
        return false;
    i->key = odp_arena_zero(a, (size_t)i->nkey + 1, sizeof *i->key);
    for (uint32_t k = 0; k < i->nkey; k++) {
        const json_t *column = json_array_get(list, k);
        i->key[k] = (uint32_t)json_integer_value(column);
        if (!json_is_integer(column) || json_integer_value(column) < 0 || i->key[k] >= i->nfields)
            return false;
        for (uint32_t before = 0; before < k; before++)
            if (i->key[before] == i->key[k])
                return false;
    }
    return true;
}

static bool read_geometry(struct odp_search_info *i, json_t *j, struct odp_arena *a)
{
    const char *mode;
    int types, csv_points, csv_wkt;
    json_int_t bare;
    json_t *box;
    double *b = i->bbox;
    if (json_is_null(j))
        return true;
    if (json_unpack(j, "{s:s, s:s, s:i, s:b, s:b, s:I, s:o}", "name", &i->geometry_name, "mode", &mode,
                    "types", &types, "csv_points", &csv_points, "csv_wkt", &csv_wkt, "bare", &bare, "bbox",
                    &box) != 0)
        return false;
    i->has_geometry = true;
    copy(&i->geometry_name, a);
    int known = choice_of(mode, modes, 3);
    i->mode = (enum odp_geometry_mode)known;
    i->geometry_types = (unsigned)types;
    i->csv_points = csv_points;
    i->csv_wkt = csv_wkt;
    i->bare = (uint64_t)bare;
    if (known < 0 || *i->geometry_name == '\0' || types < 0 || types >= 2 * ODP_GEOM_BIT_MULTIPOLYGON ||
        bare < 0 || i->bare > i->rows)
        return false;
    i->has_bbox = !json_is_null(box);
    return !i->has_bbox ||
           (json_unpack(box, "[F, F, F, F!]", &b[0], &b[1], &b[2], &b[3]) == 0 && b[0] >= -360 &&
            b[0] <= b[2] && b[2] <= 360 && b[1] >= -360 && b[1] <= b[3] && b[3] <= 360);
}

/* Whether K is a column of type A or B. */
static bool is_column(const struct odp_search_info *i, int k, enum odp_type a, enum odp_type b)
{
    return k >= 0 && (uint32_t)k < i->ncolumns && (i->columns[k].type == a || i->columns[k].type == b);
}

static bool read_times(struct odp_search_info *i, json_t *list)
{
    bool there = !json_is_null(list);
    if (there && json_unpack(list, "[i, i!]", &i->datetime[0], &i->datetime[1]) != 0)
        return false;
    for (size_t k = 0; k < 2; k++) {
        struct odp_datetime d;
        int column = i->datetime[k];
        if (there && !is_column(i, column, ODP_TYPE_DATE, ODP_TYPE_DATETIME))
            return false;
        if (i->interval[k] == NULL)
            continue;
        bool day = there && i->columns[column].type == ODP_TYPE_DATE;
        if (!there || odp_date_parse(odp_slice_of(i->interval[k]), day ? ODP_DATE : ODP_DATETIME, NULL, NULL,
                                     &d) != ODP_DATE_OK)
            return false;
    }
    return true;
}

static bool read_timeline(struct odp_search_info *i, json_t *j)
{
    if (json_is_null(j))
        return true;
    return json_unpack(j, "{s:i, s:i, s:i, s:i, s:i, s:i}", "project", &i->project, "milestone",
                       &i->milestone, "planned", &i->planned, "actual", &i->actual, "date", &i->date, "delay",
                       &i->delay) == 0 &&
           (uint32_t)i->project < i->ncolumns && (uint32_t)i->milestone < i->ncolumns &&
           is_column(i, i->planned, ODP_TYPE_DATE, ODP_TYPE_DATE) &&
           is_column(i, i->actual, ODP_TYPE_DATE, ODP_TYPE_DATE) &&
           is_column(i, i->date, ODP_TYPE_DATE, ODP_TYPE_DATE) &&
           is_column(i, i->delay, ODP_TYPE_INTEGER, ODP_TYPE_INTEGER);
}

static bool read_info(struct odp_search_info *i, json_t *j, struct odp_arena *a)
{
    json_t *resource, *columns, *key, *geometry, *datetime, *start, *end, *timeline;
    json_int_t rows;
    if (json_unpack(j, "{s:s, s:o, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "slug", &i->slug,
                    "resource", &resource, "version", &i->version, "last_update", &i->last_update, "rows",
                    &rows, "columns", &columns, "key", &key, "geometry", &geometry, "datetime", &datetime,
                    "start", &start, "end", &end, "timeline", &timeline) != 0)
        return false;
    i->rows = (uint64_t)rows;
    copy(&i->slug, a);
    copy(&i->version, a);
    copy(&i->last_update, a);
    return rows >= 0 && read_nullable(resource, &i->resource, a) &&
           read_nullable(start, &i->interval[0], a) && read_nullable(end, &i->interval[1], a) &&
           json_is_array(columns) && json_is_array(key) && read_columns(i, columns, a) &&
           read_key(i, key, a) && read_geometry(i, geometry, a) && read_times(i, datetime) &&
           read_timeline(i, timeline);
}

/* The same as a schema, for the expression compiler. */
static void make_schema(struct odp_search_info *i, struct odp_arena *a)
{
    struct odp_field *fields = odp_arena_zero(a, (size_t)i->ncolumns + 1, sizeof *fields);
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

enum odp_status odp_search_info_of(struct odp_search_info *i, json_t *j, struct odp_arena *a)
{
    *i = (struct odp_search_info){.datetime = {-1, -1}, ODP_SEARCH_NO_TIMELINE};
    if (!json_is_object(j) || !read_info(i, j, a))
        return ODP_BAD;
    make_schema(i, a);
    odp_search_name(i, a);
    return ODP_OK;
}

enum odp_status odp_search_info_read(struct odp_search_info *i, struct odp_slice json, struct odp_arena *a)
{
    json_t *j = odp_json_load(json.ptr != NULL ? json.ptr : "", json.len, JSON_REJECT_DUPLICATES, NULL);
    enum odp_status status = odp_search_info_of(i, j, a);
    json_decref(j);
    return status;
}
