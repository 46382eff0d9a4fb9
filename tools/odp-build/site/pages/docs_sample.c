/* The dataset that the documentation takes its examples from, and requests to it whose columns and values are
 * the data's own: so every example finds something, in any catalogue. */
#include "site/pages/docs_internal.h"

#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- which dataset ---------------------------------------------------------------------------------- */

struct sample {
    const json_t *entry, *resource; /* of the index; the first resource */
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
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_text_percent(&out, odp_slice_of(value));
    const char *text = odp_buffer_status(&out) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&out)) : NULL;
    odp_buffer_release(&out);
    return text;
}

/* The values of the primary key in the first record, joined by commas and percent-encoded; NULL where there
 * is no key. */
static const char *key_of(const json_t *schema, const json_t *preview, struct odp_arena *a)
{
    const json_t *key = json_object_get(schema, "primaryKey"), *names = json_object_get(preview, "fields");
    const json_t *row = json_array_get(json_object_get(preview, "rows"), 0);
    const char *text = NULL;
    size_t n = json_is_string(key) ? 1 : json_array_size(key);
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_is_string(key) ? key : json_array_get(key, i)),
                   *value = NULL;
        for (size_t k = 0; name != NULL && k < json_array_size(names); k++)
            if (strcmp(json_string_value(json_array_get(names, k)), name) == 0)
                value = cell(row, k);
        const char *encoded = value != NULL ? percent(value, a) : NULL;
        if (encoded == NULL)
            return NULL;
        text = text != NULL ? odp_arena_printf(a, "%s,%s", text, encoded) : encoded;
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
        const char *type = odp_model_text(field, "type");
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

static enum odp_status look_at(struct portal *p, const json_t *entry, struct sample *s)
{
    *s = (struct sample){.entry = entry,
                         .resource = json_array_get(json_object_get(entry, "resources"), 0),
                         .slug = odp_model_text(entry, "slug")};
    const char *schema = odp_model_text(s->resource, "schema");
    const char *preview = odp_arena_printf(&p->arena, "data/%s/%s/%s.preview.json", s->slug,
                                           odp_model_text(entry, "version"), s->slug);
    enum odp_status status = ODP_OK;
    if (strncmp(schema, "../", 3) == 0)
        status = odp_model_read(p->job, schema + 3, &s->schema);
    if (status == ODP_OK)
        status = odp_model_read(p->job, preview, &s->preview);
    s->geometry = json_is_true(json_object_get(s->resource, "geometry"));
    look_at_columns(s);
    if (status == ODP_OK)
        s->key_value = key_of(s->schema, s->preview, &p->arena);
    return status;
}

static void forget(struct sample *s)
{
    json_decref(s->schema);
    json_decref(s->preview);
    *s = (struct sample){0};
}

/* The first of the catalogue that shows most; no more than the first LOOKED_AT are read. */
static enum odp_status choose(struct portal *p, struct sample *best)
{
    enum { LOOKED_AT = 30, ALL = 15 };
    enum odp_status status = ODP_OK;
    *best = (struct sample){0};
    for (size_t i = 0;
         i < json_array_size(p->job->entries) && i < LOOKED_AT && status == ODP_OK && worth(best) < ALL;
         i++) {
        struct sample s;
        status = look_at(p, json_array_get(p->job->entries, i), &s);
        if (status == ODP_OK && (best->entry == NULL || worth(&s) > worth(best))) {
            forget(best);
            *best = s;
        } else {
            forget(&s);
        }
    }
    return status;
}

/* ---- requests --------------------------------------------------------------------------------------- */

struct query {
    struct docs *docs;
    json_t *list;
    const char *path;
};

/* For sh: in single quotes; in double ones where that reads better and means the same. */
static void add_quoted(struct odp_buffer *out, const char *s)
{
    if (strchr(s, '\'') != NULL && strpbrk(s, "\"$`\\!") == NULL) {
        odp_buffer_printf(out, "\"%s\"", s);
        return;
    }
    odp_buffer_add_char(out, '\'');
    for (; *s != '\0'; s++)
        if (*s == '\'')
            odp_buffer_add_str(out, "'\\''");
        else
            odp_buffer_add_char(out, *s);
    odp_buffer_add_char(out, '\'');
}

/* A request of PATH with PARAMETERS ("name=value", not encoded; up to three, the rest NULL), which curl
 * encodes. */
static void add_query(struct query *q, const char *id, const char *path, const char *a, const char *b,
                      const char *c)
{
    const char *const parameters[] = {a, b, c};
    struct odp_doc *d = &q->docs->doc;
    json_t *list = json_array();
    for (size_t i = 0; i < 3 && parameters[i] != NULL; i++) {
        struct odp_buffer out;
        odp_buffer_init(&out);
        add_quoted(&out, parameters[i]);
        d->failed = d->failed || odp_buffer_status(&out) != ODP_OK;
        odp_doc_add(d, list, json_string(odp_buffer_cstr(&out)));
        odp_buffer_release(&out);
    }
    odp_doc_add(d, q->list, json_pack("{s:s, s:s, s:o}", "id", id, "path", path, "parameters", list));
}

/* A column in CQL2: in double quotes where it is no plain name. */
static const char *column(const char *name, struct odp_arena *a)
{
    size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return name[plain] == '\0' ? name : odp_arena_printf(a, "\"%s\"", name);
}

/* A text in CQL2. */
static const char *literal(const char *s, struct odp_arena *a)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_buffer_add_char(&out, '\'');
    for (; *s != '\0'; s++) {
        if (*s == '\'')
            odp_buffer_add_char(&out, '\'');
        odp_buffer_add_char(&out, *s);
    }
    odp_buffer_add_char(&out, '\'');
    const char *text =
        odp_buffer_status(&out) == ODP_OK ? odp_arena_copy(a, odp_buffer_slice(&out)).ptr : NULL;
    odp_buffer_release(&out);
    return text;
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

static const char *text(struct docs *d, const char *made)
{
    d->doc.failed = d->doc.failed || made == NULL;
    return made != NULL ? made : "";
}

static void add_conditions(struct query *q, const struct sample *s, const char *search)
{
    struct docs *d = q->docs;
    struct odp_arena *a = &d->p->arena;
    const char *number = s->number != NULL ? text(d, column(s->number, a)) : NULL,
               *of = s->text != NULL ? text(d, column(s->text, a)) : NULL;
    if (of != NULL) {
        add_query(q, "equal", s->slug, text(d, odp_arena_printf(a, "%s=%s", s->text, s->text_value)),
                  "limit=10", NULL);
        const char *one = text(d, literal(s->text_value, a)),
                   *two = s->other_value != NULL ? text(d, literal(s->other_value, a)) : one;
        const char *some = text(d, odp_arena_printf(a, "filter=%s IN (%s, %s)", of, one, two));
        if (number != NULL)
            some = text(d, odp_arena_printf(a, "%s AND %s >= %s", some, number, s->number_value));
        add_query(q, "filter", search, some, "limit=10", NULL);
    }
    if (number != NULL)
        add_query(q, "sort", search, text(d, odp_arena_printf(a, "sortby=-%s", s->number)),
                  text(d, odp_arena_printf(a, "properties=%s,%s", s->first_key, s->number)), "limit=5");
    if (s->geometry) {
        const char *box = middle(s, a);
        if (box != NULL) {
            add_query(q, "bbox", search, text(d, odp_arena_printf(a, "bbox=%s", box)), "limit=10", NULL);
            add_query(q, "space", search,
                      text(d, odp_arena_printf(a, "filter=S_INTERSECTS(geometry, BBOX(%s))", box)),
                      "limit=10", NULL);
        }
    }
}

static json_t *make_queries(struct docs *d, const struct sample *s)
{
    struct odp_arena *a = &d->p->arena;
    struct query q = {d, json_array(), NULL};
    const char *search = text(d, odp_arena_printf(a, "%s/search", s->slug));
    add_conditions(&q, s, search);
    if (s->text != NULL)
        add_query(&q, "words", search, text(d, odp_arena_printf(a, "q=%s", s->text_value)), "limit=10", NULL);
    if (s->text != NULL)
        add_query(&q, "facets", search, text(d, odp_arena_printf(a, "facets=%s", s->text)), NULL, NULL);
    if (s->text != NULL && s->number != NULL)
        add_query(&q, "sum", search, text(d, odp_arena_printf(a, "aggregate=count(),sum(%s)", s->number)),
                  text(d, odp_arena_printf(a, "groupby=%s", s->text)), NULL);
    add_query(&q, "csv", text(d, odp_arena_printf(a, "%s/search.csv", s->slug)), "limit=100", NULL, NULL);
    if (s->key_value != NULL)
        add_query(&q, "record", text(d, odp_arena_printf(a, "%s/id/%s", s->slug, s->key_value)), NULL, NULL,
                  NULL);
    return q.list;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

static void fill(struct docs *d, const struct sample *s, json_t *data)
{
    odp_doc_set(&d->doc, data, "sample",
                json_pack("{s:o, s:s, s:s, s:o, s:b}", "title", odp_model_both(s->entry, "title"), "slug",
                          s->slug, "path", s->slug, "queries", make_queries(d, s), "geometry", s->geometry));
}

enum odp_status docs_sample(struct docs *d, json_t *data)
{
    struct sample s;
    enum odp_status status = choose(d->p, &s);
    if (status == ODP_OK && s.entry != NULL && s.preview != NULL)
        fill(d, &s, data);
    forget(&s);
    return status;
}
