/* The source that stands, read by the resource's own dialect: what is in front of its records, and how it
 * writes them. */
#include "read/header.h"
#include "repair/intake/intake_internal.h"
#include "repair/rewrite/csv_cell.h"

struct pass {
    struct odp_intake *x;
    struct model *m;
    struct odp_buffer titles, header, below;
    struct odp_slice *labels;
    uint32_t nlabels;
    uint64_t *filled, *quoted, *empty, *empty_quoted, *needless; /* by field */
    struct odp_buffer written;
    uint64_t row, comments;
};

static uint32_t header_row(const struct odp_dialect *d, size_t i)
{
    return d->nheader_rows > 0 ? d->header_rows[i] : 1;
}

static bool is_comment_row(const struct odp_dialect *d, uint64_t row)
{
    for (size_t i = 0; i < d->ncomment_rows; i++)
        if (d->comment_rows[i] == row)
            return true;
    return false;
}

static void keep(struct odp_buffer *to, const struct row *row)
{
    odp_buffer_add_slice(to, row->source);
    odp_buffer_add_slice(to, row->end);
}

/* Joins a header row to those before it. */
static void take_header(struct pass *p, const struct row *row)
{
    struct odp_arena *a = &p->x->arena;
    struct odp_slice *labels = odp_arena_array(a, (size_t)row->n + 1, sizeof *labels);
    for (uint32_t i = 0; i < row->n; i++)
        labels[i] = odp_arena_copy(a, odp_slice_trim(row->cells[i].text));
    p->labels = p->nlabels == 0 ? labels
                                : odp_header_join(a, p->labels, p->nlabels, labels, row->n,
                                                  p->x->resource->dialect.header_join);
    p->nlabels = row->n > p->nlabels ? row->n : p->nlabels;
    keep(&p->header, row);
}

/* The columns' fields; false: they are not those of the schema. */
static enum odp_status settle_columns(struct pass *p)
{
    const struct odp_resource *r = p->x->resource;
    struct odp_source_info info = {0};
    struct odp_diags *own = NULL;
    const struct odp_header header = {.labels = p->labels, .n = p->nlabels};
    if (odp_diags_new(&own, 0) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = ODP_OK;
    if (r->dialect.header) {
        status = odp_header_match(r, "", &header, &p->x->arena, &info, own);
        p->m->ncolumns = p->nlabels;
    } else {
        odp_header_take_schema(r, &p->x->arena, &info);
        p->m->ncolumns = r->schema.n;
    }
    p->m->field_of_column = info.field_of_column;
    if (status == ODP_OK && odp_diags_count(own, ODP_SEVERITY_ERROR) > 0)
        status = ODP_DONE;
    for (uint32_t i = 0; status == ODP_OK && i < p->m->ncolumns; i++)
        status = info.field_of_column[i] >= 0 ? ODP_OK : ODP_DONE;
    odp_diags_free(own);
    return status == ODP_BAD ? ODP_DONE : status;
}

static void take_record(struct pass *p, const struct row *row)
{
    for (uint32_t i = 0; i < row->n && row->n == p->m->ncolumns; i++) {
        int f = p->m->field_of_column[i];
        bool none = row->cells[i].text.len == 0;
        p->filled[f] += !none;
        p->empty[f] += none;
        p->quoted[f] += !none && row->cells[i].quoted;
        p->empty_quoted[f] += none && row->cells[i].quoted;
        odp_buffer_clear(&p->written);
        bool holds = odp_cell_write(&p->x->target, row->cells[i].text, false, i == 0, &p->written);
        p->needless[f] += !holds || !odp_slice_eq(odp_buffer_slice(&p->written), row->cells[i].raw);
    }
}

/* One row: in front of the header, of it, below, a record. DONE: this is no model. */
static enum odp_status take_row(struct pass *p, const struct row *row)
{
    const struct odp_dialect *d = &p->x->resource->dialect;
    size_t n = !d->header ? 0 : d->nheader_rows > 0 ? d->nheader_rows : 1;
    p->row++;
    if (row->comment && n == 1 && header_row(d, 0) == 1 && p->nlabels == 0)
        p->comments++;
    uint64_t number = p->row - p->comments;
    if (p->m->eol.len == 0 && row->end.len > 0)
        p->m->eol = odp_arena_copy(&p->x->arena, row->end);
    p->m->end = row->end.len > 0;
    if (n > 0 && number <= header_row(d, n - 1)) {
        bool is = false;
        for (size_t i = 0; i < n; i++)
            is = is || (!row->comment && header_row(d, i) == number);
        if (!is && p->nlabels == 0)
            keep(&p->titles, row);
        else
            take_header(p, row);
        return ODP_OK;
    }
    if (p->m->field_of_column == NULL) {
        enum odp_status status = settle_columns(p);
        if (status != ODP_OK)
            return status;
    }
    if (is_comment_row(d, p->row))
        keep(n > 0 ? &p->below : &p->titles, row);
    else if (!row->comment && !row->blank && !row->broken)
        take_record(p, row);
    return ODP_OK;
}

static void conclude(struct pass *p)
{
    struct model *m = p->m;
    uint32_t n = p->x->resource->schema.n;
    m->quotes = odp_arena_zero(&p->x->arena, n + 1, sizeof *m->quotes);
    m->plain = odp_arena_zero(&p->x->arena, n + 1, sizeof *m->plain);
    m->quotes_empty = odp_arena_zero(&p->x->arena, n + 1, sizeof *m->quotes_empty);
    for (uint32_t f = 0; f < n; f++) {
        m->quotes[f] = p->filled[f] > 0 && p->quoted[f] == p->filled[f];
        m->plain[f] = p->needless[f] == 0;
        m->quotes_empty[f] = p->empty[f] > 0 && p->empty_quoted[f] == p->empty[f];
    }
    m->titles = odp_arena_copy(&p->x->arena, odp_buffer_slice(&p->titles));
    m->header = odp_arena_copy(&p->x->arena, odp_buffer_slice(&p->header));
    m->below = odp_arena_copy(&p->x->arena, odp_buffer_slice(&p->below));
}

enum odp_status intake_model(struct odp_intake *x)
{
    struct pass p = {.x = x, .m = &x->model};
    struct rows rows;
    struct row row;
    struct odp_diags *own = NULL;
    uint32_t n = x->resource->schema.n;
    if (x->options.model == NULL || odp_file_kind_of(x->options.model) != ODP_FILE_REGULAR)
        return ODP_OK;
    p.filled = odp_arena_zero(&x->arena, 5 * (size_t)n + 5, sizeof *p.filled);
    p.quoted = p.filled + n;
    p.empty = p.quoted + n;
    p.empty_quoted = p.empty + n;
    p.needless = p.empty_quoted + n;
    if (odp_diags_new(&own, 0) != ODP_OK || odp_arena_status(&x->arena) != ODP_OK) {
        odp_diags_free(own);
        return ODP_FAIL;
    }
    enum odp_status status = rows_open(&rows, x->resource, x->options.model, "", own);
    x->model.bom = rows.text.bom > 0;
    rows.rules = x->target;
    while (status == ODP_OK && (status = rows_next(&rows, &row)) == ODP_OK)
        status = rows_split(&rows, &row) == ODP_OK ? take_row(&p, &row) : ODP_FAIL;
    bool whole = status == ODP_DONE && p.m->field_of_column != NULL && rows.lost == 0 && rows.text.eof &&
                 rows.text.pos == rows.text.buf.len;
    rows_close(&rows);
    odp_diags_free(own);
    if (whole)
        conclude(&p);
    x->model.there = whole;
    odp_buffer_release(&p.titles);
    odp_buffer_release(&p.header);
    odp_buffer_release(&p.below);
    odp_buffer_release(&p.written);
    return status == ODP_FAIL ? ODP_FAIL : odp_arena_status(&x->arena);
}
