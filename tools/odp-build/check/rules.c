#include "check/check_internal.h"

#define ODP_RULE(name) extern const struct odp_rule_kind odp_rule_##name;
#include "check/rules.def"
#undef ODP_RULE

const struct odp_rule_kind *const odp_rules[ODP_RULES] = {
#define ODP_RULE(name) &odp_rule_##name,
#include "check/rules.def"
#undef ODP_RULE
};
