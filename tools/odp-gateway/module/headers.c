/* Headers of a request found, headers of its answer added, found and taken off; an answer out of one
 * buffer. */
#include "module/module_internal.h"

const char odp_exposed[] =
    "ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Deprecation, Sunset, Repr-Digest, Content-Range, "
    "OGC-NumberMatched, OGC-NumberReturned";

ngx_table_elt_t *odp_header_add(ngx_http_request_t *r, const char *key, ngx_str_t value)
{
    if (value.data == NULL)
        return NULL;
    ngx_table_elt_t *h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL)
        return NULL;
    ngx_memzero(h, sizeof *h);
    h->hash = 1;
    h->key = odp_str(odp_slice_of(key));
    h->value = value;
    return h;
}

static ngx_table_elt_t *find(ngx_list_t *list, const char *name)
{
    for (ngx_list_part_t *part = &list->part; part != NULL; part = part->next) {
        ngx_table_elt_t *h = part->elts;
        for (ngx_uint_t i = 0; i < part->nelts; i++) {
            if (h[i].hash != 0 && h[i].key.len == strlen(name) &&
                ngx_strncasecmp(h[i].key.data, (u_char *)(uintptr_t)name, h[i].key.len) == 0)
                return &h[i];
        }
    }
    return NULL;
}

struct odp_slice odp_header_in(ngx_http_request_t *r, const char *name)
{
    ngx_table_elt_t *h = find(&r->headers_in.headers, name);
    return h != NULL ? odp_slice_from(&h->value) : (struct odp_slice){"", 0};
}

/* Taking an element out of nginx's list would cut a part of it in two; instead it gets the name of one that
 * belongs to the connection, which no upstream is sent. */
void odp_header_keep(ngx_http_request_t *r, const char *name)
{
    static u_char other[] = "keep-alive";
    ngx_table_elt_t *h;
    while ((h = find(&r->headers_in.headers, name)) != NULL) {
        h->key = (ngx_str_t){sizeof other - 1, other};
        h->lowcase_key = other;
        h->hash = ngx_hash_key(other, sizeof other - 1);
        ngx_str_null(&h->value);
    }
}

ngx_table_elt_t *odp_header_find(ngx_http_request_t *r, const char *name)
{
    return find(&r->headers_out.headers, name);
}

void odp_header_drop(ngx_http_request_t *r, const char *name)
{
    ngx_table_elt_t *h;
    while ((h = odp_header_find(r, name)) != NULL)
        h->hash = 0;
}

ngx_int_t odp_send_text(ngx_http_request_t *r, ngx_str_t type, ngx_str_t body)
{
    ngx_buf_t *b = ngx_calloc_buf(r->pool);
    if (body.len == 0 || b == NULL)
        return NGX_ERROR;
    r->headers_out.content_length_n = (off_t)body.len;
    r->headers_out.content_type = type;
    r->headers_out.content_type_len = type.len;
    r->headers_out.content_type_lowcase = NULL;
    r->headers_out.charset.len = 0;
    r->disable_not_modified = 1;
    ngx_int_t rc = ngx_http_send_header(r);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    b->memory = 1;
    b->pos = body.data;
    b->last = body.data + body.len;
    b->last_buf = r == r->main;
    b->last_in_chain = 1;
    ngx_chain_t out = {b, NULL};
    return ngx_http_output_filter(r, &out);
}
