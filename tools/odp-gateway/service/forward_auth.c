/* /forward-auth for servers that cannot load the module: stock nginx (auth_request) and Caddy (forward_auth)
 * ask it before they serve.
 *
 * What was asked for comes in headers that a client can send, too; the recipes overwrite those that they use,
 * not the others. So every address that is there is looked at, and a key is asked for if one of them needs
 * it; a preflight passes only if every method that is there says so. An address is looked at in every form
 * some server may turn it into: decoded once and again, dots and slashes resolved or not, letters in either
 * case, parameters of segments taken off. If any of these needs a key, a key is needed; what cannot be read
 * needs one.
 *
 * Caddy passes our answer on; nginx knows 401 and 403 alone, and fetches /problem with what X-Odp-Status and
 * X-Odp-Code said.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "base/line.h"
#include "service/accounts/caller.h"
#include "service/http/endpoint.h"

enum { URI_MAX = 8192, DECODE_ROUNDS = 3, STRIPE = ODP_METER_STRIPES - 1 };

static void lower(char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s[i] = odp_lower(s[i]);
}

/* Segments "", "." and ".." resolved as nginx does, backslashes taken for slashes, in place. */
static size_t resolve(char *s, size_t n)
{
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        while (i < n && (s[i] == '/' || s[i] == '\\'))
            i++;
        size_t start = i;
        while (i < n && s[i] != '/' && s[i] != '\\')
            i++;
        size_t len = i - start;
        bool up = len == 2 && s[start] == '.' && s[start + 1] == '.';
        if (up)
            while (out > 0 && s[--out] != '/')
                continue;
        if (up || len == 0 || (len == 1 && s[start] == '.'))
            continue;
        s[out++] = '/';
        memmove(s + out, s + start, len);
        out += len;
    }
    bool folder = n > 0 && (s[n - 1] == '/' || s[n - 1] == '\\');
    if (out == 0 || folder)
        s[out++] = '/';
    return out;
}

static size_t without_parameters(char *s, size_t n)
{
    size_t out = 0;
    bool skip = false;
    for (size_t i = 0; i < n; i++) {
        skip = s[i] != '/' && (skip || s[i] == ';');
        if (!skip)
            s[out++] = s[i];
    }
    return out;
}

/* The forms of one decoded path. */
static bool form_needs_key(const char *path, size_t n, char *work)
{
    if (n == 0 || path[0] != '/' || odp_control_needs_key((struct odp_slice){path, n}))
        return true;
    memcpy(work, path, n);
    lower(work, n);
    if (odp_control_needs_key((struct odp_slice){work, n}))
        return true;
    size_t m = resolve(work, n);
    if (odp_control_needs_key((struct odp_slice){work, m}))
        return true;
    m = without_parameters(work, m);
    m = resolve(work, m);
    return odp_control_needs_key((struct odp_slice){work, m});
}

static bool path_needs_key(struct odp_slice path)
{
    char now[URI_MAX], next[URI_MAX], work[URI_MAX + 1];
    size_t n = path.len;
    if (n == 0 || n >= URI_MAX)
        return true;
    memcpy(now, path.ptr, n);
    for (int round = 0; round <= DECODE_ROUNDS; round++) {
        size_t m = 0;
        if (form_needs_key(now, n, work))
            return true;
        if (memchr(now, '%', n) == NULL)
            return false;
        if (!odp_percent_decode((struct odp_slice){now, n}, next, &m))
            return round == 0; /* "100%" is a name once it was decoded, and an error before */
        memcpy(now, next, m);
        n = m;
    }
    return true;
}

static struct odp_slice path_of(struct odp_slice uri)
{
    struct odp_slice path = odp_slice_cut(&uri, '?');
    return odp_slice_cut(&path, '#');
}

static bool uri_needs_key(struct odp_slice uri)
{
    return path_needs_key(path_of(uri));
}

static bool preflight(const struct odp_call *c)
{
    bool original = c->original_uri.len > 0, forwarded = c->forwarded_uri.len > 0;
    if (c->ambiguous || (!original && !forwarded))
        return false;
    if ((original || c->original_method.len > 0) && !odp_slice_is(c->original_method, "OPTIONS"))
        return false;
    return !(forwarded || c->forwarded_method.len > 0) || odp_slice_is(c->forwarded_method, "OPTIONS");
}

static bool needs_key(const struct odp_call *c)
{
    bool original = c->original_uri.len > 0, forwarded = c->forwarded_uri.len > 0;
    if (c->ambiguous || (!original && !forwarded))
        return true;
    return (original && uri_needs_key(c->original_uri)) || (forwarded && uri_needs_key(c->forwarded_uri));
}

/* Below search/ only what control calls public may be sent, by its own name alone. */
static bool is_closed(struct odp_state *s, struct odp_slice uri)
{
    static const char folder[] = "/search/";
    struct odp_slice path = path_of(uri);
    struct odp_entry e;
    bool open = false;
    if (path.len < sizeof folder - 1 || memcmp(path.ptr, folder, sizeof folder - 1) != 0)
        return false;
    if (s->web != NULL) {
        struct odp_web_site *site = odp_holder_acquire(&s->web->site);
        open = site != NULL && odp_control_route(site->control, path, &e) == ODP_ROUTE_FILE &&
               e.cls == ODP_ENTRY_PUBLIC;
        odp_holder_drop(&s->web->site, site);
    }
    return !open;
}

static void limit_headers(struct odp_answer *a, const struct odp_settings *settings,
                          const struct odp_grant *g)
{
    char text[160];
    if (g->tier >= settings->ntiers || g->tier >= ODP_TIERS_MAX)
        return;
    if (odp_quota_policy_header(&settings->tiers[g->tier], text, sizeof text) > 0)
        odp_answer_header(a, "RateLimit-Policy", text);
    if (odp_quota_header(g, text, sizeof text) > 0)
        odp_answer_header(a, "RateLimit", text);
    odp_answer_header(a, "X-Odp-Key", g->shown);
    odp_answer_header(a, "X-Odp-Tier", settings->tiers[g->tier].name);
    if (g->account_record != UINT32_MAX) { /* for the query door, after a server that asks us */
        (void)snprintf(text, sizeof text, "%" PRIu32, g->account_record);
        odp_answer_header(a, "X-Odp-Account", text);
    }
}

static enum odp_status refuse(struct odp_answer *a, enum odp_problem p, int64_t retry)
{
    char text[24];
    if (retry > 0) {
        (void)snprintf(text, sizeof text, "%lld", (long long)retry);
        odp_answer_header(a, "Retry-After", text);
    }
    odp_answer_problem(a, p, NULL, NULL);
    (void)snprintf(text, sizeof text, "%d", a->status);
    odp_answer_header(a, "X-Odp-Status", text);
    odp_answer_header(a, "X-Odp-Code", odp_problem_info(p)->code);
    odp_answer_header(a, "Access-Control-Allow-Origin", "*");
    if (a->s->meter != NULL)
        odp_meter_refusal(a->s->meter, STRIPE, p);
    bool nginx = a->c->original_uri.len > 0 || odp_slice_is_nocase(a->c->client_kind, "nginx");
    if (nginx && a->status != 401)
        a->status = 403;
    return ODP_OK;
}

/* Usage by dataset; names come from the site's own control file. */
static void count_use(const struct odp_answer *a, const struct odp_settings *settings,
                      const struct odp_grant *g)
{
    char path[URI_MAX];
    size_t n = 0;
    struct odp_entry e;
    struct odp_slice raw = path_of(a->c->original_uri.len > 0 ? a->c->original_uri : a->c->forwarded_uri);
    if (a->s->web == NULL || a->s->meter == NULL || raw.len >= sizeof path || g->tier >= ODP_TIERS_MAX ||
        !odp_percent_decode(raw, path, &n))
        return;
    struct odp_web_site *site = odp_holder_acquire(&a->s->web->site);
    if (site != NULL && odp_control_route(site->control, (struct odp_slice){path, n}, &e) != ODP_ROUTE_NONE &&
        e.dataset.len > 0) {
        int32_t slot = odp_meter_slot(a->s->meter, e.dataset, e.format, settings->tiers[g->tier].name);
        if (slot >= 0)
            odp_meter_use(a->s->meter, slot, g->day);
    }
    odp_holder_drop(&a->s->web->site, site);
}

static enum odp_status check(struct odp_answer *a)
{
    struct odp_slice key;
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_settings settings;
    struct odp_grant g = {.record = UINT32_MAX};
    int p = odp_http_bearer(a->c, &key);
    if (p >= 0)
        return refuse(a, (enum odp_problem)p, 0);
    if (odp_key_digest(key, digest) != ODP_OK)
        return ODP_FAIL;
    odp_http_settings(a->s, &settings);
    enum odp_verdict v = odp_quota_take(a->s->table, &settings, digest, odp_call_ms(a->c), &g);
    if (v == ODP_PASS || v == ODP_BURST_EXCEEDED || v == ODP_QUOTA_EXCEEDED)
        limit_headers(a, &settings, &g);
    if (v != ODP_PASS)
        return refuse(a, odp_problem_of_verdict(v),
                      v == ODP_BURST_EXCEEDED || v == ODP_QUOTA_EXCEEDED ? g.retry_after : 0);
    count_use(a, &settings, &g);
    a->status = 204;
    return ODP_OK;
}

enum odp_status odp_endpoint_forward_auth(struct odp_answer *a)
{
    enum odp_status st = ODP_OK;
    int64_t began = odp_clock_us();
    a->status = 204;
    if (a->s->table == NULL)
        st = refuse(a, ODP_PROBLEM_UNAVAILABLE, 5);
    else if (preflight(a->c))
        st = ODP_OK;
    else if (odp_key_is_in(a->c->original_uri) || odp_key_is_in(a->c->forwarded_uri))
        st = refuse(a, ODP_PROBLEM_KEY_IN_QUERY, 0);
    else if (is_closed(a->s, a->c->original_uri) || is_closed(a->s, a->c->forwarded_uri))
        st = refuse(a, ODP_PROBLEM_NOT_FOUND, 0);
    else if (needs_key(a->c))
        st = check(a);
    if (st == ODP_OK && a->s->meter != NULL) {
        int status = a->problem >= 0 ? odp_problem_info((enum odp_problem)a->problem)->status : a->status;
        odp_meter_request(a->s->meter, STRIPE, status, (uint64_t)(odp_clock_us() - began), a->body.len);
    }
    return st;
}

/* What /problem is told comes from the recipe's headers, or the query; it goes into headers of the answer
 * only if it looks like them. */
static void said(struct odp_slice header, const struct odp_call *c, const char *name, const char *allowed,
                 char *out, size_t cap)
{
    struct odp_buffer text = {0};
    if (header.len > 0)
        odp_buffer_add_slice(&text, header);
    else if (odp_form_get(c->query, name, &text) != 1)
        odp_buffer_reset(&text);
    out[0] = '\0';
    if (odp_buffer_status(&text) == ODP_OK && text.len < cap &&
        strspn(odp_buffer_cstr(&text), allowed) == text.len)
        (void)snprintf(out, cap, "%s", odp_buffer_cstr(&text));
    odp_buffer_release(&text);
}

enum odp_status odp_endpoint_problem(struct odp_answer *a)
{
    static const char digits[] = "0123456789", letters[] = "abcdefghijklmnopqrstuvwxyz-";
    static const char fields[] = "abcdefghijklmnopqrstuvwxyz0123456789-=;, \"";
    char code[40], retry[12], limit[160], policy[160];
    said(a->c->problem_code, a->c, "code", letters, code, sizeof code);
    said(a->c->problem_retry, a->c, "retry-after", digits, retry, sizeof retry);
    said(a->c->problem_limit, a->c, "ratelimit", fields, limit, sizeof limit);
    said(a->c->problem_policy, a->c, "ratelimit-policy", fields, policy, sizeof policy);
    int found = -1;
    for (int i = 0; i < ODP_PROBLEM_COUNT && found < 0; i++)
        if (strcmp(odp_problem_info((enum odp_problem)i)->code, code) == 0)
            found = i;
    if (retry[0] != '\0')
        odp_answer_header(a, "Retry-After", retry);
    if (limit[0] != '\0')
        odp_answer_header(a, "RateLimit", limit);
    if (policy[0] != '\0')
        odp_answer_header(a, "RateLimit-Policy", policy);
    odp_answer_problem(a, found >= 0 ? (enum odp_problem)found : ODP_PROBLEM_NOT_FOUND, NULL, NULL);
    odp_answer_header(a, "Access-Control-Allow-Origin", "*");
    return ODP_OK;
}
