/* Makes the scorecard of a dataset of the catalogue. Nothing but the catalogue is read: so `show`, a check, a
 * build and the site say the same, whichever of them says it first; and what is missing is missing there,
 * where it can be added. */
#pragma once

#include "report/score.h"
#include "site/versions/release.h"

/* The scorecard of D, which is no code list, all of it in A. */
const struct odp_score *odp_score_make(const struct odp_catalog *c, const struct odp_dataset *d,
                                       struct odp_arena *a) ODP_MUST_USE;

/* The scorecard as JSON (score.c has its form). The caller's. */
json_t *odp_score_json(const struct odp_score *s) ODP_MUST_USE;

/* "data/<slug>/scorecard.json", in A. */
char *odp_score_path(const char *slug, struct odp_arena *a) ODP_MUST_USE;
enum odp_status odp_score_put(struct odp_stage *stage, const struct odp_score *s) ODP_MUST_USE;
