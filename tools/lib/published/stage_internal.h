/* Inside of published: the stage. */
#pragma once

#include <pthread.h>

#include "published/stage.h"

struct stage_list { /* behind a pointer: sorted on demand, for const readers too */
    struct odp_site_file *files;
    size_t n;
    size_t nsorted;         /* so many of the first are in order */
    pthread_mutex_t mutex;  /* guards the list, the arena and the counter */
    struct odp_arena arena; /* the files, their paths and types */
    uint64_t scratches;
    char made[1024]; /* the folder that was made last: files come by folder */
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
};

/* The file that was entered last by this thread's call: nobody else adds files meanwhile. */
struct odp_site_file *odp_stage_last(struct odp_stage *s);
