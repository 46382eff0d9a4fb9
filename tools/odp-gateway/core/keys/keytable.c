/* The file: made, mapped, given up; and the settings in its header. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "core/fresh.h"
#include "core/keys/keytable_internal.h"

static uint64_t slots_for(uint32_t capacity)
{
    uint64_t n = TABLE_PAGE / sizeof(uint32_t); /* so that the records begin on a page */
    while (n < 2 * (uint64_t)capacity)
        n *= 2;
    return n;
}

static uint64_t size_for(uint32_t capacity)
{
    return table_records_offset(slots_for(capacity)) + (uint64_t)capacity * sizeof(struct table_record);
}

static uint64_t header_check(const struct table_header *h)
{
    return crc32(0, (const Bytef *)h, offsetof(struct table_header, check));
}

/* ---- settings ---- */

/* Release and acquire on every word: a reader that meets a word of the change after the next sees that there
 * was a turn. */
static void settings_store(struct table_settings *to, const struct odp_settings *s)
{
    uint64_t words[SETTINGS_WORDS];
    memcpy(words, s, sizeof words);
    for (size_t i = 0; i < SETTINGS_WORDS; i++)
        atomic_store_explicit(&to->words[i], words[i], memory_order_release);
    atomic_store_explicit(&to->check, crc32(0, (const Bytef *)words, sizeof words), memory_order_release);
}

static bool settings_load(const struct table_settings *from, struct odp_settings *s)
{
    uint64_t words[SETTINGS_WORDS];
    for (size_t i = 0; i < SETTINGS_WORDS; i++)
        words[i] = atomic_load_explicit(&from->words[i], memory_order_acquire);
    memcpy(s, words, sizeof words);
    return atomic_load_explicit(&from->check, memory_order_acquire) ==
           crc32(0, (const Bytef *)words, sizeof words);
}

/* The copy that TURN means; the other one where that was torn by a loss of power. */
static bool settings_read(const struct table_header *h, uint32_t turn, struct odp_settings *s)
{
    return settings_load(&h->settings[turn & 1], s) || settings_load(&h->settings[(turn + 1) & 1], s);
}

void odp_keytable_settings(const struct odp_keytable *t, struct odp_settings *out)
{
    /* The writer fills the copy that does not hold and then turns: one that is killed between leaves the old
     * settings, and a reader has to read again only when a whole change happened meanwhile. */
    uint32_t turn = atomic_load_explicit(&t->header->turn, memory_order_acquire), seen;
    bool whole;
    do {
        seen = turn;
        whole = settings_read(t->header, seen, out);
        turn = atomic_load_explicit(&t->header->turn, memory_order_acquire);
    } while (turn != seen);
    if (!whole)
        memset(out, 0, sizeof *out); /* no tiers: nothing passes */
    out->ntiers = out->ntiers < ODP_TIERS_MAX ? out->ntiers : ODP_TIERS_MAX;
    out->base_url[sizeof out->base_url - 1] = '\0';
    for (size_t i = 0; i < ODP_TIERS_MAX; i++)
        out->tiers[i].name[ODP_TIER_NAME - 1] = '\0';
}

void odp_keytable_set_settings(struct odp_keytable *t, const struct odp_settings *s)
{
    pthread_mutex_lock(&t->lock);
    uint32_t turn = atomic_load_explicit(&t->header->turn, memory_order_relaxed) + 1;
    settings_store(&t->header->settings[turn & 1], s);
    atomic_store_explicit(&t->header->turn, turn, memory_order_release);
    pthread_mutex_unlock(&t->lock);
}

/* ---- a new table ---- */

enum odp_status odp_keytable_create(const char *path, uint32_t capacity, const struct odp_settings *settings)
{
    static const struct odp_settings none;
    if (capacity == 0 || capacity > TABLE_CAPACITY_MAX)
        return odp_failure_set("create a key table of that capacity", path, EINVAL);
    struct table_header *h = calloc(1, TABLE_PAGE);
    if (h == NULL)
        return odp_failure_set("allocate", path, ENOMEM);
    h->magic = TABLE_MAGIC;
    h->layout = TABLE_LAYOUT;
    h->capacity = capacity;
    h->slots = slots_for(capacity);
    h->size = size_for(capacity);
    h->check = header_check(h);
    for (int i = 0; i < 2; i++)
        settings_store(&h->settings[i], settings != NULL ? settings : &none);
    /* The whole index is allocated, not only the header: on a full tmpfs even reading a hole is a SIGBUS, and
     * any unknown key reads the index. */
    enum odp_status status = odp_fresh_file(path, h, TABLE_PAGE, table_records_offset(h->slots), h->size);
    free(h);
    return status;
}

/* ---- mapping ---- */

static const char *fault_of(const struct table_header *h, uint64_t file_size)
{
    struct odp_settings s;
    if (h->magic != TABLE_MAGIC)
        return "it does not begin like a key table";
    if (h->layout != TABLE_LAYOUT)
        return "it is of another layout";
    if (h->check != header_check(h))
        return "its header is damaged";
    if (h->capacity == 0 || h->capacity > TABLE_CAPACITY_MAX || h->slots != slots_for(h->capacity) ||
        h->size != size_for(h->capacity))
        return "its header contradicts itself";
    if (h->size != file_size) /* touching what lies beyond the end would be a SIGBUS */
        return h->size > file_size ? "it is shorter than its header says"
                                   : "it is longer than its header says";
    if (atomic_load(&h->count) > h->capacity)
        return "it says that it has more records than fit";
    return settings_read(h, atomic_load(&h->turn), &s) ? NULL : "its settings are damaged";
}

/* The header is checked on a copy first: nothing beyond the file's end is touched, and the checked values are
 * the used ones. */
static enum odp_status map(struct odp_keytable *t, const char *path, const char **why)
{
    struct stat st;
    if (fstat(t->fd, &st) != 0)
        return odp_failure_set("stat", path, errno);
    if (!S_ISREG(st.st_mode)) {
        *why = "it is not a file";
        return ODP_BAD;
    }
    struct table_header *h = malloc(TABLE_PAGE);
    if (h == NULL)
        return odp_failure_set("allocate", path, ENOMEM);
    ssize_t got = pread(t->fd, h, TABLE_PAGE, 0);
    int error = errno;
    if (got >= 0)
        *why = got == (ssize_t)TABLE_PAGE ? fault_of(h, (uint64_t)st.st_size)
                                          : "it is too short for a key table";
    t->dev = st.st_dev;
    t->ino = st.st_ino;
    if (got == (ssize_t)TABLE_PAGE && *why == NULL) {
        t->capacity = h->capacity;
        t->nslots = h->slots;
        t->size = h->size;
    }
    free(h);
    if (got < 0)
        return odp_failure_set("read", path, error);
    if (*why != NULL)
        return ODP_BAD;
    char *base = mmap(NULL, t->size, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
    if (base == MAP_FAILED)
        return odp_failure_set("map", path, errno);
    t->header = (struct table_header *)(void *)base;
    t->slots = (_Atomic uint32_t *)(void *)(base + TABLE_PAGE);
    t->records = (struct table_record *)(void *)(base + table_records_offset(t->nslots));
    return ODP_OK;
}

enum odp_status odp_keytable_open(struct odp_keytable **out, const char *path, const char **why)
{
    const char *fault = NULL;
    *out = NULL;
    struct odp_keytable *t = calloc(1, sizeof *t);
    if (t == NULL)
        return odp_failure_set("allocate", path, ENOMEM);
    (void)pthread_mutex_init(&t->lock, NULL); /* cannot fail with the default attributes */
    enum odp_status status = ODP_BAD;
    t->fd = open(path, O_RDWR | O_CLOEXEC);
    if (t->fd >= 0)
        status = map(t, path, &fault);
    else if (errno == ENOENT || errno == ENOTDIR)
        fault = "it is not there";
    else if (errno == EACCES || errno == EPERM || errno == EROFS || errno == EISDIR || errno == ELOOP)
        fault = "it cannot be opened for reading and writing";
    else
        status = odp_failure_set("open", path, errno);
    if (why != NULL)
        *why = fault;
    if (status == ODP_OK)
        *out = t;
    else
        odp_keytable_close(t);
    return status;
}

void odp_keytable_close(struct odp_keytable *t)
{
    if (t == NULL)
        return;
    if (t->header != NULL)
        (void)munmap(t->header, t->size);
    if (t->fd >= 0)
        (void)close(t->fd); /* nothing was written through it */
    table_writer_release(t);
    (void)pthread_mutex_destroy(&t->lock);
    free(t);
}

bool odp_keytable_replaced(const struct odp_keytable *t, const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (st.st_dev != t->dev || st.st_ino != t->ino);
}

bool odp_keytable_is_current(const struct odp_keytable *t, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return errno != ENOENT && errno != ENOTDIR;
    return st.st_dev == t->dev && st.st_ino == t->ino && (uint64_t)st.st_size >= t->size;
}

bool odp_keytable_cut(const struct odp_keytable *t)
{
    struct stat st;
    return t->fd >= 0 && fstat(t->fd, &st) == 0 && (uint64_t)st.st_size < t->size;
}

uint32_t odp_keytable_capacity(const struct odp_keytable *t)
{
    return t->capacity;
}

enum odp_status odp_keytable_sync(struct odp_keytable *t)
{
    uint64_t used = table_records_offset(t->nslots) + (uint64_t)table_count(t) * sizeof(struct table_record);
    return msync(t->header, used, MS_SYNC) == 0 ? ODP_OK : odp_failure_set("sync", "the key table", errno);
}
