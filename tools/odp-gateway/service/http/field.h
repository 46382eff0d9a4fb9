/* Members that a body may have. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"

/* Text is trimmed; empty optional text, null and absent are the same. */
enum odp_field_kind { ODP_FIELD_TEXT, ODP_FIELD_EMAIL, ODP_FIELD_NUMBER, ODP_FIELD_TOKEN, ODP_FIELD_BOOL };
struct odp_member {
    const char *name;
    enum odp_field_kind kind;
    bool required;
    int64_t max; /* characters; of a number its largest value (its least is 0) */
};
struct odp_member_value {
    struct odp_slice text; /* "" when absent */
    int64_t number;        /* -1 when absent; of a bool 0 or 1 */
};
