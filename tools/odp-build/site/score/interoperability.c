/* Interoperabilitas: open formats, schema, API, keys, and the same meaning under the same name in all
 * datasets (article 6). */
#include "site/score/score_internal.h"

/* A table without shapes has no GeoJSON, whatever the dataset's entry lists. */
static bool is_open(const struct odp_resource *r)
{
    const struct odp_strings *formats = &r->dataset->formats;
    bool open = false;
    for (size_t i = 0; i < formats->n; i++)
        open = open || (odp_format_is_readable(formats->item[i]) &&
                        (r->geometry.present || !odp_format_needs_geometry(formats->item[i])));
    return open;
}

/* A key of fields that are published. */
static bool has_key(const struct odp_resource *r)
{
    for (uint32_t i = 0; i < r->schema.primary.n; i++)
        if (!r->schema.fields[r->schema.primary.fields[i]].is_public)
            return false;
    return r->schema.primary.n > 0;
}

static void check_meanings(struct scoring *s)
{
    const struct odp_dataset *d = s->dataset;
    const char *other = NULL;
    for (size_t i = 0; i < d->nresources; i++)
        for (uint32_t k = 0; k < d->resources[i].schema.n; k++) {
            const struct odp_field *f = &d->resources[i].schema.fields[k];
            const struct odp_dataset *one = f->is_public ? odp_catalog_other_meaning(s->catalog, d, f) : NULL;
            if (one == NULL)
                continue;
            other = other != NULL ? other : one->slug;
            score_miss(s, &d->resources[i], f);
        }
    score_check(s, "meaning", SCORE_TEXT(W_score_meaning), s->nmissing == 0,
                score_list(s, SCORE_TEXT(W_score_different),
                           score_text(s, SCORE_TEXT(W_score_compare), SCORE_TEXT(other))));
}

void score_interoperability(struct scoring *s, struct odp_score *score)
{
    const struct odp_dataset *d = s->dataset;
    const struct odp_text none = {{NULL}};
    const char *keyless = NULL;
    bool open = true;
    for (size_t i = d->nresources; i-- > 0;) {
        open = open && is_open(&d->resources[i]);
        keyless = has_key(&d->resources[i]) ? keyless : d->resources[i].name;
    }
    score_begin(s, score, ODP_PRINCIPLE_INTEROPERABILITY, SCORE_TEXT(W_score_interoperability), 7);
    score_check(s, "formats", SCORE_TEXT(W_score_formats), open, SCORE_TEXT(W_score_formats_add));
    /* These a published dataset has whatever its entry says: they are counted so that the list is whole. */
    score_check(s, "schema", SCORE_TEXT(W_score_schema), true, none);
    score_check(s, "api", SCORE_TEXT(W_score_api), true, none);
    score_check(s, "key", SCORE_TEXT(W_score_key), keyless == NULL,
                score_text(s, SCORE_TEXT(W_score_key_add), SCORE_TEXT(keyless)));
    check_meanings(s);
    score_check(s, "dcat", SCORE_TEXT(W_score_dcat), true, none);
    if (score_has_geometry(d)) /* the API has features of every table with shapes */
        score_check(s, "shapes", SCORE_TEXT(W_score_shapes), true, none);
    score_end(s);
}
