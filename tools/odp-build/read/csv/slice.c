/* Records to cells, on any thread.
 *
 * Delimiters are found 64 bytes at a time (base/bytes.h). In a record with quoted cells a delimiter ends a
 * cell if an even number of quotes precedes it. So cells are split in place, unless their text has to be
 * rewritten: a record with a doubled quote or a line break in a quoted cell goes to libcsv for its text.
 * Records with stray quotes beside quoted cells, and dialects that libcsv does not know (escapeChar,
 * doubleQuote false, skipInitialSpace), go through the cursor of csv_frame. With the cursor alone `check`
 * takes 20 to 30 % more CPU (300,000 rows of rehabilitasi: 0.36 s, not 0.30 s; of inovasi: 0.26 s, not 0.20
 * s). */
#include <csv.h>

#include "base/utf8.h"
#include "read/csv/reader.h"
#include "read/total.h"

enum { LONG_RECORD = 16 * 1024 };

/* Where a byte is in a piece of the batch's text: text[at .. at + n). */
struct marks {
    char wanted;
    size_t at, n;
    uint64_t mask[ODP_BYTES_CHUNK / 64];
};

struct slicer {
    const struct csv_source *s;
    struct odp_batch *b;
    uint32_t columns;
    struct odp_slice null; /* nullSequence; ptr NULL: none */
    struct odp_slice text; /* of the batch */
    struct marks delimiters, quotes;
    struct csv_parser parser;
    bool parser_open;
    /* where libcsv's callback puts a cell */
    struct odp_cell *cell;
    uint32_t got;
    char *room;
};

/* The mask of the 64 bytes of the text (fewer at its end) in which byte AT lies. They begin at a multiple
 * of 64. */
static inline uint64_t marks_at(struct marks *m, struct odp_slice text, size_t at)
{
    if (at - m->at >= m->n) { /* in front of the piece, or behind */
        m->at = at / 64 * 64;
        m->n = text.len - m->at < ODP_BYTES_CHUNK ? text.len - m->at : ODP_BYTES_CHUNK;
        odp_bytes_masks(text.ptr + m->at, m->n, &m->wanted, 1, m->mask);
    }
    return m->mask[(at - m->at) / 64];
}

/* The bits of MASK (its first is byte BASE) for bytes FROM to TO of the text. */
static inline uint64_t clip(uint64_t mask, size_t base, size_t from, size_t to)
{
    if (from > base)
        mask &= UINT64_MAX << (from - base);
    return to - base < 64 ? mask & odp_bits_below((unsigned)(to - base)) : mask;
}

/* Cells as they are found, of which the first CAP have room. */
struct cells {
    struct odp_cell *cell;
    uint32_t cap, count, quoted;
    size_t start;  /* of the next, in the record */
    size_t *extra; /* the place of the first that found no room */
};

static inline void end_cell(struct cells *c, struct odp_slice source, size_t end, bool quoted)
{
    if (c->count < c->cap)
        c->cell[c->count] =
            (struct odp_cell){source.ptr + c->start + quoted, (uint32_t)(end - c->start) - (quoted ? 2 : 0),
                              quoted ? ODP_CELL_QUOTED : 0, 0, (uint32_t)c->start & 0x3FFFFFF};
    else if (c->count == c->cap)
        *c->extra = c->start;
    c->count++;
    c->quoted += quoted;
    c->start = end + 1;
}

/* Splits a record without quoted cells, whatever it holds; the number of cells there are. */
static ODP_WIDE uint32_t split(struct slicer *w, struct odp_slice source, struct odp_cell *cell,
                               size_t *extra)
{
    const size_t from = (size_t)(source.ptr - w->text.ptr), to = from + source.len;
    struct cells c = {.cell = cell, .cap = w->columns, .extra = extra};
    for (size_t base = from / 64 * 64; base < to; base += 64)
        for (uint64_t bits = clip(marks_at(&w->delimiters, w->text, base), base, from, to); bits != 0;
             bits &= bits - 1)
            end_cell(&c, source, base + (size_t)__builtin_ctzll(bits) - from, false);
    end_cell(&c, source, source.len, false);
    return c.count;
}

/* The same for a record with quoted cells that is framed well. *INNER: there is a quote in the text of one.
 */
static ODP_WIDE uint32_t split_quoted(struct slicer *w, struct odp_slice source, struct odp_cell *cell,
                                      size_t *extra, bool *inner)
{
    const size_t from = (size_t)(source.ptr - w->text.ptr), to = from + source.len;
    const char quote = w->s->rules.quote;
    struct cells c = {.cell = cell, .cap = w->columns, .extra = extra};
    uint64_t open = 0; /* all ones: a quoted cell goes on from the word before */
    uint32_t quotes = 0;
    for (size_t base = from / 64 * 64; base < to; base += 64) {
        uint64_t marks = clip(marks_at(&w->quotes, w->text, base), base, from, to);
        uint64_t inside = odp_bits_inside(marks) ^ open;
        open = 0 - (inside >> 63);
        quotes += (uint32_t)__builtin_popcountll(marks);
        for (uint64_t bits = clip(marks_at(&w->delimiters, w->text, base), base, from, to) & ~inside;
             bits != 0; bits &= bits - 1)
            end_cell(&c, source, base + (size_t)__builtin_ctzll(bits) - from, source.ptr[c.start] == quote);
    }
    end_cell(&c, source, source.len, c.start < source.len && source.ptr[c.start] == quote);
    *inner = quotes != 2 * c.quoted;
    return c.count;
}

static int never(unsigned char c)
{
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

/* The texts of the cells of a record by libcsv, which must find as many as there are columns. */
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
    if (source.len > LONG_RECORD) /* libcsv's buffer grows by its block: by 128 bytes a cell of 10 MB was
                                     moved 80,000 times */
        csv_set_blk_size(&w->parser, source.len);
    w->cell = cell;
    w->got = 0;
    w->room = odp_arena_alloc(&w->b->arena, source.len + 1);
    if (csv_parse(&w->parser, source.ptr, source.len, take_cell, NULL, w) != source.len ||
        csv_fini(&w->parser, take_cell, NULL, w) != 0)
        return odp_failure_set("csv", csv_strerror(csv_error(&w->parser)), 0);
    return w->got == w->columns
               ? ODP_OK
               : odp_failure_set("csv: libcsv and the framing disagree", w->s->base.info.file, 0);
}

/* The texts of cells in a dialect of our own. */
static void unescape(struct slicer *w, const struct csv_raw *raw, struct odp_slice source,
                     struct odp_cell *cell)
{
    char *p = odp_arena_alloc(&w->b->arena, raw->len + 1);
    cell->ptr = p;
    cell->len = (uint32_t)csv_unescape(&w->s->rules, source.ptr + raw->start, raw->len, raw->quoted, p);
}

static void say_line_break(struct slicer *w, uint32_t i, uint32_t column)
{
    struct odp_diag d;
    odp_batch_diag(w->b, (struct odp_batch_place){i, w->s->base.info.field_of_column[column], (int)column},
                   w->s->base.info.file, false, &d);
    d.code = ODP_R09;
    odp_diags_add(w->b->diags, &d);
}

static void say_stray(struct slicer *w, uint32_t i, uint32_t column, size_t at)
{
    struct odp_diag d, cell;
    int field = w->s->base.info.field_of_column[column];
    odp_batch_diag_at(w->b, i, at, 1, w->s->base.info.file, &d);
    odp_batch_diag(w->b, (struct odp_batch_place){i, field, (int)column}, w->s->base.info.file, false, &cell);
    d.code = ODP_R04;
    d.table_column = cell.table_column;
    d.label = cell.label;
    d.field = cell.field;
    d.value = cell.value;
    d.where = cell.where;
    d.secret = cell.secret;
    odp_diags_add(w->b->diags, &d);
}

/* Line breaks in cells, and the first stray quote, of a record whose cells are complete. */
static enum odp_status check_cells(struct slicer *w, uint32_t i, uint32_t stray_column, size_t stray)
{
    const struct odp_record *rec = &w->b->records[i];
    if (stray != SIZE_MAX)
        say_stray(w, i, stray_column, stray);
    for (uint32_t c = 0; c < rec->count && (rec->aux & CSV_LINES) != 0; c++) {
        const struct odp_cell *cell = &w->b->cells[rec->first + c];
        if (memchr(cell->ptr, '\n', cell->len) != NULL || memchr(cell->ptr, '\r', cell->len) != NULL)
            say_line_break(w, i, c);
    }
    return ODP_OK;
}

/* Cells by the cursor: for quoted records and dialects of our own. The number of cells there are. */
static enum odp_status walk(struct slicer *w, const struct odp_record *rec, struct odp_cell *cell,
                            uint32_t *count, size_t *extra, uint32_t *stray_column, size_t *stray)
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
        cell[n] = (struct odp_cell){rec->source.ptr + raw.start, (uint32_t)raw.len,
                                    raw.quoted ? ODP_CELL_QUOTED : 0, 0, (uint32_t)raw.pos & 0x3FFFFFF};
        libcsv = libcsv || raw.quoted;
        if (!rules->plain && raw.escaped)
            unescape(w, &raw, rec->source, &cell[n]);
    }
    *count = n;
    return libcsv && rules->plain && n == w->columns ? parse(w, rec->source, cell) : ODP_OK;
}

/* Rows of a spreadsheet that are not records. *SAID: this is one. Where the catalogue allows them, they are
 * reported and stay records. */
static void say_no_record(struct slicer *w, uint32_t i, bool ragged, bool *said)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    bool total = odp_is_total(w->s->base.resource, &w->s->base.info, w->b, i, ragged);
    *said = total || odp_is_note(w->s->base.resource, &w->s->base.info, w->b, i, ragged);
    if (!*said)
        return;
    odp_batch_diag_at(w->b, i, 0, rec->source.len, w->s->base.info.file, &d);
    d.code = total ? ODP_R08 : ODP_R11;
    d.action = ODP_ACTION_DELETE_RECORD;
    *said = odp_resource_refuses(w->s->base.resource, d.code);
    if (*said)
        rec->flags |= ODP_RECORD_SKIP;
    odp_diags_add(w->b->diags, &d);
}

static void say_ragged(struct slicer *w, uint32_t i, uint32_t count, size_t extra)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    char have[16], want[16], delimiter[] = {'\'', w->s->rules.delimiter, '\'', '\0'};
    bool said;
    say_no_record(w, i, true, &said);
    if (said)
        return;
    rec->flags |= ODP_RECORD_SKIP;
    if (count < w->columns)
        odp_batch_diag_at(w->b, i, rec->source.len, 0, w->s->base.info.file, &d);
    else
        odp_batch_diag_at(w->b, i, extra, rec->source.len - extra, w->s->base.info.file, &d);
    d.code = count < w->columns ? ODP_R02 : ODP_R03;
    d.table_column = count < w->columns ? 0 : w->columns + 1;
    d.args[0] = (struct odp_slice){have, (size_t)snprintf(have, sizeof(have), "%u", count)};
    d.args[1] = (struct odp_slice){want, (size_t)snprintf(want, sizeof(want), "%u", w->columns)};
    if (count > w->columns) {
        size_t at = extra;
        while (at < rec->source.len &&
               (rec->source.ptr[at] == w->s->rules.delimiter || rec->source.ptr[at] == ' '))
            at++;
        d.args[at < rec->source.len ? 2 : 3] =
            odp_slice_of(w->s->rules.delimiter == '\t' ? "TAB" : delimiter);
    }
    odp_diags_add(w->b->diags, &d);
}

static void mark_nulls(const struct slicer *w, struct odp_cell *cell)
{
    for (uint32_t c = 0; c < w->columns; c++)
        if (cell[c].len == w->null.len && (cell[c].flags & ODP_CELL_QUOTED) == 0 &&
            odp_slice_eq((struct odp_slice){cell[c].ptr, cell[c].len}, w->null))
            cell[c].flags |= ODP_CELL_NULL;
}

/* Where the first stray quote of a record without quoted cells stands. */
static size_t find_stray(const struct slicer *w, struct odp_slice source, const struct odp_cell *cell,
                         uint32_t count, uint32_t *column)
{
    const char *q = memchr(source.ptr, w->s->rules.quote, source.len);
    size_t stray = (size_t)(q - source.ptr);
    while (*column + 1 < count && *column + 1 < w->columns && cell[*column + 1].pos <= stray)
        ++*column;
    return stray;
}

/* What the text of a record that has all its cells tells: nearly always nothing. */
static inline void look_at_text(struct slicer *w, uint32_t i, const struct odp_cell *cell)
{
    const struct odp_cell *end = cell + w->columns;
    bool said;
    while (cell < end && cell->len == 0)
        cell++;
    if (cell < end && odp_begins_no_record(cell->ptr, cell->len))
        say_no_record(w, i, false, &said);
}

static enum odp_status slice_record(struct slicer *w, uint32_t i)
{
    struct odp_batch *b = w->b;
    struct odp_record *rec = &b->records[i];
    const struct csv_rules *rules = &w->s->rules;
    uint32_t first = b->ncells, count = 0, stray_column = 0;
    size_t extra = 0, stray = SIZE_MAX;
    struct odp_cell *cell = odp_batch_add_cells(b, w->columns);
    if (cell == NULL)
        return ODP_FAIL;
    if (w->s->slow) {
        if (walk(w, rec, cell, &count, &extra, &stray_column, &stray) != ODP_OK)
            return ODP_FAIL;
    } else if ((rec->aux & CSV_QUOTED) == 0 && rules->escape == '\0' && !rules->skip_space) {
        count = split(w, rec->source, cell, &extra);
        if ((rec->aux & CSV_STRAY) != 0)
            stray = find_stray(w, rec->source, cell, count, &stray_column);
    } else if (rules->plain && (rec->aux & CSV_STRAY) == 0) {
        bool inner;
        count = split_quoted(w, rec->source, cell, &extra, &inner);
        if (count == w->columns && (inner || (rec->aux & CSV_LINES) != 0) &&
            parse(w, rec->source, cell) != ODP_OK)
            return ODP_FAIL;
    } else if (walk(w, rec, cell, &count, &extra, &stray_column, &stray) != ODP_OK) {
        return ODP_FAIL;
    }
    rec->first = first;
    rec->count = count < w->columns ? count : w->columns;
    b->ncells = first + rec->count;
    if (count != w->columns) {
        say_ragged(w, i, count, extra);
        return ODP_OK;
    }
    if (w->null.ptr != NULL)
        mark_nulls(w, cell);
    if (rec->aux != 0 && check_cells(w, i, stray_column, stray) != ODP_OK)
        return ODP_FAIL;
    look_at_text(w, i, cell);
    return ODP_OK;
}

/* A record with bytes that are no text. True if it was one. */
static void check_text(struct slicer *w, uint32_t i, bool utf8, bool *bad)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    char hex[8];
    size_t at = utf8 ? odp_utf8_valid(rec->source) : rec->source.len;
    const char *nul = memchr(rec->source.ptr, '\0', at);
    *bad = false;
    if (at == rec->source.len && nul == NULL)
        return;
    *bad = true;
    rec->flags |= ODP_RECORD_SKIP;
    if (nul != NULL)
        at = (size_t)(nul - rec->source.ptr);
    odp_batch_diag_at(w->b, i, at, 1, w->s->base.info.file, &d);
    d.code = nul != NULL ? ODP_E04 : ODP_E01;
    d.args[0] = odp_slice_of(w->s->text.encoding);
    if (nul == NULL)
        d.value = (struct odp_slice){
            hex, (size_t)snprintf(hex, sizeof(hex), "0x%02X", (unsigned char)rec->source.ptr[at])};
    csv_clean(&w->b->arena, &d);
    odp_diags_add(w->b->diags, &d);
}

enum odp_status csv_slice(const struct odp_source *src, struct odp_batch *b, unsigned worker)
{
    const struct csv_source *s = (const struct csv_source *)(const void *)src;
    const char *null = s->base.resource->dialect.null_sequence;
    struct slicer w = {.s = s, .b = b, .columns = s->base.info.ncolumns, .null = odp_slice_of(null)};
    struct odp_slice text = odp_buffer_slice(&b->text);
    w.text = text;
    w.delimiters.wanted = s->rules.delimiter;
    w.quotes.wanted = s->rules.quote;
    enum odp_status status = ODP_OK;
    /* One look at the whole batch; only where it finds something is each record looked at. */
    bool utf8 = s->text.utf8 && odp_utf8_valid(text) < text.len;
    bool doubtful = utf8 || (text.len > 0 && memchr(text.ptr, '\0', text.len) != NULL);
    for (uint32_t i = 0; i < b->nrecords && status == ODP_OK; i++) {
        bool bad = false;
        if ((b->records[i].flags & ODP_RECORD_SKIP) != 0)
            continue;
        if (doubtful)
            check_text(&w, i, utf8, &bad);
        if (!bad)
            status = slice_record(&w, i);
    }
    if (w.parser_open)
        csv_free(&w.parser);
    return status;
}
