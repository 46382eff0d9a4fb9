/* The CSV source: opening, and rows of the text into the records of a batch. */
#include <stdlib.h>
#include <strings.h>

#include "read/csv/reader.h"

static struct csv_source *own(struct odp_source *src)
{
    return (struct csv_source *)(void *)src;
}

bool csv_is_tabs(const struct odp_resource *r)
{
    const char *dot = r->path != NULL ? strrchr(r->path, '.') : NULL;
    return (r->format != NULL && strcasecmp(r->format, "tsv") == 0) ||
           (dot != NULL && strcasecmp(dot, ".tsv") == 0);
}

static void csv_close(struct odp_source *src)
{
    struct csv_source *s = own(src);
    if (s == NULL)
        return;
    csv_text_close(&s->text);
    odp_arena_release(&s->arena);
    free(s);
}

static enum odp_status csv_open(struct odp_source **out, const struct odp_resource *r, const char *path,
                                const char *file, unsigned workers, struct odp_diags *diags)
{
    (void)workers; /* slicing needs no state */
    *out = NULL;
    struct csv_source *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return odp_failure_memory();
    odp_arena_init(&s->arena);
    s->base = (struct odp_source_base){.kind = &odp_source_csv, .resource = r};
    s->base.info.crs = s->base.info.crs_operation = "";
    s->base.info.batch_records = CSV_BATCH_RECORDS;
    s->line = s->row = 1;
    s->expected = CSV_BATCH_BYTES;
    s->longest = (size_t)odp_limits_of(r)->record_bytes;
    csv_rules_init(&s->rules, &r->dialect, csv_is_tabs(r));
    enum odp_status status = ODP_FAIL;
    s->base.info.file = odp_arena_str(&s->arena, file);
    status = csv_text_open(&s->text, r, path, s->base.info.file, diags);
    if (status == ODP_OK) {
        s->base.info.bytes = odp_reader_size(s->text.file);
        status = csv_header_read(s, diags);
    }
    if (status != ODP_OK) {
        csv_close((struct odp_source *)(void *)s);
        return status;
    }
    *out = (struct odp_source *)(void *)s;
    return ODP_OK;
}

void odp_source_skip(struct odp_source *s, int64_t n)
{
    own(s)->line += (uint64_t)n;
}

/* One for all bytes of a line that cannot be decoded. */
static void say_undecodable(const struct csv_source *s, struct odp_batch *b, uint32_t i,
                            const struct csv_bad *bad, size_t pos)
{
    struct odp_diag d;
    char hex[16];
    int n = 0;
    odp_batch_diag_at(b, i, pos, 3, s->base.info.file, &d);
    d.code = ODP_E01;
    d.args[0] = odp_slice_of(s->text.encoding);
    d.offset = bad->offset;
    for (unsigned k = 0; k < bad->nbyte; k++)
        n += snprintf(hex + n, sizeof(hex) - (size_t)n, "%s%02X", k == 0 ? "0x" : " ", bad->byte[k]);
    d.value = (struct odp_slice){hex, (size_t)n};
    odp_diags_add(b->diags, &d);
}

static void say_blank(const struct csv_source *s, struct odp_batch *b)
{
    struct odp_diag d;
    csv_file_diag(&d, ODP_R01, s->base.resource, s->base.info.file);
    d.line = s->line;
    d.column = 1;
    d.offset = s->text.base + s->text.pos;
    d.action = ODP_ACTION_DELETE_LINES;
    d.lines = 1;
    odp_diags_add(b->diags, &d);
}

/* Drops the rest of a line that is too long for any record. */
static enum odp_status drop_line(struct csv_source *s, struct odp_batch *b)
{
    struct csv_text *t = &s->text;
    for (;;) {
        size_t len, next, n = t->buf.len - t->pos;
        if (csv_frame_line(t->buf.ptr + t->pos, n, t->eof, &len, &next)) {
            csv_advance(s, next);
            s->left_out += next;
            return ODP_OK;
        }
        /* What was read of it is cut out of the window. A CR at the end may be half of CR LF: it stays. */
        size_t keep = n > 0 && t->buf.ptr[t->buf.len - 1] == '\r';
        if (keep > 0)
            t->buf.ptr[t->pos] = '\r';
        t->buf.len = t->pos + keep;
        t->base += n - keep;
        if (csv_fill(s, b) != ODP_OK)
            return ODP_FAIL;
    }
}

static void fault_diag(const struct csv_source *s, const struct odp_batch *b, const struct csv_frame *f,
                       char most[24], struct odp_diag *d)
{
    uint32_t i = b->nrecords - 1;
    const char *file = s->base.info.file;
    if (f->fault == CSV_AFTER_QUOTE) {
        const struct odp_slice text = b->records[i].source;
        size_t end = f->fault_at;
        while (end < text.len && text.ptr[end] != s->rules.delimiter)
            end++;
        odp_batch_diag_at(b, i, f->fault_at, end - f->fault_at, file, d);
        d->code = ODP_R05;
    } else if (f->fault == CSV_TOO_LONG) {
        odp_batch_diag_at(b, i, (f->aux & CSV_QUOTED) != 0 ? f->open_at : 0, 1, file, d);
        d->code = ODP_R07;
        d->args[0] = (struct odp_slice){most, (size_t)snprintf(most, 24, "%zu", s->longest)};
    } else {
        odp_batch_diag_at(b, i, f->open_at, 1, file, d);
        d->code = ODP_R06;
    }
}

/* Lines between the broken record, LEN bytes, and the line where reading goes on belong to nobody: they are
 * counted in its diagnostic, so that nothing vanishes without a word. */
static void count_unread(const struct csv_source *s, struct odp_batch *b, size_t len, size_t resume,
                         struct odp_diag *d)
{
    const char *p = s->text.buf.ptr + s->text.pos;
    uint64_t all = csv_count_lines(p, resume), own = csv_count_lines(p, len) + 1;
    if (d->code == ODP_R07 || all <= own)
        return;
    const char *number = odp_arena_printf(&b->arena, "%llu", (unsigned long long)(all - own));
    d->args[0] = odp_slice_of(number);
}

/* Reports a record broken by a quote or by its length once; reading resumes at the next line that fits. */
static enum odp_status add_broken(struct csv_source *s, struct odp_batch *b, struct csv_frame *f)
{
    struct csv_text *t = &s->text;
    struct odp_diag d;
    size_t resume, len, next, mark;
    char most[24];
    enum odp_status status = ODP_OK;
    if (csv_resync(s, b, f, &resume) != ODP_OK)
        return ODP_FAIL;
    mark = f->fault == CSV_AFTER_QUOTE ? f->fault_at : (f->aux & CSV_QUOTED) != 0 ? f->open_at : 0;
    (void)csv_frame_line(t->buf.ptr + t->pos + mark, t->buf.len - t->pos - mark, true, &len, &next);
    len += mark;
    if (resume > 0 && len > resume)
        len = resume;
    struct odp_record *rec = csv_add_record(s, b, len);
    if (rec == NULL)
        return ODP_FAIL;
    rec->flags = ODP_RECORD_SKIP;
    fault_diag(s, b, f, most, &d);
    if (resume > 0)
        count_unread(s, b, len, resume, &d);
    csv_clean(&b->arena, &d);
    odp_diags_add(b->diags, &d);
    if (resume == 0) {
        rec->source.len = 0;
        s->behind = t->pos;
        status = drop_line(s, b);
    } else {
        (void)csv_text_bad(t, 0, t->base + t->pos + resume);
        csv_advance(s, resume);
    }
    s->behind = t->pos;
    return status;
}

/* Two joined files: the second one's byte order mark is in the middle. */
static struct odp_slice without_bom(struct odp_slice s)
{
    return s.len >= 3 && memcmp(s.ptr, "\xEF\xBB\xBF", 3) == 0 ? (struct odp_slice){s.ptr + 3, s.len - 3} : s;
}

static enum odp_status add_good(struct csv_source *s, struct odp_batch *b, const struct csv_frame *f)
{
    struct csv_text *t = &s->text;
    uint64_t at = t->base + t->pos;
    struct odp_record *rec = csv_add_record(s, b, f->len);
    if (rec == NULL)
        return ODP_FAIL;
    rec->aux = f->aux | (f->multiline ? CSV_LINES : 0);
    const struct csv_bad *bad = t->nbad > 0 ? csv_text_bad(t, at, at + f->next) : NULL;
    if (bad != NULL) {
        rec->flags = ODP_RECORD_SKIP;
        say_undecodable(s, b, b->nrecords - 1, bad, (size_t)(bad->at - at));
    } else if (s->base.info.ncolumns > 1 && odp_slice_eq(without_bom(rec->source), s->header)) {
        struct odp_diag d;
        if (odp_resource_refuses(s->base.resource, ODP_R10))
            rec->flags = ODP_RECORD_SKIP;
        odp_batch_diag_at(b, b->nrecords - 1, 0, rec->source.len, s->base.info.file, &d);
        d.code = ODP_R10;
        d.action = ODP_ACTION_DELETE_RECORD;
        odp_diags_add(b->diags, &d);
    }
    s->line += f->multiline ? csv_count_lines(t->buf.ptr + t->pos, f->next) : f->next > f->len;
    s->row++;
    t->pos += f->next;
    s->behind = t->pos;
    return ODP_OK;
}

/* The window and the batch's text change places, and what is not framed yet goes along. So a batch is read
 * into its own buffer, which is in the cache of the thread that had it before, and no record is copied that
 * ends up in the batch it was read for. */
static enum odp_status swap_text(struct csv_source *s, struct odp_batch *b)
{
    struct csv_text *t = &s->text;
    struct odp_buffer next = b->text;
    next.len = 0;
    if (odp_buffer_reserve(&next, t->buf.len - t->pos + 1) ==
        NULL) /* one more, so that an empty window has memory too */
        return ODP_FAIL;
    odp_buffer_add(&next, t->buf.ptr + t->pos, t->buf.len - t->pos);
    b->text = t->buf;
    b->text.len = t->pos;
    t->buf = next;
    t->base += t->pos;
    t->pos = 0;
    s->scan.n = 0;
    return odp_buffer_status(&b->text) == ODP_OK ? odp_buffer_status(&t->buf) : ODP_FAIL;
}

/* The batch takes the window with the text of its records. */
static enum odp_status give_text(struct csv_source *s, struct odp_batch *b)
{
    if (csv_is_full(s, b)) {
        size_t bytes =
            s->text.pos - s->begun +
            CSV_PIECE / 4; /* some more than this one has, so that no small piece is read at its end */
        s->expected = bytes < CSV_BATCH_BYTES ? bytes : CSV_BATCH_BYTES + CSV_PIECE / 4;
    }
    if (swap_text(s, b) != ODP_OK)
        return ODP_FAIL;
    for (uint32_t i = 0; i < b->nrecords; i++) {
        struct odp_record *rec = &b->records[i];
        rec->source.ptr = b->text.ptr + s->begun + rec->first;
        rec->first = 0;
    }
    return ODP_OK;
}

enum odp_status csv_read(struct odp_source *src, struct odp_batch *b)
{
    struct csv_source *s = own(src);
    bool said = false;
    if (swap_text(s, b) != ODP_OK)
        return ODP_FAIL;
    b->index = s->batches;
    while (!s->ended) {
        struct csv_frame f;
        enum odp_status status = csv_next(s, b, &f);
        if (status == ODP_DONE) {
            s->ended = true;
            break;
        }
        if (status != ODP_OK)
            return status;
        bool fine = f.fault == CSV_FINE;
        if (fine &&
            (f.comment || (f.aux == 0 && csv_is_blank(&s->rules, s->text.buf.ptr + s->text.pos, f.len)))) {
            /* Comments and blank rows are no records; those behind a full batch still belong to it, so `last`
             * is exact. */
            said = said || !f.comment;
            if (!f.comment)
                say_blank(s, b);
            csv_advance(s, f.next);
            s->left_out += f.next;
            continue;
        }
        if (csv_is_full(s, b))
            break;
        if (f.fault == CSV_EXTRA ||
            (fine && f.multiline && f.cells != s->base.info.ncolumns && csv_swallowed(s, &f))) {
            f.fault = CSV_UNCLOSED;
            f.open_at = f.multi_at;
            fine = false;
        }
        status = fine ? add_good(s, b, &f) : add_broken(s, b, &f);
        if (status != ODP_OK)
            return status;
    }
    b->last = s->ended;
    if (give_text(s, b) != ODP_OK)
        return ODP_FAIL;
    uint64_t consumed = csv_text_consumed(&s->text);
    b->source_bytes = consumed - s->progress;
    s->progress = consumed;
    if (b->nrecords == 0 && !said)
        return ODP_DONE;
    s->batches++;
    return ODP_OK;
}

const struct odp_source_kind odp_source_csv = {"csv", csv_open, csv_read, csv_slice, csv_close};
