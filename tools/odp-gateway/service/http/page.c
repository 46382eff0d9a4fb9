/* Pages of the service: a template in the portal's shell, or in a plain page if the site has none. Nobody
 * stores or frames them, or learns their address by a Referer; none has a script of its own. And pages of
 * links in mails: GET redeems nothing, since mail scanners open links, too. */
#include "service/http/page.h"

#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/html.h"
#include "base/json_load.h"
#include "base/template/template.h"
#include "core/page.h"
#include "service/http/form.h"
#include "service/http/text.h"
#include "service/http/web.h"

/* FRAME_ROOM is for all but text and content. A page is reserved at once: growing would leave copies of a key
 * in freed memory. */
enum { FRAME_ROOM = 8192, CONTENT_ROOM = 2 * ODP_BODY_MAX };

const char *odp_page_root(const struct odp_call *c)
{
    static const char ups[] = "../../../../";
    size_t depth = 0;
    for (size_t i = 1; i < c->path.len; i++)
        depth += c->path.ptr[i] == '/';
    return ups + sizeof ups - 1 - 3 * (depth < 4 ? depth : 4);
}

static const char *language(const struct odp_call *c)
{
    return c->lang == ODP_LANG_EN ? "en" : "id";
}

const char *odp_page_word(const struct odp_answer *a, const char *key)
{
    const char *word = a->s->web != NULL ? odp_templates_word(a->s->web->pages, key, a->c->lang) : NULL;
    return odp_or_empty(word);
}

const char *odp_page_link(const struct odp_answer *a, const char *id, const char *en)
{
    const char *path = odp_say(a->c, id, en);
    struct odp_entry e;
    bool there = false;
    if (a->s->web != NULL) {
        struct odp_web_site *site = odp_holder_acquire(&a->s->web->site);
        there = site != NULL && odp_control_find(site->control, odp_slice_of(path), &e) &&
                odp_slice_is(e.path, path) && e.cls == ODP_ENTRY_PUBLIC;
        odp_holder_drop(&a->s->web->site, site);
    }
    return there ? path : NULL;
}

/* ---- what a page is given ---- */

void odp_page_text(json_t *v, const char *name, const char *text)
{
    json_object_set_new(v, name, json_string(text));
}

void odp_page_number(json_t *v, const struct odp_call *c, const char *name, int64_t n)
{
    char digits[24], text[40];
    int len = snprintf(digits, sizeof digits, "%lld", (long long)n), at = 0;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text[at++] = c->lang == ODP_LANG_EN ? ',' : '.';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    if (n >= 0)
        odp_page_text(v, name, text);
}

void odp_page_time(json_t *v, const struct odp_call *c, const char *name, int64_t t, int32_t zone_minutes)
{
    static const struct {
        int32_t minutes;
        const char *name;
    } zones[] = {{420, "WIB"}, {480, "WITA"}, {540, "WIT"}, {0, "UTC"}};
    char iso[ODP_TIME_SIZE], zone[16];
    struct odp_buffer text = {0};
    odp_time_iso(t, zone_minutes, iso);
    if (t == 0 || strlen(iso) < 25) /* a year beyond four digits: nothing that a key has */
        return;
    (void)snprintf(zone, sizeof zone, "UTC%.6s", iso + 19);
    for (size_t i = 0; i < ODP_COUNT(zones); i++)
        if (zones[i].minutes == zone_minutes)
            (void)snprintf(zone, sizeof zone, "%s", zones[i].name);
    odp_html_plain_date(&text, iso, c->lang);
    odp_buffer_printf(&text, "%s%.2s%c%.2s %s", odp_say(c, " pukul ", " at "), iso + 11,
                      c->lang == ODP_LANG_EN ? ':' : '.', iso + 14, zone);
    json_object_set_new(v, name, json_pack("{s:s, s:s}", "iso", iso, "text", odp_buffer_cstr(&text)));
    odp_buffer_release(&text);
}

/* Texts may be a key. */
static void wipe(json_t *value)
{
    const char *name;
    json_t *member;
    size_t i;
    if (json_is_string(value))
        explicit_bzero((char *)(uintptr_t)json_string_value(value), json_string_length(value));
    json_object_foreach(value, name, member) wipe(member);
    json_array_foreach(value, i, member) wipe(member);
}

/* ---- the frame ---- */

/* The shell has its policy in its own <meta>; the header adds what only a header can say. The plain page has
 * no other policy, which allows its style by digest. */
static enum odp_status write_policy(struct odp_answer *a, bool plain)
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer policy = {0};
    const char *from = plain ? strstr(odp_buffer_cstr(&a->body), "<style>") : NULL,
               *end = from != NULL ? strstr(from, "</style>") : NULL;
    if (!plain) {
        odp_answer_header(a, "Content-Security-Policy",
                          "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'");
        return ODP_OK;
    }
    if (end == NULL || odp_digest_of(from + 7, (size_t)(end - from) - 7, digest) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_add_str(&policy, "default-src 'none'; style-src 'sha256-");
    odp_base64_add(&policy, digest, sizeof digest, 0);
    odp_buffer_add_str(&policy, "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    odp_answer_header(a, "Content-Security-Policy", odp_buffer_cstr(&policy));
    enum odp_status st = odp_buffer_status(&policy);
    odp_buffer_release(&policy);
    return st;
}

/* Drops headers of the problem that this page now has. Retry-After, Allow and WWW-Authenticate stay. */
static void drop_header(struct odp_buffer *headers, const char *name)
{
    size_t n = 0, len = strlen(name);
    for (size_t i = 0; i < headers->len;) {
        const char *end = memchr(headers->ptr + i, '\n', headers->len - i);
        size_t line = end != NULL ? (size_t)(end - (headers->ptr + i)) + 1 : headers->len - i;
        if (line <= len || memcmp(headers->ptr + i, name, len) != 0 || headers->ptr[i + len] != ':') {
            memmove(headers->ptr + n, headers->ptr + i, line);
            n += line;
        }
        i += line;
    }
    headers->len = n;
}

static enum odp_status write_headers(struct odp_answer *a, const struct odp_call *c, bool plain)
{
    drop_header(&a->headers, "Cache-Control");
    drop_header(&a->headers, "Content-Language");
    for (size_t i = 0; i < ODP_PAGE_HEADERS; i++)
        if (strcmp(odp_page_headers[i].name, "Content-Security-Policy") != 0 &&
            strcmp(odp_page_headers[i].name, "Referrer-Policy") != 0)
            odp_answer_header(a, odp_page_headers[i].name, odp_page_headers[i].value);
    odp_answer_header(a, "Referrer-Policy", "no-referrer");
    odp_answer_header(a, "Cache-Control", "no-store");
    odp_answer_header(a, "X-Robots-Tag", "noindex");
    odp_answer_header(a, "Content-Language", language(c));
    return write_policy(a, plain);
}

/* CONTENT in the site's shell. False: it has none. */
static bool fill_shell(struct odp_buffer *b, const struct odp_answer *a, const char *title,
                       const struct odp_buffer *content)
{
    struct odp_web_site *site = odp_holder_acquire(&a->s->web->site);
    const struct odp_shell *shell = site != NULL ? site->shell : NULL;
    bool there = shell != NULL && shell->text[a->c->lang].len > 0;
    if (there && odp_buffer_reserve(b, shell->text[a->c->lang].len + content->len + FRAME_ROOM) != NULL)
        odp_shell_fill(b, odp_buffer_slice(&shell->text[a->c->lang]), title, odp_buffer_slice(content),
                       odp_page_root(a->c));
    odp_holder_drop(&a->s->web->site, site);
    return there;
}

static enum odp_status render(struct odp_buffer *b, const struct odp_answer *a, const char *page,
                              json_t *values)
{
    json_t *common = json_pack("{s:s, s:s}", "root", odp_page_root(a->c), "lang", language(a->c));
    const json_t *scopes[] = {common, values};
    enum odp_status st = odp_buffer_reserve(b, CONTENT_ROOM) != NULL
                             ? odp_templates_render(a->s->web->pages, page, a->c->lang, scopes, 2, b)
                             : ODP_FAIL;
    json_decref(common);
    return st;
}

static enum odp_status frame(struct odp_answer *a, json_t *values, struct odp_buffer *content)
{
    struct odp_buffer *b = &a->body;
    const char *title = odp_json_text(values, "title");
    enum odp_status st = ODP_OK;
    bool plain = !fill_shell(b, a, title, content);
    if (plain) {
        json_t *outer = json_pack("{s:s, s:s%}", "title", title, "content", content->ptr, content->len);
        st = render(b, a, "plain", outer);
        wipe(outer);
        json_decref(outer);
    }
    if (st == ODP_OK)
        st = odp_buffer_status(b);
    return st == ODP_OK ? write_headers(a, a->c, plain)
                        : ODP_FAIL; /* a page without its policy would be a weaker one */
}

enum odp_status odp_answer_page(struct odp_answer *a, int status, const char *page, json_t *v)
{
    char title[48];
    struct odp_buffer content = {0};
    (void)snprintf(title, sizeof title, "%s_title", page);
    if (json_object_get(v, "title") == NULL)
        odp_page_text(v, "title", odp_page_word(a, title));
    enum odp_status st = render(&content, a, page, v);
    odp_form_release(&a->body);
    odp_buffer_init(&a->body);
    a->status = status;
    a->content_type = "text/html; charset=utf-8";
    if (st == ODP_OK)
        st = frame(a, v, &content);
    odp_form_release(&content);
    wipe(v);
    json_decref(v);
    return st == ODP_OK ? odp_answer_whole(a) : ODP_FAIL;
}

enum odp_status odp_answer_notice(struct odp_answer *a, const struct odp_notice *n)
{
    return odp_answer_page(
        a, n->status, "notice",
        json_pack("{s:s, s:s, s:b}", "title", n->title, "text", n->text, "error", (int)n->error));
}

/* ---- problems ---- */

/* Some sentences of the API are about methods and headers; people with a page have buttons. "": the API's
 * sentence is fine. */
static const char *words_for_people(const struct odp_answer *a, const char *code)
{
    char key[64];
    (void)snprintf(key, sizeof key, "people_%s", code);
    for (char *p = key; *p != '\0'; p++)
        *p = *p == '-' ? '_' : *p;
    return odp_page_word(a, key);
}

void odp_page_problem(const struct odp_answer *a, char detail[ODP_PAGE_TEXT], char field[48])
{
    const struct odp_problem_info *p = odp_problem_info((enum odp_problem)a->problem);
    json_t *doc = odp_json_load(a->body.len > 0 ? a->body.ptr : "", a->body.len, 0, NULL);
    const char *general = odp_text_get(&p->words.detail, a->c->lang), *people = words_for_people(a, p->code);
    const char *text = odp_json_text(doc, "detail"), *name = odp_json_text(doc, "field");
    if (text == NULL || (people[0] != '\0' && strcmp(text, general) == 0))
        text = people[0] != '\0' ? people : general;
    (void)snprintf(detail, ODP_PAGE_TEXT, "%s",
                   text[0] != '\0' ? text : odp_text_get(&p->words.title, a->c->lang));
    (void)snprintf(field, 48, "%s", odp_or_empty(name));
    json_decref(doc);
}

enum odp_status odp_answer_problem_page(struct odp_answer *a)
{
    char detail[ODP_PAGE_TEXT], field[48];
    odp_page_problem(a, detail, field);
    const struct odp_text *title = &odp_problem_info((enum odp_problem)a->problem)->words.title;
    const struct odp_notice notice = {a->status, odp_text_get(title, a->c->lang), detail, .error = true};
    return odp_answer_notice(a, &notice);
}
