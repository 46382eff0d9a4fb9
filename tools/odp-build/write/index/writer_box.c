/* The R*Tree, packed: all boxes are known before the first node is written, so the tree is made from the leaves up by
 * Sort-Tile-Recursive (Leutenegger, Lopez, Edgington 1997): strips by longitude, in each strip runs by latitude, every node
 * full. That is some ten times as fast as inserting one by one, and the nodes overlap less.
 *
 * SQLite documents the tables behind an R*Tree (The SQLite R*Tree Module, section 4.1, and the head of rtree.c):
 *   box_node(nodeno, data)       root is 1; data: u16 depth (of the root alone), u16 cells, then cells of i64 id and four i32,
 * big-endian: west, east, south, north; in a leaf the id is a record's, else a node's. Zeros up to the node's fixed size
 *   box_rowid(rowid, nodeno)     the leaf of each record        box_parent(nodeno, parentnode)      of each node but the root
 * The test asks rtreecheck(), which knows them. Memory: 32 bytes a record with a geometry. */
#include <errno.h>
#include <stdlib.h>

#include "write/index/index_internal.h"

enum { HEAD = 4, CELL = 24, LEVELS_MAX = 40 };

/* A record's box, or a node's; PLACE: which record or node it is. */
struct entry {
    int32_t box[4]; /* west, south, east, north */
    uint32_t place;
};

struct writer_boxes {
    struct entry *entries;
    int64_t *ids; /* by place */
    uint32_t n, cap;
};

enum odp_status writer_boxes_new(struct odp_search_writer *w)
{
    w->boxes = odp_arena_zero(&w->arena, 1, sizeof *w->boxes);
    return w->boxes != NULL ? ODP_OK : ODP_FAIL;
}

void writer_boxes_free(struct odp_search_writer *w)
{
    if (w->boxes == NULL)
        return;
    free(w->boxes->entries);
    free(w->boxes->ids);
    *w->boxes = (struct writer_boxes){0};
}

static bool grow(struct writer_boxes *b)
{
    uint32_t cap = b->cap != 0 ? b->cap * 2 : 1024;
    if (b->cap > UINT32_MAX / 2)
        return false;
    struct entry *entries = odp_realloc_array(b->entries, cap, sizeof *entries);
    if (entries == NULL)
        return false;
    b->entries = entries;
    int64_t *ids = odp_realloc_array(b->ids, cap, sizeof *ids);
    if (ids == NULL)
        return false;
    b->ids = ids;
    b->cap = cap;
    return true;
}

enum odp_status writer_boxes_add(struct odp_search_writer *w, int64_t id, const int32_t box[4])
{
    struct writer_boxes *b = w->boxes;
    if (b->n == b->cap && !grow(b))
        return w->status = odp_failure_set("write query index: boxes", w->job.path, ENOMEM);
    memcpy(b->entries[b->n].box, box, sizeof b->entries->box);
    b->entries[b->n].place = b->n;
    b->ids[b->n++] = id;
    return ODP_OK;
}

/* ---- order -----------------------------------------------------------------------------------------------------------------
 */

static int by_middle(const struct entry *a, const struct entry *b, int axis)
{
    int64_t x = (int64_t)a->box[axis] + a->box[axis + 2], y = (int64_t)b->box[axis] + b->box[axis + 2];
    return x != y ? (x > y) - (x < y) : (a->place > b->place) - (a->place < b->place);
}

static int by_longitude(const void *a, const void *b)
{
    return by_middle(a, b, 0);
}

static int by_latitude(const void *a, const void *b)
{
    return by_middle(a, b, 1);
}

/* Nodes of CAP entries, one after the other. */
static void tile(struct entry *entries, uint32_t n, uint32_t cap)
{
    uint64_t nodes = ((uint64_t)n + cap - 1) / cap, strips = 1;
    while (strips * strips < nodes)
        strips++;
    uint64_t strip = (nodes + strips - 1) / strips * cap;
    qsort(entries, n, sizeof *entries, by_longitude);
    for (uint64_t from = 0; from < n; from += strip)
        qsort(entries + from, n - from < strip ? (size_t)(n - from) : (size_t)strip, sizeof *entries, by_latitude);
}

/* ---- nodes -----------------------------------------------------------------------------------------------------------------
 */

/* The tree while it is written. */
struct tree {
    struct odp_search_writer *w;
    sqlite3_stmt *node, *root, *parent, *rowid;
    unsigned char *data;
    int size;         /* of a node */
    uint32_t cap;     /* cells in it */
    uint32_t *holder; /* by place: the node that has it */
};

static unsigned char *put(unsigned char *p, uint64_t value, int bytes)
{
    for (int k = bytes - 1; k >= 0; k--, value >>= 8)
        p[k] = (unsigned char)(value & 0xff);
    return p + bytes;
}

static enum odp_status insert_pair(struct tree *t, sqlite3_stmt *s, int64_t a, int64_t b)
{
    int rc = sqlite3_bind_int64(s, 1, a);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_int64(s, 2, b);
    return writer_check(t->w, rc) == ODP_OK ? writer_step(t->w, s) : ODP_FAIL;
}

/* Node NUMBER of N entries; their ids are IDS by place, or FIRST + place. */
static enum odp_status write_node(struct tree *t, uint32_t number, uint32_t depth, const struct entry *entries, uint32_t n,
                                  const int64_t *ids, uint32_t first)
{
    static const int order[] = {0, 2, 1, 3};
    memset(t->data, 0, (size_t)t->size);
    unsigned char *p = put(put(t->data, number == 1 ? depth : 0, 2), n, 2);
    for (uint32_t i = 0; i < n; i++) {
        p = put(p, ids != NULL ? (uint64_t)ids[entries[i].place] : (uint64_t)first + entries[i].place, 8);
        for (int k = 0; k < 4; k++)
            p = put(p, (uint32_t)entries[i].box[order[k]], 4);
    }
    sqlite3_stmt *s = number == 1 ? t->root : t->node;
    int rc = sqlite3_bind_int64(s, 1, number);
    if (rc == SQLITE_OK)
        rc = sqlite3_bind_blob(s, 2, t->data, t->size, SQLITE_STATIC);
    return writer_check(t->w, rc) == ODP_OK ? writer_step(t->w, s) : ODP_FAIL;
}

static void extend(int32_t box[4], const int32_t by[4])
{
    for (int k = 0; k < 2; k++) {
        box[k] = by[k] < box[k] ? by[k] : box[k];
        box[k + 2] = by[k + 2] > box[k + 2] ? by[k + 2] : box[k + 2];
    }
}

/* A level: N entries into nodes FROM, FROM + 1, …, which take the entries' place. BELOW: number of the first node that the
 * entries are; 0: records. */
static enum odp_status write_level(struct tree *t, struct entry *entries, uint32_t *n, uint32_t depth, uint32_t below,
                                   uint32_t from)
{
    const int64_t *ids = below == 0 ? t->w->boxes->ids : NULL;
    uint32_t nodes = 0;
    tile(entries, *n, t->cap);
    for (uint32_t at = 0; at < *n || nodes == 0; at += t->cap, nodes++) {
        uint32_t count = *n - at < t->cap ? *n - at : t->cap;
        if (write_node(t, from + nodes, depth, entries + at, count, ids, below) != ODP_OK)
            return ODP_FAIL;
        struct entry node = {.place = nodes};
        for (uint32_t i = 0; i < count; i++) {
            const struct entry *e = &entries[at + i];
            if (i == 0)
                memcpy(node.box, e->box, sizeof node.box);
            extend(node.box, e->box);
            t->holder[e->place] = from + nodes;
        }
        entries[nodes] = node; /* of those that are done */
    }
    *n = nodes;
    return ODP_OK;
}

/* Which node has each of the N nodes from FIRST on; FIRST 0: of the N records. */
static enum odp_status write_parents(struct tree *t, uint32_t n, uint32_t first)
{
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < n && status == ODP_OK; i++)
        status = first == 0 ? insert_pair(t, t->rowid, t->w->boxes->ids[i], t->holder[i])
                            : insert_pair(t, t->parent, (int64_t)first + i, t->holder[i]);
    return status;
}

static enum odp_status write_tree(struct tree *t)
{
    struct writer_boxes *b = t->w->boxes;
    uint32_t n = b->n, below = 0, next = 2;
    for (uint32_t depth = 0; depth < LEVELS_MAX; depth++) {
        bool root = n <= t->cap;
        uint32_t from = root ? 1 : next, count = n;
        if (write_level(t, b->entries, &n, depth, below, from) != ODP_OK || write_parents(t, count, below) != ODP_OK)
            return ODP_FAIL;
        if (root)
            return ODP_OK;
        below = from;
        next = from + n;
    }
    return ODP_FAIL;
}

/* How large a node is, SQLite decided when the table was made. */
static enum odp_status read_size(struct tree *t)
{
    sqlite3_stmt *s;
    enum odp_status status = writer_prepare(t->w, "SELECT length(data) FROM box_node WHERE nodeno = 1", &s);
    int rc = status == ODP_OK ? sqlite3_step(s) : SQLITE_OK;
    t->size = rc == SQLITE_ROW ? sqlite3_column_int(s, 0) : 0;
    if (status == ODP_OK)
        status = writer_check(t->w, rc);
    (void)sqlite3_finalize(s);
    if (status == ODP_OK && (t->size < HEAD + 2 * CELL || t->size > UINT16_MAX))
        status = odp_failure_set("write query index: an R*Tree of another form", t->w->job.path, 0);
    t->cap = (uint32_t)(t->size - HEAD) / CELL;
    return status;
}

enum odp_status writer_boxes_end(struct odp_search_writer *w)
{
    struct tree t = {.w = w};
    if (w->boxes == NULL || w->boxes->n == 0 || w->status != ODP_OK)
        return w->status;
    enum odp_status status = read_size(&t);
    t.data = status == ODP_OK ? odp_arena_zero(&w->arena, (size_t)t.size, 1) : NULL;
    t.holder = odp_realloc_array(NULL, w->boxes->n, sizeof *t.holder);
    if (t.data == NULL || t.holder == NULL)
        status = ODP_FAIL;
    if (status == ODP_OK)
        status = writer_prepare(w, "INSERT INTO box_node VALUES(?, ?)", &t.node);
    if (status == ODP_OK)
        status = writer_prepare(w, "UPDATE box_node SET data = ?2 WHERE nodeno = ?1", &t.root);
    if (status == ODP_OK)
        status = writer_prepare(w, "INSERT INTO box_parent VALUES(?, ?)", &t.parent);
    if (status == ODP_OK)
        status = writer_prepare(w, "INSERT INTO box_rowid VALUES(?, ?)", &t.rowid);
    if (status == ODP_OK)
        status = write_tree(&t);
    (void)sqlite3_finalize(t.node);
    (void)sqlite3_finalize(t.root);
    (void)sqlite3_finalize(t.parent);
    (void)sqlite3_finalize(t.rowid);
    free(t.holder);
    writer_boxes_free(w);
    return status == ODP_OK ? status : (w->status = ODP_FAIL);
}
