/* schema.org Dataset and DataCatalog, for search engines, with what Google asks for (names, description of 50
 * to 5000 characters, DataDownload with contentUrl).
 *
 * A description shorter than 50 characters, which search engines refuse, is continued with publisher, records
 * and date. */
#include "site/metadata/metadata_internal.h"

#include "base/utf8.h"

enum {
    DESCRIPTION_MIN = 50,
    DESCRIPTION_MAX = 5000,
    VARIABLES_MAX = 200,
    LISTED_MAX = 100 /* datasets that the catalogue names */
};

/* Settles "description" of O: its own, or with "further"; at most so many characters. */
static void settle_description(struct odp_metadata *m, json_t *o)
{
    const char *own = odp_text_of(o, "description"), *more = odp_text_of(o, "further"), *p;
    size_t n = 0;
    if (odp_utf8_count(odp_slice_of(own)) < DESCRIPTION_MIN && *more != '\0')
        own = metadata_printf(m, "%s%s%s", own, *own != '\0' ? " " : "", more);
    for (p = own; *p != '\0'; p++)
        if (((unsigned char)*p & 0xc0U) != 0x80U && n++ == DESCRIPTION_MAX)
            break;
    odp_set(o, "description", json_stringn(own, (size_t)(p - own)));
    (void)json_object_del(o, "further");
}

static json_t *finish(struct odp_metadata *m, json_t *o, const char *list, size_t most)
{
    json_t *items = json_object_get(o, list), *item;
    size_t i;
    if (o == NULL)
        return NULL;
    settle_description(m, o);
    while (json_array_size(items) > most)
        (void)json_array_remove(items, json_array_size(items) - 1);
    json_array_foreach(items, i, item) if (strcmp(odp_text_of(item, "@type"), "Dataset") == 0)
        settle_description(m, item);
    return o;
}

json_t *odp_metadata_schema_org(struct odp_metadata *m, const json_t *document, enum odp_lang lang,
                                const char *page)
{
    const char *picture =
        odp_model_staged(m->job, metadata_printf(m, "%s%s.png", odp_path(ODP_PATH_image_dir, lang),
                                                 odp_text_of(document, "slug")));
    if (*picture == '\0') /* a code list's */
        picture = odp_model_staged(m->job, odp_path(ODP_PATH_image, lang));
    const char *other = odp_model_in(document, "title", 1 - lang);
    json_t *data = json_copy((json_t *)(uintptr_t)document);
    odp_set_str(data, "page", page);
    odp_set_str(data, "other_title", strcmp(other, odp_model_in(document, "title", lang)) != 0 ? other : "");
    odp_set_str(data, "picture", picture);
    odp_set_flag(data, "in_english", lang == ODP_LANG_EN);
    return finish(m, metadata_json_take(m, "schema-dataset", lang, data), "variableMeasured", VARIABLES_MAX);
}

json_t *odp_metadata_schema_org_catalog(struct odp_metadata *m, enum odp_lang lang, const char *page)
{
    json_t *data = metadata_of_all(m), *listed = json_array();
    for (size_t i = 0; i < LISTED_MAX && i < json_array_size(m->job->entries); i++)
        odp_add(listed, json_incref(json_array_get(m->job->entries, i)));
    odp_set(data, "entries", listed);
    odp_set_str(data, "page", page);
    odp_set_flag(data, "in_english", lang == ODP_LANG_EN);
    return finish(m, metadata_json_take(m, "schema-catalog", lang, data), "dataset", LISTED_MAX);
}
