/* Small pieces of dcat.jsonld. */
#include "site/metadata/metadata_internal.h"

json_t *metadata_reference(const char *iri)
{
    return json_pack("{s:s}", "@id", iri);
}

json_t *metadata_license_document(struct metadata *m, const char *path, const struct odp_text *title)
{
    /* CKAN looks a licence up in its list by address, where it has others, then by the first English title. */
    static const char *const known[][2] = {
        {"://creativecommons.org/licenses/by/", "Creative Commons Attribution"},
        {"://creativecommons.org/licenses/by-sa/", "Creative Commons Attribution Share-Alike"},
        {"://creativecommons.org/publicdomain/zero/", "Creative Commons CCZero"},
        {"://opendatacommons.org/licenses/by/", "Open Data Commons Attribution License"},
        {"://opendatacommons.org/licenses/odbl/", "Open Data Commons Open Database License (ODbL)"},
        {"://opendatacommons.org/licenses/pddl/", "Open Data Commons Public Domain Dedication and License (PDDL)"}};
    json_t *o = json_object(), *titles = json_array(), *own = metadata_languages(m, title);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(path, known[i][0]) != NULL)
            odp_doc_add(&m->doc, titles, json_pack("{s:s, s:s}", "@value", known[i][1], "@language", "en"));
    m->doc.failed = json_array_extend(titles, own) != 0 || m->doc.failed;
    json_decref(own);
    odp_doc_set_str(&m->doc, o, "@type", "dct:LicenseDocument");
    odp_doc_set(&m->doc, o, "dct:title", titles);
    return o;
}

/* The text in the languages it has. */
json_t *metadata_languages(struct metadata *m, const struct odp_text *t)
{
    static const char *const tags[ODP_LANGS] = {[ODP_LANG_ID] = "id", [ODP_LANG_EN] = "en"};
    json_t *list = json_array();
    for (int k = 0; k < ODP_LANGS; k++)
        if (t->in[k] != NULL && *t->in[k] != '\0')
            odp_doc_add(&m->doc, list, json_pack("{s:s, s:s}", "@value", t->in[k], "@language", tags[k]));
    return list;
}
