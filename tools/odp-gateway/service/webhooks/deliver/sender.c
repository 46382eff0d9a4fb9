/* The sender's messages: taken, timed, reported. Transfers are in sender_transfer.c; names and sockets are
 * libcurl's.
 *
 * A message is in a slot from add until it is reported. Its outcome is final with the final header of an
 * answer; after that the rest is read for a while. Every slot has a deadline of ours, whatever libcurl does.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/monotonic.h"
#include "service/webhooks/deliver/sender_internal.h"

enum { CONNECTIONS_MAX = 4096, KEEP_BYTES = 64 * 1024 };
static const size_t body_max = 1024 * 1024, answer_max = 1024 * 1024;
static const int64_t idle_ms = 10000; /* after so long without a message all connections are closed */

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;
static CURLcode curl_ready;

/* Never undone: other parts of the process use libcurl, too. libcurl 7.84 and later locks
 * (CURL_VERSION_THREADSAFE). */
static void start_curl(void)
{
    curl_ready = curl_global_init(CURL_GLOBAL_DEFAULT);
}

static void look_at_clock(struct odp_sender *s)
{
    s->now = odp_monotonic_ms();
}

/* Closes every connection; nothing is under way. */
static void close_all(struct odp_sender *s)
{
    if (s->multi != NULL)
        (void)curl_multi_cleanup(s->multi);
    s->multi = NULL;
}

/* ---- new and free ---- */

/* Becomes (part of) a header: printable ASCII. */
static bool is_header_text(const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0'; p++)
        if (*p < 0x20 || *p > 0x7e)
            return false;
    return true;
}

static bool set_options(struct odp_sender *s, const struct odp_sender_options *o)
{
    s->policy = o->policy;
    s->connections = o->connections > 0 ? o->connections : 64;
    s->connections = s->connections < CONNECTIONS_MAX ? s->connections : CONNECTIONS_MAX;
    s->timeout_ms = o->timeout_ms > 0 ? o->timeout_ms : 20000;
    s->connect_ms = o->connect_ms > 0 ? o->connect_ms : 8000;
    s->user_agent = strdup(o->user_agent != NULL ? o->user_agent : "odp-gateway/" ODP_VERSION);
    s->ca_file = o->ca_file != NULL ? strdup(o->ca_file) : NULL;
    s->slots = calloc(s->connections, sizeof *s->slots);
    return s->user_agent != NULL && (o->ca_file == NULL || s->ca_file != NULL) && s->slots != NULL;
}

enum odp_status odp_sender_new(struct odp_sender **out, const struct odp_sender_options *o, char why[512])
{
    enum odp_status st = ODP_FAIL;
    struct odp_sender *s = calloc(1, sizeof *s);
    *out = NULL;
    why[0] = '\0';
    if (s == NULL)
        return odp_failure_memory();
    s->wake = -1;
    (void)pthread_once(&curl_once, start_curl);
    if (o->ca_file != NULL && access(o->ca_file, R_OK) != 0) {
        (void)snprintf(why, 512, "%.400s: %s", o->ca_file, strerror(errno));
        st = ODP_BAD;
    } else if (o->user_agent != NULL && !is_header_text(o->user_agent)) {
        (void)snprintf(why, 512, "User-Agent: hanya ASCII yang dapat dicetak / printable ASCII only");
        st = ODP_BAD;
    } else if (curl_ready != CURLE_OK || !set_options(s, o)) {
        st = odp_failure_set("start libcurl", NULL, ENOMEM);
    } else {
        s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        st = s->wake >= 0 ? ODP_OK : odp_failure_set("eventfd", NULL, errno);
    }
    if (st == ODP_FAIL)
        (void)snprintf(why, 512, "%s", odp_failure_text());
    if (st != ODP_OK) {
        odp_sender_free(s);
        return st;
    }
    for (unsigned i = 0; i < s->connections; i++)
        s->slots[i].s = s;
    look_at_clock(s);
    s->used_at = s->now;
    *out = s;
    return ODP_OK;
}

void odp_sender_free(struct odp_sender *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; s->slots != NULL && i < s->connections; i++) {
        struct odp_sender_slot *slot = &s->slots[i];
        if (slot->busy)
            (void)curl_multi_remove_handle(s->multi, slot->easy);
        curl_easy_cleanup(slot->easy);
        odp_buffer_release(&slot->body);
        odp_buffer_release(&slot->answer);
    }
    close_all(s);
    odp_buffer_release(&s->answer);
    if (s->wake >= 0)
        close(s->wake);
    free(s->slots);
    free(s->user_agent);
    free(s->ca_file);
    free(s);
}

/* ---- taking a message ---- */

static bool write_header(char out[ODP_SLOT_HEADER], const char *name, const char *value)
{
    int n = snprintf(out, ODP_SLOT_HEADER, "%s: %s", name, value);
    return n > 0 && n < ODP_SLOT_HEADER && is_header_text(value);
}

enum odp_status odp_sender_add(struct odp_sender *s, const struct odp_sending *m)
{
    char timestamp[24];
    if (s->busy == s->connections)
        return ODP_DONE;
    struct odp_sender_slot *slot = s->slots;
    while (slot->busy)
        slot++;
    (void)snprintf(timestamp, sizeof timestamp, "%lld", (long long)m->timestamp);
    if (m->body.len > body_max || !write_header(slot->header[0], "webhook-id", m->id) ||
        !write_header(slot->header[1], "webhook-timestamp", timestamp) ||
        !write_header(slot->header[2], "webhook-signature", m->signature))
        return odp_failure_set("send message", m->id, EINVAL);
    odp_buffer_reset(&slot->body);
    odp_buffer_reset(&slot->answer);
    odp_buffer_add_slice(&slot->body, m->body);
    if (odp_buffer_status(&slot->body) != ODP_OK)
        return ODP_FAIL;
    slot->target = *m->target;
    slot->token = m->token;
    slot->answer_max = m->answer_max < answer_max ? m->answer_max : answer_max;
    look_at_clock(s);
    slot->began = s->now;
    slot->deadline = slot->began + s->timeout_ms;
    slot->connect_by = slot->began + (s->connect_ms < s->timeout_ms ? s->connect_ms : s->timeout_ms);
    slot->head_bytes = slot->body_bytes = 0;
    slot->fresh = slot->answered = slot->refused = slot->out = false;
    slot->unsent = !odp_transfer_start(slot);
    slot->busy = true;
    s->busy++;
    return ODP_OK;
}

/* ---- telling of one that ended ---- */

struct listener {
    void *ctx;
    void (*done)(void *ctx, const struct odp_sent *r);
    size_t ended;
};

/* libcurl turns a date into seconds from now. */
static int64_t retry_after(CURL *easy)
{
    curl_off_t wait = 0;
    if (curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait) != CURLE_OK || wait <= 0)
        return -1;
    return wait < ODP_RETRY_AFTER_MAX ? (int64_t)wait : ODP_RETRY_AFTER_MAX;
}

/* The slot is free before DONE is called, which may add. */
static void end(struct odp_sender_slot *slot, enum odp_outcome outcome, struct listener *listener)
{
    struct odp_sender *s = slot->s;
    struct odp_sent r = {.token = slot->token, .outcome = outcome, .retry_after = -1};
    long status = 0;
    const char *address = NULL;
    if (!slot->unsent) {
        if (curl_easy_getinfo(slot->easy, CURLINFO_PRIMARY_IP, &address) == CURLE_OK && address != NULL)
            (void)snprintf(r.address, sizeof r.address, "%s", address);
        if (slot->answered && curl_easy_getinfo(slot->easy, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK) {
            r.status = (int)status;
            r.outcome = odp_transfer_answered(status);
            if (r.outcome != ODP_OUTCOME_DELIVERED)
                r.retry_after = retry_after(slot->easy);
        }
        (void)curl_multi_remove_handle(s->multi, slot->easy);
    }
    r.took_ms = s->now - slot->began;
    struct odp_buffer lent = slot->answer;
    slot->answer = s->answer;
    s->answer = lent;
    r.answer = slot->answered ? odp_buffer_slice(&s->answer) : (struct odp_slice){NULL, 0};
    if (slot->body.cap > KEEP_BYTES)
        odp_buffer_release(&slot->body);
    if (slot->answer.cap > KEEP_BYTES)
        odp_buffer_release(&slot->answer);
    slot->busy = false;
    s->busy--;
    s->used_at = s->now;
    listener->ended++;
    listener->done(listener->ctx, &r);
}

/* ---- the stages of a message ---- */

static void look_at_transfers(struct odp_sender *s, struct listener *listener)
{
    int left;
    for (CURLMsg *m; s->multi != NULL && (m = curl_multi_info_read(s->multi, &left)) != NULL;) {
        struct odp_sender_slot *slot = NULL;
        CURLcode rc = m->data.result;
        if (m->msg != CURLMSG_DONE ||
            curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&slot) != CURLE_OK || slot == NULL)
            continue;
        if (slot->answered || !odp_transfer_again(slot, rc))
            end(slot, odp_transfer_outcome(slot, rc), listener);
    }
}

/* Ends what is late; returns when the next one will be. */
static int64_t end_late(struct odp_sender *s, struct listener *listener)
{
    int64_t next = s->multi != NULL && s->busy == 0 ? s->used_at + idle_ms : INT64_MAX;
    for (unsigned i = 0; s->busy > 0 && i < s->connections; i++) {
        struct odp_sender_slot *slot = &s->slots[i];
        if (slot->busy && slot->unsent)
            end(slot, ODP_OUTCOME_UNSENT, listener);
        else if (slot->busy && slot->deadline <= s->now)
            end(slot, odp_transfer_outcome(slot, CURLE_OPERATION_TIMEDOUT), listener);
        else if (slot->busy && slot->deadline < next)
            next = slot->deadline;
    }
    return next;
}

/* After a failure of libcurl: ends what was under way; the next message begins with new handles. */
static void give_up(struct odp_sender *s, struct listener *listener)
{
    for (unsigned i = 0; i < s->connections; i++)
        if (s->slots[i].busy)
            end(&s->slots[i], ODP_OUTCOME_UNSENT, listener);
    close_all(s);
}

static enum odp_status perform(struct odp_sender *s, struct listener *listener)
{
    int running;
    if (s->multi != NULL && curl_multi_perform(s->multi, &running) != CURLM_OK) {
        give_up(s, listener);
        return odp_failure_set("libcurl", NULL, 0);
    }
    look_at_clock(s);
    look_at_transfers(s, listener);
    return ODP_OK;
}

/* Waits until a socket is ready, libcurl has to do something, wake was called, or MS are over. */
static enum odp_status wait_for(struct odp_sender *s, int64_t ms, struct listener *listener)
{
    struct curl_waitfd wake = {.fd = s->wake, .events = CURL_WAIT_POLLIN};
    struct pollfd alone = {.fd = s->wake, .events = POLLIN};
    eventfd_t count;
    ms = ms < 60000 ? ms : 60000;
    if (s->multi == NULL) {
        (void)poll(&alone, 1, (int)ms);
    } else if (curl_multi_poll(s->multi, &wake, 1, (int)ms, NULL) != CURLM_OK) {
        give_up(s, listener);
        return odp_failure_set("libcurl", NULL, 0);
    }
    (void)eventfd_read(s->wake, &count);
    return ODP_OK;
}

enum odp_status odp_sender_run(struct odp_sender *s, int wait_ms, void *ctx,
                               void (*done)(void *ctx, const struct odp_sent *r))
{
    struct listener listener = {ctx, done, 0};
    look_at_clock(s);
    int64_t until = s->now + (wait_ms > 0 ? wait_ms : 0);
    do {
        enum odp_status st = perform(s, &listener);
        if (st != ODP_OK)
            return st;
        int64_t next = end_late(s, &listener),
                wait = listener.ended > 0 || until <= s->now ? 0 : until - s->now;
        if (next - s->now < wait)
            wait = next > s->now ? next - s->now : 0;
        if ((st = wait_for(s, wait, &listener)) == ODP_OK)
            st = perform(s, &listener);
        if (st != ODP_OK)
            return st;
        if (s->busy == 0 && s->multi != NULL && s->now - s->used_at >= idle_ms)
            close_all(s);
    } while (listener.ended == 0 && !atomic_exchange(&s->called, false) && s->now < until);
    return ODP_OK;
}

void odp_sender_wake(struct odp_sender *s)
{
    atomic_store(&s->called, true);
    (void)eventfd_write(s->wake, 1);
}
