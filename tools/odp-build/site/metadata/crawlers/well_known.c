/* What programs look for at addresses that others have agreed on: opensearch.xml, robots.txt, .well-known/api-catalog (RFC 9727),
 * .well-known/security.txt (RFC 9116).
 *
 * Past the `expires` of security.txt nothing is built or checked (ODP-C28): an expired file tells people to
 * distrust it. robots.txt excludes nothing but service/, frames of pages that say nothing by themselves. */
#include "site/metadata/metadata_internal.h"

#include "catalog/security.h"

static enum odp_status put_opensearch(struct metadata *m)
{
    const struct odp_portal *p = &m->catalog->portal;
    const char *title = odp_text_get(&p->title, ODP_LANG_ID), *email = metadata_text(json_object_get(p->json, "contact"), "email");
    size_t len = 0, n = 0; /* a short name has 16 characters at most */
    while (title[len] != '\0' && ((((unsigned char)title[len] & 0xc0U) == 0x80U) || n++ < 16))
        len++;
    struct odp_slice head = {title, len};
    if (title[len] != '\0')
        while (head.len > 0 && title[head.len] != ' ')
            head.len--;
    const char *name = head.len > 0 ? metadata_printf(m, "%.*s", (int)head.len, title) : "Data terbuka";
    struct odp_buffer out;
    odp_buffer_init(&out);
    odp_buffer_add_str(
        &out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<OpenSearchDescription xmlns=\"http://a9.com/-/spec/opensearch/1.1/\">\n<ShortName>");
    odp_html_text(&out, name);
    odp_buffer_add_str(&out, "</ShortName>\n<Description>");
    odp_html_text(&out, metadata_printf(m, "Cari dataset di %s", title));
    odp_buffer_add_str(&out, "</Description>\n<Url type=\"text/html\" template=\"");
    odp_html_text(&out, m->base);
    odp_buffer_add_str(&out, "index.html?q={searchTerms}\"/>\n<Url type=\"application/opensearchdescription+xml\" rel=\"self\" template=\"");
    odp_html_text(&out, m->base);
    odp_buffer_add_str(&out, "opensearch.xml\"/>\n<LongName>");
    odp_html_text(&out, strlen(title) <= 48 ? title : name);
    odp_buffer_add_str(&out, "</LongName>\n");
    if (*email != '\0') {
        odp_buffer_add_str(&out, "<Contact>");
        odp_html_text(&out, email);
        odp_buffer_add_str(&out, "</Contact>\n");
    }
    odp_buffer_add_str(&out, "<Language>id</Language>\n<Language>en</Language>\n<OutputEncoding>UTF-8</OutputEncoding>\n<InputEncoding>UTF-8</"
                             "InputEncoding>\n</OpenSearchDescription>\n");
    enum odp_status status = metadata_put(m, "opensearch.xml", "application/opensearchdescription+xml", &out);
    odp_buffer_release(&out);
    return status;
}

/* All is for everybody; service/ holds the frame of pages that the gateway fills, which say nothing by themselves. Paths are the host's, not the
 * site's. */
static enum odp_status put_robots(struct metadata *m)
{
    struct odp_buffer out;
    const char *host = strstr(m->base, "://"), *path = host != NULL ? strchr(host + 3, '/') : NULL;
    odp_buffer_init(&out);
    odp_buffer_printf(&out, "User-agent: *\nDisallow: %sservice/\n\nSitemap: %ssitemap.xml\n", path != NULL ? path : "/", m->base);
    enum odp_status status = metadata_put(m, "robots.txt", "text/plain; charset=utf-8", &out);
    odp_buffer_release(&out);
    return status;
}

static void add_link(struct metadata *m, json_t *link, const char *rel, const char *path, const char *type)
{
    json_t *list = json_object_get(link, rel);
    if (list == NULL) {
        odp_doc_set(&m->doc, link, rel, json_array());
        list = json_object_get(link, rel);
    }
    odp_doc_add(&m->doc, list,
                type != NULL ? json_pack("{s:s, s:s}", "href", metadata_url(m, path), "type", type)
                             : json_pack("{s:s}", "href", metadata_url(m, path)));
}

static enum odp_status put_api_catalog(struct metadata *m)
{
    static const char type[] = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
    json_t *root = json_object(), *set = json_array(), *catalog = json_object(), *api = json_object(), *ogc = json_object();
    odp_doc_set_str(&m->doc, catalog, "anchor", metadata_url(m, ".well-known/api-catalog"));
    add_link(m, catalog, "item", "v1/", NULL);
    add_link(m, catalog, "item", "v1/ogc/", NULL);
    odp_doc_set_str(&m->doc, api, "anchor", metadata_url(m, "v1/"));
    add_link(m, api, "service-desc", "v1/openapi.json", "application/vnd.oai.openapi+json");
    add_link(m, api, "service-doc", "dokumentasi/index.html", "text/html");
    add_link(m, api, "service-doc", "en/docs/index.html", "text/html");
    add_link(m, api, "service-meta", "dcat.jsonld", "application/ld+json");
    add_link(m, api, "status", "status.html", "text/html");
    odp_doc_set_str(&m->doc, ogc, "anchor", metadata_url(m, "v1/ogc/"));
    add_link(m, ogc, "service-desc", "v1/ogc/api.json", "application/vnd.oai.openapi+json;version=3.0");
    add_link(m, ogc, "service-doc", "v1/ogc/index.html", "text/html");
    odp_doc_add(&m->doc, set, catalog);
    odp_doc_add(&m->doc, set, api);
    odp_doc_add(&m->doc, set, ogc);
    odp_doc_set(&m->doc, root, "linkset", set);
    return metadata_put_json_take(m, ".well-known/api-catalog", type, root);
}

static enum odp_status put_security(struct metadata *m)
{
    const json_t *security = json_object_get(m->catalog->portal.json, "security"), *contact = json_object_get(security, "contact");
    const json_t *languages = json_object_get(security, "languages");
    const char *policy = metadata_text(security, "policy"), *expires = odp_security_expires(m->catalog, &m->arena);
    struct odp_buffer out;
    if (security == NULL)
        return ODP_OK;
    m->doc.failed = m->doc.failed || expires == NULL;
    odp_buffer_init(&out);
    for (size_t i = 0; i < (json_is_array(contact) ? json_array_size(contact) : 1); i++) {
        const char *uri = json_string_value(json_is_array(contact) ? json_array_get(contact, i) : contact);
        odp_buffer_printf(&out, "Contact: %s\n", uri != NULL ? uri : "");
    }
    odp_buffer_printf(&out, "Expires: %s\n", expires != NULL ? expires : "");
    odp_buffer_add_str(&out, "Preferred-Languages: ");
    for (size_t i = 0; i < json_array_size(languages); i++)
        odp_buffer_printf(&out, "%s%s", i > 0 ? ", " : "", json_string_value(json_array_get(languages, i)));
    odp_buffer_add_str(&out, json_array_size(languages) == 0 ? "id, en\n" : "\n");
    odp_buffer_printf(&out, "Canonical: %s.well-known/security.txt\n", m->base);
    if (*policy != '\0')
        odp_buffer_printf(&out, "Policy: %s\n", policy);
    enum odp_status status = metadata_put(m, ".well-known/security.txt", "text/plain; charset=utf-8", &out);
    odp_buffer_release(&out);
    return status;
}

enum odp_status metadata_well_known(struct metadata *m)
{
    enum odp_status status = put_opensearch(m);
    if (status == ODP_OK)
        status = put_robots(m);
    if (status == ODP_OK)
        status = put_api_catalog(m);
    return status == ODP_OK ? put_security(m) : status;
}
