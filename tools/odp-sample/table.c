/* Reads the catalogue: descriptors of datasets, code lists. And the context of a run. */
#include <stdarg.h>
#include <stdio.h>

#include "base/json_load.h"
#include "sample.h"

void sample_note(struct sample_context *c, enum odp_status result)
{
    if (c->status == ODP_OK)
        c->status = result;
}

void sample_bad(struct sample_context *c, const char *fmt, ...)
{
    va_list ap;
    if (!sample_going(c))
        return;
    va_start(ap, fmt);
    (void)vsnprintf(c->fault, sizeof c->fault, fmt, ap);
    va_end(ap);
    c->status = ODP_BAD;
}

void sample_context_init(struct sample_context *c)
{
    odp_arena_init(&c->arena);
    odp_buffer_init(&c->scratch);
    sample_recipes_load(c);
    c->tables = odp_arena_zero(&c->arena, sample_nrecipes + 1, sizeof *c->tables);
}

void sample_context_release(struct sample_context *c)
{
    for (size_t i = 0; i < sample_nrecipes; i++)
        if (c->tables[i] != NULL)
            json_decref(c->tables[i]->json);
    sample_recipes_release();
    odp_buffer_release(&c->scratch);
    odp_arena_release(&c->arena);
}

struct odp_slice sample_read(struct sample_context *c, const char *path, const char *advice)
{
    struct odp_buffer b = {0};
    int errnum = 0;
    enum odp_status s = odp_file_read(path, (size_t)1 << 28, &b, &errnum);
    if (s == ODP_BAD)
        sample_bad(c, "%s: %s%s", path, strerror(errnum), advice);
    sample_note(c, s);
    struct odp_slice text = odp_arena_copy(&c->arena, odp_buffer_slice(&b));
    odp_buffer_release(&b);
    return text;
}

void sample_put(struct sample_context *c, const char *path, struct odp_slice bytes)
{
    if (!sample_going(c))
        return;
    (void)remove(path);
    sample_note(c, odp_file_put(path, bytes, 0644, NULL));
}

static json_t *read_json(struct sample_context *c, const char *folder)
{
    const char *path = odp_arena_printf(&c->arena, "%s/%s/dataset.json", c->catalog, folder);
    struct odp_slice text = sample_read(c, path, " (--catalog DIR says where the catalogue is)");
    if (!sample_going(c))
        return NULL;
    json_error_t e;
    json_t *package = odp_json_load(text.ptr, text.len, 0, &e);
    if (package == NULL)
        sample_bad(c, "%s:%d:%d: %s", path, e.line, e.column, e.text);
    return package;
}

static bool is_shapefile(const char *path)
{
    size_t n = path != NULL ? strlen(path) : 0;
    return n > 4 && strcmp(path + n - 4, ".shp") == 0;
}

/* ---- as CSV, for benchmarks: kumuh without its polygons ---- */
static void csv_variant(struct sample_context *c, json_t *package, json_t *r)
{
    json_t *form = json_pack("{s:s, s:s, s:s, s:{s:s}}", "path",
                             odp_arena_printf(&c->arena, "%s.csv", odp_json_text(r, "name")), "format", "csv",
                             "encoding", "utf-8", "dialect", "delimiter", ";");
    (void)json_object_update(r, form);
    json_decref(form);
    (void)json_object_set_new(package, "odp:formats", json_pack("[ss]", "CSV", "JSON"));
    (void)json_object_del(r, "odp:geometry");
    size_t i;
    json_t *f;
    json_array_foreach(json_object_get(json_object_get(r, "schema"), "fields"), i, f)
    {
        const char *type = odp_json_text(f, "type");
        (void)json_object_del(f, "odp:sourceName");
        if (type != NULL && strcmp(type, "number") == 0)
            (void)json_object_set_new(f, "decimalChar", json_string(","));
    }
}

json_t *sample_descriptor(struct sample_context *c, const char *slug)
{
    json_t *package = read_json(c, slug), *resources = json_object_get(package, "resources"), *r;
    size_t i;
    json_array_foreach(resources, i, r)
    {
        json_t *geometry = json_object_get(r, "odp:geometry");
        char *crs = odp_arena_printf(&c->arena, "EPSG:%d", c->zone == 0 ? 4326 : 32700 + c->zone);
        if (geometry != NULL && c->zone >= 0)
            (void)json_object_set_new(geometry, "crs", json_string(crs));
    }
    r = json_array_get(resources, 0);
    if (c->csv && is_shapefile(odp_json_text(r, "path")))
        csv_variant(c, package, r);
    return package;
}

/* ---- one field ---- */
static enum form_type type_of(const char *t)
{
    static const char *const names[] = {"string", "integer",  "number", "boolean",
                                        "date",   "datetime", "year",   "yearmonth"};
    for (size_t i = 0; t != NULL && i < ODP_COUNT(names); i++)
        if (strcmp(t, names[i]) == 0)
            return (enum form_type)i;
    return FORM_TEXT;
}

/* Strings, numbers or {value}: the texts of a JSON array. */
static struct sample_words texts(struct odp_arena *a, const json_t *array)
{
    size_t n = json_array_size(array);
    struct sample_words out = {odp_arena_array(a, n + 1, sizeof *out.item), n};
    for (size_t i = 0; i < n; i++) {
        const json_t *v = json_array_get(array, i);
        if (json_is_object(v))
            v = json_object_get(v, "value");
        out.item[i] = odp_slice_of(json_is_string(v)
                                       ? json_string_value(v)
                                       : odp_arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(v)));
    }
    return out;
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
    f->minimum = json_number_value(lo);
    f->maximum = json_number_value(hi);
    f->first_day = day_of(json_string_value(lo));
    f->last_day = day_of(json_string_value(hi));
}

/* Whether NAMES, one or an array of them, holds NAME. */
static bool names_field(const json_t *names, const char *name)
{
    const char *one = json_string_value(names);
    bool found = one != NULL && strcmp(one, name) == 0;
    for (size_t i = 0; i < json_array_size(names) && !found; i++)
        found = names_field(json_array_get(names, i), name);
    return found;
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
            const char *to = odp_json_text(json_object_get(fk, "reference"), "dataset");
            if (names_field(json_object_get(fk, "fields"), name))
                return to != NULL ? to : "";
        }
    }
    return NULL;
}

static void field_read(struct sample_context *c, const json_t *resource, const json_t *j,
                       struct sample_field *f)
{
    static struct odp_slice empty = {NULL, 0};
    const json_t *schema = json_object_get(resource, "schema"), *con = json_object_get(j, "constraints"),
                 *cat = json_object_get(j, "categories"), *missing = json_object_get(j, "missingValues"),
                 *document = json_object_get(j, "odp:document");
    const char *source = odp_json_text(j, "odp:sourceName"), *dec = odp_json_text(j, "decimalChar"),
               *grp = odp_json_text(j, "groupChar"), *format = odp_json_text(j, "format");
    f->name = odp_json_text(j, "name");
    if (f->name == NULL) {
        sample_bad(c, "a field without a name");
        return;
    }
    f->column = source != NULL ? source : f->name;
    f->type = type_of(odp_json_text(j, "type"));
    f->pattern = f->type == FORM_DATE || f->type == FORM_DATETIME ? format : NULL;
    f->is_formatted = f->type == FORM_TEXT && format != NULL;
    f->decimal = dec != NULL ? dec[0] : '.';
    f->group = grp != NULL ? grp[0] : '\0';
    f->bare = !json_is_false(json_object_get(j, "bareNumber"));
    f->true_text = json_string_value(json_array_get(json_object_get(j, "trueValues"), 0));
    f->false_text = json_string_value(json_array_get(json_object_get(j, "falseValues"), 0));
    f->required = json_is_true(json_object_get(con, "required"));
    f->unique = json_is_true(json_object_get(con, "unique"));
    f->has_pattern = json_object_get(con, "pattern") != NULL;
    f->max_length = json_integer_value(json_object_get(con, "maxLength"));
    f->is_key = names_field(json_object_get(schema, "primaryKey"), f->name);
    f->is_public = !json_is_false(json_object_get(j, "sdi:aksesPublik"));
    f->is_enum = cat == NULL;
    f->reference = reference_of(resource, f->name);
    f->folder = odp_json_text(document, "folder");
    f->pages = odp_json_text(document, "pages");
    bounds(f, con);
    if (missing == NULL)
        missing = json_object_get(schema, "missingValues");
    f->categories = texts(&c->arena, cat != NULL ? cat : json_object_get(con, "enum"));
    f->missing = missing != NULL ? texts(&c->arena, missing) : (struct sample_words){&empty, 1};
}

/* ---- one resource ---- */
static void bind(struct sample_context *c, struct sample_table *t)
{
    const struct recipe_table *r = t->recipe;
    for (size_t k = 0; k < t->nfields && sample_going(c); k++) {
        struct sample_field *f = &t->field[k];
        size_t slot = sample_entry_find(r, odp_slice_of(f->name));
        if (slot == SIZE_MAX)
            sample_bad(c, "%s/%s: dataset.json has a field without a recipe: %s", r->slug, r->resource,
                       f->name);
        else
            f->recipe = &r->fields[slot];
        for (size_t i = 0; i < r->nfields; i++)
            if (r->fields[i].slot == slot)
                t->of[i] = f;
    }
    for (size_t i = 0; i < r->nfields && sample_going(c); i++)
        if (t->of[i] == NULL && r->fields[i].name[0] != '_')
            sample_bad(c, "%s/%s: the recipe has a field that dataset.json lacks: %s", r->slug, r->resource,
                       r->fields[i].name);
}

static void resource_read(struct sample_context *c, const json_t *j, struct sample_table *t)
{
    const json_t *dialect = json_object_get(j, "dialect"), *rows = json_object_get(dialect, "headerRows"),
                 *fields = json_object_get(json_object_get(j, "schema"), "fields");
    const char *delimiter = odp_json_text(dialect, "delimiter"),
               *end = odp_json_text(dialect, "lineTerminator"), *encoding = odp_json_text(j, "encoding");
    t->path = odp_json_text(j, "path");
    t->is_shapefile = is_shapefile(t->path);
    t->delimiter = delimiter != NULL ? delimiter[0] : ',';
    t->crlf = end != NULL && strcmp(end, "\r\n") == 0;
    t->encoding = encoding != NULL && strcmp(encoding, "utf-8") != 0 ? encoding : NULL;
    t->header_row = rows != NULL ? (size_t)json_integer_value(json_array_get(rows, 0)) : 1;
    t->nfields = json_array_size(fields);
    if (t->path == NULL || t->nfields == 0 || t->nfields > SAMPLE_FIELDS ||
        t->recipe->nfields > SAMPLE_FIELDS)
        sample_bad(c, "%s/%s: no path, or not 1 to %d fields", t->recipe->slug, t->recipe->resource,
                   SAMPLE_FIELDS);
    for (size_t i = 0; i < t->nfields && sample_going(c); i++)
        field_read(c, j, json_array_get(fields, i), &t->field[i]);
    if (sample_going(c))
        bind(c, t);
}

struct sample_table *sample_table_open(struct sample_context *c, const struct recipe_table *r)
{
    struct sample_table **t = &c->tables[r - sample_recipes];
    if (*t != NULL)
        return *t;
    *t = odp_arena_zero(&c->arena, 1, sizeof **t);
    (*t)->recipe = r;
    (*t)->json = sample_descriptor(c, r->slug);
    size_t i;
    json_t *j;
    json_array_foreach(json_object_get((*t)->json, "resources"), i, j)
    {
        const char *name = odp_json_text(j, "name");
        if (name != NULL && strcmp(name, r->resource) == 0) {
            resource_read(c, j, *t);
            return *t;
        }
    }
    sample_bad(c, "%s: dataset.json has no resource %s", r->slug, r->resource);
    return *t;
}

/* ---- code lists: plain CSV, without quotes ---- */
/* The text up to SEPARATOR, which is cut off from *REST; false at the end. */
static bool cut(struct odp_slice *rest, char separator, struct odp_slice *out)
{
    if (rest->ptr == NULL)
        return false;
    const char *end = memchr(rest->ptr, separator, rest->len);
    *out = (struct odp_slice){rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
    rest->len -= out->len + (end != NULL);
    rest->ptr = end != NULL ? end + 1 : NULL;
    return true;
}

/* Cell AT of LINE; "" beyond the last. */
static struct odp_slice cell_of(struct odp_slice line, size_t at)
{
    struct odp_slice cell = {"", 0};
    for (size_t i = 0; i <= at; i++)
        if (!cut(&line, ',', &cell))
            return (struct odp_slice){"", 0};
    return cell;
}

static struct sample_words column(struct sample_context *c, struct odp_slice text, const char *name)
{
    struct odp_slice head = {NULL, 0}, cell = {"", 0}, line;
    size_t at = 0, lines = 1;
    for (size_t i = 0; i < text.len; i++)
        lines += text.ptr[i] == '\n';
    struct sample_words out = {odp_arena_array(&c->arena, lines, sizeof *out.item), 0};
    (void)cut(&text, '\n', &head);
    while (cut(&head, ',', &cell) && !odp_slice_is(cell, name))
        at++;
    if (!odp_slice_is(cell, name))
        sample_bad(c, "a code list without a column %s", name);
    while (cut(&text, '\n', &line))
        if (line.len > 0)
            out.item[out.n++] = cell_of(line, at);
    if (out.n == 0)
        sample_bad(c, "an empty code list");
    return out;
}

const struct sample_code_list *sample_code_list(struct sample_context *c, const char *slug)
{
    for (size_t i = 0; i < c->ncode_lists; i++)
        if (strcmp(c->code_list[i].slug, slug) == 0)
            return &c->code_list[i];
    if (c->ncode_lists == ODP_COUNT(c->code_list))
        sample_bad(c, "too many code lists");
    if (!sample_going(c))
        return NULL;
    const char *folder = odp_arena_printf(&c->arena, "references/%s", slug), *newest = "", *path = NULL;
    json_t *package = read_json(c, folder), *r;
    size_t i;
    json_array_foreach(json_object_get(package, "resources"), i, r)
    {
        const char *date = odp_json_text(r, "odp:editionDate");
        if (date != NULL && strcmp(date, newest) > 0)
            newest = date, path = odp_json_text(r, "path");
    }
    if (path == NULL)
        sample_bad(c, "%s: no edition with odp:editionDate", folder);
    struct odp_slice text = {NULL, 0};
    if (sample_going(c))
        text = sample_read(c, odp_arena_printf(&c->arena, "%s/%s/%s", c->catalog, folder, path), "");
    json_decref(package);
    struct sample_code_list *l = &c->code_list[c->ncode_lists];
    if (sample_going(c))
        *l = (struct sample_code_list){slug, column(c, text, "kode"), column(c, text, "nama")};
    c->ncode_lists += sample_going(c);
    return sample_going(c) ? l : NULL;
}
