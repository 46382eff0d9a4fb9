#include "service/accounts/page_key.h"

#include <stdio.h>
#include <string.h>

#include "base/html.h"

enum { HOUR = 3600 };

static const char *title_of(const struct odp_call *c)
{
    return odp_say(c, "Kunci saya", "My key");
}

static const char *state_of(const struct odp_call *c, const char *state)
{
    static const struct {
        const char *state;
        struct odp_text text;
    } states[] = {
        {"active", {{"berlaku", "works"}}},
        {"rotated", {{"sudah diganti; masih berlaku selama masa peralihan", "replaced; works until its grace period is over"}}},
        {"suspended", {{"ditangguhkan", "suspended"}}},
        {"expired", {{"kedaluwarsa", "expired"}}},
        {"revoked", {{"dicabut", "revoked"}}},
    };
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (strcmp(states[i].state, state) == 0)
            return odp_text_get(&states[i].text, c->lang);
    return state;
}

/* ---- facts ---- */

static void term(struct odp_buffer *b, const struct odp_call *c, const char *id, const char *en)
{
    odp_page_say(b, c, "<dt>", id, en, "</dt><dd>");
}

/* LIMIT below 0: there is none. */
static void limit(struct odp_buffer *b, const struct odp_call *c, const char *id, const char *en, int64_t n)
{
    term(b, c, id, en);
    if (n < 0)
        odp_page_say(b, c, "", "tanpa batas", "unlimited", "");
    else
        odp_page_number(b, c, (uint64_t)n);
    odp_buffer_add_str(b, "</dd>\n");
}

static void write_quota(struct odp_buffer *b, const struct odp_call *c, const struct odp_caller *who, const struct odp_tier_limits *t)
{
    int64_t reset = c->now + odp_quota_reset(c->now, who->settings.zone_minutes);
    limit(b, c, "Kuota sehari", "Requests a day", t->daily);
    limit(b, c, "Terpakai hari ini", "Used today", (int64_t)who->info.used);
    if (t->daily >= 0)
        limit(b, c, "Sisa hari ini", "Left today", (int64_t)who->info.used < t->daily ? t->daily - (int64_t)who->info.used : 0);
    term(b, c, "Kuota terbuka lagi", "The quota opens again");
    odp_page_time(b, c, reset, who->settings.zone_minutes);
    odp_buffer_add_str(b, "</dd>\n");
    limit(b, c, "Permintaan sedetik", "Requests a second", t->burst > 0 ? t->burst : -1);
    limit(b, c, "Kueri bersamaan", "Queries at once", t->concurrent > 0 ? t->concurrent : -1);
}

static void write_facts(struct odp_buffer *b, const struct odp_state *s, const struct odp_call *c, const struct odp_caller *who)
{
    static const struct odp_tier_limits none = {.name = "unknown"};
    const struct odp_settings *set = &who->settings;
    const struct odp_tier_limits *t = who->grant.tier < set->ntiers && who->grant.tier < ODP_TIERS_MAX ? &set->tiers[who->grant.tier] : &none;
    char title[120];
    int64_t webhooks = 0;
    odp_http_tier_words(s, t->name, c->lang, title, &webhooks);
    odp_buffer_add_str(b, "<dl class=\"facts\">\n");
    term(b, c, "Kunci", "Key");
    odp_page_text(b, "<code>", who->info.shown, "…</code></dd>\n");
    term(b, c, "Keadaan", "State");
    odp_page_text(b, "", state_of(c, who->info.state), "</dd>\n");
    term(b, c, "Tingkat", "Tier");
    odp_page_text(b, "", title, "</dd>\n");
    write_quota(b, c, who, t);
    limit(b, c, "Webhook yang boleh didaftarkan", "Webhooks allowed", webhooks);
    if (who->info.created != 0) {
        term(b, c, "Dibuat", "Made");
        odp_page_time(b, c, who->info.created, set->zone_minutes);
        odp_buffer_add_str(b, "</dd>\n");
    }
    term(b, c, "Berlaku sampai", "Valid until");
    if (who->info.until != 0)
        odp_page_time(b, c, who->info.until, set->zone_minutes);
    else
        odp_page_say(b, c, "", "tanpa batas waktu", "no end", "");
    odp_buffer_add_str(b, "</dd>\n");
    term(b, c, "Alamat surel", "E-mail address");
    odp_page_say(b, c, "", who->info.email_confirmed ? "sudah dikonfirmasi" : "belum dikonfirmasi",
                 who->info.email_confirmed ? "confirmed" : "not confirmed yet", "</dd>\n</dl>\n");
}

/* ---- forms ---- */

static void option(struct odp_buffer *b, int64_t hours, const char *text, bool selected)
{
    odp_buffer_printf(b, "<option value=\"%lld\"%s>", (long long)hours, selected ? " selected" : "");
    odp_page_text(b, "", text, "</option>\n");
}

/* How long the old key goes on: at once, an hour, a day, and as long as the operators allow. */
static void write_grace(struct odp_buffer *b, const struct odp_call *c, int64_t grace)
{
    char longest[64], number[24];
    int64_t hours = grace / HOUR;
    if (hours <= 0)
        return;
    odp_page_say(b, c, "<div class=\"field\"><label for=\"grace_hours\">", "Kunci lama berhenti berlaku", "The old key stops working",
                 "</label>\n<select id=\"grace_hours\" name=\"grace_hours\">\n");
    option(b, 0, odp_say(c, "seketika", "at once"), false);
    if (hours > 1)
        option(b, 1, odp_say(c, "sesudah satu jam", "after an hour"), false);
    if (hours > 24)
        option(b, 24, odp_say(c, "sesudah satu hari", "after a day"), false);
    (void)snprintf(number, sizeof number, "%lld", (long long)(hours % 24 == 0 ? hours / 24 : hours));
    odp_say_with(longest, sizeof longest, hours % 24 == 0 ? odp_say(c, "sesudah {0} hari", "after {0} days") : odp_say(c, "sesudah {0} jam", "after {0} hours"), number,
                 "", "");
    option(b, hours, longest, true);
    odp_buffer_add_str(b, "</select></div>\n");
}

static void write_rotate(struct odp_buffer *b, const struct odp_state *s, const struct odp_call *c, const char *key)
{
    odp_page_say(b, c, "<section aria-labelledby=\"ganti\">\n<h2 id=\"ganti\">", "Mengganti kunci", "Replacing the key", "</h2>\n");
    odp_page_say(b, c, "<p>",
                 "Anda mendapat kunci baru dengan tingkat dan kuota yang sama. Pilih berapa lama kunci lama masih berlaku, supaya program Anda sempat "
                 "beralih.",
                 "You get a new key of the same tier and quota. Choose how long the old one goes on working, so that your programs have time to change.",
                 "</p>\n");
    odp_page_form(b, c, "key/rotate", key);
    write_grace(b, c, s->options->grace);
    odp_page_say(b, c, "<p><button type=\"submit\">", "Ganti kunci", "Replace the key", "</button></p>\n</form>\n</section>\n");
}

static void write_revoke(struct odp_buffer *b, const struct odp_call *c, const char *key)
{
    odp_page_say(b, c, "<section aria-labelledby=\"cabut\">\n<h2 id=\"cabut\">", "Mencabut kunci", "Revoking the key", "</h2>\n");
    odp_page_say(b, c, "<p>", "Kunci berhenti berlaku seketika dan tidak dapat dikembalikan. Sesudah ini Anda diminta memastikannya.",
                 "The key stops working at once, for good. You will be asked to confirm it.", "</p>\n");
    odp_page_form(b, c, "key/revoke", key);
    odp_page_say(b, c, "<p><button type=\"submit\" class=\"button-secondary\">", "Cabut kunci …", "Revoke the key …", "</button></p>\n</form>\n</section>\n");
}

/* ---- pages ---- */

enum odp_status odp_page_key(struct odp_answer *a, struct odp_state *s, const struct odp_call *c, const struct odp_caller *who, const char *key)
{
    uint64_t counts[ODP_USAGE_DAYS];
    int64_t first;
    struct odp_buffer b;
    if (odp_http_usage(s, who, counts, &first) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_init(&b);
    if (odp_buffer_reserve(&b, 2 * ODP_BODY_MAX) == NULL) /* at once: growing would leave copies of the key */
        return ODP_FAIL;
    odp_page_text(&b, "<h1>", title_of(c), "</h1>\n");
    write_facts(&b, s, c, who);
    odp_page_usage(&b, c, counts, first);
    if (strcmp(who->info.state, "active") == 0)
        write_rotate(&b, s, c, key);
    write_revoke(&b, c, key);
    enum odp_status st = odp_answer_html(a, s, c, 200, title_of(c), &b);
    odp_form_release(&b);
    return st;
}

enum odp_status odp_page_revoke(struct odp_answer *a, struct odp_state *s, const struct odp_call *c, const struct odp_caller *who, const char *key)
{
    const char *title = odp_say(c, "Cabut kunci ini?", "Revoke this key?");
    struct odp_buffer b;
    odp_buffer_init(&b);
    if (odp_buffer_reserve(&b, ODP_BODY_MAX) == NULL)
        return ODP_FAIL;
    odp_page_text(&b, "<h1>", title, "</h1>\n<div class=\"notice notice-warning\">\n");
    odp_page_say(&b, c, "<p>", "Kunci ", "The key ", "<code>");
    odp_page_text(&b, "", who->info.shown, "…</code> ");
    odp_page_say(&b, c, "", "dan kunci lain di akun yang sama (yang digantikan atau menggantikannya) berhenti berlaku seketika.",
                 "and the others of its account (those that it replaced or that replaced it) stop working at once.", "</p>\n");
    odp_page_say(&b, c, "<p>", "Ini tidak dapat dibatalkan. Program yang memakai kunci ini tidak akan mendapat data lagi.",
                 "This cannot be undone. Programs that use the key will get no more data.", "</p>\n</div>\n");
    odp_page_form(&b, c, "key/revoke", key);
    odp_buffer_add_str(&b, "<input type=\"hidden\" name=\"confirm\" value=\"yes\">\n");
    odp_page_say(&b, c, "<p><button type=\"submit\">", "Ya, cabut kunci ini", "Yes, revoke it", "</button></p>\n</form>\n");
    odp_page_form(&b, c, "key/view", key);
    odp_page_say(&b, c, "<p><button type=\"submit\" class=\"button-secondary\">", "Tidak, kembali", "No, go back", "</button></p>\n</form>\n");
    enum odp_status st = odp_answer_html(a, s, c, 200, title, &b);
    odp_form_release(&b);
    return st;
}

enum odp_status odp_page_revoked(struct odp_answer *a, struct odp_state *s, const struct odp_call *c, const struct odp_caller *who)
{
    const char *title = odp_say(c, "Kunci sudah dicabut", "The key is revoked"), *again = odp_page_link(s, c, "daftar.html", "en/register.html");
    struct odp_buffer b;
    odp_buffer_init(&b);
    odp_page_text(&b, "<h1>", title, "</h1>\n");
    odp_page_text(&b, "<p role=\"status\"><code>", who->info.shown, "…</code> ");
    odp_page_say(&b, c, "", "tidak berlaku lagi.", "does not work any more.", "</p>\n");
    if (again != NULL) {
        odp_buffer_printf(&b, "<p><a href=\"%s%s\">", odp_page_root(c), again);
        odp_page_say(&b, c, "", "Daftar untuk mendapat kunci baru", "Register for a new key", "</a></p>\n");
    }
    enum odp_status st = odp_answer_html(a, s, c, 200, title, &b);
    odp_buffer_release(&b);
    return st;
}

enum odp_status odp_page_key_again(struct odp_answer *a, const struct odp_state *s, const struct odp_call *c)
{
    char detail[ODP_PAGE_TEXT], field[48];
    struct odp_buffer b, typed;
    const bool retry = a->problem != ODP_PROBLEM_FORBIDDEN;
    odp_page_problem(a, c, detail, field);
    odp_buffer_init(&b);
    odp_buffer_init(&typed);
    if (odp_buffer_reserve(&b, ODP_BODY_MAX) == NULL)
        return ODP_FAIL;
    odp_page_text(&b, "<h1>", title_of(c), "</h1>\n");
    odp_page_text(&b, "<p class=\"notice notice-error\" role=\"alert\" id=\"key-error\">", detail, "</p>\n");
    if (retry)
        odp_form_kept(c->body, "key", 200, &typed);
    odp_page_form(&b, c, "key/view", NULL);
    odp_page_say(&b, c, "<div class=\"field\"><label for=\"key\">", "Kunci API", "API key", "</label>\n");
    odp_page_text(&b, "<input type=\"text\" id=\"key\" name=\"key\" required maxlength=\"200\" autocomplete=\"off\" autocapitalize=\"none\" "
                  "spellcheck=\"false\" aria-invalid=\"true\" aria-describedby=\"key-error\" value=\"",
                  odp_buffer_cstr(&typed), "\"></div>\n");
    odp_page_say(&b, c, "<p><button type=\"submit\">", "Lihat kunci saya", "See my key", "</button></p>\n</form>\n");
    enum odp_status st = odp_answer_html(a, s, c, a->status, title_of(c), &b);
    odp_form_release(&b);
    odp_form_release(&typed);
    return st;
}
