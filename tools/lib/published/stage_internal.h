/* Inside of published: a stage and its list of files. */
#pragma once

#include <pthread.h>

#include "published/stage.h"

struct stage_list { /* a pointer, because even readers of a const stage sort it */
    struct odp_site_file *files;
    size_t n;
    size_t nsorted;         /* the first files of the list that are in order */
    pthread_mutex_t mutex;  /* guards the list, the arena and the counter */
    struct odp_arena arena; /* the files, their paths and types */
    uint64_t scratches;
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

/* The file that this thread entered last; no other thread adds files meanwhile. */
struct odp_site_file *odp_stage_last(struct odp_stage *s);
