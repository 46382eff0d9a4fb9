/* Keys: who gets one, what follows it, what ends it. */
#include "gateway_script_fixture.h"

#include <pthread.h>

static const char *member_of(struct script *s, char key, const char *word)
{
    snprintf(s->words[0], sizeof s->words[0], "%c", key);
    return member(s, word);
}

TEST(acts)
{
    script_play("gateway/answers/acts.txt", script_line);
}

static void run(struct script *s, struct fixture *f, const char *text)
{
    char line[160];
    struct odp_buffer out = {0};
    s->f = f;
    for (const char *p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        script_line(s, line, &out);
        if (out.len > 0)
            fail_msg("%s: %s", line, odp_buffer_cstr(&out));
    }
    odp_buffer_release(&out);
}

/* ---- what follows what ---- */

TEST(registers)
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

/* ---- links ---- */

/* Registrations of one address without end: the oldest run out, not at once, and confirming one lifts that.
 * Without mail nobody could, so none runs out. */
TEST(a_crowd_at_an_address)
{
    struct fixture *f = *state;
    struct script s = {0};
    char line[64];
    for (int round = 0; round < 2; round++)
        for (char c = 'a'; c <= 'm'; c++) {
            f->options.sendmail = round == 1 ? "/nonexistent" : NULL;
            snprintf(line, sizeof line, "%c = register %s@example.org", c + 13 * round,
                     round == 1 ? "ramai" : "sunyi");
            run(&s, f, line);
        }
    for (char c = 'a'; c <= 'z'; c++) {
        assert_string_equal(member_of(&s, c, "until"), c >= 'n' && c < 'n' + 3 ? "604800" : "0");
        assert_string_equal(member_of(&s, c, "looks"), "passes");
    }
    run(&s, f, "redeem confirm n");
    assert_string_equal(member_of(&s, 'n', "until"), "0");
    assert_string_equal(member_of(&s, 'z', "until"), "604800");
    assert_string_equal(member_of(&s, 'm', "until"), "0");
}

/* ---- forgetting ---- */

static void crowd(struct fixture *f, int from, int to)
{
    char email[64];
    for (int i = from; i < to; i++) {
        snprintf(email, sizeof email, "orang%d@example.org", i);
        register_as(f, email);
    }
}

TEST(forget)
{
    struct fixture *f = *state;
    int64_t request_id = 0;
    uint8_t digest[ODP_SHA256_SIZE];
    f->options.sendmail = "/nonexistent";
    crowd(f, 0, 300); /* enough for pages to be split */
    struct odp_registration r = {ODP_LIT("Ratna Kusumawardhani"), ODP_LIT("Ratna.Kusuma@example.net"),
                                 ODP_LIT("Yayasan Terang"), ODP_LIT("skripsi tentang Kali Code")};
    struct odp_issued k, second;
    must(odp_keys_register(&f->s, order(f), &r, &k));
    must(odp_keys_create(&f->s, order(f), &r, "registered", 0, &second));
    crowd(f, 300, 600);
    digest_of(k.key, digest);
    must(odp_keys_ask_upgrade(&f->s, order(f), digest, "registered", ODP_LIT("karena Kali Code meluap"),
                              &request_id));
    assert_true(store_has(f, "Kusumawardhani"));
    int64_t holder = info_of(f, k.key).holder;
    must(odp_keys_forget(&f->s, order(f), holder));
    assert_false(f->s.unerased);
    static const char *const gone[] = {"Kusumawardhani", "Ratna.Kusuma", "ratna.kusuma",
                                       "Yayasan Terang", "Kali Code",    "meluap"};
    for (size_t i = 0; i < ODP_COUNT(gone); i++)
        if (store_has(f, gone[i]))
            fail_msg("%s is still in the store", gone[i]);
    assert_int_equal(look(f, k.key), ODP_KEY_IS_REVOKED);
    assert_int_equal(look(f, second.key), ODP_KEY_IS_REVOKED); /* the same address */
    assert_int_equal(number(f, "SELECT count(*) FROM upgrade WHERE state = 'open'"), 0);
    assert_int_equal(number(f, "SELECT count(*) FROM key"), 602);
    must(odp_keys_forget(&f->s, order(f), holder));
    must_refuse(odp_keys_forget(&f->s, order(f), 9999));
    assert_int_equal(f->o.problem, ODP_PROBLEM_NOT_FOUND);
    must_refuse(odp_keys_reissue(&f->s, order(f), info_of(f, k.key).id, &k)); /* for whom? */
    audit_is_whole(f);
    close_state(f);
    assert_false(store_has(f, "Kusumawardhani"));
}

/* A reader keeps the log: what is left there goes when it is done. */
TEST(forget_while_somebody_reads)
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

/* ---- looking ---- */

static void find_refused(struct fixture *f, const char *what, enum odp_problem problem)
{
    struct odp_key_info k;
    enum odp_problem p = ODP_PROBLEM_COUNT;
    must_refuse(odp_keys_find(&f->s, what, f->now, &k, &p));
    assert_int_equal(p, problem);
}

TEST(find)
{
    struct fixture *f = *state;
    struct script s = {0};
    char text[64];
    run(&s, f, "a = register sari@example.org\nb = rotate a 1000");
    const struct odp_issued *a = &s.keys[0], *b = &s.keys[1];
    assert_int_equal(info_of(f, a->key).id, 1);
    assert_int_equal(info_of(f, "1").id, 1);
    assert_int_equal(info_of(f, info_of(f, b->key).shown).id, 2);
    assert_int_equal(info_of(f, "SARI@example.org").id, 2); /* the newest of the account */
    run(&s, f, "c = create sari@example.org government 0");
    find_refused(f, "sari@example.org", ODP_PROBLEM_CONFLICT);
    run(&s, f, "state c revoked");
    assert_int_equal(info_of(f, "sari@example.org").id, 2);
    snprintf(text, sizeof text, "UPDATE key SET shown = '%s'", info_of(f, a->key).shown);
    must(odp_store_run(f->s.db, text, ""));
    find_refused(f, info_of(f, a->key).shown, ODP_PROBLEM_CONFLICT);
    static const char *const nobody[] = {
        "", "0", "77", "99999999999999999999", "odp_live_", "a@b", "'; DROP TABLE key; --", "odp_live_%"};
    for (size_t i = 0; i < ODP_COUNT(nobody); i++)
        find_refused(f, nobody[i], ODP_PROBLEM_NOT_FOUND);
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

/* The last of the next MOST changes after AFTER; *N: how many there are. */
static int64_t changed(struct fixture *f, int64_t after, size_t most, size_t *n)
{
    struct odp_key_changes c = {0};
    int64_t last = after;
    must(odp_keys_changed(&f->s, after, most, &c));
    for (*n = 0; *n < c.n; ++*n) {
        assert_true((int64_t)c.list[*n].number > last && c.list[*n].record.id > 0);
        last = (int64_t)c.list[*n].number;
    }
    free(c.list);
    return last;
}

TEST(each_and_changed)
{
    struct fixture *f = *state;
    crowd(f, 0, 300);
    must(odp_keys_set_state(&f->s, order(f), 300, ODP_KEY_SUSPENDED));
    struct seen all = {0}, some = {0}, few = {.stop = 7};
    size_t n;
    struct odp_keys_wanted any = {.now = f->now}, suspended = any;
    suspended.tier = "public";
    suspended.state = "suspended";
    must(odp_keys_each(&f->s, &any, &all, see));
    assert_int_equal(all.n, 300);
    must(odp_keys_each(&f->s, &suspended, &some, see));
    assert_int_equal(some.n, 1);
    assert_int_equal(odp_keys_each(&f->s, &any, &few, see), ODP_DONE);
    assert_int_equal(few.n, 7);
    assert_int_equal(changed(f, 0, 1000, &n), 301);
    assert_int_equal(n, 300);
    assert_int_equal(changed(f, 0, 7, &n), 7);
    assert_int_equal(n, 7);
    assert_int_equal(changed(f, 300, 7, &n), 301);
    assert_int_equal(n, 1);
}

/* ---- threads, replicas ---- */

static void *registers(void *arg)
{
    struct fixture *f = arg;
    static int next;
    char email[64];
    for (int i = 0; i < 40; i++) {
        struct odp_issued k;
        struct odp_order o = {.actor = "api", .now = f->now};
        struct odp_key_info info;
        uint8_t digest[ODP_SHA256_SIZE];
        snprintf(email, sizeof email, "t%d@example.org", __atomic_add_fetch(&next, 1, __ATOMIC_RELAXED));
        struct odp_registration r = person(email);
        if (odp_keys_register(&f->s, &o, &r, &k) != ODP_OK || look(f, k.key) != ODP_PASS)
            return f;
        if (odp_key_digest(odp_slice_of(k.key), digest) != ODP_OK ||
            odp_keys_rotate(&f->s, &o, digest, 5, &k) != ODP_OK ||
            odp_keys_find(&f->s, email, f->now, &info, &o.problem) != ODP_OK ||
            odp_state_flush(&f->s) != ODP_OK)
            return f;
    }
    return NULL;
}

TEST(threads)
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

TEST(replica)
{
    struct fixture *f = *state;
    struct odp_issued k;
    struct odp_key_info info;
    struct odp_registration r = person("a@example.org");
    uint8_t digest[ODP_SHA256_SIZE] = {0};
    enum odp_problem p = ODP_PROBLEM_INTERNAL;
    close_state(f);
    snprintf(f->state_dir, sizeof f->state_dir, "%s/replica", f->dir);
    f->options.writer = "http://writer.example/";
    open_state(f);
    assert_null(f->s.db);
    assert_false(f->s.writer);
    must_refuse(odp_keys_register(&f->s, order(f), &r, &k));
    assert_int_equal(f->o.problem, ODP_PROBLEM_UNAVAILABLE);
    must_refuse(odp_keys_rotate(&f->s, order(f), digest, 0, &k));
    assert_int_equal(f->o.problem, ODP_PROBLEM_UNAVAILABLE);
    must_refuse(odp_keys_info(&f->s, digest, f->now, &info, &p));
    assert_int_equal(p, ODP_PROBLEM_UNAVAILABLE);
    must_refuse(odp_keys_ask_recovery(&f->s, ODP_LIT("a@example.org"), f->now, &k));
    must_refuse(odp_keys_each(&f->s, &(struct odp_keys_wanted){.now = f->now}, NULL, see));
    must_refuse(odp_keys_changed(&f->s, 0, 7, &(struct odp_key_changes){0}));
    must(odp_state_flush(&f->s));
    f->options.writer = NULL;
    reopen(f); /* a command on that machine: still a replica */
    assert_false(f->s.writer);
    assert_null(f->s.db);
}

EACH(setup, teardown)
