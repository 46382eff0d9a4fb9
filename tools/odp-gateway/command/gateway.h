/* One gateway on this machine: its folders, the user it works as, its nginx, and the configuration made of
 * all that. */
#pragma once

#include <sys/types.h>

#include "base/arena.h"
#include "command/nginx/config.h"

struct gateway {
    struct invocation *inv;
    struct serve_options
        given; /* inv->serve as it was: its paths are made absolute in the arena, and put back with its end */
    struct odp_arena arena;
    const char *state;     /* absolute */
    const char *site;      /* absolute; the link itself, not where it leads. NULL: none named */
    const char *site_link; /* STATE/site */
    const char *conf;      /* STATE/nginx.conf */
    const char *nginx;     /* NULL: not found, or not wanted */
    const char *module;    /* NULL: not found, not wanted, or it does not fit */
    const char *user;      /* name to work as; NULL: this process is not root's */
    uid_t uid;
    gid_t gid;
    struct nginx_config config;
    struct odp_service_options service;
};

/* Paths, user, nginx and module; touches nothing. Returns an exit code and has reported the fault. Release in
 * every case. */
int gateway_init(struct gateway *g, struct invocation *inv);
void gateway_release(struct gateway *g);
/* "this is not a site built by odp-build": control, manifest.json and gateway.json are there and readable. */
int gateway_check_site(const struct gateway *g);
/* Makes the folders of the state (0700), and STATE/site a link to the site, replaced by rename. */
int gateway_prepare(struct gateway *g);
/* Becomes the user of the gateway if root; also for commands that open a state folder of another user. False:
 * errno. */
bool gateway_become_user(const struct gateway *g);
const char *gateway_url(const struct gateway *g, size_t i, char out[300]); /* of the I-th --listen */
