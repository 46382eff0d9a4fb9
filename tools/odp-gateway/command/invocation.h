/* What was written on the command line, as all commands see it; and what a command is. An option belongs to groups, and a command says
 * which groups it takes: what does not belong to it is refused by name. */
#ifndef ODP_GATEWAY_COMMAND_INVOCATION_H
#define ODP_GATEWAY_COMMAND_INVOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

enum { EXIT_CLEAN = 0, EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_MACHINE = 3 };

enum option_group {
    GROUP_ALL = 1 << 0,    /* --help, --version, --lang */
    GROUP_STATE = 1 << 1,  /* --state */
    GROUP_SERVE = 1 << 2,  /* how the gateway is run */
    GROUP_CONFIG = 1 << 3, /* --part */
    GROUP_KEYS = 1 << 4,
    GROUP_USAGE = 1 << 5,
    GROUP_TABLE = 1 << 6, /* --json */
    GROUP_PULL = 1 << 7,
    GROUP_YES = 1 << 8,
    GROUP_WEBHOOKS = 1 << 9,
    GROUP_SECRETS = 1 << 10
};

#define MAX_REPEATS 32
struct option_list {
    const char *items[MAX_REPEATS];
    size_t n;
};

/* Where the site's bytes come from. */
enum content_mode { CONTENT_LOCAL, CONTENT_PROXY, CONTENT_REDIRECT };
struct content {
    enum content_mode mode;
    const char
        *text; /* as given: "local", "proxy=URL", "redirect=secure_link,URL,FILE[,ttl=300s]", "redirect=s3,URL,region=…,…" */
};

struct serve_options {
    struct option_list listen, trusted, hosts;
    const char *tls_cert, *tls_key, *metrics, *auth_listen, *sendmail, *mail_from, *writer, *redis, *redis_secret, *machine;
    const char *query_key, *access_log, *user, *nginx, *module, *cache;
    struct content content;
    bool confirm_email, no_module;
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
    const struct command *const *commands; /* all there are; ends with NULL */
    const struct command *command;         /* the one that was written, or NULL */
    enum odp_lang lang;
    const char *state; /* --state, or the default */
    struct serve_options serve;
    const char *part;                                                             /* config: full, http */
    const char *tier, *key_state, *name, *email, *organisation, *purpose, *until; /* keys */
    const char *by, *from, *to;                                                   /* usage; pull: --to */
    const char *internal_url;                                                     /* pull */
    int64_t jobs, keep, max_file, max_site;                                       /* pull */
    const char *key, *delivery, *since;                                           /* webhooks; list: also key_state */
    int64_t limit;                                                                /* webhooks; 0: not said */
    bool only_failed;                                                             /* webhooks */
    const char *file, *new_secret;                                                /* secrets */
    int64_t after, secret_grace;                                                  /* secrets: seconds; -1: not said */
    bool csv, json, yes, help, version;
    const char **words; /* what follows the command and is no option; points into argv */
    size_t nwords;
};

struct command {
    const char *name;
    const char *words; /* "SITE" */
    unsigned groups;   /* of enum option_group */
    size_t min_words, max_words;
    struct odp_text summary;
    struct odp_text more;               /* shown in the command's own help; may be empty */
    int (*run)(struct invocation *inv); /* returns the exit code */
};

#endif
