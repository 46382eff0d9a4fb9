/* The fast way through the window. Line ends and quotes are found 64 bytes at a time (base/bytes.h); what lies between two of them
 * is not looked at. A record with quotes stays on this way as long as its quotes stand where they should: each cell's first byte
 * opens it, a delimiter or line end follows the closing one. Whatever is not ordinary is left to csv_next, which knows every rule;
 * so this way decides nothing that the other would decide otherwise (tests/unit/read/test_csv_ways.c, tests/fuzz/fuzz_csv_ways.c). */
#include "read/csv/reader.h"

static inline size_t next_stop(struct csv_source *s, size_t from)
{
    const struct odp_buffer *window = &s->text.buf;
    struct csv_scan *scan = &s->scan;
    while (from < window->len) {
        if (from - scan->at >= scan->n) { /* in front of it, or behind */
            const char wanted[] = {'\n', '\r', s->rules.quote};
            size_t left = window->len - from;
            scan->at = from;
            scan->n = left < ODP_BYTES_CHUNK ? left : ODP_BYTES_CHUNK;
            odp_bytes_masks(window->ptr + from, scan->n, wanted, s->rules.quote != '\0' ? 3 : 2, scan->mask);
        }
        size_t k = (from - scan->at) / 64, blocks = (scan->n + 63) / 64;
        uint64_t bits = scan->mask[k] & (UINT64_MAX << ((from - scan->at) % 64));
        while (bits == 0 && ++k < blocks)
            bits = scan->mask[k];
        if (bits != 0)
            return scan->at + 64 * k + (size_t)__builtin_ctzll(bits);
        from = scan->at + scan->n;
    }
    return window->len;
}

size_t csv_stop(struct csv_source *s, size_t from)
{
    return next_stop(s, from);
}

/* Behind the quoted cell that opens at AT; the window's end where it does not end well on this line. */
static size_t skip_quoted(struct csv_source *s, size_t at)
{
    const struct csv_rules *r = &s->rules;
    const char *p = s->text.buf.ptr;
    size_t end = s->text.buf.len;
    for (;;) {
        at = csv_stop(s, at + 1);
        if (at + 1 >= end || p[at] != r->quote)
            return end;
        char c = p[++at];
        if (c == r->delimiter || c == '\n' || c == '\r')
            return at;
        if (c != r->quote)
            return end;
    }
}

struct plain { /* a record that ends before byte END of the window */
    size_t end, next;
    uint32_t aux;
};

/* The record at text.pos, if its bytes alone show that it is framed well and stands on one line. */
static bool frame_plain(struct csv_source *s, struct plain *out)
{
    const struct csv_text *t = &s->text;
    const char *p = t->buf.ptr;
    size_t at = next_stop(s, t->pos);
    out->aux = 0;
    while (at < t->buf.len && p[at] != '\n' && p[at] != '\r') {
        if (!s->rules.plain || (at > t->pos && p[at - 1] != s->rules.delimiter))
            return false;
        out->aux = CSV_QUOTED;
        at = csv_stop(s, skip_quoted(s, at));
    }
    if (at >= t->buf.len || (p[at] == '\r' && at + 1 == t->buf.len)) /* the byte behind a CR tells whether it stands alone */
        return false;
    out->end = at;
    out->next = at + (p[at] == '\r' && p[at + 1] == '\n' ? 2 : 1);
    return true;
}

/* A row of which something is to be said, or that is no record. */
static bool is_special(const struct csv_source *s, const char *p, size_t len)
{
    if (len == 0 || len > s->longest || (*p == s->rules.comment && *p != '\0'))
        return true;
    if ((*p == ' ' || *p == '\t' || *p == s->rules.delimiter) && csv_is_blank(&s->rules, p, len))
        return true;
    if (len == s->header.len + 3) /* perhaps a byte order mark in front of it: another file was appended */
        return s->header.len == 0 || memcmp(p + 3, s->header.ptr, s->header.len) == 0;
    return len == s->header.len && memcmp(p, s->header.ptr, len) == 0;
}

/* Whether the dialect, and where we are in the file, allow for ordinary records at all. */
static bool may_run(const struct csv_source *s)
{
    const struct odp_dialect *d = &s->base.resource->dialect;
    const struct csv_rules *r = &s->rules;
    for (size_t i = 0; i < d->ncomment_rows; i++)
        if (d->comment_rows[i] >= s->row)
            return false;
    bool apart = r->delimiter != '\0' && r->delimiter != r->quote && r->kind[(unsigned char)r->delimiter] == CSV_DELIMITER &&
                 r->kind['\n'] == CSV_LINE_END && r->kind['\r'] == CSV_LINE_END;
    return apart && r->escape == '\0' && s->text.nbad == 0 && !s->slow;
}

enum odp_status csv_run(struct csv_source *s, struct odp_batch *b)
{
    struct csv_text *t = &s->text;
    struct plain f;
    if (!may_run(s))
        return ODP_OK;
    while (!csv_is_full(s, b) && frame_plain(s, &f) && !is_special(s, t->buf.ptr + t->pos, f.end - t->pos)) {
        struct odp_record *rec = csv_add_record(s, b, f.end - t->pos);
        if (rec == NULL)
            return ODP_FAIL;
        rec->aux = f.aux;
        s->line++;
        s->row++;
        t->pos = s->behind = f.next;
    }
    return ODP_OK;
}
