/* See keys.h. The bytes of a value:
 *
 *   null   00
 *   number 10 and an integer of 64 bits, or 11 and a double, either with its bits turned so that bytes order them (a column has only one of the two)
 *   text   20, blob 30: the bytes, 00 as 00 FF, then 00 00
 *
 * and at the end the rowid, eight bytes. In the scratch file and in memory u32 n stands before each key. */
#include "write/index/keys.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/scratch.h"
#include "write/index/index_internal.h"
#include "write/index/keys_sort.h"

enum {
    PIECE = 16 << 20,    /* bytes that are sorted at once */
    BUFFER = 64 << 10,   /* of the scratch file, and of each run while they are merged */
    ROWID = 8
};

enum { TAG_NULL = 0, TAG_INT = 0x10, TAG_REAL = 0x11, TAG_TEXT = 0x20, TAG_BLOB = 0x30 };

/* Keys in order, read through a window. */
struct run {
    off_t at, end;      /* what of the file is not in the window */
    char *window;       /* owned; of a run in memory borrowed */
    size_t used, n, cap;
    struct odp_slice key; /* the first */
};

struct writer_keys {
    const char *path; /* for messages */
    int fd;
    off_t size;
    size_t at_once;
    struct odp_buffer buffer;
    struct odp_buffer piece;
    struct writer_key *entries, *spare;
    size_t cap;
    struct run *runs;
    size_t nruns, *heap, nheap;
    struct odp_buffer text; /* of a value, decoded */
};

/* ---- gathering ---------------------------------------------------------------------------------------------------------------- */

static enum odp_status failed(const struct writer_keys *k, const char *op, int errnum)
{
    return odp_failure_set(op, k->path, errnum);
}

enum odp_status writer_keys_new(struct writer_keys **out, const char *path, size_t piece)
{
    *out = NULL;
    struct writer_keys *k = calloc(1, sizeof *k);
    if (k == NULL)
        return odp_failure_set("write query index", path, ENOMEM);
    k->path = path;
    k->at_once = piece > 0 ? piece : PIECE;
    odp_buffer_init(&k->buffer);
    odp_buffer_init(&k->piece);
    odp_buffer_init(&k->text);
    do
        k->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (k->fd < 0 && errno == EINTR);
    if (k->fd < 0 || unlink(path) != 0) {
        (void)odp_failure_set("create", path, errno);
        writer_keys_free(k);
        return ODP_FAIL;
    }
    *out = k;
    return ODP_OK;
}

void writer_keys_free(struct writer_keys *k)
{
    if (k == NULL)
        return;
    if (k->fd >= 0)
        (void)close(k->fd);
    for (size_t i = 0; i < k->nruns; i++)
        if (k->runs[i].cap > 0)
            free(k->runs[i].window);
    free(k->runs);
    free(k->heap);
    free(k->entries);
    free(k->spare);
    odp_buffer_release(&k->buffer);
    odp_buffer_release(&k->piece);
    odp_buffer_release(&k->text);
    free(k);
}

static inline char *put_u64(char *w, uint64_t v)
{
    v = htobe64(v);
    memcpy(w, &v, sizeof v);
    return w + sizeof v;
}

static inline uint64_t get_u64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return be64toh(v);
}

static const uint64_t TOP = (uint64_t)1 << 63;

static odp_bytes16 is_zero(odp_bytes16 v)
{
    return (odp_bytes16)(v == ODP_EVERY16(0));
}

/* Every 00 as 00 FF: seldom. */
static char *put_with_zeros(char *w, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        *w++ = s.ptr[i];
        if (s.ptr[i] == 0)
            *w++ = (char)0xff;
    }
    return w;
}

static inline char *put_bytes(char *w, char tag, struct odp_slice s)
{
    odp_bytes16 zeros = {0};
    *w++ = tag;
    char *end = odp_put_seen(w, s, &zeros, is_zero);
    if (odp_any16(zeros))
        end = put_with_zeros(w, s);
    memset(end, 0, 2);
    return end + 2;
}

static inline char *put_value(char *w, const struct writer_value *v)
{
    uint64_t bits;
    double r = v->r == 0 ? 0 : v->r; /* there is one zero */
    switch (v->tag) {
    case WRITER_INT:
        *w++ = TAG_INT;
        return put_u64(w, (uint64_t)v->i ^ TOP);
    case WRITER_REAL:
        memcpy(&bits, &r, sizeof bits);
        *w++ = TAG_REAL;
        return put_u64(w, (bits & TOP) != 0 ? ~bits : bits | TOP);
    case WRITER_TEXT:
        return put_bytes(w, TAG_TEXT, v->text);
    case WRITER_BLOB:
        return put_bytes(w, TAG_BLOB, v->text);
    case WRITER_NULL:
        break;
    }
    *w++ = TAG_NULL;
    return w;
}

static enum odp_status write_at(struct writer_keys *k, struct odp_slice bytes)
{
    enum odp_status status = odp_scratch_write(k->fd, bytes.ptr, bytes.len, (uint64_t)k->size, k->path);
    k->size += (off_t)bytes.len;
    return status;
}

static enum odp_status flush(struct writer_keys *k)
{
    enum odp_status status = odp_buffer_status(&k->buffer);
    if (status == ODP_OK)
        status = write_at(k, odp_buffer_slice(&k->buffer));
    odp_buffer_clear(&k->buffer);
    return status;
}

/* Bytes that V has in a key, at most. */
static inline size_t room_of(const struct writer_value *v)
{
    return v->tag == WRITER_TEXT || v->tag == WRITER_BLOB ? 2 * v->text.len + 3 : 1 + sizeof(uint64_t);
}

enum odp_status writer_keys_add(struct writer_keys *k, const struct writer_value *values, const uint32_t *columns, uint32_t n, int64_t rowid)
{
    size_t room = sizeof(uint32_t) + ROWID;
    for (uint32_t i = 0; i < n; i++)
        room += room_of(&values[columns[i]]);
    if (room > INT32_MAX)
        return failed(k, "write query index: a key is too long", 0);
    if (k->buffer.len + room > BUFFER && flush(k) != ODP_OK)
        return ODP_FAIL;
    char *start = odp_buffer_reserve(&k->buffer, room), *w = start;
    if (start == NULL)
        return ODP_FAIL;
    w += sizeof(uint32_t);
    for (uint32_t i = 0; i < n; i++)
        w = put_value(w, &values[columns[i]]);
    w = put_u64(w, (uint64_t)rowid ^ TOP);
    uint32_t len = (uint32_t)((size_t)(w - start) - sizeof len);
    memcpy(start, &len, sizeof len);
    k->buffer.len += (size_t)(w - start);
    return ODP_OK;
}

/* ---- sorting ------------------------------------------------------------------------------------------------------------------ */

/* Finds the keys of k->piece; those that are there whole, *USED bytes of them. */
static enum odp_status find_entries(struct writer_keys *k, size_t *n, size_t *used)
{
    *n = *used = 0;
    while (k->piece.len - *used >= sizeof(uint32_t)) {
        uint32_t len;
        memcpy(&len, k->piece.ptr + *used, sizeof len);
        if (len > k->piece.len - *used - sizeof len)
            break;
        if (*n == k->cap) {
            size_t cap = k->cap != 0 ? k->cap * 2 : 4096;
            struct writer_key *entries = odp_realloc_array(k->entries, cap, sizeof *entries);
            if (entries == NULL)
                return ODP_FAIL;
            k->entries = entries;
            free(k->spare);
            k->spare = odp_realloc_array(NULL, cap, sizeof *k->spare);
            k->cap = k->spare != NULL ? cap : 0;
            if (k->spare == NULL)
                return ODP_FAIL;
        }
        k->entries[(*n)++] = (struct writer_key){0, (uint32_t)(*used + sizeof len), len};
        *used += sizeof len + len;
    }
    return ODP_OK;
}

static enum odp_status read_at(const struct writer_keys *k, off_t at, char *to, size_t n)
{
    return odp_scratch_read(k->fd, to, n, (uint64_t)at, k->path);
}

/* The next piece of the gathered keys, from *AT to END, sorted; at least one key, however long. */
static enum odp_status sort_piece(struct writer_keys *k, off_t *at, off_t end, size_t *n)
{
    size_t used, want = k->at_once;
    do {
        size_t len = end - *at < (off_t)want ? (size_t)(end - *at) : want;
        odp_buffer_clear(&k->piece);
        char *to = odp_buffer_reserve(&k->piece, len + 1);
        if (to == NULL || read_at(k, *at, to, len) != ODP_OK)
            return ODP_FAIL;
        k->piece.len = len;
        if (find_entries(k, n, &used) != ODP_OK)
            return ODP_FAIL;
        if (*n == 0 && len == (size_t)(end - *at))
            return failed(k, "read query index: a key", 0);
        want *= 2;
    } while (*n == 0);
    writer_keys_sort(k->piece.ptr, k->entries, k->spare, *n);
    *at += (off_t)used;
    return ODP_OK;
}

static struct odp_slice entry_key(const struct writer_keys *k, size_t i)
{
    return (struct odp_slice){k->piece.ptr + k->entries[i].at, k->entries[i].n};
}

/* Sorted keys stand all over the piece: the one that is needed soon is sent for. */
static inline void fetch_ahead(const struct writer_keys *k, size_t i, size_t n)
{
    enum { AHEAD = 8 };
    if (i + AHEAD < n)
        __builtin_prefetch(k->piece.ptr + k->entries[i + AHEAD].at);
}

/* The sorted piece at the end of the scratch file, as a run. */
static enum odp_status write_run(struct writer_keys *k, size_t n)
{
    struct run *runs = odp_realloc_array(k->runs, k->nruns + 1, sizeof *runs);
    if (runs == NULL)
        return ODP_FAIL;
    k->runs = runs;
    struct run *r = &runs[k->nruns++];
    *r = (struct run){.at = k->size};
    for (size_t i = 0; i < n; i++) {
        fetch_ahead(k, i, n);
        struct odp_slice key = {k->piece.ptr + k->entries[i].at - sizeof(uint32_t), k->entries[i].n + sizeof(uint32_t)};
        if (k->buffer.len + key.len > BUFFER && flush(k) != ODP_OK)
            return ODP_FAIL;
        odp_buffer_add_slice(&k->buffer, key);
    }
    enum odp_status status = flush(k);
    r->end = k->size;
    return status;
}

/* ---- merging ------------------------------------------------------------------------------------------------------------------ */

/* Makes the run's next key r->key. DONE: there is none. */
static enum odp_status next_of_run(struct writer_keys *k, struct run *r)
{
    for (size_t want = BUFFER;; want *= 2) {
        uint32_t len;
        size_t left = r->n - r->used;
        if (left >= sizeof len) {
            memcpy(&len, r->window + r->used, sizeof len);
            if (len <= left - sizeof len) {
                r->key = (struct odp_slice){r->window + r->used + sizeof len, len};
                r->used += sizeof len + len;
                return ODP_OK;
            }
        }
        if (r->at == r->end)
            return left == 0 ? ODP_DONE : failed(k, "read query index: a key", 0);
        if (r->cap < want) {
            char *window = odp_realloc_array(r->window, want, 1);
            if (window == NULL)
                return ODP_FAIL;
            r->window = window;
            r->cap = want;
        }
        memmove(r->window, r->window + r->used, left);
        size_t more = r->cap - left;
        more = r->end - r->at < (off_t)more ? (size_t)(r->end - r->at) : more;
        if (read_at(k, r->at, r->window + left, more) != ODP_OK)
            return ODP_FAIL;
        r->at += (off_t)more;
        r->used = 0;
        r->n = left + more;
    }
}

/* Run HEAP[i] moves down to where it belongs. */
static void sift(struct writer_keys *k, size_t i)
{
    for (size_t child; (child = 2 * i + 1) < k->nheap; i = child) {
        size_t x = k->heap[i];
        if (child + 1 < k->nheap && odp_slice_cmp(k->runs[k->heap[child + 1]].key, k->runs[k->heap[child]].key) < 0)
            child++;
        if (odp_slice_cmp(k->runs[x].key, k->runs[k->heap[child]].key) <= 0)
            return;
        k->heap[i] = k->heap[child];
        k->heap[child] = x;
    }
}

/* ---- writing ------------------------------------------------------------------------------------------------------------------ */

/* Where the first 00 of P stands, which has one, and at least eight bytes behind it (the key's rowid). */
static inline const char *find_zero(const char *p)
{
    for (;; p += 8) {
        uint64_t zeros = odp_bytes_equal(odp_bytes_load8(p), 0);
        if (zeros != 0)
            return p + __builtin_ctzll(zeros) / 8;
    }
}

/* Bytes of the text or blob at P, without 00 FF; *P is behind it. */
static inline struct odp_slice take_bytes(struct writer_keys *k, const char **p)
{
    const char *zero = find_zero(*p);
    struct odp_slice whole = {*p, (size_t)(zero - *p)};
    if (zero[1] != 0) {
        odp_buffer_clear(&k->text);
        for (; zero[1] != 0; zero = find_zero(*p)) {
            odp_buffer_add(&k->text, *p, (size_t)(zero - *p) + 1);
            *p = zero + 2;
        }
        odp_buffer_add(&k->text, *p, (size_t)(zero - *p));
        whole = k->text.failed ? (struct odp_slice){"", 0} : odp_buffer_slice(&k->text);
    }
    *p = zero + 2;
    return whole;
}

/* One value of the key at P into ROW; where it ends. */
static inline const char *take_value(struct writer_keys *k, const char *p, struct tree_put *row)
{
    uint64_t bits;
    double r;
    switch (*p++) {
    case TAG_NULL:
        tree_put_null(row);
        return p;
    case TAG_INT:
        tree_put_int(row, (int64_t)(get_u64(p) ^ TOP));
        return p + sizeof bits;
    case TAG_REAL:
        bits = get_u64(p);
        bits = (bits & TOP) != 0 ? bits ^ TOP : ~bits;
        memcpy(&r, &bits, sizeof r);
        tree_put_real(row, r);
        return p + sizeof bits;
    case TAG_TEXT:
        tree_put_text(row, take_bytes(k, &p));
        return p;
    default:
        tree_put_blob(row, take_bytes(k, &p));
        return p;
    }
}

struct writing {
    struct writer_keys *keys;
    uint32_t nvalues;
    struct tree *tree;
    struct tree_row row;
    struct odp_buffer last; /* the key before */
    struct writer_keys_counts *counts;
};

/* Bytes that both begin with. */
static size_t common_bytes(struct odp_slice a, struct odp_slice b)
{
    size_t most = a.len < b.len ? a.len : b.len, same = 0;
    for (; same + 8 <= most; same += 8) {
        uint64_t x = odp_bytes_load8(a.ptr + same) ^ odp_bytes_load8(b.ptr + same);
        if (x != 0)
            return same + (size_t)__builtin_ctzll(x) / 8;
    }
    while (same < most && a.ptr[same] == b.ptr[same])
        same++;
    return same;
}

static enum odp_status write_key(struct writing *w, struct odp_slice key)
{
    const char *p = key.ptr, *end = key.ptr + key.len - ROWID;
    size_t same = common_bytes(key, odp_buffer_slice(&w->last));
    uint32_t equal = 0; /* values */
    struct tree_put row;
    tree_row_begin(&w->row);
    if (!tree_put_begin(&row, &w->row, w->nvalues + 1, key.len))
        return ODP_FAIL;
    for (uint32_t v = 0; v < w->nvalues; v++) {
        p = take_value(w->keys, p, &row);
        equal += w->counts->rows > 0 && (size_t)(p - key.ptr) <= same;
    }
    tree_put_int(&row, (int64_t)(get_u64(end) ^ TOP));
    tree_put_end(&row, &w->row);
    for (uint32_t v = equal; v < w->nvalues && v < 64; v++)
        w->counts->different[v]++;
    w->counts->any += equal < w->nvalues;
    w->counts->rows++;
    odp_buffer_clear(&w->last);
    char *last = odp_buffer_reserve(&w->last, key.len);
    if (last == NULL)
        return ODP_FAIL;
    w->last.len = (size_t)(odp_put(last, key) - last);
    if (odp_buffer_status(&w->keys->text) != ODP_OK)
        return ODP_FAIL;
    return tree_add_key(w->tree, tree_row_end(&w->row));
}

static enum odp_status merge(struct writing *w)
{
    struct writer_keys *k = w->keys;
    enum odp_status status = ODP_OK;
    k->heap = odp_realloc_array(NULL, k->nruns + 1, sizeof *k->heap);
    if (k->heap == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < k->nruns && status == ODP_OK; i++) {
        status = next_of_run(k, &k->runs[i]);
        k->heap[k->nheap++] = i;
    }
    for (size_t i = k->nheap; i > 0 && status == ODP_OK; i--)
        sift(k, i - 1);
    while (k->nheap > 0 && status == ODP_OK) {
        struct run *first = &k->runs[k->heap[0]];
        status = write_key(w, first->key);
        if (status == ODP_OK && (status = next_of_run(k, first)) == ODP_DONE) {
            k->heap[0] = k->heap[--k->nheap];
            status = ODP_OK;
        }
        sift(k, 0);
    }
    return status;
}

/* Sorts all pieces; one alone is written as it is, several by way of runs. */
static enum odp_status write_sorted(struct writing *w)
{
    struct writer_keys *k = w->keys;
    off_t at = 0, end;
    size_t n = 0;
    if (flush(k) != ODP_OK)
        return ODP_FAIL;
    end = k->size;
    while (at < end) {
        if (sort_piece(k, &at, end, &n) != ODP_OK)
            return ODP_FAIL;
        if (at == end && k->nruns == 0) {
            for (size_t i = 0; i < n; i++) {
                fetch_ahead(k, i, n);
                if (write_key(w, entry_key(k, i)) != ODP_OK)
                    return ODP_FAIL;
            }
            return ODP_OK;
        }
        if (write_run(k, n) != ODP_OK)
            return ODP_FAIL;
    }
    odp_buffer_release(&k->piece);
    return merge(w);
}

enum odp_status writer_keys_write(struct writer_keys *k, uint32_t nvalues, struct tree *t, struct writer_keys_counts *out)
{
    *out = (struct writer_keys_counts){0};
    struct writing w = {.keys = k, .nvalues = nvalues, .tree = t, .counts = out};
    tree_row_init(&w.row);
    odp_buffer_init(&w.last);
    enum odp_status status = write_sorted(&w);
    tree_row_release(&w.row);
    odp_buffer_release(&w.last);
    return status;
}
