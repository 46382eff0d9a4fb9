#include "sample.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_load.h"

enum odp_status sample_bad(struct sample_context *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(c->fault, sizeof c->fault, fmt, ap);
    va_end(ap);
    return ODP_BAD;
}

/* TEXT cut at SEP, in the arena's memory; the pieces point into TEXT. */
static enum odp_status split(struct odp_arena *a, struct odp_slice text, char sep, struct sample_words *out)
{
    size_t n = 1;
    for (size_t i = 0; i < text.len; i++)
        n += text.ptr[i] == sep;
    out->item = odp_arena_array(a, n, sizeof *out->item);
    out->n = 0;
    for (;;) {
        const char *end = memchr(text.ptr, sep, text.len);
        size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;
        out->item[out->n++] = (struct odp_slice){text.ptr, len};
        if (end == NULL)
            return ODP_OK;
        text.ptr += len + 1, text.len -= len + 1;
    }
}

enum odp_status sample_context_init(struct sample_context *c, const char *catalog, uint64_t seed)
{
    *c = (struct sample_context){.catalog = catalog, .seed = seed};
    odp_arena_init(&c->arena);
    odp_buffer_init(&c->scratch);
    if (sample_recipes_load(&c->arena) != ODP_OK)
        return ODP_FAIL;
    c->tables = odp_arena_zero(&c->arena, sample_nrecipes, sizeof *c->tables);
    return ODP_OK;
}

void sample_context_release(struct sample_context *c)
{
    for (size_t i = 0; i < sample_nrecipes && c->tables != NULL; i++)
        if (c->tables[i] != NULL)
            json_decref((json_t *)(uintptr_t)c->tables[i]->json);
    sample_recipes_release();
    odp_buffer_release(&c->scratch);
    odp_arena_release(&c->arena);
}

static enum odp_status read_json(struct sample_context *c, const char *folder, json_t **out)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    int errnum = 0;
    char *path = odp_arena_printf(&c->arena, "%s/%s/dataset.json", c->catalog, folder);
    enum odp_status s = odp_file_read(path, (size_t)1 << 24, &b, &errnum);
    if (s == ODP_BAD)
        (void)sample_bad(c, "%s: %s (--catalog DIR says where the catalogue is)", path, strerror(errnum));
    if (s == ODP_OK) {
        json_error_t e;
        *out = odp_json_load(b.ptr, b.len, 0, &e);
        if (*out == NULL)
            s = sample_bad(c, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    }
    odp_buffer_release(&b);
    return s;
}

/* ---- as CSV, for benchmarks: kumuh without its polygons ---- */
static int csv_variant(json_t *package)
{
    json_t *r = json_array_get(json_object_get(package, "resources"), 0);
    json_t *fields = json_object_get(json_object_get(r, "schema"), "fields");
    char path[256];
    (void)snprintf(path, sizeof path, "%s.csv", json_string_value(json_object_get(r, "name")));
    int bad = json_object_set_new(r, "path", json_string(path)) |
              json_object_set_new(r, "format", json_string("csv")) |
              json_object_set_new(r, "encoding", json_string("utf-8")) |
              json_object_set_new(r, "dialect", json_pack("{ss}", "delimiter", ";")) |
              json_object_set_new(package, "odp:formats", json_pack("[ss]", "CSV", "JSON"));
    (void)json_object_del(r, "odp:geometry");
    size_t i;
    json_t *f;
    json_array_foreach(fields, i, f)
    {
        (void)json_object_del(f, "odp:sourceName");
        const char *type = json_string_value(json_object_get(f, "type"));
        if (type != NULL && strcmp(type, "number") == 0)
            bad |= json_object_set_new(f, "decimalChar", json_string(","));
    }
    return bad;
}

/* The coordinate system asked for, where there is a geometry. */
static enum odp_status put_zone(struct sample_context *c, json_t *package)
{
    size_t i;
    json_t *r;
    char *crs = odp_arena_printf(&c->arena, "EPSG:%d", c->zone == 0 ? 4326 : 32700 + c->zone);
    json_array_foreach(json_object_get(package, "resources"), i, r)
    {
        json_t *g = json_object_get(r, "odp:geometry");
        if ((g != NULL && json_object_set_new(g, "crs", json_string(crs)) != 0))
            return odp_failure_set("json", NULL, ENOMEM);
    }
    return ODP_OK;
}

enum odp_status sample_descriptor(struct sample_context *c, const char *slug, json_t **out)
{
    enum odp_status s = read_json(c, slug, out);
    if (s == ODP_OK && c->zone >= 0)
        s = put_zone(c, *out);
    if (s != ODP_OK || !c->csv)
        return s;
    const char *path =
        json_string_value(json_object_get(json_array_get(json_object_get(*out, "resources"), 0), "path"));
    size_t len = path != NULL ? strlen(path) : 0;
    if (len < 4 || strcmp(path + len - 4, ".shp") != 0)
        return ODP_OK;
    if (csv_variant(*out) == 0)
        return ODP_OK;
    json_decref(*out);
    return odp_failure_set("json", slug, ENOMEM);
}

/* ---- one field ---- */
static const char *str(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static enum form_type type_of(const char *t)
{
    static const char *const names[] = {"string", "integer",  "number", "boolean",
                                        "date",   "datetime", "year",   "yearmonth"};
    for (size_t i = 0; t != NULL && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(t, names[i]) == 0)
            return (enum form_type)i;
    return FORM_TEXT;
}

/* Strings, numbers or {value}: the texts of a JSON array. */
static enum odp_status texts(struct odp_arena *a, const json_t *array, struct sample_words *out)
{
    size_t n = json_array_size(array);
    out->n = 0;
    out->item = odp_arena_array(a, n + 1, sizeof *out->item);
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(array, i);
        if (json_is_object(v))
            v = json_object_get(v, "value");
        char *s = json_is_string(v) ? odp_arena_str(a, json_string_value(v))
                                    : odp_arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        out->item[out->n++] = odp_slice_of(s);
    }
    return ODP_OK;
}

static int64_t day_of(const char *s)
{
    int y = 0, m = 1, d = 1;
    return s != NULL && sscanf(s, "%d-%d-%d", &y, &m, &d) >= 1 ? sample_days(y, m, d) : 0;
}

static void bounds(struct sample_field *f, const json_t *con)
{
    const json_t *lo = json_object_get(con, "minimum"), *hi = json_object_get(con, "maximum");
    f->has_minimum = lo != NULL;
    f->has_maximum = hi != NULL;
    f->minimum = json_is_number(lo) ? json_number_value(lo) : 0;
    f->maximum = json_is_number(hi) ? json_number_value(hi) : 0;
    f->first_day = day_of(json_string_value(lo));
    f->last_day = day_of(json_string_value(hi));
}

static bool names_field(const json_t *array, const char *name)
{
    if (json_is_string(array))
        return strcmp(json_string_value(array), name) == 0;
    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *s = json_string_value(json_array_get(array, i));
        if (s != NULL && strcmp(s, name) == 0)
            return true;
    }
    return false;
}

static const char *reference_of(const json_t *resource, const char *name)
{
    const json_t *sets[] = {json_object_get(resource, "odp:foreignKeys"),
                            json_object_get(json_object_get(resource, "schema"), "foreignKeys")};
    for (size_t k = 0; k < 2; k++) {
        size_t i;
        json_t *fk;
        json_array_foreach(sets[k], i, fk)
        {
            if (!names_field(json_object_get(fk, "fields"), name))
                continue;
            const char *to = str(json_object_get(fk, "reference"), "dataset");
            return to != NULL ? to : "";
        }
    }
    return NULL;
}

static enum odp_status field_read(struct sample_context *c, const json_t *resource, const json_t *j,
                                  struct sample_field *f)
{
    const json_t *schema = json_object_get(resource, "schema"), *con = json_object_get(j, "constraints");
    const json_t *cat = json_object_get(j, "categories"), *missing = json_object_get(j, "missingValues");
    const char *source = str(j, "odp:sourceName"), *dec = str(j, "decimalChar"), *grp = str(j, "groupChar");
    f->name = str(j, "name");
    if (f->name == NULL)
        return sample_bad(c, "a field without a name");
    f->column = source != NULL ? source : f->name;
    f->type = type_of(str(j, "type"));
    f->pattern = f->type == FORM_DATE || f->type == FORM_DATETIME ? str(j, "format") : NULL;
    f->is_formatted = f->type == FORM_TEXT && str(j, "format") != NULL;
    f->decimal = dec != NULL ? dec[0] : '.';
    f->group = grp != NULL ? grp[0] : '\0';
    f->bare = !json_is_false(json_object_get(j, "bareNumber"));
    f->true_text = json_string_value(json_array_get(json_object_get(j, "trueValues"), 0));
    f->false_text = json_string_value(json_array_get(json_object_get(j, "falseValues"), 0));
    f->required = json_is_true(json_object_get(con, "required"));
    f->unique = json_is_true(json_object_get(con, "unique"));
    f->has_pattern = json_object_get(con, "pattern") != NULL;
    f->max_length = json_object_get(con, "maxLength") != NULL
                        ? json_integer_value(json_object_get(con, "maxLength"))
                        : -1;
    f->is_key = names_field(json_object_get(schema, "primaryKey"), f->name);
    f->is_public = !json_is_false(json_object_get(j, "sdi:aksesPublik"));
    f->allows_phone = names_field(json_object_get(j, "odp:privacy"), "phone");
    f->is_enum = cat == NULL;
    f->reference = reference_of(resource, f->name);
    f->folder = str(json_object_get(j, "odp:document"), "folder");
    f->pages = str(json_object_get(j, "odp:document"), "pages");
    bounds(f, con);
    if (missing == NULL)
        missing = json_object_get(schema, "missingValues");
    if (texts(&c->arena, cat != NULL ? cat : json_object_get(con, "enum"), &f->categories) != ODP_OK)
        return ODP_FAIL;
    if (missing != NULL)
        return texts(&c->arena, missing, &f->missing);
    f->missing.item = odp_arena_zero(&c->arena, 1, sizeof *f->missing.item);
    f->missing.n = 1;
    return ODP_OK;
}

/* ---- one resource ---- */
size_t sample_entry_find(const struct recipe_table *r, const char *name, size_t len)
{
    for (size_t i = 0; i < r->nfields; i++)
        if (strlen(r->fields[i].name) == len && memcmp(r->fields[i].name, name, len) == 0)
            return i;
    return SIZE_MAX;
}

static enum odp_status bind(struct sample_context *c, struct sample_table *t)
{
    const struct recipe_table *r = t->recipe;
    for (size_t i = 0; i < r->nfields; i++) {
        t->slot[i] = sample_entry_find(r, r->fields[i].name, strlen(r->fields[i].name));
        t->type_of[i] = FORM_INTEGER;
        t->stream[i] = sample_stream(r->slug, r->fields[i].name);
        bool found = r->fields[i].name[0] == '_';
        for (size_t k = 0; k < t->nfields; k++)
            if (strcmp(t->field[k].name, r->fields[i].name) == 0) {
                found = true;
                t->category_of[i] = t->field[k].categories;
                t->type_of[i] = t->field[k].type;
            }
        if (!found)
            return sample_bad(c, "%s/%s: the recipe has a field that dataset.json lacks: %s", r->slug,
                              r->resource, r->fields[i].name);
    }
    for (size_t k = 0; k < t->nfields; k++) {
        t->field[k].recipe = sample_entry_find(r, t->field[k].name, strlen(t->field[k].name));
        if (t->field[k].recipe == SIZE_MAX)
            return sample_bad(c, "%s/%s: dataset.json has a field without a recipe: %s", r->slug, r->resource,
                              t->field[k].name);
    }
    return ODP_OK;
}

static enum odp_status resource_read(struct sample_context *c, const json_t *j, struct sample_table *t)
{
    const json_t *dialect = json_object_get(j, "dialect"),
                 *fields = json_object_get(json_object_get(j, "schema"), "fields");
    const char *delimiter = str(dialect, "delimiter"), *end = str(dialect, "lineTerminator"),
               *encoding = str(j, "encoding");
    const json_t *rows = json_object_get(dialect, "headerRows");
    t->path = str(j, "path");
    t->delimiter = delimiter != NULL ? delimiter[0] : ',';
    t->crlf = end != NULL && strcmp(end, "\r\n") == 0;
    t->encoding = encoding != NULL && strcmp(encoding, "utf-8") != 0 ? encoding : NULL;
    t->header_row = rows != NULL ? (size_t)json_integer_value(json_array_get(rows, 0)) : 1;
    t->nfields = json_array_size(fields);
    if (t->path == NULL || t->nfields == 0 || t->nfields > SAMPLE_FIELDS ||
        t->recipe->nfields > SAMPLE_FIELDS)
        return sample_bad(c, "%s/%s: no path, or not 1 to %d fields", t->recipe->slug, t->recipe->resource,
                          SAMPLE_FIELDS);
    for (size_t i = 0; i < t->nfields; i++) {
        enum odp_status s = field_read(c, j, json_array_get(fields, i), &t->field[i]);
        if (s != ODP_OK)
            return s;
    }
    return bind(c, t);
}

enum odp_status sample_table_open(struct sample_context *c, const struct recipe_table *r,
                                  struct sample_table **out)
{
    struct sample_table **slot = &c->tables[r - sample_recipes];
    *out = *slot;
    if (*slot != NULL)
        return ODP_OK;
    struct sample_table *t = odp_arena_zero(&c->arena, 1, sizeof *t);
    json_t *package = NULL;
    enum odp_status s = sample_descriptor(c, r->slug, &package);
    if (s != ODP_OK)
        return s;
    t->recipe = r;
    t->json = package;
    *slot = *out = t;
    size_t i;
    json_t *j;
    json_array_foreach(json_object_get(package, "resources"), i, j)
    {
        const char *name = str(j, "name");
        if (name != NULL && strcmp(name, r->resource) == 0)
            return resource_read(c, j, t);
    }
    return sample_bad(c, "%s: dataset.json has no resource %s", r->slug, r->resource);
}

/* ---- code lists ---- */
/* Column NAME of a plain CSV text (the code lists have no quotes). */
static enum odp_status column(struct sample_context *c, const struct sample_words *lines, const char *name,
                              struct sample_words *out)
{
    struct sample_words cells;
    if (split(&c->arena, lines->item[0], ',', &cells) != ODP_OK)
        return ODP_FAIL;
    size_t at = 0;
    while (at < cells.n && !odp_slice_is(cells.item[at], name))
        at++;
    if (at == cells.n)
        return sample_bad(c, "a code list without a column %s", name);
    out->n = 0;
    out->item = odp_arena_array(&c->arena, lines->n, sizeof *out->item);
    for (size_t i = 1; i < lines->n; i++) {
        if (lines->item[i].len == 0)
            continue;
        if (split(&c->arena, lines->item[i], ',', &cells) != ODP_OK)
            return ODP_FAIL;
        out->item[out->n++] = at < cells.n ? cells.item[at] : (struct odp_slice){"", 0};
    }
    return out->n > 0 ? ODP_OK : sample_bad(c, "an empty code list");
}

static enum odp_status list_read(struct sample_context *c, const char *slug, struct sample_code_list *l)
{
    char *folder = odp_arena_printf(&c->arena, "references/%s", slug);
    json_t *package = NULL;
    enum odp_status s = read_json(c, folder, &package);
    if (s != ODP_OK)
        return s;
    const char *newest = "", *path = NULL;
    size_t i;
    json_t *r;
    json_array_foreach(json_object_get(package, "resources"), i, r)
    {
        const char *date = str(r, "odp:editionDate");
        if (date != NULL && strcmp(date, newest) > 0)
            newest = date, path = str(r, "path");
    }
    char *file = path != NULL ? odp_arena_printf(&c->arena, "%s/%s/%s", c->catalog, folder, path) : NULL;
    json_decref(package);
    if (file == NULL)
        return sample_bad(c, "%s: no edition with odp:editionDate", folder);
    struct odp_buffer b;
    odp_buffer_init(&b);
    int errnum = 0;
    s = odp_file_read(file, (size_t)1 << 24, &b, &errnum);
    if (s == ODP_BAD)
        (void)sample_bad(c, "%s: %s", file, strerror(errnum));
    struct odp_slice text = {NULL, 0};
    if (s == ODP_OK)
        text = odp_arena_copy(&c->arena, odp_buffer_slice(&b));
    odp_buffer_release(&b);
    if (s != ODP_OK || text.ptr == NULL)
        return s != ODP_OK ? s : ODP_FAIL;
    struct sample_words lines;
    s = split(&c->arena, text, '\n', &lines);
    if (s == ODP_OK)
        s = column(c, &lines, "kode", &l->codes);
    return s == ODP_OK ? column(c, &lines, "nama", &l->names) : s;
}

enum odp_status sample_code_list(struct sample_context *c, const char *slug,
                                 const struct sample_code_list **out)
{
    for (size_t i = 0; i < c->ncode_lists; i++)
        if (strcmp(c->code_list[i].slug, slug) == 0) {
            *out = &c->code_list[i];
            return ODP_OK;
        }
    if (c->ncode_lists == sizeof c->code_list / sizeof c->code_list[0])
        return sample_bad(c, "too many code lists");
    struct sample_code_list *l = &c->code_list[c->ncode_lists];
    *l = (struct sample_code_list){.slug = slug};
    enum odp_status s = list_read(c, slug, l);
    if (s != ODP_OK)
        return s;
    c->ncode_lists++;
    *out = l;
    return ODP_OK;
}
