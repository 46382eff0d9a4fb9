/* dcat.jsonld: the catalogue by DCAT-AP 3.0.1, as JSON-LD with prefixes of its own. Identifiers (@id) are
 * addresses that stay: data/<slug>/ is a dataset, data/<slug>/<version>/ one of its versions (the feeds' ids,
 * too). Terms of other vocabularies are listed once, with their class, at the end: so validators that do not
 * fetch those vocabularies know that a frequency is a frequency.
 *
 * Service and endpoint are two things: v1/#layanan and v1/. Themes are the subjects' (portal.json). accessURL
 * is the stable address (latest/), downloadURL the version's, with its digest. Versions are addresses only,
 * because harvesters take everything typed as a Dataset for one of the catalogue's own; titles and dates are
 * in versions.json. */
#include "site/metadata/metadata_internal.h"

#include <stdlib.h>

#include "base/json_load.h"
#include "published/parts.h"

/* The class of a property's object. */
static const char *const classes[][2] = {{"adms:status", "skos:Concept"},
                                         {"dcat:endpointDescription", "rdfs:Resource"},
                                         {"dcat:endpointURL", "rdfs:Resource"},
                                         {"dcat:landingPage", "foaf:Document"},
                                         {"dcat:mediaType", "dct:MediaType"},
                                         {"dcat:theme", "skos:Concept"},
                                         {"dcat:themeTaxonomy", "skos:ConceptScheme"},
                                         {"dcatap:availability", "skos:Concept"},
                                         {"dct:accessRights", "dct:RightsStatement"},
                                         {"dct:accrualPeriodicity", "dct:Frequency"},
                                         {"dct:conformsTo", "dct:Standard"},
                                         {"dct:format", "dct:MediaTypeOrExtent"},
                                         {"dct:language", "dct:LinguisticSystem"},
                                         {"dct:license", "dct:LicenseDocument"},
                                         {"dct:type", "skos:Concept"},
                                         {"foaf:homepage", "foaf:Document"},
                                         {"spdx:algorithm", "spdx:ChecksumAlgorithm"}};

static const char *class_of(const char *property)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (strcmp(classes[i][0], property) == 0)
            return classes[i][1];
    return NULL;
}

/* Moves NODE, the object of a property with class CLS, into VOCABULARY with all its members. */
static void enter(json_t *vocabulary, json_t *node, const char *cls)
{
    json_t *id = json_object_get(node, "@id");
    const char *iri = odp_text_of(node, "@id"), *last = strrchr(iri, '/');
    if (*iri == '\0' || (json_object_size(node) > 1 && strcmp(cls, "dct:LicenseDocument") != 0))
        return;
    json_t *entry = json_pack("{s:O, s:s}", "@id", id, "@type", cls);
    json_object_update(entry, node);
    if (strncmp(cls, "skos:", 5) ==
        0) /* a Concept has a label: the last part of its address; DCAT-AP's shapes have its scheme's, too */
        odp_set(entry, strcmp(cls, "skos:Concept") == 0 ? "skos:prefLabel" : "dct:title",
                json_pack("{s:s, s:s}", "@value", last != NULL ? last + 1 : iri, "@language", "en"));
    if (json_object_get(vocabulary, iri) == NULL || json_object_size(entry) > 2)
        odp_set(vocabulary, iri, json_incref(entry));
    json_object_clear(node);
    odp_set(node, "@id", json_incref(json_object_get(entry, "@id")));
    json_decref(entry);
}

static void collect(json_t *vocabulary, json_t *value, const char *cls)
{
    const char *key;
    json_t *member;
    size_t i;
    json_array_foreach(value, i, member) collect(vocabulary, member, cls);
    if (json_is_object(value) && cls != NULL)
        enter(vocabulary, value, cls);
    json_object_foreach(value, key, member) collect(vocabulary, member, class_of(key));
}

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_vocabulary(struct odp_metadata *m, json_t *graph)
{
    size_t n = 0;
    const char *iri;
    json_t *node, *vocabulary = json_object();
    collect(vocabulary, graph, NULL);
    const char **list = odp_arena_array(&m->arena, json_object_size(vocabulary) + 1, sizeof *list);
    json_object_foreach(vocabulary, iri, node) list[n++] = iri;
    qsort(list, n, sizeof *list, by_key);
    for (size_t i = 0; i < n; i++)
        odp_add(graph, json_incref(json_object_get(vocabulary, list[i])));
    json_decref(vocabulary);
}

json_t *metadata_dcat_begin(struct odp_metadata *m)
{
    return metadata_json_take(m, "dcat", ODP_LANG_ID, metadata_of_all(m));
}

/* CKAN finds a licence by its address, but knows other addresses; then by the first English title. */
static const char *known_license(const char *path)
{
    static const char *const known[][2] = {
        {"://creativecommons.org/licenses/by/", "Creative Commons Attribution"},
        {"://creativecommons.org/licenses/by-sa/", "Creative Commons Attribution Share-Alike"},
        {"://creativecommons.org/publicdomain/zero/", "Creative Commons CCZero"},
        {"://opendatacommons.org/licenses/by/", "Open Data Commons Attribution License"},
        {"://opendatacommons.org/licenses/odbl/", "Open Data Commons Open Database License (ODbL)"},
        {"://opendatacommons.org/licenses/pddl/",
         "Open Data Commons Public Domain Dedication and License (PDDL)"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(path, known[i][0]) != NULL)
            return known[i][1];
    return "";
}

void metadata_dcat_add(struct odp_metadata *m, json_t *graph, json_t *document)
{
    json_t *data = json_copy(document), *node;
    odp_set_str(data, "known_license", known_license(odp_text_of(json_object_get(data, "license"), "path")));
    odp_set(data, "newest",
            json_pack("[O*]", json_array_get(
                                  json_object_get(json_object_get(document, "versions"), "published"), 0)));
    struct odp_buffer text = {0};
    if ((node = metadata_json_take(m, "dcat-dataset", ODP_LANG_ID, data)) == NULL)
        return;
    odp_add(json_object_get(graph, "@graph"), node);
    m->status = odp_doc_print(&text, node, ODP_DOC_LINE);
    odp_part_set_text(m->job->stage, odp_buffer_slice(&text));
    odp_buffer_release(&text);
}

void metadata_dcat_add_made(struct odp_metadata *m, json_t *graph, struct odp_slice made)
{
    json_t *node = odp_json_load(made.ptr, made.len, 0, NULL);
    if (node == NULL)
        m->status = odp_failure_set("read", "dcat.jsonld", 0);
    else
        odp_add(json_object_get(graph, "@graph"), node);
}

void metadata_dcat_end_take(struct odp_metadata *m, json_t *graph)
{
    if (m->status == ODP_OK)
        add_vocabulary(m, json_object_get(graph, "@graph"));
    metadata_put_json_take(m, odp_path(ODP_PATH_dcat, ODP_LANG_ID), "application/ld+json", graph);
}
