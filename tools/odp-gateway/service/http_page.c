/* Pages for people who open a link from a mail. GET redeems nothing: mail scanners open links, too. */
#include <stdio.h>
#include <string.h>

#include "base/digest.h"
#include "service/http_inside.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.4rem}button{font:inherit;padding:.6rem "
    "1.2rem;border:0;border-radius:.3rem;background:#0b5394;color:#fff;cursor:pointer}"
    "button:focus{outline:3px solid "
    "#f1a33c}code{display:block;padding:.8rem;background:#eef2f6;overflow-wrap:anywhere;user-select:all}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}code{background:#2a2a2a}button{background:#6fa8dc;"
    "color:#000}}";

struct page {
    struct odp_text title, text, button;
    const char *action; /* where the form goes, relative to /auth/<purpose>; NULL: no form */
};

static const struct page pages[] = {
    [ODP_PAGE_CONFIRM] = {{{"Konfirmasi alamat surel", "Confirm your e-mail address"}},
                          {{"Tekan tombol ini untuk menyatakan bahwa alamat ini milik Anda.",
                            "Press the button to say that this address is yours."}},
                          {{"Konfirmasi", "Confirm"}},
                          "confirm"},
    [ODP_PAGE_RECOVER] = {{{"Pulihkan kunci API", "Recover your API key"}},
                          {{"Tekan tombol ini untuk mendapat kunci baru. Kunci yang lama langsung tidak berlaku lagi.",
                            "Press the button to get a new key. The old one stops working at once."}},
                          {{"Buat kunci baru", "Make a new key"}},
                          "recover/redeem"},
    [ODP_PAGE_CONFIRMED] = {{{"Alamat dikonfirmasi", "Address confirmed"}},
                            {{"Terima kasih. Kunci API Anda tetap berlaku; halaman ini boleh ditutup.",
                              "Thank you. Your API key stays valid; you may close this page."}},
                            {{"", ""}},
                            NULL},
    [ODP_PAGE_NEW_KEY] = {{{"Kunci API baru", "Your new API key"}},
                          {{"Simpan sekarang: kunci ini hanya ditampilkan satu kali.", "Keep it now: it is shown only once."}},
                          {{"", ""}},
                          NULL},
    [ODP_PAGE_PROBLEM] = {{{"Tautan tidak berlaku", "The link is not valid"}}, {{"", ""}}, {{"", ""}}, NULL},
};

static void say(struct odp_buffer *b, const struct odp_text *t, enum odp_lang lang)
{
    odp_html_add(b, odp_slice_of(odp_text_get(t, lang)));
}

static void write_form(struct odp_buffer *b, const struct page *p, const char *token, enum odp_lang lang)
{
    odp_buffer_printf(b, "<form method=\"post\" action=\"%s\"><input type=\"hidden\" name=\"token\" value=\"", p->action);
    odp_html_add(b, odp_slice_of(token));
    odp_buffer_add_str(b, "\"><button type=\"submit\">");
    say(b, &p->button, lang);
    odp_buffer_add_str(b, "</button></form>\n");
}

static enum odp_status write_headers(struct odp_answer *a, enum odp_lang lang)
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_buffer policy;
    if (odp_digest_of(style, sizeof style - 1, digest) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_init(&policy);
    odp_buffer_add_str(&policy, "default-src 'none'; style-src 'sha256-");
    odp_base64_add(&policy, digest, sizeof digest, 0);
    odp_buffer_add_str(&policy, "'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'");
    odp_answer_header(a, "Content-Security-Policy", odp_buffer_cstr(&policy));
    odp_buffer_release(&policy);
    odp_answer_header(a, "Referrer-Policy", "no-referrer");
    odp_answer_header(a, "Cache-Control", "no-store");
    odp_answer_header(a, "X-Robots-Tag", "noindex");
    odp_answer_header(a, "Content-Language", lang == ODP_LANG_EN ? "en" : "id");
    return ODP_OK;
}

enum odp_status odp_answer_page(struct odp_answer *a, const struct odp_call *c, int status, enum odp_page page,
                                const char *text)
{
    const struct page *p = &pages[page];
    struct odp_buffer *b = &a->body;
    odp_buffer_clear(b);
    if (odp_buffer_reserve(b, ODP_BODY_MAX) == NULL)
        return ODP_FAIL;
    a->status = status;
    a->content_type = "text/html; charset=utf-8";
    odp_buffer_printf(b, "<!doctype html>\n<html lang=\"%s\"><head><meta charset=\"utf-8\">\n",
                      c->lang == ODP_LANG_EN ? "en" : "id");
    odp_buffer_add_str(b, "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>");
    say(b, &p->title, c->lang);
    odp_buffer_add_str(b, "</title>\n<style>");
    odp_buffer_add_str(b, style);
    odp_buffer_add_str(b, "</style></head>\n<body><main><h1>");
    say(b, &p->title, c->lang);
    odp_buffer_add_str(b, "</h1>\n<p>");
    if (page == ODP_PAGE_PROBLEM)
        odp_html_add(b, odp_slice_of(text));
    else
        say(b, &p->text, c->lang);
    odp_buffer_add_str(b, "</p>\n");
    if (p->action != NULL)
        write_form(b, p, text, c->lang);
    if (page == ODP_PAGE_NEW_KEY) {
        odp_buffer_add_str(b, "<p><code>");
        odp_html_add(b, odp_slice_of(text));
        odp_buffer_add_str(b, "</code></p>\n");
    }
    odp_buffer_add_str(b, "</main></body></html>\n");
    return odp_buffer_status(b) == ODP_OK ? write_headers(a, c->lang) : ODP_FAIL;
}
