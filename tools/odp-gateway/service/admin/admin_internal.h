/* Inside of service/admin: a command that is being run. */
#pragma once

#include <jansson.h>

#include "core/problem.h"
#include "service/accounts/keys.h"
#include "service/admin/admin.h"
#include "service/state/state_internal.h"
#include "service/webhooks/webhooks_internal.h"

enum odp_admin_needs { ODP_ADMIN_NOTHING, ODP_ADMIN_STORE, ODP_ADMIN_WEBHOOKS, ODP_ADMIN_SENDER };

struct odp_admin { /* one command being run */
    struct odp_state *s;
    const char *command;   /* its name */
    const json_t *request; /* arguments that are there have the type that admin.def says */
    const char *actor;
    int64_t now;
    enum odp_lang lang;
    struct odp_settings settings;            /* a copy */
    json_t *rows;                            /* of the reply; ours */
    json_t *meta;                            /* or NULL; ours */
    json_t *problem;                         /* or NULL; ours */
    const struct odp_admin_writing *writing; /* or NULL */
    json_t *reply;                           /* of what was done, or NULL: not said yet; ours */
    struct odp_arena arena;
    struct odp_key_info key; /* that the argument names, where it is required */
    struct odp_webhooks *webhooks;
    struct odp_webhook_act act;
    struct odp_order order;
    json_t *(*row)(struct odp_admin *x, const struct odp_issued *k);
};

#define ODP_ADMIN(function, ...) enum odp_status function(struct odp_admin *x) ODP_MUST_USE;
#include "service/admin/admin.def"
#undef ODP_ADMIN

/* The reply is this problem; always BAD. FIELD, ID and EN (the detail in both languages) may be NULL. */
enum odp_status odp_admin_refuse(struct odp_admin *x, enum odp_problem p, const char *field, const char *id,
                                 const char *en);
/* FIELD is wrong: the detail, in the caller's language, by a format. */
enum odp_status odp_admin_refuse_list(struct odp_admin *x, enum odp_problem p, const char *field,
                                      const char *format, ...) __attribute__((format(printf, 4, 5)));
/* A row of check: WHAT was looked at, whether it is as it must be, and the detail in the caller's language,
 * by a format of the same arguments in both. */
enum odp_status odp_admin_checked(struct odp_admin *x, const char *what, bool ok, const char *id,
                                  const char *en, ...)
    __attribute__((format(printf, 4, 6), format(printf, 5, 6)));
/* The general words for what an act refused. */
enum odp_status odp_admin_result(struct odp_admin *x, enum odp_status st, enum odp_problem p,
                                 const char *field);
/* BAD on a replica, which has no store. */
enum odp_status odp_admin_needs_store(struct odp_admin *x) ODP_MUST_USE;

const char *odp_admin_text(const struct odp_admin *x, const char *name); /* NULL: absent */
int64_t odp_admin_number(const struct odp_admin *x, const char *name, int64_t otherwise);
/* Argument "limit", of one that is absent OTHERWISE; from 1 to MOST. */
int64_t odp_admin_limit(const struct odp_admin *x, int64_t otherwise, int64_t most);
/* BAD: argument "state" is there and none of STATES, which end with NULL; ID and EN say which there are. */
enum odp_status odp_admin_state(struct odp_admin *x, const char *const *states, const char *id,
                                const char *en) ODP_MUST_USE;
/* The key that argument "key" names, into x->key. */
enum odp_status odp_admin_key(struct odp_admin *x) ODP_MUST_USE;
/* "2024-03-15" as days since 1970; of an absent one OTHERWISE. */
enum odp_status odp_admin_day(struct odp_admin *x, const char *name, int64_t otherwise,
                              int64_t *day) ODP_MUST_USE;
/* A date (its end, in the portal's zone) or a moment as Unix seconds; 0: null or absent. */
enum odp_status odp_admin_moment(struct odp_admin *x, const char *name, int64_t *t) ODP_MUST_USE;

/* Appends the rows of the select that Q has open, and ends it. A member has the column's name; what follows a
 * ':' there says what the value is: time, day, flag, json. MOST: rows at most; true: there were more. */
bool odp_admin_rows(struct odp_admin *x, struct odp_sql *q, size_t most);
/* Appends ROW (consumed). FAIL: NULL, a text in it is no UTF-8. */
enum odp_status odp_admin_row_take(struct odp_admin *x, json_t *row) ODP_MUST_USE;
json_t *odp_admin_time(const struct odp_admin *x, int64_t t); /* RFC 3339 in the portal's zone; null for 0 */
/* The rows and "meta" are all there is: makes the reply of them, and writes it. Acts do that before they
 * commit (struct odp_telling), else it is done when the command has run; once more: the reply is made anew.
 */
enum odp_status odp_admin_say(struct odp_admin *x) ODP_MUST_USE;
/* For an act: the reply is the one row that ROW makes of what it is about to do (NULL: FAIL), while that can
 * still be undone. */
struct odp_order *odp_admin_order(struct odp_admin *x,
                                  json_t *(*row)(struct odp_admin *x, const struct odp_issued *k));
/* An act of its own in the audit log. */
enum odp_status odp_admin_audit(struct odp_admin *x, const char *act, const char *detail) ODP_MUST_USE;
/* "meta" of a list: MORE, and where to go on. */
void odp_admin_more(struct odp_admin *x, bool more, int64_t after);

/* Row "webhooks" and "webhook-key" of check; COPY is the store. */
enum odp_status odp_admin_check_webhooks(struct odp_admin *x, sqlite3 *copy) ODP_MUST_USE;
