/* From lines of paths to few rules.
 *
 * The lines are sorted by bytes, so all paths with a common beginning stand together. A run of lines with equal values is one
 * rule if the beginning they share is shared by no neighbour outside of the run; else the run is divided by the next byte, and
 * each part asked again. So every rule covers exactly its part, and no two rules meet.
 *
 * No path may meet two rules, because Netlify and Cloudflare join the values of two. */
#include <stdlib.h>

#include "publish/header_rules.h"

struct making {
    const struct header_line *lines;
    size_t n;
    struct header_rule *rules; /* heap */
    size_t nrules, cap;
};

static size_t common(struct odp_slice a, struct odp_slice b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

static enum odp_status add_rule(struct making *m, struct header_rule rule)
{
    if (m->nrules == m->cap) {
        size_t cap = m->cap != 0 ? 2 * m->cap : 64;
        struct header_rule *more = odp_realloc_array(m->rules, cap, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        m->rules = more;
        m->cap = cap;
    }
    m->rules[m->nrules++] = rule;
    return ODP_OK;
}

/* Whether line I, outside of the run, begins with PREFIX. */
static bool begins(const struct making *m, size_t i, struct odp_slice prefix)
{
    return i < m->n && common(m->lines[i].path, prefix) == prefix.len;
}

/* Lines FIRST to LAST - 1, all of one value. Depth is that of the common beginnings: bounded by the length of a path. */
static enum odp_status cover(struct making *m, size_t first, size_t last)
{
    const struct header_line *lines = m->lines;
    struct odp_slice prefix = lines[first].path;
    if (last - first == 1)
        return add_rule(m, (struct header_rule){prefix, false, lines[first].value});
    prefix.len = common(prefix, lines[last - 1].path);
    bool met = prefix.len == 0 || (first > 0 && begins(m, first - 1, prefix)) || begins(m, last, prefix);
    if (!met)
        return add_rule(m, (struct header_rule){prefix, true, lines[first].value});
    enum odp_status status = ODP_OK;
    for (size_t i = first; i < last && status == ODP_OK;) {
        size_t k = i + 1;
        /* The path that is the common beginning itself stands first and alone. */
        if (lines[i].path.len > prefix.len)
            while (k < last && lines[k].path.ptr[prefix.len] == lines[i].path.ptr[prefix.len])
                k++;
        status = cover(m, i, k);
        i = k;
    }
    return status;
}

enum odp_status header_rules(const struct header_line *lines, size_t n, struct header_rule **rules, size_t *nrules,
                             struct odp_arena *a)
{
    struct making m = {.lines = lines, .n = n};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK;) {
        size_t k = i + 1;
        while (k < n && strcmp(lines[k].value, lines[i].value) == 0)
            k++;
        if (lines[i].value[0] != '\0')
            status = cover(&m, i, k);
        i = k;
    }
    *rules = status == ODP_OK ? odp_arena_array(a, m.nrules + 1, sizeof **rules) : NULL;
    *nrules = m.nrules;
    if (*rules != NULL && m.nrules > 0)
        memcpy(*rules, m.rules, m.nrules * sizeof **rules);
    free(m.rules);
    return *rules != NULL ? ODP_OK : ODP_FAIL;
}
