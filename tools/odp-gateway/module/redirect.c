/* odp_redirect: to a CDN or an object store by a signed address. The secrets are read from their file when
 * nginx reads its configuration; which of them signs is decided for each address. */
#include "module/module_internal.h"

#include "core/secrets/secret.h"
#include "module/sign.h"

/* Owned by the user of the workers, or by the reader. */
static struct odp_secret_owner secret_owner(const ngx_conf_t *cf)
{
    const ngx_core_conf_t *core = (const ngx_core_conf_t *)ngx_get_conf(cf->cycle->conf_ctx, ngx_core_module);
    bool other = geteuid() == 0 && core != NULL && core->user != (ngx_uid_t)NGX_CONF_UNSET_UINT;
    return (struct odp_secret_owner){.user = other ? core->user : geteuid()};
}

static char *read_secret(ngx_conf_t *cf, ngx_str_t *path, struct odp_redirect *to)
{
    char why[ODP_SECRET_WHY] = "";
    if (ngx_conf_full_name(cf->cycle, path, 1) != NGX_OK)
        return NGX_CONF_ERROR;
    to->secrets = ngx_pcalloc(cf->pool, sizeof *to->secrets);
    if (to->secrets == NULL)
        return NGX_CONF_ERROR;
    enum odp_status st =
        odp_secrets_read(to->secrets, (const char *)path->data, secret_owner(cf), 1, ODP_LANG_EN, why);
    if (st == ODP_OK)
        return NGX_CONF_OK;
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "odp_redirect: the secret \"%V\" cannot be read: %s", path,
                       st == ODP_BAD ? why : odp_failure_text());
    odp_failure_clear();
    return NGX_CONF_ERROR;
}

/* s3 without access_key=: each line of the file is ACCESS_KEY:SECRET, so that both are replaced together. */
static bool has_access_keys(const struct odp_redirect *to)
{
    for (size_t i = 0; i < to->secrets->n; i++) {
        const char *colon = strchr(to->secrets->items[i].word, ':');
        if (colon == NULL || colon == to->secrets->items[i].word || colon[1] == '\0')
            return false;
    }
    return true;
}

static bool begins(const ngx_str_t *s, const char *with, ngx_str_t *rest)
{
    size_t n = strlen(with);
    if (s->len <= n || ngx_strncmp(s->data, with, n) != 0)
        return false;
    rest->data = s->data + n;
    rest->len = s->len - n;
    return true;
}

/* True for one of our options; *WRONG is its fault. Everything else is the secret's file. */
static bool read_option(struct odp_redirect *to, ngx_str_t *arg, char **wrong)
{
    static char ttl[] = "needs a ttl from 1s to 7d";
    ngx_str_t rest;
    *wrong = NULL;
    if (begins(arg, "ttl=", &rest)) {
        to->ttl = ngx_parse_time(&rest, 1);
        *wrong = to->ttl > 0 && to->ttl <= 604800 ? NULL : ttl;
        return true;
    }
    if (to->kind == ODP_REDIRECT_S3 && begins(arg, "region=", &rest)) {
        to->region = rest;
        return true;
    }
    if (to->kind == ODP_REDIRECT_S3 && begins(arg, "access_key=", &rest)) {
        to->access_key = rest;
        return true;
    }
    return false;
}

char *odp_redirect_directive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct odp_loc_conf *l = conf;
    ngx_str_t *v = cf->args->elts, secret_file = ngx_null_string, rest;
    if (l->redirect != NULL)
        return "is duplicate";
    struct odp_redirect *to = l->redirect = ngx_pcalloc(cf->pool, sizeof *to);
    if (to == NULL)
        return NGX_CONF_ERROR;
    to->ttl = 300;
    to->url = v[2];
    if (v[1].len == 11 && ngx_strncmp(v[1].data, "secure_link", 11) == 0)
        to->kind = ODP_REDIRECT_SECURE_LINK;
    else if (v[1].len == 2 && ngx_strncmp(v[1].data, "s3", 2) == 0)
        to->kind = ODP_REDIRECT_S3;
    else
        return "knows secure_link and s3";
    if (!begins(&to->url, "https://", &rest) && !begins(&to->url, "http://", &rest))
        return "needs an address that begins with https:// or http://";
    while (to->url.data[to->url.len - 1] == '/')
        to->url.len--;
    for (ngx_uint_t i = 3; i < cf->args->nelts; i++) {
        char *wrong;
        bool option = read_option(to, &v[i], &wrong);
        if (wrong != NULL)
            return wrong;
        if (!option && secret_file.len != 0)
            return "has one secret file, region=, access_key= and ttl= only";
        if (!option)
            secret_file = v[i];
    }
    if (secret_file.len == 0)
        return "needs the file of the secret";
    if (to->kind == ODP_REDIRECT_S3 && to->region.len == 0)
        return "s3 needs region=, and access_key= or a file of ACCESS_KEY:SECRET";
    char *bad = read_secret(cf, &secret_file, to);
    if (bad == NGX_CONF_OK && to->kind == ODP_REDIRECT_S3 && to->access_key.len == 0 && !has_access_keys(to))
        return "s3 needs access_key=, or a file of ACCESS_KEY:SECRET";
    return bad;
}

/* ACCESS_KEY:SECRET in its two parts; without a colon KEY stays. */
static struct odp_slice split_s3(struct odp_slice word, bool whole, struct odp_slice *key)
{
    const char *colon = whole ? NULL : memchr(word.ptr, ':', word.len);
    if (colon == NULL)
        return word;
    *key = (struct odp_slice){word.ptr, (size_t)(colon - word.ptr)};
    return (struct odp_slice){colon + 1, word.len - key->len - 1};
}

static ngx_str_t sign(ngx_http_request_t *r, const struct odp_redirect *to, struct odp_slice path)
{
    const struct odp_secret *by = odp_secrets_signs(to->secrets, (int64_t)ngx_time());
    struct odp_slice word = by->word[0] != '\0'
                                ? odp_slice_of(by->word)
                                : (struct odp_slice){(const char *)by->bytes, sizeof by->bytes};
    struct odp_buffer b = {0};
    ngx_str_t url = ngx_null_string;
    enum odp_status st;
    if (to->kind == ODP_REDIRECT_SECURE_LINK) {
        st = odp_sign_secure_link(&b, odp_slice_from(&to->url), path, word, by->id,
                                  (int64_t)(ngx_time() + to->ttl));
    } else {
        struct odp_sign_s3 s = {.url = odp_slice_from(&to->url),
                                .region = odp_slice_from(&to->region),
                                .access_key = odp_slice_from(&to->access_key)};
        s.secret = split_s3(word, to->access_key.len != 0, &s.access_key);
        st = odp_sign_s3(&b, &s, path, (int64_t)ngx_time(), (unsigned)to->ttl);
    }
    if (st == ODP_OK)
        url = odp_pool_copy(r, odp_buffer_slice(&b));
    if (url.len == 0) {
        ngx_log_error(NGX_LOG_CRIT, r->connection->log, 0, "odp: cannot sign an address: %s",
                      odp_failure_text());
        odp_failure_clear();
    }
    odp_buffer_release(&b);
    return url;
}

ngx_int_t odp_redirect_send(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_redirect *to)
{
    ngx_str_t url = sign(r, to, ctx->file->entry.path);
    if (url.len == 0)
        return odp_refuse(r, ctx, ODP_PROBLEM_INTERNAL);
    ctx->addressed = 1;
    r->headers_out.status = NGX_HTTP_MOVED_TEMPORARILY;
    r->headers_out.content_length_n = 0;
    r->headers_out.location = odp_header_add(r, "Location", url);
    if (r->headers_out.location == NULL ||
        odp_header_add(r, "Cache-Control", odp_str(ODP_LIT("no-store"))) == NULL)
        return NGX_ERROR;
    if (ctx->file->varies && odp_header_add(r, "Vary", odp_str(ODP_LIT("Accept-Encoding"))) == NULL)
        return NGX_ERROR;
    ngx_int_t rc = ngx_http_send_header(r);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    return ngx_http_send_special(r, NGX_HTTP_LAST);
}
