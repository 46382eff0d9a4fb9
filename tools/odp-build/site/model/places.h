/* Places: who has a code in a code list of places (odp:places), and what the datasets say of it.
 *
 * Made of the index's entries that say "places", of their staged records and names, and of the summaries
 * of all tables (<slug>.summary.json). A place whose code no table has is none. The name of a place's page
 * is its code, so a code that is no name of a file has no page, and of two lists with a code in common the
 * second has none at all: each is said (V92, V93). */
#pragma once

#include <jansson.h>

#include "base/buffer.h"
#include "site/versions/release.h"

struct odp_places;

struct odp_place {
    const char *code, *list;        /* list: its slug */
    const json_t *name, *kind;      /* {"id", "en"}; kind: the list's title */
    const struct odp_place *parent; /* the place that it lies in; NULL: none, or none with a page */
    size_t depth;                   /* 0: its list lies in no other */
    size_t number, level;           /* places.c's: among all; of its list */
    bool known;                     /* a table has it, and it has a page */
};

/* *OUT: the caller's. BAD: a staged file has changed (reported). */
enum odp_status odp_places_open(struct odp_places **out, const struct odp_site_job *job) ODP_MUST_USE;
void odp_places_close(struct odp_places *p); /* NULL is allowed */

/* Those with a page, N of them: list by list, what others lie in first, each in its list's order. */
const struct odp_place *const *odp_places_all(const struct odp_places *p, size_t *n);
/* The place of CODE of LIST ("kabkota", or "references/kabkota") that has a page; NULL: none. P may be NULL.
 */
const struct odp_place *odp_places_find(const struct odp_places *p, const char *list, const char *code);
/* Whether places of LIST have pages. P may be NULL. */
bool odp_places_has(const struct odp_places *p, const char *list);

/* The summary at PATH that tables were read from, so that others need not read it again. Borrowed; NULL:
 * none. P may be NULL. */
json_t *odp_places_summary(const struct odp_places *p, const char *path);

/* Appends digests of all that the files of PLACE, a known one, are made of. */
void odp_place_made_of(struct odp_places *p, const struct odp_place *place, struct odp_buffer *out);
/* What a page says of PLACE around its tables (templates/portal/model/place.json); the caller's. */
json_t *odp_place_facts(struct odp_places *p, const struct odp_place *place);
/* What the page of all places says (templates/portal/model/places.json). */
json_t *odp_places_facts(struct odp_places *p);

/* A table that tells of places; its summary is read when the first of its figures is asked for. */
struct place_table;
/* Those that tell of PLACE, after LAST (NULL: from the first on); NULL: no more. */
struct place_table *odp_place_next_table(const struct odp_places *p, const struct odp_place *place,
                                         const struct place_table *last);
/* Digest of all that the figures of T are made of, of whichever place. */
const uint8_t *odp_place_table_key(struct odp_places *p, const struct place_table *t);
/* What a page says of PLACE by T (templates/portal/model/place-table.json), the caller's; NULL: nothing. */
json_t *odp_place_table_facts(struct odp_places *p, struct place_table *t, const struct odp_place *place);
/* The figures of PLACE as CSV (RFC 4180): its first line, and a line for each measure of T that matters and
 * time. Appended. */
void odp_place_csv_begin(struct odp_buffer *out);
void odp_place_csv(struct odp_places *p, struct place_table *t, const struct odp_place *place,
                   struct odp_buffer *out);
/* The same as JSON, with the texts in both languages (docs/formats.md); between tables there is ",\n". */
void odp_place_json_begin(const struct odp_place *place, struct odp_buffer *out);
void odp_place_json(struct odp_places *p, struct place_table *t, const struct odp_place *place,
                    struct odp_buffer *out);
void odp_place_json_end(struct odp_buffer *out);
/* Whether all that was asked for could be read. BAD: a staged file has changed (reported). */
enum odp_status odp_places_status(const struct odp_places *p) ODP_MUST_USE;
