/* Inside of tools/odp-build/check/across. */
#pragma once

#include "catalog/expr/expr.h"
#include "catalog/expr/num.h"
#include "check/across/cross.h"

/* ---- key.c: tuples of values as bytes; equal values have equal bytes ---- */

enum { KEY_ROOM = 512 }; /* of a key that needs no memory of its own */

/* Appends the key of the values TEXT of fields FIELDS (of S) to OUT; false (nothing appended): one of them is
 * null. */
bool cross_key_add(struct odp_buffer *out, const struct odp_schema *s, const struct odp_key *key,
                   const struct odp_slice *text);
uint64_t cross_hash(struct odp_slice key);

/* ---- table.c: what is gathered by key ---- */

struct cross_group; /* one key: values by select, the key's bytes; opaque */

struct cross_table {
    const struct odp_cross_side *side;
    struct odp_arena arena;
    uint32_t *offsets; /* of a value by select; then of what a group keeps beside them */
    uint32_t size;     /* of all of it */
    bool keeps_place, keeps_geometry;
    struct cross_group **slots; /* by hash */
    size_t cap, n;
    struct cross_group **order; /* keeps_place: groups as they came */
    size_t order_cap;
    struct cross_table *seen; /* of COUNT(DISTINCT): group, select and value; NULL where there is none */
    struct odp_buffer buffer;
};

struct cross_place {
    uint64_t row, line, offset;
};

enum odp_status cross_table_init(struct cross_table *t, const struct odp_cross_side *side, bool keeps_place,
                                 bool keeps_geometry) ODP_MUST_USE;
void cross_table_release(struct cross_table *t);
void cross_table_clear(struct cross_table *t);
/* The group of KEY, made when there is none (then *FRESH); NULL without memory. */
struct cross_group *cross_table_at(struct cross_table *t, struct odp_slice key, uint64_t hash,
                                   bool *fresh) ODP_MUST_USE;
const struct cross_group *cross_table_find(const struct cross_table *t, struct odp_slice key,
                                           uint64_t hash); /* or NULL */
/* Record I of B counts in G. */
enum odp_status cross_table_take(struct cross_table *t, struct cross_group *g, const struct odp_batch *b,
                                 uint32_t i, bool fresh) ODP_MUST_USE;
/* Select K of G (NULL: no record matched) as canonical text in A; ptr NULL: null. FAIL without memory. */
enum odp_status cross_table_value(const struct cross_table *t, const struct cross_group *g, size_t k,
                                  struct odp_arena *a, struct odp_slice *out) ODP_MUST_USE;
const struct odp_geom *cross_table_geometry(const struct cross_table *t,
                                            const struct cross_group *g); /* or NULL */
const struct cross_place *cross_table_place(const struct cross_table *t, const struct cross_group *g);
const struct odp_slice *cross_table_shown(const struct cross_table *t,
                                          const struct cross_group *g); /* the key's values as they stood */
uint32_t cross_group_hash(const struct cross_group *g);

/* ---- spool.c: rows of the rules' own tables ---- */

struct cross_block {
    uint64_t at;
    size_t len;
    uint32_t rows;
};

struct cross_spool {
    struct odp_buffer memory; /* the tail, from SPILLED on */
    uint64_t spilled;
    int fd; /* -1: no file yet */
};

void cross_spool_init(struct cross_spool *s);
void cross_spool_release(struct cross_spool *s);
enum odp_status cross_spool_add(struct cross_spool *s, struct odp_slice bytes, uint64_t *at) ODP_MUST_USE;
/* LEN bytes at AT into ROOM. Any thread, once nothing is added any more. */
enum odp_status cross_spool_read(const struct cross_spool *s, uint64_t at, size_t len,
                                 char *room) ODP_MUST_USE;

/* ---- rows.c: a row as bytes ---- */

/* Which fields of a table are kept row by row. */
struct cross_kept {
    uint32_t *fields; /* by schema index */
    uint32_t n;
    bool geometry;
};

void cross_row_add(struct odp_buffer *out, const struct cross_kept *kept, const struct odp_batch *b,
                   uint32_t i);
/* The row at *AT, which is moved behind it: place, TEXT by kept field (pointing into BYTES), geometry in A
 * (NULL: none). FAIL without memory. */
enum odp_status cross_row_read(struct odp_slice bytes, size_t *at, const struct cross_kept *kept,
                               struct odp_arena *a, struct cross_place *place, struct odp_slice *text,
                               const struct odp_geom **geometry) ODP_MUST_USE;
struct odp_geom *cross_geometry_copy(struct odp_arena *a, const struct odp_geom *g) ODP_MUST_USE;

/* ---- cross.c: the state of a run ---- */

/* One table of one rule while it is gathered. */
struct cross_gather {
    const struct odp_cross_side *side;
    const struct odp_expr *where; /* or NULL */
    bool by_key;                  /* TABLE, else rows */
    struct cross_table table;
    struct cross_kept kept;
    struct cross_block *blocks;
    size_t nblocks, blocks_cap;
    const char *file;  /* NULL: it has not begun */
    const char *sheet; /* of a workbook, or NULL */
};

struct cross_rule {
    const struct odp_cross_rule *rule;
    const struct odp_expr *expr;
    const char **others;          /* names of the joined geometries, for odp_expr_pairs */
    uint32_t *other_join;         /* whose they are */
    struct cross_gather *gathers; /* the rule's own table, then its joins; NULL: not active */
};

/* What a batch of one gather becomes on its way from batch to merge. */
struct cross_part {
    struct odp_slice *keys; /* by record; ptr NULL: it does not count */
    uint64_t *hash;
    struct odp_buffer rows;
    uint32_t nrows;
};

struct odp_cross {
    struct odp_arena arena;
    const struct odp_catalog *catalog;
    struct cross_rule *rules;      /* by the catalogue's */
    struct cross_gather **gathers; /* all, of active rules */
    size_t ngathers;
    struct cross_spool spool;
    struct cross_part *parts;  /* slot * ngathers + gather */
    struct odp_arena *scratch; /* by slot */
    size_t nslots;
};

/* ---- show.c: what a broken rule says ---- */

/* "pagu = 1200, proyek.nilai = 1150" of the scope's values TEXT, with KEY's fields first. What is not public
 * is "***". */
void cross_show(struct odp_buffer *out, const struct cross_rule *r, const struct odp_slice *text,
                const uint32_t *key, uint32_t nkey);
