/* Inside of write/index: a record in SQLite's form (https://www.sqlite.org/fileformat2.html, 2.1), value by value. */
#ifndef ODP_WRITE_INDEX_TREE_ROW_H
#define ODP_WRITE_INDEX_TREE_ROW_H

#include <endian.h>
#include <math.h>

#include "base/buffer.h"
#include "base/put.h"
#include "write/index/varint.h"

/* A record grows value by value. Its values stand behind room for what goes before them, so that it is whole without being copied. */
enum { TREE_ROW_LEAD = 64 };
struct tree_row {
    struct odp_buffer types; /* the values' serial types (2.1) */
    struct odp_buffer bytes; /* TREE_ROW_LEAD, then the values */
};
void tree_row_init(struct tree_row *r);
void tree_row_release(struct tree_row *r);
void tree_row_begin(struct tree_row *r);
void tree_row_null(struct tree_row *r);
void tree_row_int(struct tree_row *r, int64_t v);
void tree_row_real(struct tree_row *r, double v);
void tree_row_text(struct tree_row *r, struct odp_slice s);
void tree_row_blob(struct tree_row *r, struct odp_slice s);
/* Values that another row had: their types and their bytes. */
void tree_row_add(struct tree_row *r, struct odp_slice types, struct odp_slice values);
static inline struct odp_slice tree_row_values(const struct tree_row *r)
{
    return (struct odp_slice){r->bytes.ptr + TREE_ROW_LEAD, r->bytes.len - TREE_ROW_LEAD};
}
/* The record; borrowed until the next begin. FAIL without memory: ptr is NULL. */
struct odp_slice tree_row_end(struct tree_row *r);

/* ---- many values, inline, into room that was asked for once -------------------------------------------------------------------- */

/* Where the next value goes: its serial type, its bytes. */
struct tree_put {
    char *type, *bytes;
};

/* Room for VALUES values with BYTES bytes of text (numbers have up to eight). False without memory, which tree_row_end tells, too. */
static inline bool tree_put_begin(struct tree_put *p, struct tree_row *r, size_t values, size_t bytes)
{
    p->type = odp_buffer_reserve(&r->types, 9 * values);
    p->bytes = odp_buffer_reserve(&r->bytes, bytes + 8 * values);
    return p->type != NULL && p->bytes != NULL;
}

static inline void tree_put_end(const struct tree_put *p, struct tree_row *r)
{
    r->types.len = (size_t)(p->type - r->types.ptr);
    r->bytes.len = (size_t)(p->bytes - r->bytes.ptr);
}

static inline void tree_put_type(struct tree_put *p, uint64_t type)
{
    p->type += odp_varint_put((unsigned char *)p->type, type);
}

static inline void tree_put_null(struct tree_put *p)
{
    *p->type++ = 0;
}

static inline void tree_put_int(struct tree_put *p, int64_t v)
{
    /* By the bytes that a number needs with its sign: its serial type, and how many bytes that has. */
    static const char types[9] = {1, 1, 2, 3, 4, 5, 5, 6, 6};
    static const unsigned char sizes[9] = {1, 1, 2, 3, 4, 6, 6, 8, 8};
    if (v == 0 || v == 1) {
        *p->type++ = (char)(8 + v);
        return;
    }
    uint64_t magnitude = v < 0 ? ~(uint64_t)v : (uint64_t)v;
    unsigned need = (64 - (unsigned)__builtin_clzll(magnitude | 1)) / 8 + 1, n = sizes[need];
    uint64_t bytes = htobe64((uint64_t)v << (64 - 8 * n));
    *p->type++ = types[need];
    memcpy(p->bytes, &bytes, sizeof bytes);
    p->bytes += n;
}

/* A number that is whole takes less room as an integer; columns of REAL are read as such all the same. */
static inline void tree_put_real(struct tree_put *p, double v)
{
    if (fabs(v) < 0x1p47 && v == (double)(int64_t)v) {
        tree_put_int(p, (int64_t)v);
        return;
    }
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    u = htobe64(u);
    *p->type++ = 7;
    memcpy(p->bytes, &u, sizeof u);
    p->bytes += sizeof u;
}

static inline void tree_put_text(struct tree_put *p, struct odp_slice s)
{
    tree_put_type(p, 13 + 2 * (uint64_t)s.len);
    p->bytes = odp_put(p->bytes, s);
}

static inline void tree_put_blob(struct tree_put *p, struct odp_slice s)
{
    tree_put_type(p, 12 + 2 * (uint64_t)s.len);
    p->bytes = odp_put(p->bytes, s);
}

/* ---- and taken out again ------------------------------------------------------------------------------------------------------ */

struct tree_value {
    enum { TREE_NULL, TREE_INT, TREE_REAL, TREE_TEXT, TREE_BLOB } kind;
    int64_t i; /* INT; also a REAL that is whole has become one */
    double r;
    struct odp_slice bytes; /* TEXT, BLOB */
};

/* The next value of TYPES and VALUES, which shrink; false: they are not what tree_put_* makes. */
static inline bool tree_take(struct odp_slice *types, struct odp_slice *values, struct tree_value *out)
{
    static const unsigned char widths[12] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 255, 255}; /* by serial type: of numbers; two are nobody's */
    uint64_t type = 0, bits = 0;
    size_t n = odp_varint_take((const unsigned char *)types->ptr, types->len, &type);
    size_t len = type >= 12 ? (size_t)((type - 12) / 2) : widths[type];
    if (n == 0 || len > values->len || type == 10 || type == 11)
        return false;
    const char *at = values->ptr;
    types->ptr += n;
    types->len -= n;
    values->ptr += len;
    values->len -= len;
    out->kind = TREE_NULL;
    if (type >= 12) {
        out->kind = type % 2 != 0 ? TREE_TEXT : TREE_BLOB;
        out->bytes = (struct odp_slice){at, len};
        return true;
    }
    for (size_t k = 0; k < len; k++)
        bits = bits << 8 | (unsigned char)at[k];
    if (type == 7) {
        out->kind = TREE_REAL;
        memcpy(&out->r, &bits, sizeof bits);
    } else if (type != 0) {
        unsigned unused = 64 - 8 * (unsigned)len;
        out->kind = TREE_INT;
        out->i = type >= 8 ? (int64_t)type - 8 : (int64_t)(bits << unused) >> unused;
    }
    return true;
}

#endif
