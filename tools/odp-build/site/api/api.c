/* What the documents are made of: the entries, the list of indexes, the published schemas. */
#include "site/api/api_internal.h"

#include <ctype.h>
#include <errno.h>

#include "base/json_load.h"

enum { SCHEMA_MAX = 64 << 20 };

const char *api_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

struct odp_text api_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    const char *s = json_string_value(v);
    if (s != NULL)
        return (struct odp_text){{s, s}};
    return (struct odp_text){{json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

const char *api_joined(struct api *a, const struct odp_text *t, const char *separator)
{
    const char *id = odp_text_get(t, ODP_LANG_ID), *en = odp_text_get(t, ODP_LANG_EN);
    const char *both = strcmp(id, en) == 0 ? id : odp_arena_printf(&a->arena, "%s%s%s", id, separator, en);
    a->doc.failed = a->doc.failed || both == NULL;
    return both;
}

void api_link(struct api *a, json_t *links, const char *path, const char *rel, const char *type, const char *lang,
              const char *title)
{
    json_t *o = json_object();
    a->doc.failed = a->doc.failed || path == NULL;
    odp_doc_set(&a->doc, o, "href", json_sprintf("%s%s", a->base, path != NULL ? path : ""));
    odp_doc_set_str(&a->doc, o, "rel", rel);
    odp_doc_set_str(&a->doc, o, "type", type);
    if (lang != NULL)
        odp_doc_set_str(&a->doc, o, "hreflang", lang);
    if (title != NULL)
        odp_doc_set_str(&a->doc, o, "title", title);
    odp_doc_add(&a->doc, links, o);
}

static enum odp_status put(struct api *a, const char *path, const char *type, struct odp_buffer *out)
{
    enum odp_status status = path != NULL ? odp_buffer_status(out) : ODP_FAIL;
    return status == ODP_OK ? odp_stage_put(a->stage, path, type, ODP_CLASS_PUBLIC, odp_buffer_slice(out)) : status;
}

enum odp_status api_put_take(struct api *a, const char *path, const char *type, json_t *value)
{
    struct odp_buffer out;
    odp_buffer_init(&out);
    enum odp_status status = a->doc.failed ? odp_failure_set("write JSON", path, ENOMEM)
                                           : odp_doc_print(&out, value, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
    odp_buffer_add_char(&out, '\n');
    if (status == ODP_OK)
        status = put(a, path, type, &out);
    odp_buffer_release(&out);
    json_decref(value);
    return status;
}

enum odp_status api_put_page(struct api *a, const char *path, struct odp_buffer *html)
{
    enum odp_status status =
        a->doc.failed ? odp_failure_set("write a page", path, ENOMEM) : put(a, path, "text/html; charset=utf-8", html);
    odp_buffer_clear(html);
    return status;
}

json_t *api_info(struct api *a, const char *title, const char *description)
{
    const struct odp_portal *p = &a->catalog->portal;
    const json_t *contact = json_object_get(p->json, "contact");
    json_t *o = json_object();
    odp_doc_set_str(&a->doc, o, "title", title);
    odp_doc_set_str(&a->doc, o, "version", *a->release != '\0' ? a->release : "0");
    odp_doc_set_str(&a->doc, o, "description", description);
    if (json_is_object(contact)) {
        static const char *const keys[] = {"name", "email", "url"};
        json_t *to = json_object();
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            odp_doc_copy(&a->doc, to, contact, keys[i]);
        odp_doc_set(&a->doc, o, "contact", to);
    }
    if (p->license_name != NULL) {
        json_t *to = json_object();
        odp_doc_set_str(&a->doc, to, "name", p->license_name);
        if (p->license_path != NULL)
            odp_doc_set_str(&a->doc, to, "url", p->license_path);
        odp_doc_set(&a->doc, o, "license", to);
    }
    return o;
}

json_t *api_template(struct api *a, const unsigned char *text)
{
    json_t *root = odp_json_load((const char *)text, strlen((const char *)text), JSON_REJECT_DUPLICATES, NULL);
    a->doc.failed = a->doc.failed || root == NULL;
    return root;
}

/* ---- resources ------------------------------------------------------------------------------------------------------------
 */

const char *api_camel(struct api *a, const char *id)
{
    char *out = odp_arena_array(&a->arena, strlen(id) + 1, 1), *w = out;
    if (out == NULL)
        return NULL;
    for (const char *p = id; *p != '\0'; p++)
        if (*p != '-')
            *w++ = p == id || p[-1] == '-' ? (char)toupper((unsigned char)*p) : *p;
    *w = '\0';
    return out;
}

/* The resource of ENTRY that INFO is about, or NULL. */
static const json_t *resource_of(const json_t *entry, const struct odp_search_info *info)
{
    const json_t *list = json_object_get(entry, "resources");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *r = json_array_get(list, i);
        if (info->resource == NULL ? i == 0 : strcmp(api_text(r, "name"), info->resource) == 0)
            return r;
    }
    return NULL;
}

/* data/<slug>/latest/ has the version's schema in today's words; a dataset without it has the version's own. */
static enum odp_status read_schema(struct api *a, struct api_resource *r)
{
    const char *url = api_text(r->resource, "schema"), *name = strrchr(url, '/'); /* "../data/kumuh/2024-03-15/schema.json" */
    struct odp_buffer text;
    if (strncmp(url, "../", 3) != 0 || name == NULL)
        return ODP_OK; /* a site of another make: what the index says must do */
    const char *latest = odp_arena_printf(&a->arena, "data/%s/latest%s", r->info->slug, name);
    if (latest == NULL)
        return ODP_FAIL;
    odp_buffer_init(&text);
    enum odp_status status = odp_stage_read(a->stage, latest, SCHEMA_MAX, a->previous, &text, a->diags);
    if (status == ODP_DONE)
        status = odp_stage_read(a->stage, url + 3, SCHEMA_MAX, a->previous, &text, a->diags);
    if (status == ODP_OK) {
        json_error_t error;
        r->schema = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, &error);
        if (r->schema == NULL)
            status = json_error_code(&error) == json_error_out_of_memory ? odp_failure_set("read JSON", url, ENOMEM)
                                                                         : odp_failure_set("read JSON", url, 0);
    }
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status init_resource(struct api *a, struct api_resource *r, const struct odp_search_listed *listed)
{
    const struct odp_search_info *info = &listed->info;
    *r = (struct api_resource){
        .info = info,
        .entry = listed->entry,
        .resource = resource_of(listed->entry, info),
        .id = listed->collection,
        .path = info->resource == NULL ? info->slug : odp_arena_printf(&a->arena, "%s/%s", info->slug, info->resource),
        .camel = api_camel(a, listed->collection)};
    r->title = api_both(info->resource != NULL ? r->resource : r->entry, "title");
    if (odp_text_is_empty(&r->title))
        r->title = api_both(r->entry, "title");
    r->description = api_both(r->entry, "description");
    if (r->path == NULL || r->camel == NULL)
        return ODP_FAIL;
    return read_schema(a, r);
}

/* Those with a geometry first: that is what programs for maps show first. */
static enum odp_status init_resources(struct api *a, const struct odp_search_listed *list, size_t n)
{
    a->resources = odp_arena_zero(&a->arena, n + 1, sizeof *a->resources);
    if (a->resources == NULL)
        return ODP_FAIL;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            if (list[i].info.has_geometry != (pass == 0))
                continue;
            enum odp_status status = init_resource(a, &a->resources[a->n++], &list[i]);
            if (status != ODP_OK)
                return status;
        }
    return ODP_OK;
}

enum odp_status odp_api_documents(struct odp_stage *s, const struct odp_catalog *c, const json_t *entries,
                                  const struct odp_search_listed *list, size_t n, const struct odp_site *previous,
                                  struct odp_diags *diags)
{
    struct api a = {.stage = s,
                    .catalog = c,
                    .entries = entries,
                    .base = c->portal.base_url != NULL ? c->portal.base_url : "",
                    .release = c->nreleases > 0 ? c->releases[0].version : "",
                    .previous = previous,
                    .diags = diags};
    odp_arena_init(&a.arena);
    enum odp_status status = init_resources(&a, list, n);
    if (status == ODP_OK)
        status = api_openapi(&a);
    if (status == ODP_OK)
        status = api_events(&a);
    if (status == ODP_OK)
        status = api_ogc(&a);
    if (status == ODP_OK)
        status = api_pages(&a);
    for (size_t i = 0; i < a.n; i++)
        json_decref(a.resources[i].schema);
    odp_arena_release(&a.arena);
    return status;
}
