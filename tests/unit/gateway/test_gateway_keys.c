/* Keys: who gets one, what follows it, what ends it. */
#include "gateway_state_fixture.h"

#include <pthread.h>

#define NEW_DAY (86400 + 10)

static enum odp_status try_register(struct fixture *f, const char *email)
{
    struct odp_issued k;
    struct odp_registration r = person(email);
    return odp_keys_register(&f->s, order(f), &r, &k);
}

static struct odp_issued rotate(struct fixture *f, const char *key, int64_t grace)
{
    struct odp_issued k;
    uint8_t digest[ODP_SHA256_SIZE];
    digest_of(key, digest);
    if (odp_keys_rotate(&f->s, order(f), digest, grace, &k) != ODP_OK)
        fail_msg("rotate: %s", odp_problem_info(f->o.problem)->code);
    return k;
}

static enum odp_problem rotate_refused(struct fixture *f, const char *key)
{
    struct odp_issued k;
    uint8_t digest[ODP_SHA256_SIZE];
    digest_of(key, digest);
    assert_int_equal(odp_keys_rotate(&f->s, order(f), digest, 10, &k), ODP_BAD);
    return f->o.problem;
}

static void set_state(struct fixture *f, const char *key, enum odp_key_state state)
{
    if (odp_keys_set_state(&f->s, order(f), info_of(f, key).id, state) != ODP_OK)
        fail_msg("set_state: %s", odp_problem_info(f->o.problem)->code);
}

static void test_registers(void **state)
{
    struct fixture *f = *state;
    struct odp_issued k = register_as(f, "Sari@Example.org");
    assert_true(odp_key_ok(odp_slice_of(k.key)));
    assert_string_equal(k.email, "Sari@Example.org");
    assert_string_equal(k.token, ""); /* no mail is configured */
    assert_int_equal(look(f, k.key), ODP_PASS);
    struct odp_key_info info = info_of(f, k.key);
    assert_string_equal(info.tier, "public");
    assert_string_equal(info.state, "active");
    assert_string_equal(info.name, "Sari Dewi");
    assert_string_equal(info.organisation, "Bappeda");
    assert_int_equal(info.until, 0);
    assert_int_equal(info.account, info.id);
    assert_memory_equal(info.shown, k.key, ODP_KEY_SHOWN);
    assert_false(store_has(f, k.key));
    assert_false(store_has(f, k.key + ODP_KEY_SHOWN));
    assert_true(store_has(f, "Sari@Example.org"));
    audit_is_whole(f);
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE act = 'register' AND actor = 'api' AND "
                               "detail NOT LIKE '%xample%'"),
                     1);
}

static void test_operator_makes_keys(void **state)
{
    struct fixture *f = *state;
    struct odp_issued k;
    struct odp_registration r = person("sari@example.org");
    f->options.key_term = 1000;
    register_as(f, "sari@example.org");
    must(odp_keys_create(&f->s, order(f), &r, "government", 0, &k));
    assert_int_equal(k.record.until, 0); /* for ever, whatever term the service gives */
    assert_string_equal(info_of(f, k.key).tier, "government");
    struct odp_issued next = rotate(f, k.key, 5);
    assert_int_equal(next.record.until, 0);
    must(odp_keys_create(&f->s, order(f), &r, "registered", f->now + 50, &k));
    assert_int_equal(k.record.until, f->now + 50);
    next = rotate(f, k.key, 5);
    assert_int_equal(next.record.until, f->now + 50); /* rotating lengthens no term */
    assert_int_equal(odp_keys_create(&f->s, order(f), &r, "royal", 0, &k), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_FIELD_INVALID);
    assert_int_equal(odp_keys_create(&f->s, order(f), &r, "public", f->now - 1, &k), ODP_BAD);
    f->now += 51;
    assert_int_equal(look(f, next.key), ODP_KEY_EXPIRED);
    assert_string_equal(info_of(f, next.key).state, "expired");
}

static void test_rotation_shares_the_count(void **state)
{
    struct fixture *f = *state;
    struct odp_grant g;
    struct odp_issued a = register_as(f, "sari@example.org");
    for (int i = 0; i < 3; i++)
        assert_int_equal(request(f, a.key, i * 1000, &g), ODP_PASS);
    struct odp_issued b = rotate(f, a.key, 100);
    assert_int_equal(request(f, b.key, 4000, &g), ODP_PASS);
    assert_int_equal(g.remaining, 996);
    assert_int_equal(request(f, a.key, 5000, &g), ODP_PASS); /* in its grace */
    assert_int_equal(g.remaining, 995);
    assert_int_equal(info_of(f, a.key).used, 5);
    assert_int_equal(info_of(f, b.key).used, 5);
    assert_string_equal(info_of(f, a.key).state, "rotated");
    assert_int_equal(info_of(f, b.key).account, info_of(f, a.key).id);
    assert_int_equal(rotate_refused(f, a.key), ODP_PROBLEM_CONFLICT);
    f->now += 101;
    assert_int_equal(look(f, a.key), ODP_KEY_EXPIRED);
    assert_int_equal(look(f, b.key), ODP_PASS);
    must(odp_state_flush(&f->s));
    assert_int_equal(number(f, "SELECT count(*) FROM usage_key"), 1);
    assert_int_equal(number(f, "SELECT count FROM usage_key"), 5);
}

static void test_rotations_are_bounded(void **state)
{
    struct fixture *f = *state;
    struct odp_issued k = register_as(f, "sari@example.org");
    int n = 0;
    for (; n < 5; n++)
        k = rotate(f, k.key, 1000);
    assert_int_equal(rotate_refused(f, k.key), ODP_PROBLEM_CONFLICT);
    f->now += 1001; /* their grace is over */
    for (; n < 10; n++)
        k = rotate(f, k.key, 0);
    assert_int_equal(rotate_refused(f, k.key), ODP_PROBLEM_CONFLICT); /* ten a day */
    f->now += NEW_DAY;
    rotate(f, k.key, 0);
}

static void test_no_grace(void **state)
{
    struct fixture *f = *state;
    struct odp_issued a = register_as(f, "sari@example.org"), b = rotate(f, a.key, 0);
    assert_int_equal(look(f, a.key), ODP_KEY_EXPIRED);
    assert_int_equal(look(f, b.key), ODP_PASS);
}

static void test_states_are_the_accounts(void **state)
{
    struct fixture *f = *state;
    struct odp_issued a = register_as(f, "sari@example.org"), b = rotate(f, a.key, 1000),
                      other = register_as(f, "b@example.org");
    set_state(f, b.key, ODP_KEY_SUSPENDED);
    assert_int_equal(look(f, a.key), ODP_KEY_IS_SUSPENDED); /* the one before is no way around */
    assert_int_equal(look(f, b.key), ODP_KEY_IS_SUSPENDED);
    assert_int_equal(look(f, other.key), ODP_PASS);
    assert_int_equal(rotate_refused(f, b.key), ODP_PROBLEM_KEY_SUSPENDED);
    set_state(f, b.key, ODP_KEY_SUSPENDED); /* twice is once */
    set_state(f, a.key, ODP_KEY_ACTIVE);
    assert_string_equal(info_of(f, a.key).state, "rotated");
    assert_string_equal(info_of(f, b.key).state, "active");
    must(odp_keys_set_tier(&f->s, order(f), info_of(f, a.key).id, "registered"));
    assert_string_equal(info_of(f, b.key).tier, "registered");
    assert_int_equal(odp_keys_set_tier(&f->s, order(f), info_of(f, a.key).id, "royal"), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_FIELD_INVALID);
    set_state(f, b.key, ODP_KEY_REVOKED);
    assert_int_equal(look(f, a.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(odp_keys_set_state(&f->s, order(f), info_of(f, b.key).id, ODP_KEY_ACTIVE), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_CONFLICT);
    assert_int_equal(odp_keys_set_state(&f->s, order(f), info_of(f, other.key).id, ODP_KEY_ROTATED), ODP_BAD);
    assert_int_equal(odp_keys_set_state(&f->s, order(f), 999, ODP_KEY_REVOKED), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_NOT_FOUND);
    assert_int_equal(rotate_refused(f, b.key), ODP_PROBLEM_KEY_REVOKED);
    audit_is_whole(f);
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE act = 'suspend'"), 1);
}

static void test_reissue(void **state)
{
    struct fixture *f = *state;
    struct odp_issued k;
    struct odp_grant g;
    struct odp_issued a = register_as(f, "sari@example.org"), b = rotate(f, a.key, 1000);
    assert_int_equal(request(f, b.key, 0, &g), ODP_PASS);
    must(odp_keys_reissue(&f->s, order(f), info_of(f, b.key).id, &k));
    assert_int_equal(look(f, a.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(look(f, b.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(request(f, k.key, 1000, &g), ODP_PASS);
    assert_int_equal(g.remaining, 998); /* nor does it give a new quota */
    assert_string_equal(k.email, "sari@example.org");
    set_state(f, k.key, ODP_KEY_SUSPENDED);
    assert_int_equal(odp_keys_reissue(&f->s, order(f), info_of(f, k.key).id, &k), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_CONFLICT);
    assert_int_equal(odp_keys_reissue(&f->s, order(f), 999, &k), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_NOT_FOUND);
}

static void test_forget(void **state)
{
    struct fixture *f = *state;
    int64_t request_id = 0;
    uint8_t digest[ODP_SHA256_SIZE];
    char email[64];
    f->options.sendmail = "/nonexistent";
    for (int i = 0; i < 300; i++) { /* enough for pages to be split */
        (void)snprintf(email, sizeof email, "orang%d@example.org", i);
        register_as(f, email);
    }
    struct odp_registration r = {ODP_LIT("Ratna Kusumawardhani"), ODP_LIT("Ratna.Kusuma@example.net"),
                                 ODP_LIT("Yayasan Terang"), ODP_LIT("skripsi tentang Kali Code")};
    struct odp_issued k, second;
    must(odp_keys_register(&f->s, order(f), &r, &k));
    must(odp_keys_create(&f->s, order(f), &r, "registered", 0, &second));
    for (int i = 300; i < 600; i++) {
        (void)snprintf(email, sizeof email, "orang%d@example.org", i);
        register_as(f, email);
    }
    digest_of(k.key, digest);
    must(odp_keys_ask_upgrade(&f->s, order(f), digest, "registered", ODP_LIT("karena Kali Code meluap"),
                              &request_id));
    assert_true(store_has(f, "Kusumawardhani"));
    int64_t holder = info_of(f, k.key).holder;
    must(odp_keys_forget(&f->s, order(f), holder));
    assert_false(f->s.unerased);
    static const char *const gone[] = {"Kusumawardhani", "Ratna.Kusuma", "ratna.kusuma",
                                       "Yayasan Terang", "Kali Code",    "meluap"};
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        if (store_has(f, gone[i]))
            fail_msg("%s is still in the store", gone[i]);
    assert_int_equal(look(f, k.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(look(f, second.key), ODP_KEY_IS_REVOKED); /* the same address */
    assert_int_equal(number(f, "SELECT count(*) FROM upgrade WHERE state = 'open'"), 0);
    assert_int_equal(number(f, "SELECT count(*) FROM key"), 602);
    must(odp_keys_forget(&f->s, order(f), holder));
    assert_int_equal(odp_keys_forget(&f->s, order(f), 9999), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_NOT_FOUND);
    assert_int_equal(odp_keys_reissue(&f->s, order(f), info_of(f, k.key).id, &k), ODP_BAD); /* for whom? */
    audit_is_whole(f);
    close_state(f);
    assert_false(store_has(f, "Kusumawardhani"));
}

/* A reader keeps the log: what is left there goes when it is done. */
static void test_forget_while_somebody_reads(void **state)
{
    struct fixture *f = *state;
    sqlite3 *reader = NULL;
    struct odp_issued k = register_as(f, "ratna.kusuma@example.net");
    assert_int_equal(sqlite3_open(in(f, f->state_dir, "store.sqlite"), &reader), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM holder", NULL, NULL, NULL), SQLITE_OK);
    must(odp_keys_forget(&f->s, order(f), info_of(f, k.key).holder));
    assert_true(f->s.unerased);
    assert_int_equal(look(f, k.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(sqlite3_exec(reader, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    f->s.unerased_tried = 0;
    must(odp_state_flush(&f->s));
    assert_false(f->s.unerased);
    assert_false(store_has(f, "ratna.kusuma"));
    assert_int_equal(sqlite3_close(reader), SQLITE_OK);
}

static void test_find(void **state)
{
    struct fixture *f = *state;
    struct odp_key_info k;
    struct odp_issued a = register_as(f, "sari@example.org"), b = rotate(f, a.key, 1000);
    char text[64];
    assert_int_equal(info_of(f, a.key).id, 1);
    assert_int_equal(info_of(f, "1").id, 1);
    assert_int_equal(info_of(f, info_of(f, b.key).shown).id, 2);
    assert_int_equal(info_of(f, "SARI@example.org").id, 2); /* the newest of the account */
    struct odp_registration r = person("sari@example.org");
    struct odp_issued c;
    must(odp_keys_create(&f->s, order(f), &r, "government", 0, &c));
    assert_int_equal(odp_keys_find(&f->s, "sari@example.org", f->now, &k, &f->o.problem), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_CONFLICT);
    set_state(f, c.key, ODP_KEY_REVOKED);
    assert_int_equal(info_of(f, "sari@example.org").id, 2);
    (void)snprintf(text, sizeof text, "UPDATE key SET shown = '%s'", info_of(f, a.key).shown);
    must(odp_store_run(f->s.db, text, ""));
    assert_int_equal(odp_keys_find(&f->s, info_of(f, a.key).shown, f->now, &k, &f->o.problem), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_CONFLICT);
    static const char *const nobody[] = {
        "", "0", "77", "99999999999999999999", "odp_live_", "a@b", "'; DROP TABLE key; --", "odp_live_%"};
    for (size_t i = 0; i < sizeof nobody / sizeof nobody[0]; i++) {
        assert_int_equal(odp_keys_find(&f->s, nobody[i], f->now, &k, &f->o.problem), ODP_BAD);
        assert_int_equal(f->o.problem, ODP_PROBLEM_NOT_FOUND);
    }
}

struct seen {
    int n, stop;
    int64_t last;
};

static enum odp_status see(void *ctx, const struct odp_key_info *k)
{
    struct seen *s = ctx;
    assert_true(k->id > s->last);
    s->last = k->id;
    return ++s->n == s->stop ? ODP_DONE : ODP_OK;
}

static enum odp_status see_change(void *ctx, int64_t change, const struct odp_key_record *r)
{
    struct seen *s = ctx;
    assert_true(change > s->last && r->id > 0);
    s->last = change;
    return ++s->n == s->stop ? ODP_DONE : ODP_OK;
}

static void test_each_and_changed(void **state)
{
    struct fixture *f = *state;
    char email[64];
    struct odp_issued k = {0};
    for (int i = 0; i < 300; i++) {
        (void)snprintf(email, sizeof email, "p%d@example.org", i);
        k = register_as(f, email);
    }
    set_state(f, k.key, ODP_KEY_SUSPENDED);
    struct seen all = {0}, some = {0}, few = {.stop = 7}, changes = {0}, later = {.last = 300};
    must(odp_keys_each(&f->s, &(struct odp_keys_wanted){.now = f->now}, &all, see));
    assert_int_equal(all.n, 300);
    must(odp_keys_each(
        &f->s, &(struct odp_keys_wanted){.tier = "public", .state = "suspended", .now = f->now}, &some, see));
    assert_int_equal(some.n, 1);
    assert_int_equal(odp_keys_each(&f->s, &(struct odp_keys_wanted){.now = f->now}, &few, see), ODP_DONE);
    assert_int_equal(few.n, 7);
    must(odp_keys_changed(&f->s, 0, &changes, see_change));
    assert_int_equal(changes.n, 300);
    assert_int_equal(changes.last, 301);
    must(odp_keys_changed(&f->s, 300, &later, see_change));
    assert_int_equal(later.n, 1);
}

static void test_upgrades(void **state)
{
    struct fixture *f = *state;
    int64_t id = 0, other = 0;
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_issued k = register_as(f, "sari@example.org");
    digest_of(k.key, digest);
    assert_int_equal(odp_keys_ask_upgrade(&f->s, order(f), digest, "royal", ODP_LIT("x"), &id), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_FIELD_INVALID);
    must(odp_keys_ask_upgrade(&f->s, order(f), digest, "registered", ODP_LIT("x"), &id));
    assert_int_equal(odp_keys_ask_upgrade(&f->s, order(f), digest, "registered", ODP_LIT("x"), &other),
                     ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_CONFLICT);
    struct odp_issued next = rotate(f, k.key, 10);
    digest_of(next.key, digest);
    assert_int_equal(odp_keys_ask_upgrade(&f->s, order(f), digest, "registered", ODP_LIT("x"), &other),
                     ODP_BAD); /* the same account */
    must(odp_keys_decide_upgrade(&f->s, order(f), id, true));
    assert_string_equal(info_of(f, next.key).tier, "registered");
    assert_int_equal(odp_keys_decide_upgrade(&f->s, order(f), id, false), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_CONFLICT);
    assert_int_equal(odp_keys_decide_upgrade(&f->s, order(f), 77, true), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_NOT_FOUND);
    must(odp_keys_ask_upgrade(&f->s, order(f), digest, "government", ODP_LIT("x"), &other));
    must(odp_keys_decide_upgrade(&f->s, order(f), other, false));
    assert_string_equal(info_of(f, next.key).tier, "registered");
}

/* ---- links ---- */

static enum odp_problem redeem_refused(struct fixture *f, const char *purpose, const char *token)
{
    struct odp_issued k;
    assert_int_equal(odp_keys_redeem(&f->s, order(f), purpose, odp_slice_of(token), &k), ODP_BAD);
    return f->o.problem;
}

static struct odp_issued redeem(struct fixture *f, const char *purpose, const char *token)
{
    struct odp_issued k;
    if (odp_keys_redeem(&f->s, order(f), purpose, odp_slice_of(token), &k) != ODP_OK)
        fail_msg("redeem: %s", odp_problem_info(f->o.problem)->code);
    return k;
}

static struct odp_issued ask(struct fixture *f, const char *email)
{
    struct odp_issued k;
    must(odp_keys_ask_recovery(&f->s, odp_slice_of(email), f->now, &k));
    return k;
}

static void test_confirmation(void **state)
{
    struct fixture *f = *state;
    f->options.sendmail = "/nonexistent";
    f->options.confirm_email = true;
    f->options.key_term = 30 * 86400;
    struct odp_issued k = register_as(f, "sari@example.org");
    assert_int_equal(strlen(k.token), 43);
    assert_false(store_has(f, k.token));
    assert_int_equal(k.record.until, f->now + 86400);
    struct odp_issued next = rotate(f, k.key, 10);
    assert_int_equal(next.record.until, f->now + 86400); /* rotating is no confirmation */
    assert_int_equal(redeem_refused(f, "recover", k.token), ODP_PROBLEM_TOKEN);
    assert_int_equal(redeem_refused(f, "x", k.token), ODP_PROBLEM_TOKEN);
    assert_int_equal(redeem_refused(f, "confirm", "x"), ODP_PROBLEM_TOKEN);
    redeem(f, "confirm", k.token);
    assert_int_equal(redeem_refused(f, "confirm", k.token), ODP_PROBLEM_TOKEN); /* once */
    assert_true(info_of(f, next.key).email_confirmed);
    assert_int_equal(info_of(f, next.key).until, f->now + 30 * 86400);
    struct odp_issued late = register_as(f, "late@example.org"), never = register_as(f, "never@example.org");
    f->now += NEW_DAY;
    assert_int_equal(look(f, late.key), ODP_KEY_EXPIRED);
    assert_int_equal(look(f, next.key), ODP_PASS);
    redeem(f, "confirm", late.token); /* late, but within its week */
    assert_int_equal(look(f, late.key), ODP_PASS);
    struct odp_issued other = register_as(f, "never@example.org"); /* an unconfirmed one blocks nobody */
    redeem(f, "confirm", other.token);
    assert_int_equal(redeem_refused(f, "confirm", never.token),
                     ODP_PROBLEM_TOKEN); /* and is not woken beside the new one */
    struct odp_issued last = register_as(f, "last@example.org");
    f->now += 8 * 86400;
    assert_int_equal(redeem_refused(f, "confirm", last.token), ODP_PROBLEM_TOKEN);
}

static void test_recovery(void **state)
{
    struct fixture *f = *state;
    struct odp_grant g;
    f->options.sendmail = "/nonexistent";
    struct odp_issued a = register_as(f, "Sari@example.org"), nobody = ask(f, "nobody@example.org");
    assert_string_equal(nobody.token, "");
    redeem(f, "confirm", a.token);
    assert_int_equal(request(f, a.key, 0, &g), ODP_PASS);
    struct odp_issued first = ask(f, "sari@EXAMPLE.org"), second = ask(f, "sari@example.org");
    assert_string_equal(first.email, "Sari@example.org");
    assert_int_equal(strlen(second.token), 43);
    assert_int_equal(redeem_refused(f, "recover", first.token),
                     ODP_PROBLEM_TOKEN); /* the newer one replaced it */
    struct odp_issued b = redeem(f, "recover", second.token);
    assert_int_equal(redeem_refused(f, "recover", second.token), ODP_PROBLEM_TOKEN);
    assert_int_equal(look(f, a.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(request(f, b.key, 1000, &g), ODP_PASS);
    assert_int_equal(g.remaining, 998);
    assert_true(info_of(f, b.key).email_confirmed);
    struct odp_issued slow = ask(f, "sari@example.org");
    f->now += 3601;
    assert_int_equal(redeem_refused(f, "recover", slow.token), ODP_PROBLEM_TOKEN);
    struct odp_issued early = ask(f, "sari@example.org");
    set_state(f, b.key, ODP_KEY_SUSPENDED);
    assert_int_equal(redeem_refused(f, "recover", early.token), ODP_PROBLEM_TOKEN);
    assert_string_equal(ask(f, "sari@example.org").token, ""); /* suspended is suspended */
    audit_is_whole(f);
}

/* ---- whose an address is ---- */

static enum odp_problem register_refused(struct fixture *f, const char *email)
{
    assert_int_equal(try_register(f, email), ODP_BAD);
    return f->o.problem;
}

/* Registering an address, first or often, blocks nobody else; confirming it makes the owner. */
static void test_an_address_belongs_to_who_confirms_it(void **state)
{
    struct fixture *f = *state;
    const int64_t week = 7 * 86400;
    struct odp_issued gov;
    f->options.sendmail = "/nonexistent";
    struct odp_issued squatter = register_as(f, "data@bps.go.id"), second = register_as(f, "DATA@bps.go.id");
    struct odp_registration r = person("data@bps.go.id");
    must(odp_keys_create(&f->s, order(f), &r, "government", 0, &gov));
    struct odp_issued raised = register_as(f, "data@bps.go.id"), owner = register_as(f, "Data@BPS.go.id");
    must(odp_keys_set_tier(&f->s, order(f), info_of(f, raised.key).id, "registered"));
    set_state(f, second.key,
              ODP_KEY_SUSPENDED); /* a suspension of an address that is nobody's blocks nobody either */
    struct odp_issued turned = rotate(f, squatter.key, 1000);
    redeem(f, "confirm", owner.token);
    assert_int_equal(register_refused(f, "data@BPS.go.id"), ODP_PROBLEM_EMAIL_REGISTERED);
    assert_int_equal(
        number(f, "SELECT count(*) FROM audit WHERE act = 'address.end' AND detail LIKE '%\"others\":2%'"),
        1);
    assert_int_equal(info_of(f, owner.key).until, 0);
    assert_string_equal(info_of(f, owner.key).email, "Data@BPS.go.id");
    /* The others go on for a week, without the address, and rotating does not lengthen it. */
    struct odp_issued longer = rotate(f, turned.key, 1000);
    assert_string_equal(info_of(f, longer.key).email, "");
    assert_int_equal(longer.record.until, f->now + week);
    assert_int_equal(look(f, longer.key), ODP_PASS);
    assert_int_equal(redeem_refused(f, "confirm", squatter.token), ODP_PROBLEM_TOKEN);
    assert_string_equal(info_of(f, second.key).email, "");
    /* Keys that an operator made or raised stay. */
    assert_string_equal(info_of(f, gov.key).email, "data@bps.go.id");
    assert_string_equal(info_of(f, raised.key).email, "data@bps.go.id");
    f->now += week + 1;
    assert_int_equal(look(f, longer.key), ODP_KEY_EXPIRED);
    assert_int_equal(look(f, owner.key), ODP_PASS);
    assert_int_equal(look(f, gov.key), ODP_PASS);
    assert_int_equal(look(f, raised.key), ODP_PASS);
    /* The owner's rotation, suspension and end. */
    owner = rotate(f, owner.key, 100);
    assert_int_equal(register_refused(f, "data@bps.go.id"), ODP_PROBLEM_EMAIL_REGISTERED);
    set_state(f, owner.key, ODP_KEY_SUSPENDED);
    assert_int_equal(register_refused(f, "data@bps.go.id"),
                     ODP_PROBLEM_EMAIL_REGISTERED); /* not by another key either */
    assert_string_equal(ask(f, "data@bps.go.id").token, "");
    set_state(f, owner.key, ODP_KEY_REVOKED);
    register_as(f, "data@bps.go.id");
    audit_is_whole(f);
}

/* The mailbox alone recovers an address, after a lost unconfirmed key or a stranger's use of it. */
static void test_recovery_of_an_address_without_owner(void **state)
{
    struct fixture *f = *state;
    struct odp_issued gov;
    f->options.sendmail = "/nonexistent";
    struct odp_issued a = register_as(f, "sari@example.org"), b = register_as(f, "SARI@example.org");
    set_state(f, a.key, ODP_KEY_SUSPENDED);
    struct odp_issued asked = ask(f, "sari@example.org"), again = ask(f, "sari@example.org");
    assert_int_equal(strlen(again.token), 43);
    assert_int_equal(redeem_refused(f, "recover", asked.token), ODP_PROBLEM_TOKEN);
    struct odp_issued own = redeem(f, "recover", again.token);
    struct odp_key_info info = info_of(f, own.key);
    assert_true(info.email_confirmed);
    assert_string_equal(info.tier, "public");
    assert_string_equal(info.name, "SARI@example.org"); /* nothing of what somebody typed */
    assert_int_equal(info.account, info.id);            /* nor his account, which may have webhooks */
    assert_string_equal(info_of(f, b.key).email, "");
    assert_int_equal(info_of(f, b.key).until, f->now + 7 * 86400);
    assert_int_equal(redeem_refused(f, "confirm", b.token), ODP_PROBLEM_TOKEN);
    assert_int_equal(register_refused(f, "sari@example.org"), ODP_PROBLEM_EMAIL_REGISTERED);
    struct odp_issued next =
        redeem(f, "recover", ask(f, "sari@example.org").token); /* now there is an owner */
    assert_int_equal(info_of(f, next.key).account, info.account);
    assert_int_equal(look(f, own.key), ODP_KEY_IS_REVOKED);
    /* An operator's key of an address that nobody confirmed is not handed out to whoever reads the mail. */
    struct odp_registration r = person("kantor@example.org");
    must(odp_keys_create(&f->s, order(f), &r, "government", 0, &gov));
    assert_string_equal(ask(f, "kantor@example.org").token, "");
    /* Confirmed between asking and redeeming: no second key. */
    struct odp_issued c = register_as(f, "budi@example.org"), d = register_as(f, "budi@example.org");
    struct odp_issued slow = ask(f, "budi@example.org");
    redeem(f, "confirm", c.token);
    assert_int_equal(redeem_refused(f, "recover", slow.token), ODP_PROBLEM_TOKEN);
    assert_int_equal(redeem_refused(f, "confirm", d.token), ODP_PROBLEM_TOKEN);
    audit_is_whole(f);
}

/* Registrations of one address without end: the oldest run out, not at once, and confirming one lifts that.
 * Without mail nobody could, so none runs out. */
static void test_a_crowd_at_an_address(void **state)
{
    struct fixture *f = *state;
    struct odp_issued k[13], quiet[13];
    for (int i = 0; i < 13; i++)
        quiet[i] = register_as(f, "sunyi@example.org");
    f->options.sendmail = "/nonexistent";
    for (int i = 0; i < 13; i++)
        k[i] = register_as(f, "ramai@example.org");
    for (int i = 0; i < 13; i++) {
        assert_int_equal(info_of(f, quiet[i].key).until, 0);
        assert_int_equal(info_of(f, k[i].key).until, i < 3 ? f->now + 7 * 86400 : 0);
        assert_int_equal(look(f, k[i].key), ODP_PASS);
    }
    redeem(f, "confirm", k[0].token);
    assert_int_equal(info_of(f, k[0].key).until, 0);
    assert_int_equal(info_of(f, k[12].key).until, f->now + 7 * 86400);
    assert_int_equal(info_of(f, quiet[12].key).until, 0);
}

/* ---- threads, replicas, full tables ---- */

static void *registers(void *arg)
{
    struct fixture *f = arg;
    static int next;
    char email[64];
    for (int i = 0; i < 40; i++) {
        struct odp_issued k;
        (void)snprintf(email, sizeof email, "t%d@example.org",
                       __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED));
        struct odp_registration r = person(email);
        if (odp_keys_register(&f->s, order(f), &r, &k) != ODP_OK || look(f, k.key) != ODP_PASS)
            return f;
        struct odp_key_info info;
        uint8_t digest[ODP_SHA256_SIZE];
        if (odp_key_digest(odp_slice_of(k.key), digest) != ODP_OK ||
            odp_keys_rotate(&f->s, order(f), digest, 5, &k) != ODP_OK ||
            odp_keys_find(&f->s, email, f->now, &info, &f->o.problem) != ODP_OK ||
            odp_state_flush(&f->s) != ODP_OK)
            return f;
    }
    return NULL;
}

static void test_threads(void **state)
{
    struct fixture *f = *state;
    pthread_t threads[4];
    void *failed = NULL;
    char why[160];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, registers, f), 0);
    for (size_t i = 0; i < 4; i++) {
        void *r = NULL;
        assert_int_equal(pthread_join(threads[i], &r), 0);
        failed = r != NULL ? r : failed;
    }
    assert_null(failed);
    assert_int_equal(number(f, "SELECT count(*) FROM key"), 320);
    must(odp_keytable_check(f->s.table, why));
    audit_is_whole(f);
}

static void test_replica(void **state)
{
    struct fixture *f = *state;
    struct odp_issued k;
    struct odp_key_info info;
    uint8_t digest[ODP_SHA256_SIZE] = {0};
    close_state(f);
    (void)snprintf(f->state_dir, sizeof f->state_dir, "%s/replica", f->dir);
    f->options.writer = "http://writer.example/";
    open_state(f);
    assert_null(f->s.db);
    assert_false(f->s.writer);
    assert_int_equal(try_register(f, "a@example.org"), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_UNAVAILABLE);
    assert_int_equal(odp_keys_rotate(&f->s, order(f), digest, 0, &k), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_UNAVAILABLE);
    assert_int_equal(odp_keys_info(&f->s, digest, f->now, &info, &f->o.problem), ODP_BAD);
    assert_int_equal(f->o.problem, ODP_PROBLEM_UNAVAILABLE);
    assert_int_equal(odp_keys_ask_recovery(&f->s, ODP_LIT("a@example.org"), f->now, &k), ODP_BAD);
    assert_int_equal(odp_keys_each(&f->s, &(struct odp_keys_wanted){.now = f->now}, NULL, see), ODP_BAD);
    assert_int_equal(odp_keys_changed(&f->s, 0, NULL, see_change), ODP_BAD);
    must(odp_state_flush(&f->s));
    f->options.writer = NULL;
    reopen(f); /* a command on that machine: still a replica */
    assert_false(f->s.writer);
    assert_null(f->s.db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_registers),
        TEST(test_an_address_belongs_to_who_confirms_it),
        TEST(test_recovery_of_an_address_without_owner),
        TEST(test_a_crowd_at_an_address),
        TEST(test_operator_makes_keys),
        TEST(test_rotation_shares_the_count),
        TEST(test_rotations_are_bounded),
        TEST(test_no_grace),
        TEST(test_states_are_the_accounts),
        TEST(test_reissue),
        TEST(test_forget),
        TEST(test_forget_while_somebody_reads),
        TEST(test_find),
        TEST(test_each_and_changed),
        TEST(test_upgrades),
        TEST(test_confirmation),
        TEST(test_recovery),
        TEST(test_threads),
        TEST(test_replica),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
