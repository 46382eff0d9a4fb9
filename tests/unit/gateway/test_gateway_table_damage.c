/* A key table that was cut, filled with other bytes, half written, or has no room on the disk: never a crash,
 * never a wrong yes. */
#include "gateway_table_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <zlib.h>

#include "core/keys/keytable_internal.h"
#include "core/quota/quota.h"

enum { CAPACITY = 8, KEYS = 5, DAY_MS = 1710460800 };

static uint8_t *bytes;
static size_t size;

static void load(void)
{
    struct odp_buffer b = {0};
    must(odp_file_read(fixture_path, 1 << 20, &b, NULL));
    free(bytes);
    bytes = (uint8_t *)b.ptr;
    size = b.len;
}

static void store(const uint8_t *ptr, size_t len)
{
    (void)unlink(fixture_path); /* another file each time, and without waiting for the disk */
    int fd = open(fixture_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, ptr, len), len);
    assert_int_equal(close(fd), 0);
}

static enum odp_status try_open(struct odp_keytable **t)
{
    const char *why = NULL;
    enum odp_status status = odp_keytable_open(t, fixture_path, &why);
    assert_int_equal(status == ODP_BAD, why != NULL);
    assert_int_equal(status == ODP_OK, *t != NULL);
    assert_int_not_equal(status, ODP_FAIL);
    return status;
}

static void small_table(void)
{
    struct odp_keytable *t = fixture_new(CAPACITY);
    fixture_put(t, 1, KEYS + 1);
    odp_keytable_close(t);
    load();
    assert_int_equal(size, 4096 + 1024 * 4 + CAPACITY * 128);
}

/* Who uses a table sees that it was taken away, exchanged or cut. */
TEST(still_the_same_file)
{
    struct odp_keytable *t = NULL;
    small_table();
    must(try_open(&t));
    assert_true(odp_keytable_is_current(t, fixture_path));
    assert_false(odp_keytable_cut(t));
    store(bytes, size); /* the same bytes in another file */
    assert_false(odp_keytable_is_current(t, fixture_path));
    assert_false(odp_keytable_cut(t));
    odp_keytable_close(t);
    must(try_open(&t));
    assert_int_equal(truncate(fixture_path, (off_t)size - 1), 0);
    assert_false(odp_keytable_is_current(t, fixture_path));
    assert_true(odp_keytable_cut(t));
    assert_int_equal(truncate(fixture_path, (off_t)size), 0);
    assert_true(odp_keytable_is_current(t, fixture_path));
    assert_int_equal(unlink(fixture_path), 0);
    assert_false(odp_keytable_is_current(t, fixture_path));
    odp_keytable_close(t);
}

TEST(no_table)
{
    struct odp_keytable *t;
    const char *why;
    must_refuse(odp_keytable_open(&t, fixture_path, &why));
    assert_string_equal(why, "it is not there");
    must_refuse(odp_keytable_open(&t, fixture_dir, &why));
    must_refuse(odp_keytable_open(&t, "/dev/null", &why));
    assert_string_equal(why, "it is not a file");
    assert_int_equal(mkfifo(fixture_path, 0600), 0); /* does not hang */
    must_refuse(odp_keytable_open(&t, fixture_path, NULL));
    store((const uint8_t *)"", 0);
    must_refuse(odp_keytable_open(&t, fixture_path, NULL));
    assert_string_equal(odp_failure_text(), "");
}

/* Every length but the right one. */
TEST(truncated)
{
    struct odp_keytable *t;
    small_table();
    store(bytes, size);
    for (size_t n = size; n-- > 0;) {
        assert_int_equal(truncate(fixture_path, (off_t)n), 0);
        must_refuse(try_open(&t));
    }
    store(bytes, size);
    assert_int_equal(truncate(fixture_path, (off_t)size + 1), 0);
    must_refuse(try_open(&t));
}

static void use(struct odp_keytable *t)
{
    struct odp_settings s;
    struct odp_grant g;
    struct odp_key_record r;
    odp_keytable_settings(t, &s);
    for (uint64_t n = 1; n <= KEYS + 1; n++) {
        r = fixture_key(n);
        enum odp_verdict v = odp_quota_take(t, &s, r.digest, DAY_MS * INT64_C(1000), &g);
        assert_true(n <= KEYS || v == ODP_KEY_UNKNOWN);
        odp_quota_give_back(t, &g);
    }
    for (uint32_t n = 0; n < CAPACITY; n++)
        assert_int_not_equal(odp_keytable_at(t, n, &r), ODP_FAIL);
    r = fixture_key(100);
    if (odp_keytable_put(t, &r) == ODP_OK)
        assert_true(odp_keytable_find(t, r.digest) >= 0);
    odp_failure_clear();
}

/* Must a changed byte at AT be noticed by open, or by check? */
static bool noticed_by_open(size_t at)
{
    return at < offsetof(struct table_header, pad) ||
           (at >= offsetof(struct table_header, count) + 1 && at < offsetof(struct table_header, turn));
}

static bool noticed_by_check(size_t at)
{
    size_t records = 4096 + 1024 * 4, in = (at - records) % sizeof(struct table_record);
    if (at < 4096)
        return at == offsetof(struct table_header, count);
    if (at < records)
        return true;
    return at < records + KEYS * sizeof(struct table_record) &&
           (in < offsetof(struct table_record, spare) ||
            (in >= offsetof(struct table_record, shown) && in < offsetof(struct table_record, used)));
}

TEST(every_byte_changed)
{
    char why[160];
    small_table();
    for (size_t at = 0; at < size; at++) {
        struct odp_keytable *t;
        uint8_t bit = (uint8_t)(1u << (at * 7 % 8));
        bytes[at] ^= bit;
        store(bytes, size);
        enum odp_status opened = try_open(&t);
        if ((opened == ODP_BAD) != noticed_by_open(at))
            fail_msg("byte %zu: open says %d", at, (int)opened);
        if (opened == ODP_OK) {
            enum odp_status checked = odp_keytable_check(t, why);
            if ((checked == ODP_BAD) != noticed_by_check(at))
                fail_msg("byte %zu: check says %d %s", at, (int)checked, why);
            assert_int_equal(checked == ODP_BAD, why[0] != '\0');
            use(t);
            odp_keytable_close(t);
        }
        bytes[at] ^= bit;
    }
}

/* Records of zeros, as a file system may leave them after a loss of power: they let nobody in. */
TEST(lost_pages)
{
    char why[160];
    struct odp_keytable *t;
    struct odp_settings s = fixture_settings();
    struct odp_key_record r = fixture_key(2), got;
    struct odp_grant g;
    small_table();
    struct table_record *record = (struct table_record *)(void *)(bytes + 4096 + 1024 * 4) + 1;
    memset(&record->status, 0, sizeof record->status);
    store(bytes, size);
    must(try_open(&t));
    assert_int_equal(odp_quota_take(t, &s, r.digest, DAY_MS * INT64_C(1000), &g), ODP_KEY_UNKNOWN);
    must_refuse(odp_keytable_get(t, r.digest, &got));
    must_refuse(odp_keytable_check(t, why));
    must(odp_keytable_put(t, &r)); /* putting it again repairs it */
    assert_int_equal(odp_quota_take(t, &s, r.digest, DAY_MS * INT64_C(1000), &g), ODP_PASS);
    must(odp_keytable_check(t, why));
    odp_keytable_close(t);
    memset((void *)record, 0, sizeof *record);
    store(bytes, size);
    must(try_open(&t));
    assert_int_equal(fixture_find(t, 2), -1);
    must_refuse(odp_keytable_check(t, why));
    odp_keytable_close(t);
}

/* A writer killed between counting its record and publishing its slot; nothing else can be half done. */
TEST(last_record_without_slot)
{
    struct odp_keytable *t;
    small_table();
    uint32_t *slots = (uint32_t *)(void *)(bytes + 4096);
    for (size_t i = 0; i < 1024; i++)
        slots[i] = slots[i] == KEYS ? 0 : slots[i];
    for (int again = 0; again < 2; again++) { /* the next put is of another key, or of the very one */
        store(bytes, size);
        must(try_open(&t));
        fixture_check(t);
        assert_int_equal(fixture_find(t, KEYS), -1);
        fixture_put(t, (uint64_t)KEYS + 1 - (uint64_t)again, (uint64_t)KEYS + 2 - (uint64_t)again);
        assert_int_equal(fixture_find(t, KEYS), KEYS - 1);
        assert_int_equal(odp_keytable_count(t), KEYS + 1 - again);
        fixture_check(t);
        odp_keytable_close(t);
    }
    /* Anywhere else it is damage. */
    char why[160];
    for (size_t i = 0; i < 1024; i++)
        slots[i] = slots[i] == 1 ? 0 : slots[i];
    store(bytes, size);
    must(try_open(&t));
    must_refuse(odp_keytable_check(t, why));
    assert_string_equal(why, "no slot leads to record 0 of 5");
    odp_keytable_close(t);
}

/* A writer of settings killed in the middle, and the active copy torn by a loss of power. */
TEST(half_written_settings)
{
    struct odp_keytable *t = fixture_new(CAPACITY);
    struct odp_settings s = fixture_settings(), other = s, got;
    other.tiers[0].daily = 5;
    odp_keytable_set_settings(t, &other); /* turn is 1 */
    odp_keytable_close(t);
    load();
    struct table_header *h = (struct table_header *)(void *)bytes;
    memset((void *)&h->settings[0], 'x', sizeof h->settings[0] / 2);
    store(bytes, size);
    must(try_open(&t));
    odp_keytable_settings(t, &got);
    assert_memory_equal(&got, &other, sizeof other);
    odp_keytable_set_settings(t, &s);
    odp_keytable_settings(t, &got);
    assert_memory_equal(&got, &s, sizeof s);
    odp_keytable_close(t);
    load();
    h = (struct table_header *)(void *)bytes;
    memset((void *)&h->settings[0], 0, 100); /* turn is 2 */
    store(bytes, size);
    must(try_open(&t));
    odp_keytable_settings(t, &got);
    assert_memory_equal(&got, &other, sizeof other);
    odp_keytable_close(t);
    memset((void *)&h->settings[1], 0, 100);
    store(bytes, size);
    must_refuse(try_open(&t));
}

/* Both copies of the settings torn under a reader that has the file open: no tier is left, and nothing
 * passes. */
TEST(settings_lost_while_open)
{
    struct odp_keytable *t;
    struct odp_settings got;
    struct odp_key_record r = fixture_key(2);
    struct odp_grant g;
    small_table();
    store(bytes, size);
    must(try_open(&t));
    odp_keytable_settings(t, &got);
    assert_int_equal(got.ntiers, 3);
    assert_int_equal(odp_quota_take(t, &got, r.digest, DAY_MS * INT64_C(1000), &g), ODP_PASS);
    int fd = open(fixture_path, O_WRONLY);
    assert_true(fd >= 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            pwrite(fd, "torn", 4,
                   (off_t)(offsetof(struct table_header, settings) + i * sizeof(struct table_settings))),
            4);
    assert_int_equal(close(fd), 0);
    odp_keytable_settings(t, &got);
    assert_int_equal(got.ntiers, 0);
    assert_string_equal(got.base_url, "");
    assert_int_not_equal(odp_quota_take(t, &got, r.digest, DAY_MS * INT64_C(1000), &g), ODP_PASS);
    odp_keytable_close(t);
}

/* A header whose checksum is right and whose numbers do not go together: nothing is mapped by them. */
TEST(header_contradicts_itself)
{
    static const struct {
        uint32_t capacity;
        uint64_t slots, size;
    } wrong[] = {
        {0, 1024, 0},        {TABLE_CAPACITY_MAX + 1, 1024, 0}, {CAPACITY, 1023, 0}, {CAPACITY, 2048, 0},
        {CAPACITY, 1024, 1}, {CAPACITY + 1, 1024, 0},
    };
    struct odp_keytable *t;
    const char *why;
    small_table();
    struct table_header *h = (struct table_header *)(void *)bytes, sound = *h;
    for (size_t i = 0; i < ODP_COUNT(wrong); i++) {
        h->capacity = wrong[i].capacity;
        h->slots = wrong[i].slots;
        h->size = sound.size + wrong[i].size;
        h->check = crc32(0, (const Bytef *)h, offsetof(struct table_header, check));
        store(bytes, size);
        must_refuse(odp_keytable_open(&t, fixture_path, &why));
        assert_string_equal(why, "its header contradicts itself");
    }
}

/* Two whole records with one digest: only the first can be found, and the check says so of the other. */
TEST(twins)
{
    char why[160];
    struct odp_keytable *t = fixture_new(CAPACITY);
    struct odp_key_record r = fixture_key(1);
    struct table_fixed f;
    fixture_put(t, 1, 3);
    fixture_check(t);
    table_fixed_read(t, 0, &f);
    uint64_t at = 0;
    while (t->slots[at] != 2)
        at++;
    atomic_store(&t->slots[at], 0);
    for (at = 0; t->slots[at] != 1;)
        at++;
    atomic_store(&t->slots[(at + 1) % t->nslots], 2);
    memcpy((void *)&t->records[1], (const void *)&t->records[0], sizeof *t->records);
    word_set(&t->records[1].link, table_link(&f, 1));
    must_refuse(odp_keytable_check(t, why));
    assert_string_equal(why, "record 1 of 2 is not found by its digest");
    assert_int_equal(odp_keytable_find(t, r.digest), 0);
    odp_keytable_close(t);
}

/* Somebody filled the whole index: a look-up ends all the same, and a new key is refused rather than put
 * where nobody finds it.
 */
TEST(index_without_a_free_slot)
{
    char why[160];
    struct odp_keytable *t;
    struct odp_key_record r = fixture_key(100);
    small_table();
    uint32_t *slots = (uint32_t *)(void *)(bytes + 4096);
    for (size_t i = 0; i < 1024; i++)
        slots[i] = slots[i] == 0 ? UINT32_MAX - (uint32_t)i : slots[i];
    store(bytes, size);
    must(try_open(&t));
    for (uint64_t n = 1; n <= KEYS; n++)
        assert_int_equal(fixture_find(t, n), n - 1);
    assert_int_equal(fixture_find(t, 100), -1);
    assert_int_equal(odp_keytable_put(t, &r), ODP_FAIL);
    assert_true(strstr(odp_failure_text(), strerror(ENOSPC)) != NULL);
    assert_int_equal(odp_keytable_count(t), KEYS);
    odp_failure_clear();
    must_refuse(odp_keytable_check(t, why));
    assert_true(strstr(why, "leads beyond the 5 records") != NULL);
    odp_keytable_close(t);
}

/* ---- a full disk ---- */

enum { SKIP = 77 };

static void write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    if (fd >= 0) {
        (void)!write(fd, text, strlen(text));
        (void)close(fd);
    }
}

/* A file system of 512 KiB that only this process sees. */
static bool small_disk(void)
{
    char map[64];
    unsigned uid = geteuid(), gid = getegid();
    if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
        return false;
    if (uid != 0) {
        write_file("/proc/self/setgroups", "deny");
        snprintf(map, sizeof map, "0 %u 1", uid);
        write_file("/proc/self/uid_map", map);
        snprintf(map, sizeof map, "0 %u 1", gid);
        write_file("/proc/self/gid_map", map);
    }
    return mount("none", "/", "", MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("odp", fixture_dir, "tmpfs", 0, "size=512k") == 0;
}

static void on_small_disk(void)
{
    struct odp_settings s = fixture_settings();
    struct odp_keytable *t = NULL;
    struct odp_key_record r;
    char why[160] = "", filler[128];
    uint64_t n = 1;
    CHILD_CHECK(odp_keytable_create(fixture_path, 8000, &s) == ODP_OK);
    CHILD_CHECK(odp_keytable_open(&t, fixture_path, NULL) == ODP_OK);
    snprintf(filler, sizeof filler, "%s/filler", fixture_dir);
    int fd = open(filler, O_WRONLY | O_CREAT, 0600);
    CHILD_CHECK(fd >= 0 && posix_fallocate(fd, 0, 200 << 10) == 0 && close(fd) == 0);
    for (int round = 0; round < 2; round++) {
        for (r = fixture_key(n); odp_keytable_put(t, &r) == ODP_OK; r = fixture_key(n))
            n++;
        CHILD_CHECK(strstr(odp_failure_text(), strerror(ENOSPC)) != NULL);
        odp_failure_clear();
        CHILD_CHECK(odp_keytable_put(t, &r) == ODP_FAIL); /* and again */
        odp_failure_clear();
        CHILD_CHECK(n > 500 && odp_keytable_count(t) == n - 1 && odp_keytable_find(t, r.digest) < 0);
        CHILD_CHECK(odp_keytable_check(t, why) ==
                    ODP_OK); /* reads all of the index: no hole that could not be filled */
        for (uint64_t i = 1; i < n; i++) {
            r = fixture_key(i);
            CHILD_CHECK(odp_keytable_find(t, r.digest) == (int64_t)i - 1);
            CHILD_CHECK(odp_keytable_put(t, &r) == ODP_OK); /* changing needs no room */
        }
        CHILD_CHECK(unlink(filler) == 0 || round == 1);
    }
    odp_keytable_close(t);
    snprintf(filler, sizeof filler, "%s/second", fixture_dir);
    CHILD_CHECK(odp_keytable_create(filler, 100000, &s) == ODP_FAIL);
    CHILD_CHECK(access(filler, F_OK) != 0);
    _exit(0);
}

TEST(full_disk)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!small_disk())
            _exit(SKIP);
        on_small_disk();
    }
    int code = fixture_wait(child);
    if (code == SKIP) {
        print_message("no small file system could be mounted here\n");
        skip();
    }
    assert_int_equal(code, 0);
}

EACH(fixture_set_up, fixture_tear_down)

static int free_bytes(void **state)
{
    free(bytes);
    return 0;
}

AROUND(NULL, free_bytes)
