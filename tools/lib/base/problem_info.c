#include "base/problem_info.h"

static const struct odp_problem_info infos[ODP_PROBLEM_COUNT] = {
#define ODP_PROBLEM(symbol, code_, status_)                                                                  \
    [ODP_PROBLEM_##symbol].code = code_, [ODP_PROBLEM_##symbol].status = status_,
#include "contract/problems.def"
#undef ODP_PROBLEM
#define WORDS(symbol, ...) [ODP_PROBLEM_##symbol].words = {__VA_ARGS__},
#include "words/problems.h"
#undef WORDS
};

#define WORDS(...) +1
_Static_assert(0
#include "words/problems.h"
                   == (int)ODP_PROBLEM_COUNT,
               "every code of contract/problems.def has its words in templates/words/problems.json");
#undef WORDS

const struct odp_problem_info *odp_problem_info(enum odp_problem p)
{
    return &infos[(unsigned)p < ODP_PROBLEM_COUNT ? p : ODP_PROBLEM_INTERNAL];
}
