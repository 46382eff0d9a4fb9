/* Children: their input, output, errors and end. */

#include "run.h"

#include "base/child.h"

static bool never(void *ctx)
{
    ++*(unsigned *)ctx;
    return false;
}

/* Runs C and compares its output and its errors. */
static void run(struct odp_child *c, struct odp_buffer *out, const char *output, const char *errors)
{
    odp_buffer_clear(out);
    must(odp_child_run(c));
    assert_true(odp_slice_is(odp_buffer_slice(out), output));
    assert_true(odp_slice_is(odp_buffer_slice(&c->errors), errors));
    odp_buffer_release(&c->errors);
}

TEST(children)
{
    static const char *const echo[] = {"/bin/cat", NULL}, *const none[] = {"/nonexistent", NULL},
                             *const noise[] = {"/bin/sh", "-c", "echo weg >&2; yes", NULL},
                             *const sleeper[] = {"/bin/sleep", "60", NULL};
    BUFFER(out);
    unsigned asked = 0;
    struct odp_child c = {.argv = echo, .input = ODP_LIT("$(id) `x`\n"), .out = &out, .max = 100};
    run(&c, &out, "$(id) `x`\n", "");
    assert_int_equal(c.code, 0);
    c = (struct odp_child){.argv = none};
    run(&c, &out, "", "");
    assert_int_equal(c.code, 127);
    c = (struct odp_child){.argv = noise, .out = &out, .max = 6};
    run(&c, &out, "y\ny\ny\n", "weg\n");
    assert_true(c.too_large);
    c = (struct odp_child){.argv = sleeper, .watch = never, .ctx = &asked};
    run(&c, &out, "", "");
    assert_true(c.given_up);
    assert_int_equal(asked, 1);
}
