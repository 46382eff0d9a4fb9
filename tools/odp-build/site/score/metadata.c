/* Metadata: what describes the dataset (article 5): who, when, where, under which licence, and its fields in words. */
#include "site/score/score_internal.h"

static bool in_both(const struct odp_text *t)
{
    return t->in[ODP_LANG_ID] != NULL && *t->in[ODP_LANG_ID] != '\0' && t->in[ODP_LANG_EN] != NULL && *t->in[ODP_LANG_EN] != '\0';
}

static bool has_email(const json_t *o)
{
    const char *email = json_string_value(json_object_get(o, "email"));
    return email != NULL && strchr(email, '@') != NULL;
}

/* Of the dataset, else of the portal. */
static bool has_contact(const struct scoring *s)
{
    const json_t *people = json_object_get(s->dataset->json, "contributors");
    bool any = has_email(json_object_get(s->dataset->json, "odp:contact")) || has_email(json_object_get(s->catalog->portal.json, "contact"));
    for (size_t i = 0; i < json_array_size(people); i++) {
        const json_t *roles = json_object_get(json_array_get(people, i), "roles");
        for (size_t k = 0; k < json_array_size(roles); k++) {
            const char *role = json_string_value(json_array_get(roles, k));
            any = any || (role != NULL && strcmp(role, "contactPoint") == 0 && has_email(json_array_get(people, i)));
        }
    }
    return any;
}

static bool any_geometry(const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->nresources; i++)
        if (d->resources[i].geometry.present)
            return true;
    return false;
}

static bool has_license(const struct scoring *s)
{
    const json_t *own = json_array_get(json_object_get(s->dataset->json, "licenses"), 0);
    const struct odp_portal *p = &s->catalog->portal;
    if (own != NULL)
        return score_has_text(own, "name") || score_has_text(own, "path");
    return (p->license_name != NULL && *p->license_name != '\0') || (p->license_path != NULL && *p->license_path != '\0');
}

static bool has_items(const json_t *o, const char *key)
{
    return json_array_size(json_object_get(o, key)) > 0;
}

static void check_fields(struct scoring *s)
{
    const struct odp_dataset *d = s->dataset;
    score_forget(s);
    for (size_t i = 0; i < d->nresources; i++)
        for (uint32_t k = 0; k < d->resources[i].schema.n; k++) {
            const struct odp_field *f = &d->resources[i].schema.fields[k];
            if (f->is_public && (odp_text_is_empty(&f->title) || odp_text_is_empty(&f->description)))
                score_name(s, &d->resources[i], f);
        }
    struct odp_text label = {{"Judul dan uraian semua kolom", "Title and description of all columns"}}, before = {{"belum: ", "missing: "}};
    struct odp_text behind = {{"; tambahkan \"title\" dan \"description\" pada bidang itu dalam dataset.json",
                               "; add \"title\" and \"description\" to the field in dataset.json"}};
    score_check(s, "fields", label, s->missing.n == 0, score_list(s, before, behind));
}

/* Statistics are described by activity and indicators (MS-Keg, MS-Ind): who has one of them needs the other. */
static void check_statistics(struct scoring *s)
{
    bool activity = json_object_get(s->dataset->json, "sdi:kegiatan") != NULL, indicators = has_items(s->dataset->json, "sdi:indikator");
    struct odp_text label = {{"Metadata kegiatan dan indikator statistik", "Metadata of the statistical activity and its indicators"}};
    struct odp_text missing = score_text(s, "tambahkan \"{1}\" dalam dataset.json", "add \"{1}\" to dataset.json", activity ? "sdi:indikator" : "sdi:kegiatan");
    if (activity || indicators)
        score_check(s, "statistics", label, activity && indicators, missing);
}

#define ADD(what) {{"tambahkan " what " dalam dataset.json", "add " what " to dataset.json"}}

void score_metadata(struct scoring *s, struct odp_score *score)
{
    const struct odp_dataset *d = s->dataset;
    const struct {
        const char *id;
        struct odp_text label;
        bool there;
        struct odp_text missing;
    } checks[] = {
        {"title", {{"Judul dan uraian dalam dua bahasa", "Title and description in both languages"}}, in_both(&d->title) && in_both(&d->description),
         {{"isi kedua bahasa \"odp:title\" dan \"odp:description\" dalam dataset.json", "give \"odp:title\" and \"odp:description\" in both languages in dataset.json"}}},
        {"producer", {{"Produsen data", "Data producer"}}, score_has_text(d->json, "sdi:produsenData"), ADD("\"sdi:produsenData\"")},
        {"walidata", {{"Walidata", "Data steward (walidata)"}}, score_has_text(d->json, "sdi:walidata"), ADD("\"sdi:walidata\"")},
        {"pembina", {{"Pembina data", "Data supervisor (pembina data)"}}, score_has_text(d->json, "sdi:pembina"), ADD("\"sdi:pembina\"")},
        {"sdsn", {{"Kode Standar Data Statistik Nasional", "Code of the National Statistical Data Standard"}}, score_has_text(d->json, "sdi:kodeSDSN"), ADD("\"sdi:kodeSDSN\"")},
        {"updated", {{"Tanggal pemutakhiran", "Date of last update"}}, d->last_update != NULL || d->last_update_field >= 0, ADD("\"odp:lastUpdate\"")},
        {"frequency", {{"Frekuensi pemutakhiran", "Update frequency"}}, d->frequency != NULL, ADD("\"odp:frequency\"")},
        {"license", {{"Lisensi", "Licence"}}, has_license(s),
         {{"tambahkan \"licenses\" dalam dataset.json, atau \"license\" dalam portal.json", "add \"licenses\" to dataset.json, or \"license\" to portal.json"}}},
        {"keywords", {{"Kata kunci", "Keywords"}}, has_items(d->json, "keywords"), ADD("\"keywords\"")},
        {"contact", {{"Kontak", "Contact"}}, has_contact(s),
         {{"tambahkan \"contributors\" dengan peran contactPoint dan email dalam dataset.json", "add \"contributors\" with the role contactPoint and an e-mail to dataset.json"}}},
        {"source", {{"Sumber", "Source"}}, has_items(d->json, "sources"), ADD("\"sources\"")},
        {"spatial", {{"Cakupan wilayah", "Spatial coverage"}}, json_object_get(d->json, "odp:spatial") != NULL || any_geometry(d), ADD("\"odp:spatial\"")},
        {"temporal", {{"Cakupan waktu", "Temporal coverage"}}, json_object_get(d->json, "odp:temporal") != NULL, ADD("\"odp:temporal\"")},
    };
    enum { N = sizeof checks / sizeof *checks };
    score_begin(s, score, ODP_PRINCIPLE_METADATA, "metadata", (struct odp_text){{"Metadata", "Metadata"}}, N + 3);
    for (size_t i = 0; i < N; i++)
        score_check(s, checks[i].id, checks[i].label, checks[i].there, checks[i].missing);
    check_fields(s);
    check_statistics(s);
    if (any_geometry(d)) /* the site has it of every dataset that has shapes */
        score_check(s, "iso19139", (struct odp_text){{"Metadata geospasial ISO 19139", "Geospatial metadata (ISO 19139)"}}, true, (struct odp_text){{NULL}});
    score_end(s);
}
