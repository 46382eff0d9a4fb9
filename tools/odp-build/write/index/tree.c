/* See tree.h. A tree keeps one open page a level. A page is written when what comes next does not fit in it, so children always lie before their parents,
 * and a page's number is known when its parent needs it.
 *
 *   - Rows are in leaves only; a parent holds the largest rowid of each child but the last.
 *   - Keys of an index are in all pages: the one between two children stands in their parent. So the key that does not fit in a page goes up.
 *   - No page may be empty. A key goes up (it is `pending`) only when another one follows it; at the end one is taken out of the page before instead. */
#include "write/index/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/put.h"
#include "write/index/varint.h"

enum {
    LEVELS = 16,
    BUFFER = 16 * TREE_PAGE, /* written at a time: what stays in a core's cache */
    LOCK_PAGE = (1 << 30) / TREE_PAGE + 1, /* has the byte at 2^30, which SQLite locks: never used */
    ROW_LOCAL = TREE_PAGE - 35, /* bytes of a record that stay in its page, at most; at least LEAST of one that does not fit */
    KEY_LOCAL = (TREE_PAGE - 12) * 64 / 255 - 23,
    LEAST = (TREE_PAGE - 12) * 32 / 255 - 23,
    PENDING_MAX = KEY_LOCAL + 32
};

enum { TABLE_LEAF = 0x0d, TABLE_INSIDE = 0x05, INDEX_LEAF = 0x0a, INDEX_INSIDE = 0x02 };

/* ---- bytes ------------------------------------------------------------------------------------------------------------------ */

static void put_u16(unsigned char *p, uint32_t v)
{
    p[0] = (unsigned char)(v >> 8);
    p[1] = (unsigned char)v;
}

static void put_u32(unsigned char *p, uint32_t v)
{
    put_u16(p, v >> 16);
    put_u16(p + 2, v & 0xffff);
}

/* ---- the file --------------------------------------------------------------------------------------------------------------- */

struct tree_pages {
    int fd;
    const char *path;
    uint32_t next; /* number of the next page */
    size_t used;
    bool failed;
    unsigned char bytes[BUFFER];
};

static enum odp_status fail(struct tree_pages *p, const char *op, int errnum)
{
    p->failed = true;
    return odp_failure_set(op, p->path, errnum);
}

static enum odp_status write_all(struct tree_pages *p, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(p->fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(p, "write query index", n < 0 ? errno : ENOSPC);
        bytes += n;
        len -= (size_t)n;
    }
    return ODP_OK;
}

static enum odp_status flush(struct tree_pages *p)
{
    size_t len = p->used;
    p->used = 0;
    return p->failed ? ODP_FAIL : write_all(p, p->bytes, len);
}

static uint32_t following(uint32_t number)
{
    return number + 1 == LOCK_PAGE ? number + 2 : number + 1;
}

static const unsigned char no_page[TREE_PAGE];

/* PAGE becomes the next one; its number is what p->next was. */
static enum odp_status append_page(struct tree_pages *p, const unsigned char *page)
{
    if (p->used == BUFFER && flush(p) != ODP_OK)
        return ODP_FAIL;
    memcpy(p->bytes + p->used, page, TREE_PAGE);
    p->used += TREE_PAGE;
    if (p->next >= INT32_MAX - 1)
        return fail(p, "write query index: too many pages", 0);
    uint32_t next = following(p->next);
    if (next != p->next + 1) {
        p->next = next - 1;
        return append_page(p, no_page);
    }
    p->next = next;
    return p->failed ? ODP_FAIL : ODP_OK;
}

enum odp_status tree_pages_new(struct tree_pages **out, const char *path)
{
    *out = NULL;
    struct tree_pages *p = malloc(sizeof *p);
    if (p == NULL)
        return odp_failure_set("write query index", path, ENOMEM);
    p->path = path;
    p->next = 1;
    p->used = 0;
    p->failed = false;
    do
        p->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    while (p->fd < 0 && errno == EINTR);
    if (p->fd < 0) {
        (void)odp_failure_set("create", path, errno);
        free(p);
        return ODP_FAIL;
    }
    *out = p;
    return append_page(p, no_page); /* page 1, for now */
}

/* Page 1 (1.3): the header of the file, and a schema without tables. */
static void make_first(unsigned char page[TREE_PAGE], uint32_t pages, uint32_t application_id, uint32_t user_version)
{
    static const unsigned char fixed[] = {1, 1, 0, 64, 32, 32}; /* no write-ahead log, nothing reserved, payload fractions */
    memset(page, 0, TREE_PAGE);
    memcpy(page, "SQLite format 3", 16);
    put_u16(page + 16, TREE_PAGE);
    memcpy(page + 18, fixed, sizeof fixed);
    put_u32(page + 24, 1); /* changes */
    put_u32(page + 28, pages);
    put_u32(page + 40, 1); /* schema cookie */
    put_u32(page + 44, 4); /* schema format */
    put_u32(page + 56, 1); /* UTF-8 */
    put_u32(page + 60, user_version);
    put_u32(page + 68, application_id);
    put_u32(page + 92, 1); /* the number of changes for which the number of pages is true */
    put_u32(page + 96, SQLITE_VERSION_NUMBER);
    page[100] = TABLE_LEAF;
    put_u16(page + 105, TREE_PAGE);
}

enum odp_status tree_pages_end(struct tree_pages *p, uint32_t application_id, uint32_t user_version)
{
    unsigned char page[TREE_PAGE];
    enum odp_status status = flush(p);
    make_first(page, p->next - 1, application_id, user_version);
    if (status == ODP_OK && lseek(p->fd, 0, SEEK_SET) != 0)
        status = fail(p, "write query index", errno);
    if (status == ODP_OK)
        status = write_all(p, page, sizeof page);
    int fd = p->fd;
    p->fd = -1;
    if (close(fd) != 0 && errno != EINTR && status == ODP_OK)
        status = odp_failure_set("close", p->path, errno);
    free(p);
    return status;
}

void tree_pages_abort(struct tree_pages *p)
{
    if (p == NULL)
        return;
    (void)close(p->fd);
    free(p);
}

/* ---- pages of a tree -------------------------------------------------------------------------------------------------------- */

struct node {
    uint32_t header; /* bytes: 8, or 12 with children */
    uint32_t n;      /* cells */
    uint32_t top;    /* they begin here */
    uint32_t last;   /* bytes of the last one */
    size_t pending;  /* bytes of what does not fit any more; 0: nothing */
    uint32_t pending_child;
    unsigned char pending_cell[PENDING_MAX];
    unsigned char page[TREE_PAGE];
};

struct tree {
    struct tree_pages *pages;
    bool index;
    int64_t last_row;
    struct node *nodes[LEVELS]; /* leaves first */
};

static struct node *node_new(uint32_t header)
{
    struct node *n = calloc(1, sizeof *n);
    if (n == NULL)
        return NULL;
    n->header = header;
    n->top = TREE_PAGE;
    return n;
}

static bool fits(const struct node *n, size_t size)
{
    return n->header + 2 * ((size_t)n->n + 1) + size <= n->top;
}

/* Room for a cell of SIZE bytes; the page has it. */
static inline unsigned char *place_cell(struct node *n, size_t size)
{
    n->top -= (uint32_t)size; /* never less than 4, which SQLite would take it for */
    put_u16(n->page + n->header + 2 * n->n, n->top);
    n->n++;
    n->last = (uint32_t)size;
    return n->page + n->top;
}

/* CHILD stands before the cell where the page has children. */
static void add_cell(struct node *n, uint32_t child, const unsigned char *cell, size_t size)
{
    size_t lead = n->header == 12 ? 4 : 0;
    unsigned char *w = place_cell(n, lead + size);
    if (lead > 0)
        put_u32(w, child);
    memcpy(w + lead, cell, size);
}

/* Takes the last cell out again, without its child (*CHILD). */
static size_t take_cell(struct node *n, uint32_t *child, unsigned char *cell)
{
    size_t lead = n->header == 12 ? 4 : 0, size = n->last - lead;
    const unsigned char *at = n->page + n->top;
    *child = lead > 0 ? (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3] : 0;
    memcpy(cell, at + lead, size);
    n->top += n->last;
    n->n--;
    return size;
}

/* Writes the page; N is empty then. */
static enum odp_status write_node(struct tree *t, struct node *n, uint32_t right, uint32_t *number)
{
    bool leaf = n->header == 8;
    n->page[0] = t->index ? (leaf ? INDEX_LEAF : INDEX_INSIDE) : leaf ? TABLE_LEAF : TABLE_INSIDE;
    put_u16(n->page + 1, 0);
    put_u16(n->page + 3, n->n);
    put_u16(n->page + 5, n->top);
    n->page[7] = 0;
    if (!leaf)
        put_u32(n->page + 8, right);
    uint32_t unused = n->header + 2 * n->n;
    memset(n->page + unused, 0, n->top - unused); /* what an earlier page had there */
    *number = t->pages->next;
    n->n = 0;
    n->top = TREE_PAGE;
    return append_page(t->pages, n->page);
}

/* Page CHILD, and behind it CELL, in the parents of LEVEL. */
static enum odp_status push(struct tree *t, size_t level, uint32_t child, const unsigned char *cell, size_t size)
{
    if (level == LEVELS)
        return odp_failure_set("write query index: too many levels", t->pages->path, 0);
    if (t->nodes[level] == NULL && (t->nodes[level] = node_new(12)) == NULL)
        return odp_failure_set("write query index", t->pages->path, ENOMEM);
    struct node *n = t->nodes[level];
    if (n->pending > 0) {
        uint32_t number;
        if (write_node(t, n, n->pending_child, &number) != ODP_OK || push(t, level + 1, number, n->pending_cell, n->pending) != ODP_OK)
            return ODP_FAIL;
        n->pending = 0;
    }
    if (fits(n, size + 4)) {
        add_cell(n, child, cell, size);
        return ODP_OK;
    }
    memcpy(n->pending_cell, cell, size);
    n->pending = size;
    n->pending_child = child;
    return ODP_OK;
}

/* What has not gone up yet is made the only cell of a page of its own; the last one before it goes up. */
static enum odp_status settle_pending(struct tree *t, size_t level)
{
    struct node *n = t->nodes[level];
    unsigned char cell[PENDING_MAX];
    uint32_t child, number;
    if (n->pending == 0)
        return ODP_OK;
    size_t size = take_cell(n, &child, cell);
    if (write_node(t, n, child, &number) != ODP_OK || push(t, level + 1, number, cell, size) != ODP_OK)
        return ODP_FAIL;
    add_cell(n, n->pending_child, n->pending_cell, n->pending);
    n->pending = 0;
    return ODP_OK;
}

/* ---- cells -------------------------------------------------------------------------------------------------------------------- */

/* What of RECORD does not stay in its page: a chain of pages, from the next one on. */
static enum odp_status write_overflow(struct tree_pages *p, struct odp_slice rest)
{
    unsigned char page[TREE_PAGE];
    while (rest.len > 0) {
        size_t n = rest.len < TREE_PAGE - 4 ? rest.len : TREE_PAGE - 4;
        put_u32(page, rest.len > n ? following(p->next) : 0);
        memcpy(page + 4, rest.ptr, n);
        memset(page + 4 + n, 0, TREE_PAGE - 4 - n);
        if (append_page(p, page) != ODP_OK)
            return ODP_FAIL;
        rest.ptr += n;
        rest.len -= n;
    }
    return ODP_OK;
}

/* RECORD as a cell of a leaf: what goes before it, and of it what stays in the page; behind that, where the rest is. */
struct cell {
    unsigned char head[18], chain[4];
    size_t nhead, nchain;
    struct odp_slice local;
    size_t size;
};

static enum odp_status make_cell(struct tree *t, const int64_t *rowid, struct odp_slice record, struct cell *c)
{
    size_t most = t->index ? KEY_LOCAL : ROW_LOCAL;
    c->nhead = odp_varint_put(c->head, record.len);
    if (rowid != NULL)
        c->nhead += odp_varint_put(c->head + c->nhead, (uint64_t)*rowid);
    c->local = record;
    c->nchain = 0;
    if (record.len > most) {
        size_t local = LEAST + (record.len - LEAST) % (TREE_PAGE - 4);
        c->local.len = local > most ? LEAST : local;
        c->nchain = sizeof c->chain;
        put_u32(c->chain, t->pages->next);
        if (write_overflow(t->pages, (struct odp_slice){record.ptr + c->local.len, record.len - c->local.len}) != ODP_OK)
            return ODP_FAIL;
    }
    c->size = c->nhead + c->local.len + c->nchain;
    return ODP_OK;
}

static void put_cell(unsigned char *w, const struct cell *c)
{
    memcpy(w, c->head, c->nhead);
    memcpy(odp_put((char *)w + c->nhead, c->local), c->chain, c->nchain);
}

enum odp_status tree_new(struct tree **out, struct tree_pages *p, bool index)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL || ((*out)->nodes[0] = node_new(8)) == NULL)
        return odp_failure_set("write query index", p->path, ENOMEM);
    (*out)->pages = p;
    (*out)->index = index;
    return ODP_OK;
}

void tree_free(struct tree *t)
{
    for (size_t k = 0; t != NULL && k < LEVELS; k++)
        free(t->nodes[k]);
    free(t);
}

enum odp_status tree_add_row(struct tree *t, int64_t rowid, struct odp_slice record)
{
    struct node *leaf = t->nodes[0];
    struct cell cell;
    if (record.ptr == NULL || make_cell(t, &rowid, record, &cell) != ODP_OK)
        return ODP_FAIL;
    if (!fits(leaf, cell.size)) {
        unsigned char key[9];
        uint32_t number;
        size_t len = odp_varint_put(key, (uint64_t)t->last_row);
        if (write_node(t, leaf, 0, &number) != ODP_OK || push(t, 1, number, key, len) != ODP_OK)
            return ODP_FAIL;
    }
    t->last_row = rowid;
    put_cell(place_cell(leaf, cell.size), &cell);
    return ODP_OK;
}

enum odp_status tree_add_key(struct tree *t, struct odp_slice record)
{
    struct node *leaf = t->nodes[0];
    struct cell cell;
    if (record.ptr == NULL || make_cell(t, NULL, record, &cell) != ODP_OK)
        return ODP_FAIL;
    if (leaf->pending > 0) {
        uint32_t number;
        if (write_node(t, leaf, 0, &number) != ODP_OK || push(t, 1, number, leaf->pending_cell, leaf->pending) != ODP_OK)
            return ODP_FAIL;
        leaf->pending = 0;
    }
    if (fits(leaf, cell.size)) {
        put_cell(place_cell(leaf, cell.size), &cell);
        return ODP_OK;
    }
    put_cell(leaf->pending_cell, &cell);
    leaf->pending = cell.size;
    return ODP_OK;
}

enum odp_status tree_end(struct tree *t, uint32_t *root)
{
    *root = 0;
    for (size_t level = 0; level < LEVELS && t->nodes[level] != NULL; level++)
        if (settle_pending(t, level) != ODP_OK || write_node(t, t->nodes[level], *root, root) != ODP_OK)
            return ODP_FAIL;
    return ODP_OK;
}
