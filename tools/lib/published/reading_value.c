/* How values and columns look as they are written. */
#include "published/reading_internal.h"

#include "base/json.h"

const char *odp_value_number_end(const char *p, const char *end)
{
    const char *start, *q = p;
    q += q < end && *q == '-';
    for (start = q; q < end && *q >= '0' && *q <= '9';)
        q++;
    if (q == start || (*start == '0' && q - start > 1))
        return NULL;
    if (q < end && *q == '.') {
        for (start = ++q; q < end && *q >= '0' && *q <= '9';)
            q++;
        if (q == start)
            return NULL;
    }
    if (q < end && (*q == 'e' || *q == 'E')) {
        q++;
        q += q < end && (*q == '+' || *q == '-');
        for (start = q; q < end && *q >= '0' && *q <= '9';)
            q++;
        if (q == start)
            return NULL;
    }
    return q;
}

bool odp_value_is(enum odp_value_kind kind, struct odp_slice s)
{
    char first;
    switch (kind) {
    case ODP_VALUE_TEXT:
        return true;
    case ODP_VALUE_NUMBER:
        return odp_value_number_end(s.ptr, s.ptr + s.len) == s.ptr + s.len;
    case ODP_VALUE_TRUTH:
        return odp_slice_is(s, "true") || odp_slice_is(s, "false");
    case ODP_VALUE_JSON:
        return odp_json_valid(s, &first) && (first == '[' || first == '{');
    }
    return false;
}

const char *odp_reading_free_name(const struct odp_layout *l, const char *name, struct odp_arena *a)
{
    while (name != NULL && odp_layout_find(l, name) >= 0)
        name = odp_arena_printf(a, "geometry_%s", name);
    return name;
}
