/* A record is a header of serial types, then the values. */
#include "write/index/tree_row.h"

#include <errno.h>
#include <string.h>

void tree_row_init(struct tree_row *r)
{
    odp_buffer_init(&r->types);
    odp_buffer_init(&r->bytes);
}

void tree_row_release(struct tree_row *r)
{
    odp_buffer_release(&r->types);
    odp_buffer_release(&r->bytes);
}

void tree_row_begin(struct tree_row *r)
{
    odp_buffer_clear(&r->types);
    odp_buffer_clear(&r->bytes);
    if (odp_buffer_reserve(&r->bytes, TREE_ROW_LEAD) != NULL)
        r->bytes.len = TREE_ROW_LEAD;
}

void tree_row_null(struct tree_row *r)
{
    struct tree_put p;
    if (tree_put_begin(&p, r, 1, 0)) {
        tree_put_null(&p);
        tree_put_end(&p, r);
    }
}

void tree_row_int(struct tree_row *r, int64_t v)
{
    struct tree_put p;
    if (tree_put_begin(&p, r, 1, 0)) {
        tree_put_int(&p, v);
        tree_put_end(&p, r);
    }
}

void tree_row_real(struct tree_row *r, double v)
{
    struct tree_put p;
    if (tree_put_begin(&p, r, 1, 0)) {
        tree_put_real(&p, v);
        tree_put_end(&p, r);
    }
}

void tree_row_text(struct tree_row *r, struct odp_slice s)
{
    struct tree_put p;
    if (tree_put_begin(&p, r, 1, s.len)) {
        tree_put_text(&p, s);
        tree_put_end(&p, r);
    }
}

void tree_row_blob(struct tree_row *r, struct odp_slice s)
{
    struct tree_put p;
    if (tree_put_begin(&p, r, 1, s.len)) {
        tree_put_blob(&p, s);
        tree_put_end(&p, r);
    }
}

void tree_row_add(struct tree_row *r, struct odp_slice types, struct odp_slice values)
{
    odp_buffer_add_slice(&r->types, types);
    odp_buffer_add_slice(&r->bytes, values);
}

struct odp_slice tree_row_end(struct tree_row *r)
{
    size_t head = r->types.len + 1; /* counts itself */
    if (head > 127)
        head = r->types.len + (head + 1 > 16383 ? 3 : 2);
    if (head > TREE_ROW_LEAD && odp_buffer_reserve(&r->bytes, head - TREE_ROW_LEAD) != NULL) {
        memmove(r->bytes.ptr + head, r->bytes.ptr + TREE_ROW_LEAD, r->bytes.len - TREE_ROW_LEAD);
        r->bytes.len += head - TREE_ROW_LEAD;
    }
    if (r->types.failed || r->bytes.failed) {
        (void)odp_failure_set("write query index", NULL, ENOMEM);
        return (struct odp_slice){NULL, 0};
    }
    size_t at = head > TREE_ROW_LEAD ? 0 : TREE_ROW_LEAD - head;
    unsigned char *w = (unsigned char *)r->bytes.ptr + at;
    w += odp_varint_put(w, head);
    (void)odp_put((char *)w, odp_buffer_slice(&r->types));
    return (struct odp_slice){r->bytes.ptr + at, r->bytes.len - at};
}
