/* Internal to catalog/expr: spatial functions. A literal is a list of members (one, but for collections and
 * boxes across 180 degrees) in the arena. GEOS's objects belong to a worker; each call takes an idle worker
 * and gives it back, so there are as many as threads ever tested at once, and no thread owns any. */
#pragma once

#include <geos_c.h>
#include <pthread.h>

#include "catalog/expr/spatial.h"

#define SPATIAL_POINTS 10000

struct spatial_worker {
    struct spatial_worker *next;
    GEOSContextHandle_t geos;
    GEOSGeometry **geom;                   /* by member */
    const GEOSPreparedGeometry **prepared; /* by member */
    uint32_t n;
    GEOSGeometry **room; /* for the parts of one geometry */
    size_t cap;
    char message[200]; /* of GEOS's last exception */
};

struct spatial_pool {
    pthread_mutex_t lock;
    struct spatial_worker *idle;
};

struct odp_spatial {
    enum odp_spatial_op op;     /* of the record's geometry and the literal, in this order */
    bool is_box, is_collection; /* how it was written */
    double corners[4];          /* of a box as written */
    struct odp_arena arena;
    struct odp_geom *members; /* more than one: only S_INTERSECTS and S_DISJOINT, which ask each by itself */
    uint32_t nmembers;
    double box[4];             /* of all */
    struct spatial_pool *pool; /* all that changes once it is made */
};

/* spatial_literal.c */
enum odp_status spatial_new(struct odp_spatial **out, enum odp_spatial_op op) ODP_MUST_USE;
/* Whether OP looks at each point of both sides: GEOS then works out every crossing, of a line with itself,
 * too. The others end at the first. */
bool spatial_op_relates(enum odp_spatial_op op);
/* The members are there: boxes, and the first worker. BAD: member *WHICH is not valid; *REASON and *PLACE (in
 * A, PLACE may be NULL) are GEOS's. *REASON NULL: it is a line that crosses itself where OP relates. */
enum odp_status spatial_finish(struct odp_spatial *s, struct odp_arena *a, uint32_t *which,
                               const char **reason, const char **place) ODP_MUST_USE;
/* Members for a box. The numbers have been checked. */
void spatial_set_box(struct odp_spatial *s, const double corners[4]);

/* spatial_literal.c */
enum odp_status spatial_worker_new(struct spatial_worker **out) ODP_MUST_USE;
/* Makes the members of S. BAD: GEOS will not have them (w->message). */
enum odp_status spatial_worker_prepare(struct spatial_worker *w, const struct odp_spatial *s) ODP_MUST_USE;
void spatial_worker_free(struct spatial_worker *w); /* NULL is allowed */
/* BAD: GEOS will not have it (w->message). */
enum odp_status spatial_to_geos(struct spatial_worker *w, const struct odp_geom *g,
                                GEOSGeometry **out) ODP_MUST_USE;
/* What GEOS could not do: FAIL where memory ran out, else BAD. */
enum odp_status spatial_exception(const struct spatial_worker *w) ODP_MUST_USE;

/* V as short as it can be read back from. */
enum { SPATIAL_NUMBER = 40 };
size_t spatial_number(double v, char out[SPATIAL_NUMBER]);
