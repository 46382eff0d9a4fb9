/* Small pieces of dcat.jsonld. */
#include "site/metadata/metadata_internal.h"

json_t *metadata_reference(const char *iri)
{
    return json_pack("{s:s}", "@id", iri);
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
