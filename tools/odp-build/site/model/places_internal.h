/* Inside of places*.c. */
#pragma once

#include "base/map.h"
#include "site/model/model_internal.h"
#include "site/model/places.h"

enum {
    PLACES_LISTS = 16,   /* of a catalogue that are used */
    PLACES_MEASURES = 4, /* of a table that pages tell */
    PLACES_TIMES = 60,   /* of a table: the newest */
    PLACES_COLUMNS = 6   /* of a comparison */
};
#define PLACES_NONE SIZE_MAX

/* A code list of places. */
struct place_list {
    const char *slug, *code,
        *above; /* code, above: its fields with a place's code and that of the place around it */
    const json_t *entry;
    json_t *title;
    size_t parent; /* of the lists; or PLACES_NONE */
    size_t depth;
    size_t first;         /* its places are numbered from here on */
    struct odp_map codes; /* in that order */
    bool shadowed;        /* a code of it is also of a list before it */
};

struct place_rank {
    uint32_t rank, of, inner, inner_of; /* from the highest value on; inner: in its parent. 0: no value */
};

/* What a table says of a place. */
enum place_mark {
    PLACE_ROW = 1,    /* something */
    PLACE_CELL = 2,   /* a value that can be compared */
    PLACE_SECTION = 4 /* figures on its page */
};

/* A table with places. Values are times × measures of a row; the time NTIMES is the total. */
struct place_table {
    const char *slug, *name; /* name: of a further table, else "" */
    const json_t *entry, *resource;
    json_t *title;
    const json_t *through; /* the dataset whose records have the places of its own; NULL: it has them */
    const char *explore;   /* the page of all records, if it is staged */
    const char *path;      /* of its summary */
    const char *fields[PLACES_LISTS]; /* what a list's places are filtered by; NULL: nothing */
    const char *marks;                /* by number of the place: enum place_mark */
    uint8_t key[ODP_SHA256_SIZE];     /* places_key.c */
    /* what follows is of the summary, by places_need() */
    json_t *summary;                  /* NULL: it has not been read */
    size_t level;                     /* the list whose codes it has */
    size_t measures[PLACES_MEASURES]; /* their numbers in the summary */
    size_t nmeasures, ntimes, older;  /* older: times before those that are told */
    bool panel, means[PLACES_MEASURES];
    json_t *shown[PLACES_MEASURES];  /* what a measure is, for pages */
    uint32_t *row_of;                /* by number of the place: 1 + its row; 0: none */
    const struct odp_place **places; /* of each row */
    const json_t **rows;             /* what the summary has of it */
    size_t nrows;
    struct place_rank *ranks;         /* [row][time][measure] */
    const char *csv[PLACES_MEASURES]; /* how its lines begin */
};

struct odp_places {
    const struct odp_site_job *job;
    struct place_list *lists; /* those that others lie in first */
    size_t nlists;
    struct odp_place *all;
    size_t nall;
    const struct odp_place **known;
    size_t nknown;
    struct place_table *tables;
    size_t ntables;
    json_t *held;                       /* documents that others point into */
    json_t *summaries;                  /* of the tables that were read, by path */
    const char *key;                    /* places_key.c; NULL: nobody has asked */
    uint8_t lists_key[ODP_SHA256_SIZE]; /* places_key.c: of all lists */
    enum odp_status status;             /* of what was read later on */
    struct odp_arena arena;
};
#define places_printf(p, ...) odp_arena_printf(&(p)->arena, __VA_ARGS__)

/* The value of measure M (of those that are told) of ROW at TIME, or NULL. */
const json_t *place_value(const struct place_table *t, const json_t *row, size_t time, size_t m);
/* The time that is told of ROW's measure M: the total; of a panel the last one with a value. PLACES_NONE:
 * none. */
size_t place_time(const struct place_table *t, const json_t *row, size_t m);
/* "2023", a string; NULL of the total. */
const json_t *place_time_name(const struct place_table *t, size_t time);
/* Whether the shown MEASURE counts records, all or those of a category. */
bool places_counts(const json_t *measure);
/* VALUE of measure M for a page. */
json_t *place_shown(const struct place_table *t, const json_t *value, size_t m);
const struct place_rank *place_rank(const struct place_table *t, const struct odp_place *place, size_t time,
                                    size_t m);
/* What T has of PLACE; of NULL: of all places together. NULL: nothing. */
const json_t *place_row(const struct place_table *t, const struct odp_place *place);

/* places_lists.c: lists, their places and names. */
enum odp_status places_read_lists(struct odp_places *p) ODP_MUST_USE;
/* The list SLUG or "references/SLUG"; PLACES_NONE: none. */
size_t places_list_of(const struct odp_places *p, const char *slug);
/* places_tables.c: the tables, and which places are known by them. */
enum odp_status places_read_tables(struct odp_places *p) ODP_MUST_USE;
/* Its figures and ranks. False: they cannot be read. */
bool places_need(struct odp_places *p, struct place_table *t);
/* Whether T says WHAT of PLACE. */
static inline bool place_has(const struct place_table *t, const struct odp_place *place, enum place_mark what)
{
    return ((unsigned)t->marks[place->number] & what) != 0;
}

/* places_key.c: P->lists_key. */
enum odp_status places_key_lists(struct odp_places *p) ODP_MUST_USE;
