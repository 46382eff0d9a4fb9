/* The leaves of the full-text table: its one segment. What a page is, says the comment at the beginning of SQLite's ext/fts5/fts5_index.c:
 *
 *   u16 offset of the first row, if it is before the first term · u16 bytes up to the footer
 *   terms (as many bytes as in the one before, how many other ones, those) and their doclists
 *   footer: for each term, how far it is behind the one before
 *
 * The first term of a page stands there whole, and the first row, if it is before that, is no step. A list goes on in the next page only where it is long; else the row begins there.
 * words_idx has for each page with a term a separator: the shortest text that is behind all earlier terms. A doclist over four pages and more has an index of its own (dlidx), of which page
 * begins with which row: pages that stand behind all leaves, kept in memory until then; they are a thousandth of those. */
#include "write/index/words_internal.h"

#include <errno.h>
#include <stdlib.h>

enum {
    PAGE = 4050,    /* FTS5's default */
    PAGE_MIN = 32,
    PAGE_MAX = 16000,
    SEGMENT = 1,    /* its number */
    HEAD = 4,
    LEAD = 8,       /* bytes of a record before its only blob, at most */
    LEAF_MAX = 65535,
    LEVELS = 6,
    TERMLESS_MIN = 4 /* pages; fewer are found without an index */
};

static int64_t id_of_leaf(uint32_t page)
{
    return ((int64_t)SEGMENT << 37) + page;
}

static int64_t id_of_index(uint32_t level, uint32_t page)
{
    return id_of_leaf(page) + ((int64_t)1 << 36) + ((int64_t)level << 31);
}

/* A page of the index of a doclist. */
struct level {
    struct odp_buffer bytes;
    uint32_t page;
    int64_t first, last;
};

struct words_segment {
    struct words_job job;
    struct tree *data, *index;
    struct tree_row row;
    uint32_t limit; /* bytes of a page */

    uint32_t page;         /* number of the leaf */
    uint32_t used, footer; /* bytes */
    uint32_t term_at;      /* where its last term is; 0: there is none */
    uint32_t row_at;       /* where its first row is, before the first term; 0: there is none */
    struct odp_buffer term; /* the last one */
    bool begins;           /* the term has no row yet */
    int64_t last_row;

    uint32_t separated; /* the last page with a term */
    struct odp_buffer separator;
    uint32_t termless; /* pages since then */
    struct level levels[LEVELS];
    struct odp_buffer later; /* pages for the end: struct later, bytes */
    uint64_t rows, keys;

    unsigned char footer_bytes[PAGE_MAX + WORDS_VARINT];
    unsigned char leaf[LEAD + LEAF_MAX + PAGE_MAX]; /* from LEAD on */
};

struct later {
    uint32_t level, page, n;
};

enum odp_status words_segment_new(struct words_segment **out, const struct words_job *job)
{
    struct words_segment *s = *out = calloc(1, sizeof *s);
    if (s == NULL)
        return odp_failure_set("write query index: words", job->path, ENOMEM);
    s->job = *job;
    s->limit = job->page == 0 ? PAGE : job->page > PAGE_MAX ? PAGE_MAX : job->page < PAGE_MIN ? PAGE_MIN : job->page;
    s->page = s->separated = 1;
    s->used = HEAD;
    tree_row_init(&s->row);
    odp_buffer_init(&s->term);
    odp_buffer_init(&s->separator);
    odp_buffer_init(&s->later);
    for (size_t k = 0; k < LEVELS; k++)
        odp_buffer_init(&s->levels[k].bytes);
    return tree_new(&s->data, job->pages, false) == ODP_OK ? tree_new(&s->index, job->pages, true) : ODP_FAIL;
}

void words_segment_free(struct words_segment *s)
{
    if (s == NULL)
        return;
    tree_free(s->data);
    tree_free(s->index);
    tree_row_release(&s->row);
    odp_buffer_release(&s->term);
    odp_buffer_release(&s->separator);
    odp_buffer_release(&s->later);
    for (size_t k = 0; k < LEVELS; k++)
        odp_buffer_release(&s->levels[k].bytes);
    free(s);
}

/* ---- the index of a doclist --------------------------------------------------------------------------------------------------- */

static void level_begin(struct level *l, bool root, uint32_t child, int64_t row)
{
    odp_buffer_clear(&l->bytes);
    odp_buffer_add_char(&l->bytes, root ? 0 : 1);
    words_add_number(&l->bytes, child);
    words_add_number(&l->bytes, (uint64_t)row);
    l->first = l->last = row;
}

static enum odp_status level_keep(struct words_segment *s, uint32_t level)
{
    const struct level *l = &s->levels[level];
    struct later head = {level, l->page, (uint32_t)l->bytes.len};
    odp_buffer_add(&s->later, &head, sizeof head);
    odp_buffer_add_slice(&s->later, odp_buffer_slice(&l->bytes));
    return odp_buffer_status(&l->bytes) == ODP_OK ? odp_buffer_status(&s->later) : ODP_FAIL;
}

/* The leaf begins with ROW. A page that is full has one beside it, and both one above them. */
static enum odp_status index_row(struct words_segment *s, int64_t row)
{
    uint32_t child = s->page;
    for (uint32_t k = 0; k < LEVELS; k++) {
        struct level *l = &s->levels[k];
        if (l->bytes.len < s->limit) {
            if (l->bytes.len == 0) {
                level_begin(l, true, child, row);
            } else {
                words_add_number(&l->bytes, (uint64_t)(row - l->last));
                l->last = row;
            }
            return odp_buffer_status(&l->bytes);
        }
        l->bytes.ptr[0] = 1; /* is not the root, now at the latest */
        if (level_keep(s, k) != ODP_OK)
            return ODP_FAIL;
        if (k + 1 < LEVELS && s->levels[k + 1].bytes.len == 0) {
            level_begin(&s->levels[k + 1], true, l->page, l->first);
            s->levels[k + 1].page = l->page;
        }
        l->page++;
        level_begin(l, false, child, row);
        child = l->page;
    }
    return odp_failure_set("write query index: too many words", s->job.path, 0);
}

/* The doclist ends. *KEPT: it has an index. */
static enum odp_status end_index(struct words_segment *s, bool *kept)
{
    *kept = s->levels[0].bytes.len > 0 && s->termless >= TERMLESS_MIN;
    for (uint32_t k = 0; k < LEVELS && s->levels[k].bytes.len > 0; k++) {
        if (*kept && level_keep(s, k) != ODP_OK)
            return ODP_FAIL;
        odp_buffer_clear(&s->levels[k].bytes);
    }
    s->termless = 0;
    return ODP_OK;
}

/* ---- rows of the tables --------------------------------------------------------------------------------------------------------- */

/* The page with a term before this one has its row in words_idx when its last doclist is over. */
static enum odp_status write_separator(struct words_segment *s)
{
    bool indexed;
    if (end_index(s, &indexed) != ODP_OK)
        return ODP_FAIL;
    tree_row_begin(&s->row);
    tree_row_int(&s->row, SEGMENT);
    tree_row_blob(&s->row, odp_buffer_slice(&s->separator));
    tree_row_int(&s->row, (int64_t)s->separated * 2 + indexed);
    s->keys++;
    return odp_buffer_status(&s->separator) == ODP_OK ? tree_add_key(s->index, tree_row_end(&s->row)) : ODP_FAIL;
}

/* The leaf as a row: its record is put together in its own place. */
static enum odp_status write_leaf(struct words_segment *s)
{
    unsigned char *leaf = s->leaf + LEAD, type[WORDS_VARINT];
    leaf[0] = (unsigned char)(s->row_at >> 8);
    leaf[1] = (unsigned char)s->row_at;
    leaf[2] = (unsigned char)(s->used >> 8);
    leaf[3] = (unsigned char)s->used;
    memcpy(leaf + s->used, s->footer_bytes, s->footer);
    if (s->term_at == 0) {
        s->termless++;
        if (s->row_at == 0 && s->levels[0].bytes.len > 0)
            words_add_number(&s->levels[0].bytes, 0);
    }
    size_t size = (size_t)s->used + s->footer, n = odp_varint_put(type, 12 + 2 * (uint64_t)size);
    unsigned char *record = leaf - n - 2;
    record[0] = (unsigned char)(n + 2);
    record[1] = 0;
    memcpy(record + 2, type, n);
    enum odp_status status = tree_add_row(s->data, id_of_leaf(s->page), (struct odp_slice){(const char *)record, n + 2 + size});
    s->rows++;
    if (s->page++ == INT32_MAX)
        return odp_failure_set("write query index: too many words", s->job.path, 0);
    s->used = HEAD;
    s->footer = s->term_at = s->row_at = 0;
    return status;
}

/* Those of the doclists' indexes, from below. */
static enum odp_status write_later(struct words_segment *s)
{
    for (uint32_t level = 0; level < LEVELS; level++)
        for (size_t at = 0; at < s->later.len;) {
            struct later head;
            memcpy(&head, s->later.ptr + at, sizeof head);
            at += sizeof head;
            tree_row_begin(&s->row);
            tree_row_null(&s->row);
            tree_row_blob(&s->row, (struct odp_slice){s->later.ptr + at, head.n});
            at += head.n;
            if (head.level != level)
                continue;
            s->rows++;
            if (tree_add_row(s->data, id_of_index(level, head.page), tree_row_end(&s->row)) != ODP_OK)
                return ODP_FAIL;
        }
    return ODP_OK;
}

/* ---- terms ---------------------------------------------------------------------------------------------------------------------- */

static uint32_t room(const struct words_segment *s)
{
    uint32_t full = s->used + s->footer;
    return full < s->limit ? s->limit - full : 0;
}

static void add(struct words_segment *s, const void *bytes, size_t n)
{
    memcpy(s->leaf + LEAD + s->used, bytes, n);
    s->used += (uint32_t)n;
}

static void add_number(struct words_segment *s, uint64_t v)
{
    s->used += (uint32_t)odp_varint_put(s->leaf + LEAD + s->used, v);
}

/* Bytes of a list that begins a new page rather than being parted. */
static size_t whole(const struct words_segment *s, struct odp_slice list)
{
    return list.len < s->limit / 4 ? list.len : s->limit / 4;
}

/* A list, parted between its numbers where the page ends. */
static enum odp_status write_list(struct words_segment *s, struct odp_slice list)
{
    const unsigned char *p = (const unsigned char *)list.ptr, *end = p + list.len;
    while ((size_t)(end - p) > room(s)) {
        size_t most = room(s), n = 0;
        for (uint64_t ignored; n < most;)
            n += words_get(p + n, &ignored);
        add(s, p, n);
        p += n;
        if (write_leaf(s) != ODP_OK)
            return ODP_FAIL;
    }
    add(s, p, (size_t)(end - p));
    return ODP_OK;
}

enum odp_status words_segment_list(struct words_segment *s, int64_t row, struct odp_slice list)
{
    if (room(s) < 2 * WORDS_VARINT + whole(s, list) && s->used > HEAD) {
        size_t n = words_size((uint64_t)(s->begins ? row : row - s->last_row)) + words_size((uint64_t)list.len * 2);
        if (room(s) < n + whole(s, list) && write_leaf(s) != ODP_OK)
            return ODP_FAIL;
    }
    bool first = s->term_at == 0 && s->row_at == 0;
    if (first) {
        s->row_at = s->used;
        if (index_row(s, row) != ODP_OK)
            return ODP_FAIL;
    }
    add_number(s, (uint64_t)(first || s->begins ? row : row - s->last_row));
    add_number(s, (uint64_t)list.len * 2);
    s->begins = false;
    s->last_row = row;
    return write_list(s, list);
}

size_t words_segment_lists(struct words_segment *s, const unsigned char *bytes, size_t n, int64_t stop, int64_t *row)
{
    size_t most = room(s), taken = 0;
    int64_t last = s->last_row;
    if (s->term_at == 0 && s->row_at == 0)
        return 0; /* the page's first row is no step */
    most = n < most ? n : most;
    while (taken < most) {
        uint64_t step, size;
        size_t at = taken + words_get(bytes + taken, &step);
        at += words_get(bytes + at, &size);
        at += size / 2;
        if (at > most || last + (int64_t)step >= stop)
            break;
        taken = at;
        last += (int64_t)step;
    }
    add(s, bytes, taken);
    *row = s->last_row = last;
    return taken;
}

/* Bytes that are the same in both. */
static size_t equal(struct odp_slice a, struct odp_slice b)
{
    size_t n = 0;
    while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
        n++;
    return n;
}

static enum odp_status separate(struct words_segment *s, struct odp_slice term, size_t same)
{
    if (s->page == 1)
        return ODP_OK;
    if (write_separator(s) != ODP_OK)
        return ODP_FAIL;
    odp_buffer_clear(&s->separator);
    odp_buffer_add(&s->separator, term.ptr, same + 1);
    s->separated = s->page;
    return ODP_OK;
}

enum odp_status words_segment_term(struct words_segment *s, struct odp_slice term, int64_t row, struct odp_slice list)
{
    size_t same = equal(odp_buffer_slice(&s->term), term), kept = same;
    if (room(s) < term.len + 4 * WORDS_VARINT + whole(s, list) && s->used > HEAD && write_leaf(s) != ODP_OK)
        return ODP_FAIL;
    s->footer += (uint32_t)odp_varint_put(s->footer_bytes + s->footer, s->used - s->term_at);
    if (s->term_at == 0) {
        kept = 0;
        if (separate(s, term, same) != ODP_OK)
            return ODP_FAIL;
    }
    bool first = s->term_at == 0;
    s->term_at = s->used;
    if (!first)
        add_number(s, kept);
    add_number(s, term.len - kept);
    add(s, term.ptr + kept, term.len - kept);
    odp_buffer_clear(&s->term);
    odp_buffer_add_slice(&s->term, term);
    s->levels[0].page = s->page;
    s->begins = true;
    return odp_buffer_status(&s->term) == ODP_OK ? words_segment_list(s, row, list) : ODP_FAIL;
}

/* ---- end ------------------------------------------------------------------------------------------------------------------------ */

/* One level with one segment; without a leaf, none. */
static void add_structure(struct odp_buffer *out, uint32_t leaves)
{
    odp_buffer_add(out, "\0\0\0\0", 4); /* how often the options were changed */
    if (leaves == 0) {
        odp_buffer_add(out, "\0\0\0", 3);
        return;
    }
    odp_buffer_add(out, "\1\1\0" "\0\1", 5); /* levels, segments, leaves written before; merging none, segments */
    words_add_number(out, SEGMENT);
    words_add_number(out, 1);
    words_add_number(out, leaves);
}

enum odp_status words_segment_end(struct words_segment *s, struct words_made *out)
{
    if (s->used > HEAD && write_leaf(s) != ODP_OK)
        return ODP_FAIL;
    if (s->page > 1 && write_separator(s) != ODP_OK) /* also where the last list has filled the last leaf to its end */
        return ODP_FAIL;
    if (write_later(s) != ODP_OK || tree_end(s->data, &out->data) != ODP_OK || tree_end(s->index, &out->index) != ODP_OK)
        return ODP_FAIL;
    add_structure(&out->structure, s->page - 1);
    out->leaves = s->rows;
    out->separators = s->keys;
    return odp_buffer_status(&out->structure);
}
