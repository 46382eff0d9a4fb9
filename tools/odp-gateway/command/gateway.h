/* One gateway on this machine: its folders, the user it works as, its nginx, and the configuration made of all that. */
#ifndef ODP_GATEWAY_COMMAND_GATEWAY_H
#define ODP_GATEWAY_COMMAND_GATEWAY_H

#include <sys/types.h>

#include "base/arena.h"
#include "command/nginx/config.h"
#include "service/state/state.h"

struct gateway {
    struct invocation *inv;
    struct serve_options given; /* inv->serve as it was: its paths are made absolute in the arena, and put back with its end */
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

/* Paths, user, nginx and module; touches nothing. Returns an exit code and has said why. Release in every case. */
int gateway_init(struct gateway *g, struct invocation *inv);
void gateway_release(struct gateway *g);
/* "this is not a site built by odp-build": control, manifest.json and gateway.json are there and readable. */
int gateway_check_site(const struct gateway *g);
/* Makes the folders of the state (0700), and STATE/site a link to the site, replaced by rename. */
int gateway_prepare(struct gateway *g);
/* Becomes the user of the gateway if root; also for commands that open a state folder of another user. False: errno. */
bool gateway_become_user(const struct gateway *g);
/* Options of the service and of commands that open the state. */
void gateway_service_options(struct gateway *g);
const char *gateway_url(const struct gateway *g, size_t i, char out[300]); /* of the I-th --listen */

/* Files of secrets are there, the gateway's user's or root's, and closed to others (serve_secrets.c). Returns an exit code and has said why. */
int serve_check_secrets(struct gateway *g);

/* ---- nginx as a program (run.c) ---- */

/* The program: --nginx, PATH, /usr/sbin … */
const char *nginx_find(struct odp_arena *a, const char *named);
/* The module: --module, beside this program, nginx's folders of modules. */
const char *nginx_find_module(struct odp_arena *a, const char *named);
/* Writes g->config to g->conf, tested before it is moved there. The module is given up, with a loud warning, when it does not
 * fit. */
int nginx_write_config(struct gateway *g);
/* `nginx -t` on CONF; OUTPUT gets what it said. 0: fine; 1: not; 2: the module does not fit; -1: could not be run. */
int nginx_test(const struct gateway *g, const char *conf, struct odp_buffer *output);
void nginx_warn_fallback(const struct gateway *g, const char *why);
/* Each --listen can be bound; says which not, and who has it. A unix socket nobody listens on is removed. */
int nginx_check_ports(const struct gateway *g);
pid_t nginx_port_owner(unsigned port, char name[64]); /* 0: not found */
const char *nginx_resolver(struct odp_arena *a);      /* name servers of /etc/resolv.conf, or "" */

/* Runs ARGV, at most SECONDS; output (both streams) up to 32 KiB. Returns the exit code, or -1 with errno. */
int run_captured(const char *const argv[], int seconds, struct odp_buffer *output);

#endif
