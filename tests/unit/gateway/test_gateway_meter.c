/* The counters: exact over threads of processes, whole after a kill, right over midnights, and never a torn
 * file. */
#include "run.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/quota/meter.h"

static char dir[FRESH_FOLDER], path[96];

static int set_up(void **state)
{
    fresh_folder(dir, "meter");
    snprintf(path, sizeof path, "%s/meter", dir);
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    return system(command);
}

static struct odp_meter *open_meter(void)
{
    struct odp_meter *m = NULL;
    must(odp_meter_open(&m, path));
    assert_non_null(m);
    return m;
}

static size_t files_in_dir(void)
{
    DIR *d = opendir(dir);
    size_t n = 0;
    assert_non_null(d);
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d))
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Runs F in N processes at once; each must end well. */
static void fork_all(int n, void (*f)(int i))
{
    pid_t pids[16];
    for (int i = 0; i < n; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            f(i);
            _exit(0);
        }
    }
    for (int i = 0; i < n; i++) {
        int status = -1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
}

struct list {
    struct odp_meter_usage u[64];
    size_t n;
};

static enum odp_status collect(void *ctx, const struct odp_meter_usage *u)
{
    struct list *l = ctx;
    assert_true(l->n < 64);
    l->u[l->n++] = *u;
    return ODP_OK;
}

struct search {
    const char *dataset;
    uint32_t day;
    uint64_t sum;
};

static enum odp_status add(void *ctx, const struct odp_meter_usage *u)
{
    struct search *s = ctx;
    if (u->day == s->day && strcmp(u->dataset, s->dataset) == 0)
        s->sum += u->count;
    return ODP_OK;
}

static uint64_t used(const struct odp_meter *m, const char *dataset, uint32_t day)
{
    struct search s = {dataset, day, 0};
    must(odp_meter_each(m, &s, add));
    return s.sum;
}

TEST(totals)
{
    struct odp_meter *m = open_meter();
    struct odp_meter_totals t;
    odp_meter_request(m, 0, 200, 100, 1000);
    odp_meter_request(m, 17, 200, 101, 2000); /* stripes are taken round */
    odp_meter_request(m, 3, 404, 5000000, 0);
    odp_meter_request(m, 4, 599, 5000001, UINT64_C(1) << 40);
    odp_meter_request(m, 5, 600, 0, 0);
    odp_meter_request(m, 5, -1, 0, 0);
    odp_meter_refusal(m, 2, ODP_PROBLEM_KEY_MISSING);
    odp_meter_refusal(m, 2, ODP_PROBLEM_GATEWAY_TIMEOUT);
    odp_meter_refusal(m, 2, ODP_PROBLEM_COUNT);
    odp_meter_source(m, 1, ODP_METER_MEMORY);
    odp_meter_source(m, 2, ODP_METER_MEMORY);
    odp_meter_source(m, 1, ODP_METER_DISK);
    odp_meter_source(m, 1, ODP_METER_NOT_MODIFIED);
    odp_meter_source(m, 1, ODP_METER_NO_TABLE);
    odp_meter_totals(m, &t);
    assert_int_equal(t.status[200], 2);
    assert_int_equal(t.status[404], 1);
    assert_int_equal(t.status[599], 1);
    assert_int_equal(t.status[0], 2); /* what is no status */
    assert_int_equal(t.refused[ODP_PROBLEM_KEY_MISSING], 1);
    assert_int_equal(t.refused[ODP_PROBLEM_COUNT - 1], 1);
    assert_int_equal(t.bucket[0], 3); /* 0, 0, 100 */
    assert_int_equal(t.bucket[1], 1);
    assert_int_equal(t.bucket[ODP_METER_BUCKETS - 2], 1);
    assert_int_equal(t.bucket[ODP_METER_BUCKETS - 1], 1);
    assert_int_equal(t.micros, 10000202);
    assert_int_equal(t.bytes, (UINT64_C(1) << 40) + 3000);
    assert_int_equal(t.from_memory, 2);
    assert_int_equal(t.from_disk, 1);
    assert_int_equal(t.not_modified, 1);
    assert_int_equal(t.table_missing, 1);
    odp_meter_close(m);
    m = open_meter(); /* all of it is in the file */
    odp_meter_totals(m, &t);
    assert_int_equal(t.status[200], 2);
    assert_int_equal(t.table_missing, 1);
    odp_meter_close(m);
    for (int i = 1; i < ODP_METER_BUCKETS; i++)
        assert_true(odp_meter_bounds_us[i] > odp_meter_bounds_us[i - 1]);
    assert_true(odp_meter_bounds_us[ODP_METER_BUCKETS - 1] == UINT32_MAX);
}

enum { PROCESSES = 4, ROUNDS = 20000 };

static void count_much(int i)
{
    struct odp_meter *m = NULL;
    if (odp_meter_open(&m, path) != ODP_OK)
        _exit(1);
    for (int k = 0; k < ROUNDS; k++) {
        char name[16];
        snprintf(name, sizeof name, "d%d", k % 10);
        int32_t slot = odp_meter_slot(m, odp_slice_of(name), ODP_LIT("api"), "public");
        odp_meter_request(m, (unsigned)(i % 2), 200, 10, 3);
        odp_meter_use(m, slot, 20000);
        if (k % 5 == 0)
            odp_meter_unuse(m, slot, 20000);
    }
    odp_meter_close(m);
}

TEST(processes_count_exactly)
{
    struct odp_meter_totals t;
    fork_all(PROCESSES, count_much); /* they make the file at once, too */
    struct odp_meter *m = open_meter();
    odp_meter_totals(m, &t);
    assert_int_equal(t.status[200], PROCESSES * ROUNDS);
    assert_int_equal(t.bytes, 3 * PROCESSES * ROUNDS);
    struct list l = {.n = 0};
    must(odp_meter_each(m, &l, collect));
    assert_int_equal(l.n, 8); /* no name twice; what was counted as d0 and d5 was all taken back */
    for (size_t i = 0; i < l.n; i++) {
        assert_int_equal(l.u[i].day, 20000);
        assert_string_equal(l.u[i].format, "api");
        assert_string_equal(l.u[i].tier, "public");
        assert_true(i == 0 || strcmp(l.u[i].dataset, l.u[i - 1].dataset) > 0);
        assert_int_equal(l.u[i].count, PROCESSES * ROUNDS / 10);
    }
    odp_meter_close(m);
    assert_int_equal(files_in_dir(), 1); /* nothing temporary is left */
}

TEST(days)
{
    struct odp_meter *m = open_meter();
    int32_t slot = odp_meter_slot(m, ODP_LIT("kumuh"), ODP_LIT("api"), "public");
    assert_int_equal(odp_meter_slot(m, ODP_LIT("kumuh"), ODP_LIT("api"), "public"), slot);
    assert_int_not_equal(odp_meter_slot(m, ODP_LIT("kumuh"), ODP_LIT("csv"), "public"), slot);
    assert_int_not_equal(odp_meter_slot(m, ODP_LIT("kumuh"), ODP_LIT("api"), "-"), slot);
    for (int i = 0; i < 5; i++)
        odp_meter_use(m, slot, 19999);
    for (int i = 0; i < 3; i++)
        odp_meter_use(m, slot, 20000);
    assert_int_equal(used(m, "kumuh", 19999), 5); /* yesterday can still be read */
    assert_int_equal(used(m, "kumuh", 20000), 3);
    odp_meter_unuse(m, slot, 19999); /* a request that began before midnight */
    assert_int_equal(used(m, "kumuh", 19999), 4);
    odp_meter_use(m, slot, 20001); /* the second midnight: takes the place of the day before yesterday */
    assert_int_equal(used(m, "kumuh", 19999), 0);
    assert_int_equal(used(m, "kumuh", 20000), 3);
    assert_int_equal(used(m, "kumuh", 20001), 1);
    odp_meter_unuse(m, slot, 19999); /* too late: not taken off another day */
    assert_int_equal(used(m, "kumuh", 20001), 1);
    odp_meter_unuse(m, slot, 20001);
    odp_meter_unuse(m, slot, 20001); /* never below nothing */
    assert_int_equal(used(m, "kumuh", 20001), 0);
    odp_meter_use(m, slot, 20001);
    assert_int_equal(used(m, "kumuh", 20001), 1);
    odp_meter_use(m, -1, 20001); /* what has no slot */
    odp_meter_unuse(m, -1, 20001);
    odp_meter_use(m, (int32_t)ODP_METER_SLOTS, 20001);
    odp_meter_close(m);
}

TEST(names)
{
    struct odp_meter *m = open_meter();
    char name[100];
    memset(name, 'n', sizeof name);
    int32_t cut =
        odp_meter_slot(m, (struct odp_slice){name, ODP_METER_NAME - 1}, ODP_LIT("an.extension.to"), "t");
    int32_t same = odp_meter_slot(m, (struct odp_slice){name, 60}, ODP_LIT("an.extension.too.long"), "t");
    assert_int_equal(cut, same); /* cut to what there is room for, terminator and all */
    odp_meter_use(m, cut, 7);
    int32_t none = odp_meter_slot(m, (struct odp_slice){NULL, 0}, (struct odp_slice){NULL, 0}, "-");
    odp_meter_use(m, none, 7);
    struct list l = {.n = 0};
    must(odp_meter_each(m, &l, collect));
    assert_int_equal(l.n, 2);
    for (size_t i = 0; i < 2; i++)
        if (l.u[i].dataset[0] != '\0') {
            assert_int_equal(strlen(l.u[i].dataset), ODP_METER_NAME - 1);
            assert_string_equal(l.u[i].format, "an.extension.to");
        } else {
            assert_string_equal(l.u[i].tier, "-");
        }
    odp_meter_close(m);
}

TEST(full)
{
    struct odp_meter *m = open_meter();
    char name[16];
    for (unsigned i = 0; i < ODP_METER_SLOTS; i++) {
        snprintf(name, sizeof name, "d%u", i);
        assert_true(odp_meter_slot(m, odp_slice_of(name), ODP_LIT("api"), "-") >= 0);
    }
    assert_int_equal(odp_meter_slot(m, ODP_LIT("one-more"), ODP_LIT("api"), "-"), -1);
    int32_t found = odp_meter_slot(m, ODP_LIT("d4711"), ODP_LIT("api"), "-");
    assert_true(found >= 0);
    odp_meter_use(m, found, 3);
    assert_int_equal(used(m, "d4711", 3), 1);
    odp_meter_close(m);
}

/* A process is killed while it claims slots as fast as it can: the others go on, and at most one slot is
 * lost. */
static void claim_for_ever(struct odp_meter *m)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* should the test itself fail */
    for (unsigned i = 0;; i++) {
        char name[24];
        snprintf(name, sizeof name, "victim%u", i % 4000);
        odp_meter_use(m, odp_meter_slot(m, odp_slice_of(name), ODP_LIT("api"), "-"), 4);
    }
}

TEST(killed_while_claiming)
{
    struct odp_meter *m = open_meter();
    for (int round = 0; round < 10; round++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            claim_for_ever(m);
        while (used(m, "victim0", 4) == 0 && round == 0)
            ;
        assert_int_equal(kill(pid, SIGKILL), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
    }
    unsigned free_slots = 0, named = 0;
    for (unsigned i = 0; i < 4000; i++) {
        char name[24];
        snprintf(name, sizeof name, "victim%u", i);
        named += odp_meter_slot(m, odp_slice_of(name), ODP_LIT("api"), "-") >= 0;
    }
    for (unsigned i = 0; i < ODP_METER_SLOTS; i++) {
        char name[24];
        snprintf(name, sizeof name, "after%u", i);
        free_slots += odp_meter_slot(m, odp_slice_of(name), ODP_LIT("api"), "-") >= 0;
    }
    assert_int_equal(named, 4000);
    assert_in_range(free_slots, ODP_METER_SLOTS - 4000 - 10, ODP_METER_SLOTS - 4000); /* one a kill at most */
    odp_meter_close(m);
}

/* A slot whose owner was killed in the middle, as the file has it: passed over, not waited for. */
TEST(claimed_for_good)
{
    struct odp_meter *m = open_meter();
    int32_t home = odp_meter_slot(m, ODP_LIT("kumuh"), ODP_LIT("api"), "-");
    odp_meter_close(m);
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(unlink(path), 0);
    m = open_meter(); /* the same slot, in a new file */
    off_t slots = st.st_size - (off_t)ODP_METER_SLOTS * 128;
    int fd = open(path, O_RDWR);
    uint32_t claimed = 1;
    assert_int_equal(pwrite(fd, &claimed, sizeof claimed, slots + home * 128), sizeof claimed);
    close(fd);
    int32_t next = odp_meter_slot(m, ODP_LIT("kumuh"), ODP_LIT("api"), "-");
    assert_int_equal(next, (home + 1) % (int32_t)ODP_METER_SLOTS);
    odp_meter_use(m, next, 9);
    assert_int_equal(used(m, "kumuh", 9), 1);
    /* The first owner was only slow and names its slot after all: two of one name, told as one. */
    fd = open(path, O_RDWR);
    char slot[128];
    assert_int_equal(pread(fd, slot, sizeof slot, slots + next * 128), sizeof slot);
    assert_int_equal(pwrite(fd, slot, sizeof slot, slots + home * 128), sizeof slot);
    close(fd);
    struct list l = {.n = 0};
    must(odp_meter_each(m, &l, collect));
    assert_int_equal(l.n, 1);
    assert_int_equal(l.u[0].count, 2);
    odp_meter_close(m);
}

/* A file with another layout is replaced; a process that has the old one mapped continues unharmed and can
 * see it. */
TEST(damaged_files)
{
    struct stat st;
    struct odp_meter *m = open_meter();
    odp_meter_request(m, 0, 200, 1, 1);
    odp_meter_close(m);
    assert_int_equal(stat(path, &st), 0);
    for (int kind = 0; kind < 4; kind++) {
        struct odp_meter_totals t;
        m = open_meter();
        odp_meter_request(m, 0, 200, 1, 1);
        int fd = open(path, O_RDWR | O_CREAT, 0600);
        assert_true(fd >= 0);
        if (kind == 0)
            assert_int_equal(pwrite(fd, "X", 1, 0), 1); /* another kind */
        else if (kind == 1)
            assert_int_equal(pwrite(fd, "\x63", 1, 8), 1); /* another version */
        else if (kind == 2)
            assert_int_equal(ftruncate(fd, st.st_size + 1), 0);
        close(fd);
        if (kind == 3) {
            char shorter[128];
            snprintf(shorter, sizeof shorter, "%s.new", path);
            fd = open(shorter, O_RDWR | O_CREAT, 0600);
            assert_int_equal(write(fd, "odpmeter", 8), 8);
            close(fd);
            assert_int_equal(rename(shorter, path), 0);
        }
        struct odp_meter *fresh = open_meter();
        odp_meter_totals(fresh, &t);
        assert_int_equal(t.status[200], 0);
        assert_true(odp_meter_replaced(m, path));
        assert_false(odp_meter_replaced(fresh, path));
        odp_meter_request(m, 0, 200, 1, 1);
        odp_meter_close(m);
        odp_meter_close(fresh);
        assert_int_equal(files_in_dir(), 1);
        struct stat now;
        assert_int_equal(stat(path, &now), 0);
        assert_int_equal(now.st_size, st.st_size);
        assert_true(now.st_blocks * 512 >= now.st_size); /* no hole: writing never meets a full disk */
    }
}

TEST(cannot_open)
{
    struct odp_meter *m = NULL;
    char other[128];
    snprintf(other, sizeof other, "%s/no/such/folder", dir);
    assert_int_equal(odp_meter_open(&m, other), ODP_FAIL);
    assert_null(m);
    assert_non_null(strstr(odp_failure_text(), "/no/such/folder"));
    odp_failure_clear();
    assert_int_equal(odp_meter_open(&m, dir), ODP_FAIL); /* a folder is not replaced */
    odp_failure_clear();
    odp_meter_close(NULL);
}

static void replace_and_count(int i)
{
    struct odp_meter *m = NULL;
    if (odp_meter_open(&m, path) != ODP_OK)
        _exit(1);
    odp_meter_request(m, 0, 200, 1, 1);
    odp_meter_close(m);
}

/* Eight processes meet a damaged file at once: one replaces it, all count in that one. */
TEST(replaced_once)
{
    for (int round = 0; round < 20; round++) {
        struct odp_meter_totals t;
        put_bytes(path, "not a meter", 11);
        fork_all(8, replace_and_count);
        struct odp_meter *m = open_meter();
        odp_meter_totals(m, &t);
        assert_int_equal(t.status[200], 8);
        odp_meter_close(m);
    }
}

EACH(set_up, tear_down)
