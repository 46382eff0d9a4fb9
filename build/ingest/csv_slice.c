/* Records to cells, on any thread.
 *
 * A record without quoted cells is split in place, sixteen bytes at a time. One with quoted cells goes to libcsv, which gives
 * their text; places and flags come from the cursor. Dialects that libcsv does not know (escapeChar, doubleQuote false,
 * skipInitialSpace) are unescaped here. */
#include <csv.h>

#include "base/utf8.h"
#include "ingest/csv_reader.h"
#include "ingest/csv_total.h"

#ifdef __SSE2__
#include <emmintrin.h>

static inline uint32_t mask16(const char *p, char c)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
}
#else
static inline uint32_t mask16(const char *p, char c)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < 16; i++)
        mask |= (uint32_t)(p[i] == c) << i;
    return mask;
}
#endif

struct slicer {
    const struct csv_source *s;
    struct odp_batch *b;
    uint32_t columns;
    struct odp_slice null; /* nullSequence; ptr NULL: none */
    struct csv_parser parser;
    bool parser_open;
    /* where libcsv's callback puts a cell */
    struct odp_cell *cell;
    uint32_t got;
    char *room;
};

/* Splits N bytes at P (with CSV_PAD readable bytes behind) into at most CAP cells; the number of cells there are. *EXTRA: the
 * place of the first that found no room. */
static uint32_t split(const char *p, size_t n, char delimiter, struct odp_cell *cell, uint32_t cap, size_t *extra)
{
    size_t start = 0;
    uint32_t count = 0;
    for (size_t i = 0; i < n; i += 16) {
        uint32_t mask = mask16(p + i, delimiter);
        if (n - i < 16)
            mask &= (1u << (n - i)) - 1;
        for (; mask != 0; mask &= mask - 1) {
            size_t end = i + (size_t)__builtin_ctz(mask);
            if (count < cap)
                cell[count] = (struct odp_cell){p + start, (uint32_t)(end - start), 0, 0, (uint32_t)start & 0x3FFFFFF};
            else if (count == cap)
                *extra = start;
            count++;
            start = end + 1;
        }
    }
    if (count < cap)
        cell[count] = (struct odp_cell){p + start, (uint32_t)(n - start), 0, 0, (uint32_t)start & 0x3FFFFFF};
    else if (count == cap)
        *extra = start;
    return count + 1;
}

static int never(unsigned char c)
{
    (void)c;
    return 0;
}

/* libcsv: a cell's text, in its own buffer. */
static void take_cell(void *text, size_t len, void *ctx)
{
    struct slicer *w = ctx;
    if (w->got < w->columns) {
        if (len > 0)
            memcpy(w->room, text, len);
        w->cell[w->got].ptr = w->room;
        w->cell[w->got].len = (uint32_t)len;
        w->room += len;
    }
    w->got++;
}

/* The texts of a record's cells by libcsv. */
static enum odp_status parse(struct slicer *w, struct odp_slice source, struct odp_cell *cell)
{
    const struct csv_rules *rules = &w->s->rules;
    if (!w->parser_open) {
        if (csv_init(&w->parser, 0) != 0)
            return odp_failure_set("csv", NULL, 0);
        w->parser_open = true;
        csv_set_delim(&w->parser, (unsigned char)rules->delimiter);
        csv_set_quote(&w->parser, (unsigned char)rules->quote);
        csv_set_space_func(&w->parser, never);
    }
    w->cell = cell;
    w->got = 0;
    w->room = odp_arena_alloc(&w->b->arena, source.len + 1);
    if (w->room == NULL)
        return ODP_FAIL;
    if (csv_parse(&w->parser, source.ptr, source.len, take_cell, NULL, w) != source.len ||
        csv_fini(&w->parser, take_cell, NULL, w) != 0)
        return odp_failure_set("csv", csv_strerror(csv_error(&w->parser)), 0);
    return ODP_OK;
}

/* The texts of cells in a dialect of our own. */
static enum odp_status unescape(struct slicer *w, const struct csv_raw *raw, struct odp_slice source, struct odp_cell *cell)
{
    char *p = odp_arena_alloc(&w->b->arena, raw->len + 1);
    if (p == NULL)
        return ODP_FAIL;
    cell->ptr = p;
    cell->len = (uint32_t)csv_unescape(&w->s->rules, source.ptr + raw->start, raw->len, raw->quoted, p);
    return ODP_OK;
}

static enum odp_status say_line_break(struct slicer *w, uint32_t i, uint32_t column)
{
    struct odp_diag d;
    odp_batch_diag(w->b, i, w->s->base.info.field_of_column[column], (int)column, w->s->base.info.file, false, &d);
    d.code = ODP_R09;
    return csv_report(w->b->diags, &d);
}

static enum odp_status say_stray(struct slicer *w, uint32_t i, uint32_t column, size_t at)
{
    struct odp_diag d, cell;
    int field = w->s->base.info.field_of_column[column];
    odp_batch_diag_at(w->b, i, at, 1, w->s->base.info.file, &d);
    odp_batch_diag(w->b, i, field, (int)column, w->s->base.info.file, false, &cell);
    d.code = ODP_R04;
    d.field = cell.field;
    d.value = cell.value;
    d.where = cell.where;
    d.secret = cell.secret;
    return csv_report(w->b->diags, &d);
}

/* Line breaks in cells, and the first stray quote, of a record whose cells are complete. */
static enum odp_status check_cells(struct slicer *w, uint32_t i, uint32_t stray_column, size_t stray)
{
    const struct odp_record *rec = &w->b->records[i];
    if (stray != SIZE_MAX && say_stray(w, i, stray_column, stray) != ODP_OK)
        return ODP_FAIL;
    if ((rec->aux & CSV_QUOTED) == 0 && w->s->rules.escape == '\0')
        return ODP_OK;
    if (memchr(rec->source.ptr, '\n', rec->source.len) == NULL && memchr(rec->source.ptr, '\r', rec->source.len) == NULL)
        return ODP_OK;
    for (uint32_t c = 0; c < rec->count; c++) {
        const struct odp_cell *cell = &w->b->cells[rec->first + c];
        if (memchr(cell->ptr, '\n', cell->len) != NULL || memchr(cell->ptr, '\r', cell->len) != NULL)
            if (say_line_break(w, i, c) != ODP_OK)
                return ODP_FAIL;
    }
    return ODP_OK;
}

/* Cells by the cursor: for quoted records and dialects of our own. The number of cells there are. */
static enum odp_status walk(struct slicer *w, const struct odp_record *rec, struct odp_cell *cell, uint32_t *count,
                            size_t *extra, uint32_t *stray_column, size_t *stray)
{
    const struct csv_rules *rules = &w->s->rules;
    struct csv_cursor cursor = {.rules = rules, .p = rec->source.ptr, .n = rec->source.len};
    struct csv_raw raw;
    bool libcsv = false;
    uint32_t n = 0;
    for (; csv_cursor_next(&cursor, &raw); n++) {
        if (n == w->columns)
            *extra = raw.pos;
        if (raw.stray != SIZE_MAX && *stray == SIZE_MAX) {
            *stray = raw.stray;
            *stray_column = n;
        }
        if (n >= w->columns)
            continue;
        cell[n] = (struct odp_cell){rec->source.ptr + raw.start, (uint32_t)raw.len, raw.quoted ? ODP_CELL_QUOTED : 0, 0,
                                    (uint32_t)raw.pos & 0x3FFFFFF};
        libcsv = libcsv || raw.quoted;
        if (!rules->plain && raw.escaped && unescape(w, &raw, rec->source, &cell[n]) != ODP_OK)
            return ODP_FAIL;
    }
    *count = n;
    if (!libcsv || !rules->plain || n != w->columns)
        return ODP_OK;
    if (parse(w, rec->source, cell) != ODP_OK)
        return ODP_FAIL;
    return w->got == n ? ODP_OK : odp_failure_set("csv: libcsv and the framing disagree", w->s->base.info.file, 0);
}

/* Rows of a spreadsheet that are no records. *SAID: it was one. */
static enum odp_status say_no_record(struct slicer *w, uint32_t i, bool ragged, bool *said)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    bool total = csv_is_total(w->s->base.resource, &w->s->base.info, w->b, i, ragged);
    *said = total || csv_is_note(w->s->base.resource, &w->s->base.info, w->b, i, ragged);
    if (!*said)
        return ODP_OK;
    rec->flags |= ODP_RECORD_SKIP;
    odp_batch_diag_at(w->b, i, 0, rec->source.len, w->s->base.info.file, &d);
    d.code = total ? ODP_R08 : ODP_R11;
    d.action = ODP_ACTION_DELETE_RECORD;
    return csv_report(w->b->diags, &d);
}

static enum odp_status say_ragged(struct slicer *w, uint32_t i, uint32_t count, size_t extra)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    char have[16], want[16], delimiter[] = {'\'', w->s->rules.delimiter, '\'', '\0'};
    bool said;
    if (say_no_record(w, i, true, &said) != ODP_OK)
        return ODP_FAIL;
    if (said)
        return ODP_OK;
    rec->flags |= ODP_RECORD_SKIP;
    if (count < w->columns)
        odp_batch_diag_at(w->b, i, rec->source.len, 0, w->s->base.info.file, &d);
    else
        odp_batch_diag_at(w->b, i, extra, rec->source.len - extra, w->s->base.info.file, &d);
    d.code = count < w->columns ? ODP_R02 : ODP_R03;
    d.args[0] = (struct odp_slice){have, (size_t)snprintf(have, sizeof(have), "%u", count)};
    d.args[1] = (struct odp_slice){want, (size_t)snprintf(want, sizeof(want), "%u", w->columns)};
    if (count > w->columns) {
        size_t at = extra;
        while (at < rec->source.len && (rec->source.ptr[at] == w->s->rules.delimiter || rec->source.ptr[at] == ' '))
            at++;
        d.args[at < rec->source.len ? 2 : 3] = odp_slice_of(w->s->rules.delimiter == '\t' ? "TAB" : delimiter);
    }
    return csv_report(w->b->diags, &d);
}

static void mark_nulls(const struct slicer *w, struct odp_cell *cell)
{
    for (uint32_t c = 0; c < w->columns; c++)
        if ((cell[c].flags & ODP_CELL_QUOTED) == 0 && odp_slice_eq((struct odp_slice){cell[c].ptr, cell[c].len}, w->null))
            cell[c].flags |= ODP_CELL_NULL;
}

static enum odp_status slice_record(struct slicer *w, uint32_t i)
{
    struct odp_record *rec = &w->b->records[i];
    uint32_t first = w->b->ncells, count = 0, stray_column = 0;
    size_t extra = 0, stray = SIZE_MAX;
    struct odp_cell *cell = odp_batch_add_cells(w->b, w->columns);
    if (cell == NULL)
        return ODP_FAIL;
    bool simple = (rec->aux & CSV_QUOTED) == 0 && w->s->rules.escape == '\0' && !w->s->rules.skip_space;
    if (simple)
        count = split(rec->source.ptr, rec->source.len, w->s->rules.delimiter, cell, w->columns, &extra);
    else if (walk(w, rec, cell, &count, &extra, &stray_column, &stray) != ODP_OK)
        return ODP_FAIL;
    if (simple && (rec->aux & CSV_STRAY) != 0) {
        const char *q = memchr(rec->source.ptr, w->s->rules.quote, rec->source.len);
        stray = (size_t)(q - rec->source.ptr);
        while (stray_column + 1 < count && stray_column + 1 < w->columns && cell[stray_column + 1].pos <= stray)
            stray_column++;
    }
    rec->first = first;
    rec->count = count < w->columns ? count : w->columns;
    w->b->ncells = first + rec->count;
    if (count != w->columns)
        return say_ragged(w, i, count, extra);
    if (w->null.ptr != NULL)
        mark_nulls(w, cell);
    if ((rec->aux != 0 || w->s->rules.escape != '\0') && check_cells(w, i, stray_column, stray) != ODP_OK)
        return ODP_FAIL;
    bool said;
    return say_no_record(w, i, false, &said);
}

/* A record with bytes that are no text. True if it was one. */
static enum odp_status check_text(struct slicer *w, uint32_t i, bool utf8, bool *bad)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    char hex[8];
    size_t at = utf8 ? odp_utf8_valid(rec->source) : rec->source.len;
    const char *nul = memchr(rec->source.ptr, '\0', at);
    *bad = false;
    if (at == rec->source.len && nul == NULL)
        return ODP_OK;
    *bad = true;
    rec->flags |= ODP_RECORD_SKIP;
    if (nul != NULL)
        at = (size_t)(nul - rec->source.ptr);
    odp_batch_diag_at(w->b, i, at, 1, w->s->base.info.file, &d);
    d.code = nul != NULL ? ODP_E04 : ODP_E01;
    d.args[0] = odp_slice_of(w->s->text.encoding);
    if (nul == NULL)
        d.value = (struct odp_slice){hex, (size_t)snprintf(hex, sizeof(hex), "0x%02X", (unsigned char)rec->source.ptr[at])};
    csv_clean(&w->b->arena, &d);
    return csv_report(w->b->diags, &d);
}

enum odp_status csv_slice(const struct odp_source *src, struct odp_batch *b, unsigned worker)
{
    const struct csv_source *s = (const struct csv_source *)(const void *)src;
    const char *null = s->base.resource->dialect.null_sequence;
    struct slicer w = {.s = s, .b = b, .columns = s->base.info.ncolumns, .null = odp_slice_of(null)};
    struct odp_slice text = odp_buffer_slice(&b->text);
    enum odp_status status = ODP_OK;
    (void)worker;
    /* One look at the whole batch; only where it finds something is each record looked at. */
    bool utf8 = s->text.utf8 && odp_utf8_valid(text) < text.len;
    bool doubtful = utf8 || (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL);
    for (uint32_t i = 0; i < b->nrecords && status == ODP_OK; i++) {
        bool bad = false;
        if ((b->records[i].flags & ODP_RECORD_SKIP) != 0)
            continue;
        if (doubtful)
            status = check_text(&w, i, utf8, &bad);
        if (status == ODP_OK && !bad)
            status = slice_record(&w, i);
    }
    if (w.parser_open)
        csv_free(&w.parser);
    return status;
}
