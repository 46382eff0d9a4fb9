/* Inside of published: the stage. */
#ifndef ODP_PUBLISHED_STAGE_INTERNAL_H
#define ODP_PUBLISHED_STAGE_INTERNAL_H

#include <pthread.h>

#include "published/stage.h"

struct stage_list { /* behind a pointer: sorted on demand, for const readers too */
    struct odp_site_file *files;
    size_t n, cap;
    size_t nsorted;         /* so many of the first are in order */
    pthread_mutex_t mutex;  /* guards the list, the arena and the counter */
    struct odp_arena arena; /* paths and types of the files */
    uint64_t scratches;
    char made[1024];        /* the folder that was made last: files come by folder */
};

struct odp_stage {
    struct odp_arena arena;
    const char *out;    /* --out without a slash at its end */
    const char *builds; /* "<out>.builds" */
    const char *dir;    /* the stage's folder; NULL once it was switched or removed */
    int lock;           /* descriptor of builds/.lock, locked; -1: none */
    struct stage_list *list;
    const char *origin; /* where absent files are; NULL: all are here */
    struct odp_output output;
    struct odp_diags *diags;
    struct odp_makers *makers;       /* of twins; NULL: none yet */
    const struct odp_site *previous; /* whose files have their twins already; NULL: none */
    bool ahead;                      /* twins are made as files are closed */
};

/* Order of two files (struct odp_site_file) by their paths, for qsort and bsearch. */
int odp_stage_by_path(const void *a, const void *b);
/* F was closed: its twins may be begun. Any thread. */
enum odp_status odp_stage_twins_ask(struct odp_stage *s, const struct odp_site_file *f) ODP_MUST_USE;

#endif
