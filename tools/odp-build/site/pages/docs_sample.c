/* The dataset that the documentation takes its examples from, and requests to it whose columns and values are
 * the data's own: so every example finds something, in any catalogue. */
#include "base/text.h"
#include "site/pages/pages_internal.h"
#include "site/versions/among.h"

/* ---- which dataset ---- */

struct sample {
    const json_t *resource; /* the first one */
    json_t *schema, *preview;
    const char *slug, *text, *text_value, *number, *number_value,
        *key_value;          /* columns and values that occur; NULL: none */
    const char *other_value; /* another value of TEXT, or NULL */
    const char *first_key;   /* the first column of the primary key, or the first column */
    bool geometry;
};

static const char *cell(const json_t *row, size_t column)
{
    const char *text = json_string_value(json_array_get(row, column));
    return text != NULL && *text != '\0' && strlen(text) <= 60 ? text : NULL;
}

/* The first value of COLUMN that is not UNLIKE. */
static const char *value_of(const json_t *rows, size_t column, const char *unlike)
{
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const char *text = cell(json_array_get(rows, i), column);
        if (text != NULL && (unlike == NULL || strcmp(text, unlike) != 0))
            return text;
    }
    return NULL;
}

static const char *percent(const char *value, struct odp_arena *a)
{
    struct odp_buffer out = {0};
    odp_text_percent(&out, odp_slice_of(value));
    return odp_buffer_keep(&out, a);
}

/* The values of the primary key in the first record, joined by commas and percent-encoded; NULL where there
 * is no key. */
static const char *key_of(const struct sample *s, struct odp_arena *a)
{
    const json_t *key = json_object_get(s->schema, "primaryKey"),
                 *names = json_object_get(s->preview, "fields"),
                 *row = json_array_get(json_object_get(s->preview, "rows"), 0), *name;
    const char *text = NULL;
    size_t n = json_is_string(key) ? 1 : json_array_size(key), k;
    for (size_t i = 0; i < n; i++) {
        const char *part = json_string_value(json_is_string(key) ? key : json_array_get(key, i)),
                   *value = NULL;
        json_array_foreach(names, k, name) if (part != NULL && strcmp(json_string_value(name), part) == 0)
            value = cell(row, k);
        if (value == NULL)
            return NULL;
        text = text != NULL ? odp_arena_printf(a, "%s,%s", text, percent(value, a)) : percent(value, a);
    }
    return text;
}

static void look_at_columns(struct sample *s)
{
    const json_t *names = json_object_get(s->preview, "fields"), *rows = json_object_get(s->preview, "rows");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i)), *value = value_of(rows, i, NULL);
        const json_t *field =
            name != NULL ? odp_model_find(json_object_get(s->schema, "fields"), "name", name) : NULL;
        const char *type = odp_text_of(field, "type");
        if (s->first_key == NULL)
            s->first_key = name;
        if (value == NULL || field == NULL)
            continue;
        bool category =
            strcmp(type, "string") == 0 && json_array_size(json_object_get(field, "categories")) > 0;
        if (s->text == NULL && category) {
            s->text = name;
            s->text_value = value;
            s->other_value = value_of(rows, i, value);
        }
        if (s->number == NULL && (strcmp(type, "number") == 0 || strcmp(type, "integer") == 0)) {
            s->number = name;
            s->number_value = value;
        }
    }
}

static int worth(const struct sample *s)
{
    return 8 * (s->text != NULL) + 4 * (s->number != NULL) + 2 * s->geometry + (s->key_value != NULL);
}

/* ---- requests ---- */

struct queries {
    struct odp_arena *arena;
    json_t *list;
};

/* For sh: in single quotes; in double ones where that reads better and means the same. */
json_t *docs_sh(const char *s)
{
    struct odp_buffer out = {0};
    if (strchr(s, '\'') != NULL && strpbrk(s, "\"$`\\!") == NULL) {
        odp_buffer_printf(&out, "\"%s\"", s);
    } else {
        odp_buffer_add_char(&out, '\'');
        for (; *s != '\0'; s++)
            if (*s == '\'')
                odp_buffer_add_str(&out, "'\\''");
            else
                odp_buffer_add_char(&out, *s);
        odp_buffer_add_char(&out, '\'');
    }
    json_t *text = json_string(odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}

/* A request of PATH with PARAMETERS ("name=value", not encoded; ended by NULL), which curl encodes. */
static void add_query(struct queries *q, const char *id, const char *path, const char *const *parameters)
{
    json_t *list = json_array();
    for (; *parameters != NULL; parameters++)
        odp_add(list, docs_sh(*parameters));
    odp_add(q->list, json_pack("{s:s, s:s, s:o}", "id", id, "path", path, "parameters", list));
}
#define QUERY(q, id, path, ...) add_query(q, id, path, (const char *const[]){__VA_ARGS__, NULL})
#define SAY(q, ...)             odp_arena_printf((q)->arena, __VA_ARGS__)

/* A column in CQL2: in double quotes where it is no plain name. */
static const char *column(const char *name, struct odp_arena *a)
{
    size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return name[plain] == '\0' ? name : odp_arena_printf(a, "\"%s\"", name);
}

/* A text in CQL2. */
static const char *literal(const char *s, struct odp_arena *a)
{
    struct odp_buffer out = {0};
    odp_buffer_add_char(&out, '\'');
    for (; *s != '\0'; s++)
        odp_buffer_add(&out, *s == '\'' ? "''" : s, *s == '\'' ? 2 : 1);
    odp_buffer_add_char(&out, '\'');
    return odp_buffer_keep(&out, a);
}

/* The middle ninth of the dataset's box: "106.1,-6.3,107,-6". */
static const char *middle(const struct sample *s, struct odp_arena *a)
{
    const json_t *bbox = json_object_get(s->resource, "bbox");
    double b[4];
    for (size_t i = 0; i < 4; i++)
        b[i] = json_number_value(json_array_get(bbox, i));
    if (json_array_size(bbox) != 4)
        return NULL;
    double w = (b[2] - b[0]) / 3, h = (b[3] - b[1]) / 3;
    return odp_arena_printf(a, "%.3f,%.3f,%.3f,%.3f", b[0] + w, b[1] + h, b[2] - w, b[3] - h);
}

static void add_conditions(struct queries *q, const struct sample *s, const char *search)
{
    const char *number = s->number != NULL ? column(s->number, q->arena) : NULL,
               *box = s->geometry ? middle(s, q->arena) : NULL;
    if (s->text != NULL) {
        const char *one = literal(s->text_value, q->arena),
                   *two = s->other_value != NULL ? literal(s->other_value, q->arena) : one,
                   *some = SAY(q, "filter=%s IN (%s, %s)", column(s->text, q->arena), one, two);
        if (number != NULL)
            some = SAY(q, "%s AND %s >= %s", some, number, s->number_value);
        QUERY(q, "equal", s->slug, SAY(q, "%s=%s", s->text, s->text_value), "limit=10");
        QUERY(q, "filter", search, some, "limit=10");
    }
    if (number != NULL)
        QUERY(q, "sort", search, SAY(q, "sortby=-%s", s->number),
              SAY(q, "properties=%s,%s", s->first_key, s->number), "limit=5");
    if (box != NULL) {
        QUERY(q, "bbox", search, SAY(q, "bbox=%s", box), "limit=10");
        QUERY(q, "space", search, SAY(q, "filter=S_INTERSECTS(geometry, BBOX(%s))", box), "limit=10");
    }
}

static json_t *make_queries(struct odp_arena *a, const struct sample *s)
{
    struct queries all = {a, json_array()}, *q = &all;
    const char *search = SAY(q, "%s/search", s->slug);
    add_conditions(q, s, search);
    if (s->text != NULL) {
        QUERY(q, "words", search, SAY(q, "q=%s", s->text_value), "limit=10");
        QUERY(q, "facets", search, SAY(q, "facets=%s", s->text));
    }
    if (s->text != NULL && s->number != NULL)
        QUERY(q, "sum", search, SAY(q, "aggregate=count(),sum(%s)", s->number),
              SAY(q, "groupby=%s", s->text));
    QUERY(q, "csv", SAY(q, "%s/search.csv", s->slug), "limit=100");
    if (s->key_value != NULL)
        add_query(q, "record", SAY(q, "%s/id/%s", s->slug, s->key_value), (const char *const[]){NULL});
    return all.list;
}

/* ---- the best one ---- */

/* {"worth": number, "sample": requests to ENTRY}, without "sample" where it has no preview. */
static enum odp_status make_sample(void *ctx, const struct odp_site_job *job, const json_t *entry,
                                   json_t **out)
{
    struct odp_arena arena;
    odp_arena_init(&arena);
    struct sample s = {.resource = json_array_get(json_object_get(entry, "resources"), 0),
                       .slug = odp_text_of(entry, "slug")};
    const char *preview =
        odp_arena_printf(&arena, "data/%s/%s/%s.preview.json", s.slug, odp_text_of(entry, "version"), s.slug);
    enum odp_status status = odp_job_schema(job, s.slug, s.resource, &s.schema);
    if (status == ODP_OK)
        status = odp_job_read(job, preview, &s.preview);
    s.geometry = json_is_true(json_object_get(s.resource, "geometry"));
    look_at_columns(&s);
    s.key_value = key_of(&s, &arena);
    *out = json_pack("{s:i}", "worth", worth(&s));
    if (s.preview != NULL)
        odp_set(*out, "sample",
                json_pack("{s:o, s:s, s:s, s:o, s:b}", "title", odp_model_both(entry, "title"), "slug",
                          s.slug, "path", s.slug, "queries", make_queries(&arena, &s), "geometry",
                          s.geometry));
    json_decref(s.schema);
    json_decref(s.preview);
    odp_arena_release(&arena);
    return status;
}

/* The first of the catalogue that shows most; no more than the first LOOKED_AT are looked at. */
json_t *docs_sample(struct portal *p)
{
    enum { LOOKED_AT = 30, ALL = 15 };
    json_t *best = NULL;
    for (size_t i = 0; i < LOOKED_AT && i < json_array_size(p->job->entries); i++) {
        json_t *one = NULL;
        if (p->status == ODP_OK && odp_model_number(best, "worth") < ALL)
            p->status =
                odp_among_value(p->job, "sample", json_array_get(p->job->entries, i), make_sample, &one);
        if (best == NULL || odp_model_number(one, "worth") > odp_model_number(best, "worth")) {
            json_decref(best);
            best = json_incref(one);
        }
        json_decref(one);
    }
    json_t *sample = json_incref(json_object_get(best, "sample"));
    json_decref(best);
    return sample;
}
