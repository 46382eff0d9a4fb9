/* Standar data (article 4): concept, definition, classification, measure and unit, of every published field
 * for which they make sense. Metadata (article 5): what describes the dataset: who, when, where, under which
 * licence, and its fields in words. */
#include "metadata/metadata.h"
#include "site/score/score_internal.h"

/* ---- standard ---- */

enum need { EVERY, MEASURED, CLASSED };

static const struct {
    const char *id, *member;
    enum need need;
    struct odp_text label;
} elements[] = {{"concept", "sdi:konsep", EVERY, {{W_score_concept}}},
                {"definition", "sdi:definisi", EVERY, {{W_score_definition}}},
                {"classification", "sdi:klasifikasi", CLASSED, {{W_score_classification}}},
                {"measure", "sdi:ukuran", MEASURED, {{W_score_measure}}},
                {"unit", "sdi:satuan", MEASURED, {{W_score_unit}}}};

static bool is_needed(enum need need, const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    if (!f->is_public || need == EVERY)
        return f->is_public;
    return need == MEASURED ? odp_type_is_number(f->type)
                            : f->ncategories > 0 || score_foreign(r, field, true) != NULL;
}

void score_standard(struct scoring *s, struct odp_score *score)
{
    enum { N = ODP_COUNT(elements) };
    score_begin(s, score, ODP_PRINCIPLE_STANDARD, SCORE_TEXT(W_score_standard), N);
    for (size_t e = 0; e < N; e++) {
        uint64_t need = 0;
        for (size_t i = 0; i < s->dataset->nresources; i++) {
            const struct odp_resource *r = &s->dataset->resources[i];
            for (uint32_t k = 0; k < r->schema.n; k++) {
                if (!is_needed(elements[e].need, r, k))
                    continue;
                need++;
                bool there = score_has_text(r->schema.fields[k].json, elements[e].member);
                /* A code list is a classification by itself. */
                if (!there && (elements[e].need != CLASSED || score_foreign(r, k, true) == NULL))
                    score_miss(s, r, &r->schema.fields[k]);
            }
        }
        struct odp_text behind =
            score_text(s, SCORE_TEXT(W_score_add_to_field), SCORE_TEXT(elements[e].member));
        score_item(s, elements[e].id, elements[e].label, (const uint64_t[]){need - s->nmissing, need},
                   score_list(s, SCORE_TEXT(W_score_missing), behind));
    }
    score_end(s);
}

/* ---- metadata ---- */

/* What the dataset lacks of what the form of metadata asks for; its fields are noted as missing. */
struct lacking {
    struct scoring *s;
    const struct odp_field *last;
    bool title, frequency;
};

static void take_gap(void *ctx, const char *member, const struct odp_resource *r, const struct odp_field *f)
{
    struct lacking *l = ctx;
    l->title =
        l->title || (f == NULL && (strcmp(member, "title") == 0 || strcmp(member, "description") == 0));
    l->frequency = l->frequency || strcmp(member, "frequency") == 0;
    if (f != NULL && f != l->last && (strcmp(member, "title") == 0 || strcmp(member, "description") == 0))
        score_miss(l->s, r, l->last = f);
}

static bool has_email(const json_t *o)
{
    return strchr(odp_text_of(o, "email"), '@') != NULL;
}

/* Of the dataset, else of the portal. */
static bool has_contact(const struct scoring *s)
{
    const json_t *person, *role;
    bool any = has_email(json_object_get(s->dataset->json, "odp:contact")) ||
               has_email(json_object_get(s->catalog->portal.json, "contact"));
    size_t i, k;
    json_array_foreach(json_object_get(s->dataset->json, "contributors"), i, person)
        json_array_foreach(json_object_get(person, "roles"), k, role) any =
            any || (json_is_string(role) && strcmp(json_string_value(role), "contactPoint") == 0 &&
                    has_email(person));
    return any;
}

static bool has_license(const struct scoring *s)
{
    const json_t *own = json_array_get(json_object_get(s->dataset->json, "licenses"), 0);
    const struct odp_portal *p = &s->catalog->portal;
    if (own != NULL)
        return score_has_text(own, "name") || score_has_text(own, "path");
    return (p->license_name != NULL && *p->license_name != '\0') ||
           (p->license_path != NULL && *p->license_path != '\0');
}

static bool has_items(const json_t *o, const char *key)
{
    return json_array_size(json_object_get(o, key)) > 0;
}

/* Statistics are described by activity and indicators (MS-Keg, MS-Ind): who has one of them needs the other.
 */
static void check_statistics(struct scoring *s)
{
    bool activity = json_object_get(s->dataset->json, "sdi:kegiatan") != NULL,
         indicators = has_items(s->dataset->json, "sdi:indikator");
    if (activity || indicators)
        score_check(
            s, "statistics", SCORE_TEXT(W_score_statistics), activity && indicators,
            score_text(s, SCORE_TEXT(W_score_add), SCORE_TEXT(activity ? "sdi:indikator" : "sdi:kegiatan")));
}

void score_metadata(struct scoring *s, struct odp_score *score)
{
    const struct odp_dataset *d = s->dataset;
    const bool geometry = score_has_geometry(d);
    struct lacking lacking = {.s = s};
    odp_metadata_each_gap(s->catalog, d, take_gap, &lacking);
    const size_t nfields = s->nmissing;
    const struct {
        const char *id;
        struct odp_text label;
        bool there;
        const char *member; /* to add; or how to mend it */
        struct odp_text how;
    } checks[] = {
        {"title", {{W_score_title}}, !lacking.title, NULL, {{W_score_title_add}}},
        {"producer",
         {{W_score_producer}},
         score_has_text(d->json, "sdi:produsenData"),
         "sdi:produsenData",
         {{NULL}}},
        {"walidata", {{W_score_walidata}}, score_has_text(d->json, "sdi:walidata"), "sdi:walidata", {{NULL}}},
        {"pembina", {{W_score_pembina}}, score_has_text(d->json, "sdi:pembina"), "sdi:pembina", {{NULL}}},
        {"sdsn", {{W_score_sdsn}}, score_has_text(d->json, "sdi:kodeSDSN"), "sdi:kodeSDSN", {{NULL}}},
        {"updated",
         {{W_score_updated}},
         d->last_update != NULL || d->last_update_field >= 0,
         "odp:lastUpdate",
         {{NULL}}},
        {"frequency", {{W_score_frequency}}, !lacking.frequency, "odp:frequency", {{NULL}}},
        {"license", {{W_score_license}}, has_license(s), NULL, {{W_score_license_add}}},
        {"keywords", {{W_score_keywords}}, has_items(d->json, "keywords"), "keywords", {{NULL}}},
        {"contact", {{W_score_contact}}, has_contact(s), NULL, {{W_score_contact_add}}},
        {"source", {{W_score_source}}, has_items(d->json, "sources"), "sources", {{NULL}}},
        {"spatial",
         {{W_score_spatial}},
         json_object_get(d->json, "odp:spatial") != NULL || geometry,
         "odp:spatial",
         {{NULL}}},
        {"temporal",
         {{W_score_temporal}},
         json_object_get(d->json, "odp:temporal") != NULL,
         "odp:temporal",
         {{NULL}}},
    };
    enum { N = ODP_COUNT(checks) };
    score_begin(s, score, ODP_PRINCIPLE_METADATA, SCORE_TEXT(W_score_metadata), N + 3);
    for (size_t i = 0; i < N; i++)
        score_check(s, checks[i].id, checks[i].label, checks[i].there,
                    checks[i].member != NULL
                        ? score_text(s, SCORE_TEXT(W_score_add), SCORE_TEXT(checks[i].member))
                        : checks[i].how);
    s->nmissing = nfields;
    score_check(s, "fields", SCORE_TEXT(W_score_fields), nfields == 0,
                score_list(s, SCORE_TEXT(W_score_missing), SCORE_TEXT(W_score_fields_add)));
    check_statistics(s);
    if (geometry) /* the site has it of every dataset that has shapes */
        score_check(s, "iso19139", SCORE_TEXT(W_score_iso19139), true, (struct odp_text){{NULL}});
    score_end(s);
}
