/* A text on trial: would all rules of a column, and the code lists it refers to, accept it without a word? */
#pragma once

#include "check/check_internal.h"

/* What a worker keeps for its trials and proposals from one to the next. BEGIN: of another batch. */
enum odp_status odp_trials_new(struct odp_trials **out, uint32_t fields) ODP_MUST_USE;
void odp_trials_free(struct odp_trials *t);
void odp_trials_begin(struct odp_trials *t, uint64_t batch);

/* Would S be right in FIELD? *CANONICAL (or NULL) as typed; valid until the next trial. */
bool odp_accepts(struct odp_check *c, uint32_t field, struct odp_slice s, struct odp_slice *canonical);
