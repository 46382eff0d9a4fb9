#include "catalog/field_type.h"

const struct odp_field_type odp_field_types[ODP_TYPE_COUNT] = {
#define ODP_FIELD_TYPE(id, ...) [ODP_TYPE_##id] = {__VA_ARGS__},
#include "contract/types.def"
#undef ODP_FIELD_TYPE
};

const char *odp_type_name(enum odp_type t)
{
    return t >= 0 && t < ODP_TYPE_COUNT ? odp_field_types[t].name : "";
}

enum odp_type odp_type_of(struct odp_slice name)
{
    int t = 0;
    while (t < ODP_TYPE_COUNT && !odp_slice_is(name, odp_field_types[t].name))
        t++;
    return (enum odp_type)t;
}
