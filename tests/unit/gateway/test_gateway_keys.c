/* Keys: who gets one, what follows it, what ends it. */
#include "answer_lines.h"
#include "gateway_state_fixture.h"

#include <pthread.h>

/* ---- scripts ---- */

/* Scripts (answers/acts.txt): a line is an act, "b = rotate a 100", with what it makes, and is answered with the
 * problem where it is refused; "KEY MEMBER", which is answered; "KEY asks MILLISECONDS", a request, answered with
 * what remains of the day; "count SQL"; or sets something: later SECONDS, term SECONDS, sendmail, confirming, flush,
 * fresh. */
struct script {
    struct fixture *f;
    struct odp_issued keys[26];
    char words[6][48];
};

static struct odp_issued *key(struct script *s, int word)
{
    assert_true(s->words[word][0] >= 'a' && s->words[word][0] <= 'z' && s->words[word][1] == '\0');
    return &s->keys[s->words[word][0] - 'a'];
}

/* By its name, or "#7" by its number. */
static int64_t id_of(struct script *s, int word)
{
    return s->words[word][0] == '#' ? strtoll(s->words[word] + 1, NULL, 10)
                                    : info_of(s->f, key(s, word)->key).id;
}

static int64_t number_of(struct script *s, int word)
{
    return strtoll(s->words[word], NULL, 10);
}

/* A moment from now on; 0: never. */
static int64_t moment_of(struct script *s, int word)
{
    int64_t t = number_of(s, word);
    return t != 0 ? s->f->now + t : 0;
}

static const uint8_t *digest_at(struct script *s, int word)
{
    static uint8_t digest[ODP_SHA256_SIZE];
    digest_of(key(s, word)->key, digest);
    return digest;
}

static enum odp_status do_register(struct script *s, struct odp_issued *k)
{
    struct odp_registration r = person(s->words[1]);
    return odp_keys_register(&s->f->s, order(s->f), &r, k);
}

static enum odp_status do_create(struct script *s, struct odp_issued *k)
{
    struct odp_registration r = person(s->words[1]);
    return odp_keys_create(&s->f->s, order(s->f), &r, s->words[2], moment_of(s, 3), k);
}

static enum odp_status do_rotate(struct script *s, struct odp_issued *k)
{
    return odp_keys_rotate(&s->f->s, order(s->f), digest_at(s, 1), number_of(s, 2), k);
}

static enum odp_status do_reissue(struct script *s, struct odp_issued *k)
{
    return odp_keys_reissue(&s->f->s, order(s->f), id_of(s, 1), k);
}

static enum odp_status do_ask(struct script *s, struct odp_issued *k)
{
    return odp_keys_ask_recovery(&s->f->s, odp_slice_of(s->words[1]), s->f->now, k);
}

static enum odp_status do_redeem(struct script *s, struct odp_issued *k)
{
    return odp_keys_redeem(&s->f->s, order(s->f), s->words[1], odp_slice_of(key(s, 2)->token), k);
}

static enum odp_status do_state(struct script *s, struct odp_issued *k)
{
    static const char *const names[] = {"", "active", "rotated", "suspended", "revoked"};
    int state = 1;
    while (strcmp(names[state], s->words[2]) != 0)
        assert_true(++state <= ODP_KEY_REVOKED);
    return odp_keys_set_state(&s->f->s, order(s->f), id_of(s, 1), (enum odp_key_state)state);
}

static enum odp_status do_tier(struct script *s, struct odp_issued *k)
{
    return odp_keys_set_tier(&s->f->s, order(s->f), id_of(s, 1), s->words[2]);
}

static enum odp_status do_upgrade(struct script *s, struct odp_issued *k)
{
    int64_t id;
    return odp_keys_ask_upgrade(&s->f->s, order(s->f), digest_at(s, 1), s->words[2], ODP_LIT("x"), &id);
}

static enum odp_status do_decide(struct script *s, struct odp_issued *k)
{
    return odp_keys_decide_upgrade(&s->f->s, order(s->f), number_of(s, 1), strcmp(s->words[2], "yes") == 0);
}

static const struct act {
    const char *name;
    enum odp_status (*run)(struct script *s, struct odp_issued *k);
} acts[] = {
    {"register", do_register}, /* EMAIL */
    {"create", do_create},     /* EMAIL TIER TERM */
    {"rotate", do_rotate},     /* KEY GRACE */
    {"reissue", do_reissue},   /* KEY */
    {"ask", do_ask},           /* EMAIL: a link that recovers */
    {"redeem", do_redeem},     /* PURPOSE KEY: the key's link */
    {"state", do_state},       /* KEY STATE */
    {"tier", do_tier},         /* KEY TIER */
    {"upgrade", do_upgrade},   /* KEY TIER: requests count from 1 */
    {"decide", do_decide},     /* REQUEST yes or no */
};

static const char *looks(enum odp_verdict v)
{
    switch (v) {
    case ODP_PASS:
        return "passes";
    case ODP_KEY_IS_REVOKED:
        return "revoked";
    case ODP_KEY_IS_SUSPENDED:
        return "suspended";
    case ODP_KEY_EXPIRED:
        return "expired";
    default:
        return "?";
    }
}

/* Member WORD of a key, as text. */
static const char *member(struct script *s, const char *word)
{
    static char text[900];
    const struct odp_issued *k = key(s, 0);
    if (strcmp(word, "token") == 0) /* of a key that a link was asked for there may be none */
        return k->token[0] != '\0' ? "yes" : "no";
    if (strcmp(word, "to") == 0) /* the address that it goes to */
        return k->email;
    struct odp_key_info i = info_of(s->f, k->key);
    long long number = strcmp(word, "until") == 0     ? i.until != 0 ? i.until - s->f->now : 0
                       : strcmp(word, "account") == 0 ? i.account
                       : strcmp(word, "used") == 0    ? (long long)i.used
                       : strcmp(word, "hidden") == 0  ? !store_has(s->f, k->token)
                                                      : (long long)i.email_confirmed;
    const char *found = strcmp(word, "looks") == 0   ? looks(look(s->f, k->key))
                        : strcmp(word, "tier") == 0  ? i.tier
                        : strcmp(word, "state") == 0 ? i.state
                        : strcmp(word, "name") == 0  ? i.name
                        : strcmp(word, "email") == 0 ? (i.email[0] != '\0' ? i.email : "-")
                                                     : NULL;
    snprintf(text, sizeof text, "%lld", number);
    if (found != NULL)
        snprintf(text, sizeof text, "%s", found);
    return text;
}

static const char *member_of(struct script *s, char key, const char *word)
{
    snprintf(s->words[0], sizeof s->words[0], "%c", key);
    return member(s, word);
}

/* An act; "" or the problem that it says. */
static const char *act(struct script *s, struct odp_issued *k)
{
    for (size_t i = 0; i < ODP_COUNT(acts); i++) {
        if (strcmp(acts[i].name, s->words[0]) != 0)
            continue;
        enum odp_status st = acts[i].run(s, k);
        return st == ODP_OK ? "" : st == ODP_BAD ? odp_problem_info(s->f->o.problem)->code : "failure";
    }
    return "no such act";
}

/* Does what a line says; appends the answer to OUT. */
static void run_line(struct script *s, const char *line, struct odp_buffer *out)
{
    struct odp_issued k = {0};
    struct odp_grant g;
    const char *made = strncmp(line, "count ", 6) != 0 ? strstr(line, " = ") : NULL;
    memset(s->words, 0, sizeof s->words);
    (void)sscanf(made != NULL ? made + 3 : line, "%47s %47s %47s %47s %47s %47s", s->words[0], s->words[1],
                 s->words[2], s->words[3], s->words[4], s->words[5]);
    if (strcmp(s->words[0], "later") == 0) {
        s->f->now += number_of(s, 1);
    } else if (strcmp(s->words[0], "term") == 0) {
        s->f->options.key_term = number_of(s, 1);
    } else if (strcmp(s->words[0], "sendmail") == 0) {
        s->f->options.sendmail = "/nonexistent";
    } else if (strcmp(s->words[0], "confirming") == 0) {
        s->f->options.confirm_email = true;
    } else if (strcmp(s->words[0], "flush") == 0) {
        must(odp_state_flush(&s->f->s));
    } else if (strcmp(s->words[0], "count") == 0) {
        odp_buffer_printf(out, "%lld", (long long)number(s->f, line + 6));
    } else if (strcmp(s->words[1], "asks") == 0) { /* KEY asks MILLISECONDS: what remains */
        assert_int_equal(request(s->f, key(s, 0)->key, number_of(s, 2), &g), ODP_PASS);
        odp_buffer_printf(out, "%lld", (long long)g.remaining);
    } else if (s->words[0][1] == '\0') { /* KEY MEMBER */
        odp_buffer_add_str(out, member(s, s->words[1]));
    } else {
        odp_buffer_add_str(out, act(s, &k));
        if (made != NULL && out->len == 0)
            s->keys[line[0] - 'a'] = k;
    }
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    if (odp_slice_is(question, "fresh")) {
        if (s->f != NULL)
            audit_is_whole(s->f);
        if (s->f != NULL)
            teardown((void **)&s->f);
        *s = (struct script){0};
        setup((void **)&s->f);
    } else {
        run_line(s, question.ptr, out);
    }
}

TEST(acts)
{
    struct script s = {0};
    answer_lines("gateway/answers/acts.txt", answer, &s);
    audit_is_whole(s.f);
    teardown((void **)&s.f);
}

static void run(struct script *s, struct fixture *f, const char *text)
{
    char line[160];
    struct odp_buffer out = {0};
    s->f = f;
    for (const char *p = text; *p != '\0'; p += strcspn(p, "\n"), p += *p == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        run_line(s, line, &out);
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

static enum odp_status see_change(void *ctx, int64_t change, const struct odp_key_record *r)
{
    struct seen *s = ctx;
    assert_true(change > s->last && r->id > 0);
    s->last = change;
    return ++s->n == s->stop ? ODP_DONE : ODP_OK;
}

TEST(each_and_changed)
{
    struct fixture *f = *state;
    crowd(f, 0, 300);
    must(odp_keys_set_state(&f->s, order(f), 300, ODP_KEY_SUSPENDED));
    struct seen all = {0}, some = {0}, few = {.stop = 7}, changes = {0}, later = {.last = 300};
    struct odp_keys_wanted any = {.now = f->now}, suspended = any;
    suspended.tier = "public";
    suspended.state = "suspended";
    must(odp_keys_each(&f->s, &any, &all, see));
    assert_int_equal(all.n, 300);
    must(odp_keys_each(&f->s, &suspended, &some, see));
    assert_int_equal(some.n, 1);
    assert_int_equal(odp_keys_each(&f->s, &any, &few, see), ODP_DONE);
    assert_int_equal(few.n, 7);
    must(odp_keys_changed(&f->s, 0, &changes, see_change));
    assert_int_equal(changes.n, 300);
    assert_int_equal(changes.last, 301);
    must(odp_keys_changed(&f->s, 300, &later, see_change));
    assert_int_equal(later.n, 1);
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
    must_refuse(odp_keys_changed(&f->s, 0, NULL, see_change));
    must(odp_state_flush(&f->s));
    f->options.writer = NULL;
    reopen(f); /* a command on that machine: still a replica */
    assert_false(f->s.writer);
    assert_null(f->s.db);
}

EACH(setup, teardown)
