/* Records to cells, on any thread.
 *
 * Delimiters are found 64 bytes at a time (base/bytes.h); the same look tells which records are tame
 * (ODP_RECORD_TAME): checks that look at their cells one by one take 12 % more CPU. In a record with quoted
 * cells a delimiter ends a cell if an even number of quotes precedes it. So cells are split in place, unless
 * their text has to be rewritten: a record with a doubled quote or a line break in a quoted cell goes to
 * libcsv for its text. Records with stray quotes beside quoted cells, and dialects that libcsv does not know
 * (escapeChar, doubleQuote false, skipInitialSpace), go through the cursor of csv_frame. With the cursor
 * alone `check` takes 20 to 30 % more CPU (300,000 rows of rehabilitasi: 0.36 s, not 0.30 s; of inovasi: 0.26
 * s, not 0.20 s). */
#include <csv.h>

#include "base/utf8.h"
#include "read/csv/reader.h"
#include "read/total.h"
#include "words/read.h"

enum { LONG_RECORD = 16 * 1024 };

/* What bytes are like in a piece of the batch's text: text[at .. at + n). */
struct marks {
    size_t at, n;
    uint64_t delimiter[ODP_BYTES_CHUNK / 64];
    uint64_t odd[ODP_BYTES_CHUNK / 64];   /* what no cell of a tame record holds (ODP_RECORD_TAME) */
    uint64_t blank[ODP_BYTES_CHUNK / 64]; /* what none begins with; blanks are what none ends with */
};

/* Where the quotes are in a piece. */
struct quotes {
    size_t at, n;
    uint64_t mask[ODP_BYTES_CHUNK / 64];
};

struct slicer {
    const struct csv_source *s;
    struct odp_batch *b;
    uint32_t columns;
    struct odp_slice null; /* nullSequence; ptr NULL: none */
    struct odp_slice text; /* of the batch */
    struct marks marks;
    struct quotes quotes;
    struct csv_parser parser;
    bool parser_open;
    /* where libcsv's callback puts a cell */
    struct odp_cell *cell;
    uint32_t got;
    char *room;
};

/* Word K of the marks, of 64 bytes behind P; the one before them is read, too. */
static inline void mark(struct marks *m, size_t k, const char *p, char delimiter)
{
    uint64_t ends = 0, odd = 0, blank = 0;
    for (unsigned i = 0; i < 64; i += 32) {
        odp_bytes32 v, before;
        memcpy(&before, p + i, sizeof before);
        memcpy(&v, p + i + 1, sizeof v);
        odp_bytes32 is_end = (odp_bytes32)(v == (uint8_t)delimiter);
        odp_bytes32 is_e = (odp_bytes32)(((v | 0x20) == 'e') & (before - '0' < 10));
        odp_bytes32 is_odd = is_e | (odp_bytes32)((v - ' ' >= 0x7f - ' ') | (v == '@') | (v == '#'));
        odp_bytes32 is_blank = (odp_bytes32)((v == ' ') | (v == '=') | (v - '+' < 3)); /* and ',' */
        ends |= (uint64_t)odp_bytes32_bits(&is_end) << i;
        odd |= (uint64_t)odp_bytes32_bits(&is_odd) << i;
        blank |= (uint64_t)odp_bytes32_bits(&is_blank) << i;
    }
    m->delimiter[k] = ends;
    m->odd[k] = odd;
    m->blank[k] = blank;
}

static ODP_WIDE void mark_piece(struct marks *m, struct odp_slice text, size_t at, char delimiter)
{
    char ends[65];
    m->at = at;
    m->n = text.len - at < ODP_BYTES_CHUNK ? text.len - at : ODP_BYTES_CHUNK;
    for (size_t k = 0; 64 * k < m->n; k++) {
        size_t from = at + 64 * k, n = text.len - from;
        const char *p = text.ptr + from - 1;
        if (from == 0 || n < 64) { /* not a byte before the text, none behind it */
            memset(ends, 0, sizeof ends);
            memcpy(ends + (from == 0), text.ptr + from - (from > 0), (n < 64 ? n : 64) + (from > 0));
            p = ends;
        }
        mark(m, k, p, delimiter);
    }
}

/* The marks of the 64 bytes of the text (fewer at its end) in which byte AT lies: their word. They begin at a
 * multiple of 64. */
static inline size_t marks_at(struct slicer *w, size_t at)
{
    if (at - w->marks.at >= w->marks.n) /* in front of the piece, or behind */
        mark_piece(&w->marks, w->text, at / 64 * 64, w->s->rules.delimiter);
    return (at - w->marks.at) / 64;
}

static inline uint64_t quotes_at(struct slicer *w, size_t at)
{
    struct quotes *q = &w->quotes;
    if (at - q->at >= q->n) {
        q->at = at / 64 * 64;
        q->n = w->text.len - q->at < ODP_BYTES_CHUNK ? w->text.len - q->at : ODP_BYTES_CHUNK;
        odp_bytes_masks(w->text.ptr + q->at, q->n, &w->s->rules.quote, 1, q->mask);
    }
    return q->mask[(at - q->at) / 64];
}

/* The bits that stand for bytes FROM to TO of the text in a word whose first is byte BASE. */
static inline uint64_t within(size_t base, size_t from, size_t to)
{
    uint64_t bits = to - base < 64 ? odp_bits_below((unsigned)(to - base)) : UINT64_MAX;
    return from > base ? bits & UINT64_MAX << (from - base) : bits;
}

/* What was seen in a record that is not tame; and of the byte before the next word, whether a cell begins or
 * ends at it and whether it is blank. */
struct seen {
    uint64_t wild, end, blank;
};

/* ENDS: where cells end, or begin behind. RANGE: the record's bytes; around them are ends, too. */
static inline void look(struct seen *s, const struct marks *m, size_t k, uint64_t ends, uint64_t range)
{
    uint64_t blank = m->blank[k] & range & ~ends;
    ends |= ~range;
    s->wild |=
        (m->odd[k] & range & ~ends) | (blank & (ends << 1 | s->end)) | (ends & (blank << 1 | s->blank));
    s->end = ends >> 63;
    s->blank = blank >> 63;
}

/* Cells as they are found, of which the first CAP have room. */
struct cells {
    struct odp_cell *cell;
    uint32_t cap, count, quoted;
    bool tame;
    size_t start;  /* of the next, in the record */
    size_t *extra; /* the place of the first that found no room */
};

/* The first stray quote of a record. */
struct stray {
    uint32_t column;
    size_t at; /* SIZE_MAX: there is none */
};

static inline void end_cell(struct cells *c, struct odp_slice source, size_t end, bool quoted)
{
    if (c->count < c->cap)
        c->cell[c->count] = (struct odp_cell){.ptr = source.ptr + c->start + quoted,
                                              .len = (uint32_t)(end - c->start) - (quoted ? 2 : 0),
                                              .flags = quoted ? ODP_CELL_QUOTED : 0,
                                              .pos = (uint32_t)c->start & 0x3FFFFFF};
    else if (c->count == c->cap)
        *c->extra = c->start;
    c->count++;
    c->quoted += quoted;
    c->start = end + 1;
}

/* Splits a record without quoted cells, whatever it holds. */
static ODP_WIDE void split(struct slicer *w, struct odp_slice source, struct cells *out)
{
    struct cells c = *out; /* in registers */
    const size_t from = (size_t)(source.ptr - w->text.ptr), to = from + source.len;
    struct seen seen = {0, 1, 0};
    for (size_t base = from / 64 * 64; base < to; base += 64) {
        size_t k = marks_at(w, base);
        uint64_t range = within(base, from, to), bits = w->marks.delimiter[k] & range;
        look(&seen, &w->marks, k, bits, range);
        for (; bits != 0; bits &= bits - 1)
            end_cell(&c, source, base + (size_t)__builtin_ctzll(bits) - from, false);
    }
    end_cell(&c, source, source.len, false);
    c.tame = (seen.wild | seen.blank) == 0;
    *out = c;
}

/* The same for a record with quoted cells that is framed well. True: there is a quote in the text of one. */
static ODP_WIDE bool split_quoted(struct slicer *w, struct odp_slice source, struct cells *out)
{
    struct cells c = *out;
    const size_t from = (size_t)(source.ptr - w->text.ptr), to = from + source.len;
    const char quote = w->s->rules.quote;
    struct seen seen = {0, 1, 0};
    uint64_t open = 0; /* all ones: a quoted cell goes on from the word before */
    uint32_t quotes = 0;
    for (size_t base = from / 64 * 64; base < to; base += 64) {
        size_t k = marks_at(w, base);
        uint64_t range = within(base, from, to), marks = quotes_at(w, base) & range;
        uint64_t inside = odp_bits_inside(marks) ^ open, bits = w->marks.delimiter[k] & range & ~inside;
        open = 0 - (inside >> 63);
        quotes += (uint32_t)__builtin_popcountll(marks);
        look(&seen, &w->marks, k, bits | marks, range);
        for (; bits != 0; bits &= bits - 1)
            end_cell(&c, source, base + (size_t)__builtin_ctzll(bits) - from, source.ptr[c.start] == quote);
    }
    end_cell(&c, source, source.len, c.start < source.len && source.ptr[c.start] == quote);
    c.tame = (seen.wild | seen.blank) == 0;
    *out = c;
    return quotes != 2 * c.quoted;
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
static enum odp_status check_cells(struct slicer *w, uint32_t i, struct stray stray)
{
    const struct odp_record *rec = &w->b->records[i];
    if (stray.at != SIZE_MAX)
        say_stray(w, i, stray.column, stray.at);
    for (uint32_t c = 0; c < rec->count && (rec->aux & CSV_LINES) != 0; c++) {
        const struct odp_cell *cell = &w->b->cells[rec->first + c];
        if (memchr(cell->ptr, '\n', cell->len) != NULL || memchr(cell->ptr, '\r', cell->len) != NULL)
            say_line_break(w, i, c);
    }
    return ODP_OK;
}

/* Cells by the cursor: for quoted records and dialects of our own. */
static enum odp_status walk(struct slicer *w, const struct odp_record *rec, struct cells *out,
                            struct stray *stray)
{
    const struct csv_rules *rules = &w->s->rules;
    struct csv_cursor cursor = {.rules = rules, .p = rec->source.ptr, .n = rec->source.len};
    struct csv_raw raw;
    bool libcsv = false;
    uint32_t n = 0;
    for (; csv_cursor_next(&cursor, &raw); n++) {
        if (n == w->columns)
            *out->extra = raw.pos;
        if (raw.stray != SIZE_MAX && stray->at == SIZE_MAX)
            *stray = (struct stray){n, raw.stray};
        if (n >= w->columns)
            continue;
        out->cell[n] = (struct odp_cell){.ptr = rec->source.ptr + raw.start,
                                         .len = (uint32_t)raw.len,
                                         .flags = raw.quoted ? ODP_CELL_QUOTED : 0,
                                         .pos = (uint32_t)raw.pos & 0x3FFFFFF};
        libcsv = libcsv || raw.quoted;
        if (!rules->plain && raw.escaped)
            unescape(w, &raw, rec->source, &out->cell[n]);
    }
    out->count = n;
    return libcsv && rules->plain && n == w->columns ? parse(w, rec->source, out->cell) : ODP_OK;
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

/* "<<<<<<< HEAD", "=======", ">>>>>>> branch": what git leaves where two changes meet. */
static bool is_conflict_mark(struct odp_slice line)
{
    static const char *const marks[] = {"<<<<<<<", "=======", ">>>>>>>"};
    bool found = false;
    for (size_t i = 0; i < ODP_COUNT(marks); i++)
        found = found || (line.len >= 7 && memcmp(line.ptr, marks[i], 7) == 0 &&
                          (line.len == 7 || line.ptr[7] == ' '));
    return found;
}

static void say_ragged(struct slicer *w, uint32_t i, uint32_t count, size_t extra)
{
    struct odp_record *rec = &w->b->records[i];
    struct odp_diag d;
    char have[16], want[16], delimiter[] = {'\'', w->s->rules.delimiter, '\'', '\0'};
    static const struct odp_text conflict = {{W_read_conflict_mark}};
    const bool marks = is_conflict_mark(rec->source);
    bool said = false;
    if (!marks)
        say_no_record(w, i, true, &said);
    if (said)
        return;
    rec->flags |= ODP_RECORD_SKIP;
    if (marks)
        odp_batch_diag_at(w->b, i, 0, rec->source.len, w->s->base.info.file, &d);
    else if (count < w->columns)
        odp_batch_diag_at(w->b, i, rec->source.len, 0, w->s->base.info.file, &d);
    else
        odp_batch_diag_at(w->b, i, extra, rec->source.len - extra, w->s->base.info.file, &d);
    d.code = count < w->columns ? ODP_R02 : ODP_R03;
    d.message = marks ? &conflict : NULL;
    d.table_column = count < w->columns ? 0 : w->columns + 1;
    d.args[0] = (struct odp_slice){have, (size_t)snprintf(have, sizeof(have), "%u", count)};
    if (!marks)
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
static struct stray find_stray(const struct slicer *w, struct odp_slice source, const struct cells *c)
{
    const char *q = memchr(source.ptr, w->s->rules.quote, source.len);
    struct stray stray = {0, (size_t)(q - source.ptr)};
    while (stray.column + 1 < c->count && stray.column + 1 < w->columns &&
           c->cell[stray.column + 1].pos <= stray.at)
        stray.column++;
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
    uint32_t first = b->ncells;
    size_t extra = 0;
    struct stray stray = {0, SIZE_MAX};
    struct cells c = {.cell = odp_batch_add_cells(b, w->columns), .cap = w->columns, .extra = &extra};
    if (c.cell == NULL)
        return ODP_FAIL;
    if (!w->s->slow && (rec->aux & CSV_QUOTED) == 0 && rules->escape == '\0' && !rules->skip_space) {
        split(w, rec->source, &c);
        if ((rec->aux & CSV_STRAY) != 0)
            stray = find_stray(w, rec->source, &c);
    } else if (!w->s->slow && rules->plain && (rec->aux & CSV_STRAY) == 0) {
        bool inner = split_quoted(w, rec->source, &c);
        if (c.count == w->columns && (inner || (rec->aux & CSV_LINES) != 0) &&
            parse(w, rec->source, c.cell) != ODP_OK)
            return ODP_FAIL;
    } else if (walk(w, rec, &c, &stray) != ODP_OK) {
        return ODP_FAIL;
    }
    rec->first = first;
    rec->count = c.count < w->columns ? c.count : w->columns;
    rec->flags |= c.tame ? ODP_RECORD_TAME : 0;
    b->ncells = first + rec->count;
    if (c.count != w->columns) {
        say_ragged(w, i, c.count, extra);
        return ODP_OK;
    }
    if (w->null.ptr != NULL)
        mark_nulls(w, c.cell);
    if (rec->aux != 0 && check_cells(w, i, stray) != ODP_OK)
        return ODP_FAIL;
    look_at_text(w, i, c.cell);
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
