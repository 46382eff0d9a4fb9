/* The pages v1/ogc/….html (Indonesian) and ….en.html: what this is and how to open it, for people. Their text
 * is in templates/ogc; here is what it is filled with (templates/ogc/model.json). Links are relative, with
 * full names, so that the pages work from a folder, too.
 *
 * GDAL 3.6 asks for 10 records at a time unless told -oo PAGE_SIZE=1000: pages say so, since each request
 * costs quota. */
#include "site/api/api_internal.h"

#include <math.h>
#include <stdio.h>

#include "base/html.h"

struct pages {
    struct api *api;
    enum odp_lang lang;
    struct odp_buffer out;
};

static void set_said(struct pages *p, json_t *o, const char *key, const struct odp_text *t)
{
    odp_doc_set_str(&p->api->doc, o, key, odp_text_get(t, p->lang));
}

/* ---- figures ---- */

/* 1.204 or 1,204 */
static const char *count(struct pages *p, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    odp_buffer_clear(&p->out);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            odp_buffer_add_char(&p->out, p->lang == ODP_LANG_ID ? '.' : ',');
        odp_buffer_add_char(&p->out, digits[i]);
    }
    return odp_buffer_cstr(&p->out);
}

static const char *word(const struct pages *p, const char *key)
{
    const char *w = odp_templates_word(p->api->templates, key, p->lang);
    return w != NULL ? w : key;
}

/* "poligon, multipoligon" */
static const char *geometry(struct pages *p, const struct odp_search_info *info)
{
    unsigned n;
    const char *const *types = api_geometry_types(&n);
    if (!info->has_geometry)
        return word(p, "no_geometry");
    odp_buffer_clear(&p->out);
    for (unsigned t = 0; t < n; t++)
        if ((info->geometry_types & (1u << t)) != 0)
            odp_buffer_printf(&p->out, "%s%s", p->out.len > 0 ? ", " : "", word(p, types[t]));
    return p->out.len > 0 ? odp_buffer_cstr(&p->out) : word(p, "some_geometry");
}

/* Three decimals: about a hundred metres. */
static void add_degrees(struct pages *p, double v)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%.3f", fabs(v));
    char *point = strchr(text, '.');
    if (point != NULL && p->lang == ODP_LANG_ID)
        *point = ',';
    odp_buffer_add_str(&p->out, v < 0 && strcspn(text, "123456789") < strlen(text) ? "−" : "");
    odp_buffer_add_str(&p->out, text);
}

static const char *extent(struct pages *p, const struct odp_search_info *info)
{
    static const char *const sides[] = {"west", "south", "east", "north"};
    odp_buffer_clear(&p->out);
    for (int k = 0; k < 4; k++) {
        odp_buffer_printf(&p->out, "%s%s ", k > 0 ? " · " : "", word(p, sides[k]));
        add_degrees(p, info->bbox[k]);
        odp_buffer_add_str(&p->out, "°");
    }
    return odp_buffer_cstr(&p->out);
}

static const char *interval(struct pages *p, const struct odp_search_info *info)
{
    odp_buffer_clear(&p->out);
    for (int k = 0; k < 2; k++) {
        odp_buffer_add_str(&p->out, k > 0 ? " – " : "");
        if (info->interval[k] != NULL)
            odp_html_date(&p->out, info->interval[k], p->lang);
        else
            odp_buffer_add_str(&p->out, "…");
    }
    return odp_buffer_cstr(&p->out);
}

/* ---- the model of a collection ---- */

/* Title, description and type; the description is left away where it only says the title again. */
static json_t *make_column(struct pages *p, const struct api_resource *r, uint32_t k)
{
    const struct odp_search_column *c = &r->info->columns[k];
    const struct odp_text description = api_column_description(r, k);
    const char *title = odp_text_get(&c->title, p->lang), *more = odp_text_get(&description, p->lang);
    json_t *o = json_object();
    odp_doc_set_str(&p->api->doc, o, "name", c->name);
    odp_doc_set_str(&p->api->doc, o, "title", *title != '\0' ? title : c->name);
    odp_doc_set_str(&p->api->doc, o, "more", strcmp(more, title) != 0 ? more : "");
    set_said(p, o, "type", &odp_field_type(c->type)->label);
    set_said(p, o, "unit", &c->unit);
    return o;
}

static bool is_key(const struct odp_search_info *info, uint32_t k)
{
    for (uint32_t i = 0; i < info->nkey; i++)
        if (info->key[i] == k)
            return true;
    return false;
}

static json_t *make_fields(struct pages *p, const struct api_resource *r)
{
    json_t *list = json_array();
    for (uint32_t k = 0; k < r->info->nfields; k++) {
        json_t *o = make_column(p, r, k);
        odp_doc_set(&p->api->doc, o, "key", json_boolean(is_key(r->info, k)));
        odp_doc_add(&p->api->doc, list, o);
    }
    return list;
}

/* The values of a closed list, as texts. */
static json_t *make_values(struct pages *p, const struct api_resource *r, uint32_t k)
{
    json_t *schema = api_field(p->api, r, k, API_VALUE), *list = json_array();
    const json_t *values = json_object_get(schema, "enum"), *v;
    size_t i;
    json_array_foreach(values, i, v)
        odp_doc_add(&p->api->doc, list,
                    json_is_string(v) ? json_incref((json_t *)(uintptr_t)v)
                                      : json_sprintf("%" JSON_INTEGER_FORMAT, json_integer_value(v)));
    json_decref(schema);
    return list;
}

static json_t *make_queryables(struct pages *p, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    json_t *list = json_array();
    if (info->has_geometry && info->geometry_name != NULL)
        odp_doc_add(&p->api->doc, list,
                    json_pack("{s:s, s:s, s:s, s:[]}", "name", info->geometry_name, "title",
                              word(p, "geometry"), "type", geometry(p, info), "values"));
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        if (!api_is_queryable(&info->columns[k]))
            continue;
        json_t *o = make_column(p, r, k);
        odp_doc_set(&p->api->doc, o, "values", make_values(p, r, k));
        odp_doc_add(&p->api->doc, list, o);
    }
    return list;
}

/* The files of the version; addresses of the index begin with "../", and stand in v1/. */
static json_t *make_files(struct pages *p, const struct api_resource *r)
{
    const json_t *files = json_object_get(r->resource, "files"), *f;
    json_t *list = json_array();
    size_t i;
    json_array_foreach(files, i, f)
    {
        const char *url = api_text(f, "url"), *name = strrchr(url, '/');
        odp_doc_add(&p->api->doc, list,
                    json_pack("{s:s, s:s, s:s}", "url", url, "name", name != NULL ? name + 1 : url, "format",
                              api_text(f, "format")));
    }
    return list;
}

static json_t *make_collection(struct pages *p, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    const json_t *license = json_object_get(r->entry, "license");
    const struct odp_text license_title = api_both(license, "title"),
                          producer = api_both(r->entry, "producer");
    struct odp_doc *d = &p->api->doc;
    json_t *o = json_object(), *files = make_files(p, r);
    odp_doc_set_str(d, o, "id", r->id);
    set_said(p, o, "title", &r->title);
    odp_doc_set_str(d, o, "both", api_joined(p->api, &r->title, " / "));
    set_said(p, o, "description", &r->description);
    odp_doc_set_str(d, o, "rows", count(p, info->rows));
    odp_doc_set_str(d, o, "geometry", geometry(p, info));
    odp_doc_set_str(d, o, "extent", info->has_bbox ? extent(p, info) : "");
    odp_doc_set_str(d, o, "interval",
                    info->interval[0] != NULL || info->interval[1] != NULL ? interval(p, info) : "");
    odp_doc_set_str(d, o, "version", info->version);
    set_said(p, o, "producer", &producer);
    odp_doc_set_str(d, o, "license", api_text(license, "path"));
    odp_doc_set_str(d, o, "license_title",
                    odp_text_is_empty(&license_title) ? api_text(license, "name")
                                                      : odp_text_get(&license_title, p->lang));
    odp_doc_set(d, o, "has_files", json_boolean(json_array_size(files) > 0));
    odp_doc_set(d, o, "files", files);
    odp_doc_set(d, o, "fields", make_fields(p, r));
    odp_doc_set(d, o, "queryables", make_queryables(p, r));
    return o;
}

static json_t *make_model(struct pages *p)
{
    const struct odp_portal *portal = &p->api->catalog->portal;
    struct odp_doc *d = &p->api->doc;
    json_t *o = json_object(), *collections = json_array(), *classes = json_array();
    for (size_t i = 0; i < p->api->n; i++)
        odp_doc_add(d, collections, make_collection(p, &p->api->resources[i]));
    for (const char *const *c = api_conformance; *c != NULL; c++)
        odp_doc_add(d, classes, json_string(*c));
    set_said(p, o, "portal", &portal->title);
    set_said(p, o, "publisher", &portal->publisher);
    odp_doc_set(d, o, "indonesian", json_boolean(p->lang == ODP_LANG_ID));
    odp_doc_set_str(d, o, "ending", p->lang == ODP_LANG_ID ? ".html" : ".en.html");
    odp_doc_set_str(d, o, "base", p->api->base);
    odp_doc_set_str(d, o, "first", p->api->n > 0 ? p->api->resources[0].id : "koleksi");
    odp_doc_set(d, o, "conformance", classes);
    odp_doc_set(d, o, "collections", collections);
    return o;
}

/* ---- pages ---- */

/* PAGE about ONE (or NULL) at STEM within v1/ogc/, from where UP leads back. */
static enum odp_status put(struct pages *p, const char *page, const json_t *model, const json_t *one,
                           const char *stem, const char *up)
{
    static const char *const endings[ODP_LANGS] = {[ODP_LANG_ID] = ".html", [ODP_LANG_EN] = ".en.html"};
    json_t *place = json_object();
    odp_doc_set_str(&p->api->doc, place, "up", up);
    odp_doc_set_str(&p->api->doc, place, "other",
                    odp_arena_printf(&p->api->arena, "%s%s%s", up, stem,
                                     endings[p->lang == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID]));
    odp_buffer_clear(&p->out);
    enum odp_status status =
        odp_templates_render(p->api->templates, page, p->lang, (const json_t *const[]){model, place, one},
                             one != NULL ? 3 : 2, &p->out);
    if (status == ODP_OK)
        status = api_put_page(p->api, odp_arena_printf(&p->api->arena, "v1/ogc/%s%s", stem, endings[p->lang]),
                              &p->out);
    json_decref(place);
    return status;
}

static enum odp_status put_pages(struct pages *p, const json_t *model)
{
    static const char *const pages[] = {"index", "conformance", "collections"};
    const json_t *collections = json_object_get(model, "collections"), *c;
    enum odp_status status = ODP_OK;
    size_t i;
    for (i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++)
        status = put(p, pages[i], model, NULL, pages[i], "");
    json_array_foreach(collections, i, c)
    {
        const char *stem = odp_arena_printf(&p->api->arena, "collections/%s", api_text(c, "id"));
        if (status == ODP_OK)
            status = put(p, "collection", model, c, stem, "../");
        if (status == ODP_OK)
            status = put(p, "queryables", model, c, odp_arena_printf(&p->api->arena, "%s/queryables", stem),
                         "../../");
    }
    return status;
}

enum odp_status api_pages(struct api *a)
{
    struct pages p = {.api = a};
    enum odp_status status = ODP_OK;
    odp_buffer_init(&p.out);
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++) {
        p.lang = (enum odp_lang)lang;
        json_t *model = make_model(&p);
        status = a->doc.failed ? ODP_FAIL : put_pages(&p, model);
        json_decref(model);
    }
    odp_buffer_release(&p.out);
    return status;
}
