/* Interoperabilitas: open formats, schema, API, keys, and the same meaning under the same name in all datasets (article 6). */
#include "site/score/score_internal.h"

/* A table without shapes has no GeoJSON, whatever the dataset's entry lists. */
static bool is_open(const struct odp_resource *r)
{
    const struct odp_strings *formats = &r->dataset->formats;
    bool open = false;
    for (size_t i = 0; i < formats->n; i++)
        open = open || (odp_format_is_readable(formats->item[i]) && (r->geometry.present || !odp_format_needs_geometry(formats->item[i])));
    return open;
}

static bool all_are_open(const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (!is_open(&d->resources[i]))
            return false;
    return true;
}

static bool any_geometry(const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resources[i].geometry.present)
            return true;
    return false;
}

/* A key of fields that are published. */
static bool has_key(const struct odp_resource *r)
{
    for (uint32_t i = 0; i < r->schema.primary.n; i++)
        if (!r->schema.fields[r->schema.primary.fields[i]].is_public)
            return false;
    return r->schema.primary.n > 0;
}

static const char *table_without_key(const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (!has_key(&d->resources[i]))
            return d->resources[i].name;
    return NULL;
}

/* ---- the same name, the same meaning --------------------------------------------------------------------------------------------- */

static bool same_text(const struct odp_text *a, const struct odp_text *b)
{
    return strcmp(odp_text_get(a, ODP_LANG_ID), odp_text_get(b, ODP_LANG_ID)) == 0;
}

/* The slug of another dataset whose field of F's name is of another type or has another unit; NULL: none. */
static const char *other_meaning(const struct scoring *s, const struct odp_field *f)
{
    for (size_t i = 0; i < s->catalog->ndatasets; i++) {
        const struct odp_dataset *d = &s->catalog->datasets[i];
        if (d == s->dataset || d->state == ODP_STATE_DRAFT || d->state == ODP_STATE_WITHDRAWN)
            continue;
        for (size_t k = 0; k < d->nresources; k++) {
            int at = odp_schema_find(&d->resources[k].schema, odp_slice_of(f->name));
            const struct odp_field *other = at >= 0 ? &d->resources[k].schema.fields[at] : NULL;
            if (other != NULL && other->is_public && (other->type != f->type || !same_text(&other->unit, &f->unit)))
                return d->slug;
        }
    }
    return NULL;
}

static void check_meanings(struct scoring *s)
{
    const struct odp_dataset *d = s->dataset;
    const char *other = NULL;
    score_forget(s);
    for (size_t i = 0; i < d->nresources; i++)
        for (uint32_t k = 0; k < d->resources[i].schema.n; k++) {
            const struct odp_field *f = &d->resources[i].schema.fields[k];
            const char *slug = f->is_public ? other_meaning(s, f) : NULL;
            if (slug == NULL)
                continue;
            other = other != NULL ? other : slug;
            score_name(s, &d->resources[i], f);
        }
    struct odp_text label = {{"Nama kolom bermakna sama di semua dataset (jenis dan satuan)", "A column's name means the same in all datasets (type and unit)"}};
    struct odp_text before = {{"berbeda: ", "different: "}};
    struct odp_text behind = score_text(s, " (bandingkan dengan {1}); samakan \"type\" dan \"sdi:satuan\", atau ganti namanya",
                                        " (compare {1}); make \"type\" and \"sdi:satuan\" equal, or give it another name", other != NULL ? other : "");
    score_check(s, "meaning", label, s->missing.n == 0, score_list(s, before, behind));
}

void score_interoperability(struct scoring *s, struct odp_score *score)
{
    const struct odp_dataset *d = s->dataset;
    const struct odp_text none = {{NULL}};
    const char *keyless = table_without_key(d);
    score_begin(s, score, ODP_PRINCIPLE_INTEROPERABILITY, "interoperability", (struct odp_text){{"Interoperabilitas", "Interoperability"}}, 7);
    score_check(s, "formats", (struct odp_text){{"Format terbuka yang terbaca mesin (CSV, JSON, atau GeoJSON)", "An open, machine-readable format (CSV, JSON or GeoJSON)"}},
                all_are_open(d), (struct odp_text){{"tambahkan \"CSV\" atau \"JSON\" pada \"odp:formats\" dalam dataset.json", "add \"CSV\" or \"JSON\" to \"odp:formats\" in dataset.json"}});
    /* These a published dataset has whatever its entry says: they are counted so that the list is whole. */
    score_check(s, "schema", (struct odp_text){{"Skema kolom yang terbaca mesin", "A machine-readable schema"}}, true, none);
    score_check(s, "api", (struct odp_text){{"API", "API"}}, true, none);
    score_check(s, "key", (struct odp_text){{"Kunci yang mengenali tiap rekaman", "A key that identifies every record"}}, keyless == NULL,
                score_text(s, "tabel {1} belum: tambahkan \"primaryKey\" pada schema-nya dalam dataset.json", "table {1} has none: add \"primaryKey\" to its schema in dataset.json",
                           keyless != NULL ? keyless : ""));
    check_meanings(s);
    score_check(s, "dcat", (struct odp_text){{"Katalog DCAT", "DCAT catalogue"}}, true, none);
    if (any_geometry(d)) /* the API has features of every table with shapes */
        score_check(s, "shapes", (struct odp_text){{"Geometri sebagai GeoJSON atau OGC API", "Geometry as GeoJSON or OGC API"}}, true, none);
    score_end(s);
}
