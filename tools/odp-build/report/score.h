/* The scorecard of Satu Data Indonesia (Peraturan Presiden 39/2019, articles 3 to 10): four principles, each
 * the share of its requirements that is met, with what is missing. Nothing is weighted or rounded up, so a
 * reader can count again. One computation (site/score) serves `show`, reports, the portal's page and the
 * JSON in the site. The types need only base, so reports can show them. */
#pragma once

#include "base/diag.h"

enum odp_principle {
    ODP_PRINCIPLE_STANDARD,
    ODP_PRINCIPLE_METADATA,
    ODP_PRINCIPLE_INTEROPERABILITY,
    ODP_PRINCIPLE_CODES,
    ODP_PRINCIPLES
};

struct odp_score_item {
    const char *id;        /* "definition": stable, for programs */
    struct odp_text label; /* "definisi bidang" */
    struct odp_text
        note; /* what is missing and where it is written; of a met item what it refers to, or empty */
    uint64_t have, need; /* met if they are equal */
};
struct odp_score_principle {
    const char *id;        /* "standard", "metadata", "interoperability", "codes" */
    struct odp_text title; /* "Standar data" */
    uint64_t have, need;   /* of all its items; need == 0: it does not apply */
    const struct odp_score_item *items;
    size_t n;
};
struct odp_score {
    const char *slug;
    struct odp_score_principle principle[ODP_PRINCIPLES];
};

/* Per cent, rounded down; -1 if it does not apply. */
static inline int odp_score_percent(const struct odp_score_principle *p)
{
    return p->need == 0 ? -1 : (int)(100 * p->have / p->need);
}

/* The mean of the principles that apply, rounded down; -1: none does. */
static inline int odp_score_total(const struct odp_score *s)
{
    int sum = 0, n = 0;
    for (int i = 0; i < ODP_PRINCIPLES; i++)
        if (s->principle[i].need > 0)
            sum += odp_score_percent(&s->principle[i]), n++;
    return n > 0 ? sum / n : -1;
}
