/* The command line, as all commands see it (base/options.h). */
#pragma once

#include <stdint.h>

#include "base/options.h"

enum { EXIT_REFUSED = 1 };

/* Where the site's bytes come from. */
enum content_mode { CONTENT_LOCAL, CONTENT_PROXY, CONTENT_REDIRECT };
struct content {
    enum content_mode mode;
    const char *text; /* as given: "local", "proxy=URL", "redirect=secure_link,URL,FILE[,ttl=300s]",
                         "redirect=s3,URL,region=…,…" */
};

struct serve_options {
    struct option_list listen, trusted, hosts;
    const char *tls_cert, *tls_key, *metrics, *auth_listen, *sendmail, *mail_from, *writer, *redis,
        *redis_secret, *machine;
    const char *query_key, *access_log, *user, *nginx, *module, *cache;
    struct content content;
    bool confirm_email;
    int64_t workers;                 /* 0: one a core */
    int64_t registrations, attempts; /* an address and hour */
    int64_t header_size, query_size; /* bytes of one header field or request line, of a query's body */
    int64_t grace, key_term;         /* seconds */
    int64_t query_threads, query_time, query_rows, query_cache; /* 0 threads: one a core */
    const char *cursor_secret;
    struct option_list webhook_allow;
    const char *webhook_key, *webhook_ca;
    bool no_webhooks, webhook_loopback;
    int64_t webhook_connections, webhook_keep; /* at once; seconds */
};

struct invocation {
    struct odp_command_line line;
    const char *state; /* --state, or the default */
    struct serve_options serve;
    const char *part;                                                             /* config: full, http */
    const char *tier, *key_state, *name, *email, *organisation, *purpose, *until; /* keys */
    const char *by, *from, *to;                                                   /* usage; pull: --to */
    const char *internal_url;                                                     /* pull */
    int64_t jobs, keep, max_file, max_site;                                       /* pull */
    const char *key, *delivery, *since; /* webhooks; list: also key_state */
    int64_t limit;                      /* webhooks; 0: not given */
    bool only_failed;                   /* webhooks */
    const char *file, *new_secret;      /* secrets */
    int64_t after, secret_grace;        /* secrets: seconds; -1: not given */
    bool csv, json, yes;
};

/* Commands that start a gateway, or look at how one would be started: they take the options of `serve`. */
#define SERVE " serve config check "
/* Returns EXIT_CLEAN or EXIT_USAGE; in the latter case it has reported the fault on ERR. WORDS has room for
 * ARGC entries. */
int options_parse(struct invocation *inv, int argc, char **argv, const char **words, FILE *err);
