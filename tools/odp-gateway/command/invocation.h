/* The command line, as all commands see it (base/options.h). */
#pragma once

#include <stdint.h>

#include "base/options.h"
#include "service/state/state.h"

enum { EXIT_REFUSED = 1 };

/* Where the site's bytes come from. */
enum content_mode { CONTENT_LOCAL, CONTENT_PROXY, CONTENT_REDIRECT };
struct content {
    enum content_mode mode;
    const char *text; /* as given: "local", "proxy=URL", "redirect=secure_link,URL,FILE[,ttl=300s]",
                         "redirect=s3,URL,region=…,…" */
};

struct serve_options {
    struct option_list listen, trusted, hosts, webhook_allow;
    const char *tls_cert, *tls_key, *access_log, *user, *nginx, *module, *cache;
    struct content content;
    int64_t workers;                    /* 0: one a core */
    struct odp_service_options service; /* as given: paths as they are, without the state and the site */
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
