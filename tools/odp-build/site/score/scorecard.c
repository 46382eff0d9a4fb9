/* The scorecard of a dataset: its four principles, one after the other. */
#include "site/score/score_internal.h"

#include <errno.h>

const struct odp_score *odp_score_make(const struct odp_catalog *c, const struct odp_dataset *d, struct odp_arena *a)
{
    struct odp_score *score = odp_arena_zero(a, 1, sizeof *score);
    struct scoring s = {.catalog = c, .dataset = d, .arena = a};
    for (size_t i = 0; i < d->nresources; i++)
        s.missing.cap += d->resources[i].schema.n + 1;
    s.missing.item = odp_arena_array(a, s.missing.cap + 1, sizeof *s.missing.item);
    score->slug = d->slug;
    score_standard(&s, score);
    score_metadata(&s, score);
    score_interoperability(&s, score);
    score_codes(&s, score);
    if (!s.failed)
        return score;
    (void)odp_failure_set("make", "scorecard", ENOMEM);
    return NULL;
}
