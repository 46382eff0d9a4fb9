#include "base/limits.h"

#include <stdio.h>

const struct odp_limits odp_limits_usual = {
#define ODP_LIMIT(member, name, usual, least, most, id, en) .member = usual,
#include "base/limits.def"
#undef ODP_LIMIT
};

const struct odp_limit_row odp_limit_rows[ODP_LIMITS] = {
#define ODP_LIMIT(member, name, usual, least, most, id, en)                                                  \
    {name,                                                                                                   \
     offsetof(struct odp_limits, member),                                                                    \
     least,                                                                                                  \
     most,                                                                                                   \
     {{"melampaui batas " name ": " id, "beyond the limit " name ": " en}}},
#include "base/limits.def"
#undef ODP_LIMIT
};

void odp_limit_diag(struct odp_diag *d, const struct odp_limits *limits, size_t offset, uint64_t found,
                    struct odp_limit_text *text)
{
    const struct odp_limit_row *row = odp_limit_rows;
    while (row->offset != offset)
        row++;
    int64_t most = *(const int64_t *)(const void *)((const char *)limits + offset);
    d->code = ODP_F15;
    d->message = &row->message;
    d->args[0] = odp_slice_of(row->name);
    d->args[1] = (struct odp_slice){text->most,
                                    (size_t)snprintf(text->most, sizeof text->most, "%lld", (long long)most)};
    d->value = (struct odp_slice){
        text->found, (size_t)snprintf(text->found, sizeof text->found, "%llu", (unsigned long long)found)};
}
