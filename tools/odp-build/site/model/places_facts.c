/* What pages say of places: of one, with what lies in it beside one another, and what lies next to it; of
 * all. */
#include "site/model/places_internal.h"

#include <stdlib.h>

/* ---- beside one another: a comparison ---- */

/* A measure that is compared, the first of its table, and how many of the places have it. */
struct column {
    struct place_table *table;
    size_t n, order;
};

struct compared {
    const struct odp_place *place;
    const json_t *value; /* of the first column; or NULL */
};

static int most_places_first(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    return x->n != y->n ? (x->n < y->n ? 1 : -1) : (x->order > y->order) - (x->order < y->order);
}

static int largest_first(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    const double v = json_number_value(x->value), w = json_number_value(y->value);
    if ((x->value != NULL) != (y->value != NULL))
        return x->value != NULL ? -1 : 1;
    return v != w ? (v < w ? 1 : -1)
                  : (x->place->number > y->place->number) - (x->place->number < y->place->number);
}

/* The time of a column: that of all places together, so that values can be compared. */
static const json_t *cell_of(const struct place_table *t, const struct odp_place *place)
{
    const size_t time = place_time(t, place_row(t, NULL), 0);
    return time != PLACES_NONE ? place_value(t, place_row(t, place), time, 0) : NULL;
}

static size_t find_columns(struct odp_places *p, const struct compared *list, size_t n,
                           struct column *columns)
{
    size_t found = 0;
    for (size_t i = 0; i < p->ntables; i++) {
        struct column c = {&p->tables[i], 0, i};
        for (size_t k = 0; k < n; k++)
            c.n += place_has(c.table, list[k].place, PLACE_CELL);
        if (c.n > 1)
            columns[found++] = c;
    }
    qsort(columns, found, sizeof *columns, most_places_first);
    found = found < PLACES_COLUMNS ? found : PLACES_COLUMNS;
    for (size_t i = 0; i < found; i++)
        if (!places_need(p, columns[i].table))
            return 0;
    return found;
}

/* The value as a part of the largest, of 100. */
static json_t *make_bar(const json_t *value, const json_t *largest)
{
    const double v = json_number_value(value), most = json_number_value(largest);
    return json_sprintf("%.0f", most > 0 && v > 0 ? 100 * v / most : 0.0);
}

static json_t *make_row(const struct compared *one, const struct column *columns, size_t n,
                        const json_t *largest)
{
    json_t *cells = json_array(), *row;
    for (size_t k = 0; k < n; k++) {
        const json_t *value = cell_of(columns[k].table, one->place);
        json_t *cell = json_object();
        if (value != NULL)
            odp_set(cell, "value", place_shown(columns[k].table, value, 0));
        odp_add(cells, cell);
    }
    row = json_pack("{s:s, s:O, s:o}", "code", one->place->code, "name", one->place->name, "cells", cells);
    if (one->value != NULL)
        odp_set(row, "bar", make_bar(one->value, largest));
    return row;
}

/* LIST beside one another, the largest of the first column first; an empty comparison where nothing can be
 * compared. */
static json_t *make_comparison(struct odp_places *p, struct compared *list, size_t n)
{
    struct odp_arena scratch;
    json_t *heads = json_array(), *rows = json_array();
    odp_arena_init(&scratch);
    struct column *columns = odp_arena_array(&scratch, p->ntables + 1, sizeof *columns);
    const size_t ncolumns = find_columns(p, list, n, columns);
    for (size_t k = 0; k < ncolumns; k++) {
        const struct place_table *t = columns[k].table;
        json_t *head =
            json_pack("{s:s, s:O, s:O}", "slug", t->slug, "title", t->title, "measure", t->shown[0]);
        if (t->panel)
            odp_set(head, "time", odp_model_time(place_time_name(t, place_time(t, place_row(t, NULL), 0))));
        odp_add(heads, head);
    }
    for (size_t i = 0; i < n; i++)
        list[i].value = ncolumns > 0 ? cell_of(columns[0].table, list[i].place) : NULL;
    qsort(list, n, sizeof *list, largest_first);
    for (size_t i = 0; i < n && ncolumns > 0; i++)
        odp_add(rows, make_row(&list[i], columns, ncolumns, list[0].value));
    odp_arena_release(&scratch);
    return json_pack("{s:o, s:o}", "columns", heads, "rows", rows);
}

/* The places that lie in PLACE (NULL: in none), in the order of their lists; N of them, in A. */
static struct compared *inside_of(const struct odp_places *p, const struct odp_place *place, size_t *n,
                                  struct odp_arena *a)
{
    struct compared *list = odp_arena_array(a, p->nknown + 1, sizeof *list);
    *n = 0;
    for (size_t i = 0; i < p->nknown; i++)
        if (p->known[i]->parent == place)
            list[(*n)++] = (struct compared){p->known[i], NULL};
    return list;
}

static json_t *make_links(const struct compared *list, size_t n, const struct odp_place *here)
{
    json_t *links = json_array();
    for (size_t i = 0; i < n; i++)
        odp_add(links, json_pack("{s:s, s:O, s:b}", "code", list[i].place->code, "name", list[i].place->name,
                                 "is_here", (int)(list[i].place == here)));
    return links;
}

/* ---- one place ---- */

/* How many datasets have figures of it. */
static json_int_t count_datasets(const struct odp_places *p, const struct odp_place *place)
{
    const json_t *last = NULL;
    json_int_t n = 0;
    for (size_t i = 0; i < p->ntables; i++) {
        const struct place_table *t = &p->tables[i];
        if (!place_has(t, place, PLACE_SECTION))
            continue;
        n += t->entry != last; /* tables of a dataset follow one another */
        last = t->entry;
    }
    return n;
}

json_t *odp_place_facts(struct odp_places *p, const struct odp_place *place)
{
    struct odp_arena scratch;
    size_t n;
    odp_arena_init(&scratch);
    struct compared *inside = inside_of(p, place, &n, &scratch);
    json_t *o = json_pack("{s:s, s:s, s:O, s:O, s:I, s:o}", "code", place->code, "list", place->list, "name",
                          place->name, "kind", place->kind, "datasets", count_datasets(p, place), "inside",
                          make_comparison(p, inside, n));
    odp_set_number(o, "ninside", (json_int_t)n);
    odp_set(o, "kind_inside",
            n > 0 ? json_incref((json_t *)(uintptr_t)inside[0].place->kind) : json_string(""));
    if (place->parent != NULL && place->parent->known)
        odp_set(o, "parent",
                json_pack("{s:s, s:O}", "code", place->parent->code, "name", place->parent->name));
    const struct compared *beside = inside_of(p, place->parent, &n, &scratch);
    odp_set(o, "beside", n > 1 ? make_links(beside, n, place) : json_array());
    odp_arena_release(&scratch);
    return o;
}

/* ---- all places ---- */

/* Those that lie in none, each with those that lie in it. */
static json_t *make_directory(const struct odp_places *p, const struct compared *top, size_t n,
                              struct odp_arena *a)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        size_t ninside;
        const struct compared *inside = inside_of(p, top[i].place, &ninside, a);
        odp_add(list, json_pack("{s:s, s:O, s:o}", "code", top[i].place->code, "name", top[i].place->name,
                                "inside", make_links(inside, ninside, NULL)));
    }
    return list;
}

json_t *odp_places_facts(struct odp_places *p)
{
    struct odp_arena scratch;
    size_t n = 0;
    odp_arena_init(&scratch);
    struct compared *top = inside_of(p, NULL, &n, &scratch);
    json_t *o = json_pack("{s:I, s:o}", "total", (json_int_t)p->nknown, "directory",
                          make_directory(p, top, n, &scratch));
    odp_set(o, "inside", make_comparison(p, top, n));
    odp_arena_release(&scratch);
    return o;
}
