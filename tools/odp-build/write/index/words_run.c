/* What was gathered, as bytes in the order of terms: u32 n, u32 bytes of the doclist, the term, the doclist (its first row as it is, the others as steps; before each list its size). What
 * memory held when it was full is such a run in the scratch file; what it holds at the end is read in the same way. Merging puts the doclists of a term one behind the other: rows
 * of a run come before those of the next. Only the row in which memory became full may be in both; its lists are joined. */
#include "write/index/words_internal.h"

#include <errno.h>
#include <endian.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/scratch.h"

enum { BUFFER = 64 << 10, BEYOND = 2 * WORDS_VARINT }; /* bytes that may be looked at behind the last one */

/* ---- memory, in order --------------------------------------------------------------------------------------------------------- */

struct place {
    uint64_t part; /* the first eight bytes of the term */
    const struct words_entry *entry;
};

struct listing {
    const struct words *words;
    struct place *order;
    uint32_t n, at;
    enum { HEAD, TERM, CHUNK, SIZE, REST } next;
    uint32_t chunk;
    bool wide; /* the last list's size takes more than the byte that was left for it */
    unsigned char bytes[WORDS_VARINT];
};

static int by_term(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->part != y->part)
        return x->part < y->part ? -1 : 1;
    struct odp_slice s = {(const char *)x->entry->term, x->entry->n}, t = {(const char *)y->entry->term, y->entry->n};
    return odp_slice_cmp(s, t);
}

static enum odp_status listing_init(struct listing *l, struct words *w)
{
    *l = (struct listing){.words = w, .next = HEAD};
    l->order = odp_realloc_array(NULL, (size_t)w->nentries + 1, sizeof *l->order);
    if (l->order == NULL)
        return odp_failure_set("write query index: words", w->job.path, ENOMEM);
    for (uint32_t bucket = 0; bucket <= w->mask; bucket++)
        for (uint32_t at = w->table[bucket]; at != 0; at = words_entry_at(w, at)->next) {
            struct words_entry *e = words_entry_at(w, at);
            unsigned char part[8] = {0};
            uint64_t number;
            memcpy(part, e->term, e->n < 8 ? e->n : 8);
            memcpy(&number, part, sizeof number);
            l->order[l->n++] = (struct place){be64toh(number), e};
            words_chunk_at(w, e->last)->n = e->at - (e->last + (uint32_t)sizeof(struct words_chunk));
            if (words_open_size(e) < 64)
                w->bytes[e->size] = (unsigned char)(words_open_size(e) * 2);
        }
    qsort(l->order, l->n, sizeof *l->order, by_term);
    return ODP_OK;
}

static struct odp_slice piece(const void *bytes, size_t n)
{
    return (struct odp_slice){bytes, n};
}

/* The first eight bytes of a term's; its first chunk is next. */
static struct odp_slice head_of(struct listing *l)
{
    const struct words_entry *e = l->order[l->at].entry;
    uint32_t head[2] = {e->n, 0};
    l->wide = words_open_size(e) >= 64;
    for (uint32_t at = e->first; at != 0; at = words_chunk_at(l->words, at)->next)
        head[1] += words_chunk_at(l->words, at)->n;
    if (l->wide)
        head[1] += (uint32_t)words_size((uint64_t)words_open_size(e) * 2) - 1;
    l->chunk = e->first;
    l->next = TERM;
    memcpy(l->bytes, head, sizeof head);
    return piece(l->bytes, sizeof head);
}

/* From FROM to the end of the chunk; the next one is next. */
static struct odp_slice chunk_from(struct listing *l, uint32_t from)
{
    const struct words_chunk *c = words_chunk_at(l->words, l->chunk);
    uint32_t end = l->chunk + (uint32_t)sizeof *c + c->n;
    l->chunk = c->next;
    l->next = CHUNK;
    if (l->chunk == 0) {
        l->next = HEAD;
        l->at++;
    }
    return piece(l->words->bytes + from, end - from);
}

/* The next bytes, borrowed until the next call; ptr NULL: there are none. */
static struct odp_slice next_piece(struct listing *l)
{
    if (l->next == HEAD)
        return l->at < l->n ? head_of(l) : piece(NULL, 0);
    const struct words_entry *e = l->order[l->at].entry;
    uint32_t start = l->chunk + (uint32_t)sizeof(struct words_chunk);
    switch (l->next) {
    case TERM:
        l->next = CHUNK;
        return piece(e->term, e->n);
    case SIZE:
        l->next = REST;
        return piece(l->bytes, odp_varint_put(l->bytes, (uint64_t)words_open_size(e) * 2));
    case REST:
        return chunk_from(l, e->size + 1);
    default:
        if (!l->wide || l->chunk != e->size_chunk)
            return chunk_from(l, start);
        l->next = SIZE;
        return piece(l->words->bytes + start, e->size - start);
    }
}

/* ---- to the scratch file -------------------------------------------------------------------------------------------------------- */

static enum odp_status flush(struct words *w, struct odp_buffer *b)
{
    enum odp_status status = odp_buffer_status(b);
    if (status == ODP_OK)
        status = odp_scratch_write(w->job.fd, b->ptr, b->len, w->at, w->job.path);
    w->at += b->len;
    odp_buffer_clear(b);
    return status;
}

void words_empty(struct words *w)
{
    memset(w->table, 0, ((size_t)w->mask + 1) * sizeof *w->table);
    w->used = 8; /* 0 is nothing */
    w->nentries = 0;
    w->memo_bytes = 0;
    w->generation++;
}

enum odp_status words_spill(struct words *w)
{
    struct listing list;
    struct odp_buffer bytes;
    struct words_run *runs = odp_realloc_array(w->runs, w->nruns + 1, sizeof *runs);
    if (runs == NULL)
        return ODP_FAIL;
    w->runs = runs;
    struct words_run *r = &runs[w->nruns++];
    *r = (struct words_run){.at = w->at, .row = w->row};
    odp_buffer_init(&bytes);
    enum odp_status status = listing_init(&list, w);
    for (struct odp_slice s; status == ODP_OK && (s = next_piece(&list)).ptr != NULL;) {
        odp_buffer_add_slice(&bytes, s);
        if (bytes.len >= BUFFER || bytes.failed)
            status = flush(w, &bytes);
    }
    if (status == ODP_OK)
        status = flush(w, &bytes);
    r->end = w->at;
    free(list.order);
    odp_buffer_release(&bytes);
    words_empty(w);
    return status;
}

/* ---- back ----------------------------------------------------------------------------------------------------------------------- */

/* A run that is read: from the file, or what is in memory. */
struct source {
    uint64_t at, end;     /* what of the file is not in the window */
    struct listing *list; /* or where the bytes come from, and what of the last piece is not in it */
    struct odp_slice rest;
    unsigned char *window;
    size_t used, n, cap; /* BEYOND bytes behind cap are there */
    struct odp_buffer term;
    uint32_t left; /* bytes of its doclist that have not been taken */
    int64_t row;   /* may go on in the next source; WORDS_NO_ROW: none does */
};

struct merging {
    struct words *words;
    struct words_segment *to;
    struct source *sources;
    size_t nsources, *heap, nheap;
    struct odp_buffer term;
    bool any, fresh; /* TERM has been set; it has not been written */
    bool held;       /* HELD_ROW, which may go on */
    int64_t held_row;
    struct odp_buffer list;
};

static enum odp_status damaged(const struct merging *m)
{
    return odp_failure_set("read query index: words", m->words->job.path, 0);
}

/* More bytes behind those of the window; none where there are none. */
static enum odp_status read_more(struct merging *m, struct source *s)
{
    size_t room = s->cap - s->n;
    if (s->list != NULL) {
        while (room > 0 && (s->rest.len > 0 || (s->rest = next_piece(s->list)).ptr != NULL)) {
            size_t n = s->rest.len < room ? s->rest.len : room;
            memcpy(s->window + s->n, s->rest.ptr, n);
            s->rest = (struct odp_slice){s->rest.ptr + n, s->rest.len - n};
            s->n += n;
            room -= n;
        }
        return ODP_OK;
    }
    size_t n = s->end - s->at < room ? (size_t)(s->end - s->at) : room;
    enum odp_status status = n > 0 ? odp_scratch_read(m->words->job.fd, s->window + s->n, n, s->at, m->words->job.path) : ODP_OK;
    s->at += n;
    s->n += n;
    return status;
}

/* N bytes in one piece, from s->window + s->used on; less at the end of the run. */
static enum odp_status view(struct merging *m, struct source *s, size_t n)
{
    if (s->n - s->used >= n)
        return ODP_OK;
    memmove(s->window, s->window + s->used, s->n - s->used);
    s->n -= s->used;
    s->used = 0;
    if (s->cap < n) {
        size_t cap = 2 * n;
        unsigned char *window = odp_realloc_array(s->window, cap + BEYOND, 1);
        if (window == NULL)
            return ODP_FAIL;
        s->window = window;
        s->cap = cap;
    }
    enum odp_status status = read_more(m, s);
    memset(s->window + s->n, 0, BEYOND);
    return status;
}

/* DONE: there is none. */
static enum odp_status next_term(struct merging *m, struct source *s)
{
    uint32_t head[2];
    if (view(m, s, sizeof head) != ODP_OK)
        return ODP_FAIL;
    if (s->n == s->used)
        return ODP_DONE;
    if (s->n - s->used < sizeof head)
        return damaged(m);
    memcpy(head, s->window + s->used, sizeof head);
    s->used += sizeof head;
    if (view(m, s, head[0]) != ODP_OK)
        return ODP_FAIL;
    if (s->n - s->used < head[0])
        return damaged(m);
    odp_buffer_clear(&s->term);
    odp_buffer_add(&s->term, s->window + s->used, head[0]);
    s->used += head[0];
    s->left = head[1];
    return odp_buffer_status(&s->term);
}

/* ---- lists ---------------------------------------------------------------------------------------------------------------------- */

/* Appends to LIST what comes later in the same row. */
static void join(struct odp_buffer *list, struct odp_slice more)
{
    uint64_t column = 0, position = 0, v, next = 0;
    const unsigned char *p = (const unsigned char *)list->ptr, *end = p + list->len;
    while (p < end) {
        p += words_get(p, &v);
        if (v == 1) {
            p += words_get(p, &column);
            position = 0;
        } else {
            position += v - 2;
        }
    }
    const unsigned char *from = (const unsigned char *)more.ptr;
    size_t at = words_get(from, &v);
    if (v == 1) {
        at += words_get(from + at, &next);
        if (next == column)
            at += words_get(from + at, &v);
    }
    if (next == column)
        words_add_number(list, v - position); /* both have 2 added */
    else
        at = 0;
    odp_buffer_add(list, more.ptr + at, more.len - at);
}

static enum odp_status emit(struct merging *m, int64_t row, struct odp_slice list)
{
    if (!m->fresh)
        return words_segment_list(m->to, row, list);
    m->fresh = false;
    return words_segment_term(m->to, odp_buffer_slice(&m->term), row, list);
}

static enum odp_status emit_held(struct merging *m)
{
    if (!m->held)
        return ODP_OK;
    m->held = false;
    return odp_buffer_status(&m->list) == ODP_OK ? emit(m, m->held_row, odp_buffer_slice(&m->list)) : ODP_FAIL;
}

static enum odp_status put(struct merging *m, int64_t row, struct odp_slice list, bool hold)
{
    if (m->held && m->held_row == row) {
        join(&m->list, list);
        return hold ? odp_buffer_status(&m->list) : emit_held(m);
    }
    if (emit_held(m) != ODP_OK)
        return ODP_FAIL;
    if (!hold)
        return emit(m, row, list);
    m->held = true;
    m->held_row = row;
    odp_buffer_clear(&m->list);
    odp_buffer_add_slice(&m->list, list);
    return odp_buffer_status(&m->list);
}

/* The next row of the doclist alone; *ROW was the one before. */
static enum odp_status take_row(struct merging *m, struct source *s, int64_t *row)
{
    uint64_t step, size;
    if (view(m, s, s->left < 2 * WORDS_VARINT ? s->left : 2 * WORDS_VARINT) != ODP_OK)
        return ODP_FAIL;
    const unsigned char *p = s->window + s->used;
    size_t n = words_get(p, &step);
    n += words_get(p + n, &size);
    size /= 2;
    if (n > s->left || size > s->left - n || size == 0)
        return damaged(m);
    if (view(m, s, n + size) != ODP_OK)
        return ODP_FAIL;
    if (s->n - s->used < n + size)
        return damaged(m);
    *row = (int64_t)((uint64_t)*row + step);
    struct odp_slice list = {(const char *)s->window + s->used + n, size};
    s->used += n + size;
    s->left -= (uint32_t)(n + size);
    return put(m, *row, list, *row == s->row);
}

/* The doclist of the term at which S is. */
static enum odp_status take_doclist(struct merging *m, struct source *s)
{
    int64_t row = 0, stop = s->row != WORDS_NO_ROW ? s->row : INT64_MAX;
    enum odp_status status = take_row(m, s, &row);
    while (status == ODP_OK && s->left > 0) {
        size_t n = s->n - s->used < s->left ? s->n - s->used : s->left;
        n = words_segment_lists(m->to, s->window + s->used, n, stop, &row);
        s->used += n;
        s->left -= (uint32_t)n;
        if (s->left > 0) /* the next one is not in the window, or not for the same page */
            status = take_row(m, s, &row);
    }
    return status;
}

/* ---- merging -------------------------------------------------------------------------------------------------------------------- */

/* By term, those of equal ones in their order. */
static bool is_before(const struct merging *m, size_t a, size_t b)
{
    int c = odp_slice_cmp(odp_buffer_slice(&m->sources[a].term), odp_buffer_slice(&m->sources[b].term));
    return c != 0 ? c < 0 : a < b;
}

static void sift(struct merging *m, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < m->nheap; i = child) {
        size_t x = m->heap[i];
        if (child + 1 < m->nheap && is_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (is_before(m, x, m->heap[child]))
            return;
        m->heap[i] = m->heap[child];
        m->heap[child] = x;
    }
}

static enum odp_status merge_all(struct merging *m)
{
    enum odp_status status = ODP_OK;
    for (size_t i = m->nheap; i > 0; i--)
        sift(m, i - 1);
    while (m->nheap > 0 && status == ODP_OK) {
        struct source *s = &m->sources[m->heap[0]];
        if (!m->any || !odp_slice_eq(odp_buffer_slice(&m->term), odp_buffer_slice(&s->term))) {
            status = emit_held(m);
            m->any = m->fresh = true;
            odp_buffer_clear(&m->term);
            odp_buffer_add_slice(&m->term, odp_buffer_slice(&s->term));
            if (status == ODP_OK)
                status = odp_buffer_status(&m->term);
        }
        if (status == ODP_OK)
            status = take_doclist(m, s);
        if (status == ODP_OK && (status = next_term(m, s)) == ODP_DONE) {
            m->heap[0] = m->heap[--m->nheap];
            status = ODP_OK;
        }
        sift(m, 0);
    }
    return status == ODP_OK ? emit_held(m) : status;
}

/* The runs, in the order in which they were written, and memory. */
static enum odp_status open_sources(struct merging *m, struct listing *list)
{
    const struct words *w = m->words;
    m->sources = calloc(w->nruns + 1, sizeof *m->sources);
    m->heap = calloc(w->nruns + 1, sizeof *m->heap);
    if (m->sources == NULL || m->heap == NULL)
        return odp_failure_set("write query index: words", w->job.path, ENOMEM);
    for (size_t i = 0; i <= w->nruns; i++) {
        struct source *s = &m->sources[m->nsources++];
        odp_buffer_init(&s->term);
        s->row = WORDS_NO_ROW;
        if (i < w->nruns) {
            s->at = w->runs[i].at;
            s->end = w->runs[i].end;
            s->row = w->runs[i].row;
        } else {
            s->list = list;
        }
        s->cap = BUFFER;
        s->window = odp_realloc_array(NULL, BUFFER + BEYOND, 1);
        if (s->window == NULL)
            return ODP_FAIL;
        enum odp_status status = next_term(m, s);
        if (status == ODP_FAIL)
            return status;
        if (status == ODP_OK)
            m->heap[m->nheap++] = i;
    }
    return ODP_OK;
}

enum odp_status words_merge(struct words *w, struct words_segment *to)
{
    struct merging m = {.words = w, .to = to};
    struct listing list;
    odp_buffer_init(&m.term);
    odp_buffer_init(&m.list);
    enum odp_status status = listing_init(&list, w);
    if (status == ODP_OK)
        status = open_sources(&m, &list);
    if (status == ODP_OK)
        status = merge_all(&m);
    for (size_t i = 0; i < m.nsources; i++) {
        free(m.sources[i].window);
        odp_buffer_release(&m.sources[i].term);
    }
    free(m.sources);
    free(m.heap);
    free(list.order);
    odp_buffer_release(&m.term);
    odp_buffer_release(&m.list);
    return status;
}
