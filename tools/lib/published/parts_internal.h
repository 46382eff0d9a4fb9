/* Inside of published: a stage's parts, and the one that is open. */
#pragma once

#include <stdatomic.h>

#include "base/mapped.h"
#include "published/stage_internal.h"

struct stage_parts {
    uint8_t common[ODP_SHA256_SIZE];
    struct odp_mapped before; /* the file of the site before; empty: there is none */
    struct odp_map names;     /* the parts in it, by number: */
    size_t *at;               /* where their records are */
    struct odp_slice *now;    /* the records of the file that will be written */
    size_t n;
    /* the part that is open, or was begun last */
    atomic_bool open;
    bool loose;       /* loose: it cannot be carried over */
    pthread_t thread; /* that makes it; what others do meanwhile is none of its business */
    uint8_t key[ODP_SHA256_SIZE];
    const char *name;
    struct odp_map asked, put;
    struct odp_buffer asked_paths, put_paths, asked_state;
    struct odp_slice text_before; /* odp_part_text_before */
    uint64_t said;                /* diagnostics before it */
};

/* What is asked of a file, before its path: what it holds, or whether it is there. */
enum { WHOLE = 'w', THERE = 't' };

/* Appends what ASKED, a kind and a path, is answered; F NULL: it is not there. */
void odp_part_add_state(struct odp_buffer *to, const char *asked, const struct odp_site_file *f);
