/* Files at addresses that others have agreed on: opensearch.xml, robots.txt, .well-known/api-catalog (RFC
 * 9727), .well-known/security.txt (RFC 9116).
 *
 * After `expires` of security.txt nothing is built or checked (ODP-C28): an expired file tells people to
 * distrust it. robots.txt excludes only service/, frames of pages without content. */
#include "site/metadata/metadata_internal.h"

#include "catalog/security.h"

/* A short name has 16 characters at most, of whole words; a long one 48. */
static json_t *names_of(struct odp_metadata *m)
{
    const char *title = odp_text_get(&m->catalog->portal.title, ODP_LANG_ID);
    size_t len = 0, n = 0;
    while (title[len] != '\0' && ((((unsigned char)title[len] & 0xc0U) == 0x80U) || n++ < 16))
        len++;
    while (title[len] != '\0' && len > 0 && title[len] != ' ')
        len--;
    const char *name = metadata_printf(m, "%.*s", (int)len, title);
    return json_pack("{s:s, s:s}", "short", name, "long", strlen(title) <= 48 ? title : name);
}

static json_t *texts_of(const json_t *value)
{
    return json_is_array(value) ? json_deep_copy(value)
                                : json_pack("[s]", json_is_string(value) ? json_string_value(value) : "");
}

static void put_security(struct odp_metadata *m)
{
    const json_t *security = json_object_get(m->catalog->portal.json, "security"),
                 *languages = json_object_get(security, "languages");
    if (security == NULL)
        return;
    const char *expires = odp_security_expires(m->catalog, &m->arena);
    metadata_put_take(
        m, "security", odp_path(ODP_PATH_security, ODP_LANG_ID), "text/plain; charset=utf-8",
        json_pack("{s:o, s:s, s:o, s:s}", "contacts", texts_of(json_object_get(security, "contact")),
                  "expires", expires != NULL ? expires : "", "languages",
                  json_array_size(languages) > 0 ? texts_of(languages) : json_pack("[s, s]", "id", "en"),
                  "policy", odp_text_of(security, "policy")));
}

void metadata_well_known(struct odp_metadata *m)
{
    const char *host = strstr(m->base, "://"), *path = host != NULL ? strchr(host + 3, '/') : NULL;
    metadata_put_take(m, "opensearch", odp_path(ODP_PATH_opensearch, ODP_LANG_ID),
                      "application/opensearchdescription+xml", names_of(m));
    metadata_put_take(m, "robots", odp_path(ODP_PATH_robots, ODP_LANG_ID), "text/plain; charset=utf-8",
                      json_pack("{s:s}", "path", path != NULL ? path : "/")); /* the host's, not the site's */
    metadata_put_json_take(m, odp_path(ODP_PATH_api_catalog, ODP_LANG_ID),
                           "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"",
                           metadata_json_take(m, "api-catalog", ODP_LANG_ID, NULL));
    put_security(m);
}
