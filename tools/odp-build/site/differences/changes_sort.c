/* An external merge sort of packed records by key.
 *
 * Records fill a block from its front, their entries (first bytes of the key, place) from its back; where both meet, the
 * entries are sorted, unless they came in order, and the records written to a run. A run that begins where the one before ended
 * goes on in the same file, so a side that is in order is one run however large it is. What fits into the block never leaves
 * it. Runs are merged FANIN_MAX at a time at most; of equal keys the one that came first comes first. A run's file loses its
 * name as soon as it is opened for reading, so a process that dies leaves as little as can be. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "site/differences/changes_internal.h"

enum { FANIN_MAX = 128, BUFFER_MIN = 4 << 10, BUFFER_USUAL = 64 << 10, BUFFER_MAX = 1 << 20, BLOCK_MIN = 256 };

struct entry {
    uint64_t prefix; /* the key's first 8 bytes, big end first, zeros where it is shorter */
    uint32_t at;     /* in the block; also the order in which they came */
};

/* A run being read. */
struct run {
    struct odp_reader *reader;
    const char *path;
    char *bytes;
    size_t cap, pos, len;
    const char *record; /* NULL: at its end */
};

struct merge {
    struct run *runs;
    uint32_t *heap; /* runs that have a record, the smallest on top */
    size_t n, left;
    bool begun;
};

struct sorter {
    struct odp_arena arena; /* paths */
    const char *scratch;
    size_t memory;
    char *block;
    size_t size, used, n;   /* of the block; bytes of records; entries */
    size_t next;            /* entry to give next, when all is in the block */
    bool ordered;           /* the entries came in order */
    struct odp_file *file;  /* the run being written */
    struct odp_buffer last; /* its last key */
    const char **paths;     /* runs in the order of arrival; NULL: opened, its name is gone */
    size_t npaths, cap;
    uint64_t written; /* runs so far */
    struct merge merge;
};

/* ---- the block -------------------------------------------------------------------------------------------------------------
 */

static struct entry *entry_at(const struct sorter *s, size_t i) /* they grow downwards */
{
    return (struct entry *)(void *)(s->block + s->size) - 1 - i;
}

static uint64_t prefix_of(struct odp_slice key)
{
    uint64_t v = 0;
    for (size_t i = 0; i < 8; i++)
        v = v << 8 | (i < key.len ? (uint8_t)key.ptr[i] : 0);
    return v;
}

static bool is_less(const char *block, const struct entry *a, const struct entry *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    int c = odp_slice_cmp(record_key(block + a->at), record_key(block + b->at));
    return c != 0 ? c < 0 : a->at < b->at;
}

static void swap_entries(struct entry *a, struct entry *b)
{
    struct entry t = *a;
    *a = *b;
    *b = t;
}

static void sink(const char *block, struct entry *e, size_t i, size_t n)
{
    for (size_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && is_less(block, &e[child], &e[child + 1]))
            child++;
        if (!is_less(block, &e[i], &e[child]))
            return;
        swap_entries(&e[i], &e[child]);
    }
}

static void heap_sort(const char *block, struct entry *e, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sink(block, e, i, n);
    for (size_t i = n; i-- > 1;) {
        swap_entries(&e[0], &e[i]);
        sink(block, e, 0, i);
    }
}

static void insertion_sort(const char *block, struct entry *e, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct entry t = e[i];
        size_t k = i;
        for (; k > 0 && is_less(block, &t, &e[k - 1]); k--)
            e[k] = e[k - 1];
        e[k] = t;
    }
}

/* In place, because libc's qsort takes as much memory again; no input makes it slow: heap sort where quicksort would be. */
static void sort_entries(const char *block, struct entry *e, size_t n, unsigned depth)
{
    while (n > 16) {
        if (depth-- == 0) {
            heap_sort(block, e, n);
            return;
        }
        size_t mid = n / 2, last = n - 1;
        if (is_less(block, &e[mid], &e[0]))
            swap_entries(&e[mid], &e[0]);
        if (is_less(block, &e[last], &e[mid])) {
            swap_entries(&e[last], &e[mid]);
            if (is_less(block, &e[mid], &e[0]))
                swap_entries(&e[mid], &e[0]);
        }
        struct entry pivot = e[mid];
        size_t i = 0, k = last;
        for (;;) {
            while (is_less(block, &e[i], &pivot))
                i++;
            while (is_less(block, &pivot, &e[k]))
                k--;
            if (i >= k)
                break;
            swap_entries(&e[i++], &e[k--]);
        }
        size_t left = i; /* e[0..left) <= pivot <= e[left..) */
        if (left < n - left) {
            sort_entries(block, e, left, depth);
            e += left;
            n -= left;
        } else {
            sort_entries(block, e + left, n - left, depth);
            n = left;
        }
    }
    insertion_sort(block, e, n);
}

/* The entries stand from the last to the first: sorted like that, they are read backwards. */
static void sort_block(struct sorter *s)
{
    struct entry *low = entry_at(s, s->n - 1);
    unsigned depth = 2;
    for (size_t n = s->n; n > 1; n >>= 1)
        depth += 2;
    sort_entries(s->block, low, s->n, depth);
    for (size_t i = 0, k = s->n - 1; i < k; i++, k--)
        swap_entries(&low[i], &low[k]);
    s->ordered = true;
}

static enum odp_status make_block(struct sorter *s, size_t least)
{
    size_t size = s->memory > least ? s->memory : least;
    if (s->block != NULL && s->size >= size)
        return ODP_OK;
    free(s->block);
    size = (size + 15) & ~(size_t)15;
    s->block = malloc(size); /* aligned for entries; what is not used is not touched */
    s->size = s->block != NULL ? size : 0;
    return s->block != NULL ? ODP_OK : odp_failure_set("compare", NULL, ENOMEM);
}

/* ---- runs are written ------------------------------------------------------------------------------------------------------
 */

static enum odp_status begin_run(struct sorter *s)
{
    static atomic_uint_fast64_t counter; /* names in a folder that other threads may use, too */
    if (s->npaths == s->cap) {
        size_t cap = s->cap == 0 ? 16 : 2 * s->cap;
        const char **paths = odp_realloc_array(s->paths, cap, sizeof *paths);
        if (paths == NULL)
            return ODP_FAIL;
        s->paths = paths;
        s->cap = cap;
    }
    const char *path = odp_arena_printf(&s->arena, "%s/.scratch-changes-%ld-%llu", s->scratch, (long)getpid(),
                                        (unsigned long long)atomic_fetch_add(&counter, 1));
    if (odp_file_create(&s->file, path, 0600) != ODP_OK)
        return ODP_FAIL;
    s->paths[s->npaths++] = path;
    s->written++;
    return ODP_OK;
}

static enum odp_status end_run(struct sorter *s)
{
    struct odp_file *file = s->file;
    s->file = NULL;
    if (file == NULL)
        return ODP_OK;
    enum odp_status status = odp_file_close(file, NULL);
    if (status != ODP_OK)
        s->paths[s->npaths - 1] = NULL; /* close has removed it */
    return status;
}

/* Empties the block. */
static enum odp_status spill(struct sorter *s)
{
    if (s->n == 0)
        return ODP_OK;
    if (!s->ordered)
        sort_block(s);
    struct odp_slice first = record_key(s->block + entry_at(s, 0)->at);
    enum odp_status status = ODP_OK;
    if (s->file == NULL || odp_slice_cmp(first, odp_buffer_slice(&s->last)) < 0) {
        status = end_run(s);
        if (status == ODP_OK)
            status = begin_run(s);
    }
    for (size_t i = 0; i < s->n && status == ODP_OK; i++) {
        const char *record = s->block + entry_at(s, i)->at;
        status = odp_file_write(s->file, record, record_size(record));
    }
    if (status == ODP_OK) {
        odp_buffer_clear(&s->last);
        odp_buffer_add_slice(&s->last, record_key(s->block + entry_at(s, s->n - 1)->at));
        status = odp_buffer_status(&s->last);
    }
    s->n = s->used = 0;
    s->ordered = true;
    return status;
}

enum odp_status sorter_add(struct sorter *s, struct odp_slice record)
{
    size_t need = record.len + sizeof(struct entry);
    if (s->block == NULL || need > s->size - s->used - s->n * sizeof(struct entry)) {
        if (spill(s) != ODP_OK || make_block(s, need + BLOCK_MIN) != ODP_OK)
            return ODP_FAIL;
    }
    char *at = s->block + s->used;
    memcpy(at, record.ptr, record.len);
    struct odp_slice key = record_key(at);
    if (s->n > 0 && s->ordered)
        s->ordered = odp_slice_cmp(record_key(s->block + entry_at(s, s->n - 1)->at), key) <= 0;
    *entry_at(s, s->n) = (struct entry){prefix_of(key), (uint32_t)s->used};
    s->used += record.len;
    s->n++;
    return ODP_OK;
}

/* ---- runs are merged -------------------------------------------------------------------------------------------------------
 */

/* At least WANT bytes from pos, or what is left; DONE: nothing is left. */
static enum odp_status fill_run(struct run *r, size_t want)
{
    size_t have = r->len - r->pos, got;
    if (have >= want)
        return ODP_OK;
    if (have > 0)
        memmove(r->bytes, r->bytes + r->pos, have);
    r->pos = 0;
    r->len = have;
    if (want > r->cap) {
        char *bytes = odp_realloc_array(r->bytes, want, 1);
        if (bytes == NULL)
            return ODP_FAIL;
        r->bytes = bytes;
        r->cap = want;
    }
    enum odp_status status = odp_reader_read(r->reader, r->bytes + have, r->cap - have, &got);
    r->len += got;
    if (status == ODP_FAIL || r->len >= want)
        return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return r->len == 0 ? ODP_DONE : odp_failure_set("read", r->path, EIO); /* a scratch file that was cut */
}

static enum odp_status advance_run(struct run *r)
{
    r->record = NULL;
    enum odp_status status = fill_run(r, 8);
    if (status == ODP_OK)
        status = fill_run(r, record_size(r->bytes + r->pos));
    if (status != ODP_OK)
        return status == ODP_DONE ? ODP_OK : status;
    r->record = r->bytes + r->pos;
    r->pos += record_size(r->record);
    return ODP_OK;
}

static void merge_release(struct merge *m)
{
    for (size_t i = 0; i < m->n; i++) {
        odp_reader_close(m->runs[i].reader);
        free(m->runs[i].bytes);
    }
    free(m->runs);
    free(m->heap);
    *m = (struct merge){0};
}

static bool run_is_less(const struct merge *m, uint32_t a, uint32_t b)
{
    int c = odp_slice_cmp(record_key(m->runs[a].record), record_key(m->runs[b].record));
    return c != 0 ? c < 0 : a < b;
}

static void sift_down(struct merge *m, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < m->left; i = child) {
        if (child + 1 < m->left && run_is_less(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (!run_is_less(m, m->heap[child], m->heap[i]))
            return;
        uint32_t t = m->heap[i];
        m->heap[i] = m->heap[child];
        m->heap[child] = t;
    }
}

/* N runs from PATHS, whose names go. MEMORY: for their buffers. */
static enum odp_status merge_open(struct merge *m, const char **paths, size_t n, size_t memory)
{
    size_t cap = memory / n;
    cap = cap < BUFFER_MIN ? BUFFER_MIN : cap > BUFFER_MAX ? BUFFER_MAX : cap;
    *m = (struct merge){.runs = calloc(n, sizeof *m->runs), .heap = calloc(n, sizeof *m->heap), .n = n};
    if (m->runs == NULL || m->heap == NULL) {
        m->n = 0;
        return odp_failure_set("compare", NULL, ENOMEM);
    }
    for (size_t i = 0; i < n; i++) {
        struct run *r = &m->runs[i];
        int errnum = 0;
        *r = (struct run){.path = paths[i], .bytes = malloc(cap), .cap = cap};
        if (r->bytes == NULL)
            return odp_failure_set("compare", NULL, ENOMEM);
        enum odp_status status = odp_reader_open(&r->reader, r->path, &errnum);
        if (status != ODP_OK)
            return status == ODP_BAD ? odp_failure_set("open", r->path, errnum) : status;
        if (unlink(r->path) != 0)
            return odp_failure_set("remove", r->path, errno);
        paths[i] = NULL;
        if (advance_run(r) != ODP_OK)
            return ODP_FAIL;
        if (r->record != NULL)
            m->heap[m->left++] = (uint32_t)i;
    }
    for (size_t i = m->left / 2; i-- > 0;)
        sift_down(m, i);
    return ODP_OK;
}

static enum odp_status merge_next(struct merge *m, const char **record)
{
    if (m->begun && m->left > 0) {
        struct run *top = &m->runs[m->heap[0]];
        if (advance_run(top) != ODP_OK)
            return ODP_FAIL;
        if (top->record == NULL)
            m->heap[0] = m->heap[--m->left];
        sift_down(m, 0);
    }
    m->begun = true;
    if (m->left == 0)
        return ODP_DONE;
    *record = m->runs[m->heap[0]].record;
    return ODP_OK;
}

/* N runs from PATHS become the next run of S. */
static enum odp_status merge_some(struct sorter *s, const char **paths, size_t n)
{
    struct merge m;
    const char *record = NULL;
    enum odp_status status = merge_open(&m, paths, n, s->memory);
    if (status == ODP_OK)
        status = begin_run(s);
    while (status == ODP_OK && (status = merge_next(&m, &record)) == ODP_OK)
        status = odp_file_write(s->file, record, record_size(record));
    merge_release(&m);
    return status == ODP_DONE ? end_run(s) : status;
}

/* Neighbours are merged, so that runs stay in the order of arrival. */
static enum odp_status merge_pass(struct sorter *s, size_t fanin)
{
    const char **old = s->paths;
    size_t n = s->npaths;
    enum odp_status status = ODP_OK;
    s->paths = NULL;
    s->npaths = s->cap = 0;
    for (size_t i = 0; i < n && status == ODP_OK; i += fanin)
        status = merge_some(s, old + i, n - i < fanin ? n - i : fanin);
    for (size_t i = 0; i < n; i++)
        if (old[i] != NULL)
            (void)unlink(old[i]); /* after a failure */
    free(old);
    return status;
}

/* ---- the sorter ------------------------------------------------------------------------------------------------------------
 */

enum odp_status sorter_new(struct sorter **out, const char *scratch, size_t memory)
{
    struct sorter *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    odp_arena_init(&s->arena);
    odp_buffer_init(&s->last);
    s->scratch = scratch;
    s->memory = memory < UINT32_MAX / 2 ? memory : UINT32_MAX / 2; /* places in the block are 32 bits */
    s->ordered = true;
    return ODP_OK;
}

enum odp_status sorter_end(struct sorter *s)
{
    if (s->npaths == 0) {
        if (s->n > 0 && !s->ordered)
            sort_block(s);
        return ODP_OK;
    }
    enum odp_status status = spill(s);
    free(s->block);
    s->block = NULL;
    if (status == ODP_OK)
        status = end_run(s);
    size_t fanin = s->memory / BUFFER_USUAL;
    fanin = fanin < 2 ? 2 : fanin > FANIN_MAX ? FANIN_MAX : fanin;
    while (status == ODP_OK && s->npaths > fanin)
        status = merge_pass(s, fanin);
    return status == ODP_OK ? merge_open(&s->merge, s->paths, s->npaths, s->memory) : status;
}

enum odp_status sorter_next(struct sorter *s, const char **record)
{
    if (s->written > 0)
        return merge_next(&s->merge, record);
    if (s->next == s->n)
        return ODP_DONE;
    *record = s->block + entry_at(s, s->next++)->at;
    return ODP_OK;
}

void sorter_free(struct sorter *s)
{
    if (s == NULL)
        return;
    if (s->file != NULL) { /* removes it */
        odp_file_discard(s->file);
        s->paths[s->npaths - 1] = NULL;
    }
    for (size_t i = 0; i < s->npaths; i++)
        if (s->paths[i] != NULL)
            (void)unlink(s->paths[i]); /* after a failure */
    merge_release(&s->merge);
    free(s->paths);
    free(s->block);
    odp_buffer_release(&s->last);
    odp_arena_release(&s->arena);
    free(s);
}
