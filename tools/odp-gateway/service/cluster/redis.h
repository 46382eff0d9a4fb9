/* One connection to Redis: commands are written into a pipeline, sent together, and answered in order.
 * hiredis is inside.
 *
 * Whatever goes wrong (no connection, a timeout, an error reply, a reply of another type than asked for) is
 * BAD: the connection is then of no more use and the caller closes it. odp_redis_why says what it was,
 * without anything that Redis quoted: its error texts repeat the arguments of a command, and one of them may
 * be the password. Not thread-safe. */
#pragma once

#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

struct redisReply;

#define ODP_REDIS_CONNECT_MS 200
#define ODP_REDIS_REPLY_MS   500

struct odp_redis_address {
    char host[256]; /* "" for a socket */
    char path[108]; /* of a unix socket, or "" */
    char user[128], password[256];
    int port, db;
    char shown[280]; /* for logs: without the password */
};
/* HOST:PORT, [IPV6]:PORT, unix:PATH (107 bytes at most), redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]; no TLS.
 * False: it is none of these. */
bool odp_redis_address(const char *text, struct odp_redis_address *out) ODP_MUST_USE;

struct odp_redis;
/* Connects, authenticates, chooses the database. SECRET_FILE (or NULL) holds the password, or several, the
 * newest first (core/secrets/secret.h), and is read each time, so that it may change; it counts before the
 * address's password. BAD: WHY gets a line. */
#define ODP_REDIS_WHY 400
enum odp_status odp_redis_open(struct odp_redis **out, const struct odp_redis_address *a,
                               const char *secret_file, char why[ODP_REDIS_WHY]) ODP_MUST_USE;
void odp_redis_close(struct odp_redis *r); /* NULL is allowed */
const char *odp_redis_why(const struct odp_redis *r);

/* A command of N arguments, its name counted; then exactly N of the calls below. */
void odp_redis_begin(struct odp_redis *r, size_t n);
void odp_redis_arg(struct odp_redis *r, struct odp_slice arg);
void odp_redis_arg_str(struct odp_redis *r, const char *arg);
void odp_redis_arg_u64(struct odp_redis *r, uint64_t arg);
/* Several arguments, the last followed by NULL. */
void odp_redis_words(struct odp_redis *r, ...) __attribute__((sentinel));
/* A whole command out of words, the last followed by NULL. */
void odp_redis_command(struct odp_redis *r, ...) __attribute__((sentinel));

/* The next reply, sending what was not sent; borrowed until the next call. */
enum odp_status odp_redis_next(struct odp_redis *r, const struct redisReply **reply) ODP_MUST_USE;
/* The next N replies, which only must not be errors. */
enum odp_status odp_redis_skip(struct odp_redis *r, size_t n) ODP_MUST_USE;
/* The replies of MULTI, N queued commands and EXEC, none of them an error. */
enum odp_status odp_redis_exec(struct odp_redis *r, size_t n) ODP_MUST_USE;
/* To be called for a reply that has not the form it must have. Returns BAD. */
enum odp_status odp_redis_odd(struct odp_redis *r);

/* Forms of replies. Text: {NULL, 0} for nil and for what is no text. */
struct odp_slice odp_redis_text(const struct redisReply *reply);
uint64_t odp_redis_integer(const struct redisReply *reply); /* 0 for what is no number */
/* Number of elements of an array; 0 for nil; SIZE_MAX for what is neither. */
size_t odp_redis_elements(const struct redisReply *reply);
const struct redisReply *odp_redis_element(const struct redisReply *reply, size_t i); /* nil beyond the end */
const struct redisReply *odp_redis_nil(void);
