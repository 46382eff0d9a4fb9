/* Errors as the API says them: the list of problem documents, from contract/problems.def and
 * templates/words/problems.json. */
#pragma once

#include "base/text.h"

enum odp_problem {
#define ODP_PROBLEM(symbol, ...) ODP_PROBLEM_##symbol,
#include "contract/problems.def"
#undef ODP_PROBLEM
    ODP_PROBLEM_COUNT
};

struct odp_problem_info {
    const char *code; /* "key-missing" */
    int status;       /* 401 */
    struct odp_problem_words {
        struct odp_text title;  /* "Kunci API tidak disertakan" */
        struct odp_text detail; /* what to do; may be empty */
    } words;
};
const struct odp_problem_info *odp_problem_info(enum odp_problem p); /* INTERNAL for an unknown one */
