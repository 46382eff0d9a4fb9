/* The state folder: lock, roles, tiers, flushing, and all that a crash, a full disk or a damaged file can do
 * to it. */
#include "gateway_state_fixture.h"

#include "service/state/state_internal.h"

/* The table asks for its pages with posix_fallocate: a disk that is full when the test says so. Under both
 * names that it may be linked by. */
static bool disk_full;
int pages(int fd, off_t offset, off_t length) __asm__("posix_fallocate");
int pages64(int fd, off_t offset, off_t length) __asm__("posix_fallocate64");
int pages(int fd, off_t offset, off_t length)
{
    return disk_full ? ENOSPC : fallocate(fd, 0, offset, length) == 0 ? 0 : errno;
}
int pages64(int fd, off_t offset, off_t length)
{
    return pages(fd, offset, length);
}

static enum odp_status try_open(struct fixture *f, char why[ODP_WHY])
{
    enum odp_status st = odp_state_open(&f->s, &f->options, why);
    f->open = st == ODP_OK;
    return st;
}

/* ---- folder, lock, role ---- */

TEST(modes)
{
    struct fixture *f = *state;
    static const char *const files[] = {"lock", "role", "store.sqlite", "keys.table", "gateway.json"};
    struct stat st;
    char why[ODP_WHY];
    assert_int_equal(stat(f->state_dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    for (size_t i = 0; i < ODP_COUNT(files); i++) {
        assert_int_equal(stat(in(f, f->state_dir, files[i]), &st), 0);
        if ((st.st_mode & 0777) != 0600)
            fail_msg("%s has mode %o", files[i], st.st_mode & 0777);
    }
    close_state(f);
    assert_int_equal(chmod(f->state_dir, 0777), 0);
    open_state(f);
    assert_int_equal(stat(f->state_dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    close_state(f);
    f->options.state_dir = in(f, f->site, "gateway.json");
    must_refuse(try_open(f, why));
    assert_non_null(strstr(why, "is not a folder"));
    f->options.state_dir = f->state_dir;
}

TEST(lock)
{
    struct fixture *f = *state;
    struct odp_state other;
    char why[ODP_WHY], pid[32];
    must_refuse(odp_state_open(&other, &f->options, why));
    snprintf(pid, sizeof pid, "process %ld", (long)getpid());
    assert_non_null(strstr(why, pid));
    must_refuse(odp_state_restore(f->state_dir, "/nonexistent", false, why));
    assert_non_null(strstr(why, pid));
    close_state(f);
    open_state(f);
}

TEST(roles)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    close_state(f);
    f->options.writer = "http://writer.example/";
    must_refuse(try_open(f, why));
    assert_non_null(strstr(why, "store of a writer"));
    f->options.writer = NULL;
    write_file(in(f, f->state_dir, "role"), "king\n");
    must_refuse(try_open(f, why));
    assert_non_null(strstr(why, "neither"));
    write_file(in(f, f->state_dir, "role"), "writer\n");
    open_state(f);
    assert_true(f->s.writer);
}

/* A lost store is not a new one. */
TEST(lost_store)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    struct odp_issued k = register_as(f, "a@example.org");
    close_state(f);
    assert_int_equal(rename(in(f, f->state_dir, "store.sqlite"), in(f, f->dir, "kept")), 0);
    must_refuse(try_open(f, why));
    assert_non_null(strstr(why, "store.sqlite is gone"));
    assert_int_equal(rename(in(f, f->dir, "kept"), in(f, f->state_dir, "store.sqlite")), 0);
    open_state(f);
    assert_int_equal(look(f, k.key), ODP_PASS);
}

/* ---- tiers ---- */

TEST(tier_indexes_are_stable)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    struct odp_grant g;
    struct odp_issued k, other;
    struct odp_registration r = person("a@example.org");
    must(odp_keys_create(&f->s, order(f), &r, "registered", 0, &k));
    /* another order, one gone, one new, one with other limits */
    write_site(f, "{\"name\":\"partner\",\"daily\":7},{\"name\":\"government\",\"daily\":null,\"burst\":9},{"
                  "\"name\":\"public\",\"daily\":50,\"burst\":5}");
    must(odp_state_read_site(&f->s, f->site, why));
    assert_int_equal(f->s.settings.ntiers, 4);
    static const char *const names[] = {"public", "registered", "government", "partner"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(f->s.settings.tiers[i].name, names[i]);
    assert_int_equal(f->s.settings.tiers[0].daily, 50);
    assert_int_equal(f->s.settings.tiers[2].burst, 9);
    assert_int_equal(f->s.settings.tiers[3].daily, 7);
    assert_int_equal(request(f, k.key, 0, &g), ODP_PASS);
    assert_int_equal(g.limit, 10000);                                           /* as it was */
    must_refuse(odp_keys_create(&f->s, order(f), &r, "registered", 0, &other)); /* no new ones */
    struct odp_settings shared;
    odp_keytable_settings(f->s.table, &shared);
    assert_memory_equal(&shared, &f->s.settings, sizeof shared);
    /* the table gone, the site unreadable: the store remembers */
    close_state(f);
    assert_int_equal(unlink(in(f, f->state_dir, "keys.table")), 0);
    assert_int_equal(unlink(in(f, f->state_dir, "gateway.json")), 0);
    assert_int_equal(unlink(in(f, f->site, "gateway.json")), 0);
    open_state(f);
    assert_int_equal(request(f, k.key, 0, &g), ODP_PASS);
    assert_int_equal(g.limit, 10000);
}

TEST(bad_sites)
{
    struct fixture *f = *state;
    char why[ODP_WHY], many[4096] = "";
    struct odp_settings before = f->s.settings;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "not JSON"},
        {"[]", "not a JSON object"},
        {"{}", "base_url"},
        {"{\"base_url\":\"ftp://x/\"}", "base_url"},
        {"{\"base_url\":\"https://x.id\",\"tiers\":[]}", "base_url"},
        {"{\"base_url\":\"https://x.id/\",\"zone_minutes\":420,\"tiers\":[]}", "tiers"},
        {"{\"base_url\":\"https://x.id/\",\"zone_minutes\":4200,\"tiers\":[{\"name\":\"a\"}]}",
         "zone_minutes"},
        {"{\"base_url\":\"https://x.id/\",\"zone_minutes\":420,\"tiers\":[{\"name\":\"A B\"}]}", "name"},
        {"{\"base_url\":\"https://x.id/"
         "\",\"zone_minutes\":420,\"tiers\":[{\"name\":\"a\"},{\"name\":\"a\"}]}",
         "twice"},
        {"{\"base_url\":\"https://x.id/\",\"zone_minutes\":420,\"tiers\":[{\"name\":\"a\",\"daily\":-5}]}",
         "limit"},
        {"{\"base_url\":\"https://x.id/\",\"zone_minutes\":420,\"tiers\":[{\"name\":\"a\",\"burst\":\"5\"}]}",
         "limit"},
        {"{\"base_url\":\"https://x.id/\",\"zone_minutes\":420,\"tiers\":[{\"name\":\"a\",\"webhooks\":-1}]}",
         "limit"},
        {"{\"base_url\":\"https://x.id/"
         "\",\"zone_minutes\":420,\"zone_minutes\":1,\"tiers\":[{\"name\":\"a\"}]}",
         "not JSON"},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        write_file(in(f, f->site, "gateway.json"), cases[i].text);
        if (odp_state_read_site(&f->s, f->site, why) != ODP_BAD || strstr(why, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].text, why);
    }
    size_t n = 0;
    for (int i = 0; i < 14; i++) /* with the three that are there: 17 */
        n += (size_t)snprintf(many + n, sizeof many - n, "%s{\"name\":\"t%d\"}", i > 0 ? "," : "", i);
    write_site(f, many);
    must_refuse(odp_state_read_site(&f->s, f->site, why));
    assert_non_null(strstr(why, "no place"));
    must_refuse(odp_state_read_site(&f->s, f->dir, why));
    assert_non_null(strstr(why, "cannot be read"));
    assert_memory_equal(&before, &f->s.settings, sizeof before);
    assert_string_equal(odp_failure_text(), "");
}

/* ---- flushing ---- */

TEST(flush)
{
    struct fixture *f = *state;
    struct odp_grant g;
    struct odp_issued a = register_as(f, "a@example.org"), b = register_as(f, "b@example.org");
    int32_t slot = odp_meter_slot(f->s.meter, ODP_LIT("kumuh"), ODP_LIT("csv"), "public");
    uint32_t day = odp_quota_day(f->now, 420);
    must(odp_state_flush(&f->s));
    assert_int_equal(number(f, "SELECT count(*) FROM usage_key"), 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(request(f, a.key, i * 1000, &g), ODP_PASS);
    odp_meter_use(f->s.meter, slot, day);
    odp_meter_use(f->s.meter, slot, day - 1);
    for (int i = 0; i < 3; i++) {
        must(odp_state_flush(&f->s)); /* absolute: again is the same */
        assert_int_equal(number(f, "SELECT sum(count) FROM usage_key"), 4);
        assert_int_equal(number(f, "SELECT sum(count) FROM usage_dataset WHERE machine = 'one' AND tier = "
                                   "'public' AND dataset = 'kumuh'"),
                         2);
    }
    odp_quota_give_back(f->s.table, &g);
    assert_int_equal(request(f, b.key, 0, &g), ODP_PASS);
    odp_meter_use(f->s.meter, slot, day);
    must(odp_state_flush(&f->s));
    assert_int_equal(number(f, "SELECT sum(count) FROM usage_key"), 4);
    assert_int_equal(number(f, "SELECT count FROM usage_key WHERE account = 1"), 3);
    assert_int_equal(number(f, "SELECT sum(count) FROM usage_dataset"), 3);
    int64_t before = number(f, "PRAGMA data_version"), changes = sqlite3_total_changes64(f->s.db);
    must(odp_state_flush(&f->s));
    assert_int_equal(sqlite3_total_changes64(f->s.db), changes); /* nothing new, nothing written */
    assert_int_equal(number(f, "PRAGMA data_version"), before);
}

TEST(day_turns)
{
    struct fixture *f = *state;
    struct odp_grant g;
    struct odp_issued a = register_as(f, "a@example.org"), b = register_as(f, "b@example.org"),
                      c = register_as(f, "c@example.org");
    int64_t today = odp_quota_day(f->now, 420), tomorrow_at = f->now + odp_quota_reset(f->now, 420) + 1;
    assert_int_equal(request(f, a.key, 0, &g), ODP_PASS);
    assert_int_equal(request(f, c.key, 0, &g), ODP_PASS);
    pthread_mutex_lock(&f->s.mutex);
    must(odp_flush_locked(&f->s, f->now));
    pthread_mutex_unlock(&f->s.mutex);
    assert_int_equal(request(f, a.key, 1000, &g), ODP_PASS); /* after the last flush of the day */
    assert_int_equal(request(f, b.key, (tomorrow_at - f->now) * 1000, &g), ODP_PASS);
    assert_int_equal(request(f, c.key, (tomorrow_at - f->now) * 1000, &g),
                     ODP_PASS); /* before the pass: its word says nothing of today any more */
    pthread_mutex_lock(&f->s.mutex);
    must(odp_flush_locked(&f->s, tomorrow_at));
    pthread_mutex_unlock(&f->s.mutex);
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT sum(count) FROM usage_key WHERE day = %lld", (long long)today);
    assert_int_equal(number(f, sql), 3);
    snprintf(sql, sizeof sql, "SELECT sum(count) FROM usage_key WHERE day = %lld", (long long)today + 1);
    assert_int_equal(number(f, sql), 2);
}

TEST(retention)
{
    struct fixture *f = *state;
    register_as(f, "a@example.org");
    int64_t day = odp_quota_day(f->now, 420), machine = number(f, "SELECT id FROM machine");
    must(odp_store_run(f->s.db, "INSERT INTO usage_key VALUES(1, ?, ?, 5), (1, ?, ?, 6)", "iiii", day - 401,
                       machine, day - 399, machine));
    must(odp_store_run(f->s.db, "INSERT INTO usage_dataset VALUES('one', 5, 'public', 'kumuh', 'csv', 9)",
                       ""));
    must(odp_store_run(f->s.db, "INSERT INTO token VALUES(zeroblob(32), 'confirm', 1, '', 0, 10)", ""));
    reopen(f);
    must(odp_state_flush(&f->s));
    assert_int_equal(number(f, "SELECT count(*) FROM usage_key"), 1);
    assert_int_equal(number(f, "SELECT count(*) FROM usage_dataset"), 1);
    assert_int_equal(number(f, "SELECT count(*) FROM token"), 0);
}

/* A new meter starts at zero: what the one before counted stays. */
TEST(meter_replaced)
{
    struct fixture *f = *state;
    uint32_t day = odp_quota_day(f->now, 420);
    for (int round = 1; round <= 3; round++) {
        int32_t slot = odp_meter_slot(f->s.meter, ODP_LIT("kumuh"), ODP_LIT("csv"), "public");
        for (int i = 0; i < 5; i++)
            odp_meter_use(f->s.meter, slot, day);
        must(odp_state_flush(&f->s));
        assert_int_equal(number(f, "SELECT sum(count) FROM usage_dataset"), 5 * round);
        reopen(f); /* the same meter */
        must(odp_state_flush(&f->s));
        assert_int_equal(number(f, "SELECT sum(count) FROM usage_dataset"), 5 * round);
        close_state(f);
        assert_int_equal(unlink(in(f, f->state_dir, "meter.table")), 0);
        open_state(f);
    }
}

/* ---- a full disk ---- */

TEST(disk_full)
{
    struct fixture *f = *state;
    struct odp_issued k;
    struct odp_registration r = person("full@example.org");
    int failed = 0;
    char email[64];
    disk_full = true;
    for (int i = 0; i < 3000 && failed == 0; i++) { /* pages that are allocated still take some */
        snprintf(email, sizeof email, "f%d@example.org", i);
        r.email = odp_slice_of(email);
        failed = odp_keys_register(&f->s, order(f), &r, &k) == ODP_FAIL;
    }
    disk_full = false;
    assert_int_equal(failed, 1);
    assert_non_null(strstr(odp_failure_text(), "No space left"));
    odp_failure_clear();
    assert_int_equal(look(f, k.key), ODP_KEY_UNKNOWN); /* never acknowledged */
    assert_int_equal(f->s.unput, 0); /* and not in the store either: the table had no room for it */
    must(odp_state_flush(&f->s));
    assert_int_equal(look(f, k.key), ODP_KEY_UNKNOWN);
    must(odp_keys_register(&f->s, order(f), &r, &k)); /* there is room: the same address */
    assert_int_equal(look(f, k.key), ODP_PASS);
    char why[160];
    must(odp_keytable_check(f->s.table, why));
}

TEST(disk_full_then_restart)
{
    struct fixture *f = *state;
    struct odp_issued k;
    struct odp_registration r = person("full@example.org");
    disk_full = true;
    enum odp_status st = odp_keys_register(&f->s, order(f), &r, &k);
    disk_full = false;
    assert_int_equal(st, ODP_FAIL);
    odp_failure_clear();
    reopen(f);
    assert_int_equal(look(f, k.key),
                     ODP_KEY_UNKNOWN); /* what was refused has not happened, after a restart, too */
    must(odp_keys_register(&f->s, order(f), &r, &k));
    assert_int_equal(look(f, k.key), ODP_PASS);
}

/* ---- damage ---- */

static void damage(struct fixture *f, int kind)
{
    const char *path = in(f, f->state_dir, "keys.table");
    unsigned char junk[8192];
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = (unsigned char)(i * 37 + (size_t)kind);
    int fd = open(path, O_RDWR);
    struct stat st;
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    switch (kind) {
    case 0:
        assert_int_equal(pwrite(fd, junk, 4096, 0), 4096);
        break; /* the header */
    case 1:
        assert_int_equal(ftruncate(fd, st.st_size / 2), 0);
        break;
    case 2:
        assert_int_equal(unlink(path), 0);
        break;
    case 3:
        assert_int_equal(ftruncate(fd, 0), 0);
        break;
    case 4:
        assert_int_equal(pwrite(fd, junk, 64, st.st_size - 128 * (off_t)ODP_KEYTABLE_CAPACITY), 64);
        break; /* the first record */
    default:   /* the index */
        for (off_t at = 4096; at < 4096 + (1 << 20); at += (off_t)sizeof junk)
            assert_int_equal(pwrite(fd, junk, sizeof junk, at), sizeof junk);
    }
    close(fd);
}

TEST(damaged_table)
{
    struct fixture *f = *state;
    struct odp_grant g;
    char why[160];
    struct odp_issued a = register_as(f, "a@example.org"), b = register_as(f, "b@example.org");
    uint64_t used = 0;
    for (int kind = 0; kind < 6; kind++) {
        assert_int_equal(request(f, a.key, kind * 1000, &g), ODP_PASS);
        used++;
        close_state(f);
        damage(f, kind);
        open_state(f);
        must(odp_keytable_check(f->s.table, why));
        assert_int_equal(look(f, b.key), ODP_PASS);
        if (info_of(f, a.key).used != used)
            fail_msg("damage %d: %llu counted, not %llu", kind, (unsigned long long)info_of(f, a.key).used,
                     (unsigned long long)used);
        assert_int_not_equal(access(in(f, f->state_dir, "keys.table.rebuild"), F_OK), 0);
    }
}

/* Others' counts too: the quota of the day must not open again. */
TEST(rebuild_knows_other_machines)
{
    struct fixture *f = *state;
    struct odp_issued a = register_as(f, "a@example.org");
    int64_t day = odp_quota_day(f->now, 420);
    must(odp_store_run(f->s.db, "INSERT INTO machine(name) VALUES('two')", ""));
    must(odp_store_run(f->s.db,
                       "INSERT INTO usage_key VALUES(1, ?, (SELECT id FROM machine WHERE name = 'two'), 30)",
                       "i", day));
    close_state(f);
    assert_int_equal(unlink(in(f, f->state_dir, "keys.table")), 0);
    open_state(f);
    assert_int_equal(info_of(f, a.key).used, 30);
    assert_int_equal(odp_keytable_used(f->s.table, 0, (uint32_t)day), 0);
}

/* The store is changed behind the table's back: as if the service had been killed between the two. */
TEST(reconciles)
{
    struct fixture *f = *state;
    struct odp_issued a = register_as(f, "a@example.org"), b = register_as(f, "b@example.org");
    must(odp_store_run(f->s.db, "UPDATE key SET state = 4 WHERE id = 1", ""));
    must(odp_store_run(f->s.db, "UPDATE key SET tier = 'government' WHERE id = 2", ""));
    reopen(f);
    assert_int_equal(look(f, a.key), ODP_KEY_IS_REVOKED);
    struct odp_grant g;
    assert_int_equal(request(f, b.key, 0, &g), ODP_PASS);
    assert_int_equal(g.limit, -1);
    /* a table with keys of another store is no table of ours */
    must(odp_store_run(f->s.db, "DELETE FROM key WHERE id = 1", ""));
    reopen(f);
    assert_int_equal(odp_keytable_count(f->s.table), 1);
    assert_int_equal(look(f, a.key), ODP_KEY_UNKNOWN);
    assert_int_equal(info_of(f, b.key).used, 1);
}

/* ---- kill -9 ---- */

/* Registers until it is killed; tells every key that was acknowledged. */
static void child(struct fixture *f, int out, int round)
{
    struct odp_state s;
    char why[ODP_WHY], email[64];
    if (odp_state_open(&s, &f->options, why) != ODP_OK)
        _exit(3);
    for (int i = 0;; i++) {
        struct odp_issued k, next;
        struct odp_grant g;
        snprintf(email, sizeof email, "r%d-%d@example.org", round, i);
        struct odp_registration r = person(email);
        if (odp_keys_register(&s, order(f), &r, &k) != ODP_OK)
            _exit(4);
        if (i % 3 == 0) {
            if (odp_keys_rotate(&s, order(f), k.record.digest, 1000, &next) != ODP_OK)
                _exit(5);
            k = next;
        }
        for (int n = 0; n < 3; n++)
            (void)odp_quota_take(s.table, &s.settings, k.record.digest, odp_now_ms(), &g);
        if (i % 4 == 0 && odp_state_flush(&s) != ODP_OK)
            _exit(6);
        if (write(out, k.key, ODP_KEY_LENGTH) != ODP_KEY_LENGTH)
            _exit(7);
    }
}

static size_t kill_one(struct fixture *f, int round, struct odp_buffer *keys)
{
    int pipes[2], status = 0;
    char piece[4096];
    ssize_t n;
    assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(pipes[0]);
        child(f, pipes[1], round);
    }
    close(pipes[1]);
    size_t before = keys->len;
    /* some rounds die while they open; the others after a few keys */
    struct timespec t = {.tv_nsec = (round * 7919 % 100) * 100000L};
    if (round % 5 != 0)
        odp_buffer_add(keys, piece, (size_t)read(pipes[0], piece, ODP_KEY_LENGTH));
    nanosleep(&t, NULL);
    assert_int_equal(kill(pid, SIGKILL), 0);
    while ((n = read(pipes[0], piece, sizeof piece)) > 0)
        odp_buffer_add(keys, piece, (size_t)n);
    close(pipes[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
        fail_msg("the child ended by itself: %x", (unsigned)status);
    return (keys->len - before) / ODP_KEY_LENGTH;
}

TEST(kill)
{
    struct fixture *f = *state;
    struct odp_buffer keys = {0};
    char key[ODP_KEY_LENGTH + 1] = "", why[160];
    close_state(f);
    for (int round = 0; round < 50; round++) {
        (void)kill_one(f, round, &keys);
        open_state(f);
        must(odp_keytable_check(f->s.table, why));
        assert_int_equal(number(f, "SELECT count(*) FROM key"), odp_keytable_count(f->s.table));
        audit_is_whole(f);
        close_state(f);
    }
    open_state(f);
    assert_int_equal(keys.len % ODP_KEY_LENGTH, 0);
    assert_true(keys.len / ODP_KEY_LENGTH >= 40);
    for (size_t at = 0; at < keys.len; at += ODP_KEY_LENGTH) {
        memcpy(key, keys.ptr + at, ODP_KEY_LENGTH);
        if (look(f, key) != ODP_PASS)
            fail_msg("an acknowledged key is gone: number %zu", at / ODP_KEY_LENGTH);
        assert_string_equal(info_of(f, key).state, "active");
        assert_int_equal(info_of(f, key).used, 3);
    }
    odp_buffer_release(&keys);
}

/* ---- restoring ---- */

TEST(restore)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    struct odp_grant g;
    const char *backup = in(f, f->dir, "backup");
    struct odp_issued a = register_as(f, "a@example.org");
    assert_int_equal(request(f, a.key, 0, &g), ODP_PASS);
    must(odp_state_flush(&f->s));
    must(odp_store_backup(f->s.db, backup, why));
    struct odp_issued b = register_as(f, "b@example.org");
    assert_int_equal(request(f, a.key, 1000, &g), ODP_PASS);
    close_state(f);
    must(odp_state_restore(f->state_dir, backup, false, why));
    open_state(f);
    assert_int_equal(look(f, a.key), ODP_PASS);
    assert_int_equal(look(f, b.key), ODP_KEY_UNKNOWN);
    assert_int_equal(info_of(f, a.key).used, 2); /* the table that was there knew */
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE act = 'restore'"), 1);
    audit_is_whole(f);
    struct odp_issued c = register_as(f, "c@example.org");
    assert_true(c.record.id > b.record.id); /* a number is never given out twice */
    /* into a folder that is not there yet */
    close_state(f);
    must(odp_dir_remove(f->state_dir));
    must(odp_state_restore(f->state_dir, backup, false, why));
    open_state(f);
    assert_int_equal(look(f, a.key), ODP_PASS);
    assert_int_equal(info_of(f, a.key).used, 1);
    assert_int_equal(f->s.settings.ntiers, 3);
}

TEST(restore_refuses)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    struct odp_issued a = register_as(f, "a@example.org");
    close_state(f);
    write_file(in(f, f->dir, "letter"), "Dear all, this is a letter and no backup; it is written here to see "
                                        "whether somebody notices. Regards, S.");
    write_file(in(f, f->dir, "empty"), "");
    static const char *const files[] = {"letter", "empty", "nothing", "."};
    for (size_t i = 0; i < ODP_COUNT(files); i++) {
        must_refuse(odp_state_restore(f->state_dir, in(f, f->dir, files[i]), false, why));
        assert_true(strlen(why) > 10);
        assert_string_equal(odp_failure_text(), "");
    }
    assert_int_not_equal(access(in(f, f->state_dir, "store.restore"), F_OK), 0);
    open_state(f);
    assert_int_equal(look(f, a.key), ODP_PASS);
}

/* A standby: its table has what the writer told it, its store comes from a backup that is older. */
TEST(promote)
{
    struct fixture *f = *state;
    char why[ODP_WHY], standby[160];
    struct odp_key_record r;
    struct odp_grant g;
    const char *backup = in(f, f->dir, "backup");
    struct odp_issued a = register_as(f, "a@example.org"), c = register_as(f, "c@example.org"),
                      d = register_as(f, "d@example.org"), b, e;
    must(odp_store_backup(f->s.db, backup, why));
    must(odp_keys_rotate(&f->s, order(f), a.record.digest, 1000, &b));
    must(odp_keys_set_state(&f->s, order(f), (int64_t)c.record.id, ODP_KEY_REVOKED));
    must(odp_keys_set_tier(&f->s, order(f), (int64_t)d.record.id, "registered"));
    e = register_as(f, "e@example.org");
    struct odp_keytable *old = f->s.table;
    f->s.table = NULL;
    struct odp_state writer = f->s;
    snprintf(standby, sizeof standby, "%s/standby", f->dir);
    struct odp_service_options o = f->options;
    o.state_dir = standby;
    o.writer = "http://writer.example/";
    o.machine = "two";
    must(odp_state_open(&f->s, &o, why));
    for (uint32_t n = 0; n < odp_keytable_count(old); n++) {
        must(odp_keytable_at(old, n, &r));
        must(odp_keytable_put(f->s.table, &r));
    }
    assert_int_equal(request(f, e.key, 0, &g), ODP_PASS);
    odp_state_close(&f->s);
    must(odp_state_restore(standby, backup, true, why));
    o.writer = NULL;
    must(odp_state_open(&f->s, &o, why));
    assert_true(f->s.writer);
    static const enum odp_verdict want[] = {ODP_PASS, ODP_PASS, ODP_KEY_IS_REVOKED, ODP_PASS, ODP_PASS};
    const char *keys[] = {a.key, b.key, c.key, d.key, e.key};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(look(f, keys[i]), want[i]);
    assert_string_equal(info_of(f, a.key).state, "rotated");
    assert_string_equal(info_of(f, b.key).email, "a@example.org"); /* the same account */
    assert_string_equal(info_of(f, d.key).tier, "registered");
    assert_string_equal(info_of(f, e.key).email, ""); /* whose it is only the lost store knew */
    assert_int_equal(info_of(f, e.key).id, e.record.id);
    assert_int_equal(info_of(f, e.key).used, 1);
    assert_int_equal(number(f, "SELECT count(*) FROM audit WHERE act = 'promote' AND detail = "
                               "'{\"keys_taken\":2,\"keys_changed\":3}'"),
                     1);
    audit_is_whole(f);
    struct odp_issued later = register_as(f, "later@example.org");
    assert_true(later.record.id > e.record.id);
    odp_state_close(&f->s);
    f->s = writer;
    f->s.table = old;
}

TEST(promote_of_strangers)
{
    struct fixture *f = *state;
    char why[ODP_WHY], other[160];
    struct odp_issued a = register_as(f, "a@example.org");
    struct odp_service_options o = f->options;
    const char *backup = in(f, f->dir, "backup");
    close_state(f);
    snprintf(other, sizeof other, "%s/other", f->dir);
    o.state_dir = other;
    must(odp_state_open(&f->s, &o, why));
    register_as(f, "x@example.org");
    must(odp_store_backup(f->s.db, backup, why));
    odp_state_close(&f->s);
    must_refuse(odp_state_restore(f->state_dir, backup, true, why));
    assert_non_null(strstr(why, "another gateway"));
    open_state(f);
    assert_int_equal(look(f, a.key), ODP_PASS);
}

EACH(setup, teardown)
