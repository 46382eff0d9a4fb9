/* What the files of matching share. match.c takes the message apart into resources. match_resource.c asks one
 * resource: its versions (match_side.c), each with its query index and seen as the newest one; the keys that
 * differ (match_load.c, from changes.json); then each filter in the index of each version about the records
 * with these keys. What a filter found of a key is one mark, set by any version. */
#pragma once

#include "base/decimal.h"
#include "catalog/expr/expr.h"
#include "published/layout.h"
#include "service/queries/engine/query.h"
#include "service/webhooks/events/events_internal.h"
#include "service/webhooks/events/match.h"

/* Bytes of a filter times records that it is asked of, at most: two seconds at worst. */
#define MATCH_WORK ((uint64_t)200000000)
/* For all filters of a message: a thousand of them and a million records. */
#define MATCH_WORK_ALL ((uint64_t)40000000000)
enum {
    MATCH_TOLD = 512,      /* bytes of a key in a message */
    MATCH_TIME_MS = 10000, /* of one filter and one version */
    MATCH_LOOK = 4096      /* records between two questions whether to go on */
};

/* ---- filters (match_check.c) ---- */

/* A filter as it is compiled. */
struct match_filter {
    struct odp_slice text;
    json_t *json; /* of CQL2 JSON; ours */
    bool is_json;
    struct odp_event_filter_fault fault; /* it is no JSON; message.in[0] NULL: none */
};
/* Release F in every case. BAD: no JSON, see fault. */
enum odp_status match_filter_init(struct match_filter *f, const struct odp_event_filter *from,
                                  struct odp_arena *a) ODP_MUST_USE;
void match_filter_release(struct match_filter *f);
/* GEOMETRY: its name; NULL: records have none. BAD: *FAULT. Release *OUT with odp_expr_release. */
enum odp_status match_compile(const struct match_filter *f, const struct odp_schema *schema,
                              const char *geometry, struct odp_arena *a, const struct odp_expr **out,
                              struct odp_event_filter_fault *fault) ODP_MUST_USE;

/* ---- a message (match.c, match_why.c) ---- */

/* What is known of one filter, of all resources. */
struct match_answer {
    json_t *resources; /* items of the message; ours */
    uint64_t total;    /* records that matched */
    bool asked, unknown;
    struct odp_text why; /* why unknown, or why it was not asked */
};
struct match_message {
    const struct odp_site *site;
    const struct match_filter *filters;
    struct match_answer *answers;
    size_t n;
    uint64_t work;                               /* MATCH_WORK_ALL */
    const struct odp_event_match_limits *limits; /* NULL: none */
    bool stopped;                                /* go_on said so */
    struct odp_arena *a;
    struct odp_diags *diags;
};
bool match_goes_on(struct match_message *m);
/* TEXT with WHAT (NULL: "") for {0}: at most 400 bytes of it, whole characters. */
const char *match_fill(struct odp_arena *a, const char *text, const char *what);
/* Filter I cannot be answered, since WHY, filled with WHAT. The first reason stays. */
void match_unknown(struct match_message *m, size_t i, const struct odp_text *why, const char *what);
/* No filter can; always DONE. */
enum odp_status match_unknown_all(struct match_message *m, const struct odp_text *why, const char *what);
/* The item NAME of "resources" of a version's entry in versions.json; or NULL. */
const json_t *match_resource_of(const json_t *version, const char *name);

/* ---- match_side.c: a version of the resource at hand ---- */

struct match_entry;
struct match_side {
    const char *version;
    const json_t *resource;
    struct odp_layout *layout;
    struct odp_index *index;
    const struct odp_search_info *info; /* of the index */
    struct odp_schema schema;           /* names of the newest, types of here */
    int *column;     /* by field of the schema: the column of the index, or -1: null in every record */
    uint32_t *key;   /* by part of the newest's key: the column here */
    bool keyed;      /* all parts are here */
    bool all;        /* a first version: every record is added */
    const char *ids; /* JSON array: numbers of the records that differ; NULL with ALL */
    struct match_entry **entries; /* their keys */
    size_t nids;
};
/* DONE: it has no index (odp:index: false, or not any more). BAD: its schema or its index is not on this
 * machine or damaged (reported). Close S in every case. */
enum odp_status match_side_open(struct match_side *s, const struct odp_site *site, struct odp_arena *a,
                                struct odp_diags *diags) ODP_MUST_USE;
void match_side_close(struct match_side *s);
/* Sees S as NEWEST, which may be S. */
enum odp_status match_side_view(struct match_side *s, const struct match_side *newest,
                                struct odp_arena *a) ODP_MUST_USE;

/* ---- match_resource.c: a resource ---- */

/* A step from one version of a resource to the next. */
struct match_step {
    const char *from_version, *to_version;
    const json_t *from,
        *to; /* items of "resources" in versions.json. FROM NULL: all records of TO are added */
};
/* STEPS: oldest first, one at least. */
enum odp_status match_resource(struct match_message *m, const char *name, const struct match_step *steps,
                               size_t nsteps) ODP_MUST_USE;
/* The newest version does not have the table RESOURCE any more: filters for it cannot be answered. */
enum odp_status match_resource_gone(struct match_message *m, const json_t *resource) ODP_MUST_USE;

struct match_work {
    struct match_message *m;
    const char *name;
    const struct match_step *steps;
    size_t nsteps, nsides;
    size_t *from, *to;        /* by step: sides */
    struct match_side *sides; /* the last one is the newest */
    struct match_side *newest;
    void *keys; /* tsearch(3): entries */
    struct match_entry *first, *last;
    uint64_t nkeys;
    bool *asked, *geometry; /* by filter */
    const char *closed;     /* an older version that cannot be asked; NULL: none */
    bool whole;             /* changes.json has records of some step without a key */
    struct odp_arena arena; /* as long as the resource */
};
/* Of all that are asked; always DONE. */
enum odp_status match_unknown_asked(struct match_work *w, const struct odp_text *why, const char *what);

/* ---- match_load.c: the keys that differ, and each side's records that have them ---- */

#define MATCH_KEYED                                                                                          \
    SIZE_MAX /* as SIDE: a key, of all versions; else the whole record of a version without a key */
struct match_entry {
    size_t side;
    struct odp_slice key;       /* its parts, packed */
    const char *told;           /* as changes.json writes it, if that is not its shortest form; else NULL */
    uint64_t place;             /* in the order in which they came */
    uint32_t times[EVENTS_OPS]; /* of a key one of them is 1 */
    size_t seen, matched;       /* the last side, the last filter (from 1) that found it */
    struct match_entry *next;
};
/* Adds this change to what is known of PARTS. DONE: there are ODP_EVENT_MATCH_KEYS already. */
enum odp_status match_keys_add(struct match_work *w, size_t side, const struct odp_slice *parts, size_t n,
                               enum odp_change_op op) ODP_MUST_USE;
/* NULL: it does not differ. */
struct match_entry *match_keys_find(struct match_work *w, size_t side, const struct odp_slice *parts,
                                    size_t n);
void match_keys_release(struct match_work *w);
/* Part I of the newest's key in its shortest form; ROOM takes it if it is another. */
struct odp_slice match_keys_part(const struct match_work *w, size_t i, struct odp_slice part,
                                 char room[ODP_DECIMAL_SIZE]);
/* DONE: it cannot be known, and all filters that are asked have the reason. */
enum odp_status match_load(struct match_work *w) ODP_MUST_USE;
