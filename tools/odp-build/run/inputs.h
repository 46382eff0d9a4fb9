/* What each dataset was built from, so that the next build can tell what has not changed: <build>.inputs
 * beside the build, not part of the site (it knows this machine). A recipe is a digest over the program, the
 * options that count, the portal, the dataset's entry, the bytes of its sources, and those of the tables its
 * keys point into. */
#pragma once

#include "run/run_internal.h"

struct input {
    uint8_t recipe[ODP_SHA256_SIZE]; /* now */
    bool known;                      /* all its sources could be read */
    bool same;                       /* the last build had the same, and it passed */
    uint64_t rows, warnings;         /* of the last build, where same */
};

struct inputs {
    struct input *datasets;          /* in the catalogue's order */
    uint8_t common[ODP_SHA256_SIZE]; /* what counts for every dataset */
    uint8_t whole[ODP_SHA256_SIZE];  /* over everything */
    bool all_same;                   /* the last build had the same, all of it */
    json_t *last;                    /* the file, or NULL */
};

/* Computes the recipes of C's datasets and compares them with those of the build that SITE is (NULL: none).
 */
enum odp_status odp_inputs_read(struct inputs *in, struct run *r, const struct odp_site *site) ODP_MUST_USE;
void odp_inputs_release(struct inputs *in);
/* What the next build will read: recipes of what was built or is still the same now. BUILD: the build's
 * folder. */
enum odp_status odp_inputs_write(const struct inputs *in, const struct run *r, const char *build,
                                 const bool *good) ODP_MUST_USE;
