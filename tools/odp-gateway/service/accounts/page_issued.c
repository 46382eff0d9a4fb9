/* The page that shows a new key, once: after registering, replacing, recovering. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/accounts_internal.h"

static const struct odp_text titles[] = {
    [ODP_ISSUE_REGISTERED] = {{"Kunci API Anda sudah jadi", "Your API key is ready"}},
    [ODP_ISSUE_ROTATED] = {{"Kunci API Anda sudah diganti", "Your API key has been replaced"}},
    [ODP_ISSUE_RECOVERED] = {{"Kunci API baru", "Your new API key"}},
};

static void write_key(struct odp_buffer *b, const struct odp_call *c, const char *key)
{
    odp_page_say(b, c, "<p class=\"notice notice-warning\"><strong>", "Simpan sekarang: kunci ini hanya ditampilkan satu kali.",
                 "Keep it now: it is shown only once.", "</strong> ");
    odp_page_say(b, c, "", "Portal tidak menyimpan kuncinya, jadi tidak dapat menampilkannya lagi.",
                 "The portal does not keep the key, so it cannot show it again.", "</p>\n");
    odp_page_text(b, "<pre class=\"key\" data-copy><code>", key, "</code></pre>\n");
}

static void write_saving(struct odp_buffer *b, const struct odp_call *c)
{
    odp_page_say(b, c, "<h2>", "Menyimpannya", "Keeping it", "</h2>\n<ul>\n");
    odp_page_say(b, c, "<li>", "Pilih kuncinya (satu klik memilih semuanya), salin, lalu tempel di pengelola kata sandi atau berkas rahasia Anda.",
                 "Select the key (one click selects all of it), copy it, and paste it into your password manager or a file of secrets.", "</li>\n");
    odp_page_say(b, c, "<li>", "Di program, baca kunci dari variabel lingkungan; jangan menulisnya di kode sumber atau di alamat web.",
                 "In programs, read it from an environment variable; never write it into source code or a web address.", "</li>\n");
    odp_page_say(b, c, "<li>", "Bila kunci ini terlihat orang lain, segera ganti dengan yang baru.", "If others have seen it, replace it at once.",
                 "</li>\n</ul>\n");
}

/* "curl -H …": runs as it stands. */
static void write_try(struct odp_buffer *b, const struct odp_state *s, const struct odp_call *c, const struct odp_settings *settings, const char *key)
{
    char slug[sizeof s->web->shell->example] = "";
    if (s->web != NULL) {
        pthread_rwlock_rdlock(&s->web->site_lock);
        if (s->web->shell != NULL)
            (void)snprintf(slug, sizeof slug, "%s", s->web->shell->example);
        pthread_rwlock_unlock(&s->web->site_lock);
    }
    odp_page_say(b, c, "<h2>", "Mencobanya", "Trying it", "</h2>\n");
    odp_page_say(b, c, "<p>", "Permintaan pertama, di baris perintah:", "A first request, on the command line:", "</p>\n");
    odp_page_text(b, "<pre data-copy><code>curl -H &quot;Authorization: Bearer ", key, "&quot; &quot;");
    odp_html_add(b, odp_slice_of(settings->base_url));
    odp_page_text(b, "v1/", slug, "&quot;</code></pre>\n");
}

static void write_facts(struct odp_buffer *b, const struct odp_state *s, const struct odp_call *c, const struct odp_settings *settings,
                        const struct odp_issue_words *w)
{
    const struct odp_key_record *r = &w->key->record;
    const struct odp_tier_limits *t = r->tier < settings->ntiers && r->tier < ODP_TIERS_MAX ? &settings->tiers[r->tier] : NULL;
    char title[120] = "";
    int64_t webhooks = 0;
    odp_buffer_add_str(b, "<dl class=\"facts\">\n");
    if (t != NULL) {
        odp_http_tier_words(s, t->name, c->lang, title, &webhooks);
        odp_page_say(b, c, "<dt>", "Tingkat", "Tier", "</dt>");
        odp_page_text(b, "<dd>", title, "</dd>\n");
        odp_page_say(b, c, "<dt>", "Kuota sehari", "Requests a day", "</dt><dd>");
        if (t->daily < 0)
            odp_page_say(b, c, "", "tanpa batas", "unlimited", "</dd>\n");
        else {
            odp_page_number(b, c, (uint64_t)t->daily);
            odp_page_say(b, c, "", " permintaan", "", "</dd>\n");
        }
    }
    if (r->until != 0) {
        odp_page_say(b, c, "<dt>", "Berlaku sampai", "Valid until", "</dt><dd>");
        odp_page_time(b, c, r->until, settings->zone_minutes);
        odp_buffer_add_str(b, "</dd>\n");
    }
    if (w->previous_until != 0) {
        odp_page_say(b, c, "<dt>", "Kunci lama berlaku sampai", "The old key works until", "</dt><dd>");
        odp_page_time(b, c, w->previous_until, settings->zone_minutes);
        odp_buffer_add_str(b, "</dd>\n");
    }
    odp_buffer_add_str(b, "</dl>\n");
}

static void write_ways_on(struct odp_buffer *b, const struct odp_state *s, const struct odp_call *c, const char *key)
{
    const char *docs = odp_page_link(s, c, "dokumentasi/index.html", "en/docs/index.html"),
               *explorer = odp_page_link(s, c, "penjelajah.html", "en/explorer.html");
    odp_page_form(b, c, "key/view", key);
    odp_page_say(b, c, "<p class=\"cluster\"><button type=\"submit\">", "Lihat pemakaian kunci ini", "See the usage of this key", "</button>");
    if (docs != NULL) {
        odp_buffer_printf(b, " <a href=\"%s%s\">", odp_page_root(c), docs);
        odp_page_say(b, c, "", "Dokumentasi", "Documentation", "</a>");
    }
    if (explorer != NULL) {
        odp_buffer_printf(b, " <a href=\"%s%s\">", odp_page_root(c), explorer);
        odp_page_say(b, c, "", "Penjelajah API", "API explorer", "</a>");
    }
    odp_buffer_add_str(b, "</p>\n</form>\n");
}

enum odp_status odp_answer_issued(struct odp_answer *a, struct odp_state *s, const struct odp_call *c, int status,
                                  const struct odp_issue_words *w)
{
    struct odp_settings settings;
    const char *title = odp_text_get(&titles[w->why], c->lang);
    struct odp_buffer b;
    odp_http_settings(s, &settings);
    odp_buffer_init(&b);
    if (odp_buffer_reserve(&b, ODP_BODY_MAX) == NULL) /* at once: growing would leave copies of the key */
        return ODP_FAIL;
    odp_page_text(&b, "<h1>", title, "</h1>\n");
    write_key(&b, c, w->key->key);
    if (w->why == ODP_ISSUE_ROTATED && w->previous_until == 0)
        odp_page_say(&b, c, "<p>", "Kunci lama sudah tidak berlaku.", "The old key has stopped working.", "</p>\n");
    write_facts(&b, s, c, &settings, w);
    if (w->mailed)
        odp_page_say(&b, c, "<p>",
                     "Kami mengirim surel untuk mengonfirmasi alamat Anda. Buka tautannya: sejak itu alamat ini milik Anda di sini, dan kunci yang "
                     "hilang dapat dipulihkan dengan tingkat dan webhook-nya.",
                     "We have sent a message to confirm your address. Open its link: from then on the address is yours here, and a lost key "
                     "can be recovered with its tier and webhooks.", "</p>\n");
    write_saving(&b, c);
    write_try(&b, s, c, &settings, w->key->key);
    write_ways_on(&b, s, c, w->key->key);
    enum odp_status st = odp_answer_html(a, s, c, status, title, &b);
    odp_form_release(&b);
    return st;
}
