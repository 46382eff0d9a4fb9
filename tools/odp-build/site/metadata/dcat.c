/* dcat.jsonld: the catalogue by DCAT-AP 3.0.1, as JSON-LD with prefixes of its own. Identifiers (@id) are addresses that stay: data/<slug>/ is a
 * dataset, data/<slug>/<version>/ one of its versions (the feeds' ids, too). What comes from vocabularies of others stands once, with its class,
 * at the end: validators that do not fetch those vocabularies can then tell that a frequency is a frequency.
 *
 * Service and endpoint are two things: v1/#layanan and v1/. Themes are the subjects' (portal.json). */
#include "site/metadata/metadata_internal.h"

#define SET(o, key, value)     odp_doc_set(&m->doc, o, key, value)
#define SET_STR(o, key, value) odp_doc_set_str(&m->doc, o, key, value)

static json_t *make_context(struct metadata *m)
{
    static const char *const prefixes[][2] = {{"adms", "http://www.w3.org/ns/adms#"},
                                              {"dcat", "http://www.w3.org/ns/dcat#"},
                                              {"dcatap", "http://data.europa.eu/r5r/"},
                                              {"dct", "http://purl.org/dc/terms/"},
                                              {"foaf", "http://xmlns.com/foaf/0.1/"},
                                              {"gsp", "http://www.opengis.net/ont/geosparql#"},
                                              {"rdfs", "http://www.w3.org/2000/01/rdf-schema#"},
                                              {"skos", "http://www.w3.org/2004/02/skos/core#"},
                                              {"spdx", "http://spdx.org/rdf/terms#"},
                                              {"vcard", "http://www.w3.org/2006/vcard/ns#"},
                                              {"xsd", "http://www.w3.org/2001/XMLSchema#"}};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        SET_STR(o, prefixes[i][0], prefixes[i][1]);
    return o;
}

/* ---- the catalogue ------------------------------------------------------------------------------------------------------------ */

static json_t *make_publisher(struct metadata *m)
{
    const json_t *contact = json_object_get(m->catalog->portal.json, "contact");
    const char *email = metadata_text(contact, "email"), *url = metadata_text(contact, "url");
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_url(m, "#penerbit"));
    SET_STR(o, "@type", "foaf:Agent");
    SET(o, "foaf:name", metadata_languages(m, &m->catalog->portal.publisher));
    SET(o, "dct:type", metadata_reference("http://purl.org/adms/publishertype/NationalAuthority"));
    if (*email != '\0')
        SET(o, "foaf:mbox", metadata_reference(metadata_printf(m, "mailto:%s", email)));
    SET(o, "foaf:homepage", metadata_reference(*url != '\0' ? url : m->base));
    return o;
}

static json_t *make_contact(struct metadata *m)
{
    const json_t *contact = json_object_get(m->catalog->portal.json, "contact");
    const char *email = metadata_text(contact, "email"), *url = metadata_text(contact, "url"), *name = metadata_text(contact, "name");
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_url(m, "#kontak"));
    SET(o, "@type", json_pack("[ss]", "vcard:Kind", "vcard:Organization"));
    SET_STR(o, "vcard:fn", *name != '\0' ? name : odp_text_get(&m->catalog->portal.publisher, ODP_LANG_ID));
    if (*email != '\0')
        SET(o, "vcard:hasEmail", metadata_reference(metadata_printf(m, "mailto:%s", email)));
    SET(o, "vcard:hasURL", metadata_reference(*url != '\0' ? url : m->base));
    return o;
}

static json_t *make_country(struct metadata *m)
{
    json_t *o = json_object();
    SET_STR(o, "@id", METADATA_EU "country/IDN");
    SET_STR(o, "@type", "dct:Location");
    SET(o, "skos:prefLabel",
        json_pack("[{s:s, s:s}, {s:s, s:s}]", "@value", "Indonesia", "@language", "id", "@value", "Indonesia", "@language", "en"));
    return o;
}

/* Every dataset, as {"@id": …}. */
static json_t *list_datasets(struct metadata *m)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(m->job->entries); i++)
        odp_doc_add(&m->doc, list,
                    metadata_reference(metadata_printf(m, "%sdata/%s/", m->base, metadata_text(json_array_get(m->job->entries, i), "slug"))));
    return list;
}

static json_t *make_catalog(struct metadata *m, json_t *vocabulary)
{
    const struct odp_portal *p = &m->catalog->portal;
    const struct odp_text description = metadata_both(p->json, "description");
    const size_t n = m->catalog->nreleases;
    const char *newest = metadata_day(m, metadata_newest(m));
    const struct odp_text name = {{p->license_name, p->license_name}};
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_url(m, "dcat.jsonld#katalog"));
    SET_STR(o, "@type", "dcat:Catalog");
    SET(o, "dct:title", metadata_languages(m, &p->title));
    SET(o, "dct:description", metadata_languages(m, odp_text_is_empty(&description) ? &p->title : &description));
    SET(o, "dct:publisher", metadata_reference(metadata_url(m, "#penerbit")));
    SET(o, "foaf:homepage", metadata_reference(m->base));
    SET(o, "dct:language", json_pack("[{s:s}, {s:s}]", "@id", METADATA_EU "language/IND", "@id", METADATA_EU "language/ENG"));
    if (p->license_path != NULL)
        SET(o, "dct:license", metadata_reference(p->license_path));
    if (n > 0)
        SET(o, "dct:issued", json_pack("{s:s, s:s}", "@value", m->catalog->releases[n - 1].date, "@type", "xsd:date"));
    if (*newest != '\0')
        SET(o, "dct:modified", json_pack("{s:s, s:s}", "@value", newest, "@type", "xsd:date"));
    SET(o, "dct:spatial", metadata_reference(METADATA_EU "country/IDN"));
    SET(o, "dcat:themeTaxonomy", metadata_reference(METADATA_EU "data-theme"));
    SET(o, "dcat:contactPoint", metadata_reference(metadata_url(m, "#kontak")));
    SET(o, "dcat:dataset", list_datasets(m));
    SET(o, "dcat:service", json_pack("[{s:s}, {s:s}]", "@id", metadata_url(m, "v1/#layanan"), "@id", metadata_url(m, "v1/ogc/#layanan")));
    SET_STR(vocabulary, METADATA_EU "language/IND", "dct:LinguisticSystem");
    SET_STR(vocabulary, METADATA_EU "language/ENG", "dct:LinguisticSystem");
    SET_STR(vocabulary, METADATA_EU "data-theme", "skos:ConceptScheme");
    SET_STR(vocabulary, "http://purl.org/adms/publishertype/NationalAuthority", "skos:Concept");
    if (p->license_path != NULL)
        SET(vocabulary, p->license_path,
            metadata_license_document(m, p->license_path, odp_text_is_empty(&p->license_title) ? &name : &p->license_title));
    SET_STR(vocabulary, m->base, "foaf:Document");
    return o;
}

/* ---- services ----------------------------------------------------------------------------------------------------------------- */

static json_t *make_service(struct metadata *m, const char *path, const char *description_path, const char *conforms, struct odp_text title,
                            struct odp_text description, json_t *vocabulary)
{
    const struct odp_portal *p = &m->catalog->portal;
    json_t *o = json_object();
    SET_STR(o, "@id", metadata_printf(m, "%s%s#layanan", m->base, path));
    SET_STR(o, "@type", "dcat:DataService");
    SET(o, "dct:title", metadata_languages(m, &title));
    SET(o, "dct:description", metadata_languages(m, &description));
    SET(o, "dct:publisher", metadata_reference(metadata_url(m, "#penerbit")));
    SET(o, "dcat:contactPoint", metadata_reference(metadata_url(m, "#kontak")));
    SET(o, "dcat:endpointURL", metadata_reference(metadata_url(m, path)));
    SET(o, "dcat:endpointDescription", metadata_reference(metadata_url(m, description_path)));
    SET(o, "dcat:landingPage", metadata_reference(metadata_url(m, "dokumentasi/index.html")));
    SET(o, "dct:conformsTo", metadata_reference(conforms));
    SET(o, "dct:accessRights", metadata_reference(METADATA_EU "access-right/PUBLIC"));
    if (p->license_path != NULL)
        SET(o, "dct:license", metadata_reference(p->license_path));
    SET(o, "dcat:servesDataset", list_datasets(m));
    SET_STR(vocabulary, metadata_url(m, path), "rdfs:Resource");
    SET_STR(vocabulary, metadata_url(m, description_path), "rdfs:Resource");
    SET_STR(vocabulary, conforms, "dct:Standard");
    SET_STR(vocabulary, METADATA_EU "access-right/PUBLIC", "dct:RightsStatement");
    SET_STR(vocabulary, metadata_url(m, "dokumentasi/index.html"), "foaf:Document");
    return o;
}

static void add_services(struct metadata *m, json_t *graph, json_t *vocabulary)
{
    odp_doc_add(
        &m->doc, graph,
        make_service(
            m, "v1/", "v1/openapi.json", "https://spec.openapis.org/oas/v3.1.0", (struct odp_text){{"API data terbuka", "Open data API"}},
            (struct odp_text){
                {"Rekaman setiap dataset dalam JSON, dengan penyaring, pengurutan, dan penomoran halaman; memakai kunci API yang gratis.",
                 "The records of every dataset in JSON, with filters, sorting and paging; with an API key that is free."}},
            vocabulary));
    odp_doc_add(&m->doc, graph,
                make_service(m, "v1/ogc/", "v1/ogc/api.json", "http://www.opengis.net/spec/ogcapi-features-1/1.0/conf/core",
                             (struct odp_text){{"OGC API - Features", "OGC API - Features"}},
                             (struct odp_text){{"Dataset yang sama untuk QGIS, GDAL, dan perangkat lunak peta lainnya.",
                                                "The same datasets for QGIS, GDAL and other software of maps."}},
                             vocabulary));
}

/* ---- the document ------------------------------------------------------------------------------------------------------------- */

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* VOCABULARY: {iri: class, or its node}. What is a Concept has a label: the last part of its address. Its scheme's label stands in DCAT-AP's shapes, too. */
static void add_vocabulary(struct metadata *m, json_t *graph, json_t *vocabulary)
{
    size_t n = 0;
    const char *iri;
    json_t *cls;
    const char **list = odp_arena_array(&m->arena, json_object_size(vocabulary) + 1, sizeof *list);
    m->doc.failed = m->doc.failed || list == NULL;
    if (list == NULL)
        return;
    json_object_foreach(vocabulary, iri, cls) list[n++] = iri;
    qsort(list, n, sizeof *list, by_key);
    for (size_t i = 0; i < n; i++) {
        const json_t *what = json_object_get(vocabulary, list[i]);
        const char *name = json_string_value(what), *last = strrchr(list[i], '/');
        json_t *o = json_object();
        SET_STR(o, "@id", list[i]);
        if (name != NULL)
            SET_STR(o, "@type", name);
        else
            m->doc.failed = json_object_update(o, (json_t *)what) != 0 || m->doc.failed;
        if (name != NULL && strncmp(name, "skos:", 5) == 0)
            SET(o, strcmp(name, "skos:Concept") == 0 ? "skos:prefLabel" : "dct:title",
                json_pack("{s:s, s:s}", "@value", last != NULL ? last + 1 : list[i], "@language", "en"));
        odp_doc_add(&m->doc, graph, o);
    }
}

enum odp_status metadata_dcat(struct metadata *m)
{
    json_t *root = json_object(), *graph = json_array(), *vocabulary = json_object();
    m->doc.failed = m->doc.failed || vocabulary == NULL;
    SET(root, "@context", make_context(m));
    odp_doc_add(&m->doc, graph, make_catalog(m, vocabulary));
    odp_doc_add(&m->doc, graph, make_publisher(m));
    odp_doc_add(&m->doc, graph, make_contact(m));
    odp_doc_add(&m->doc, graph, make_country(m));
    add_services(m, graph, vocabulary);
    for (size_t i = 0; i < json_array_size(m->job->entries) && !m->doc.failed; i++)
        odp_doc_add(&m->doc, graph, metadata_dcat_dataset(m, json_array_get(m->job->entries, i), vocabulary));
    add_vocabulary(m, graph, vocabulary);
    SET(root, "@graph", graph);
    json_decref(vocabulary);
    return metadata_put_json_take(m, "dcat.jsonld", "application/ld+json", root);
}
