/* The mailer: a bounded queue and a few threads that look up, write and send what is in it; the messages that
 * hold links. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/accounts/keys.h"
#include "service/accounts/mail.h"
#include "service/http/web.h"
#include "service/state/log.h"
#include "words/accounts.h"

struct job {
    struct odp_buffer message; /* empty: a recovery to look up */
    char email[256];
    enum odp_lang lang;
    int64_t now;
};

struct odp_mailer {
    struct odp_state *s;
    pthread_mutex_t mutex;
    pthread_cond_t more, less;
    struct job *jobs[ODP_MAIL_QUEUE];
    size_t first, count, running;
    int failing; /* as last logged */
    _Atomic bool stop;
    pthread_t threads[ODP_MAIL_THREADS];
    int nthreads;
};

static void job_free(struct job *j)
{
    if (j->message.ptr != NULL)
        explicit_bzero(j->message.ptr, j->message.cap);
    odp_buffer_release(&j->message);
    explicit_bzero(j, sizeof *j);
    free(j);
}

/* %u the site's address, %k the shown part of the key, %l the link. */
static const struct link_text {
    struct odp_text subject, body;
} confirm_text = {{{W_accounts_confirm_e_mail_address}}, {{W_accounts_address_registered_for_api_key}}},
  recover_text = {{{W_accounts_recover_api_key}}, {{W_accounts_somebody_asked_for_new_api}}};

enum odp_status odp_mail_link(struct odp_state *s, const char *purpose, const struct odp_issued *k,
                              enum odp_lang lang)
{
    struct odp_settings settings;
    struct odp_buffer body = {0};
    const struct link_text *t = strcmp(purpose, "recover") == 0 ? &recover_text : &confirm_text;
    odp_keytable_settings(s->table, &settings);
    for (const char *p = odp_text_get(&t->body, lang), *gap; *p != '\0'; p = *gap != '\0' ? gap + 2 : gap) {
        gap = p + strcspn(p, "%");
        odp_buffer_add(&body, p, (size_t)(gap - p));
        if (*gap != '\0' && gap[1] == 'l')
            odp_buffer_printf(&body, "%sauth/%s?token=%s", settings.base_url, purpose, k->token);
        else if (*gap != '\0')
            odp_buffer_add_str(&body, gap[1] == 'k' ? k->record.shown : settings.base_url);
    }
    enum odp_status st = odp_buffer_status(&body);
    if (st == ODP_OK)
        st = odp_mail_send(s, k->email, odp_text_get(&t->subject, lang), odp_buffer_cstr(&body));
    if (body.ptr != NULL)
        explicit_bzero(body.ptr, body.cap);
    odp_buffer_release(&body);
    return st;
}

static enum odp_status run_message(struct odp_state *s, const struct odp_buffer *message)
{
    const _Atomic bool *stop = s->web != NULL && s->web->mailer != NULL ? &s->web->mailer->stop : NULL;
    enum odp_status st =
        odp_mail_run(s->options->sendmail, odp_buffer_slice(message), ODP_MAIL_TIMEOUT_MS, stop);
    if (s->web != NULL)
        odp_web_count(st == ODP_OK ? &s->web->mail_sent : &s->web->mail_failures);
    return st;
}

/* Somebody's recovery: made and sent now, by this thread. */
static enum odp_status recover(struct odp_state *s, const char *email, enum odp_lang lang, int64_t now)
{
    struct odp_issued k = {0};
    enum odp_status st = odp_keys_ask_recovery(s, odp_slice_of(email), now, &k);
    if (st == ODP_OK && k.token[0] != '\0')
        st = odp_mail_link(s, "recover", &k, lang);
    explicit_bzero(&k, sizeof k);
    return st;
}

static void done(struct odp_mailer *m, enum odp_status st)
{
    if (st == ODP_FAIL)
        odp_log_failure("mail");
    odp_log_change(&m->failing, st != ODP_OK && st != ODP_DONE, "mail: the sendmail command fails",
                   "mail: the sendmail command works again");
    m->running--;
    pthread_cond_broadcast(&m->less);
}

static void *work(void *arg)
{
    struct odp_mailer *m = arg;
    pthread_mutex_lock(&m->mutex);
    for (;;) {
        while (m->count == 0 && !atomic_load(&m->stop))
            pthread_cond_wait(&m->more, &m->mutex);
        if (m->count == 0)
            break;
        struct job *j = m->jobs[m->first];
        struct odp_state *s = m->s;
        m->first = (m->first + 1) % ODP_MAIL_QUEUE;
        m->count--;
        m->running++;
        pthread_mutex_unlock(&m->mutex);
        enum odp_status st = ODP_OK;
        if (j->message.len == 0)
            st = recover(s, j->email, j->lang, j->now);
        else
            st = run_message(s, &j->message);
        job_free(j);
        pthread_mutex_lock(&m->mutex);
        done(m, st);
    }
    pthread_mutex_unlock(&m->mutex);
    return NULL;
}

/* J is consumed. BAD: the queue is full. */
static enum odp_status push(struct odp_mailer *m, struct job *j)
{
    pthread_mutex_lock(&m->mutex);
    bool full = m->count == ODP_MAIL_QUEUE || atomic_load(&m->stop);
    if (!full) {
        m->jobs[(m->first + m->count) % ODP_MAIL_QUEUE] = j;
        m->count++;
        pthread_cond_signal(&m->more);
    }
    pthread_mutex_unlock(&m->mutex);
    if (!full)
        return ODP_OK;
    job_free(j);
    odp_web_count(&m->s->web->mail_failures);
    return ODP_BAD;
}

static struct job *job_new(void)
{
    struct job *j = calloc(1, sizeof *j);
    if (j == NULL)
        (void)odp_failure_set("mail", NULL, ENOMEM);
    return j;
}

enum odp_status odp_mail_send(struct odp_state *s, const char *to, const char *subject, const char *body)
{
    if (s->options->sendmail == NULL)
        return ODP_DONE;
    struct job *j = job_new();
    if (j == NULL)
        return ODP_FAIL;
    const char *from = s->options->mail_from != NULL ? s->options->mail_from : "odp-gateway@localhost";
    enum odp_status st = odp_mail_write(&j->message, from, to, subject, body, odp_now());
    if (st == ODP_OK && s->web != NULL && s->web->mailer != NULL)
        return push(s->web->mailer, j);
    if (st == ODP_OK && run_message(s, &j->message) != ODP_OK)
        odp_log("warning", "mail: the sendmail command fails");
    job_free(j);
    return st;
}

enum odp_status odp_mail_recovery(struct odp_state *s, struct odp_slice email, enum odp_lang lang,
                                  int64_t now)
{
    if (s->options->sendmail == NULL)
        return ODP_DONE;
    struct job *j = job_new();
    if (j == NULL)
        return ODP_FAIL;
    if (email.len >= sizeof j->email) {
        job_free(j);
        return ODP_BAD;
    }
    memcpy(j->email, email.ptr, email.len);
    j->lang = lang;
    j->now = now;
    if (s->web != NULL && s->web->mailer != NULL)
        return push(s->web->mailer, j);
    enum odp_status st = recover(s, j->email, lang, now);
    job_free(j);
    return st;
}

static void destroy(struct odp_mailer *m)
{
    pthread_mutex_lock(&m->mutex);
    atomic_store(&m->stop, true);
    pthread_cond_broadcast(&m->more);
    pthread_mutex_unlock(&m->mutex);
    for (int i = 0; i < m->nthreads; i++)
        (void)pthread_join(m->threads[i], NULL);
    pthread_cond_destroy(&m->more);
    pthread_cond_destroy(&m->less);
    pthread_mutex_destroy(&m->mutex);
    free(m);
}

enum odp_status odp_mailer_new(struct odp_mailer **out, struct odp_state *s)
{
    *out = NULL;
    struct odp_mailer *m = calloc(1, sizeof *m);
    if (m == NULL)
        return odp_failure_set("mailer", NULL, ENOMEM);
    m->s = s;
    if (pthread_mutex_init(&m->mutex, NULL) != 0 || pthread_cond_init(&m->more, NULL) != 0 ||
        pthread_cond_init(&m->less, NULL) != 0) {
        free(m);
        return odp_failure_set("mailer", NULL, ENOMEM);
    }
    for (; m->nthreads < ODP_MAIL_THREADS; m->nthreads++) {
        int e = pthread_create(&m->threads[m->nthreads], NULL, work, m);
        if (e != 0) {
            destroy(m);
            return odp_failure_set("thread", NULL, e);
        }
    }
    *out = m;
    return ODP_OK;
}

void odp_mailer_free(struct odp_mailer *m)
{
    struct timespec until;
    if (m == NULL)
        return;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 300000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&m->mutex);
    while (m->count + m->running > 0 && pthread_cond_timedwait(&m->less, &m->mutex, &until) == 0)
        continue;
    for (; m->count > 0; m->count--, m->first = (m->first + 1) % ODP_MAIL_QUEUE) {
        job_free(m->jobs[m->first]);
        odp_web_count(&m->s->web->mail_failures);
    }
    pthread_mutex_unlock(&m->mutex);
    destroy(m);
}
