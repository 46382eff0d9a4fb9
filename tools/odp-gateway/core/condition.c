#include "core/condition.h"

/* Whether LIST ("*" or entity tags with commas) names ETAG. STRONG: a weak tag names nothing. What is no tag
 * is passed over. */
static bool names(struct odp_slice list, struct odp_slice etag, bool strong)
{
    const char *p = list.ptr, *end = list.ptr + list.len;
    struct odp_slice all = odp_slice_trim(list);
    if (odp_slice_is(all, "*"))
        return true;
    while (p < end) {
        if (*p == ' ' || *p == '\t' || *p == ',') {
            p++;
            continue;
        }
        bool weak = end - p > 2 && p[0] == 'W' && p[1] == '/';
        p += weak ? 2 : 0;
        const char *close = *p == '"' ? memchr(p + 1, '"', (size_t)(end - p - 1)) : NULL;
        if (close == NULL) { /* not a tag: on to the next comma */
            p = memchr(p, ',', (size_t)(end - p));
            if (p == NULL)
                return false;
            continue;
        }
        if (!(weak && strong) && odp_slice_eq((struct odp_slice){p, (size_t)(close + 1 - p)}, etag))
            return true;
        p = close + 1;
    }
    return false;
}

enum odp_condition odp_condition_check(struct odp_slice if_match, struct odp_slice if_none_match,
                                       struct odp_slice etag)
{
    if (if_match.ptr != NULL && !names(if_match, etag, true))
        return ODP_CONDITION_FAILED;
    if (if_none_match.ptr != NULL && names(if_none_match, etag, false))
        return ODP_CONDITION_NOT_MODIFIED;
    return ODP_CONDITION_SEND;
}

bool odp_condition_range(struct odp_slice if_range, struct odp_slice etag)
{
    return odp_slice_eq(odp_slice_trim(if_range), etag);
}
