/* Inside of service/webhooks/events: matching. A resource at a time: the versions that a message tells of, each seen as the newest one (match_view.c); the keys that differ
 * (match_changes.c, match_keys.c); the records of these keys, or all of them, against all filters (match_rows.c). match_resource.c puts it together for a
 * resource, match.c for the message.
 *
 * Filters are asked in groups, which are as large as memory allows; there is more than one group only where there are very many filters or keys. For each
 * group the files are read once. What a filter found of a key is one bit, set by any version of the record; counts come of the bits at the end. */
#ifndef ODP_SERVICE_WEBHOOKS_EVENTS_MATCH_INTERNAL_H
#define ODP_SERVICE_WEBHOOKS_EVENTS_MATCH_INTERNAL_H

#include "catalog/expr/expr.h"
#include "published/layout.h"
#include "published/row_change.h"
#include "service/webhooks/events/events_internal.h"
#include "service/webhooks/events/match.h"

enum { MATCH_OPS = ODP_CHANGE_CHANGED + 1 };

/* ---- match_view.c ---- */

/* A version of a resource with the fields of the newest one; behind them its queryables that are prefixes (odp:queryables of schema.json). */
struct match_view {
    const struct odp_layout *layout; /* its own */
    struct odp_schema schema;        /* names of the newest, types of here */
    int *field;                      /* by field of the schema: the one it was here (odp:formerNames are followed), or -1: null in every record */
    int64_t *prefix;                 /* by field of the schema: only so many characters of it; 0: all */
    const char *geometry;            /* its name in filters, where the newest has one; else NULL */
    bool same;                       /* all types are the newest's: the same expressions do */
};
enum odp_status match_view_make(struct match_view *v, const struct odp_layout *layout, const struct odp_layout *newest, struct odp_arena *a) ODP_MUST_USE;

/* A filter as it is compiled. */
struct match_filter {
    struct odp_slice text;
    json_t *json;                        /* of CQL2 JSON; ours */
    bool is_json;
    struct odp_event_filter_fault fault; /* it is no JSON at all; message.in[0] NULL: none */
};
/* Release F in every case. BAD: no JSON, see fault. */
enum odp_status match_filter_init(struct match_filter *f, const struct odp_event_filter *from, struct odp_arena *a) ODP_MUST_USE;
void match_filter_release(struct match_filter *f);
/* BAD: *FAULT. *GEOMETRY: it asks for the geometry. Release *OUT with odp_expr_release. */
enum odp_status match_compile(const struct match_filter *f, const struct match_view *v, struct odp_arena *a, const struct odp_expr **out, bool *geometry,
                              struct odp_event_filter_fault *fault) ODP_MUST_USE;

/* ---- match_changes.c: changes.json, a line at a time ---- */

struct match_change {
    enum odp_change_op op;
    const struct odp_slice *key;    /* canonical texts by part, ptr NULL: null; NULL: rows were compared whole */
    const struct odp_slice *record; /* by field of FROM (removed) or TO (added); only without a key */
};
struct match_changes;
/* FROM and TO are borrowed until close. BAD: not our file. */
enum odp_status match_changes_open(struct match_changes **out, const char *path, const struct odp_layout *from, const struct odp_layout *to) ODP_MUST_USE;
bool match_changes_keyed(const struct match_changes *c);
bool match_changes_counts_only(const struct match_changes *c); /* it has a note instead of rows */
/* The next one, until the next call. DONE: the end. BAD: damaged. */
enum odp_status match_changes_next(struct match_changes *c, struct match_change *out) ODP_MUST_USE;
void match_changes_close(struct match_changes *c);

/* ---- match_keys.c: the keys that differ ---- */

enum { MATCH_EXPECTED_FROM = 1, MATCH_EXPECTED_TO = 2, MATCH_SEEN_FROM = 4, MATCH_SEEN_TO = 8 };
struct match_entry {
    uint64_t hash;
    const char *key; /* packed */
    const char *told; /* as messages write it, where that cannot be made of KEY; NULL: it can */
    uint32_t len;
    uint8_t op;      /* enum odp_change_op, of all versions together */
    uint8_t flags;
};
struct match_keys {
    struct match_entry *items; /* in the order in which they came */
    uint32_t n, cap;
    uint32_t *slots, nslots;   /* place + 1; 0: free */
    struct odp_arena arena;
    struct odp_buffer packed, told;
    const bool *number;        /* by part: any literal of a number is the same key */
    uint32_t nparts;
};
void match_keys_init(struct match_keys *k, const bool *number, uint32_t nparts);
void match_keys_release(struct match_keys *k);
/* PARTS with this change after what is known of it. DONE: there are ODP_EVENT_MATCH_KEYS already. */
enum odp_status match_keys_add(struct match_keys *k, const struct odp_slice *parts, enum odp_change_op op, struct match_entry **out) ODP_MUST_USE;
/* *OUT NULL: it is none of them. */
enum odp_status match_keys_find(struct match_keys *k, const struct odp_slice *parts, struct match_entry **out) ODP_MUST_USE;
/* As in /v1/<slug>/id/<key>, in A. NULL: no memory. */
const char *match_keys_text(const struct match_keys *k, const struct match_entry *e, struct odp_arena *a);

/* ---- match_rows.c: records against filters ---- */

/* One filter of a group, asked of the resource at hand. */
struct match_one {
    size_t filter;                 /* its place among all */
    const struct odp_expr **exprs; /* by side */
    bool geometry;
    bool told_all;                 /* KEYS has them all so far */
    uint64_t counts[MATCH_OPS];
    struct match_told {
        enum odp_change_op op;
        const char *text;
    } *keys;                       /* up to ODP_EVENT_KEYS */
    uint32_t nkeys;
};
/* What a record that matched counts as. */
struct match_message;
struct match_sink {
    struct match_keys *keys; /* with BITS: they are marked. NULL: each record counts at once, as OP */
    uint64_t *bits;          /* WORDS for each key */
    size_t words;
    enum odp_change_op op;
    uint8_t seen;            /* flag for each key that comes by */
    const uint32_t *key;     /* fields of the side's layout that are told as the key; nkey 0: none are told */
    uint32_t nkey;
    struct match_message *m; /* whose limits are asked */
};
struct match_rows;
/* ONES are asked as side SIDE, which VIEW shows. ROOM, for told keys, outlives it. All are borrowed until free. */
enum odp_status match_rows_new(struct match_rows **out, struct match_one *ones, size_t n, size_t side, const struct match_view *view, const struct match_sink *sink,
                               struct odp_arena *room) ODP_MUST_USE;
bool match_rows_geometry(const struct match_rows *r); /* some filter asks for it */
/* TEXT by field of the side's own layout; copied. ENTRY: place among the keys (0 without keys). BAD, here and below: the limits say that it is enough. */
enum odp_status match_rows_add(struct match_rows *r, const struct odp_slice *text, const struct odp_geom *geometry, uint32_t entry) ODP_MUST_USE;
enum odp_status match_rows_end(struct match_rows *r) ODP_MUST_USE; /* evaluates what was added last */
void match_rows_free(struct match_rows *r);

/* ---- match.c ---- */

/* What is known of one filter, all resources together. */
struct match_answer {
    json_t *resources;   /* items of the message; ours */
    uint64_t total;      /* records that matched */
    bool asked, unknown;
    struct odp_text why; /* of unknown; or, of one that was not asked, why not */
};
struct match_message {
    const struct odp_site *site;
    const struct match_filter *filters;
    struct match_answer *answers;
    size_t n;
    uint64_t work; /* MATCH_WORK_ALL */
    const struct odp_event_match_limits *limits; /* NULL: none */
    bool stopped;                                /* they said that it is enough */
    struct odp_arena *a;
    struct odp_diags *diags;
};
/* TEXT with {0} replaced by WHAT: whole characters of it, at most 400 bytes. It may have parts of a filter in it, which may
 * be any bytes. */
const char *match_fill(struct odp_arena *a, const char *text, const char *what);
/* Filter I cannot be answered (match_reason.c); the first reason stays. {0} of both texts is WHAT (NULL: ""). */
enum odp_status match_unknown(struct match_message *m, size_t i, const struct odp_text *why, const char *what) ODP_MUST_USE;
enum odp_status match_unknown_all(struct match_message *m, const struct odp_text *why, const char *what) ODP_MUST_USE;
/* The item NAME of versions.json's "resources" of a version (its entry). Or NULL. */
const json_t *match_resource_of(const json_t *version, const char *name);

/* ---- match_resource.c: a resource ---- */

/* A step from one version of a resource to the next. */
struct match_step {
    const char *from_version, *to_version;
    const json_t *from, *to; /* items of "resources" in versions.json. FROM NULL: all records of TO are added */
};
/* STEPS: oldest first, one at least. */
enum odp_status match_resource(struct match_message *m, const char *name, const struct match_step *steps, size_t nsteps) ODP_MUST_USE;
/* The table RESOURCE of the version before is there no more: filters that can be asked of it cannot be answered. */
enum odp_status match_resource_gone(struct match_message *m, const json_t *resource) ODP_MUST_USE;

/* A version of the resource at hand. */
struct match_side {
    const char *version;
    const json_t *resource;
    struct odp_layout *layout; /* ours: odp_version_reading_close */
    struct match_view view;
    uint32_t *key;             /* by part of the newest's key: the field it is here */
    bool keyed;                /* all parts are here */
    bool looked;               /* its records are looked up by key */
};
enum match_kind { MATCH_ALL /* added */, MATCH_KEYED, MATCH_ROWS /* whole rows stand in changes.json */ };
struct match_work {
    struct match_message *m;
    const char *name;
    const struct match_step *steps;
    size_t nsteps;
    enum match_kind *kinds;     /* by step */
    const char **changes;       /* by step: changes.json on the disk */
    size_t *from, *to;          /* by step: sides */
    struct match_side *sides;   /* the last one is the newest */
    size_t nsides;
    struct match_keys keys;
    uint64_t expected[2];       /* keys that the version before, and after, must have; of one step */
    bool *asked, *geometry;     /* by filter */
    struct odp_arena arena;     /* as long as the resource */
    struct match_one *ones;     /* the group at hand */
    size_t nones, words;
    uint64_t *bits;
    bool lost;                  /* a geometry that was asked for is not published whole */
};
/* match_read.c. DONE: it cannot be known, and was said of all filters that are asked. */
enum odp_status match_load(struct match_work *w) ODP_MUST_USE;  /* kinds, changes, keys */
enum odp_status match_read(struct match_work *w) ODP_MUST_USE;  /* the group's counts (or bits) */
enum odp_status match_unknown_asked(struct match_work *w, const struct odp_text *why, const char *what) ODP_MUST_USE; /* DONE, or FAIL */

#define MATCH_BITS ((size_t)64 << 20)          /* bytes of bits of a group */
#define MATCH_TEXT ((size_t)4 << 20)           /* bytes of filters of a group: compiled, each takes some fifty times its text */
#define MATCH_WORK ((uint64_t)200000000)       /* bytes of a filter times records that it may be asked of: two seconds at worst */
#define MATCH_WORK_ALL ((uint64_t)40000000000) /* of all filters of a message together: a thousand of them and a million records */
enum { MATCH_TOLD = 512 };                     /* bytes of a key that is told */

#endif
