/* Bodies of forms (application/x-www-form-urlencoded) as JSON objects, so that one set of rules judges both.
 * A form that cannot be read (broken escapes, a NUL, bytes that are no UTF-8, a field twice) is refused
 * whole. Two things that browsers do are fine: a text of several lines becomes one line, and an empty field
 * is absent. */
#include <string.h>
#include <strings.h>

#include "base/line.h"
#include "base/utf8.h"
#include "core/origin.h"
#include "service/http/form.h"
#include "service/http/text.h"

/* Decodes S into OUT (emptied first). False: broken, a NUL, no UTF-8, or out of memory (OUT has failed then).
 */
static bool decoded(struct odp_slice s, struct odp_buffer *out)
{
    return odp_form_decode(s, out) && odp_utf8_valid(odp_buffer_slice(out)) == out->len;
}

/* Line ends and tabs, with the blanks around them, become one blank. */
static void join_lines(struct odp_buffer *text)
{
    size_t n = 0;
    bool turning = false;
    for (size_t i = 0; i < text->len; i++) {
        char ch = text->ptr[i];
        if (ch == '\r' || ch == '\n' || ch == '\t') {
            while (n > 0 && text->ptr[n - 1] == ' ')
                n--;
            turning = true;
        } else if (!turning || ch != ' ') {
            if (turning && n > 0)
                text->ptr[n++] = ' ';
            text->ptr[n++] = ch;
            turning = false;
        }
    }
    text->len = n;
}

/* TEXT as an integer of nine digits at most; anything else stays text, and is refused as what it is. */
static json_t *number_of(struct odp_slice text)
{
    uint64_t v;
    if (text.len == 0)
        return json_null();
    return text.len <= 9 && odp_number_read(text, &v) ? json_integer((json_int_t)v)
                                                      : json_stringn(text.ptr, text.len);
}

static json_t *value_of(const struct odp_member *f, struct odp_buffer *text)
{
    if (f != NULL && f->kind == ODP_FIELD_NUMBER)
        return number_of(odp_slice_trim(odp_buffer_slice(text)));
    if (f != NULL && f->kind == ODP_FIELD_BOOL)
        return json_boolean(text->len > 0);
    join_lines(text);
    return json_stringn(odp_or_empty(text->ptr), text->len);
}

const struct odp_member *odp_member_find(const struct odp_member *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

struct reading {
    const struct odp_member *fields;
    size_t n;
    struct odp_buffer name, value;
    const char *guilty; /* a field of ours, or NULL */
};

static enum odp_status add_pair(struct reading *r, struct odp_slice name, struct odp_slice value, json_t *doc)
{
    if (!decoded(name, &r->name))
        return r->name.failed ? ODP_FAIL : ODP_BAD;
    const char *key = odp_buffer_cstr(&r->name);
    const struct odp_member *f = odp_member_find(r->fields, r->n, key);
    r->guilty = f != NULL ? f->name : NULL;
    if (strcmp(key, "lang") == 0) /* every form has the language of its page */
        return ODP_OK;
    if (!decoded(value, &r->value))
        return r->value.failed ? ODP_FAIL : ODP_BAD;
    if (json_object_get(doc, key) != NULL)
        return ODP_BAD;
    return json_object_set_new(doc, key, value_of(f, &r->value)) == 0 ? ODP_OK
                                                                      : odp_failure_set("form", NULL, 0);
}

enum odp_status odp_form_doc(struct odp_slice body, const struct odp_member *fields, size_t n, json_t **doc,
                             const char **guilty)
{
    struct reading r = {.fields = fields, .n = n};
    struct odp_slice name, value;
    enum odp_status st = ODP_OK;
    *doc = json_object();
    if (*doc == NULL)
        st = odp_failure_set("form", NULL, 0);
    while (st == ODP_OK && odp_form_next(&body, &name, &value))
        st = add_pair(&r, name, value, *doc);
    *guilty = st == ODP_BAD ? r.guilty : NULL;
    odp_form_release(&r.name);
    odp_form_release(&r.value);
    return st;
}

void odp_form_release(struct odp_buffer *b)
{
    if (b->ptr != NULL)
        explicit_bzero(b->ptr, b->cap);
    odp_buffer_release(b);
}

void odp_form_kept(struct odp_slice body, const char *name, size_t max, struct odp_buffer *out)
{
    struct odp_slice key, value;
    odp_buffer_reset(out);
    while (odp_form_next(&body, &key, &value)) {
        if (!decoded(key, out) || !odp_slice_is(odp_buffer_slice(out), name))
            continue;
        if (decoded(value, out) && odp_utf8_count(odp_buffer_slice(out)) <= max)
            return;
        break;
    }
    odp_buffer_reset(out);
}

bool odp_form_lang(struct odp_slice body, enum odp_lang *lang)
{
    struct odp_buffer text = {0};
    odp_form_kept(body, "lang", 2, &text);
    bool en = odp_slice_is(odp_buffer_slice(&text), "en"),
         known = en || odp_slice_is(odp_buffer_slice(&text), "id");
    if (known)
        *lang = en ? ODP_LANG_EN : ODP_LANG_ID;
    odp_buffer_release(&text);
    return known;
}

/* ---- where a form comes from ---- */

/* "https://data.example.go.id:8443/x" -> data.example.go.id; what has no scheme begins with the host. */
static struct odp_slice host_of(struct odp_slice url)
{
    const char *scheme = url.len > 0 ? memmem(url.ptr, url.len, "://", 3) : NULL;
    if (scheme != NULL)
        url = (struct odp_slice){scheme + 3, url.len - (size_t)(scheme + 3 - url.ptr)};
    struct odp_slice host;
    int port;
    return odp_host_port(odp_slice_cut(&url, '/'), &host, &port) ? host : (struct odp_slice){"", 0};
}

static bool same_host(struct odp_slice a, struct odp_slice b)
{
    return a.len > 0 && a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0;
}

/* A browser says by Sec-Fetch-Site whose page sent the form; an older one sends Origin, which is compared
 * with the address of the call (Host, which on the way through a replica is the writer's) and with the site's
 * own. Our own pages, which have no referrer, send an Origin of "null". */
bool odp_http_foreign(const struct odp_answer *a)
{
    struct odp_settings settings;
    if (a->c->fetch_site.len > 0)
        return odp_slice_is_nocase(a->c->fetch_site, "cross-site");
    if (a->c->origin.len == 0 || odp_slice_is(a->c->origin, "null"))
        return false;
    odp_http_settings(a->s, &settings);
    struct odp_slice from = host_of(a->c->origin);
    return !same_host(from, host_of(a->c->host)) &&
           !same_host(from, host_of(odp_slice_of(settings.base_url)));
}
