/* Where the header is, which field each column is, and what is around the header.
 *
 * The first rows are read by each delimiter that they may have; the row that names most fields is the header
 * (read/header.h decides what a label means, as the check does). */

#include "base/ascii.h"
#include "base/utf8.h"
#include "read/header.h"
#include "repair/draft/draft.h"
#include "repair/intake/intake_internal.h"

struct head_row {
    struct odp_slice *text; /* trimmed */
    uint32_t n, filled;
    bool comment, sep;
};
struct head {
    struct odp_intake *x;
    struct head_row row[HEAD_ROWS];
    uint32_t n;
    /* the best so far */
    uint32_t matched, at, nrows;
    char delimiter;
    struct odp_source_info info;
    struct odp_slice *labels;
    uint32_t nlabels;
};

/* "sep=;" */
static bool is_sep(const struct row *row)
{
    struct odp_slice s = odp_slice_trim(row->source);
    if (s.len > 0 && *s.ptr == '"')
        s = (struct odp_slice){s.ptr + 1, s.len - 1};
    return row->line == 1 && s.len >= 5 && memcmp(s.ptr, "sep=", 4) == 0;
}

/* The first rows by the dialect of x->how. */
static enum odp_status read_head(struct head *h, struct odp_diags *diags)
{
    struct odp_intake *x = h->x;
    struct rows rows;
    struct row row;
    enum odp_status status = rows_open(&rows, &x->how, x->path, x->options.file, diags);
    rows.native = x->native;
    h->n = 0;
    while (status == ODP_OK && h->n < HEAD_ROWS && (status = rows_next(&rows, &row)) == ODP_OK) {
        if ((status = rows_split(&rows, &row)) != ODP_OK)
            break;
        struct head_row *to = &h->row[h->n++];
        *to = (struct head_row){.n = row.n, .comment = row.comment, .sep = is_sep(&row)};
        to->text = odp_arena_array(&x->arena, (size_t)row.n + 1, sizeof *to->text);
        for (uint32_t i = 0; i < row.n; i++) {
            struct odp_slice s = csv_printable(&x->arena, odp_slice_trim(row.cells[i].text));
            to->text[i] = s;
            to->filled += s.len > 0;
        }
        if (to->sep && h->n == 1)
            x->sep = odp_arena_copy(&x->arena, odp_slice_trim(row.source));
    }
    rows_close(&rows);
    return status == ODP_DONE ? ODP_OK : status;
}

/* Columns with a field, if LABELS were the header. */
static enum odp_status match(const struct head *h, const struct odp_slice *labels, uint32_t n,
                             struct odp_source_info *info, uint32_t *matched)
{
    struct odp_diags *own = NULL;
    const struct odp_header header = {.labels = (struct odp_slice *)(uintptr_t)labels, .n = n};
    *matched = 0;
    *info = (struct odp_source_info){0};
    if (odp_diags_new(&own, 0) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status =
        odp_header_match(h->x->resource, h->x->options.file, &header, &h->x->arena, info, own);
    for (uint32_t c = 0; status == ODP_OK && c < n; c++)
        *matched += info->field_of_column[c] >= 0;
    odp_diags_free(own);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* Tries row AT, or the NROWS from there joined, as the header. */
static enum odp_status try_header(struct head *h, uint32_t at, uint32_t nrows)
{
    struct odp_slice *labels = h->row[at].text;
    uint32_t n = h->row[at].n, matched;
    struct odp_source_info info;
    for (uint32_t k = 1; k < nrows; k++) {
        labels = odp_header_join(&h->x->arena, labels, n, h->row[at + k].text, h->row[at + k].n,
                                 h->x->resource->dialect.header_join);
        n = n > h->row[at + k].n ? n : h->row[at + k].n;
    }
    if (match(h, labels, n, &info, &matched) != ODP_OK)
        return ODP_FAIL;
    if (matched <= h->matched)
        return ODP_OK;
    h->matched = matched;
    h->at = at;
    h->nrows = nrows;
    h->delimiter = h->x->how.dialect.delimiter;
    h->info = info;
    h->labels = labels;
    h->nlabels = n;
    return ODP_OK;
}

static enum odp_status try_rows(struct head *h)
{
    const struct odp_resource *r = h->x->resource;
    uint32_t own = r->dialect.nheader_rows > 1 ? (uint32_t)r->dialect.nheader_rows : 1;
    for (uint32_t i = 0; i < h->n; i++) {
        if (h->row[i].comment || h->row[i].filled * 2 < r->schema.n || h->matched == r->schema.n)
            continue;
        const uint32_t tries[] = {own, own == 1 ? 2 : 1};
        for (size_t k = 0; k < 2; k++)
            if (i + tries[k] <= h->n && try_header(h, i, tries[k]) != ODP_OK)
                return ODP_FAIL;
    }
    return ODP_OK;
}

/* The delimiter that the file was read by first, then those that others use, until a header has all
 * fields. */
static enum odp_status find_header(struct head *h, struct odp_diags *diags)
{
    struct odp_intake *x = h->x;
    const char first = x->how.dialect.delimiter, own = x->target.delimiter;
    const char usual[] = {first, own, ';', ',', '\t', '|'};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < sizeof usual && status == ODP_OK && h->matched < x->resource->schema.n; i++) {
        bool again = false;
        for (size_t k = 0; k < i; k++)
            again = again || usual[k] == usual[i];
        if (again || (i > 0 && x->native))
            continue;
        x->how.dialect.delimiter = usual[i];
        status = read_head(h, diags);
        if (status == ODP_OK)
            status = try_rows(h);
    }
    bool found = h->matched * 2 >= odp_header_scored(&x->resource->schema) && h->matched > 0;
    x->how.dialect.delimiter = found ? h->delimiter : first;
    return status == ODP_OK ? read_head(h, diags) : status;
}

/* Nothing looks like the header: as the check says it. */
static enum odp_status refuse(struct head *h, struct odp_diags *diags)
{
    struct odp_intake *x = h->x;
    struct odp_diag d = {.code = ODP_H01,
                         .dataset = x->resource->dataset->slug,
                         .resource = x->resource->name,
                         .file = x->options.file,
                         .where = x->resource->where};
    struct odp_buffer names = {0};
    for (uint32_t i = 0; i < x->resource->schema.n && names.len < 400; i++)
        odp_buffer_printf(&names, "%s%s", i > 0 ? ", " : "", x->resource->schema.fields[i].source_name);
    d.args[0] = odp_buffer_slice(&names);
    enum odp_status status = odp_diags_add(diags, &d);
    odp_buffer_release(&names);
    return status == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

/* ---- rows of units and numbers below the header ---- */

static bool is_number_row(const struct head *h, const struct head_row *r)
{
    uint32_t n = r->n;
    while (n > h->nlabels && r->text[n - 1].len == 0)
        n--;
    return draft_numbers_columns(r->text, n, 5);
}

/* The field's unit, or one that everybody writes, in brackets or without. */
static bool is_unit(const struct odp_field *f, struct odp_slice s)
{
    s = draft_unbracketed(s);
    for (int lang = 0; lang < ODP_LANGS && f != NULL; lang++)
        if (f->unit.in[lang] != NULL && *f->unit.in[lang] != '\0' && odp_slice_is(s, f->unit.in[lang]))
            return true;
    return draft_is_unit(s);
}

static bool is_unit_row(const struct head *h, const struct head_row *r)
{
    const struct odp_schema *schema = &h->x->resource->schema;
    bool number = false; /* in a column of texts a unit may be a value */
    for (uint32_t i = 0; i < r->n; i++) {
        int field = i < h->nlabels ? h->info.field_of_column[i] : -1;
        const struct odp_field *f = field >= 0 ? &schema->fields[field] : NULL;
        if (r->text[i].len > 0 && !is_unit(f, r->text[i]))
            return false;
        number = number || (r->text[i].len > 0 && f != NULL && odp_type_is_number(f->type));
    }
    return number;
}

/* ---- the columns ---- */

/* Fields of labels that occur twice are not certain. */
static bool is_repeated(const struct head *h, uint32_t c)
{
    for (uint32_t k = 0; k < h->nlabels; k++)
        if (k != c && h->labels[k].len > 0 && odp_slice_eq(h->labels[k], h->labels[c]))
            return true;
    return false;
}

static void make_columns(struct head *h, uint32_t n)
{
    struct odp_intake *x = h->x;
    const struct odp_schema *schema = &x->resource->schema;
    x->n = n;
    x->columns = odp_arena_zero(&x->arena, (size_t)n + 1, sizeof *x->columns);
    for (uint32_t c = 0; c < n; c++) {
        bool labelled = c < h->nlabels;
        int field = labelled ? h->info.field_of_column[c] : -1;
        if (!x->resource->dialect.header)
            field = c < schema->n ? (int)c : -1;
        else if (field >= 0 && is_repeated(h, c) && h->info.column_of_field[field] != (int)c)
            field = -1;
        x->columns[c].label = labelled ? h->labels[c] : ODP_LIT("");
        x->columns[c].field = field >= 0 ? &schema->fields[field] : NULL;
        x->columns[c].chosen = -1;
    }
}

/* The width of most rows below the header, where they are wider than it. */
static uint32_t width_of(const struct head *h)
{
    uint32_t width = h->nlabels, rows = 0, wider = 0, widest = 0;
    for (uint32_t i = h->at + h->nrows; i < h->n; i++) {
        if (h->row[i].comment || h->row[i].filled == 0)
            continue;
        rows++;
        wider += h->row[i].n > width;
        widest = h->row[i].n > widest ? h->row[i].n : widest;
    }
    return wider == rows && rows > 0 ? widest : width;
}

uint32_t intake_titles(const struct odp_resource *r)
{
    const struct odp_dialect *d = &r->dialect;
    if (!d->header)
        return (uint32_t)d->ncomment_rows;
    return d->nheader_rows > 0 ? d->header_rows[0] - 1 : 0;
}

uint32_t intake_below(const struct odp_resource *r)
{
    const struct odp_dialect *d = &r->dialect;
    uint32_t last = d->nheader_rows > 0 ? d->header_rows[d->nheader_rows - 1] : 1, n = 0;
    for (size_t i = 0; i < d->ncomment_rows && d->header; i++)
        n += d->comment_rows[i] > last;
    return n;
}

enum odp_status intake_header(struct odp_intake *x, struct odp_diags *diags)
{
    struct head *h = odp_arena_zero(&x->arena, 1, sizeof *h);
    if (h == NULL)
        return ODP_FAIL;
    h->x = x;
    enum odp_status status;
    if (x->resource->dialect.header) {
        status = find_header(h, diags);
        if (status == ODP_OK && (h->matched == 0 || h->matched * 2 < odp_header_scored(&x->resource->schema)))
            return refuse(h, diags);
    } else {
        status = read_head(h, diags);
        while (h->at < h->n && (h->row[h->at].filled * 2 < x->resource->schema.n || h->row[h->at].sep))
            h->at++;
    }
    if (status != ODP_OK)
        return status;
    for (uint32_t i = 0; i < h->at; i++)
        x->titles += !h->row[i].comment && !h->row[i].sep;
    x->header = h->at;
    x->nheader = h->nrows;
    for (uint32_t i = h->at + h->nrows; i < h->n && !h->row[i].comment && h->nrows > 0; i++) {
        if (!is_number_row(h, &h->row[i]) && !is_unit_row(h, &h->row[i]))
            break;
        x->below++;
    }
    if (x->header - (x->sep.len > 0) == intake_titles(x->resource) && intake_below(x->resource) > 0)
        x->below = intake_below(x->resource);
    make_columns(h, width_of(h));
    return odp_arena_status(&x->arena);
}
