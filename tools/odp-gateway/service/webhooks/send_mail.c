/* Mail to an owner whose subscription the machine has paused or disabled: in both languages, with what to do.
 * It does not have the address of the subscription (mail is not sealed), only the host.
 *
 * Mail must not become a weapon: three an hour to one address whatever happens, one to an address that was
 * never confirmed, and none for a subscription whose receiver has never answered. */
#include <stdio.h>
#include <string.h>

#include "service/accounts/mail.h"
#include "service/http/text.h"
#include "service/http/web.h"
#include "service/webhooks/send_internal.h"
#include "words/webhooks.h"

struct owner {
    char name[ODP_WEBHOOK_NAME], place[ODP_WEBHOOK_PLACE], reason[16], email[256], since[ODP_TIME_SIZE],
        days[24];
    int64_t failing;
    bool confirmed, verified;
    struct odp_settings settings;
};

static const struct letter {
    const char *reason;
    struct odp_text subject, text;
} letters[] = {
    {"failing", {{W_webhooks_mail_paused}}, {{W_webhooks_webhook_paused_since_no_message}}},
    {"gone", {{W_webhooks_mail_disabled}}, {{W_webhooks_webhook_disabled_receiver_answered}}},
};

/* %n the name, %p the host, %s since when, %d days, %u the site's address. */
static void fill(struct odp_buffer *out, const char *text, const struct owner *o)
{
    char host[ODP_WEBHOOK_PLACE];
    const struct {
        char letter;
        const char *value;
    } values[] = {{'n', o->name},
                  {'p', odp_webhook_host(o->place, host)},
                  {'s', o->since},
                  {'u', o->settings.base_url},
                  {'d', o->days}};
    for (const char *mark; (mark = strchr(text, '%')) != NULL; text = mark + 2) {
        odp_buffer_add(out, text, (size_t)(mark - text));
        for (size_t i = 0; i < ODP_COUNT(values); i++)
            if (mark[1] == values[i].letter)
                odp_buffer_add_str(out, values[i].value);
    }
    odp_buffer_add_str(out, text);
}

/* DONE: the subscription or its owner is gone. */
static enum odp_status read_owner(struct odp_webhooks *w, int64_t webhook, struct owner *o)
{
    struct odp_sql q = {.db = w->s->db};
    pthread_mutex_lock(&w->s->mutex);
    bool found = odp_sql_row(
        &q,
        "SELECT w.name, w.place, w.reason, w.failing, h.email, h.email_confirmed, w.verified > 0"
        " FROM webhook w JOIN holder h ON h.id = w.holder WHERE w.id = ? AND h.erased = 0 AND h.email <> ''",
        "i", "tttitff", webhook, o->name, sizeof o->name, o->place, sizeof o->place, o->reason,
        sizeof o->reason, &o->failing, o->email, sizeof o->email, &o->confirmed, &o->verified);
    pthread_mutex_unlock(&w->s->mutex);
    return q.st == ODP_OK && !found ? ODP_DONE : q.st;
}

static bool may(struct odp_webhooks *w, const struct owner *o, int64_t now)
{
    char folded[256];
    int64_t retry = 0;
    odp_email_fold(odp_slice_of(o->email), folded);
    return o->verified &&
           (w->s->web == NULL || odp_limit_take(w->s->web->limit, ODP_LIMIT_WEBHOOK_MAIL,
                                                odp_slice_of(folded), o->confirmed ? 3 : 1, now, &retry));
}

static enum odp_status mail(struct odp_webhooks *w, struct owner *o, const struct letter *l)
{
    struct odp_buffer subject = {0}, body = {0};
    odp_keytable_settings(w->s->table, &o->settings);
    odp_time_iso(o->failing / 1000, o->settings.zone_minutes, o->since);
    (void)snprintf(o->days, sizeof o->days, "%lld", (long long)(odp_webhook_keep(w) / 86400));
    fill(&subject, odp_text_get(&l->subject, ODP_LANG_ID), o);
    odp_buffer_add_str(&subject, " / ");
    fill(&subject, odp_text_get(&l->subject, ODP_LANG_EN), o);
    fill(&body, odp_text_get(&l->text, ODP_LANG_ID), o);
    odp_buffer_add_str(&body, "\n--\n\n");
    fill(&body, odp_text_get(&l->text, ODP_LANG_EN), o);
    enum odp_status st = odp_buffer_status(&subject);
    if (st == ODP_OK)
        st = odp_buffer_status(&body);
    if (st == ODP_OK)
        st = odp_mail_send(w->s, o->email, odp_buffer_cstr(&subject), odp_buffer_cstr(&body));
    odp_buffer_release(&subject);
    odp_buffer_release(&body);
    return st;
}

enum odp_status odp_webhook_mail_owner(struct odp_webhooks *w, int64_t webhook, int64_t now_ms)
{
    struct owner o = {0};
    const struct letter *l = NULL;
    if (w->s->options->sendmail == NULL)
        return ODP_DONE;
    enum odp_status st = read_owner(w, webhook, &o);
    for (size_t i = 0; i < ODP_COUNT(letters) && st == ODP_OK; i++)
        if (strcmp(letters[i].reason, o.reason) == 0)
            l = &letters[i];
    if (st == ODP_OK)
        st = l != NULL && may(w, &o, now_ms) ? mail(w, &o, l) : ODP_DONE;
    explicit_bzero(&o, sizeof o);
    return st;
}
