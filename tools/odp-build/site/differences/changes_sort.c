/* Records fill a block. A full block is sorted and appended to a scratch file as one run; at the end all runs
 * are merged. What fits into one block never leaves memory. The scratch file loses its name before it is
 * read, so a process that dies leaves as little as can be. */
#include "site/differences/changes_sort.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/room.h"

enum { WINDOW = 16 << 10 };

/* Bytes FROM to END of the scratch file; those from POS to LEN of the window were read. */
struct run {
    uint64_t from, end;
    char *window;
    size_t cap, pos, len;
    const char *record; /* NULL: at the end */
};

struct sorter {
    struct odp_arena arena;
    const char *path; /* of the scratch file */
    size_t memory;
    char *block; /* records, as they came */
    size_t size, used;
    const char **records; /* in the block: as they came, at the end by key */
    size_t n, cap, next;
    struct odp_file *file;
    int fd; /* the same, for reading; -1: not open */
    struct run *runs;
    size_t nruns;
    struct run *last; /* the run whose record was given: it advances on the next call */
};

enum odp_status sorter_new(struct sorter **out, const char *scratch, size_t memory)
{
    static atomic_uint_fast64_t counter; /* other threads may use the same folder */
    struct sorter *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    s->path = odp_arena_printf(&s->arena, "%s/.scratch-changes-%ld-%llu", scratch, (long)getpid(),
                               (unsigned long long)atomic_fetch_add(&counter, 1));
    s->memory = memory;
    s->fd = -1;
    return ODP_OK;
}

void sorter_free(struct sorter *s)
{
    if (s == NULL)
        return;
    odp_file_discard(s->file);
    if (s->fd >= 0)
        (void)close(s->fd);
    for (size_t i = 0; i < s->nruns; i++)
        free(s->runs[i].window);
    free(s->records);
    free(s->block);
    odp_arena_release(&s->arena);
    free(s);
}

/* ---- the block ---- */

static int by_key(const void *a, const void *b)
{
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    int c = odp_slice_cmp(record_key(x), record_key(y));
    return c != 0 ? c : (x > y) - (x < y);
}

/* The block becomes one more run. */
static enum odp_status spill(struct sorter *s)
{
    enum odp_status status = s->file == NULL ? odp_file_create_scratch(&s->file, s->path) : ODP_OK;
    if (status != ODP_OK)
        return status;
    s->runs = odp_arena_more(&s->arena, s->runs, s->nruns, sizeof *s->runs);
    struct run *r = &s->runs[s->nruns++];
    *r = (struct run){.from = odp_file_size(s->file)};
    qsort(s->records, s->n, sizeof *s->records, by_key);
    for (size_t i = 0; i < s->n && status == ODP_OK; i++)
        status = odp_file_write(s->file, s->records[i], record_size(s->records[i]));
    r->end = odp_file_size(s->file);
    s->n = s->used = 0;
    return status;
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
    if (!odp_room(s->records, s->n, s->cap))
        return ODP_FAIL;
    s->records[s->n++] = memcpy(s->block + s->used, record.ptr, record.len);
    s->used += record.len;
    return ODP_OK;
}

/* ---- runs ---- */

/* Puts WANT bytes from pos on into the window. */
static enum odp_status fill(struct sorter *s, struct run *r, size_t want)
{
    size_t have = r->len - r->pos;
    if (have >= want)
        return ODP_OK;
    if (have > 0)
        memmove(r->window, r->window + r->pos, have);
    if (want > r->cap) {
        size_t cap = want > WINDOW ? want : WINDOW;
        char *window = odp_realloc_array(r->window, cap, 1);
        if (window == NULL)
            return ODP_FAIL;
        r->window = window;
        r->cap = cap;
    }
    r->pos = 0;
    for (r->len = have; r->len < want;) {
        size_t most = r->end - r->from < r->cap - r->len ? (size_t)(r->end - r->from) : r->cap - r->len;
        ssize_t n = pread(s->fd, r->window + r->len, most, (off_t)r->from);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return odp_failure_set("read", s->path, n < 0 ? errno : EIO);
        r->len += n > 0 ? (size_t)n : 0;
        r->from += n > 0 ? (size_t)n : 0;
    }
    return ODP_OK;
}

static enum odp_status advance(struct sorter *s, struct run *r)
{
    r->record = NULL;
    if (r->from == r->end && r->pos == r->len)
        return ODP_OK;
    enum odp_status status = fill(s, r, 8); /* both sizes */
    if (status == ODP_OK)
        status = fill(s, r, record_size(r->window + r->pos));
    if (status != ODP_OK)
        return status;
    r->record = r->window + r->pos;
    r->pos += record_size(r->record);
    return ODP_OK;
}

enum odp_status sorter_end(struct sorter *s)
{
    if (s->nruns == 0) {
        if (s->n > 1)
            qsort(s->records, s->n, sizeof *s->records, by_key);
        return ODP_OK;
    }
    if (s->n > 0 && spill(s) != ODP_OK)
        return ODP_FAIL;
    struct odp_file *file = s->file;
    s->file = NULL;
    enum odp_status status = odp_file_close(file, NULL);
    if (status == ODP_OK && (s->fd = open(s->path, O_RDONLY | O_CLOEXEC)) < 0)
        status = odp_failure_set("open", s->path, errno);
    if (status == ODP_OK && unlink(s->path) != 0)
        status = odp_failure_set("remove", s->path, errno);
    for (size_t i = 0; i < s->nruns && status == ODP_OK; i++)
        status = advance(s, &s->runs[i]);
    return status;
}

enum odp_status sorter_next(struct sorter *s, const char **record)
{
    struct run *least = NULL;
    if (s->nruns == 0 && s->next == s->n)
        return ODP_DONE;
    if (s->nruns == 0) {
        *record = s->records[s->next++];
        return ODP_OK;
    }
    if (s->last != NULL && advance(s, s->last) != ODP_OK)
        return ODP_FAIL;
    for (struct run *r = s->runs; r < s->runs + s->nruns; r++)
        if (r->record != NULL &&
            (least == NULL || odp_slice_cmp(record_key(r->record), record_key(least->record)) < 0))
            least = r;
    s->last = least;
    *record = least != NULL ? least->record : NULL;
    return least != NULL ? ODP_OK : ODP_DONE;
}
