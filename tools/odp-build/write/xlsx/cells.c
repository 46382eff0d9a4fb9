/* A workbook's columns: formats and widths by a look at all records, then typed cells.
 *
 * A number becomes a number where a double holds it, a date where Excel's calendar is right (from 1 March
 * 1900 on), a time where a format can show it as it is written. Everything else is the same text as in the
 * other formats. Text is never a formula: only the library's functions for strings are called.
 *
 * Heights of rows with wrapped text are written, because not every program finds them out when it opens a
 * file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/decimal.h"
#include "words/xlsx.h"
#include "write/facts/facts.h"
#include "write/typesetting/words.h"
#include "write/record.h"
#include "write/xlsx/xlsx_internal.h"

/* A word in both languages on one line. */
#define BOTH_(id, en) id " / " en
#define BOTH(word)    BOTH_(word)

/* ---- numbers ---- */

struct number {
    bool fits; /* a cell can hold it */
    double value;
    unsigned whole, decimals,
        digits; /* characters before the point, digits after it, as written; significant digits */
};

static double power_of_ten(unsigned n)
{
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    return powers[n];
}

/* With an exponent, or more decimals than an exact quotient allows: the C library knows how. */
static double convert(struct odp_slice s)
{
    char text[ODP_DECIMAL_SIZE + 1];
    if (s.len > ODP_DECIMAL_SIZE)
        return HUGE_VAL;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';
    return strtod(text, NULL);
}

/* Does VALUE, printed with as many digits as the literal S has (KEPT, from FIRST on), give S again? */
static bool prints_back(double value, struct odp_slice s, size_t first, unsigned kept)
{
    char text[ODP_DECIMAL_SIZE + 16];
    if (kept > ODP_DECIMAL_SIZE ||
        snprintf(text, sizeof text, "%.*e", (int)kept - 1, fabs(value)) < (int)kept)
        return false;
    for (const char *p = text; kept > 0; first++) {
        p += *p == '.';
        if (s.ptr[first] == '.')
            continue;
        if (*p++ != s.ptr[first])
            return false;
        kept--;
    }
    return true;
}

/* The canonical literal S, of a column that MEASURES or of one that identifies: there all digits must be
 * seen, and Excel shows 15. Zeros at the end of an integer count: 16 digits of an account number are 16
 * digits. */
static struct number read_number(struct odp_slice s, bool measures)
{
    struct number n = {0};
    size_t begin = s.len > 0 && s.ptr[0] == '-', end = begin;
    while (end < s.len && s.ptr[end] != 'e' && s.ptr[end] != 'E')
        end++;
    const char *dot = memchr(s.ptr, '.', end);
    size_t point = dot != NULL ? (size_t)(dot - s.ptr) : end, last = end;
    n.whole = (unsigned)point;
    n.decimals = dot != NULL ? (unsigned)(end - point - 1) : 0;
    while (dot != NULL && s.ptr[last - 1] == '0')
        last--;
    size_t first = begin;
    while (first < last && (s.ptr[first] == '0' || s.ptr[first] == '.'))
        first++;
    uint64_t digits = 0;
    unsigned kept = 0, places = 0; /* digits from the first that is not 0 to the last significant one; of all
                                      those after the point */
    for (size_t i = begin; i < last; i++) {
        if (i == point)
            continue;
        kept += kept > 0 || s.ptr[i] != '0';
        places += i > point;
        digits = kept > XLSX_DIGITS_MAX ? digits : digits * 10 + (uint64_t)(s.ptr[i] - '0');
    }
    n.fits = kept <= XLSX_DIGITS_MAX;
    n.digits = kept;
    if (n.fits && end == s.len && places <= 22) { /* both are exact, so the quotient is the nearest double */
        n.value = (double)digits / power_of_ten(places);
        n.value = begin > 0 ? -n.value : n.value;
        return n;
    }
    n.value = convert(s);
    n.fits = n.fits || (measures && prints_back(n.value, s, first, kept));
    n.fits = n.fits && (kept == 0 || (fabs(n.value) >= 1e-307 && fabs(n.value) <= 9.99999999999999e307));
    if (end < s.len)
        n.decimals = XLSX_DECIMALS_MAX + 1;
    return n;
}

/* Of a column's cell; a year of three digits (0987) is no number. */
static struct number number_of(const struct xlsx_column *c, struct odp_slice s)
{
    struct number n = read_number(s, c->figure);
    n.fits = n.fits && (c->kind != XLSX_YEAR || s.ptr[0] != '0');
    return n;
}

/* ---- dates and times ---- */

enum {
    EXCEL_EPOCH = 25569 /* 1970-01-01 */,
    EXCEL_FIRST = 61 /* 1900-03-01; before, Excel counts a 29 February that never was */
};

/* LEN digits at P, or -1. */
static int take_digits(const char *p, size_t len)
{
    int v = 0;
    for (size_t i = 0; i < len; i++) {
        if (!odp_is_digit(p[i]))
            return -1;
        v = v * 10 + (p[i] - '0');
    }
    return v;
}

/* Excel's number of the day; false: it has no number. S begins with YYYY-MM-DD. */
static bool day_of(struct odp_slice s, int64_t *day)
{
    if (s.len < 10 || s.ptr[4] != '-' || s.ptr[7] != '-')
        return false;
    int year = take_digits(s.ptr, 4), month = take_digits(s.ptr + 5, 2), date = take_digits(s.ptr + 8, 2);
    if (year < 1 || month < 1 || date < 1)
        return false;
    struct odp_datetime d = {
        .year = (int16_t)year, .month = (uint8_t)month, .day = (uint8_t)date, .has_date = true};
    *day = odp_date_days(&d) + EXCEL_EPOCH;
    return *day >= EXCEL_FIRST;
}

/* HH:MM:SS[.fff] at the begin of S in milliseconds; *LEN: its length, *PLACES: decimals. False: not of the
 * form, or finer. */
static bool time_of(struct odp_slice s, int64_t *millis, size_t *len, unsigned *places)
{
    if (s.len < 8 || s.ptr[2] != ':' || s.ptr[5] != ':')
        return false;
    int hour = take_digits(s.ptr, 2), minute = take_digits(s.ptr + 3, 2), second = take_digits(s.ptr + 6, 2);
    if (hour < 0 || minute < 0 || second < 0)
        return false;
    int64_t ms = ((int64_t)hour * 3600 + minute * 60 + second) * 1000;
    size_t i = 8;
    *places = 0;
    if (i < s.len && s.ptr[i] == '.')
        for (int unit = 100; ++i < s.len && odp_is_digit(s.ptr[i]); unit /= 10) {
            if (++*places > 3)
                return false;
            ms += (s.ptr[i] - '0') * unit;
        }
    *millis = ms;
    *len = i;
    return true;
}

/* The format of times with so many decimals and this offset ("+07:00", "Z", ""); NULL: there are too many. */
static lxw_format *stamp_of(struct xlsx_emit *e, bool date, unsigned places, struct odp_slice offset)
{
    static const char *const decimals[] = {"", ".0", ".00", ".000"};
    char pattern[64];
    if (offset.len > 6)
        return NULL;
    for (size_t i = 0; i < offset.len; i++)
        if (strchr("Z+-:0123456789", offset.ptr[i]) == NULL)
            return NULL;
    const char *quote = offset.len > 0 ? "\"" : "";
    (void)snprintf(pattern, sizeof pattern, "%shh:mm:ss%s%s%.*s%s", date ? "yyyy-mm-dd\"T\"" : "",
                   decimals[places], quote, (int)offset.len, offset.ptr, quote);
    for (size_t i = 0; i < e->nstamps; i++)
        if (strcmp(e->stamps[i].pattern, pattern) == 0)
            return e->stamps[i].format;
    if (e->nstamps == XLSX_STAMPS_MAX)
        return NULL;
    struct xlsx_stamp *stamp = &e->stamps[e->nstamps];
    stamp->format = odp_book_format(&e->book);
    strcpy(stamp->pattern, pattern);
    format_set_num_format(stamp->format, pattern);
    format_set_align(stamp->format, LXW_ALIGN_LEFT);
    if (e->wrapped)
        format_set_align(stamp->format, LXW_ALIGN_VERTICAL_TOP);
    e->nstamps++;
    return stamp->format;
}

/* ---- cells ---- */

struct place {
    lxw_worksheet *sheet;
    lxw_row_t row;
    lxw_col_t col;
};

/* A text too long for a cell is never cut: a sentence says where it is complete. */
static void put_text(struct xlsx_emit *e, struct xlsx_column *c, const struct place *p, struct odp_slice s,
                     lxw_format *format)
{
    if (!odp_xlsx_text_put(&e->book.text, s)) {
        odp_buffer_clear(&e->book.text);
        odp_buffer_printf(&e->book.text, "[" BOTH(W_xlsx_too_long) "]", s.len, s.len);
        c->notes[XLSX_NOTE_LONG]++;
        format = c->format;
    }
    odp_xlsx_string_put(e, p->sheet, p->row, p->col, format);
}

static void put_double(struct xlsx_emit *e, const struct place *p, double v, lxw_format *format)
{
    odp_book_note(&e->book, worksheet_write_number(p->sheet, p->row, p->col, v, format));
}

static void put_number(struct xlsx_emit *e, struct xlsx_column *c, const struct place *p, struct odp_slice s)
{
    struct number n = number_of(c, s);
    if (c->as_text) {
        put_text(e, c, p, s, c->format);
        return;
    }
    c->notes[XLSX_NOTE_DIGITS] += n.digits > XLSX_DIGITS_MAX;
    c->exact = n.digits > XLSX_DIGITS_LIBRARY ? n.value : 0;
    e->exact = e->exact || c->exact != 0;
    put_double(e, p, n.value, c->format);
}

static void put_date(struct xlsx_emit *e, struct xlsx_column *c, const struct place *p, struct odp_slice s)
{
    int64_t day;
    if (s.len == 10 && day_of(s, &day)) {
        put_double(e, p, (double)day, c->format);
        return;
    }
    c->notes[XLSX_NOTE_OLD_DATE]++;
    put_text(e, c, p, s, e->looks.plain);
}

/* A date-time is the local time of its offset, which is in the format: the cell shows the same as the other
 * formats. */
static void put_stamp(struct xlsx_emit *e, struct xlsx_column *c, const struct place *p, struct odp_slice s)
{
    bool date = c->kind == XLSX_DATETIME;
    int64_t day = 0, millis;
    size_t at = date ? 11 : 0, len;
    unsigned places;
    lxw_format *format = NULL;
    bool known = !date || (s.len > 11 && s.ptr[10] == 'T' && day_of(s, &day));
    if (known && time_of((struct odp_slice){s.ptr + at, s.len - at}, &millis, &len, &places))
        format = stamp_of(e, date, places, (struct odp_slice){s.ptr + at + len, s.len - at - len});
    if (format != NULL) {
        put_double(e, p, (double)(day * 86400000 + millis) / 86400000.0, format);
        return;
    }
    c->notes[known ? XLSX_NOTE_STAMP : XLSX_NOTE_OLD_DATE]++;
    put_text(e, c, p, s, e->looks.plain);
}

/* The value with a link; beyond the workbook's links, and where it is no address, the value alone. */
static void put_link(struct xlsx_emit *e, struct xlsx_column *c, const struct place *p, struct odp_slice s)
{
    odp_buffer_clear(&e->address);
    if (c->kind == XLSX_DOCUMENT)
        odp_buffer_add_str(&e->address, e->folder);
    odp_buffer_add_slice(&e->address, s);
    const char *address = odp_buffer_cstr(&e->address);
    bool is_link = odp_xlsx_is_link(odp_buffer_slice(&e->address));
    if (!is_link || e->links == XLSX_LINKS_MAX) {
        c->notes[XLSX_NOTE_LINKS] += is_link;
        put_text(e, c, p, s, e->looks.plain);
        return;
    }
    (void)odp_xlsx_text_put(&e->book.text, s); /* short enough */
    e->links++;
    odp_book_note(&e->book, worksheet_write_url_opt(p->sheet, p->row, p->col, address, c->format,
                                                    odp_buffer_cstr(&e->book.text), NULL));
}

void odp_xlsx_cell_put(struct xlsx_emit *e, struct xlsx_column *c, lxw_worksheet *sheet, lxw_row_t row,
                       lxw_col_t col, struct odp_slice s)
{
    const struct place p = {sheet, row, col};
    if (s.len == 0)
        return; /* null, or the empty text: no cell */
    switch (c->kind) {
    case XLSX_YEAR:
    case XLSX_NUMBER:
        put_number(e, c, &p, s);
        break;
    case XLSX_BOOLEAN:
        odp_book_note(&e->book, worksheet_write_boolean(sheet, row, col, odp_slice_is(s, "true"), c->format));
        break;
    case XLSX_DATE:
        put_date(e, c, &p, s);
        break;
    case XLSX_TIME:
    case XLSX_DATETIME:
        put_stamp(e, c, &p, s);
        break;
    case XLSX_URL:
    case XLSX_DOCUMENT:
        put_link(e, c, &p, s);
        break;
    default:
        put_text(e, c, &p, s, c->format);
    }
}

/* The name of the code in column C. */
static struct odp_slice label_text(const struct xlsx_emit *e, const struct xlsx_column *c)
{
    const struct odp_emit_job *job = e->base.job;
    struct odp_slice code = e->reader.cells.field[c->field];
    struct odp_text name = {{"", ""}};
    if (code.ptr != NULL)
        name = odp_code_lists_find(job->codes, job->resource, (uint32_t)c->field, code);
    return odp_slice_of(odp_text_get(&name, c->lang));
}

/* The text of column C in the current record: a field's, or longitude, latitude, kind of geometry, for which
 * DIGITS has room. */
static struct odp_slice column_text(const struct xlsx_emit *e, const struct xlsx_column *c, char digits[40])
{
    const struct odp_cells *cells = &e->reader.cells;
    if (c->is_label)
        return label_text(e, c);
    if (c->field >= 0)
        return cells->field[c->field];
    if (!cells->has_geometry)
        return (struct odp_slice){NULL, 0};
    if (c->place == 2)
        return odp_slice_of(odp_geom_type_name(cells->type));
    return (struct odp_slice){digits, odp_decimal_fixed(cells->at[c->place], 7, digits)};
}

/* High enough for wrapped texts; the library needs it before the cells. */
static void set_height(struct xlsx_emit *e)
{
    unsigned most = 1;
    for (lxw_col_t k = 0; k < e->ncolumns && e->columns[k].field >= 0; k++) {
        char digits[40];
        struct odp_slice s = column_text(e, &e->columns[k], digits);
        bool figure = e->columns[k].kind == XLSX_NUMBER || s.len == 0;
        if (figure || (s.len <= XLSX_WIDTH_MAX && memchr(s.ptr, '\n', s.len) == NULL))
            continue;
        unsigned lines =
            s.len > ODP_XLSX_UNITS_MAX ? 4 /* of the sentence instead */ : odp_xlsx_lines(s, XLSX_WRAP_AT);
        most = lines > most ? lines : most;
    }
    if (most > 1)
        odp_book_note(&e->book, worksheet_set_row(e->sheet, e->row, odp_xlsx_height(most), NULL));
}

/* Properties of a column's numbers, needed before the first is written. */
static void look_at_number(struct xlsx_column *c, struct odp_slice s)
{
    struct number n = number_of(c, s);
    c->as_text = c->as_text || !n.fits;
    c->whole = n.whole > c->whole ? n.whole : c->whole;
    c->decimals = n.decimals > c->decimals ? n.decimals : c->decimals;
}

static void look_at_text(struct xlsx_column *c, struct odp_slice s)
{
    if (s.len > c->width) { /* a text has not more columns than bytes */
        unsigned width = odp_xlsx_width(s);
        c->width = width > c->width ? width : c->width;
        c->longest = s.len > c->longest ? s.len : c->longest;
    }
    c->lines = c->lines || memchr(s.ptr, '\n', s.len) != NULL;
}

void odp_xlsx_record_look(struct xlsx_emit *e)
{
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        struct xlsx_column *c = &e->columns[k];
        char digits[40];
        struct odp_slice s = column_text(e, c, digits);
        if (s.len == 0)
            continue;
        if (c->kind == XLSX_NUMBER || c->kind == XLSX_YEAR)
            look_at_number(c, s);
        if (c->kind != XLSX_NUMBER || c->field >= 0)
            look_at_text(c, s);
    }
}

/* Takes the finished row from the library and adds the digits that it left out. */
static void put_exact(struct xlsx_emit *e)
{
    FILE *file = e->sheet->file;
    if (e->row_out == NULL)
        e->row_out = open_memstream(&e->row_text, &e->row_len);
    if (e->row_out != NULL) {
        rewind(e->row_out);
        e->sheet->file = e->row_out;
        lxw_worksheet_write_single_row(e->sheet);
        e->sheet->file = file;
    }
    if (e->row_out == NULL || fflush(e->row_out) != 0 || ferror(e->row_out) || e->row_text == NULL) {
        odp_book_note(&e->book, LXW_ERROR_MEMORY_MALLOC_FAILED);
        return;
    }
    const char *at = e->row_text, *end = at + e->row_len;
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        char name[32] = "<c r=\"";
        if (e->columns[k].exact == 0)
            continue;
        lxw_rowcol_to_cell(name + strlen(name), e->row, k);
        const char *cell = strstr(at, strcat(name, "\"")); /* in texts '<' is escaped */
        const char *value = cell != NULL ? strstr(cell, "<v>") : NULL;
        if (value == NULL)
            continue;
        value += strlen("<v>");
        (void)fwrite(at, 1, (size_t)(value - at), file);
        (void)fprintf(file, "%.17G", e->columns[k].exact);
        at = value + strcspn(value, "<");
        e->columns[k].exact = 0;
    }
    e->exact = false;
    if (fwrite(at, 1, (size_t)(end - at), file) != (size_t)(end - at))
        odp_book_note(&e->book, LXW_ERROR_CREATING_TMPFILE);
}

void odp_xlsx_record_put(struct xlsx_emit *e)
{
    set_height(e);
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        struct xlsx_column *c = &e->columns[k];
        char digits[40];
        odp_xlsx_cell_put(e, c, e->sheet, e->row, k, column_text(e, c, digits));
    }
    if (e->exact && e->book.status == ODP_OK)
        put_exact(e);
}

/* ---- columns ---- */

static enum xlsx_kind kind_of(const struct odp_field *f)
{
    static const enum xlsx_kind kinds[ODP_SHEETS] = {
        [ODP_SHEET_TEXT] = XLSX_TEXT,        [ODP_SHEET_NUMBER] = XLSX_NUMBER, [ODP_SHEET_YEAR] = XLSX_YEAR,
        [ODP_SHEET_BOOLEAN] = XLSX_BOOLEAN,  [ODP_SHEET_DATE] = XLSX_DATE,     [ODP_SHEET_TIME] = XLSX_TIME,
        [ODP_SHEET_DATETIME] = XLSX_DATETIME};
    if (f->document != NULL)
        return XLSX_DOCUMENT;
    if (f->type == ODP_TYPE_STRING && f->string_format == ODP_STRING_URI)
        return XLSX_URL;
    return kinds[odp_field_type(f->type)->sheet];
}

static struct xlsx_column *add_column(struct xlsx_emit *e, int field, const char *name, const char *header,
                                      enum xlsx_kind kind)
{
    struct xlsx_column *c = &e->columns[e->ncolumns++];
    *c = (struct xlsx_column){.field = field, .name = name, .header = header, .kind = kind};
    return c;
}

static char *header_of(struct xlsx_emit *e, const struct odp_field *f)
{
    odp_buffer_clear(&e->book.text);
    odp_words_title(&e->book.text, f, ODP_LANG_ID, true);
    return odp_xlsx_line(odp_buffer_cstr(&e->book.text), 1000, &e->base.arena);
}

static bool is_unique(const struct xlsx_emit *e, lxw_col_t k)
{
    for (lxw_col_t i = 0; i < e->ncolumns; i++)
        if (i != k && strcmp(e->columns[i].header, e->columns[k].header) == 0)
            return false;
    return true;
}

/* Equal headers get the field's name. */
static void name_apart(struct xlsx_emit *e)
{
    const char **headers = odp_arena_zero(&e->base.arena, (size_t)e->ncolumns + 1, sizeof *headers);
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        const struct xlsx_column *c = &e->columns[k];
        headers[k] =
            is_unique(e, k) ? c->header : odp_arena_printf(&e->base.arena, "%s (%s)", c->header, c->name);
    }
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        e->columns[k].header = headers[k];
}

/* The names of codes that say nothing by themselves, right after them. */
static void add_labels(struct xlsx_emit *e, uint32_t k)
{
    const struct odp_emit_job *job = e->base.job;
    const struct odp_field *f = &job->resource->schema.fields[k];
    struct odp_arena *a = &e->base.arena;
    bool says[ODP_LANGS];
    odp_code_lists_say(job->codes, job->resource, k, says);
    for (enum odp_lang lang = 0; lang < ODP_LANGS && says[ODP_LANG_ID]; lang++) {
        if (!says[lang])
            continue;
        const char *title = odp_text_get(&f->title, lang);
        const char *header =
            odp_arena_printf(a, odp_word(lang, W_xlsx_name_of), title[0] != '\0' ? title : f->name);
        struct xlsx_column *c =
            add_column(e, (int)k, odp_arena_printf(a, "%s%s", f->name, odp_label_suffix[lang]),
                       odp_xlsx_line(header, 1000, a), XLSX_TEXT);
        c->is_label = true;
        c->lang = lang;
    }
}

static void add_geometry(struct xlsx_emit *e)
{
    static const char *const names[2][3] = {{"label_lon", "label_lat", "geometry_type"}, {"lon", "lat"}};
    const struct odp_resource *r = e->base.job->resource;
    bool point = r->geometry.types == ODP_GEOM_BIT_POINT;
    for (unsigned k = 0; k < (point ? 2u : 3u); k++) {
        const struct odp_text title = odp_facts_place_title(point, k);
        const char *header = odp_arena_printf(&e->base.arena, "%s%s", odp_text_get(&title, ODP_LANG_ID),
                                              k < 2 ? odp_word(ODP_LANG_ID, W_xlsx_degrees) : "");
        add_column(e, -1, odp_emit_free_name(r, names[point][k], &e->base.arena), header,
                   k < 2 ? XLSX_NUMBER : XLSX_TEXT)
            ->place = k;
    }
}

enum odp_status odp_xlsx_columns_init(struct xlsx_emit *e)
{
    const struct odp_schema *s = &e->base.job->resource->schema;
    if (s->n > LXW_COL_MAX - 3)
        return odp_failure_set("workbook of more than 16,381 columns", e->place, 0);
    e->columns = odp_arena_zero(&e->base.arena, (size_t)s->n * (1 + ODP_LANGS) + 4, sizeof *e->columns);
    for (uint32_t k = 0; k < s->n; k++) {
        const struct odp_field *f = &s->fields[k];
        if (!f->is_public)
            continue;
        add_column(e, (int)k, f->name, header_of(e, f), kind_of(f))->figure = odp_schema_is_figure(s, k);
        add_labels(e, k);
    }
    if (e->base.job->has_geometry)
        add_geometry(e);
    name_apart(e);
    e->head_lines = 1;
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        struct odp_slice header = odp_slice_of(e->columns[k].header);
        unsigned lines = odp_xlsx_lines(header, 24);
        lines = lines == 1 && odp_xlsx_width(header) > 12 ? 2 : lines;
        e->head_lines = lines > e->head_lines ? lines : e->head_lines;
    }
    e->head_lines = e->head_lines > 8 ? 8 : e->head_lines;
    return ODP_OK;
}

/* ---- their formats, when all records were looked at ---- */

static bool is_one_of(const char *unit, const char *const *words)
{
    for (size_t i = 0; words[i] != NULL; i++)
        if (strcasecmp(unit, words[i]) == 0)
            return true;
    return false;
}

static bool has_unit(const struct odp_field *f, const char *const *words)
{
    for (int lang = 0; lang < ODP_LANGS; lang++)
        if (f->unit.in[lang] != NULL && is_one_of(f->unit.in[lang], words))
            return true;
    return false;
}

/* The format of a column's numbers: as many decimals as the most precise one has; percent are not scaled
 * (12.5 is 12.5 %). */
static void set_number(struct xlsx_emit *e, struct xlsx_column *c)
{
    static const char *const percent[] = {"persen",     "percent", "per cent", "percentage",
                                          "persentase", "%",       "pct",      NULL};
    static const char *const hectare[] = {"ha", "hektare", "hektar", "hectare", "hectares", NULL};
    static const char *const money[] = {"rupiah", "rp", "rp.", "idr", NULL};
    const struct odp_field *f = c->field >= 0 ? &e->base.job->resource->schema.fields[c->field] : NULL;
    bool is_percent = f != NULL && c->figure && has_unit(f, percent),
         is_money = f != NULL && has_unit(f, money);
    unsigned decimals = c->decimals;
    if (decimals > XLSX_DECIMALS_MAX) {
        format_set_num_format(c->format, "General");
        c->width = c->width < 16 ? 16 : c->width;
        return;
    }
    if (f != NULL && c->figure && has_unit(f, hectare) && decimals < 2)
        decimals = 2;
    if (is_money && decimals == 1)
        decimals = 2;
    char pattern[48], places[XLSX_DECIMALS_MAX + 2] = "";
    if (decimals > 0)
        (void)snprintf(places, sizeof places, ".%.*s", (int)decimals, "0000000000");
    (void)snprintf(pattern, sizeof pattern, "%s%s%s", c->figure ? "#,##0" : "0", places,
                   is_percent ? "\"%\"" : "");
    format_set_num_format(c->format, pattern);
    unsigned width = c->whole + (c->figure && c->whole > 3 ? (c->whole - 1) / 3 : 0) +
                     (decimals > 0 ? 1 + decimals : 0) + is_percent;
    c->width = width > c->width ? width : c->width;
}

static void set_format(struct xlsx_emit *e, struct xlsx_column *c)
{
    switch (c->kind) {
    case XLSX_NUMBER:
    case XLSX_YEAR:
        set_number(e, c);
        break;
    case XLSX_BOOLEAN:
        format_set_num_format(c->format, "General");
        c->width = c->width < 8 ? 8 : c->width;
        break;
    case XLSX_DATE:
        format_set_num_format(c->format, "yyyy-mm-dd");
        c->width = c->width < 10 ? 10 : c->width;
        break;
    case XLSX_TIME:
    case XLSX_DATETIME:
        format_set_num_format(c->format, "General"); /* cells that cannot be written as such */
        break;
    default: /* "@" keeps what is typed into a cell a text; longer ones some programs then show as ##### */
        format_set_num_format(c->format, c->longest <= 255 ? "@" : "General");
        break;
    }
}

/* Wide enough for the header in its lines, next to the button of the filter. */
static double width_of(const struct xlsx_emit *e, const struct xlsx_column *c)
{
    unsigned head = 4;
    while (head < XLSX_WIDTH_MAX && odp_xlsx_lines(odp_slice_of(c->header), head) > e->head_lines)
        head++;
    double content =
        c->width > XLSX_WIDTH_MAX ? XLSX_WIDTH_MAX : c->width * (c->kind == XLSX_TEXT ? 1.08 : 1.0) + 2;
    double wanted = head * 1.1 + 3;
    return fmin(fmax(fmax(content, wanted), 8), XLSX_WIDTH_MAX + 4);
}

void odp_xlsx_columns_format(struct xlsx_emit *e)
{
    for (lxw_col_t k = 0; k < e->ncolumns; k++) {
        struct xlsx_column *c = &e->columns[k];
        c->format = odp_book_format(&e->book);
        if (c->as_text)
            c->kind = XLSX_TEXT;
        if (c->kind == XLSX_URL || c->kind == XLSX_DOCUMENT) {
            format_set_font_color(c->format, 0x0563C1);
            format_set_underline(c->format, LXW_UNDERLINE_SINGLE);
        }
        set_format(e, c);
        if (!c->figure || c->as_text)
            format_set_align(c->format, c->figure ? LXW_ALIGN_RIGHT : LXW_ALIGN_LEFT);
        if (k > 0 && !c->figure && e->columns[k - 1].figure)
            format_set_indent(c->format, 1); /* apart from the figures next to it */
        bool wraps = c->width > XLSX_WIDTH_MAX || c->lines;
        if (wraps)
            format_set_text_wrap(c->format);
        e->wrapped = e->wrapped || wraps;
    }
    for (lxw_col_t k = 0; k < e->ncolumns && e->wrapped; k++)
        format_set_align(e->columns[k].format, LXW_ALIGN_VERTICAL_TOP);
}

void odp_xlsx_columns_set(struct xlsx_emit *e)
{
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        odp_book_note(&e->book, worksheet_set_column(e->sheet, k, k, width_of(e, &e->columns[k]),
                                                     e->columns[k].format));
}

uint64_t odp_xlsx_noted(const struct xlsx_emit *e, enum xlsx_note note)
{
    uint64_t n = 0;
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        n += e->columns[k].notes[note];
    return n;
}
