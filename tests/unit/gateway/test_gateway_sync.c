/* Several machines, round by round: keys, counts, usage, and a Redis that is lost, emptied, old or wrong. */
#include "gateway_sync_fixture.h"

/* ---- keys ---- */

TEST(keys_arrive)
{
    need_redis();
    struct machine a, b, c;
    struct odp_key_record r;
    struct odp_issued rotated, k[3];
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    must(turn(&b)); /* before there is anything */
    assert_false(b.y->keys.complete);
    k[0] = register_key(&a);
    turns(&a, &b, NULL, 1);
    assert_true(b.y->keys.complete && has(&b, &k[0], &r));
    assert_int_equal(r.id, k[0].record.id);
    k[1] = register_key(&a);
    must(odp_keys_rotate(&a.s, &(struct odp_order){.actor = "api", .now = clock_ms / 1000},
                         k[0].record.digest, 3600, &rotated));
    uint64_t loads = b.y->seen.keys_received;
    turns(&a, &b, NULL, 1);
    assert_true(has(&b, &k[1], &r) && has(&b, &rotated, &r));
    assert_int_equal(r.account, k[0].record.id);
    assert_true(has(&b, &k[0], &r) && r.state == ODP_KEY_ROTATED && r.until == clock_ms / 1000 + 3600);
    assert_int_equal(b.y->seen.keys_received, loads + 3); /* what changed, not all again */
    set_state(&a, &k[1], ODP_KEY_REVOKED);
    turns(&a, &b, NULL, 1);
    assert_int_equal(take(&b, &k[1], clock_ms), ODP_KEY_IS_REVOKED);
    use(&b, &rotated, 2);
    up(&c, "c", false, false); /* late */
    turns(NULL, NULL, &c, 1);
    assert_int_equal(odp_keytable_count(c.s.table), 3);
    assert_int_equal(take(&c, &k[1], clock_ms), ODP_KEY_IS_REVOKED);
    turns(&a, &b, &c, 2);
    assert_int_equal(count(&c, &k[0]), 2); /* one account */
    assert_int_equal(count(&c, &rotated), 2);
    assert_int_equal(b.y->seen.refused + c.y->seen.refused + a.y->seen.refused, 0);
    down(&a), down(&b), down(&c);
}

TEST(keys_survive_gaps)
{
    need_redis();
    struct machine a, b;
    struct odp_key_record r;
    struct odp_issued k[5];
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    k[0] = register_key(&a);
    turns(&a, &b, NULL, 1);
    k[1] = register_key(&a);
    turns(&a, NULL, NULL, 1);
    k[2] = register_key(&a);
    turns(&a, NULL, NULL, 1);
    turns(NULL, &b, NULL, 1);
    assert_true(has(&b, &k[1], &r) && has(&b, &k[2], &r));
    set_state(&a, &k[1], ODP_KEY_SUSPENDED);
    turns(&a, NULL, NULL, 1);
    redis_do("DEL|odp:keys:order"); /* half of it was evicted */
    turns(&b, &a, &b, 1);
    assert_int_equal(take(&b, &k[1], clock_ms), ODP_KEY_IS_SUSPENDED);
    redis_do("FLUSHALL"); /* the connection stays */
    set_state(&a, &k[1], ODP_KEY_ACTIVE);
    turns(&a, &b, NULL, 2);
    assert_int_equal(redis_do("HLEN|odp:keys"), 4);
    assert_int_equal(take(&b, &k[1], clock_ms), ODP_PASS);
    redis_do("DEL|odp:keys"); /* evicted */
    turns(&a, &b, NULL, 2);
    assert_int_equal(redis_do("HLEN|odp:keys"), 4);
    redis_kill(); /* and back without anything */
    k[3] = register_key(&a);
    must_refuse(turn(&a));
    must_refuse(turn(&b));
    redis_start(NULL);
    turns(&a, &b, NULL, 2);
    assert_true(has(&b, &k[3], &r));
    down(&a);
    up(&a, "a", true, false); /* restarted: goes on where Redis is */
    uint64_t loads = b.y->seen.keys_received;
    k[4] = register_key(&a);
    turns(&a, &b, NULL, 1);
    assert_true(has(&b, &k[4], &r));
    assert_int_equal(b.y->seen.keys_received, loads + 1);
    down(&a), down(&b);
}

/* What was applied is never undone by an older Redis, not even for a replica that starts then. */
TEST(keys_never_go_back)
{
    need_redis();
    struct machine a, b;
    char file[160];
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    struct odp_issued k = register_key(&a);
    turns(&a, &b, NULL, 1);
    redis_do("SAVE");
    set_state(&a, &k, ODP_KEY_REVOKED);
    turns(&a, &b, NULL, 1);
    must(odp_sync_identity_save(b.y));
    redis_kill();
    must_refuse(turn(&a));
    must_refuse(turn(&b));
    snprintf(file, sizeof file, "%s/dump.rdb", folder);
    assert_int_equal(access(file, R_OK), 0);
    redis_start(NULL);
    assert_int_equal(redis_do("HLEN|odp:keys"), 2);
    turns(NULL, &b, NULL, 3);
    assert_int_equal(take(&b, &k, clock_ms), ODP_KEY_IS_REVOKED);
    down(&b);
    up(&b, "b", false, false);
    turns(NULL, &b, NULL, 2);
    assert_int_equal(take(&b, &k, clock_ms), ODP_KEY_IS_REVOKED);
    assert_false(b.y->keys.complete);
    turns(&a, &b, NULL, 2); /* the writer sends what is missing */
    assert_true(b.y->keys.complete);
    assert_int_equal(take(&b, &k, clock_ms), ODP_KEY_IS_REVOKED);
    down(&a), down(&b);
}

/* Somebody put an older store in place by hand: its replicas say so. */
TEST(store_put_back)
{
    need_redis();
    struct machine a, b;
    char backup[160], store[192], why[ODP_WHY];
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    struct odp_issued old = register_key(&a);
    snprintf(backup, sizeof backup, "%s/backup.sqlite", folder);
    turns(&a, &b, NULL, 1); /* the generation is in the store now */
    must(odp_store_backup(a.s.db, backup, why));
    struct odp_issued gone = register_key(&a);
    turns(&a, &b, NULL, 2);
    down(&a);
    redis_do("FLUSHALL");
    for (int i = 0; i < 3; i++) {
        static const char *const names[] = {"store.sqlite", "store.sqlite-wal", "store.sqlite-shm"};
        snprintf(store, sizeof store, "%s/a/%s", folder, names[i]);
        unlink(store);
    }
    snprintf(store, sizeof store, "%s/a/store.sqlite", folder);
    assert_int_equal(rename(backup, store), 0);
    snprintf(store, sizeof store, "%s/a/keys.table", folder);
    unlink(store);
    up(&a, "a", true, false);
    turns(&a, &b, NULL, 4);
    assert_true(b.y->keys.complete);
    assert_int_equal(take(&b, &old, clock_ms), ODP_PASS);
    assert_int_equal(take(&b, &gone, clock_ms), ODP_KEY_IS_REVOKED);
    down(&a), down(&b);
}

TEST(tiers_by_name)
{
    need_redis();
    struct machine a, b;
    struct odp_key_record r;
    struct odp_settings s = two_tiers();
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    struct odp_issued k = register_key(&a);
    must(odp_keys_set_tier(&a.s, &(struct odp_order){.actor = "test", .now = clock_ms / 1000},
                           (int64_t)k.record.id, "registered"));
    s.tiers[0] = (struct odp_tier_limits){"government", -1, 0, 0};
    s.tiers[1] = (struct odp_tier_limits){"small", 5, 1, 1};
    settings(&b, s);
    turns(&a, &b, NULL, 1);
    assert_true(has(&b, &k, &r));
    assert_int_equal(r.tier, 1); /* unknown here: the smallest */
    s.tiers[2] = (struct odp_tier_limits){"registered", 10000, 100, 4};
    s.ntiers = 3;
    settings(&b, s);
    turns(NULL, &b, NULL, 1);
    assert_true(has(&b, &k, &r));
    assert_int_equal(r.tier, 2);
    down(&a), down(&b);
}

TEST(writers_do_not_fight)
{
    need_redis();
    struct machine a, x, b;
    struct odp_key_record r;
    up(&a, "a", true, false);
    up(&x, "x", true, false);
    up(&b, "b", false, false);
    struct odp_issued ka = register_key(&a), kx = register_key(&x);
    turns(&a, &x, &b, 3);
    assert_true(a.y->seen.publishing);
    assert_false(x.y->seen.publishing);
    assert_true(has(&b, &ka, &r));
    assert_false(has(&b, &kx, &r));
    down(&a);
    redis_do("DEL|odp:writer"); /* its term is over */
    turns(&x, &b, NULL, 2);
    assert_true(x.y->seen.publishing && has(&b, &kx, &r));
    assert_int_equal(take(&b, &ka, clock_ms),
                     ODP_KEY_IS_REVOKED); /* the store that counts now does not know it */
    assert_int_equal(take(&b, &kx, clock_ms), ODP_PASS);
    down(&x), down(&b);
}

/* A standby from a backup: older than what replicas know, and nothing of theirs may be mistaken for its own.
 */
TEST(promoted_from_backup)
{
    need_redis();
    struct machine a, b, p;
    struct odp_key_record r;
    char backup[160], store[192], why[ODP_WHY];
    sqlite3 *db = NULL;
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    struct odp_issued before = register_key(&a);
    snprintf(backup, sizeof backup, "%s/backup.sqlite", folder);
    must(odp_store_backup(a.s.db, backup, why));
    struct odp_issued since = register_key(&a);
    turns(&a, &b, NULL, 1);
    assert_true(has(&b, &since, &r));
    down(&a);
    redis_do("DEL|odp:writer");
    snprintf(store, sizeof store, "%s/p", folder);
    must(odp_dir_make(store));
    snprintf(store, sizeof store, "%s/p/store.sqlite", folder);
    assert_int_equal(rename(backup, store), 0);
    must(odp_store_open(&db, store, why));
    must(odp_generation_renew(db));
    odp_store_close(db);
    up(&p, "p", true, false);
    struct odp_issued after = register_key(&p);
    assert_true(after.record.id > since.record.id);
    turns(&p, &b, NULL, 2);
    assert_int_equal(take(&b, &before, clock_ms), ODP_PASS);
    assert_int_equal(take(&b, &after, clock_ms), ODP_PASS);
    assert_int_equal(take(&b, &since, clock_ms), ODP_KEY_IS_REVOKED);
    down(&p), down(&b);
}

/* ---- counts ---- */

TEST(counts_add_up)
{
    need_redis();
    struct machine a, b, c;
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    up(&c, "c", false, false);
    struct odp_issued k = register_key(&a), other = register_key(&a);
    turns(&a, &b, &c, 2);
    use(&a, &k, 3), use(&b, &k, 4), use(&c, &other, 2);
    turns(&a, &b, &c, 2);
    assert_int_equal(count(&a, &k), 3004);
    assert_int_equal(count(&b, &k), 4003);
    assert_int_equal(count(&c, &k), 7);
    assert_int_equal(count(&a, &other), 2);
    uint64_t received = a.y->seen.counts_received;
    turns(&a, &b, &c, 2); /* nothing new, nothing sent */
    assert_int_equal(a.y->seen.counts_received, received);
    assert_int_equal(a.y->seen.machines, 3);
    crash(&b);
    up(&b, "b", false, false);
    use(&b, &k, 1);
    turns(&a, &b, &c, 3);
    assert_int_equal(count(&a, &k), 3005); /* once, and not twice */
    assert_int_equal(count(&b, &k), 5003);
    assert_int_equal(count(&c, &k), 8);
    struct odp_grant g;
    struct odp_settings s = two_tiers();
    assert_int_equal(odp_quota_take(a.s.table, &s, k.record.digest, clock_ms, &g), ODP_PASS);
    odp_quota_give_back(a.s.table, &g);
    turns(&a, &b, &c, 2);
    assert_int_equal(count(&c, &k), 8);
    clock_ms += INT64_C(86400000);
    turns(&a, &b, &c, 2);
    assert_int_equal(count(&c, &k), 0);
    use(&c, &k, 1);
    turns(&a, &b, &c, 2);
    assert_int_equal(count(&a, &k), 1);
    clock_ms -= INT64_C(86400000);
    down(&a), down(&b), down(&c);
}

TEST(counts_come_back)
{
    need_redis();
    struct machine a, b, c;
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    up(&c, "c", false, false);
    struct odp_issued k = register_key(&a);
    turns(&a, &b, &c, 2);
    use(&a, &k, 3), use(&b, &k, 4);
    turns(&a, &b, &c, 2);
    redis_kill();
    use(&b, &k, 2), use(&c, &k, 1);
    must_refuse(turn(&a));
    must_refuse(turn(&b));
    must_refuse(turn(&c));
    assert_int_equal(count(&c, &k), 1007); /* what was known stays */
    redis_start(NULL);
    turns(&a, &b, &c, 2);
    assert_int_equal(count(&a, &k), 3007);
    assert_int_equal(count(&b, &k), 6004);
    assert_int_equal(count(&c, &k), 1009);
    redis_do("FLUSHALL");
    use(&b, &k, 1);
    turns(&a, &b, &c, 3);
    assert_int_equal(count(&a, &k), 3008);
    assert_int_equal(count(&c, &k), 1010);
    redis_do("DEL|odp:count:%u:%s", (unsigned)b.y->counts.day, b.y->machine); /* evicted: told anew */
    use(&b, &k, 1);
    turns(&a, &b, &c, 2);
    redis_do("DEL|odp:count:%u:%s:order", (unsigned)b.y->counts.day, b.y->machine);
    use(&b, &k, 2);
    turns(&b, &a, &c, 2);
    assert_int_equal(count(&a, &k), 3011);
    assert_int_equal(count(&c, &k), 1013);
    uint64_t late = (uint64_t)redis_do("TTL|odp:count:%u:%s", (unsigned)b.y->counts.day, b.y->machine);
    assert_true(late > 86400 && late <= 691200);
    down(&a), down(&b), down(&c);
}

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

TEST(errors_are_counted)
{
    need_redis();
    struct machine a, b;
    struct odp_key_record r;
    struct odp_sync_state y;
    up(&a, "a", true, false);
    up(&b, "b", false, false);
    turns(&a, &b, NULL, 2);
    redis_do("CONFIG|SET|maxmemory-policy|noeviction");
    redis_do("CONFIG|SET|maxmemory|1");
    struct odp_issued k = register_key(&a);
    must_refuse(turn(&a));
    must_refuse(turn(&a));
    odp_sync_state(a.y, &y);
    assert_false(y.connected);
    assert_int_equal(y.failures, 2);
    assert_non_null(strstr(a.y->said_why, "OOM"));
    redis_do("CONFIG|SET|maxmemory|0");
    turns(&a, &b, NULL, 2);
    assert_true(has(&b, &k, &r));
    odp_sync_state(a.y, &y);
    assert_true(y.connected && y.reconnects == 1);
    down(&a), down(&b);
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
