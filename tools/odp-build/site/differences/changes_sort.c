/* An external merge sort of packed records by key.
 *
 * Records fill a block one after the other; a block that is full is sorted and written to a run. What fits
 * into the block never leaves it. There are at most RUNS runs: when one more is to come, those that are there
 * become one. Of equal keys the one that came first comes first. A run's file loses its name as soon as it is
 * opened for reading, so a process that dies leaves as little as can be. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "site/differences/changes_internal.h"

enum { RUNS = 64, WINDOW = 64 << 10 };

/* A run being read: bytes from POS to LEN are in the window. */
struct run {
    struct odp_reader *reader;
    char *window;
    size_t cap, pos, len;
    const char *record; /* NULL: at its end */
};

struct sorter {
    const char *scratch;
    size_t memory;
    char *block; /* records, as they came */
    size_t size, used;
    const char **records; /* in the block: as they came, once sorted by key */
    size_t n, cap, next;
    struct run runs[RUNS]; /* in the order of arrival */
    size_t nruns;
    struct run *last; /* whose record was given: it goes on when the next one is asked for */
};

/* ---- a run ---- */

static void close_runs(struct sorter *s)
{
    for (size_t i = 0; i < s->nruns; i++) {
        odp_reader_close(s->runs[i].reader);
        free(s->runs[i].window);
    }
    s->nruns = 0;
    s->last = NULL;
}

/* WANT bytes from pos on are in the window. DONE: nothing is left. */
static enum odp_status fill(struct run *r, size_t want)
{
    size_t have = r->len - r->pos, got = 0;
    if (have >= want)
        return ODP_OK;
    memmove(r->window, r->window + r->pos, have);
    if (want > r->cap) {
        char *window = odp_realloc_array(r->window, want, 1);
        if (window == NULL)
            return ODP_FAIL;
        r->window = window;
        r->cap = want;
    }
    enum odp_status status = odp_reader_read(r->reader, r->window + have, r->cap - have, &got);
    r->pos = 0;
    r->len = have + got;
    if (status == ODP_FAIL || r->len >= want)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return r->len == 0 ? ODP_DONE : odp_failure_set("read", "a scratch file that was cut", EIO);
}

static enum odp_status advance(struct run *r)
{
    enum odp_status status = fill(r, 8); /* both sizes */
    if (status == ODP_OK)
        status = fill(r, record_size(r->window + r->pos));
    r->record = status == ODP_OK ? r->window + r->pos : NULL;
    r->pos += status == ODP_OK ? record_size(r->record) : 0;
    return status == ODP_DONE ? ODP_OK : status;
}

/* The next record of all runs; DONE at the end. */
static enum odp_status merge_next(struct sorter *s, const char **record)
{
    struct run *least = NULL;
    if (s->last != NULL && advance(s->last) != ODP_OK)
        return ODP_FAIL;
    for (struct run *r = s->runs; r < s->runs + s->nruns; r++)
        if (r->record != NULL &&
            (least == NULL || odp_slice_cmp(record_key(r->record), record_key(least->record)) < 0))
            least = r;
    s->last = least;
    *record = least != NULL ? least->record : NULL;
    return least != NULL ? ODP_OK : ODP_DONE;
}

/* Opens the file at PATH, which loses its name, as the last run. */
static enum odp_status open_run(struct sorter *s, const char *path)
{
    struct run *r = &s->runs[s->nruns];
    int errnum = 0;
    *r = (struct run){.cap = WINDOW, .window = malloc(WINDOW)};
    enum odp_status status = r->window != NULL ? odp_reader_open(&r->reader, path, &errnum) : ODP_FAIL;
    if (status == ODP_BAD || r->window == NULL)
        status = odp_failure_set("open", path, r->window != NULL ? errnum : ENOMEM);
    if (unlink(path) != 0 && status == ODP_OK)
        status = odp_failure_set("remove", path, errno);
    s->nruns++;
    return status == ODP_OK ? advance(r) : status;
}

static int by_key(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int c = odp_slice_cmp(record_key(x), record_key(y));
    return c != 0 ? c : (x > y) - (x < y);
}

static void sort_block(struct sorter *s)
{
    if (s->n > 1)
        qsort(s->records, s->n, sizeof *s->records, by_key);
}

/* The records of the block, or where MERGED of the runs, as one more run; these are empty then. */
static enum odp_status write_run(struct sorter *s, bool merged)
{
    static atomic_uint_fast64_t counter; /* names in a folder that other threads may use, too */
    struct odp_arena arena;
    struct odp_file *file = NULL;
    const char *record = NULL;
    odp_arena_init(&arena);
    const char *path = odp_arena_printf(&arena, "%s/.scratch-changes-%ld-%llu", s->scratch, (long)getpid(),
                                        (unsigned long long)atomic_fetch_add(&counter, 1));
    enum odp_status status = odp_file_create_scratch(&file, path);
    for (size_t i = 0; i < s->n && !merged && status == ODP_OK; i++)
        status = odp_file_write(file, s->records[i], record_size(s->records[i]));
    while (merged && status == ODP_OK && (status = merge_next(s, &record)) == ODP_OK)
        status = odp_file_write(file, record, record_size(record));
    if (status == ODP_DONE || status == ODP_OK)
        status = odp_file_close(file, NULL);
    else
        odp_file_discard(file);
    if (merged)
        close_runs(s);
    else
        s->n = s->used = 0;
    if (status == ODP_OK)
        status = open_run(s, path);
    odp_arena_release(&arena);
    return status;
}

static enum odp_status spill(struct sorter *s)
{
    sort_block(s);
    enum odp_status status = s->nruns == RUNS ? write_run(s, true) : ODP_OK;
    return status == ODP_OK && s->n > 0 ? write_run(s, false) : status;
}

/* ---- the sorter ---- */

enum odp_status sorter_new(struct sorter **out, const char *scratch, size_t memory)
{
    struct sorter *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    s->scratch = scratch;
    s->memory = memory;
    return ODP_OK;
}

enum odp_status sorter_add(struct sorter *s, struct odp_slice record)
{
    if (s->n > 0 && s->used + record.len + (s->n + 1) * sizeof *s->records > s->size && spill(s) != ODP_OK)
        return ODP_FAIL;
    if (s->n == 0 && s->size < record.len) { /* the block at once: what is not used is not touched */
        free(s->block);
        s->size = record.len > s->memory ? record.len : s->memory;
        if ((s->block = malloc(s->size)) == NULL)
            return odp_failure_set("compare", NULL, ENOMEM);
    }
    if (s->n == s->cap) {
        size_t cap = s->cap == 0 ? 1024 : 2 * s->cap;
        const char **records = odp_realloc_array(s->records, cap, sizeof *records);
        if (records == NULL)
            return ODP_FAIL;
        s->records = records;
        s->cap = cap;
    }
    s->records[s->n++] = memcpy(s->block + s->used, record.ptr, record.len);
    s->used += record.len;
    return ODP_OK;
}

enum odp_status sorter_end(struct sorter *s)
{
    if (s->nruns > 0)
        return spill(s);
    sort_block(s);
    return ODP_OK;
}

enum odp_status sorter_next(struct sorter *s, const char **record)
{
    if (s->nruns > 0)
        return merge_next(s, record);
    if (s->next == s->n)
        return ODP_DONE;
    *record = s->records[s->next++];
    return ODP_OK;
}

void sorter_free(struct sorter *s)
{
    if (s == NULL)
        return;
    close_runs(s);
    free(s->records);
    free(s->block);
    free(s);
}
