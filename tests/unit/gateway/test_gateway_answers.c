/* The service's endpoints of keys and its pages, and operators' commands on keys, as scripts: answers/… */
#include "gateway_answers_fixture.h"
#include "gateway_shell_fixture.h"

/* "fresh" is another service, empty; "shells" its site, of two pages that all others are put into. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct play *p = ctx;
    if (odp_slice_is(question, "fresh")) {
        fixture_teardown((void **)&p->f);
        *p = (struct play){0};
        fixture_setup((void **)&p->f);
    } else if (odp_slice_is(question, "shells")) {
        open_site(p->f);
    } else {
        play_line(p, question.ptr, out);
    }
}

static void play(const char *name)
{
    struct play p = {0};
    fixture_setup((void **)&p.f);
    answer_lines(name, answer, &p);
    p.f->s.writer = true;
    fixture_teardown((void **)&p.f);
}

TEST(keys)
{
    play("gateway/answers/keys.txt");
}

TEST(bodies)
{
    play("gateway/answers/bodies.txt");
}

TEST(forms)
{
    play("gateway/answers/forms.txt");
}

TEST(forward_auth)
{
    play("gateway/answers/forward_auth.txt");
}

TEST(admin)
{
    play("gateway/answers/admin.txt");
}

/* ---- health ---- */

/* Status and body of /healthz and /readyz. */
static void expect_health(struct fixture *f, int health, int ready, const char *status, const char *writes)
{
    f->call.door = ODP_DOOR_METRICS;
    assert_int_equal(fixture_call(f, "GET", "/readyz", NULL, NULL), ready);
    assert_int_equal(fixture_call(f, "GET", "/healthz", NULL, NULL), health);
    assert_string_equal(json_string_value(json_object_get(f->doc, "status")), status);
    assert_string_equal(json_string_value(json_object_get(f->doc, "writes")), writes);
}

TEST(health)
{
    struct fixture *f = *state;
    expect_health(f, 200, 200, "ok", "ok");
    f->s.web->flush_ok = false;
    expect_health(f, 503, 200, "degraded", "failing");
    assert_true(json_is_false(json_object_get(json_object_get(f->doc, "checks"), "counts")));
    f->s.web->room = "no-space";
    expect_health(f, 503, 200, "degraded", "no-space");
    f->s.web->flush_ok = true;
    expect_health(f, 503, 200, "degraded", "no-space"); /* nothing was counted, so nothing failed yet */
    f->s.web->room = "ok";
    f->s.writer = false;
    atomic_store(&f->s.web->writer_reachable, false);
    expect_health(f, 200, 200, "degraded", "writer-unreachable"); /* the fault is another machine's */
    f->s.writer = true;
    f->s.web->ticking = true;
    f->s.web->ticked_ms = (int64_t)FIXTURE_NOW * 1000 - 60000;
    expect_health(f, 503, 503, "fail", "ok");
    asks(f, "GET", "/auth/key", NULL, NULL, 404, "");
}

EACH(fixture_setup, fixture_teardown)
