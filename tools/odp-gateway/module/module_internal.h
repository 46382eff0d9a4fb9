/* Inside of module: configuration, places, requests, and what its files call of each other (module.c has the
 * map).
 *
 * A request's state is one struct odp_ctx in its pool; it survives internal redirects by the pool's clean-up
 * list. Nothing a request holds can go away under it: a file is counted by reference, and tables and meters,
 * which are replaced between two events only, are compared by generation before a record's number is used
 * again. */
#pragma once

#include <ngx_config.h>

#include <ngx_core.h>
#include <ngx_http.h>

#include "core/control/control.h"
#include "core/page.h"
#include "core/problem.h"
#include "core/quota/meter.h"
#include "core/quota/quota.h"

/* Our place in nginx's arrays; plays the module in nginx's macros. Set when the configuration is made. */
struct odp_module_slot {
    ngx_uint_t ctx_index;
};
extern struct odp_module_slot odp_module_slot;

/* ---- places: a path of the configuration, shared by all servers that name it ---- */

struct odp_table_place {
    ngx_str_t path; /* with a terminator, as are all places' */
    struct odp_keytable *table;
    uint32_t generation; /* of the mapping; 0: none yet */
    time_t checked;
    time_t complained;
    uint32_t day; /* in the portal's zone, of `checked` */
    struct odp_settings settings;
    struct {
        u_char text[128];
        size_t len;
    } policy[ODP_TIERS_MAX]; /* RateLimit-Policy */
};

struct odp_meter_place {
    ngx_str_t path;
    struct odp_meter *meter;
    uint32_t generation;
    time_t checked;
    time_t complained;
};

struct odp_site_place {
    ngx_str_t path;
    struct odp_control *control;
    ngx_msec_t checked; /* in tenths of a second */
    time_t complained;
};

/* ---- configuration ---- */

struct odp_main_conf {
    ngx_array_t tables, meters, sites; /* of pointers to places */
    size_t cache_size;
    struct odp_cache *cache; /* made by the worker when first needed */
};

struct odp_origin; /* origin.c */
struct odp_srv_conf {
    struct odp_table_place *table;
    struct odp_meter_place *meter;
    struct odp_site_place *site;
    struct odp_origin *origin; /* NULL: links are the site's own */
};

enum odp_mode { ODP_MODE_LOCAL, ODP_MODE_CONTROL, ODP_MODE_REDIRECT };
struct odp_secrets; /* core/secrets/secret.h */
enum odp_redirect_kind { ODP_REDIRECT_NONE, ODP_REDIRECT_SECURE_LINK, ODP_REDIRECT_S3 };

struct odp_redirect {
    enum odp_redirect_kind kind;
    ngx_str_t url, region, access_key; /* access_key empty: it is in the file, before the secret */
    struct odp_secrets *secrets;
    time_t ttl;
};

struct odp_loc_conf {
    ngx_flag_t enable;
    ngx_uint_t mode;
    ngx_str_t query_key; /* empty: off */
    ngx_str_t query;     /* named location that asks the query engine, with its '@'; may be empty */
    size_t cache_file;
    struct odp_redirect *redirect;
    bool problem; /* the location has `odp_problem;` */
    bool foreign; /* another handler answers here; when the mode is local, only keys are checked */
};

/* ---- requests ---- */

/* A file of one build, resolved; in the cache, or kept by requests only. */
struct odp_file {
    ngx_queue_t lru;     /* in the cache's list, while listed */
    ngx_queue_t aliases; /* struct odp_alias that lead here */
    struct odp_file *next;
    struct odp_site_place *site;
    uint32_t hash, refs;
    bool listed, wrong; /* wrong: the bytes on disk are not as long as control says */
    bool readdressed;   /* its links were made for one request; never listed */
    unsigned varies;    /* the request headers that chose this file: enum odp_vary */
    size_t cost;
    struct odp_entry entry; /* its slices point into this file's own memory */
    ngx_str_t full;         /* real path, with a terminator */
    u_char *body;           /* NULL: on disk */
    uint32_t slots_generation;
    int32_t slots[ODP_TIERS_MAX + 1]; /* of the meter, by tier; the last: without key; -2: unknown yet */
    ngx_uint_t nshared, nheaders;     /* the first NSHARED also belong to a 304; the last is Accept-Ranges */
    ngx_table_elt_t headers[11 + ODP_PAGE_HEADERS]; /* ETag, Cache-Control, … */
};

struct odp_ctx {
    ngx_http_request_t *request;
    struct odp_file *file;    /* a reference is held */
    int64_t started;          /* monotonic nanoseconds */
    enum odp_problem problem; /* ODP_PROBLEM_COUNT: none */
    struct odp_grant grant;
    uint32_t table_generation, meter_generation, slot_day;
    int32_t slot;        /* used in the meter; -1: none */
    ngx_str_t secret;    /* the address as it came, when something in it was masked; else empty */
    ngx_str_t query_uri; /* the address for the query engine, percent-encoded */
    ngx_table_elt_t *cache_control;
    unsigned redacted : 1;
    unsigned checked : 1;
    unsigned graced : 1;  /* the key was recognised: grant has its limits */
    unsigned counted : 1; /* taken off the quota */
    unsigned waits : 1;   /* for its turn */
    unsigned from_query : 1;
    unsigned headers_done : 1;
    unsigned addressed : 1; /* the address is ours: CORS headers belong to the answer */
    unsigned proxied : 1;   /* mode control: the bytes come from an upstream */
    unsigned query : 1;     /* the query engine answers; file is the first page of the dataset */
    u_char rate[96];        /* RateLimit */
};

/* ---- context.c ---- */

/* The request's state; NULL when there is none yet, or (made) out of memory. */
struct odp_ctx *odp_ctx_get(ngx_http_request_t *r);
struct odp_ctx *odp_ctx_make(ngx_http_request_t *r);

/* place.c: opens all, when a worker starts: one without requests must know the present build too, should the
 * next be broken. */
ngx_int_t odp_places_open(ngx_cycle_t *cycle);
/* Opens the places that are closed or were replaced, at most once a second. */
void odp_places_refresh(ngx_http_request_t *r);
/* Path of a directive -> its place, made when new. */
void *odp_place_add(ngx_conf_t *cf, ngx_array_t *places, size_t size, ngx_str_t *path);
void odp_places_close(void *main_conf); /* clean-up of the configuration's pool */

/* cache.c. Lookups return a borrowed file (valid until the next call that may evict); odp_file_hold keeps it.
 */
struct odp_cache;
/* ODP_VARY_ACCEPT and ODP_VARY_LANGUAGE of core/control/control.h, and the file has twins. */
enum odp_vary { ODP_VARY_ENCODING = 4 };
struct odp_look {
    struct odp_file *file; /* with ROUTE QUERY: the first page of the dataset */
    enum odp_route route;
    bool keyed;
    bool gone;  /* withdrawn: file is NULL, link set */
    bool moved; /* file is NULL, entry set: its slices lie in the control file */
    struct odp_slice link;
    struct odp_entry entry;
};
/* FAIL: out of memory. ASK: with its URI alone where odp_control_asks says so. */
enum odp_status odp_cache_look(struct odp_main_conf *conf, struct odp_site_place *site,
                               const struct odp_ask *ask, ngx_str_t *accept_encoding, struct odp_look *look);
/* Reads the body into memory if it is at most LIMIT bytes. FAIL: the file is missing, unreadable or of
 * another size (logged).
 */
enum odp_status odp_cache_load(struct odp_main_conf *conf, struct odp_file *f, size_t limit, ngx_log_t *log);
void odp_cache_forget_site(struct odp_cache *c, struct odp_site_place *site);
void odp_cache_forget_slots(struct odp_file *f, uint32_t generation);
void odp_cache_free(struct odp_cache *c);
/* A file of F's kind with the bytes BODY, whose links begin with ORIGIN: for one request, which holds it.
 * NULL: out of memory. */
struct odp_file *odp_file_readdress(const struct odp_file *f, struct odp_slice body, struct odp_slice origin);
void odp_file_hold(struct odp_file *f);
void odp_file_release(struct odp_file *f);

/* redact.c, mask.c */
ngx_int_t odp_redact_handler(ngx_http_request_t *r);
/* False: out of memory, and neither address nor query is left. */
bool odp_redact_request(ngx_http_request_t *r, struct odp_ctx *ctx);
/* Whether the address as it came holds a forbidden key, and the value of the parameter ALLOWED (empty: none
 * allowed). */
bool odp_redact_leaks(ngx_http_request_t *r, const ngx_str_t *secret, const ngx_str_t *allowed,
                      ngx_str_t *value);
/* The query as it came, without the parameter NAME (empty: none is left out) and without empty parts; in the
 * request's pool. False: out of memory. */
bool odp_redact_query(ngx_http_request_t *r, const struct odp_ctx *ctx, const ngx_str_t *name,
                      ngx_str_t *query);
/* In locations that are not ours the address goes on as it came, if it holds no key (a link's token). */
void odp_redact_restore(ngx_http_request_t *r, struct odp_ctx *ctx);

/* access.c */
ngx_int_t odp_access_handler(ngx_http_request_t *r);

/* key.c */
/* ODP_PROBLEM_COUNT: the key is good and the request counted; with grant.wait_ms its turn is still to come
 * (turn.c). */
enum odp_problem odp_key_check(ngx_http_request_t *r, struct odp_ctx *ctx);

/* turn.c */
/* One more may wait. */
bool odp_turn_room(void);
/* Returns what an access handler returns; it is called again when the time has come. */
ngx_int_t odp_turn_wait(ngx_http_request_t *r, struct odp_ctx *ctx);

/* counts.c */
/* Counts the use of the file by dataset and tier, in the same cases as the quota: odp_give_back takes both
 * off. */
void odp_count_use(ngx_http_request_t *r, struct odp_ctx *ctx);
void odp_count_source(ngx_http_request_t *r, enum odp_meter_source source);
void odp_give_back(ngx_http_request_t *r, struct odp_ctx *ctx);
/* RateLimit and RateLimit-Policy. */
ngx_int_t odp_header_rate(ngx_http_request_t *r, struct odp_ctx *ctx);

/* refuse.c: sends the problem; returns what a content handler returns. LINK: a Link header, or empty. */
ngx_int_t odp_refuse(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p);
ngx_int_t odp_refuse_link(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_problem p,
                          struct odp_slice link);
ngx_int_t odp_problem_handler(ngx_http_request_t *r);

/* content.c */
ngx_int_t odp_content_handler(ngx_http_request_t *r);

/* file_headers.c */
ngx_int_t odp_send_not_modified(ngx_http_request_t *r, struct odp_ctx *ctx);
/* The conditions of the request against ETag; afterwards nginx has none left to judge by. */
int odp_conditions(ngx_http_request_t *r, const struct odp_file *f);
/* The file's own headers and the key's; FULL: also those that a 304 lacks. */
ngx_int_t odp_put_headers(ngx_http_request_t *r, struct odp_ctx *ctx, bool full);

/* page.c: the site's page for missing addresses, with status 404, as the answer to a browser. DECLINED: no
 * such page, or the client is not a browser. */
ngx_int_t odp_page_send_not_found(ngx_http_request_t *r, struct odp_ctx *ctx);
/* DECLINED: the address explains no problem, or the site has no such page. */
ngx_int_t odp_page_explain(ngx_http_request_t *r, struct odp_ctx *ctx);
/* The bytes of F are on this machine's disk, as they are where the site was pulled whole. */
bool odp_page_on_disk(const struct odp_file *f);

/* redirect.c */
ngx_int_t odp_redirect_send(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_redirect *to);
char *odp_redirect_directive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
/* moved.c: 308s. */
/* With a slash MORE, or without the one at its end. */
ngx_int_t odp_moved_slash(ngx_http_request_t *r, struct odp_ctx *ctx, bool more, bool page);
/* To the page that explains problems. */
ngx_int_t odp_moved_explained(ngx_http_request_t *r, struct odp_ctx *ctx, enum odp_lang lang,
                              struct odp_slice code);
/* To the address that took the place of this one. */
ngx_int_t odp_moved_send(ngx_http_request_t *r, struct odp_ctx *ctx, const struct odp_entry *e);

/* upstream.c */
ngx_int_t odp_upstream_prepare(ngx_http_request_t *r, struct odp_ctx *ctx);
ngx_int_t odp_upstream_headers(ngx_http_request_t *r, struct odp_ctx *ctx);

/* query.c */
/* Reads the parts of the request that decide where it goes. False: out of memory. */
bool odp_query_ask(ngx_http_request_t *r, const struct odp_ctx *ctx, const struct odp_loc_conf *conf,
                   struct odp_ask *ask);
/* Methods of the address, as a value of Allow. */
ngx_str_t odp_query_methods(ngx_http_request_t *r, const struct odp_loc_conf *conf);
bool odp_query_takes(ngx_http_request_t *r, const struct odp_loc_conf *conf); /* the method is allowed */
/* On to the location that asks the engine; returns what the access handler returns. */
ngx_int_t odp_query_send(ngx_http_request_t *r, struct odp_ctx *ctx, struct odp_loc_conf *conf,
                         const struct odp_ask *ask);
/* The engine's answer: what stays of its headers, and ours. */
ngx_int_t odp_query_headers(ngx_http_request_t *r, struct odp_ctx *ctx);

/* origin.c */
char *odp_origin_directive(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
/* The beginning of links, "http://localhost:8080"; empty: the site's own address. In the request's pool. */
struct odp_slice odp_origin_of(ngx_http_request_t *r);
/* F with links of ORIGIN: F itself where it has none. NULL: out of memory. */
struct odp_file *odp_origin_file(ngx_http_request_t *r, struct odp_file *f, struct odp_slice origin);

/* filter.c */
void odp_filter_install(void);

/* headers.c */
/* The first header of that name, or NULL; all of them taken off. */
ngx_table_elt_t *odp_header_find(ngx_http_request_t *r, const char *name);
void odp_header_drop(ngx_http_request_t *r, const char *name);
/* Adds a header; KEY and VALUE must live as long as the request. */
ngx_table_elt_t *odp_header_add(ngx_http_request_t *r, const char *key, ngx_str_t value);
extern const char odp_exposed[]; /* Access-Control-Expose-Headers */
/* A header of the request, by its name in lower case; empty: not there. */
struct odp_slice odp_header_in(ngx_http_request_t *r, const char *name);
/* No upstream gets the headers of that name. */
void odp_header_keep(ngx_http_request_t *r, const char *name);
/* Header and body of an answer whose status is set. TYPE and BODY must live as long as the request. */
ngx_int_t odp_send_text(ngx_http_request_t *r, ngx_str_t type, ngx_str_t body);

/* context.c: in the request's pool, where what S lies in may go before the answer is sent; data NULL: out of
 * memory. B is taken. */
ngx_str_t odp_pool_copy(ngx_http_request_t *r, struct odp_slice s);
ngx_str_t odp_pool_take(ngx_http_request_t *r, struct odp_buffer *b);

/* variables.c, meter.c */
ngx_int_t odp_variables_add(ngx_conf_t *cf);
ngx_int_t odp_meter_handler(ngx_http_request_t *r);

static inline struct odp_slice odp_slice_from(const ngx_str_t *s)
{
    return (struct odp_slice){(const char *)s->data, s->len};
}

/* nginx's strings are not const; those that nginx only reads may point to ours. */
static inline ngx_str_t odp_str(struct odp_slice s)
{
    return (ngx_str_t){s.len, (u_char *)(uintptr_t)s.ptr};
}

#define odp_conf_main(r) ((struct odp_main_conf *)ngx_http_get_module_main_conf(r, odp_module_slot))
#define odp_conf_srv(r)  ((struct odp_srv_conf *)ngx_http_get_module_srv_conf(r, odp_module_slot))
#define odp_conf_loc(r)  ((struct odp_loc_conf *)ngx_http_get_module_loc_conf(r, odp_module_slot))
