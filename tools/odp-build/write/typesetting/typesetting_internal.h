/* Inside of write/typesetting: what paper.c, tags.c and text.c share. */
#pragma once

#include "write/typesetting/paper.h"

static inline struct odp_paper_open *odp_paper_top(struct odp_paper *p)
{
    return &p->open[p->nopen - 1];
}
void odp_paper_fail(struct odp_paper *p, const char *what, const char *which);
/* ARRAY (of N elements, in the arena) with room for one more. */
void *odp_paper_grow(struct odp_paper *p, void *array, size_t n, size_t size) ODP_MUST_USE;
/* Closes the tag on top if it holds content (and the empty tag of a missing link above it), so that a page's
 * head stays out of it, and opens it again. */
struct odp_paper_cut {
    struct odp_paper_open tag[4];
    size_t n;
};
struct odp_paper_cut odp_paper_cut_tags(struct odp_paper *p);
void odp_paper_mend_tags(struct odp_paper *p, const struct odp_paper_cut *cut);
bool odp_paper_dest_is_name(const char *name);
