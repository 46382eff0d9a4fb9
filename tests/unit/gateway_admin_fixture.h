/* Administrative commands as "command:sari", and what they reply. */
#include "gateway_state_fixture.h"
#include "json_holds.h"

/* A reply goes here; writing it fails the FAILS_AT-th time. */
struct paper {
    struct fixture *f;
    int times, fails_at; /* FAILS_AT 0: never */
    int64_t written;     /* entries of the audit that others see while the first reply is written */
};

static enum odp_status paper_put(void *ctx, const json_t *reply)
{
    struct paper *p = ctx;
    assert_non_null(reply);
    if (p->times++ == 0)
        p->written = fixture_audited(p->f);
    return p->times == p->fails_at ? odp_failure_set("reply", NULL, ENOSPC) : ODP_OK;
}

/* REQUEST: a command and its members, with ' for ": "keys.suspend 'key':1"; or JSON as it is. P may be NULL:
 * the reply is not written before all is done. */
static enum odp_status run_on(struct fixture *f, struct paper *p, const char *request)
{
    char command[64];
    size_t n = strcspn(request, " ");
    snprintf(command, sizeof command, "{'command':'%.*s'%s", (int)n, request, request[n] != '\0' ? "," : "");
    char *wanted =
        request[0] == '{' || request[0] == '[' ? quoted("", request, "") : quoted(command, request + n, "}");
    json_t *doc = json_loads(wanted, 0, NULL);
    json_decref(f->reply);
    f->reply = NULL;
    if (doc == NULL)
        fail_msg("not JSON: %s", wanted);
    free(wanted);
    enum odp_status st = p == NULL
                             ? odp_admin_run(&f->s, doc, "command:sari", f->now, &f->reply)
                             : odp_admin_run_writing(&f->s, doc, "command:sari", f->now,
                                                     &(struct odp_admin_writing){paper_put, p}, &f->reply);
    json_decref(doc);
    return st;
}

static inline enum odp_status run_writing(struct paper *p, const char *request)
{
    p->times = 0;
    return run_on(p->f, p, request);
}

static inline const json_t *row(const struct fixture *f, size_t i)
{
    return json_array_get(json_object_get(f->reply, "data"), i);
}

static inline size_t rows(const struct fixture *f)
{
    return json_array_size(json_object_get(f->reply, "data"));
}

static inline const char *text_in(const json_t *object, const char *name)
{
    const char *t = json_string_value(json_object_get(object, name));
    return t != NULL ? t : "";
}

static inline const char *text(const struct fixture *f, size_t i, const char *name)
{
    return text_in(row(f, i), name);
}

static inline int64_t count(const struct fixture *f, size_t i, const char *name)
{
    return json_integer_value(json_object_get(row(f, i), name));
}

/* Row I has MEMBERS. */
static inline void has(const struct fixture *f, size_t i, const char *members)
{
    holds(row(f, i), members);
}

/* REQUEST is done. */
static inline void does(struct fixture *f, const char *request)
{
    if (run_on(f, NULL, request) != ODP_OK) {
        char *reply = json_dumps(f->reply, 0);
        fail_msg("%s: %s %s", request, reply != NULL ? reply : "", odp_failure_text());
    }
    assert_string_equal(text_in(f->reply, "status"), "success");
}

/* REQUEST is refused with CODE and the FIELD (NULL: none). */
static inline void refuses(struct fixture *f, const char *request, const char *code, const char *field)
{
    enum odp_status st = run_on(f, NULL, request);
    const char *at = json_string_value(json_object_get(f->reply, "field"));
    if (st != ODP_BAD || strcmp(text_in(f->reply, "code"), code) != 0 || (field == NULL) != (at == NULL) ||
        (field != NULL && strcmp(at, field) != 0)) {
        char *reply = f->reply != NULL ? json_dumps(f->reply, 0) : NULL;
        fail_msg("%s: %d %s", request, (int)st, reply != NULL ? reply : "");
    }
    assert_true(json_integer_value(json_object_get(f->reply, "status")) >= 400);
    assert_string_equal(odp_failure_text(), "");
}
