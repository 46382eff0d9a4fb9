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

enum { DEPTH = 2, MORE = '+' }; /* how deep an item of the graph stands; the sign of a term */

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
    for (size_t i = 0; i < ODP_COUNT(classes); i++)
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
    for (size_t i = 0; i < ODP_COUNT(known); i++)
        if (strstr(path, known[i][0]) != NULL)
            return known[i][1];
    return "";
}

/* ---- a dataset's node, and its terms, as texts ---- */

/* Appends the terms of VOCABULARY to TEXTS: an address, then the term, after a sign: whether it says more
 * than others of the same address. */
static void add_terms(struct odp_metadata *m, json_t *vocabulary, struct odp_buffer *texts)
{
    const char *iri;
    json_t *term;
    json_object_foreach(vocabulary, iri, term)
    {
        odp_buffer_add(texts, iri, strlen(iri) + 1);
        odp_buffer_add_char(texts, json_object_size(term) > 2 ? MORE : '-');
        if (m->status == ODP_OK)
            m->status = odp_doc_print_within(texts, term, DEPTH);
        odp_buffer_add_char(texts, '\0');
    }
}

void metadata_dcat_make(struct odp_metadata *m, json_t *document, struct odp_buffer *texts)
{
    json_t *data = json_copy(document), *node, *vocabulary = json_object();
    odp_set_str(data, "known_license", known_license(odp_text_of(json_object_get(data, "license"), "path")));
    odp_set(data, "newest",
            json_pack("[O*]", json_array_get(
                                  json_object_get(json_object_get(document, "versions"), "published"), 0)));
    if ((node = metadata_json_take(m, "dcat-dataset", ODP_LANG_ID, data)) != NULL) {
        collect(vocabulary, node, NULL);
        m->status = odp_doc_print_within(texts, node, DEPTH);
    }
    odp_buffer_add_char(texts, '\0');
    add_terms(m, vocabulary, texts);
    json_decref(vocabulary);
    json_decref(node);
}

/* ---- the graph ---- */

/* Enters the terms of TEXTS into TERMS: of the same address the first, but the last that says more. */
static void enter_terms(json_t *terms, struct odp_slice texts)
{
    for (const char *iri = texts.ptr, *end = iri + texts.len, *term; iri < end;
         iri = term + strlen(term) + 1) {
        term = iri + strlen(iri) + 1;
        if (*term == MORE || json_object_get(terms, iri) == NULL)
            odp_set_str(terms, iri, term + 1);
    }
}

static void add_item(struct odp_buffer *graph, const char *text)
{
    odp_buffer_printf(graph, ",\n%*s", DEPTH, "");
    odp_buffer_add_str(graph, text);
}

struct metadata_dcat metadata_dcat_begin(struct odp_metadata *m)
{
    static const char end[] = "\n ]\n}";
    struct metadata_dcat d = {.terms = json_object()};
    struct odp_buffer texts = {0};
    json_t *root = metadata_json_take(m, "dcat", ODP_LANG_ID, metadata_of_all(m)),
           *vocabulary = json_object();
    collect(vocabulary, json_object_get(root, "@graph"), NULL);
    if (m->status == ODP_OK)
        m->status = odp_doc_print(&d.graph, root, ODP_DOC_NARROW);
    d.graph.len -=
        d.graph.len > sizeof end ? sizeof end - 1 : 0; /* left open: the graph is the last member */
    add_terms(m, vocabulary, &texts);
    enter_terms(d.terms, odp_buffer_slice(&texts));
    odp_buffer_release(&texts);
    json_decref(vocabulary);
    json_decref(root);
    return d;
}

void metadata_dcat_add(struct metadata_dcat *d, struct odp_slice texts)
{
    const size_t node = texts.len > 0 ? strlen(texts.ptr) + 1 : 0;
    if (node > 0)
        add_item(&d->graph, texts.ptr);
    enter_terms(d->terms, (struct odp_slice){texts.ptr + node, texts.len - node});
}

void metadata_dcat_end(struct odp_metadata *m, struct metadata_dcat *d)
{
    size_t n = 0;
    const char *iri;
    json_t *term;
    const char **list = odp_arena_array(&m->arena, json_object_size(d->terms) + 1, sizeof *list);
    json_object_foreach(d->terms, iri, term) list[n++] = iri;
    qsort(list, n, sizeof *list, odp_by_string);
    for (size_t i = 0; i < n; i++)
        add_item(&d->graph, odp_text_of(d->terms, list[i]));
    odp_buffer_add_str(&d->graph, "\n ]\n}\n");
    if (m->status == ODP_OK)
        m->status = odp_buffer_status(&d->graph);
    if (m->status == ODP_OK)
        m->status = odp_stage_put(m->job->stage, odp_path(ODP_PATH_dcat, ODP_LANG_ID), "application/ld+json",
                                  ODP_CLASS_PUBLIC, odp_buffer_slice(&d->graph));
    odp_buffer_release(&d->graph);
    json_decref(d->terms);
}
