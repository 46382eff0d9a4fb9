/* See keys.h. The bytes of a value:
 *
 *   null   00
 *   number 10 and an integer of 64 bits, or 11 and a double, either with its bits turned so that bytes order them (a column has only one of the two)
 *   text   20, blob 30: the bytes, 00 as 00 FF, then 00 00
 *
 * and at the end the rowid, eight bytes. In the scratch file and in memory u32 n stands before each key. */
#include "search/keys.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "writer_parts.h"

enum {
    PIECE = 16 << 20,    /* bytes that are sorted at once */
    BUFFER = 64 << 10,   /* of the scratch file, and of each run while they are merged */
    ROWID = 8
};

enum { TAG_NULL = 0, TAG_INT = 0x10, TAG_REAL = 0x11, TAG_TEXT = 0x20, TAG_BLOB = 0x30 };

/* A key in memory; while sorting, the eight bytes that are looked at. */
struct entry {
    uint64_t part;
    uint32_t at, n;
};

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
    struct odp_buffer key, buffer;
    struct odp_buffer piece;
    struct entry *entries, *spare;
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
    odp_buffer_init(&k->key);
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
    odp_buffer_release(&k->key);
    odp_buffer_release(&k->buffer);
    odp_buffer_release(&k->piece);
    odp_buffer_release(&k->text);
    free(k);
}

static void add_u64(struct odp_buffer *out, uint64_t v)
{
    v = htobe64(v);
    odp_buffer_add(out, &v, sizeof v);
}

static uint64_t get_u64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return be64toh(v);
}

static const uint64_t TOP = (uint64_t)1 << 63;

static void add_bytes(struct odp_buffer *out, char tag, struct odp_slice s)
{
    odp_buffer_add_char(out, tag);
    for (const char *zero; s.len > 0 && (zero = memchr(s.ptr, 0, s.len)) != NULL;) {
        size_t n = (size_t)(zero - s.ptr) + 1;
        odp_buffer_add(out, s.ptr, n);
        odp_buffer_add_char(out, (char)0xff);
        s = (struct odp_slice){s.ptr + n, s.len - n};
    }
    if (s.len > 0)
        odp_buffer_add(out, s.ptr, s.len);
    odp_buffer_add(out, "\0", 2);
}

void writer_keys_begin(struct writer_keys *k)
{
    static const uint32_t later = 0;
    odp_buffer_clear(&k->key);
    odp_buffer_add(&k->key, &later, sizeof later);
}

void writer_keys_value(struct writer_keys *k, const struct writer_value *v)
{
    uint64_t bits;
    double r = v->r == 0 ? 0 : v->r; /* there is one zero */
    switch (v->tag) {
    case WRITER_INT:
        odp_buffer_add_char(&k->key, TAG_INT);
        add_u64(&k->key, (uint64_t)v->i ^ TOP);
        break;
    case WRITER_REAL:
        memcpy(&bits, &r, sizeof bits);
        odp_buffer_add_char(&k->key, TAG_REAL);
        add_u64(&k->key, (bits & TOP) != 0 ? ~bits : bits | TOP);
        break;
    case WRITER_TEXT:
    case WRITER_CODE:
        add_bytes(&k->key, TAG_TEXT, v->text);
        break;
    case WRITER_BLOB:
        add_bytes(&k->key, TAG_BLOB, v->text);
        break;
    case WRITER_NULL:
        odp_buffer_add_char(&k->key, TAG_NULL);
        break;
    }
}

static enum odp_status write_at(struct writer_keys *k, struct odp_slice bytes)
{
    while (bytes.len > 0) {
        ssize_t n = pwrite(k->fd, bytes.ptr, bytes.len, k->size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return failed(k, "write", n < 0 ? errno : ENOSPC);
        bytes.ptr += n;
        bytes.len -= (size_t)n;
        k->size += n;
    }
    return ODP_OK;
}

static enum odp_status flush(struct writer_keys *k)
{
    enum odp_status status = odp_buffer_status(&k->buffer);
    if (status == ODP_OK)
        status = write_at(k, odp_buffer_slice(&k->buffer));
    odp_buffer_clear(&k->buffer);
    return status;
}

enum odp_status writer_keys_end(struct writer_keys *k, int64_t rowid)
{
    add_u64(&k->key, (uint64_t)rowid ^ TOP);
    if (odp_buffer_status(&k->key) != ODP_OK)
        return ODP_FAIL;
    uint32_t n = (uint32_t)(k->key.len - sizeof n);
    if (k->key.len > INT32_MAX)
        return failed(k, "write query index: a key is too long", 0);
    memcpy(k->key.ptr, &n, sizeof n);
    if (k->buffer.len + k->key.len > BUFFER && flush(k) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_add_slice(&k->buffer, odp_buffer_slice(&k->key));
    return odp_buffer_status(&k->buffer);
}

/* ---- sorting ------------------------------------------------------------------------------------------------------------------ */

/* By PART, those of equal ones in the order in which they were; what is in order already is not touched. */
static void merge_sort(struct entry *e, struct entry *spare, size_t n)
{
    if (n <= 8) {
        for (size_t i = 1; i < n; i++) {
            struct entry x = e[i];
            size_t k = i;
            for (; k > 0 && e[k - 1].part > x.part; k--)
                e[k] = e[k - 1];
            e[k] = x;
        }
        return;
    }
    size_t half = n / 2, i = 0, j = half, w = 0;
    merge_sort(e, spare, half);
    merge_sort(e + half, spare, n - half);
    if (e[half - 1].part <= e[half].part)
        return;
    memcpy(spare, e, half * sizeof *e);
    while (i < half && j < n)
        e[w++] = spare[i].part <= e[j].part ? spare[i++] : e[j++];
    memcpy(e + w, spare + i, (half - i) * sizeof *e);
}

/* Keys that are equal up to DEPTH, by their next eight bytes, and so on. No key is a beginning of another one: each value and the rowid tell their end. */
static void sort(const char *base, struct entry *e, struct entry *spare, size_t n, uint32_t depth)
{
    while (n > 1) {
        bool ordered = true;
        for (size_t i = 0; i < n; i++) {
            uint32_t left = e[i].n > depth ? e[i].n - depth : 0;
            char bytes[8] = {0};
            memcpy(bytes, base + e[i].at + depth, left < 8 ? left : 8);
            e[i].part = get_u64(bytes);
            ordered = ordered && (i == 0 || e[i - 1].part <= e[i].part);
        }
        if (!ordered)
            merge_sort(e, spare, n);
        depth += 8;
        size_t from = 0, largest_at = 0, largest = 0;
        for (size_t i = 1; i <= n; i++) { /* all but the largest group by recursion, so that it never goes deeper than the logarithm of n */
            if (i < n && e[i].part == e[from].part)
                continue;
            size_t group = i - from;
            if (group > largest) {
                if (largest > 1)
                    sort(base, e + largest_at, spare, largest, depth);
                largest = group;
                largest_at = from;
            } else if (group > 1) {
                sort(base, e + from, spare, group, depth);
            }
            from = i;
        }
        e += largest_at;
        n = largest;
    }
}

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
            struct entry *entries = odp_realloc_array(k->entries, cap, sizeof *entries);
            if (entries == NULL)
                return ODP_FAIL;
            k->entries = entries;
            free(k->spare);
            k->spare = odp_realloc_array(NULL, cap, sizeof *k->spare);
            k->cap = k->spare != NULL ? cap : 0;
            if (k->spare == NULL)
                return ODP_FAIL;
        }
        k->entries[(*n)++] = (struct entry){0, (uint32_t)(*used + sizeof len), len};
        *used += sizeof len + len;
    }
    return ODP_OK;
}

static enum odp_status read_at(const struct writer_keys *k, off_t at, char *to, size_t n)
{
    while (n > 0) {
        ssize_t got = pread(k->fd, to, n, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return failed(k, "read", got < 0 ? errno : EIO);
        to += got;
        at += got;
        n -= (size_t)got;
    }
    return ODP_OK;
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
    sort(k->piece.ptr, k->entries, k->spare, *n, 0);
    *at += (off_t)used;
    return ODP_OK;
}

static struct odp_slice entry_key(const struct writer_keys *k, size_t i)
{
    return (struct odp_slice){k->piece.ptr + k->entries[i].at, k->entries[i].n};
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

/* Bytes of the text or blob at P, without 00 FF; *P is behind it. */
static struct odp_slice take_bytes(struct writer_keys *k, const char **p, const char *end)
{
    const char *zero = memchr(*p, 0, (size_t)(end - *p));
    struct odp_slice whole = {*p, (size_t)(zero - *p)};
    odp_buffer_clear(&k->text);
    while (zero[1] != 0) {
        odp_buffer_add(&k->text, *p, (size_t)(zero - *p) + 1);
        *p = zero + 2;
        zero = memchr(*p, 0, (size_t)(end - *p));
    }
    if (k->text.len > 0) {
        odp_buffer_add(&k->text, *p, (size_t)(zero - *p));
        whole = odp_buffer_slice(&k->text);
    }
    *p = zero + 2;
    return whole;
}

/* One value of the key at *P into ROW. */
static void take_value(struct writer_keys *k, const char **p, const char *end, struct tree_row *row)
{
    char tag = *(*p)++;
    uint64_t bits;
    double r;
    switch (tag) {
    case TAG_NULL:
        tree_row_null(row);
        return;
    case TAG_INT:
        tree_row_int(row, (int64_t)(get_u64(*p) ^ TOP));
        *p += 8;
        return;
    case TAG_REAL:
        bits = get_u64(*p);
        bits = (bits & TOP) != 0 ? bits ^ TOP : ~bits;
        memcpy(&r, &bits, sizeof r);
        tree_row_real(row, r);
        *p += 8;
        return;
    case TAG_TEXT:
        tree_row_text(row, take_bytes(k, p, end));
        return;
    default:
        tree_row_blob(row, take_bytes(k, p, end));
        return;
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

static enum odp_status write_key(struct writing *w, struct odp_slice key)
{
    const char *p = key.ptr, *end = key.ptr + key.len - ROWID;
    size_t most = key.len < w->last.len ? key.len : w->last.len, same = 0;
    uint32_t equal = 0; /* values */
    for (uint64_t a, b; same + sizeof a <= most; same += sizeof a) {
        memcpy(&a, key.ptr + same, sizeof a);
        memcpy(&b, w->last.ptr + same, sizeof b);
        if (a != b)
            break;
    }
    while (same < most && key.ptr[same] == w->last.ptr[same])
        same++;
    tree_row_begin(&w->row);
    for (uint32_t v = 0; v < w->nvalues; v++) {
        take_value(w->keys, &p, end, &w->row);
        equal += w->counts->rows > 0 && (size_t)(p - key.ptr) <= same;
    }
    tree_row_int(&w->row, (int64_t)(get_u64(end) ^ TOP));
    for (uint32_t v = equal; v < w->nvalues && v < 64; v++)
        w->counts->different[v]++;
    w->counts->any += equal < w->nvalues;
    w->counts->rows++;
    odp_buffer_clear(&w->last);
    odp_buffer_add_slice(&w->last, key);
    return odp_buffer_status(&w->last) == ODP_OK ? tree_add_key(w->tree, tree_row_end(&w->row)) : ODP_FAIL;
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
            for (size_t i = 0; i < n; i++)
                if (write_key(w, entry_key(k, i)) != ODP_OK)
                    return ODP_FAIL;
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
