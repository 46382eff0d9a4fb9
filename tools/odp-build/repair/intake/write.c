/* The file as the resource has it: rows in front, header, records in the schema's notation; each cell goes
 * into the proof. A record that has not the header's number of cells is written as it came, and stays a
 * fault. */
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"
#include "repair/intake/intake_internal.h"
#include "repair/rewrite/csv_cell.h"
#include "repair/rewrite/encoder.h"
#include "repair/rewrite/proof.h"

struct writer {
    struct odp_intake *x;
    struct odp_diags *diags;
    struct rows rows;
    struct odp_file *out;
    struct odp_encoder encoder;
    struct odp_proof proof;
    struct odp_buffer line, encoded, room, blanks, head; /* HEAD: rows in front, that may be dropped */
    struct odp_slice eol;
    uint64_t nblanks, nhead, line_number, lines; /* LINE_NUMBER: of what came; LINES: written */
    bool begun, sound, last_open, high, refused;
};

/* ---- lines ---- */

static bool is_utf8(const char *name)
{
    return name == NULL || strcasecmp(name, "utf-8") == 0 || strcasecmp(name, "utf8") == 0;
}

static enum odp_status refuse(struct writer *w, struct odp_diag d)
{
    d.dataset = w->x->resource->dataset->slug;
    d.resource = w->x->resource->name;
    d.file = w->x->options.file;
    d.line = w->line_number;
    w->refused = true;
    return odp_diags_refuse(w->diags, &d);
}

static enum odp_status put(struct writer *w, struct odp_slice s)
{
    size_t bad = 0;
    for (size_t i = 0; i < s.len && !w->high; i++)
        w->high = (unsigned char)s.ptr[i] >= 0x80;
    if (!w->encoder.open)
        return odp_file_write(w->out, s.ptr, s.len);
    odp_buffer_clear(&w->encoded);
    enum odp_status status = odp_encode(&w->encoder, s, &w->encoded, &bad);
    if (status == ODP_DONE) { /* a character that the resource's encoding does not have */
        char name[16];
        struct odp_diag d = {.args[1] = odp_slice_of(w->x->resource->encoding)};
        odp_encode_fault(&d, s, bad, ODP_LIT(""), w->x->resource->has_private, name);
        d.args[3] = d.args[0];
        return refuse(w, d);
    }
    return status == ODP_OK ? odp_file_write(w->out, w->encoded.ptr, w->encoded.len) : status;
}

/* S, which may have a line end, as the next line: its end is written with the one after it. */
static enum odp_status put_line(struct writer *w, struct odp_slice s)
{
    if (s.len > 0 && s.ptr[s.len - 1] == '\n')
        s.len--;
    if (s.len > 0 && s.ptr[s.len - 1] == '\r')
        s.len--;
    enum odp_status status = w->begun ? put(w, w->eol) : ODP_OK;
    w->begun = true;
    w->lines += 1 + csv_count_lines(s.ptr, s.len);
    return status == ODP_OK ? put(w, s) : status;
}

/* Blank rows between others; those at the end are dropped. */
static enum odp_status put_blanks(struct writer *w)
{
    const char *p = w->blanks.ptr, *end = p + w->blanks.len;
    enum odp_status status = ODP_OK;
    for (uint64_t i = 0; i < w->nblanks && status == ODP_OK; i++) {
        const char *stop = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        size_t n = stop != NULL ? (size_t)(stop - p) : 0;
        status = put_line(w, (struct odp_slice){p, n});
        p += n + 1;
    }
    odp_buffer_clear(&w->blanks);
    w->nblanks = 0;
    return status;
}

/* ---- cells ---- */

static enum odp_status add_cell(struct writer *w, uint32_t k, struct odp_slice text, bool quoted)
{
    if (k > 0)
        odp_buffer_add_char(&w->line, w->x->target.delimiter);
    if (!odp_cell_write(&w->x->target, text, quoted, k == 0, &w->line))
        return refuse(w, (struct odp_diag){.code = ODP_A05, .args = {text}});
    return ODP_OK;
}

static void add_raw(struct writer *w, uint32_t k, struct odp_slice raw)
{
    if (k > 0)
        odp_buffer_add_char(&w->line, w->x->target.delimiter);
    odp_buffer_add_slice(&w->line, raw);
}

/* Whether a cell of column C is quoted as the source that stands does it: 0, 1; -1: that does not tell. */
static int model_quotes(const struct odp_intake *x, const struct column *c, struct odp_slice text)
{
    if (!x->model.there || c->field == NULL)
        return -1;
    size_t f = (size_t)(c->field - x->resource->schema.fields);
    if (text.len > 0 ? x->model.quotes[f] : x->model.quotes_empty[f])
        return 1;
    return x->model.plain[f] || (text.len == 0 && x->model.quotes[f]) ? 0 : -1;
}

/* The cells of a row in front of the records, those behind its last filled one left out. */
static enum odp_status put_front(struct writer *w, struct row *row)
{
    uint32_t n = row->n;
    enum odp_status status = ODP_OK;
    odp_buffer_clear(&w->line);
    if (w->x->same_frame || row->comment || row->broken) {
        struct odp_slice s = row->source;
        while (!w->x->same_frame && s.len > 0 && s.ptr[s.len - 1] == w->rows.rules.delimiter)
            s.len--;
        odp_buffer_add_slice(&w->line, s);
    } else {
        while (n > 0 && row->cells[n - 1].text.len == 0)
            n--;
        bool text = n == 1 &&
                    memchr(row->cells[0].text.ptr, w->x->target.quote, row->cells[0].text.len) == NULL &&
                    memchr(row->cells[0].text.ptr, '\n', row->cells[0].text.len) == NULL;
        if (text) /* a title is no cell */
            add_raw(w, 0, row->cells[0].text);
        for (uint32_t i = 0; i < n && !text && status == ODP_OK; i++)
            status = add_cell(w, i, row->cells[i].text, false);
    }
    odp_buffer_add_char(&w->line, '\n');
    odp_buffer_add_slice(&w->head, odp_buffer_slice(&w->line));
    w->nhead++;
    return status == ODP_OK ? odp_buffer_status(&w->head) : status;
}

/* A line of what was kept in HEAD, and takes it away. */
static struct odp_slice next_front(struct writer *w, size_t *at)
{
    const char *p = w->head.ptr + *at, *stop = memchr(p, '\n', w->head.len - *at);
    struct odp_slice s = {p, (size_t)(stop - p)};
    *at += s.len + 1;
    return s;
}

/* Rows in front of the header: as many as the dialect has. */
static enum odp_status put_titles(struct writer *w)
{
    struct odp_intake *x = w->x;
    uint64_t want = intake_titles(x->resource), drop = w->nhead > want ? w->nhead - want : 0;
    enum odp_status status = ODP_OK;
    size_t at = 0;
    if (want == 0)
        drop = 0; /* they are all comments */
    if (want > 0 && w->nhead != want && x->model.there)
        status = put_line(w, x->model.titles);
    else {
        for (uint64_t i = 0; i < drop; i++)
            (void)next_front(w, &at);
        for (uint64_t i = w->nhead; i < want && status == ODP_OK; i++)
            status = put_line(w, ODP_LIT(""));
        for (uint64_t i = drop; i < w->nhead && status == ODP_OK; i++)
            status = put_line(w, next_front(w, &at));
    }
    odp_buffer_clear(&w->head);
    w->nhead = 0;
    return status;
}

/* Whether the columns are those of the source that stands. */
static bool has_model_columns(const struct odp_intake *x)
{
    if (!x->model.there || x->norder != x->model.ncolumns)
        return false;
    for (uint32_t k = 0; k < x->norder; k++)
        if (x->columns[x->order[k]].field != &x->resource->schema.fields[x->model.field_of_column[k]])
            return false;
    return true;
}

/* The cells of a row of the header; LABELS: the schema's names for them. */
static enum odp_status put_header_row(struct writer *w, const struct row *row, bool labels)
{
    struct odp_intake *x = w->x;
    enum odp_status status = ODP_OK;
    odp_buffer_clear(&w->line);
    for (uint32_t k = 0; k < x->norder && status == ODP_OK; k++) {
        uint32_t i = x->order[k];
        const struct column *c = &x->columns[i];
        struct odp_slice came = i < row->n ? row->cells[i].text : ODP_LIT(""), text = came;
        if (labels)
            text = c->field != NULL && !c->field->unlabelled ? odp_slice_of(c->field->source_name) : c->label;
        if (i < row->n && x->same_frame && odp_slice_eq(came, text))
            add_raw(w, k, row->cells[i].raw);
        else
            status = add_cell(w, k, text, x->same_frame && i < row->n && row->cells[i].quoted);
    }
    return status == ODP_OK ? put_line(w, odp_buffer_slice(&w->line)) : status;
}

/* Header row K of those that came. */
static enum odp_status put_header(struct writer *w, const struct row *row, uint32_t k)
{
    struct odp_intake *x = w->x;
    const struct odp_dialect *d = &x->resource->dialect;
    uint32_t want = d->nheader_rows > 1 ? (uint32_t)d->nheader_rows : 1;
    bool last = k + 1 == x->nheader;
    enum odp_status status = ODP_OK;
    if (has_model_columns(x))
        return last ? put_line(w, x->model.header) : ODP_OK;
    if (want == x->nheader)
        return put_header_row(w, row, want == 1);
    for (uint32_t i = 1; i < want && last && status == ODP_OK; i++)
        status = put_line(w, ODP_LIT(""));
    return last && status == ODP_OK ? put_header_row(w, row, true) : status;
}

/* Rows below the header: as many as the dialect has. */
static enum odp_status put_below(struct writer *w)
{
    uint64_t want = intake_below(w->x->resource);
    enum odp_status status = ODP_OK;
    size_t at = 0;
    if (want > 0 && w->nhead < want && w->x->model.there)
        status = put_line(w, w->x->model.below);
    else
        for (uint64_t i = 0; i < want && status == ODP_OK; i++)
            status = put_line(w, i < w->nhead ? next_front(w, &at) : ODP_LIT(""));
    odp_buffer_clear(&w->head);
    w->nhead = 0;
    return status;
}

/* ---- records ---- */

static enum odp_status show_change(struct writer *w, struct column *c, struct odp_slice before,
                                   struct odp_slice after)
{
    const struct odp_intake_options *o = &w->x->options;
    if (o->show == NULL || c->shown++ >= o->most)
        return ODP_OK;
    const struct odp_edit_shown e = {.kind = ODP_EDIT_CELL,
                                     .row = w->proof.records + 1,
                                     .line = w->line_number,
                                     .field = c->field != NULL ? c->field->name : NULL,
                                     .before = before,
                                     .after = after};
    return o->show(o->ctx, &e);
}

/* A number that the workbook shows as a percentage is written as it is stored, and said, as the check does. */
static enum odp_status warn_percent(struct writer *w, const struct column *c, const struct cell *cell,
                                    uint32_t i)
{
    if (!cell->percent || c->field == NULL || !odp_type_is_number(c->field->type) ||
        w->x->options.show != NULL)
        return ODP_OK;
    struct odp_diag d = {.code = ODP_S28,
                         .dataset = w->x->resource->dataset->slug,
                         .resource = w->x->resource->name,
                         .file = w->x->options.file,
                         .line = w->line_number,
                         .table_column = i + 1,
                         .row = w->proof.records + 1,
                         .field = c->field->name,
                         .value = cell->text};
    return odp_diags_add(w->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static enum odp_status put_mapped(struct writer *w, const struct row *row)
{
    struct odp_intake *x = w->x;
    enum odp_status status = ODP_OK;
    bool blank = true;
    for (uint32_t k = 0; k < x->norder && status == ODP_OK; k++) {
        uint32_t i = x->order[k];
        struct column *c = &x->columns[i];
        static const struct cell none = {.text = {"", 0}, .raw = {"", 0}};
        const struct cell *cell = i < row->n ? &row->cells[i] : &none; /* of a workbook */
        enum odp_intake_kind kind;
        struct odp_slice text = intake_cell(x, c, cell, &w->room, &kind);
        int model = model_quotes(x, c, text);
        bool raw = kind == ODP_INTAKE_KINDS && x->same_frame && (model < 0 || model == (int)cell->quoted);
        blank = blank && odp_slice_trim(text).len == 0;
        bool quoted = model >= 0 ? model == 1 : x->same_frame && cell->quoted && text.len > 0;
        if (kind < ODP_INTAKE_KINDS) {
            c->cells[kind]++;
            status = show_change(w, c, cell->text, text);
        }
        if (status == ODP_OK)
            status = warn_percent(w, c, cell, i);
        odp_proof_cell(&w->proof, text);
        if (raw && !(blank && k + 1 == x->norder))
            add_raw(w, k, cell->raw);
        else if (status == ODP_OK) /* a blank row would be no record */
            status = add_cell(w, k, text, quoted || (blank && k + 1 == x->norder));
    }
    return status;
}

/* As it came: it has too few or too many cells, and must not have the right number by chance. */
static enum odp_status put_misfit(struct writer *w, const struct row *row)
{
    enum odp_status status = ODP_OK;
    uint32_t n = row->n + (row->n == w->x->norder);
    /* Of several lines: its quote was perhaps never closed, and the check reads on from the next line. */
    w->sound = w->sound && memchr(row->source.ptr, '\n', row->source.len) == NULL &&
               memchr(row->source.ptr, '\r', row->source.len) == NULL;
    for (uint32_t i = 0; i < n && status == ODP_OK; i++) {
        struct odp_slice text = i < row->n ? row->cells[i].text : ODP_LIT("");
        odp_proof_cell(&w->proof, text);
        if (w->x->same_frame && i < row->n)
            add_raw(w, i, row->cells[i].raw);
        else
            status = add_cell(w, i, text, false);
    }
    return status;
}

/* The quotes of this line are broken: its delimiters alone are the new ones. */
static void put_broken(struct writer *w, const struct row *row)
{
    w->sound = false;
    for (size_t i = 0; i < row->source.len; i++) {
        char c = row->source.ptr[i];
        odp_buffer_add_char(&w->line, c == w->rows.rules.delimiter ? w->x->target.delimiter : c);
    }
}

static bool is_mapped(const struct odp_intake *x, const struct row *row)
{
    if (row->n > x->n)
        return false;
    for (uint32_t i = row->n; i < x->n && !x->native; i++)
        if (!x->columns[i].gone)
            return false;
    return true;
}

static enum odp_status put_record(struct writer *w, struct row *row)
{
    enum odp_status status = put_blanks(w);
    odp_buffer_clear(&w->line);
    if (row->comment) {
        status = status == ODP_OK ? put_front(w, row) : status;
        size_t at = 0;
        if (status == ODP_OK)
            status = put_line(w, next_front(w, &at));
        odp_buffer_clear(&w->head);
        w->nhead = 0;
        return status;
    }
    if (status == ODP_OK && row->broken)
        put_broken(w, row);
    else if (status == ODP_OK)
        status = is_mapped(w->x, row) ? put_mapped(w, row) : put_misfit(w, row);
    if (status == ODP_OK)
        status = odp_proof_record(&w->proof);
    if (status == ODP_OK && odp_buffer_status(&w->line) == ODP_OK)
        return put_line(w, odp_buffer_slice(&w->line));
    return status == ODP_OK ? ODP_FAIL : status;
}

/* ---- all of it ---- */

static enum odp_status keep_blank(struct writer *w, const struct row *row)
{
    if (w->x->same_frame && row->n == w->x->norder)
        odp_buffer_add_slice(&w->blanks, row->source);
    odp_buffer_add_char(&w->blanks, '\n');
    w->nblanks++;
    return odp_buffer_status(&w->blanks);
}

static enum odp_status take_row(struct writer *w, struct row *row, uint64_t at)
{
    struct odp_intake *x = w->x;
    uint64_t header = x->header, below = header + x->nheader, records = below + x->below;
    enum odp_status status = rows_split(&w->rows, row);
    w->line_number = x->native ? at + 1 : row->line;
    w->last_open = row->end.len == 0;
    if (status != ODP_OK || (at == 0 && x->sep.len > 0))
        return status;
    if (at < header)
        return row->comment || intake_titles(x->resource) > 0 ? put_front(w, row) : ODP_OK;
    if (at == header)
        status = put_titles(w);
    if (at < below)
        return status == ODP_OK ? put_header(w, row, (uint32_t)(at - header)) : status;
    if (at < records)
        return status == ODP_OK ? put_front(w, row) : status;
    if (at == records && status == ODP_OK) {
        status = put_below(w);
        x->skipped = (int64_t)(w->line_number - 1 - w->lines);
    }
    if (status == ODP_OK && row->blank && !row->comment)
        return keep_blank(w, row);
    return status == ODP_OK ? put_record(w, row) : status;
}

static struct odp_slice line_end(const struct odp_intake *x, struct odp_slice came)
{
    if (x->model.there && x->model.eol.len > 0)
        return x->model.eol;
    if (x->resource->dialect.line_terminator != NULL)
        return odp_slice_of(x->resource->dialect.line_terminator);
    return came.len > 0 ? came : ODP_LIT("\n");
}

static enum odp_status write_all(struct writer *w)
{
    struct odp_intake *x = w->x;
    struct row row;
    uint64_t at = 0;
    enum odp_status status = rows_open(&w->rows, &x->how, x->path, x->options.file, w->diags);
    w->rows.native = x->native;
    if (status == ODP_OK && x->model.there && x->model.bom && !w->encoder.open)
        status = odp_file_write(w->out, "\xEF\xBB\xBF", 3);
    while (status == ODP_OK && (status = rows_next(&w->rows, &row)) == ODP_OK) {
        if (at == 0)
            w->eol = line_end(x, odp_arena_copy(&x->arena, row.end));
        status = take_row(w, &row, at++);
    }
    if (status == ODP_DONE)
        status = ODP_OK;
    if (status == ODP_OK && at <= x->header + x->nheader + x->below) /* no records */
        status = put_below(w);
    bool end = x->model.there ? x->model.end : !w->last_open || w->nblanks > 0;
    return status == ODP_OK && end && w->begun ? put(w, w->eol) : status;
}

static enum odp_status prove(struct writer *w, const char *path)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    const struct odp_resource *r = w->x->resource;
    if (!w->sound)
        return ODP_OK;
    enum odp_status status = odp_proof_end(&w->proof, sha256);
    if (status == ODP_OK)
        status = odp_proof_read(r, path, w->x->options.file, w->proof.records, sha256);
    return status == ODP_BAD ? refuse(w, (struct odp_diag){.code = ODP_A07}) : status;
}

static enum odp_status compare(struct odp_intake *x, const char *path)
{
    struct odp_file_info a, b;
    enum odp_status status = odp_file_digest(x->options.path, &a);
    if (status == ODP_OK)
        status = odp_file_digest(path, &b);
    x->mends = status != ODP_OK || a.size != b.size || memcmp(a.sha256, b.sha256, sizeof a.sha256) != 0;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status odp_intake_write(struct odp_intake *x, const char *path, struct odp_diags *diags)
{
    struct writer *w = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_memory();
    w->x = x;
    w->diags = diags;
    w->sound = true;
    const char *encoding = is_utf8(x->resource->encoding) ? NULL : x->resource->encoding;
    enum odp_status status = ODP_OK;
    if (encoding != NULL && odp_encoding_has_states(encoding))
        status = refuse(w, (struct odp_diag){.code = ODP_A03, .args = {odp_slice_of(encoding)}});
    if (status == ODP_OK)
        status = odp_encoder_open(&w->encoder, encoding);
    if (status == ODP_OK)
        status = odp_proof_begin(&w->proof);
    if (status == ODP_OK)
        status = odp_file_create(&w->out, path, 0600);
    if (status == ODP_OK) {
        status = write_all(w);
        if (status == ODP_OK) {
            status = odp_file_close(w->out, NULL);
            w->out = NULL;
        }
        odp_file_discard(w->out);
        if (status == ODP_OK && (status = prove(w, path)) == ODP_OK)
            status = compare(x, path);
        if (status != ODP_OK)
            (void)unlink(path);
    }
    x->high = w->high;
    x->blank_rows = w->nblanks;
    x->came_bom = w->rows.text.utf8 && w->rows.text.bom > 0;
    rows_close(&w->rows);
    odp_encoder_close(&w->encoder);
    odp_proof_release(&w->proof);
    odp_buffer_release(&w->line);
    odp_buffer_release(&w->encoded);
    odp_buffer_release(&w->room);
    odp_buffer_release(&w->blanks);
    odp_buffer_release(&w->head);
    free(w);
    return status == ODP_OK ? odp_arena_status(&x->arena) : status;
}
