/* Several machines, round by round: keys, counts, usage, and a Redis that is lost, emptied, old or wrong. */
#include "answer_lines.h"
#include "gateway_sync_fixture.h"

/* ---- scripts ---- */

/* answers/sync.txt: machines are letters, keys numbers, a line is one of
 *
 *   fresh                          an empty folder, an empty Redis
 *   up M [writer], down M, crash M, turns MACHINES TIMES (what is refused is told)
 *   register M KEY, rotate M KEY GRACE NEW, state M KEY STATE, tier M KEY TIER
 *   has M KEY                      its account, state and tier there
 *   take M KEY, use M KEY TIMES, waste M KEY (given back), count M KEY (here and elsewhere)
 *   seen M WHAT                    received, counts: how many since this was asked last
 *   do, ask or days COMMAND        of Redis (days: of seconds); {M} is the feed of a machine's counts
 *   kill, start                    Redis
 *   backup M, back M, promote M    the backup gets the place of a store, or becomes that of a standby
 *   small M, large M               other tiers: without "registered", and with it
 *   save M, day N */
struct script {
    struct machine machines[26];
    struct odp_issued keys[10];
    bool is_up[26];
    uint64_t received[26], counts[26];
    char words[5][40], backup[160];
};

static struct machine *machine_at(struct script *s)
{
    return &s->machines[s->words[1][0] - 'a'];
}

static struct odp_issued *key_at(struct script *s, int word)
{
    return &s->keys[s->words[word][0] - '0'];
}

static long number_at(const struct script *s, int word)
{
    return strtol(s->words[word], NULL, 10);
}

static void bring(struct script *s, char name, bool is_up, bool writer)
{
    struct machine *m = &s->machines[name - 'a'];
    if (is_up) {
        up(m, (const char[]){name, '\0'}, writer, false);
        s->received[name - 'a'] = s->counts[name - 'a'] = 0;
    } else if (s->is_up[name - 'a']) {
        down(m);
    }
    s->is_up[name - 'a'] = is_up;
}

static void clear(struct script *s)
{
    void *state = NULL;
    for (char c = 'a'; c <= 'z'; c++)
        bring(s, c, false, false);
    (void)stage_down(&state);
    assert_int_equal(stage_up(&state), 0);
    *s = (struct script){0};
    snprintf(s->backup, sizeof s->backup, "%s/backup.sqlite", folder);
}

static void make_turns(struct script *s, struct odp_buffer *out)
{
    for (long i = number_at(s, 2); i > 0; i--)
        for (const char *name = s->words[1]; *name != '\0'; name++) {
            enum odp_status st = turn(&s->machines[*name - 'a']);
            if (st == ODP_BAD)
                odp_buffer_printf(out, "%c refused\n", *name);
            else
                must(st);
        }
}

static void tell_key(struct script *s, struct odp_buffer *out)
{
    static const char *const states[] = {"", "active", "rotated", "suspended", "revoked"};
    struct odp_key_record r;
    if (!has(machine_at(s), key_at(s, 2), &r)) {
        odp_buffer_add_str(out, "no");
        return;
    }
    assert_int_equal(r.id, key_at(s, 2)->record.id);
    odp_buffer_printf(out, "account %d, %s, tier %d", (int)r.account, states[r.state], r.tier);
    if (r.until != 0)
        odp_buffer_printf(out, ", until %d", (int)(r.until - clock_ms / 1000));
}

static void act(struct script *s)
{
    struct odp_state *state = &machine_at(s)->s;
    struct odp_order o = {.actor = "api", .now = clock_ms / 1000};
    struct odp_issued *k = key_at(s, 2);
    if (strcmp(s->words[0], "register") == 0)
        *k = register_key(machine_at(s));
    else if (strcmp(s->words[0], "rotate") == 0)
        must(odp_keys_rotate(state, &o, k->record.digest, number_at(s, 3), key_at(s, 4)));
    else if (strcmp(s->words[0], "tier") == 0)
        must(odp_keys_set_tier(state, &o, (int64_t)k->record.id, s->words[3]));
    else
        set_state(machine_at(s), k,
                  strcmp(s->words[3], "active") == 0      ? ODP_KEY_ACTIVE
                  : strcmp(s->words[3], "suspended") == 0 ? ODP_KEY_SUSPENDED
                                                          : ODP_KEY_REVOKED);
}

static void take_key(struct script *s, struct odp_buffer *out)
{
    static const char *const verdicts[] = {"passes", "unknown", "revoked", "suspended", "expired"};
    struct odp_grant g;
    struct odp_settings settings = two_tiers();
    struct machine *m = machine_at(s);
    const struct odp_issued *k = key_at(s, 2);
    if (strcmp(s->words[0], "take") == 0) {
        odp_buffer_add_str(out, verdicts[take(m, k, clock_ms)]);
    } else if (strcmp(s->words[0], "use") == 0) {
        use(m, k, (int)number_at(s, 3));
    } else {
        assert_int_equal(odp_quota_take(m->s.table, &settings, k->record.digest, clock_ms, &g), ODP_PASS);
        odp_quota_give_back(m->s.table, &g);
    }
}

static void tell_seen(struct script *s, struct odp_buffer *out)
{
    struct odp_sync *y = machine_at(s)->y;
    struct odp_sync_state state;
    uint64_t *received = &s->received[s->words[1][0] - 'a'], *counts = &s->counts[s->words[1][0] - 'a'];
    odp_sync_state(y, &state);
    const struct {
        const char *name;
        uint64_t value;
    } members[] = {
        {"received", y->seen.keys_received - *received},
        {"counts", y->seen.counts_received - *counts},
        {"complete", y->keys.complete},
        {"publishing", y->seen.publishing},
        {"refused", y->seen.refused},
        {"machines", (uint64_t)y->seen.machines},
        {"keys", odp_keytable_count(machine_at(s)->s.table)},
        {"connected", state.connected},
        {"failures", state.failures},
        {"reconnects", state.reconnects},
        {"memory", strstr(y->said_why, "OOM") != NULL},
    };
    for (size_t i = 0; i < ODP_COUNT(members); i++)
        if (strcmp(members[i].name, s->words[2]) == 0)
            odp_buffer_printf(out, "%llu", (unsigned long long)members[i].value);
    if (strcmp(s->words[2], "received") == 0)
        *received = y->seen.keys_received;
    if (strcmp(s->words[2], "counts") == 0)
        *counts = y->seen.counts_received;
}

/* TEXT with "{b}" for the counts of machine b. */
static long long redis_line(struct script *s, const char *text)
{
    const char *brace = strchr(text, '{');
    if (brace == NULL)
        return redis_do("%s", text);
    const struct odp_sync *y = s->machines[brace[1] - 'a'].y;
    return redis_do("%.*sodp:count:%u:%s%s", (int)(brace - text), text, (unsigned)y->counts.day, y->machine,
                    brace + 3);
}

/* The backup takes the place of a store that nobody has open. */
static void put_back(struct script *s)
{
    static const char *const names[] = {"", "/store.sqlite-wal", "/store.sqlite-shm", "/keys.table",
                                        "/store.sqlite"};
    char path[192], why[ODP_WHY];
    sqlite3 *db = NULL;
    for (size_t i = 0; i < ODP_COUNT(names); i++) {
        snprintf(path, sizeof path, "%s/%s%s", folder, s->words[1], names[i]);
        if (i > 0)
            (void)unlink(path);
        else
            must(odp_dir_make(path));
    }
    assert_int_equal(rename(s->backup, path), 0);
    if (strcmp(s->words[0], "promote") != 0)
        return;
    must(odp_store_open(&db, path, why));
    must(odp_generation_renew(db));
    odp_store_close(db);
}

static void other_tiers(struct script *s, bool large)
{
    struct odp_settings tiers = two_tiers();
    tiers.tiers[0] = (struct odp_tier_limits){"government", -1, 0, 0};
    tiers.tiers[1] = (struct odp_tier_limits){"small", 5, 1, 1};
    tiers.tiers[2] = (struct odp_tier_limits){"registered", 10000, 100, 4};
    tiers.ntiers = large ? 3 : 2;
    settings(machine_at(s), tiers);
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct script *s = ctx;
    const char *verb = s->words[0];
    char why[ODP_WHY];
    memset(s->words, 0, sizeof s->words);
    (void)sscanf(question.ptr, "%39s %39s %39s %39s %39s", s->words[0], s->words[1], s->words[2], s->words[3],
                 s->words[4]);
    if (strcmp(verb, "fresh") == 0) {
        clear(s);
        redis_start(NULL);
    } else if (strcmp(verb, "up") == 0 || strcmp(verb, "down") == 0) {
        bring(s, s->words[1][0], verb[0] == 'u', s->words[2][0] == 'w');
    } else if (strcmp(verb, "crash") == 0) {
        crash(machine_at(s));
        s->is_up[s->words[1][0] - 'a'] = false;
    } else if (strcmp(verb, "turns") == 0) {
        make_turns(s, out);
    } else if (strcmp(verb, "has") == 0) {
        tell_key(s, out);
    } else if (strcmp(verb, "take") == 0 || strcmp(verb, "use") == 0 || strcmp(verb, "waste") == 0) {
        take_key(s, out);
    } else if (strcmp(verb, "count") == 0) {
        long n = count(machine_at(s), key_at(s, 2));
        odp_buffer_printf(out, "%ld %ld", n / 1000, n % 1000);
    } else if (strcmp(verb, "seen") == 0) {
        tell_seen(s, out);
    } else if (strcmp(verb, "do") == 0) {
        (void)redis_line(s, question.ptr + 3);
    } else if (strcmp(verb, "ask") == 0) {
        odp_buffer_printf(out, "%lld", redis_line(s, question.ptr + 4));
    } else if (strcmp(verb, "days") == 0) {
        odp_buffer_printf(out, "%lld", (redis_line(s, question.ptr + 5) + 43200) / 86400);
    } else if (strcmp(verb, "kill") == 0) {
        redis_kill();
    } else if (strcmp(verb, "start") == 0) {
        redis_start(NULL);
    } else if (strcmp(verb, "backup") == 0) {
        must(odp_store_backup(machine_at(s)->s.db, s->backup, why));
    } else if (strcmp(verb, "back") == 0 || strcmp(verb, "promote") == 0) {
        put_back(s);
    } else if (strcmp(verb, "small") == 0 || strcmp(verb, "large") == 0) {
        other_tiers(s, verb[0] == 'l');
    } else if (strcmp(verb, "save") == 0) {
        must(odp_sync_identity_save(machine_at(s)->y));
    } else if (strcmp(verb, "day") == 0) {
        clock_ms += number_at(s, 1) * INT64_C(86400000);
    } else {
        act(s);
    }
}

TEST(answers)
{
    static struct script s;
    need_redis();
    answer_lines("gateway/answers/sync.txt", answer, &s);
    clear(&s);
}

/* ---- counts ---- */

TEST(many_accounts)
{
    need_redis();
    enum { N = 3000 };
    struct machine b, c;
    up(&b, "b", false, false);
    up(&c, "c", false, false);
    struct odp_issued *k = calloc(N, sizeof *k);
    assert_non_null(k);
    for (int i = 0; i < N; i++) {
        struct odp_key_record *r = &k[i].record;
        *r = (struct odp_key_record){
            .id = (uint64_t)i + 1, .account = (uint64_t)i + 1, .state = ODP_KEY_ACTIVE};
        must(odp_digest_of(&i, sizeof i, r->digest));
        must(odp_keytable_put(b.s.table, r));
        must(odp_keytable_put(c.s.table, r));
    }
    turns(&b, &c, NULL, 2);
    for (int i = 0; i < N; i++)
        use(&b, &k[i], 1 + i % 3);
    turns(&b, &c, NULL, 1);
    for (int i = 0; i < N; i++)
        assert_int_equal(count(&c, &k[i]), 1 + i % 3);
    redis_do("FLUSHALL");
    turns(&b, &c, NULL, 3);
    assert_int_equal(redis_do("HLEN|odp:count:%u:%s", (unsigned)b.y->counts.day, b.y->machine), N + 1);
    use(&b, &k[N - 1], 1);
    turns(&b, &c, NULL, 1);
    assert_int_equal(count(&c, &k[N - 1]), 2 + (N - 1) % 3);
    free(k);
    down(&b), down(&c);
}

TEST(usage_reaches_the_store)
{
    need_redis();
    struct machine a, b;
    int64_t count = 0, rows = 0;
    uint32_t day = odp_quota_day(clock_ms / 1000, 420);
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    int32_t slot = odp_meter_slot(b.s.meter, ODP_LIT("kumuh"), ODP_LIT("excel.csv"), "public");
    assert_true(slot >= 0);
    for (int i = 0; i < 5; i++)
        odp_meter_use(b.s.meter, slot, day);
    odp_meter_use(b.s.meter, slot, day - 1);
    turns(&b, &a, NULL, 2);
    redis_do("FLUSHALL");
    odp_meter_use(b.s.meter, slot, day);
    turns(&b, &a, NULL, 3);
    struct odp_sql q = {.db = a.s.db};
    assert_true(
        odp_sql_row(&q,
                    "SELECT sum(count), count(*) FROM usage_dataset WHERE machine = ? AND dataset = 'kumuh' "
                    "AND format = 'excel.csv' AND tier = 'public' AND day >= ?",
                    "ti", "ii", b.y->machine, (int64_t)day - 1, &count, &rows));
    assert_int_equal(count, 7);
    assert_int_equal(rows, 2);
    down(&a), down(&b);
}

/* ---- a bad Redis ---- */

TEST(junk_in_redis)
{
    need_redis();
    static const char *const junk[] = {
        "", "1", "!", "\xff\xfe", "1 1 1 1 0 1 public x aa", "0123456789abcdef", "99999999999999999999999"};
    struct machine a, b;
    struct odp_key_record r;
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    struct odp_issued k = register_key(&a);
    turns(&a, &b, NULL, 2);
    uint32_t day = a.y->counts.day;
    for (size_t i = 0; i < ODP_COUNT(junk); i++) {
        redis_do("HSET|odp:keys|%s|%s", junk[i][0] != '\0' ? junk[i] : "x",
                 junk[i][0] != '\0' ? junk[i] : "x");
        redis_do("ZADD|odp:keys:order|9999|%s|2|x%zu|1.5|y", junk[i][0] != '\0' ? junk[i] : "1", i);
        redis_do("HSET|odp:machines|%s|%s", junk[i][0] != '\0' ? junk[i] : "x",
                 junk[i][0] != '\0' ? junk[i] : "x");
        redis_do("HSET|odp:machines|y%zu|1710500000000 replica", i);
        static const char *const feeds[] = {"count", "usage"}, *const fields[] = {"1", "a/b/c"};
        for (int n = 0; n < 2; n++) {
            redis_do("HSET|odp:%s:%u:y%zu|!|0123456789abcdef 3|%s|%s|x|1", feeds[n], (unsigned)day, i,
                     fields[n], junk[i][0] != '\0' ? junk[i] : "x");
            redis_do("ZADD|odp:%s:%u:y%zu:order|1|%s|2|x|3|nothing", feeds[n], (unsigned)day, i, fields[n]);
        }
        turns(&a, &b, NULL, 2);
    }
    assert_true(b.y->seen.refused > 0 && a.y->seen.refused > 0);
    struct odp_issued more = register_key(&a);
    turns(&a, &b, NULL, 2);
    assert_true(has(&b, &more, &r) && has(&b, &k, &r));
    static const char *const names[] = {"odp:epoch", "odp:writer", "odp:keys", "odp:keys:order",
                                        "odp:machines"};
    for (size_t i = 0; i < ODP_COUNT(names); i++) /* of another type, or without sense */
        for (int kind = 0; kind < 2; kind++) {
            redis_do("DEL|%s", names[i]);
            redis_do(kind == 0 ? "SET|%s|x" : "RPUSH|%s|x", names[i]);
            for (int t = 0; t < 3; t++)
                (void)turn(&a), (void)turn(&b);
            redis_do("DEL|%s", names[i]);
            for (int t = 0; t < 3; t++)
                (void)turn(&a), (void)turn(&b);
        }
    more = register_key(&a);
    turns(&a, &b, NULL, 3);
    assert_true(has(&b, &more, &r));
    use(&b, &more, 2);
    turns(&b, &a, NULL, 2);
    assert_int_equal(count(&a, &more), 2);
    down(&a), down(&b);
}

/* Servers that are no Redis: whatever they say, a round ends. */
struct impostor {
    int listener;
    const char *says; /* NULL: nothing, ever */
};

static void *impostor(void *ctx)
{
    struct impostor *i = ctx;
    char in[4096];
    int fd;
    while ((fd = accept(i->listener, NULL, NULL)) >= 0) {
        while (read(fd, in, sizeof in) > 0)
            if (i->says != NULL && write(fd, i->says, strlen(i->says)) < 0)
                break;
        close(fd);
    }
    return NULL;
}

TEST(not_a_redis)
{
    static const char *const says[] = {
        "HTTP/1.1 400 Bad Request\r\n\r\n",
        "+OK\r\n",
        ":1\r\n",
        "$-1\r\n",
        "*0\r\n",
        "*-1\r\n",
        "-\r\n",
        "$5\r\nab",
        "*3\r\n:1\r\n",
        "+OK\r\n$16\r\n0123456789abcdef\r\n",
        "+OK\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n",
        "$99999999999999999999\r\n",
        "+OK\r\n$16\r\n0123456789abcdeg\r\n",
        NULL,
    };
    for (size_t i = 0; i < ODP_COUNT(says); i++) {
        struct machine a, b;
        struct sockaddr_un at = {.sun_family = AF_UNIX};
        struct impostor it = {socket(AF_UNIX, SOCK_STREAM, 0), says[i]};
        pthread_t thread;
        memcpy(at.sun_path, socket_path, sizeof at.sun_path);
        unlink(socket_path);
        assert_int_equal(bind(it.listener, (const struct sockaddr *)&at, sizeof at), 0);
        assert_int_equal(listen(it.listener, 8), 0);
        assert_int_equal(pthread_create(&thread, NULL, impostor, &it), 0);
        up(&a, "a", true, false);
        up(&b, "b", false, false);
        must_refuse(turn(&a));
        must_refuse(turn(&b));
        down(&a), down(&b);
        shutdown(it.listener, SHUT_RDWR);
        pthread_join(thread, NULL);
        close(it.listener);
    }
}

static char *log_of(void (*f)(void))
{
    static char text[65536];
    char file[96];
    snprintf(file, sizeof file, "%s/log", folder);
    int saved = dup(2), fd = open(file, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(saved >= 0 && fd >= 0);
    dup2(fd, 2);
    f();
    dup2(saved, 2);
    close(saved);
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    close(fd);
    return text;
}

static void wrong_then_right_password(void)
{
    struct machine a;
    char secret[96];
    snprintf(secret, sizeof secret, "%s/secret", folder);
    must(odp_file_put(secret, ODP_LIT("salah-sekali\n"), 0600, NULL));
    up(&a, "a", true, false);
    a.o.redis_secret = secret;
    must_refuse(turn(&a));
    must_refuse(turn(&a));
    unlink(secret);
    must(odp_file_put(secret, ODP_LIT("salah-sekali\nrahasia-besar until 2020-01-01T00:00:00Z\n"), 0600,
                      NULL));
    must_refuse(turn(&a)); /* one that has ended is not tried */
    unlink(secret);
    must_refuse(turn(&a));
    must(odp_file_put(secret, ODP_LIT("salah-sekali\nrahasia-besar until 2099-01-01T00:00:00Z\n"), 0600,
                      NULL));
    turns(&a, NULL, NULL, 1); /* the newest is not known there yet */
    a.o.redis_secret = NULL;
    redis_kill();
    must_refuse(turn(&a));
    down(&a);
}

TEST(passwords)
{
    static const char *const options[] = {"--requirepass", "rahasia-besar", NULL};
    if (system("command -v redis-server >/dev/null 2>&1") != 0)
        skip();
    redis_start(options);
    char *log = log_of(wrong_then_right_password);
    assert_non_null(strstr(log, "WRONGPASS"));
    assert_non_null(strstr(log, "there is no secret file"));
    assert_non_null(strstr(log, "works again"));
    assert_null(strstr(log, "salah-sekali"));
    assert_null(strstr(log, "rahasia-besar"));
    char *first = strstr(log, "WRONGPASS");
    assert_null(strstr(first + 1, "WRONGPASS")); /* reported once */
}

EACH(stage_up, stage_down)
