/* One dcat:Dataset with its distributions and the addresses of its versions.
 *
 * accessURL is the stable address (latest/), downloadURL the version's, with its digest. At most 20
 * versions; versions.json has all. The period comes from odp:datetime, through the API's collection. */
#include "site/metadata/metadata_internal.h"

#include "base/format.h"

#define SET(o, key, value)     odp_doc_set(&m->doc, o, key, value)
#define SET_STR(o, key, value) odp_doc_set_str(&m->doc, o, key, value)

enum { VERSIONS_MAX = 20 }; /* of one dataset, the newest; all of them are in its versions.json */

static json_t *dated(const char *day)
{
    return json_pack("{s:s, s:s}", "@value", day, "@type", "xsd:date");
}

/* An address of somebody's vocabulary, entered there with its class. */
static json_t *term(struct metadata *m, json_t *vocabulary, const char *iri, const char *cls)
{
    SET_STR(vocabulary, iri, cls);
    return metadata_reference(iri);
}

/* ---- distributions ------------------------------------------------------------------------------------------------------------- */

static json_t *make_checksum(struct metadata *m, const char *hash, json_t *vocabulary)
{
    json_t *o = json_object();
    SET_STR(o, "@type", "spdx:Checksum");
    SET(o, "spdx:algorithm", term(m, vocabulary, "http://spdx.org/rdf/terms#checksumAlgorithm_sha256", "spdx:ChecksumAlgorithm"));
    SET(o, "spdx:checksumValue", json_pack("{s:s, s:s}", "@value", hash, "@type", "xsd:hexBinary"));
    return o;
}

/* The address of the current version under its stable name, where it has one. */
static const char *stable_path(struct metadata *m, const json_t *entry, const char *path)
{
    const char *name = strrchr(path, '/');
    const char *latest = name != NULL ? metadata_printf(m, "data/%s/latest%s", metadata_text(entry, "slug"), name) : path;
    return odp_stage_find(m->job->stage, latest) != NULL ? latest : path;
}

/* By its address, else as it is; harvesters look for it by the title, too. */
static json_t *make_license(struct metadata *m, const json_t *entry, json_t *vocabulary)
{
    const char *path = metadata_text(json_object_get(entry, "license"), "path");
    const struct odp_text title = {{metadata_license(m, entry, ODP_LANG_ID), metadata_license(m, entry, ODP_LANG_EN)}};
    json_t *o = metadata_license_document(m, path, &title);
    if (*path == '\0')
        return o;
    SET(vocabulary, path, o);
    return metadata_reference(path);
}

static json_t *make_distribution(struct metadata *m, const json_t *entry, const json_t *resource, const json_t *file, json_t *vocabulary)
{
    const struct odp_format_file *f = odp_format_file_find(odp_slice_of(metadata_text(file, "name")));
    const char *path = metadata_path(metadata_text(file, "url")), *hash = metadata_text(file, "hash"), *stable = stable_path(m, entry, path);
    const char *schema = metadata_url(m, metadata_path(metadata_text(resource, "schema"))),
               *day = metadata_day(m, metadata_text(entry, "last_update"));
    const bool going = strcmp(metadata_text(entry, "state"), "deprecated") == 0;
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_printf(m, "%s%s#distribusi", m->base, stable));
    SET_STR(o, "@type", "dcat:Distribution");
    if (f != NULL) {
        const struct odp_text own = metadata_both(resource, "title");
        struct odp_text title;
        for (int k = 0; k < ODP_LANGS; k++)
            title.in[k] = metadata_printf(m, "%s (%s)", odp_text_is_empty(&own) ? metadata_text(resource, "name") : odp_text_get(&own, (enum odp_lang)k),
                                          odp_text_get(&f->label, (enum odp_lang)k));
        SET(o, "dct:title", metadata_languages(m, &title));
        SET(o, "dct:description", metadata_languages(m, &f->use));
        SET(o, "dct:format", term(m, vocabulary, metadata_printf(m, METADATA_EU "file-type/%s", f->file_type), "dct:MediaTypeOrExtent"));
        SET(o, "dcat:mediaType",
            term(m, vocabulary, metadata_printf(m, "http://www.iana.org/assignments/media-types/%.*s", (int)strcspn(f->media_type, "; "), f->media_type), "dct:MediaType"));
    }
    SET(o, "dcat:accessURL", metadata_reference(metadata_url(m, stable)));
    SET(o, "dcat:downloadURL", metadata_reference(metadata_url(m, path)));
    SET(o, "dcat:byteSize",
        json_pack("{s:o, s:s}", "@value", json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(file, "bytes"))), "@type",
                  "xsd:nonNegativeInteger"));
    if (strncmp(hash, "sha256:", 7) == 0)
        SET(o, "spdx:checksum", make_checksum(m, hash + 7, vocabulary));
    if (*metadata_license(m, entry, ODP_LANG_ID) != '\0')
        SET(o, "dct:license", make_license(m, entry, vocabulary));
    SET(o, "dct:language", json_pack("[{s:s}]", "@id", METADATA_EU "language/IND"));
    if (*day != '\0')
        SET(o, "dct:modified", dated(day));
    SET(o, "dct:conformsTo", term(m, vocabulary, schema, "dct:Standard"));
    SET(o, "dcatap:availability", term(m, vocabulary, METADATA_EU "planned-availability/STABLE", "skos:Concept"));
    SET(o, "adms:status",
        term(m, vocabulary, going ? METADATA_EU "distribution-status/DEPRECATED" : METADATA_EU "distribution-status/COMPLETED", "skos:Concept"));
    return o;
}

static json_t *list_distributions(struct metadata *m, const json_t *entry, json_t *vocabulary)
{
    const json_t *resources = json_object_get(entry, "resources");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *resource = json_array_get(resources, i), *files = json_object_get(resource, "files");
        for (size_t k = 0; k < json_array_size(files); k++)
            odp_doc_add(&m->doc, list, make_distribution(m, entry, resource, json_array_get(files, k), vocabulary));
    }
    return list;
}

/* ---- versions ------------------------------------------------------------------------------------------------------------------- */

/* What a version changed: the reason of a correction, and how many records. */
static struct odp_text notes_of(struct metadata *m, const json_t *version)
{
    const struct odp_text reason = metadata_both(version, "correction"), changes = odp_metadata_changes(version, &m->arena);
    struct odp_text notes = reason;
    m->doc.failed = m->doc.failed || changes.in[ODP_LANG_ID] == NULL || changes.in[ODP_LANG_EN] == NULL;
    for (int k = 0; k < ODP_LANGS && !odp_text_is_empty(&changes); k++)
        notes.in[k] = metadata_printf(m, "%s%s%s", odp_text_get(&reason, (enum odp_lang)k), odp_text_is_empty(&reason) ? "" : " ", changes.in[k]);
    return notes;
}

/* The newest versions that are published, as addresses only: what is typed as a Dataset, harvesters take for one of the catalogue's
 * own, and what DCAT-AP calls dcat:hasVersion has to be so typed. Their titles and dates are in versions.json. O gets them, what the
 * newest changed, and when the dataset was first issued. */
static void set_versions(struct metadata *m, json_t *o, const json_t *entry)
{
    json_t *document, *list = json_array();
    const char *slug = metadata_text(entry, "slug");
    if (metadata_read(m, metadata_printf(m, "data/%s/versions.json", slug), &document) != ODP_OK)
        m->doc.failed = true;
    const json_t *versions = json_object_get(document, "data");
    const size_t n = json_array_size(versions);
    for (size_t i = 0; i < n && json_array_size(list) < VERSIONS_MAX; i++) {
        const json_t *version = json_array_get(versions, i);
        const char *name = metadata_text(version, "version");
        if (strcmp(metadata_text(version, "state"), "published") != 0)
            continue;
        const struct odp_text notes = notes_of(m, version);
        if (json_array_size(list) == 0 && !odp_text_is_empty(&notes))
            SET(o, "adms:versionNotes", metadata_languages(m, &notes));
        odp_doc_add(&m->doc, list, metadata_reference(metadata_printf(m, "%sdata/%s/%s/", m->base, slug, name)));
    }
    const char *first = n > 0 ? metadata_day(m, metadata_text(json_array_get(versions, n - 1), "date")) : "";
    if (*first != '\0')
        SET(o, "dct:issued", dated(first));
    SET(o, "dct:hasVersion", list);
    json_decref(document);
}

/* ---- what describes the dataset --------------------------------------------------------------------------------------------------- */

static json_t *list_keywords(struct metadata *m, const json_t *entry)
{
    static const char *const tags[] = {"id", "en"};
    const json_t *ours = json_object_get(entry, "odp:keywords"), *plain = json_object_get(entry, "keywords");
    json_t *list = json_array();
    for (size_t k = 0; k < 2; k++) {
        const json_t *words = json_object_get(ours, tags[k]);
        words = words == NULL && k == 0 ? plain : words;
        for (size_t i = 0; i < json_array_size(words); i++)
            if (json_is_string(json_array_get(words, i)))
                odp_doc_add(&m->doc, list, json_pack("{s:s, s:s}", "@value", json_string_value(json_array_get(words, i)), "@language", tags[k]));
    }
    return list;
}

static json_t *make_extent(struct metadata *m, const json_t *entry)
{
    const json_t *box = json_object_get(entry, "bbox");
    double b[4];
    for (size_t i = 0; i < 4; i++)
        b[i] = json_number_value(json_array_get(box, i));
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_printf(m, "%sdata/%s/#wilayah", m->base, metadata_text(entry, "slug")));
    SET_STR(o, "@type", "dct:Location");
    SET(o, "dcat:bbox",
        json_pack("{s:s, s:s}", "@value",
                  metadata_printf(m, "POLYGON((%.10g %.10g,%.10g %.10g,%.10g %.10g,%.10g %.10g,%.10g %.10g))", b[0], b[1], b[2], b[1], b[2],
                                  b[3], b[0], b[3], b[0], b[1]),
                  "@type", "gsp:wktLiteral"));
    return o;
}

static void set_coverage(struct metadata *m, json_t *o, const json_t *entry)
{
    const char *interval[2];
    json_t *places = json_array();
    odp_doc_add(&m->doc, places, metadata_reference(METADATA_EU "country/IDN"));
    if (json_array_size(json_object_get(entry, "bbox")) == 4)
        odp_doc_add(&m->doc, places, make_extent(m, entry));
    SET(o, "dct:spatial", places);
    if (metadata_interval(m, entry, interval) != ODP_OK)
        m->doc.failed = true;
    if (*interval[0] == '\0' && *interval[1] == '\0')
        return;
    json_t *period = json_object();
    SET_STR(period, "@type", "dct:PeriodOfTime");
    if (*interval[0] != '\0')
        SET(period, "dcat:startDate", dated(interval[0]));
    if (*interval[1] != '\0')
        SET(period, "dcat:endDate", dated(interval[1]));
    SET(o, "dct:temporal", period);
}

static void set_subjects(struct metadata *m, json_t *o, const json_t *entry, json_t *vocabulary)
{
    json_t *themes = json_array();
    for (size_t i = 0; i < json_array_size(json_object_get(entry, "subjects")); i++) {
        const char *theme = metadata_theme(m, metadata_subject(m, entry, i));
        if (theme != NULL)
            odp_doc_add(&m->doc, themes, term(m, vocabulary, theme, "skos:Concept"));
    }
    if (json_array_size(themes) > 0)
        SET(o, "dcat:theme", themes);
    else
        json_decref(themes);
}

static json_t *make_agent(struct metadata *m, const json_t *entry, const struct odp_text *name)
{
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_printf(m, "%sdata/%s/#produsen", m->base, metadata_text(entry, "slug")));
    SET_STR(o, "@type", "foaf:Agent");
    SET(o, "foaf:name", metadata_languages(m, name));
    return o;
}

/* Where the data come from: the sources that the dataset names. */
static void set_provenance(struct metadata *m, json_t *o, const json_t *entry)
{
    const json_t *sources = json_object_get(entry, "sources");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(sources); i++) {
        const char *title = metadata_text(json_array_get(sources, i), "title");
        if (*title != '\0')
            odp_doc_add(&m->doc, list,
                        json_pack("{s:s, s:{s:s, s:s}}", "@type", "dct:ProvenanceStatement", "rdfs:label", "@value", title, "@language", "id"));
    }
    if (json_array_size(list) > 0)
        SET(o, "dct:provenance", list);
    else
        json_decref(list);
}

static void set_links(struct metadata *m, json_t *o, const json_t *entry, json_t *vocabulary)
{
    const char *slug = metadata_text(entry, "slug"), *frequency = metadata_text(entry, "frequency");
    const json_t *resources = json_object_get(entry, "resources");
    json_t *schemas = json_array();
    SET(o, "dcat:landingPage",
        json_pack("[{s:s, s:s}, {s:s, s:s}]", "@id", metadata_printf(m, "%s" METADATA_PAGE_ID, m->base, slug), "@type", "foaf:Document", "@id",
                  metadata_printf(m, "%s" METADATA_PAGE_EN, m->base, slug), "@type", "foaf:Document"));
    SET(o, "dct:language", json_pack("[{s:s}]", "@id", METADATA_EU "language/IND"));
    SET(o, "dct:accessRights", term(m, vocabulary, METADATA_EU "access-right/PUBLIC", "dct:RightsStatement"));
    if (*frequency != '\0')
        SET(o, "dct:accrualPeriodicity", term(m, vocabulary, metadata_printf(m, METADATA_EU "frequency/%s", frequency), "dct:Frequency"));
    for (size_t i = 0; i < json_array_size(resources); i++)
        odp_doc_add(&m->doc, schemas,
                    term(m, vocabulary, metadata_url(m, metadata_path(metadata_text(json_array_get(resources, i), "schema"))), "dct:Standard"));
    SET(o, "dct:conformsTo", schemas);
}

json_t *metadata_dcat_dataset(struct metadata *m, const json_t *entry, json_t *vocabulary)
{
    const char *slug = metadata_text(entry, "slug"), *day = metadata_day(m, metadata_text(entry, "last_update"));
    const struct odp_text title = metadata_both(entry, "title"), description = metadata_both(entry, "description"),
                          producer = metadata_both(entry, "producer");
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_printf(m, "%sdata/%s/", m->base, slug));
    SET_STR(o, "@type", "dcat:Dataset");
    SET(o, "dct:title", metadata_languages(m, &title));
    SET(o, "dct:description", metadata_languages(m, odp_text_is_empty(&description) ? &title : &description));
    SET_STR(o, "dct:identifier", slug);
    SET(o, "dct:publisher", metadata_reference(metadata_url(m, "#penerbit")));
    if (!odp_text_is_empty(&producer))
        SET(o, "dct:creator", make_agent(m, entry, &producer));
    SET(o, "dcat:contactPoint", metadata_reference(metadata_url(m, "#kontak")));
    SET(o, "dcat:keyword", list_keywords(m, entry));
    set_subjects(m, o, entry, vocabulary);
    set_coverage(m, o, entry);
    if (*day != '\0')
        SET(o, "dct:modified", dated(day));
    if (*metadata_text(entry, "version") != '\0') /* none: the newest was withdrawn, and no other has taken its place */
        SET_STR(o, "dcat:version", metadata_text(entry, "version"));
    set_provenance(m, o, entry);
    set_links(m, o, entry, vocabulary);
    set_versions(m, o, entry);
    SET(o, "dcat:distribution", list_distributions(m, entry, vocabulary));
    return o;
}
