/* What became of a dataset from version to version, as people tell it: how many records are new, gone and
 * other, how its figures moved (summaries of both versions), which records moved most, and what a record was
 * in each version. Of the changes.json of the versions that are published.
 *
 * What a record was is known as far as versions follow one another: a version that was withdrawn or thinned
 * out ends it, because what changed there is not known. */
#include <math.h>
#include <stdlib.h>

#include "site/model/model_internal.h"

enum {
    NAMED = 12,        /* records that are new or gone, a version */
    BIGGEST = 8,       /* movements, a version */
    MOVES = 3,         /* figures in the sentence */
    RECORDS = 60,      /* followed over time: those that changed most */
    PAGES = 20,        /* ready-made pages that are read for names */
    ASKED = 20000,     /* changes of all versions that are looked at for that */
    LARGEST = 16 << 20 /* bytes of a changes.json; of a larger one there are counts alone */
};

struct story {
    struct model *m;
    const json_t *entry, *told; /* the table in the index; versions of the document, newest first */
    const char *name, *suffix;
    bool first;
    json_t *schema;
    json_t *columns; /* names of versions, oldest first */
    json_t *records; /* {key: {"name", "n", "cells": {field: {version: [before, after]}}}} */
    json_t *names;   /* {key: what the record is called}, of the records that are published; once asked for */
    size_t asked;
};

/* ---- values in words ---- */

/* VALUE of FIELD as people read it; "" of null. */
static json_t *shown(struct story *s, const char *field, const json_t *value)
{
    const char *text = model_scalar(s->m, value);
    json_t *label = *text != '\0' ? model_label(s->m, s->schema, field, text) : NULL;
    return label != NULL ? label : model_shown(s->m, model_field(s->schema, field), text);
}

static json_t *heading(struct story *s, const char *field)
{
    return model_heading(model_field(s->schema, field), field);
}

/* {"text", "page"?} of VALUE of FIELD. */
static json_t *make_part(struct story *s, const char *field, const json_t *value)
{
    json_t *part = json_pack("{s:o}", "text", shown(s, field, value));
    const json_t *list = model_list_of(s->schema, field);
    json_t *page = list != NULL ? model_place_page(s->m->job, odp_text_of(list, "dataset"),
                                                   model_scalar(s->m, value), &s->m->arena)
                                : NULL;
    if (json_object_size(page) > 0)
        odp_set(part, "page", json_incref(page));
    json_decref(page);
    return part;
}

/* A field that names a record: of those whose name says so, the first. */
static const char *naming_field(const json_t *record)
{
    static const char *const says[] = {"nama", "name", "judul", "title"};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)record, name,
                        value) for (size_t i = 0; i < ODP_COUNT(says);
                                    i++) if (strncmp(name, says[i], strlen(says[i])) == 0 &&
                                             json_is_string(value)) return name;
    return NULL;
}

static const char *key_text(struct story *s, const json_t *key)
{
    const char *text = "", *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)key, name, value) text =
        model_printf(s->m, "%s%s%s", text, *text != '\0' ? "," : "", model_scalar(s->m, value));
    return text;
}

/* The members of RECORD that KEY has. */
static json_t *key_of(const json_t *record, const json_t *key)
{
    const char *name;
    json_t *value, *o = json_object();
    json_object_foreach((json_t *)(uintptr_t)key, name, value) odp_set_copy(o, record, name);
    return o;
}

/* Reads the names of all records with keys like KEY, from ready-made pages. */
static void read_names(struct story *s, const json_t *key)
{
    const char *path = model_printf(s->m, "v1/%s", odp_text_of(s->entry, "api"));
    s->names = json_object();
    for (size_t i = 0; i < PAGES && path != NULL; i++) {
        json_t *page = model_read(s->m, path), *record;
        const char *next = odp_text_of(json_object_get(page, "links"), "next"), *slash = strrchr(path, '/');
        size_t k;
        json_array_foreach(json_object_get(page, "data"), k, record)
        {
            const char *field = naming_field(record);
            json_t *own = key_of(record, key);
            if (field != NULL)
                odp_set(s->names, key_text(s, own), json_incref(json_object_get(record, field)));
            json_decref(own);
        }
        path = *next != '\0' ? model_printf(s->m, "%.*s%s", (int)(slash + 1 - path), path, next) : NULL;
        json_decref(page);
    }
}

/* What the record with KEY is called in the version that is published; NULL: it has no name there. */
static json_t *name_of(struct story *s, const json_t *key)
{
    const json_t *fields = json_object_get(s->schema, "fields"), *field;
    json_t *all = json_object();
    size_t i;
    json_array_foreach(fields, i, field) odp_set_str(all, odp_text_of(field, "name"), "");
    const bool named = naming_field(all) != NULL && json_is_object(key);
    json_decref(all);
    if (named && s->names == NULL)
        read_names(s, key);
    return named ? json_object_get(s->names, key_text(s, key)) : NULL;
}

/* What people call the record of CHANGE, in parts; a place leads to its page. */
static json_t *make_name(struct story *s, const json_t *change)
{
    enum { FIRST = 3 };
    const json_t *record = json_object_get(change, "record"), *of = json_object_get(change, "key");
    const char *field = naming_field(record), *name;
    json_t *parts = json_array(), *value;
    size_t n = 0;
    json_t *called = field != NULL ? json_object_get(record, field) : name_of(s, of);
    if (called != NULL)
        odp_add(parts, json_pack("{s:{s:O, s:O}}", "text", "id", called, "en", called));
    json_object_foreach((json_t *)(uintptr_t)(json_is_object(of) ? of : record), name,
                        value) if (n++ < FIRST && !json_is_null(value) &&
                                   (field == NULL || strcmp(name, field) != 0))
        odp_add(parts, make_part(s, name, value));
    return parts;
}

/* ---- one version ---- */

static json_t *read_changes(struct story *s, const char *path)
{
    const struct odp_site_file *file = odp_stage_find(s->m->job->stage, path);
    return file != NULL && file->size <= LARGEST ? model_read(s->m, path) : NULL;
}

/* The summary of VERSION, or NULL. */
static json_t *read_summary(struct story *s, const char *version)
{
    return model_read(
        s->m, model_printf(s->m, "data/%s/%s/%s%s.summary.json", s->m->slug, version, s->m->slug, s->suffix));
}

static double number_of(const json_t *figure)
{
    const json_t *value = json_object_get(figure, "value");
    return json_is_string(value) ? strtod(json_string_value(value), NULL) : json_number_value(value);
}

/* How far A is from B in per cent, or NULL. */
static json_t *make_percent(double a, double b)
{
    const double percent = b > 0 ? 100 * fabs(a - b) / b : 0;
    if (percent <= 0 || percent > 1e6)
        return NULL;
    return percent < .1 ? json_string("0.1") : json_sprintf("%.*f", percent < 10 ? 1 : 0, percent);
}

/* Figures of the summaries that are not what they were. */
static json_t *make_moves(struct story *s, const char *from, const char *to)
{
    json_t *before = read_summary(s, from), *after = read_summary(s, to), *moves = json_array(), *now;
    json_t *old = odp_model_highlights(before, json_object_get(before, "all")),
           *new = odp_model_highlights(after, json_object_get(after, "all"));
    size_t i;
    odp_set_copy(s->records, after, "record");
    odp_set_copy(s->records, after, "one");
    json_array_foreach(new, i, now)
    {
        const json_t *was = odp_model_find(old, "name", odp_text_of(now, "name"));
        const double a = number_of(now), b = number_of(was);
        json_t *percent = was != NULL && a != b ? make_percent(a, b) : NULL;
        if (percent == NULL || json_is_true(json_object_get(now, "is_count")) ||
            json_array_size(moves) == MOVES) {
            json_decref(percent);
            continue;
        }
        odp_add(moves,
                json_pack("{s:O, s:o, s:o, s:b, s:b}", "title", json_object_get(now, "title_in"), "label",
                          odp_model_both(now, "label_in"), "percent", percent, "is_up", (int)(a > b),
                          "is_mean", (int)json_is_true(json_object_get(now, "is_mean"))));
    }
    json_decref(before);
    json_decref(after);
    json_decref(old);
    json_decref(new);
    return moves;
}

/* The field whose movements are told: the one with most changed numbers; of equal ones the first. */
static const char *moving_field(struct story *s, const json_t *cells_of)
{
    const char *field, *best = NULL;
    json_t *n;
    json_object_foreach(
        (json_t *)(uintptr_t)cells_of, field,
        n) if (model_is_number(model_field(s->schema, field)) &&
               (best == NULL || json_integer_value(n) > json_integer_value(json_object_get(cells_of, best))))
        best = field;
    return best;
}

struct movement {
    const json_t *change;
    double before, after;
    size_t at;
};

static int largest_first(const void *a, const void *b)
{
    const struct movement *x = a, *y = b;
    const double v = fabs(x->after - x->before), w = fabs(y->after - y->before);
    return v != w ? (v < w) - (v > w) : (x->at > y->at) - (x->at < y->at);
}

static json_t *make_movement(struct story *s, const struct movement *g, const char *field, double most)
{
    const json_t *cell = json_object_get(json_object_get(g->change, "cells"), field);
    json_t *o = json_pack("{s:o, s:o, s:o, s:b, s:o}", "name", make_name(s, g->change), "before",
                          shown(s, field, json_array_get(cell, 0)), "after",
                          shown(s, field, json_array_get(cell, 1)), "is_up", (int)(g->after > g->before),
                          "width",
                          json_sprintf("%.1f", most > 0 ? 100 * fabs(g->after - g->before) / most : 0)),
           *percent = make_percent(g->after, g->before);
    if (percent != NULL)
        odp_set(o, "percent", percent);
    return o;
}

/* The biggest movements of FIELD in CHANGES; NULL: none. */
static json_t *make_biggest(struct story *s, const json_t *changes, const char *field)
{
    struct movement *all = odp_arena_array(&s->m->arena, json_array_size(changes) + 1, sizeof *all);
    json_t *list = json_array(), *change;
    size_t n = 0, i;
    json_array_foreach(changes, i, change)
    {
        const json_t *cell = json_object_get(json_object_get(change, "cells"), field);
        if (json_is_number(json_array_get(cell, 0)) && json_is_number(json_array_get(cell, 1)))
            all[n++] = (struct movement){change, json_number_value(json_array_get(cell, 0)),
                                         json_number_value(json_array_get(cell, 1)), i};
    }
    if (n > 1)
        qsort(all, n, sizeof *all, largest_first);
    for (i = 0; i < n && i < BIGGEST; i++)
        odp_add(list, make_movement(s, &all[i], field, fabs(all[0].after - all[0].before)));
    return json_pack("{s:o, s:o, s:o}", "title", heading(s, field), "unit",
                     odp_model_both(model_field(s->schema, field), "odp:unit"), "rows", list);
}

/* Names of the records with OP as members KEY and KEY_more of O. */
static void set_names(struct story *s, json_t *o, const json_t *changes, const char *op, const char *key)
{
    json_t *list = json_array(), *change;
    json_int_t more = 0;
    size_t i;
    json_array_foreach(changes, i, change)
    {
        if (strcmp(odp_text_of(change, "op"), op) != 0)
            continue;
        if (json_array_size(list) < NAMED)
            odp_add(list, json_pack("{s:o}", "name", make_name(s, change)));
        else
            more++;
    }
    odp_set_flag(o, model_printf(s->m, "any_%s", key), json_array_size(list) > 0);
    if (more > 0)
        odp_set_number(o, model_printf(s->m, "%s_more", key), more);
    odp_set(o, key, list);
}

/* {field: how many cells of it changed} */
static json_t *count_cells(const json_t *changes)
{
    json_t *counts = json_object(), *change, *cell;
    const char *field;
    size_t i;
    json_array_foreach(changes, i, change) json_object_foreach(json_object_get(change, "cells"), field, cell)
        odp_set_number(counts, field, odp_model_number(counts, field) + 1);
    return counts;
}

static json_t *make_columns(struct story *s, const json_t *counts)
{
    json_t *list = json_array(), *n;
    const char *field;
    json_object_foreach((json_t *)(uintptr_t)counts, field, n)
        odp_add(list, json_pack("{s:o, s:O}", "title", heading(s, field), "cells", n));
    return list;
}

static json_t *make_version(struct story *s, const json_t *version, const json_t *told,
                            const json_t *document)
{
    static const char *const counts_of[] = {"added", "removed", "changed"}, *const forms[] = {"html", "csv",
                                                                                              "json"};
    const json_t *changes = json_object_get(document, "changes");
    const char *from = odp_text_of(told, "from"), *name = odp_text_of(version, "name");
    json_t *counts = count_cells(changes), *moves = make_moves(s, from, name);
    const char *field = moving_field(s, counts);
    json_t *o = json_pack("{s:s, s:s, s:s, s:O, s:O, s:o, s:b, s:o, s:b}", "name", name, "date",
                          odp_text_of(version, "date"), "from", from, "correction",
                          json_object_get(version, "correction"), "note", json_object_get(version, "note"),
                          "moves", moves, "any_moves", (int)(json_array_size(moves) > 0), "columns",
                          make_columns(s, counts), "any_columns", (int)(json_object_size(counts) > 0));
    for (size_t i = 0; i < 3; i++) {
        odp_set_copy(o, told, forms[i]);
        if (odp_model_number(told, counts_of[i]) > 0)
            odp_set_copy(o, told, counts_of[i]);
        odp_set_flag(o, model_printf(s->m, "one_%s", counts_of[i]),
                     odp_model_number(told, counts_of[i]) == 1);
    }
    odp_set(o, "noun", odp_model_noun(s->records, (double)odp_model_number(told, "changed")));
    set_names(s, o, changes, "added", "born");
    set_names(s, o, changes, "removed", "gone");
    if (field != NULL)
        odp_set(o, "biggest", make_biggest(s, changes, field));
    json_decref(counts);
    return o;
}

/* ---- records over time ---- */

/* Remembers the changed cells of VERSION's CHANGES. */
static void follow(struct story *s, const char *version, const json_t *changes)
{
    json_t *change, *cell;
    const char *field;
    size_t i;
    json_array_foreach(changes, i, change)
    {
        const json_t *key = json_object_get(change, "key");
        json_t *all = json_object_get(s->records, "all"), *record;
        const char *text = key_text(s, key);
        if (json_object_size(json_object_get(change, "cells")) == 0 || s->asked++ >= ASKED)
            continue;
        record = json_object_get(all, text);
        if (record == NULL) {
            record = json_pack("{s:s, s:o, s:i, s:{}}", "key", text, "name", make_name(s, change), "n", 0,
                               "cells");
            odp_set(all, text, record);
        }
        odp_set_number(record, "n", odp_model_number(record, "n") + 1);
        json_object_foreach(json_object_get(change, "cells"), field, cell)
        {
            json_t *cells = json_object_get(record, "cells");
            if (json_object_get(cells, field) == NULL)
                odp_set(cells, field, json_object());
            odp_set(json_object_get(cells, field), version, json_incref(cell));
        }
    }
}

/* The values of FIELD in all columns: each is what the last change before it left, or what the next one
 * found. / */
static json_t *make_row(struct story *s, const char *field, const json_t *cells)
{
    json_t *values = json_array(), *column;
    const json_t *value = NULL, *cell;
    size_t i;
    for (i = json_array_size(s->columns); i > 0; i--) /* the oldest change is the last that is seen */
        if ((cell = json_object_get(cells, json_string_value(json_array_get(s->columns, i - 1)))) != NULL)
            value = json_array_get(cell, 0);
    json_array_foreach(s->columns, i, column)
    {
        cell = json_object_get(cells, json_string_value(column));
        if (cell != NULL)
            value = json_array_get(cell, 1);
        odp_add(values,
                json_pack("{s:o, s:b}", "text", shown(s, field, value), "is_new", (int)(cell != NULL)));
    }
    return json_pack("{s:o, s:o}", "title", heading(s, field), "values", values);
}

static int most_changes_first(const void *a, const void *b)
{
    const json_t *const *x = a, *const *y = b;
    const json_int_t n = odp_model_number(*x, "n"), k = odp_model_number(*y, "n");
    return n != k ? (n < k) - (n > k) : strcmp(odp_text_of(*x, "key"), odp_text_of(*y, "key"));
}

static bool has_page(const json_t *name)
{
    const json_t *part;
    bool has = false;
    size_t i;
    json_array_foreach(name, i, part) has = has || json_object_get(part, "page") != NULL;
    return has;
}

static json_t *make_records(struct story *s)
{
    const json_t *all = json_object_get(s->records, "all");
    const json_t **sorted = odp_arena_array(&s->m->arena, json_object_size(all) + 1, sizeof *sorted);
    json_t *list = json_array(), *one, *cells;
    const char *key, *field;
    size_t n = 0;
    json_object_foreach((json_t *)(uintptr_t)all, key, one) sorted[n++] = one;
    if (n > 1)
        qsort(sorted, n, sizeof *sorted, most_changes_first);
    for (size_t i = 0; i < n && i < RECORDS; i++) {
        json_t *rows = json_array();
        json_object_foreach(json_object_get(sorted[i], "cells"), field, cells)
            odp_add(rows, make_row(s, field, cells));
        odp_add(list, json_pack("{s:s, s:O, s:b, s:O, s:o}", "id", odp_text_of(sorted[i], "key"), "name",
                                json_object_get(sorted[i], "name"), "has_page",
                                (int)has_page(json_object_get(sorted[i], "name")), "n",
                                json_object_get(sorted[i], "n"), "rows", rows));
    }
    return list;
}

/* ---- one table ---- */

/* What versions say of the table. */
static const json_t *told_of(const struct story *s, const json_t *version)
{
    return odp_model_find(json_object_get(version, "changes"), "further", s->first ? "" : s->name);
}

static void add_column(struct story *s, const char *name)
{
    json_array_insert_new(s->columns, 0, json_string(name));
}

/* The newest first; as long as each follows the one before it, its records are followed. */
static json_t *make_versions(struct story *s)
{
    json_t *list = json_array();
    const json_t *version;
    const char *next = NULL; /* the version that must come; NULL: any */
    bool follows = true;
    size_t i;
    json_array_foreach(s->told, i, version)
    {
        const json_t *told = told_of(s, version);
        const char *name = odp_text_of(version, "name");
        follows = follows && json_is_true(json_object_get(version, "is_published")) &&
                  (next == NULL || strcmp(next, name) == 0);
        if (follows)
            add_column(s, name);
        if (told == NULL || *odp_text_of(told, "json") == '\0') {
            follows = false; /* the first one, or one of which nothing is left */
            continue;
        }
        json_t *document = read_changes(s, odp_text_of(told, "json"));
        odp_add(list, make_version(s, version, told, document));
        if (follows)
            follow(s, name, json_object_get(document, "changes"));
        next = odp_text_of(told, "from");
        json_decref(document);
    }
    return list;
}

static void add_table(struct story *s, json_t *tables)
{
    s->columns = json_array();
    s->records = json_pack("{s:{}}", "all");
    json_t *versions = make_versions(s), *records = make_records(s);
    const json_int_t n = (json_int_t)json_object_size(json_object_get(s->records, "all"));
    json_t *table = json_pack("{s:s, s:o, s:o, s:b, s:o, s:O, s:b}", "suffix", s->suffix, "heading",
                              odp_model_both_or(s->entry, "title", s->name), "versions",
                              json_incref(versions), "any_records", (int)(json_array_size(records) > 0),
                              "records", records, "columns", s->columns, "is_cut", (int)(n > RECORDS));
    if (json_array_size(versions) > 0)
        odp_add(tables, json_incref(table));
    json_decref(table);
    json_decref(versions);
    json_decref(s->columns);
    json_decref(s->records);
    json_decref(s->names);
}

enum odp_status odp_model_story(const struct odp_site_job *job, const json_t *entry, const json_t *data,
                                json_t **out)
{
    struct model m = {.job = job, .slug = odp_text_of(entry, "slug")};
    json_t *tables = json_array();
    const json_t *one;
    size_t i;
    odp_arena_init(&m.arena);
    json_array_foreach(json_object_get(entry, "resources"), i, one)
    {
        const char *name = odp_text_of(one, "name");
        struct story s = {.m = &m,
                          .entry = one,
                          .told = json_object_get(json_object_get(data, "versions"), "list"),
                          .name = name,
                          .first = i == 0,
                          .suffix = i == 0 ? "" : model_printf(&m, "-%s", name)};
        if (m.status == ODP_OK)
            m.status = odp_job_schema(job, m.slug, one, &s.schema);
        if (m.status == ODP_OK)
            add_table(&s, tables);
        json_decref(s.schema);
    }
    *out = m.status == ODP_OK && json_array_size(tables) > 0 ? json_incref(tables) : NULL;
    json_decref(tables);
    odp_arena_release(&m.arena);
    return m.status;
}
