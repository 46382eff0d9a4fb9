/* Names of tables and columns. The catalogue may have any; SQLite folds case, and gives some a meaning. */
#include <sqlite3.h>
#include <string.h>

#include "catalog/index/search.h"

/* NAME as an identifier, in A. */
static const char *quoted(const char *name, struct odp_arena *a)
{
    char *out = odp_arena_array(a, strlen(name) + 2, 2), *w = out;
    *w++ = '"';
    for (const char *p = name; *p != '\0'; p++) {
        if (*p == '"')
            *w++ = '"';
        *w++ = *p;
    }
    *w++ = '"';
    *w = '\0';
    return out;
}

/* NAME as an identifier that is not in TAKEN and has no meaning to SQLite. */
static const char *free_name(const char *name, const char *const *taken, uint32_t n, struct odp_arena *a)
{
    static const char *const reserved[] = {"\"fid\"", "\"rowid\"", "\"rank\"", "\"odp_words\""};
    const char *sql = quoted(name, a);
    bool free = false;
    while (!free) {
        free = true;
        for (size_t k = 0; k < ODP_COUNT(reserved); k++)
            free = free && sqlite3_stricmp(sql, reserved[k]) != 0;
        for (uint32_t k = 0; k < n && free; k++)
            free = sqlite3_stricmp(sql, taken[k]) != 0;
        if (!free)
            sql = odp_arena_printf(a, "%.*s_\"", (int)strlen(sql) - 1, sql);
    }
    return sql;
}

void odp_search_name(struct odp_search_info *i, struct odp_arena *a)
{
    struct odp_search_names *n = &i->names;
    const char **taken = odp_arena_array(a, (size_t)i->ncolumns + 1, sizeof *taken);
    uint32_t ntaken = 0;
    *n = (struct odp_search_names){0};
    n->plain_table = i->resource != NULL ? odp_arena_printf(a, "%s-%s", i->slug, i->resource) : i->slug;
    n->table = quoted(n->plain_table, a);
    if (i->has_geometry) {
        n->plain_geometry = i->geometry_name;
        n->geometry = taken[0] = quoted(i->geometry_name, a);
        ntaken = 1;
        n->rtree = quoted(odp_arena_printf(a, "rtree_%s_%s", n->plain_table, n->plain_geometry), a);
    }
    for (uint32_t k = 0; k < i->ncolumns; k++, ntaken++)
        i->columns[k].sql = taken[ntaken] = free_name(i->columns[k].name, taken, ntaken, a);
}

bool odp_search_is_exact(enum odp_type t)
{
    enum odp_storage storage = odp_field_type(t)->storage;
    return storage == ODP_STORAGE_DECIMAL || storage == ODP_STORAGE_INSTANT;
}

bool odp_search_has_exact(const struct odp_search_info *i)
{
    for (uint32_t k = 0; k < i->ncolumns; k++)
        if (odp_search_is_exact(i->columns[k].type))
            return true;
    return false;
}

bool odp_search_has_geometry(const struct odp_search_info *i)
{
    return i->has_geometry && (!i->csv_points || i->mode == ODP_GEOMETRY_SIMPLIFIED);
}
