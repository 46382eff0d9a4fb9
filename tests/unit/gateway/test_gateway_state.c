/* The state folder: lock, roles, tiers, flushing, and all that a crash, a full disk or a damaged file can do
 * to it. */
#include "gateway_script_fixture.h"

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
    odp_state_speak(ODP_LANG_ID);
    must_refuse(try_open(f, why));
    odp_state_speak(ODP_LANG_EN);
    assert_non_null(strstr(why, "bukan folder"));
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

/* ---- flushing ---- */

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

/* ---- scripts ---- */

/* answers/state.txt: beside the lines of gateway_script_fixture.h one is
 *
 *   open, close, folder NAME, writer [URL]     opening tells whether it is refused
 *   says TEXT                                  whether the last refusal does
 *   write PATH TEXT, move PATH PATH, gone PATH below the test's folder; has PATH
 *   tiers LIST, read FOLDER                    the site's tiers; the site is read
 *   settings                                   as they are, here and in the table
 *   sql TEXT, changes [since] (of the store, since the last time), keys (of the table)
 *   backup PATH, restore PATH, promote PATH
 *   damage KIND                                of the table
 *   meter TIMES DAYS                           uses of a CSV, so many days ago
 *   KEY limit, KEY here, back                  of its day; the last request is given back */
static void told(struct script *s, enum odp_status st, struct odp_buffer *out)
{
    if (st == ODP_OK)
        return;
    assert_int_equal(st, ODP_BAD);
    assert_true(strlen(s->why) > 5);
    assert_string_equal(odp_failure_text(), "");
    odp_buffer_add_str(out, "refused");
}

static void tell_settings(const struct fixture *f, struct odp_buffer *out)
{
    const struct odp_settings *s = &f->s.settings;
    struct odp_settings shared;
    odp_keytable_settings(f->s.table, &shared);
    assert_memory_equal(&shared, s, sizeof shared);
    odp_buffer_printf(out, "%s %d\n", s->base_url, s->zone_minutes);
    for (size_t i = 0; i < s->ntiers; i++)
        odp_buffer_printf(out, "%s %lld %lld %lld\n", s->tiers[i].name, (long long)s->tiers[i].daily,
                          (long long)s->tiers[i].burst, (long long)s->tiers[i].concurrent);
}

static void count_uses(struct fixture *f, int64_t times, int64_t days)
{
    int32_t slot = odp_meter_slot(f->s.meter, ODP_LIT("kumuh"), ODP_LIT("csv"), "public");
    for (; times > 0; times--)
        odp_meter_use(f->s.meter, slot, (uint32_t)(odp_quota_day(f->now, 420) - days));
}

static void open_line(struct script *s, struct odp_buffer *out)
{
    char why[160];
    told(s, try_open(s->f, s->why), out);
    if (s->f->open && s->f->s.table != NULL)
        must(odp_keytable_check(s->f->s.table, why));
}

/* Lines about files, TEXT is the rest of one. */
static bool file_line(struct script *s, const char *text, struct odp_buffer *out)
{
    struct fixture *f = s->f;
    const char *verb = s->words[0], *path = in(f, f->dir, s->words[1]);
    if (strcmp(verb, "write") == 0)
        put_text(path, text + strlen(s->words[1]) + (text[strlen(s->words[1])] == ' '));
    else if (strcmp(verb, "move") == 0)
        assert_int_equal(rename(path, in(f, f->dir, s->words[2])), 0);
    else if (strcmp(verb, "gone") == 0)
        assert_true(unlink(path) == 0 || odp_dir_remove(path) == ODP_OK);
    else if (strcmp(verb, "has") == 0)
        odp_buffer_add_str(out, access(path, F_OK) == 0 ? "yes" : "no");
    else if (strcmp(verb, "read") == 0)
        told(s, odp_state_read_site(&f->s, path, s->why), out);
    else if (strcmp(verb, "backup") == 0)
        must(odp_store_backup(f->s.db, path, s->why));
    else if (strcmp(verb, "restore") == 0 || strcmp(verb, "promote") == 0)
        told(s, odp_state_restore(f->state_dir, path, verb[0] == 'p', s->why), out);
    else
        return false;
    return true;
}

static void state_line(struct script *s, const char *line, struct odp_buffer *out)
{
    struct fixture *f = s->f;
    const char *verb = s->words[0], *text = line + strcspn(line, " ");
    struct odp_grant g;
    uint8_t digest[ODP_SHA256_SIZE];
    text += *text == ' ';
    (void)sscanf(line, "%47s %47s %47s", s->words[0], s->words[1], s->words[2]);
    if (strcmp(verb, "open") == 0) {
        open_line(s, out);
    } else if (strcmp(verb, "close") == 0) {
        close_state(f);
    } else if (strcmp(verb, "folder") == 0) {
        snprintf(f->state_dir, sizeof f->state_dir, "%s/%.20s", f->dir, s->words[1]);
    } else if (strcmp(verb, "writer") == 0) {
        f->options.writer = strchr(line, ' ') != NULL ? "http://writer.example/" : NULL;
    } else if (strcmp(verb, "says") == 0) {
        odp_buffer_add_str(out, strstr(s->why, text) != NULL ? "yes" : s->why);
    } else if (strcmp(verb, "tiers") == 0) {
        write_site(f, text);
    } else if (strcmp(verb, "settings") == 0) {
        tell_settings(f, out);
    } else if (strcmp(verb, "sql") == 0) {
        must(odp_store_run(f->s.db, text, ""));
    } else if (strcmp(verb, "changes") == 0) {
        int64_t n = sqlite3_total_changes64(f->s.db);
        if (strcmp(text, "since") == 0)
            odp_buffer_printf(out, "%lld", (long long)(n - s->changes));
        s->changes = n;
    } else if (strcmp(verb, "damage") == 0) {
        damage(f, (int)number_of(s, 1));
    } else if (strcmp(verb, "meter") == 0) {
        count_uses(f, number_of(s, 1), number_of(s, 2));
    } else if (strcmp(verb, "back") == 0) {
        odp_quota_give_back(f->s.table, &s->g);
    } else if (strcmp(verb, "keys") == 0) {
        odp_buffer_printf(out, "%u", odp_keytable_count(f->s.table));
    } else if (strcmp(s->words[1], "here") == 0) {
        odp_buffer_printf(out, "%u", (unsigned)odp_keytable_used(f->s.table, 0, odp_quota_day(f->now, 420)));
    } else if (strcmp(s->words[1], "limit") == 0) {
        digest_of(key(s, 0)->key, digest);
        (void)odp_quota_look(f->s.table, &f->s.settings, digest, f->now * 1000, &g);
        odp_buffer_printf(out, "%lld", (long long)g.limit);
    } else if (!file_line(s, text, out)) {
        script_line(s, line, out);
    }
}

TEST(answers)
{
    script_play("gateway/answers/state.txt", state_line);
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

EACH(setup, teardown)
