/* From lines of paths to few rules.
 *
 * The lines are sorted by bytes, so all paths with a common beginning are next to each other. A run of lines
 * with equal values is one rule if the beginning they share is shared by no neighbour outside of the run;
 * else the run is divided by the next byte, and each part asked again. So every rule covers exactly its part,
 * and no two rules meet.
 *
 * No path may meet two rules, because Netlify and Cloudflare join the values of two. */
#include "publish/header_rules.h"

struct making {
    const struct header_line *lines;
    size_t n;
    struct header_rule *rules;
    size_t nrules;
    struct odp_arena *a;
};

static size_t common(struct odp_slice a, struct odp_slice b)
{
    size_t i = 0;
    while (i < a.len && i < b.len && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

static void add_rule(struct making *m, struct header_rule rule)
{
    m->rules = odp_arena_more(m->a, m->rules, m->nrules, sizeof *m->rules);
    m->rules[m->nrules++] = rule;
}

/* Whether line I, outside of the run, begins with PREFIX. */
static bool begins(const struct making *m, size_t i, struct odp_slice prefix)
{
    return i < m->n && common(m->lines[i].path, prefix) == prefix.len;
}

/* Lines FIRST to LAST - 1, all of one value. Depth is that of the common beginnings: bounded by the length of
 * a path. */
static void cover(struct making *m, size_t first, size_t last)
{
    const struct header_line *lines = m->lines;
    struct odp_slice prefix = lines[first].path;
    bool one = last - first == 1;
    prefix.len = common(prefix, lines[last - 1].path);
    if (one || (prefix.len > 0 && !(first > 0 && begins(m, first - 1, prefix)) && !begins(m, last, prefix))) {
        add_rule(m, (struct header_rule){prefix, !one, lines[first].value});
        return;
    }
    for (size_t i = first; i < last;) {
        size_t k = i + 1;
        /* The path that is the common beginning itself comes first, alone. */
        if (lines[i].path.len > prefix.len)
            while (k < last && lines[k].path.ptr[prefix.len] == lines[i].path.ptr[prefix.len])
                k++;
        cover(m, i, k);
        i = k;
    }
}

struct header_rule *header_rules(const struct header_line *lines, size_t n, size_t *nrules,
                                 struct odp_arena *a)
{
    struct making m = {.lines = lines, .n = n, .a = a};
    for (size_t i = 0; i < n;) {
        size_t k = i + 1;
        while (k < n && strcmp(lines[k].value, lines[i].value) == 0)
            k++;
        if (lines[i].value[0] != '\0')
            cover(&m, i, k);
        i = k;
    }
    *nrules = m.nrules;
    return m.rules;
}
