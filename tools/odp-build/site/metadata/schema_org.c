/* schema.org Dataset and DataCatalog, for search engines; what Google asks for (names, description of 50 to 5000 characters, DataDownload with
 * contentUrl).
 *
 * A description shorter than 50 characters is told further (publisher, records, date): search engines refuse
 * it else. */
#include "site/metadata/metadata_internal.h"

#define SET(o, key, value)     odp_doc_set(&m->doc, o, key, value)
#define SET_STR(o, key, value) odp_doc_set_str(&m->doc, o, key, value)

enum { DESCRIPTION_MIN = 50, DESCRIPTION_MAX = 5000, VARIABLES_MAX = 200, LISTED_MAX = 100 /* datasets that the catalogue names */ };

static const char *const tags[ODP_LANGS] = {[ODP_LANG_ID] = "id", [ODP_LANG_EN] = "en"};

static json_t *make_organization(struct metadata *m, enum odp_lang lang)
{
    const json_t *contact = json_object_get(m->catalog->portal.json, "contact");
    const char *email = metadata_text(contact, "email"), *url = metadata_text(contact, "url");
    json_t *o = json_object();
    SET_STR(o, "@type", "GovernmentOrganization");
    SET_STR(o, "@id", metadata_url(m, "#penerbit"));
    SET_STR(o, "name", odp_text_get(&m->catalog->portal.publisher, lang));
    SET_STR(o, "url", *url != '\0' ? url : m->base);
    if (*email != '\0')
        SET(o, "contactPoint", json_pack("{s:s, s:s, s:s}", "@type", "ContactPoint", "contactType", "customer service", "email", email));
    return o;
}

static size_t characters(const char *s)
{
    size_t n = 0;
    for (; *s != '\0'; s++)
        n += ((unsigned char)*s & 0xc0U) != 0x80U;
    return n;
}

/* The first MOST characters of S. */
static const char *cut(struct metadata *m, const char *s, size_t most)
{
    size_t n = 0;
    const char *p = s;
    for (; *p != '\0'; p++)
        if (((unsigned char)*p & 0xc0U) != 0x80U && n++ == most)
            break;
    return *p == '\0' ? s : metadata_printf(m, "%.*s", (int)(p - s), s);
}

/* A short description is told further: whose data they are, how many, in which formats. */
static const char *describe(struct metadata *m, const json_t *entry, enum odp_lang lang)
{
    const char *own = metadata_in(entry, "description", lang), *title = metadata_in(entry, "title", lang);
    const char *publisher = odp_text_get(&m->catalog->portal.publisher, lang), *day = metadata_text(entry, "last_update");
    const long long rows = json_integer_value(json_object_get(entry, "rows"));
    if (characters(own) >= DESCRIPTION_MIN)
        return cut(m, own, DESCRIPTION_MAX);
    const char *more = *day == '\0' ? metadata_printf(m, "%s%s%s.", title, lang == ODP_LANG_ID ? ": data terbuka dari " : ": open data of the ", publisher)
                       : lang == ODP_LANG_ID
                           ? metadata_printf(m, "%s: data terbuka dari %s, %lld rekaman, diperbarui %s.", title, publisher, rows, day)
                           : metadata_printf(m, "%s: open data of the %s, %lld records, updated %s.", title, publisher, rows, day);
    return cut(m, *own != '\0' ? metadata_printf(m, "%s %s", own, more) : more, DESCRIPTION_MAX);
}

static json_t *list_keywords(struct metadata *m, const json_t *entry, enum odp_lang lang)
{
    const json_t *words = json_object_get(json_object_get(entry, "odp:keywords"), tags[lang]);
    words = json_is_array(words) ? words : json_object_get(entry, "keywords");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(words); i++)
        if (json_is_string(json_array_get(words, i)))
            odp_doc_add(&m->doc, list, json_incref(json_array_get(words, i)));
    return list;
}

/* Each field, with its meaning and unit. */
static void add_variables(struct metadata *m, json_t *list, const json_t *schema, enum odp_lang lang)
{
    const json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields) && json_array_size(list) < VARIABLES_MAX; i++) {
        const json_t *field = json_array_get(fields, i);
        const char *title = metadata_in(field, "odp:title", lang), *description = metadata_in(field, "odp:description", lang);
        const char *unit = metadata_in(field, "odp:unit", lang);
        title = *title != '\0' ? title : metadata_text(field, "title");
        description = *description != '\0' ? description : metadata_text(field, "description");
        json_t *o = json_object();
        SET_STR(o, "@type", "PropertyValue");
        SET_STR(o, "propertyID", metadata_text(field, "name"));
        SET_STR(o, "name", *title != '\0' ? title : metadata_text(field, "name"));
        if (*description != '\0')
            SET_STR(o, "description", description);
        if (*unit != '\0')
            SET_STR(o, "unitText", unit);
        odp_doc_add(&m->doc, list, o);
    }
}

static void add_downloads(struct metadata *m, json_t *list, const json_t *entry, const json_t *resource, enum odp_lang lang)
{
    const json_t *files = json_object_get(resource, "files");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        const char *hash = metadata_text(file, "hash"), *path = metadata_path(metadata_text(file, "url")), *name = strrchr(path, '/');
        json_t *o = json_object();
        SET_STR(o, "@type", "DataDownload");
        SET_STR(o, "name", metadata_printf(m, "%s (%s)", metadata_in(resource, "title", lang), name != NULL ? name + 1 : path));
        SET_STR(o, "contentUrl", metadata_url(m, path));
        SET_STR(o, "encodingFormat", metadata_text(file, "media_type"));
        SET(o, "contentSize", json_sprintf("%" JSON_INTEGER_FORMAT " B", json_integer_value(json_object_get(file, "bytes"))));
        if (strncmp(hash, "sha256:", 7) == 0)
            SET_STR(o, "sha256", hash + 7);
        SET_STR(o, "dateModified", metadata_day(m, metadata_text(entry, "last_update")));
        SET_STR(o, "inLanguage", "id");
        odp_doc_add(&m->doc, list, o);
    }
}

static void set_coverage(struct metadata *m, json_t *o, const json_t *entry)
{
    const json_t *box = json_object_get(entry, "bbox");
    const char *interval[2];
    json_t *place = json_pack("{s:s, s:s}", "@type", "Place", "name", "Indonesia");
    if (json_array_size(box) == 4) { /* south west, north east; latitude first */
        double b[4];
        for (size_t i = 0; i < 4; i++)
            b[i] = json_number_value(json_array_get(box, i));
        SET(place, "geo",
            json_pack("{s:s, s:s}", "@type", "GeoShape", "box", metadata_printf(m, "%.10g %.10g %.10g %.10g", b[1], b[0], b[3], b[2])));
    }
    SET(o, "spatialCoverage", place);
    if (metadata_interval(m, entry, interval) != ODP_OK)
        m->doc.failed = true;
    else if (*interval[0] != '\0' || *interval[1] != '\0')
        SET_STR(o, "temporalCoverage",
                metadata_printf(m, "%s/%s", *interval[0] != '\0' ? interval[0] : "..", *interval[1] != '\0' ? interval[1] : ".."));
}

static void set_content(struct metadata *m, json_t *o, const json_t *entry, enum odp_lang lang)
{
    const json_t *resources = json_object_get(entry, "resources");
    json_t *variables = json_array(), *downloads = json_array();
    for (size_t i = 0; i < json_array_size(resources) && !m->doc.failed; i++) {
        const json_t *resource = json_array_get(resources, i);
        json_t *schema;
        if (metadata_schema(m, entry, resource, &schema) != ODP_OK)
            m->doc.failed = true;
        add_variables(m, variables, schema, lang);
        add_downloads(m, downloads, entry, resource, lang);
        json_decref(schema);
    }
    SET(o, "variableMeasured", variables);
    SET(o, "distribution", downloads);
}

static json_t *make_dataset(struct metadata *m, const json_t *entry, enum odp_lang lang, const char *page)
{
    const char *slug = metadata_text(entry, "slug"), *license = metadata_text(json_object_get(entry, "license"), "path");
    const char *other = metadata_in(entry, "title", lang == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID),
               *producer = metadata_in(entry, "producer", lang);
    const char *picture = metadata_printf(m, "gambar/%s.png", slug);
    json_t *o = json_object();
    SET_STR(o, "@context", "https://schema.org/");
    SET_STR(o, "@type", "Dataset");
    SET_STR(o, "@id", metadata_printf(m, "%sdata/%s/", m->base, slug));
    SET_STR(o, "name", metadata_in(entry, "title", lang));
    if (strcmp(other, metadata_in(entry, "title", lang)) != 0)
        SET_STR(o, "alternateName", other);
    SET_STR(o, "description", describe(m, entry, lang));
    SET_STR(o, "url", page);
    SET_STR(o, "identifier", metadata_printf(m, "%sdata/%s/", m->base, slug));
    if (*metadata_text(entry, "version") != '\0') /* none: the newest was withdrawn, and no other has taken its place */
        SET_STR(o, "version", metadata_text(entry, "version"));
    if (*metadata_day(m, metadata_text(entry, "last_update")) != '\0')
        SET_STR(o, "dateModified", metadata_day(m, metadata_text(entry, "last_update")));
    SET(o, "inLanguage", json_pack("[s, s]", "id", "en"));
    SET(o, "isAccessibleForFree", json_true());
    if (*license != '\0')
        SET_STR(o, "license", license);
    SET(o, "keywords", list_keywords(m, entry, lang));
    SET(o, "creator",
        *producer != '\0' ? json_pack("{s:s, s:s, s:{s:s}}", "@type", "GovernmentOrganization", "name", producer, "parentOrganization", "@id",
                                      metadata_url(m, "#penerbit"))
                          : make_organization(m, lang));
    SET(o, "publisher", make_organization(m, lang));
    SET(o, "includedInDataCatalog",
        json_pack("{s:s, s:s, s:s, s:s}", "@type", "DataCatalog", "@id", metadata_url(m, "#katalog"), "name",
                  odp_text_get(&m->catalog->portal.title, lang), "url", m->base));
    if (odp_stage_find(m->job->stage, picture) != NULL)
        SET_STR(o, "image", metadata_url(m, picture));
    set_coverage(m, o, entry);
    set_content(m, o, entry, lang);
    return o;
}

static json_t *finish(struct metadata *m, json_t *o)
{
    if (metadata_close(m, o != NULL ? ODP_OK : ODP_FAIL) == ODP_OK)
        return o;
    json_decref(o);
    return NULL;
}

json_t *odp_metadata_schema_org(const struct odp_metadata_job *job, const json_t *entry, enum odp_lang lang, const char *page)
{
    struct metadata m;
    metadata_open(&m, job);
    return finish(&m, make_dataset(&m, entry, lang, page));
}

static json_t *make_catalog(struct metadata *m, enum odp_lang lang, const char *page)
{
    const struct odp_portal *p = &m->catalog->portal;
    const char *description = metadata_in(p->json, "description", lang), *newest = metadata_day(m, metadata_newest(m));
    json_t *o = json_object(), *list = json_array();
    SET_STR(o, "@context", "https://schema.org/");
    SET_STR(o, "@type", "DataCatalog");
    SET_STR(o, "@id", metadata_url(m, "#katalog"));
    SET_STR(o, "name", odp_text_get(&p->title, lang));
    SET_STR(o, "description", *description != '\0' ? description : odp_text_get(&p->title, lang));
    SET_STR(o, "url", page);
    SET(o, "inLanguage", json_pack("[s, s]", "id", "en"));
    SET(o, "isAccessibleForFree", json_true());
    if (p->license_path != NULL)
        SET_STR(o, "license", p->license_path);
    if (*newest != '\0')
        SET_STR(o, "dateModified", newest);
    SET(o, "publisher", make_organization(m, lang));
    for (size_t i = 0; i < json_array_size(m->job->entries) && i < LISTED_MAX; i++) {
        const json_t *entry = json_array_get(m->job->entries, i);
        const char *slug = metadata_text(entry, "slug");
        const char *own = lang == ODP_LANG_ID ? metadata_printf(m, METADATA_PAGE_ID, slug) : metadata_printf(m, METADATA_PAGE_EN, slug);
        odp_doc_add(&m->doc, list,
                    json_pack("{s:s, s:s, s:s, s:s, s:s}", "@type", "Dataset", "@id", metadata_printf(m, "%sdata/%s/", m->base, slug), "name",
                              metadata_in(entry, "title", lang), "description", describe(m, entry, lang), "url", metadata_url(m, own)));
    }
    SET(o, "dataset", list);
    return o;
}

json_t *odp_metadata_schema_org_catalog(const struct odp_metadata_job *job, enum odp_lang lang, const char *page)
{
    struct metadata m;
    metadata_open(&m, job);
    return finish(&m, make_catalog(&m, lang, page));
}
