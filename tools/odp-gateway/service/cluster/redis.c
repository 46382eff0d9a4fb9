#include "service/cluster/redis.h"

#include <hiredis/hiredis.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "core/secrets/secret.h"
#include "service/state/state.h"

struct odp_redis {
    redisContext *c;
    redisReply *reply;     /* the last one */
    struct odp_buffer out; /* commands not sent yet */
    char why[ODP_REDIS_WHY];
};

static struct timeval milliseconds(int ms)
{
    return (struct timeval){.tv_sec = ms / 1000, .tv_usec = (ms % 1000) * 1000};
}

/* The class of an error reply ("OOM", "WRONGPASS"): all that is safe to repeat. */
static void why_reply(char why[ODP_REDIS_WHY], const redisReply *reply)
{
    size_t n = 0;
    while (n < reply->len && n < 24 &&
           ((reply->str[n] >= 'A' && reply->str[n] <= 'Z') || reply->str[n] == '_'))
        n++;
    (void)snprintf(why, ODP_REDIS_WHY, "it answered %.*s", n > 0 ? (int)n : 8,
                   n > 0 ? reply->str : "an error");
}

enum odp_status odp_redis_odd(struct odp_redis *r)
{
    if (r->why[0] == '\0')
        (void)snprintf(r->why, sizeof r->why, "it answered what is no answer to the command");
    return ODP_BAD;
}

const char *odp_redis_why(const struct odp_redis *r)
{
    return r->why;
}

void odp_redis_close(struct odp_redis *r)
{
    if (r == NULL)
        return;
    if (r->reply != NULL)
        freeReplyObject(r->reply);
    if (r->c != NULL)
        redisFree(r->c);
    if (r->out.ptr != NULL)
        explicit_bzero(r->out.ptr, r->out.cap);
    odp_buffer_release(&r->out);
    free(r);
}

/* The words of the file; without one the address's password, if it has any. */
static enum odp_status passwords(struct odp_redis *r, const struct odp_redis_address *a,
                                 const char *secret_file, struct odp_secrets *out)
{
    char why[ODP_SECRET_WHY];
    *out = (struct odp_secrets){0};
    if (secret_file == NULL) {
        (void)snprintf(out->items[0].word, sizeof out->items[0].word, "%s", a->password);
        out->n = a->password[0] != '\0';
        return ODP_OK;
    }
    enum odp_status st =
        odp_secrets_read(out, secret_file, (struct odp_secret_owner){.user = geteuid()}, 1, ODP_LANG_EN, why);
    if (st == ODP_BAD)
        (void)snprintf(r->why, sizeof r->why, "%.*s", (int)sizeof r->why - 1, why);
    return st;
}

static bool refused(const struct odp_redis *r)
{
    return r->reply != NULL && r->reply->type == REDIS_REPLY_ERROR;
}

/* The newest first; while one is being replaced Redis may still know the one before. */
static enum odp_status authenticate(struct odp_redis *r, const struct odp_redis_address *a,
                                    const struct odp_secrets *words)
{
    enum odp_status st = ODP_OK;
    bool asked = false;
    const int64_t now = odp_now();
    for (size_t i = 0; i < words->n && (!asked || (st == ODP_BAD && refused(r))); i++) {
        if (odp_secret_ended(&words->items[i], now))
            continue;
        const char *word = words->items[i].word;
        if (a->user[0] != '\0')
            odp_redis_command(r, "AUTH", a->user, word, NULL);
        else
            odp_redis_command(r, "AUTH", word, NULL);
        st = odp_redis_skip(r, 1);
        asked = true;
    }
    if (st == ODP_OK)
        r->why[0] = '\0'; /* what was said to one before */
    return st;
}

static enum odp_status greet(struct odp_redis *r, const struct odp_redis_address *a, const char *secret_file)
{
    struct odp_secrets words;
    enum odp_status st = passwords(r, a, secret_file, &words);
    if (st == ODP_OK)
        st = authenticate(r, a, &words);
    odp_secrets_wipe(&words);
    if (st == ODP_OK && a->db != 0) {
        odp_redis_begin(r, 2);
        odp_redis_arg_str(r, "SELECT");
        odp_redis_arg_u64(r, (uint64_t)a->db);
        st = odp_redis_skip(r, 1);
    }
    return st;
}

enum odp_status odp_redis_open(struct odp_redis **out, const struct odp_redis_address *a,
                               const char *secret_file, char why[ODP_REDIS_WHY])
{
    *out = NULL;
    struct odp_redis *r = calloc(1, sizeof *r);
    if (r == NULL)
        return odp_failure_set("calloc", NULL, 0);
    struct timeval tv = milliseconds(ODP_REDIS_CONNECT_MS);
    r->c = a->path[0] != '\0' ? redisConnectUnixWithTimeout(a->path, tv)
                              : redisConnectWithTimeout(a->host, a->port, tv);
    enum odp_status st = ODP_OK;
    if (r->c == NULL)
        st = odp_failure_set("redisConnect", NULL, 0);
    else if (r->c->err != 0) {
        (void)snprintf(r->why, sizeof r->why, "%s", r->c->errstr);
        st = ODP_BAD;
    } else if (redisSetTimeout(r->c, milliseconds(ODP_REDIS_REPLY_MS)) != REDIS_OK) {
        (void)snprintf(r->why, sizeof r->why, "%s", r->c->errstr);
        st = ODP_BAD;
    }
    if (st == ODP_OK)
        st = greet(r, a, secret_file);
    if (st != ODP_OK) {
        (void)snprintf(why, ODP_REDIS_WHY, "%s", r->why);
        odp_redis_close(r);
        return st;
    }
    *out = r;
    return ODP_OK;
}

void odp_redis_begin(struct odp_redis *r, size_t n)
{
    odp_buffer_add_char(&r->out, '*');
    odp_buffer_add_u64(&r->out, n);
    odp_buffer_add(&r->out, "\r\n", 2);
}

void odp_redis_arg(struct odp_redis *r, struct odp_slice arg)
{
    odp_buffer_add_char(&r->out, '$');
    odp_buffer_add_u64(&r->out, arg.len);
    odp_buffer_add(&r->out, "\r\n", 2);
    odp_buffer_add_slice(&r->out, arg);
    odp_buffer_add(&r->out, "\r\n", 2);
}

void odp_redis_arg_str(struct odp_redis *r, const char *arg)
{
    odp_redis_arg(r, odp_slice_of(arg));
}

void odp_redis_arg_u64(struct odp_redis *r, uint64_t arg)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%llu", (unsigned long long)arg);
    odp_redis_arg(r, (struct odp_slice){text, n > 0 ? (size_t)n : 0});
}

static void add_words(struct odp_redis *r, va_list words)
{
    for (const char *word; (word = va_arg(words, const char *)) != NULL;)
        odp_redis_arg_str(r, word);
}

void odp_redis_words(struct odp_redis *r, ...)
{
    va_list words;
    va_start(words, r);
    add_words(r, words);
    va_end(words);
}

void odp_redis_command(struct odp_redis *r, ...)
{
    va_list words;
    size_t n = 0;
    va_start(words, r);
    while (va_arg(words, const char *) != NULL)
        n++;
    va_end(words);
    odp_redis_begin(r, n);
    va_start(words, r);
    add_words(r, words);
    va_end(words);
}

static enum odp_status send_out(struct odp_redis *r)
{
    if (odp_buffer_status(&r->out) != ODP_OK)
        return ODP_FAIL;
    if (r->out.len == 0)
        return ODP_OK;
    int rc = redisAppendFormattedCommand(r->c, r->out.ptr, r->out.len);
    odp_buffer_reset(&r->out);
    return rc == REDIS_OK ? ODP_OK : odp_failure_set("redisAppendFormattedCommand", NULL, 0);
}

enum odp_status odp_redis_next(struct odp_redis *r, const struct redisReply **reply)
{
    void *got = NULL;
    *reply = NULL;
    if (r->reply != NULL)
        freeReplyObject(r->reply);
    r->reply = NULL;
    enum odp_status st = send_out(r);
    if (st != ODP_OK)
        return st;
    if (redisGetReply(r->c, &got) != REDIS_OK || got == NULL) {
        (void)snprintf(r->why, sizeof r->why, "%s", r->c->errstr[0] != '\0' ? r->c->errstr : "no answer");
        return ODP_BAD;
    }
    r->reply = got;
    if (r->reply->type == REDIS_REPLY_ERROR) {
        why_reply(r->why, r->reply);
        return ODP_BAD;
    }
    *reply = r->reply;
    return ODP_OK;
}

enum odp_status odp_redis_skip(struct odp_redis *r, size_t n)
{
    const struct redisReply *reply;
    enum odp_status st = ODP_OK;
    for (size_t i = 0; i < n && st == ODP_OK; i++)
        st = odp_redis_next(r, &reply);
    return st;
}

enum odp_status odp_redis_exec(struct odp_redis *r, size_t n)
{
    const struct redisReply *replies;
    enum odp_status st = odp_redis_skip(r, n + 1);
    if (st == ODP_OK)
        st = odp_redis_next(r, &replies);
    if (st != ODP_OK)
        return st;
    if (odp_redis_elements(replies) != n)
        return odp_redis_odd(r);
    for (size_t i = 0; i < n; i++)
        if (replies->element[i]->type == REDIS_REPLY_ERROR) {
            why_reply(r->why, replies->element[i]);
            return ODP_BAD;
        }
    return ODP_OK;
}

struct odp_slice odp_redis_text(const struct redisReply *reply)
{
    if (reply->type != REDIS_REPLY_STRING)
        return (struct odp_slice){NULL, 0};
    return (struct odp_slice){reply->str, reply->len};
}

uint64_t odp_redis_integer(const struct redisReply *reply)
{
    return reply->type == REDIS_REPLY_INTEGER && reply->integer > 0 ? (uint64_t)reply->integer : 0;
}

size_t odp_redis_elements(const struct redisReply *reply)
{
    if (reply->type == REDIS_REPLY_NIL)
        return 0;
    return reply->type == REDIS_REPLY_ARRAY ? reply->elements : SIZE_MAX;
}

static const redisReply nil = {.type = REDIS_REPLY_NIL};

const struct redisReply *odp_redis_nil(void)
{
    return &nil;
}

const struct redisReply *odp_redis_element(const struct redisReply *reply, size_t i)
{
    return reply->type == REDIS_REPLY_ARRAY && i < reply->elements ? reply->element[i] : &nil;
}
