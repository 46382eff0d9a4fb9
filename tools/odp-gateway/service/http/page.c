/* Pages of the service: the portal's shell around a content, or a plain page where the site has no shell. None of them is stored, framed or told to others by a
 * Referer; none has a script of its own. And the pages behind links in mails: GET redeems nothing, since mail scanners open links, too. */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "base/html.h"
#include "base/json_load.h"
#include "core/page.h"
#include "service/http/form.h"
#include "service/http/page.h"
#include "service/http/text.h"
#include "service/http/web.h"

/* ---- the frame ---- */

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.5rem}h2{font-size:1.2rem;margin-top:2rem}button,input,select,textarea{font:inherit;max-width:100%}button{padding:.6rem "
    "1.2rem;border:0;border-radius:.3rem;background:#0b5394;color:#fff;cursor:pointer}input,select,textarea{box-sizing:border-box;"
    "width:100%;padding:.5rem;border:1px solid #767676;border-radius:.3rem;background:inherit;color:inherit}"
    ".field{display:block;margin:1rem 0}.field label{font-weight:600}.help{color:#555}.error{color:#a40000;font-weight:600}"
    ":focus{outline:3px solid #f1a33c}.key{display:block;padding:.8rem;background:#eef2f6;overflow-wrap:anywhere;user-select:all}"
    "pre{padding:.8rem;background:#eef2f6;overflow-x:auto}.notice{padding:.8rem;border-left:4px solid #0b5394;background:#eef2f6}"
    ".notice-error{border-color:#a40000}dt{font-weight:600}dd{margin:0 0 .5rem}svg{max-width:100%;height:auto;border-bottom:1px solid}"
    ".table-wrap{overflow-x:auto}table{border-collapse:collapse}th,td{padding:.3rem .8rem;text-align:left;border-bottom:1px solid #999}"
    ".number{text-align:right}caption{text-align:left}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}.key,pre,.notice{background:#2a2a2a}.help{color:#bbb}"
    ".error{color:#ff9a9a}a{color:#8ab8ff}button{background:#6fa8dc;color:#000}}";

/* What a frame has beside its text and the content. All of a page is reserved at once: growing would leave copies of a key in freed memory. */
enum { FRAME_ROOM = 8192 };

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

static void write_plain(struct odp_buffer *b, const struct odp_call *c, const char *title, struct odp_slice content)
{
    odp_buffer_printf(b, "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n", language(c));
    odp_buffer_add_str(b, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" "
                          "content=\"light dark\">\n<title>");
    odp_html_add(b, odp_slice_of(title));
    odp_buffer_add_str(b, "</title>\n<style>");
    odp_buffer_add_str(b, style);
    odp_buffer_add_str(b, "</style></head>\n<body><main>\n");
    odp_buffer_add_slice(b, content);
    odp_buffer_add_str(b, "</main></body></html>\n");
}

/* The shell's policy stands in its own <meta>; what is sent with it adds what only a header can say. The plain page has no other. */
static enum odp_status write_policy(struct odp_answer *a, bool plain)
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer policy;
    if (!plain) {
        odp_answer_header(a, "Content-Security-Policy", "frame-ancestors 'none'; base-uri 'none'; object-src 'none'; form-action 'self'");
        return ODP_OK;
    }
    if (odp_digest_of(style, sizeof style - 1, digest) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_init(&policy);
    odp_buffer_add_str(&policy, "default-src 'none'; style-src 'sha256-");
    odp_base64_add(&policy, digest, sizeof digest, 0);
    odp_buffer_add_str(&policy, "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    odp_answer_header(a, "Content-Security-Policy", odp_buffer_cstr(&policy));
    enum odp_status st = odp_buffer_status(&policy);
    odp_buffer_release(&policy);
    return st;
}

/* What was said of the problem that this page now says. Retry-After, Allow and WWW-Authenticate stay. */
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
        if (strcmp(odp_page_headers[i].name, "Content-Security-Policy") != 0 && strcmp(odp_page_headers[i].name, "Referrer-Policy") != 0)
            odp_answer_header(a, odp_page_headers[i].name, odp_page_headers[i].value);
    odp_answer_header(a, "Referrer-Policy", "no-referrer");
    odp_answer_header(a, "Cache-Control", "no-store");
    odp_answer_header(a, "X-Robots-Tag", "noindex");
    odp_answer_header(a, "Content-Language", language(c));
    return write_policy(a, plain);
}

enum odp_status odp_answer_html(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, int status, const char *title,
                                const struct odp_buffer *content)
{
    bool plain = true;
    struct odp_buffer *b = &a->body;
    struct odp_slice inside = odp_buffer_slice(content);
    if (odp_buffer_status(content) != ODP_OK)
        return ODP_FAIL;
    odp_form_release(b);
    odp_buffer_init(b);
    a->status = status;
    a->content_type = "text/html; charset=utf-8";
    if (s->web != NULL) {
        pthread_rwlock_rdlock(&s->web->site_lock);
        const struct odp_shell *shell = s->web->shell;
        plain = shell == NULL || shell->text[c->lang].len == 0;
        if (!plain && odp_buffer_reserve(b, shell->text[c->lang].len + inside.len + FRAME_ROOM) != NULL)
            odp_shell_fill(b, odp_buffer_slice(&shell->text[c->lang]), title, inside, odp_page_root(c));
        pthread_rwlock_unlock(&s->web->site_lock);
    }
    if (plain && odp_buffer_reserve(b, sizeof style + inside.len + FRAME_ROOM) != NULL)
        write_plain(b, c, title, inside);
    enum odp_status st = odp_buffer_status(b) == ODP_OK ? write_headers(a, c, plain) : ODP_FAIL;
    return st == ODP_OK ? odp_answer_whole(a) : st; /* a page without its policy would be a weaker one */
}

/* ---- parts ---- */

void odp_page_text(struct odp_buffer *b, const char *before, const char *text, const char *after)
{
    odp_buffer_add_str(b, before);
    odp_html_add(b, odp_slice_of(text));
    odp_buffer_add_str(b, after);
}

void odp_page_say(struct odp_buffer *b, const struct odp_call *c, const char *before, const char *id, const char *en, const char *after)
{
    odp_page_text(b, before, odp_say(c, id, en), after);
}

const char *odp_page_link(const struct odp_state *s, const struct odp_call *c, const char *id, const char *en)
{
    const char *path = odp_say(c, id, en);
    struct odp_entry e;
    bool there = false;
    if (s->web != NULL) {
        pthread_rwlock_rdlock(&s->web->site_lock);
        there = s->web->site != NULL && odp_control_find(s->web->site, odp_slice_of(path), &e) && odp_slice_is(e.path, path) &&
                e.cls == ODP_ENTRY_PUBLIC;
        pthread_rwlock_unlock(&s->web->site_lock);
    }
    return there ? path : NULL;
}

void odp_page_form(struct odp_buffer *b, const struct odp_call *c, const char *path, const char *key)
{
    odp_buffer_printf(b, "<form class=\"stack form\" method=\"post\" action=\"%sauth/%s\">\n", odp_page_root(c), path);
    odp_buffer_printf(b, "<input type=\"hidden\" name=\"lang\" value=\"%s\">\n", language(c));
    if (key != NULL)
        odp_page_text(b, "<input type=\"hidden\" name=\"key\" value=\"", key, "\">\n");
}

void odp_page_number(struct odp_buffer *b, const struct odp_call *c, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            odp_buffer_add_char(b, c->lang == ODP_LANG_EN ? ',' : '.');
        odp_buffer_add_char(b, digits[i]);
    }
}

void odp_page_time(struct odp_buffer *b, const struct odp_call *c, int64_t t, int32_t zone_minutes)
{
    static const struct {
        int32_t minutes;
        const char *name;
    } zones[] = {{420, "WIB"}, {480, "WITA"}, {540, "WIT"}, {0, "UTC"}};
    char iso[ODP_TIME_SIZE], zone[16];
    odp_time_iso(t, zone_minutes, iso);
    if (strlen(iso) < 25) /* a year beyond four digits: nothing that a key has */
        return;
    (void)snprintf(zone, sizeof zone, "UTC%.6s", iso + 19);
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (zones[i].minutes == zone_minutes)
            (void)snprintf(zone, sizeof zone, "%s", zones[i].name);
    odp_page_text(b, "<time datetime=\"", iso, "\">");
    odp_html_plain_date(b, iso, c->lang);
    odp_buffer_printf(b, "%s%.2s%c%.2s %s</time>", odp_say(c, " pukul ", " at "), iso + 11, c->lang == ODP_LANG_EN ? ':' : '.', iso + 14,
                      zone);
}

/* ---- problems ---- */

/* What the API says of these speaks of methods and headers; people with a page have buttons. NULL: the API's sentence will do. */
static const char *words_for_people(enum odp_problem p, enum odp_lang lang)
{
    static const struct {
        enum odp_problem problem;
        struct odp_text text;
    } words[] = {
        {ODP_PROBLEM_KEY_MISSING, {{"Isi kunci API Anda.", "Type your API key."}}},
        {ODP_PROBLEM_KEY_UNKNOWN,
         {{"Portal ini tidak pernah menerbitkan kunci itu. Periksa apakah kuncinya tersalin utuh, atau daftar untuk mendapat kunci baru.",
           "This portal never issued that key. Check that it was copied whole, or register for a new one."}}},
        {ODP_PROBLEM_KEY_REVOKED,
         {{"Kunci itu sudah dicabut. Daftar untuk mendapat kunci baru.", "That key was revoked. Register for a new one."}}},
        {ODP_PROBLEM_KEY_EXPIRED,
         {{"Masa berlaku kunci itu sudah lewat. Pakai kunci penggantinya, atau minta tautan pemulihan lewat surel.",
           "The term of that key is over. Use the key that replaced it, or ask for a link to recover by mail."}}},
        {ODP_PROBLEM_EMAIL_REGISTERED,
         {{"Alamat surel ini sudah dikonfirmasi dan mempunyai kunci. Satu alamat mendapat satu kunci.",
           "This e-mail address is confirmed and has a key already. One address gets one key."}}},
        {ODP_PROBLEM_REGISTRATION_RATE,
         {{"Terlalu banyak pendaftaran dari jaringan Anda dalam satu jam terakhir. Coba lagi nanti.",
           "Too many registrations came from your network in the last hour. Try again later."}}},
        {ODP_PROBLEM_ATTEMPT_RATE,
         {{"Terlalu banyak percobaan dari jaringan Anda dalam satu jam terakhir. Coba lagi nanti.",
           "Too many attempts came from your network in the last hour. Try again later."}}},
        {ODP_PROBLEM_UNAVAILABLE,
         {{"Pendaftaran dan perubahan kunci sedang tidak tersedia; data tetap dapat dibaca. Coba lagi beberapa menit lagi.",
           "Registration and changes of keys are not available now; data can still be read. Try again in some minutes."}}},
        {ODP_PROBLEM_TOO_LARGE, {{"Isian formulir terlalu panjang.", "What was typed is too long."}}},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].problem == p)
            return odp_text_get(&words[i].text, lang);
    return NULL;
}

void odp_page_problem(const struct odp_answer *a, const struct odp_call *c, char detail[ODP_PAGE_TEXT], char field[48])
{
    const struct odp_problem_info *p = odp_problem_info((enum odp_problem)a->problem);
    json_t *doc = odp_json_load(a->body.len > 0 ? a->body.ptr : "", a->body.len, 0, NULL);
    const char *general = odp_text_get(&p->words.detail, c->lang), *people = words_for_people((enum odp_problem)a->problem, c->lang);
    const char *text = json_string_value(json_object_get(doc, "detail")), *name = json_string_value(json_object_get(doc, "field"));
    if (text == NULL || (people != NULL && strcmp(text, general) == 0))
        text = people != NULL ? people : general;
    (void)snprintf(detail, ODP_PAGE_TEXT, "%s", text[0] != '\0' ? text : odp_text_get(&p->words.title, c->lang));
    (void)snprintf(field, 48, "%s", name != NULL ? name : "");
    json_decref(doc);
}

enum odp_status odp_answer_problem_page(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c)
{
    char detail[ODP_PAGE_TEXT], field[48];
    const char *title = odp_text_get(&odp_problem_info((enum odp_problem)a->problem)->words.title, c->lang);
    struct odp_buffer b;
    odp_page_problem(a, c, detail, field);
    odp_buffer_init(&b);
    odp_page_text(&b, "<h1>", title, "</h1>\n");
    odp_page_text(&b, "<p class=\"notice notice-error\" role=\"alert\">", detail, "</p>\n");
    enum odp_status st = odp_answer_html(a, s, c, a->status, title, &b);
    odp_buffer_release(&b);
    return st;
}

/* ---- pages behind links in mails ---- */

struct page {
    struct odp_text title, text, button;
    const char *action; /* where the form goes, below auth/; NULL: no form */
};

static const struct page pages[] = {
    [ODP_PAGE_CONFIRM] = {{{"Konfirmasi alamat surel", "Confirm your e-mail address"}},
                          {{"Tekan tombol ini untuk menyatakan bahwa alamat ini, dan kunci yang disebut di surel, milik Anda.",
                            "Press the button to say that this address, and the key that the mail names, are yours."}},
                          {{"Konfirmasi", "Confirm"}},
                          "confirm"},
    [ODP_PAGE_RECOVER] = {{{"Pulihkan kunci API", "Recover your API key"}},
                          {{"Tekan tombol ini untuk mendapat kunci baru. Kunci lama yang alamatnya sudah dikonfirmasi langsung tidak berlaku "
                            "lagi; kunci lain dengan alamat ini berakhir dalam tujuh hari.",
                            "Press the button to get a new key. The old key of a confirmed address stops working at once; other keys of this "
                            "address end within seven days."}},
                          {{"Buat kunci baru", "Make a new key"}},
                          "recover/redeem"},
    [ODP_PAGE_CONFIRMED] = {{{"Alamat dikonfirmasi", "Address confirmed"}},
                            {{"Terima kasih. Kunci API Anda tetap berlaku; halaman ini boleh ditutup.",
                              "Thank you. Your API key stays valid; you may close this page."}},
                            {{"", ""}},
                            NULL},
    [ODP_PAGE_PROBLEM] = {{{"Tautan tidak berlaku", "The link is not valid"}}, {{"", ""}}, {{"", ""}}, NULL},
};

enum odp_status odp_answer_page(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c, int status, enum odp_page page,
                                const char *text)
{
    const struct page *p = &pages[page];
    const char *title = odp_text_get(&p->title, c->lang);
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_page_text(&b, "<h1>", title, "</h1>\n");
    if (page == ODP_PAGE_PROBLEM)
        odp_page_text(&b, "<p class=\"notice notice-error\" role=\"alert\">", text, "</p>\n");
    else
        odp_page_text(&b, "<p>", odp_text_get(&p->text, c->lang), "</p>\n");
    if (p->action != NULL) {
        odp_page_form(&b, c, p->action, NULL);
        odp_page_text(&b, "<input type=\"hidden\" name=\"token\" value=\"", text, "\">\n");
        odp_page_text(&b, "<p><button type=\"submit\">", odp_text_get(&p->button, c->lang), "</button></p>\n</form>\n");
    }
    enum odp_status st = odp_answer_html(a, s, c, status, title, &b);
    odp_form_release(&b);
    return st;
}
