/* Browsers get the site's own page where there is nothing, and the page that explains a problem at its
 * `type`. Programs get problem documents. The page's bytes come from this machine's disk in every mode;
 * without them it is the problem document after all. */
#include "module/module_internal.h"

#define PAGE_MAX (256u * 1024u)

bool odp_page_on_disk(const struct odp_file *f)
{
    ngx_file_info_t info;
    return f->body != NULL || (ngx_file_info(f->full.data, &info) != NGX_FILE_ERROR && ngx_is_file(&info) &&
                               ngx_file_size(&info) == (off_t)f->entry.size);
}

/* The address as it came, less what was masked in it: after an internal redirect r->uri is another. */
static struct odp_slice asked(const ngx_http_request_t *r)
{
    return odp_slice_from(&r->unparsed_uri);
}

/* The public file at PATH of the present build, in the form that Accept-Encoding wants; NULL: none. */
static struct odp_file *find(ngx_http_request_t *r, const char *path)
{
    struct odp_site_place *site = odp_conf_srv(r)->site;
    ngx_table_elt_t *h = r->headers_in.accept_encoding;
    ngx_str_t accept = h != NULL ? h->value : (ngx_str_t)ngx_string("");
    char uri[64];
    struct odp_look look;
    (void)snprintf(uri, sizeof uri, "/%s", path);
    const struct odp_ask ask = {.uri = odp_slice_of(uri)};
    if (site == NULL || site->control == NULL ||
        odp_cache_look(odp_conf_main(r), site, &ask, &accept, &look) != ODP_OK || look.keyed)
        return NULL;
    return look.file;
}

/* A copy of the page's bytes, since another request may push the file out of memory before they are sent. */
static ngx_str_t body_of(ngx_http_request_t *r, struct odp_file *f)
{
    if (f == NULL || f->entry.size == 0 || f->entry.size > PAGE_MAX || !odp_page_is(f->entry.type) ||
        !odp_page_on_disk(f) || odp_cache_load(odp_conf_main(r), f, PAGE_MAX, r->connection->log) != ODP_OK ||
        f->body == NULL)
        return (ngx_str_t)ngx_null_string;
    return odp_pool_copy(r, (struct odp_slice){(const char *)f->body, (size_t)f->entry.size});
}

static ngx_int_t add_headers(ngx_http_request_t *r, enum odp_lang lang, enum odp_coding coding)
{
    static const struct odp_slice codings[] = {{"", 0}, ODP_LIT("gzip"), ODP_LIT("br")},
                                  languages[] = {
                                      [ODP_LANG_ID] = ODP_LIT("id"), [ODP_LANG_EN] = ODP_LIT("en")};
    if (odp_header_add(r, "Cache-Control", odp_str(ODP_LIT("no-store"))) == NULL ||
        odp_header_add(r, "Vary", odp_str(ODP_LIT("Accept, Accept-Encoding, Accept-Language"))) == NULL ||
        odp_header_add(r, "Content-Language", odp_str(languages[lang])) == NULL)
        return NGX_ERROR;
    if (coding == ODP_CODING_NONE)
        return NGX_OK;
    r->headers_out.content_encoding = odp_header_add(r, "Content-Encoding", odp_str(codings[coding]));
    return r->headers_out.content_encoding != NULL ? NGX_OK : NGX_ERROR;
}

ngx_int_t odp_page_send_not_found(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    if (!(r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD)) ||
        !odp_page_wanted(asked(r), odp_header_in(r, "accept")))
        return NGX_DECLINED;
    enum odp_lang lang = odp_page_lang(asked(r), odp_header_in(r, "accept-language"));
    struct odp_file *f = find(r, odp_page_not_found(lang));
    ngx_str_t body = body_of(r, f);
    if (body.data == NULL)
        return NGX_DECLINED;
    ngx_str_t type = odp_pool_copy(r, f->entry.type);
    if (type.data == NULL || add_headers(r, lang, f->entry.coding) != NGX_OK)
        return NGX_ERROR;
    return odp_send_text(r, type, body);
}

ngx_int_t odp_page_explain(ngx_http_request_t *r, struct odp_ctx *ctx)
{
    struct odp_slice code;
    enum odp_lang lang = odp_page_lang(asked(r), odp_header_in(r, "accept-language"));
    if (!odp_page_explains(odp_slice_from(&r->uri), &code) || find(r, odp_page_errors(lang)) == NULL)
        return NGX_DECLINED;
    ngx_int_t rc = ngx_http_discard_request_body(r);
    return rc != NGX_OK ? rc : odp_moved_explained(r, ctx, lang, code);
}
