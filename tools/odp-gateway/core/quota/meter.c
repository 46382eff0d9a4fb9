/* The file: a page of header, ODP_METER_STRIPES stripes, ODP_METER_SLOTS slots. Everything after the header
 * is zero at first, which is a meter that has counted nothing. All of it is changed by atomic operations
 * alone. */
#include "core/quota/meter.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/line.h"
#include "core/fresh.h"

enum { PAGE = 4096, LINE = 64, DAY_SHIFT = 40, NAMES = ODP_METER_NAME + 16 + ODP_TIER_NAME };
#define COUNT_MASK ((UINT64_C(1) << DAY_SHIFT) - 1)

const uint32_t odp_meter_bounds_us[ODP_METER_BUCKETS] = {100,   250,   500,    1000,    2500,    5000,
                                                         10000, 50000, 250000, 1000000, 5000000, UINT32_MAX};

/* One file is another's equal when these bytes are. */
struct header {
    char magic[8];
    uint32_t version, stripes, slots, stripe_size, slot_size,
        problems; /* the last: a digest of the codes, in their order */
};

/* Words of one stripe, in the order of struct odp_meter_totals. */
enum {
    STATUS = 0,
    REFUSED = STATUS + 600,
    BUCKET = REFUSED + ODP_PROBLEM_COUNT,
    MICROS = BUCKET + ODP_METER_BUCKETS,
    BYTES,
    FROM_MEMORY,
    FROM_DISK,
    NOT_MODIFIED,
    TABLE_MISSING,
    WORDS
};
_Static_assert(sizeof(struct odp_meter_totals) == WORDS * sizeof(uint64_t), "the totals are these words");

struct stripe {
    _Alignas(LINE) _Atomic uint64_t word[WORDS]; /* the alignment rounds its size up to whole cache lines */
};

enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_NAMED };
struct slot {
    _Alignas(LINE) _Atomic uint32_t state;
    char
        names[NAMES]; /* dataset, format, tier, each padded with zeros; written before the state says NAMED */
    _Atomic uint64_t day[2]; /* even and odd days: day << 40 | count */
};

struct body {
    struct stripe stripes[ODP_METER_STRIPES];
    struct slot slots[ODP_METER_SLOTS];
};

struct odp_meter {
    struct body *body;
    void *map;
    dev_t dev;
    ino_t ino;
};
static const size_t file_size = PAGE + sizeof(struct body);

/* ---- the file ---- */

static uint32_t mix(uint32_t hash, const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 16777619u; /* FNV-1a */
    return hash;
}

static struct header expected(void)
{
    struct header h = {
        "odpmeter",          1,          ODP_METER_STRIPES, ODP_METER_SLOTS, sizeof(struct stripe),
        sizeof(struct slot), 2166136261u};
    for (int p = 0; p < ODP_PROBLEM_COUNT; p++) {
        const char *code = odp_problem_info((enum odp_problem)p)->code;
        h.problems = mix(h.problems, code, strlen(code) + 1);
    }
    return h;
}

/* OK, DONE: not there or not one of this layout, FAIL. */
static enum odp_status map_file(struct odp_meter *m, const char *path)
{
    struct stat st;
    struct header found;
    const struct header want = expected();
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno == ENOENT ? ODP_DONE : odp_failure_set("open", path, errno);
    enum odp_status status = ODP_OK;
    if (fstat(fd, &st) != 0)
        status = odp_failure_set("open", path, errno);
    else if (!S_ISREG(st.st_mode))
        status = odp_failure_set("open", path, EINVAL);
    else if ((uint64_t)st.st_size != file_size ||
             pread(fd, &found, sizeof found, 0) != (ssize_t)sizeof found ||
             memcmp(&found, &want, sizeof found) != 0)
        status = ODP_DONE;
    if (status == ODP_OK) {
        m->map = mmap(NULL, file_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (m->map == MAP_FAILED) {
            m->map = NULL;
            status = odp_failure_set("map", path, errno);
        } else {
            m->body = (struct body *)((char *)m->map + PAGE);
            m->dev = st.st_dev;
            m->ino = st.st_ino;
        }
    }
    close(fd);
    return status;
}

static enum odp_status make_file(const char *path)
{
    const struct header h = expected();
    return odp_fresh_file(path, &h, sizeof h, file_size, file_size);
}

/* A descriptor that holds the folder of PATH locked, or -1 (the failure is set). */
static int lock_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    int n = slash == NULL   ? snprintf(folder, sizeof folder, ".")
            : slash == path ? snprintf(folder, sizeof folder, "/")
                            : snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    int fd = n >= 0 && (size_t)n < sizeof folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    int done = -1;
    while (fd >= 0 && (done = flock(fd, LOCK_EX)) != 0 && errno == EINTR)
        ;
    if (done == 0)
        return fd;
    (void)odp_failure_set("lock", path, errno);
    if (fd >= 0)
        close(fd);
    return -1;
}

enum odp_status odp_meter_open(struct odp_meter **out, const char *path)
{
    *out = NULL;
    struct odp_meter *m = calloc(1, sizeof *m);
    if (m == NULL)
        return odp_failure_set("open", path, ENOMEM);
    enum odp_status status = map_file(m, path);
    if (status == ODP_DONE) { /* made by one process, under the lock; the others find it there */
        int lock = lock_folder(path);
        status = lock >= 0 ? map_file(m, path) : ODP_FAIL;
        if (status == ODP_DONE && (status = make_file(path)) == ODP_OK)
            status = map_file(m, path);
        if (status == ODP_DONE)
            status = odp_failure_set("open", path, EINVAL);
        if (lock >= 0)
            close(lock);
    }
    if (status == ODP_OK)
        *out = m;
    else
        odp_meter_close(m);
    return status;
}

void odp_meter_close(struct odp_meter *m)
{
    if (m == NULL)
        return;
    if (m->map != NULL)
        munmap(m->map, file_size);
    free(m);
}

bool odp_meter_replaced(const struct odp_meter *m, const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 || st.st_dev != m->dev || st.st_ino != m->ino;
}

/* ---- totals ---- */

static void count(struct odp_meter *m, unsigned stripe, size_t word, uint64_t n)
{
    atomic_fetch_add_explicit(&m->body->stripes[stripe % ODP_METER_STRIPES].word[word], n,
                              memory_order_relaxed);
}

void odp_meter_request(struct odp_meter *m, unsigned stripe, int status, uint64_t micros, uint64_t bytes)
{
    size_t bucket = 0;
    while (bucket < ODP_METER_BUCKETS - 1 && micros > odp_meter_bounds_us[bucket])
        bucket++;
    count(m, stripe, STATUS + (status >= 0 && status < 600 ? (size_t)status : 0), 1);
    count(m, stripe, BUCKET + bucket, 1);
    count(m, stripe, MICROS, micros);
    count(m, stripe, BYTES, bytes);
}

void odp_meter_refusal(struct odp_meter *m, unsigned stripe, enum odp_problem p)
{
    if ((unsigned)p < ODP_PROBLEM_COUNT)
        count(m, stripe, REFUSED + (size_t)p, 1);
}

void odp_meter_source(struct odp_meter *m, unsigned stripe, enum odp_meter_source source)
{
    static const size_t words[] = {FROM_MEMORY, FROM_DISK, NOT_MODIFIED, TABLE_MISSING};
    count(m, stripe, words[source], 1);
}

void odp_meter_totals(const struct odp_meter *m, struct odp_meter_totals *out)
{
    uint64_t sum[WORDS] = {0};
    for (size_t s = 0; s < ODP_METER_STRIPES; s++)
        for (size_t w = 0; w < WORDS; w++)
            sum[w] += atomic_load_explicit(&m->body->stripes[s].word[w], memory_order_relaxed);
    memcpy(out, sum, sizeof *out);
}

/* ---- usage ---- */

static void put_name(char *to, size_t size, struct odp_slice name)
{
    const struct odp_slice text = odp_slice_cut(&name, '\0');
    memset(to, 0, size);
    memcpy(to, text.len > 0 ? text.ptr : "", text.len < size ? text.len : size - 1);
}

static uint32_t home_of(const char names[NAMES])
{
    return mix(2166136261u, names, NAMES) % ODP_METER_SLOTS;
}

/* The state of S once no claim is under way. A claim takes less than a microsecond, unless its owner was
 * killed in it: that slot is lost, and passed over after a while. */
static uint32_t settled(const struct slot *s)
{
    uint32_t state = atomic_load_explicit(&s->state, memory_order_acquire);
    for (int i = 0; state == SLOT_CLAIMED && i < 100; i++) {
        sched_yield();
        state = atomic_load_explicit(&s->state, memory_order_acquire);
    }
    return state;
}

/* Number of the slot of NAMES at or after its home, or -1; *FREE is the first free one on the way, or -1. */
static int32_t find_slot(const struct odp_meter *m, const char names[NAMES], int32_t *free_slot)
{
    uint32_t home = home_of(names);
    *free_slot = -1;
    for (uint32_t i = 0; i < ODP_METER_SLOTS; i++) {
        uint32_t at = (home + i) % ODP_METER_SLOTS, state = settled(&m->body->slots[at]);
        if (state == SLOT_FREE) {
            *free_slot = (int32_t)at;
            return -1;
        }
        if (state == SLOT_NAMED && memcmp(m->body->slots[at].names, names, NAMES) == 0)
            return (int32_t)at;
    }
    return -1;
}

int32_t odp_meter_slot(struct odp_meter *m, struct odp_slice dataset, struct odp_slice format,
                       const char *tier)
{
    char names[NAMES];
    put_name(names, ODP_METER_NAME, dataset);
    put_name(names + ODP_METER_NAME, 16, format);
    put_name(names + ODP_METER_NAME + 16, ODP_TIER_NAME, odp_slice_of(tier));
    for (;;) {
        int32_t free_slot, found = find_slot(m, names, &free_slot);
        if (found >= 0 || free_slot < 0)
            return found;
        struct slot *s = &m->body->slots[free_slot];
        uint32_t state = SLOT_FREE;
        if (atomic_compare_exchange_strong_explicit(&s->state, &state, SLOT_CLAIMED, memory_order_acquire,
                                                    memory_order_relaxed)) {
            memcpy(s->names, names, NAMES);
            atomic_store_explicit(&s->state, SLOT_NAMED, memory_order_release);
            return free_slot;
        } /* another was faster, maybe with the same names: look again */
    }
}

static _Atomic uint64_t *day_word(const struct odp_meter *m, int32_t slot, uint32_t day)
{
    return slot >= 0 && (uint32_t)slot < ODP_METER_SLOTS ? &m->body->slots[slot].day[day & 1] : NULL;
}

void odp_meter_use(struct odp_meter *m, int32_t slot, uint32_t day)
{
    _Atomic uint64_t *word = day_word(m, slot, day);
    if (word == NULL)
        return;
    uint64_t old = atomic_load_explicit(word, memory_order_relaxed), new;
    do /* another day of this parity is at least two days off: its count has been read, or the clock was wrong
        */
        new = (old >> DAY_SHIFT) == (day & 0xffffff) ? old + 1 : (uint64_t)(day & 0xffffff) << DAY_SHIFT | 1;
    while (
        !atomic_compare_exchange_weak_explicit(word, &old, new, memory_order_relaxed, memory_order_relaxed));
}

void odp_meter_unuse(struct odp_meter *m, int32_t slot, uint32_t day)
{
    _Atomic uint64_t *word = day_word(m, slot, day);
    uint64_t old = word != NULL ? atomic_load_explicit(word, memory_order_relaxed) : 0;
    while (word != NULL && (old >> DAY_SHIFT) == (day & 0xffffff) && (old & COUNT_MASK) > 0 &&
           !atomic_compare_exchange_weak_explicit(word, &old, old - 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static bool read_slot(const struct slot *s, struct odp_meter_usage *u)
{
    if (atomic_load_explicit(&s->state, memory_order_acquire) != SLOT_NAMED)
        return false;
    *u = (struct odp_meter_usage){0};
    memcpy(u->dataset, s->names, sizeof u->dataset - 1);
    memcpy(u->format, s->names + ODP_METER_NAME, sizeof u->format - 1);
    memcpy(u->tier, s->names + ODP_METER_NAME + 16, sizeof u->tier - 1);
    return true;
}

static int by_name_and_day(const void *a, const void *b)
{
    const struct odp_meter_usage *x = a, *y = b;
    int order = strcmp(x->dataset, y->dataset);
    order = order != 0 ? order : strcmp(x->format, y->format);
    order = order != 0 ? order : strcmp(x->tier, y->tier);
    return order != 0 ? order : (x->day > y->day) - (x->day < y->day);
}

enum odp_status odp_meter_each(const struct odp_meter *m, void *ctx,
                               enum odp_status (*f)(void *ctx, const struct odp_meter_usage *u))
{
    enum odp_status status = ODP_OK;
    size_t n = 0;
    struct odp_meter_usage u, *all = malloc(2 * ODP_METER_SLOTS * sizeof *all);
    if (all == NULL)
        return odp_failure_set("read", "meter", ENOMEM);
    for (size_t i = 0; i < ODP_METER_SLOTS; i++)
        for (uint32_t parity = 0; parity < 2 && read_slot(&m->body->slots[i], &u); parity++) {
            uint64_t word = atomic_load_explicit(&m->body->slots[i].day[parity], memory_order_relaxed);
            u.day = (uint32_t)(word >> DAY_SHIFT);
            u.count = word & COUNT_MASK;
            if (u.count > 0)
                all[n++] = u;
        }
    qsort(all, n, sizeof *all, by_name_and_day);
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        /* Two slots have the same names when the process that claimed the first was stopped for a while in
         * the middle. */
        while (i + 1 < n && by_name_and_day(&all[i], &all[i + 1]) == 0) {
            all[i + 1].count += all[i].count;
            i++;
        }
        status = f(ctx, &all[i]);
    }
    free(all);
    return status;
}
