/* CSV, as two files of one format.
 *
 * <slug>.csv is exact: RFC 4180, UTF-8 without BOM, CRLF. Null is an unquoted empty field, the empty
 * string is "". Quotes only where needed: the delimiter, a quote, CR or LF inside, a space or tab at
 * either end. Nothing is changed, formulas included: programs get the data as it is. (A record of a single
 * null field is an empty line, which many readers skip: RFC 4180 has no other form for it.)
 *
 * <slug>.excel.csv is for a double click in a spreadsheet with Indonesian settings: BOM, ';', decimal
 * comma, CRLF. There, text must stay the text it is:
 *   - text of digits and number signs only ("0123", "11.10", "+62 812", "1/2") is written ="0123": Excel and
 * Calc show exactly 0123, where they would make a number or a date of it;
 *   - other text that begins with = + - @ TAB or CR could run as a formula: it gets an apostrophe in front
 * (OWASP ASVS 1.2.10). That is a change, in this file only.
 *
 * After a column of codes come those of their names (labels.h), where there are any. Geometry comes last:
 * lon, lat where the catalogue allows points only, else label_lon, label_lat, geometry_type, and wkt where
 * odp:csvGeometry asks for it. */
#include "write/emitters.h"
#include "write/file.h"
#include "write/record.h"

#include "base/put.h"

enum { GUARD_MAX = 255 }; /* Excel takes no longer text inside a formula */

/* How a column writes its values. */
enum csv_form {
    CSV_PLAIN,   /* as they are: nothing in them is ever quoted */
    CSV_TEXT,    /* may hold anything: look whether it must be quoted */
    CSV_GUARDED, /* a string: a spreadsheet must not take it for something else */
    CSV_DECIMAL  /* a number with a comma */
};

struct csv_column {
    uint32_t field;
    enum csv_form form;
};

struct csv_emit {
    struct odp_emit_file file;
    struct csv_column *columns;
    uint32_t n;
    bool excel, geometry, point, wkt;
    char delimiter;
};

/* ---- one field ---- */

static inline odp_bytes16 quoting_of_comma(odp_bytes16 v)
{
    return (odp_bytes16)((v == ODP_EVERY16(',')) | (v == ODP_EVERY16('"')) | (v == ODP_EVERY16('\r')) |
                         (v == ODP_EVERY16('\n')));
}

static inline odp_bytes16 quoting_of_semicolon(odp_bytes16 v)
{
    return (odp_bytes16)((v == ODP_EVERY16(';')) | (v == ODP_EVERY16('"')) | (v == ODP_EVERY16('\r')) |
                         (v == ODP_EVERY16('\n')));
}

static inline odp_bytes16 is_quote(odp_bytes16 v)
{
    return (odp_bytes16)(v == ODP_EVERY16('"'));
}

/* A blank at either end; S is not empty. */
static inline bool has_blank_end(struct odp_slice s)
{
    static const bool blank[256] = {[' '] = true, ['\t'] = true};
    return blank[(unsigned char)s.ptr[0]] | blank[(unsigned char)s.ptr[s.len - 1]];
}

/* S with each quote doubled. */
static char *put_doubled(char *w, struct odp_slice s)
{
    odp_bytes16 seen = {0};
    char *end = odp_put_seen(w, s, &seen, is_quote);
    if (!odp_any16(seen))
        return end;
    for (size_t i = 0; i < s.len; i++) {
        *w++ = s.ptr[i];
        if (s.ptr[i] == '"')
            *w++ = '"';
    }
    return w;
}

static inline char *put_text(char *w, struct odp_slice s, struct odp_around text, bool excel)
{
    odp_bytes16 seen = {0};
    if (s.len > 0 && !has_blank_end(s)) {
        char *end = excel ? odp_put_part(w, s, text, &seen, quoting_of_semicolon)
                          : odp_put_part(w, s, text, &seen, quoting_of_comma);
        if (!odp_any16(seen))
            return end;
    }
    *w++ = '"';
    w = put_doubled(w, s);
    *w++ = '"';
    return w;
}

/* Digits and number signs only, with a digit. */
static bool looks_numeric(struct odp_slice s)
{
    enum { digit = 1, sign = 2 };
    static const char kind[256] = {
        ['0'] = digit, ['1'] = digit, ['2'] = digit, ['3'] = digit, ['4'] = digit, ['5'] = digit,
        ['6'] = digit, ['7'] = digit, ['8'] = digit, ['9'] = digit, [' '] = sign,  ['.'] = sign,
        [','] = sign,  [':'] = sign,  ['/'] = sign,  ['+'] = sign,  ['-'] = sign,  ['e'] = sign,
        ['E'] = sign,  ['%'] = sign,  ['('] = sign,  [')'] = sign};
    int seen = 0;
    if (s.len > GUARD_MAX)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        char k = kind[(unsigned char)s.ptr[i]];
        if (k == 0)
            return false;
        seen |= k;
    }
    return (seen & digit) != 0;
}

static char *put_guarded(char *w, struct odp_slice s, struct odp_around text)
{
    if (looks_numeric(s)) {
        memcpy(w, "\"=\"\"", 4); /* the field ="…", quoted; there is no quote in S */
        memcpy(w + 4, s.ptr, s.len);
        memcpy(w + 4 + s.len, "\"\"\"", 3);
        return w + s.len + 7;
    }
    bool formula = s.len > 1 && memchr("=+-@\t\r", s.ptr[0], 6) != NULL;
    if (!formula)
        return put_text(w, s, text, true);
    *w++ = '"';
    *w++ = '\'';
    w = put_doubled(w, s);
    *w++ = '"';
    return w;
}

static char *put_number(char *w, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        *w++ = s.ptr[i] == '.' ? ',' : s.ptr[i];
    return w;
}

/* ---- geometry columns ---- */

static void add_geometry_names(struct odp_buffer *out, struct csv_emit *e)
{
    static const char *const point[] = {"lon", "lat"}, *const other[] = {"label_lon", "label_lat",
                                                                         "geometry_type", "wkt"};
    size_t n = e->point ? 2 : e->wkt ? 4 : 3;
    for (size_t k = 0; k < n; k++) {
        if (k > 0 || e->n > 0)
            odp_buffer_add_char(out, e->delimiter);
        odp_buffer_add_str(out, odp_emit_free_name(e->file.base.job->resource, e->point ? point[k] : other[k],
                                                   &e->file.base.arena));
    }
}

static void add_coordinate(struct odp_buffer *out, const struct csv_emit *e, double v)
{
    char digits[40];
    size_t len = odp_decimal_fixed(v, 7, digits);
    char *dot = e->excel ? memchr(digits, '.', len) : NULL;
    if (dot != NULL)
        *dot = ',';
    odp_buffer_add(out, digits, len);
}

static void add_geometry(struct odp_buffer *out, const struct csv_emit *e, const struct odp_geom *g)
{
    const char between[2] = {e->delimiter, '\0'};
    if (e->n > 0)
        odp_buffer_add_str(out, between);
    if (g == NULL || g->npoints == 0) {
        for (int k = e->point ? 1 : e->wkt ? 3 : 2; k > 0; k--)
            odp_buffer_add_str(out, between);
        return;
    }
    const double *at = e->point ? g->xy : g->label;
    add_coordinate(out, e, at[0]);
    odp_buffer_add_str(out, between);
    add_coordinate(out, e, at[1]);
    if (e->point)
        return;
    odp_buffer_add_str(out, between);
    odp_buffer_add_str(out, odp_geom_type_name(g->type));
    if (e->wkt) {
        odp_buffer_add_str(out, between);
        odp_buffer_add_char(out, '"'); /* it has commas but never a quote */
        odp_geom_add_wkt(out, g);
        odp_buffer_add_char(out, '"');
    }
}

/* ---- the emitters ---- */

static enum odp_status write_header(struct csv_emit *e)
{
    const struct odp_schema *s = &e->file.base.job->resource->schema;
    const struct odp_around alone = {0};
    struct odp_buffer head;
    odp_buffer_init(&head);
    if (e->excel)
        odp_buffer_add_str(&head, "\xEF\xBB\xBF");
    for (uint32_t k = 0; k < e->n; k++) {
        uint32_t at = e->columns[k].field;
        struct odp_slice name =
            odp_slice_of(at < s->n ? s->fields[at].name : e->file.base.job->labels->columns[at - s->n].name);
        if (k > 0)
            odp_buffer_add_char(&head, e->delimiter);
        char *w = odp_buffer_reserve(&head, 2 * name.len + 16);
        if (w != NULL)
            head.len = (size_t)((e->excel ? put_guarded(w, name, alone) : put_text(w, name, alone, false)) -
                                head.ptr);
    }
    if (e->geometry)
        add_geometry_names(&head, e);
    odp_buffer_add_str(&head, "\r\n");
    return odp_emit_file_begin_take(&e->file, &head);
}

static enum csv_form form_of(enum odp_type type, bool excel)
{
    if (excel && odp_type_is_number(type))
        return CSV_DECIMAL;
    if (excel && odp_type_is_text(type))
        return CSV_GUARDED;
    return odp_field_type(type)->plain ? CSV_PLAIN : CSV_TEXT;
}

static enum odp_status begin(struct odp_emit *emit, bool excel)
{
    struct csv_emit *e = (struct csv_emit *)emit;
    const struct odp_resource *r = emit->job->resource;
    e->excel = excel;
    e->delimiter = excel ? ';' : ',';
    e->geometry = emit->job->has_geometry;
    e->point = r->geometry.types == ODP_GEOM_BIT_POINT;
    e->wkt = r->geometry.csv_wkt;
    size_t nlabels = emit->job->labels != NULL ? emit->job->labels->n : 0;
    e->columns = odp_arena_zero(&emit->arena, r->schema.n + nlabels + 1, sizeof *e->columns);
    for (uint32_t k = 0; k < r->schema.n; k++) {
        const struct odp_field *f = &r->schema.fields[k];
        uint32_t names[ODP_LANGS], n = odp_label_columns_after(emit->job->labels, k, names);
        if (f->is_public)
            e->columns[e->n++] = (struct csv_column){k, form_of(f->type, excel)};
        for (uint32_t i = 0; i < n; i++)
            e->columns[e->n++] = (struct csv_column){names[i], form_of(ODP_TYPE_STRING, excel)};
    }
    return write_header(e);
}

static enum odp_status csv_begin(struct odp_emit *emit)
{
    return begin(emit, false);
}

static enum odp_status excel_begin(struct odp_emit *emit)
{
    return begin(emit, true);
}

static inline __attribute__((always_inline)) char *
put_value(char *w, struct odp_slice s, struct odp_around text, enum csv_form form, bool excel)
{
    odp_bytes16 seen = {0};
    if (form == CSV_PLAIN)
        return odp_put_part(w, s, text, &seen, odp_look_nowhere);
    if (excel && form == CSV_DECIMAL)
        return put_number(w, s);
    return excel && form == CSV_GUARDED ? put_guarded(w, s, text) : put_text(w, s, text, excel);
}

/* EXCEL is known where this is called: each of the two files has a loop of its own. */
static inline __attribute__((always_inline)) void add_record(struct odp_buffer *out, const struct csv_emit *e,
                                                             const struct odp_batch *b, uint32_t i,
                                                             bool excel)
{
    size_t len = 0;
    for (uint32_t k = 0; k < e->n; k++)
        len += b->columns[e->columns[k].field].text[i].len;
    size_t need = 2 * len + (size_t)e->n * 16 + 16;
    const struct odp_around text = odp_around_of(odp_buffer_slice(&b->text));
    char *w = odp_buffer_reserve(out, need);
    if (w == NULL)
        return;
    for (const struct csv_column *c = e->columns, *end = c + e->n; c < end; c++) {
        const struct odp_column *column = &b->columns[c->field];
        if (column->state[i] == ODP_VALUE_OK)
            w = put_value(w, column->text[i], text, c->form, excel);
        *w++ = excel ? ';' : ',';
    }
    w -= e->n > 0; /* no delimiter after the last */
    if (!e->geometry) {
        memcpy(w, "\r\n", 2);
        out->len = (size_t)(w + 2 - out->ptr);
        return;
    }
    out->len = (size_t)(w - out->ptr);
    add_geometry(out, e, b->geometry != NULL ? b->geometry[i] : NULL);
    odp_buffer_add(out, "\r\n", 2);
}

static enum odp_status csv_format(const struct odp_emit *emit, const struct odp_batch *b,
                                  struct odp_chunk *out)
{
    for (uint32_t i = 0; i < b->nrecords; i++)
        if (!b->record_bad[i])
            add_record(&out->bytes, (const struct csv_emit *)emit, b, i, false);
    return odp_buffer_status(&out->bytes);
}

static enum odp_status excel_format(const struct odp_emit *emit, const struct odp_batch *b,
                                    struct odp_chunk *out)
{
    for (uint32_t i = 0; i < b->nrecords; i++)
        if (!b->record_bad[i])
            add_record(&out->bytes, (const struct csv_emit *)emit, b, i, true);
    return odp_buffer_status(&out->bytes);
}

const struct odp_emitter odp_emitter_csv = {
    .file = &odp_format_files[ODP_FILE_csv],
    .size = sizeof(struct csv_emit),
    .begin = csv_begin,
    .format_batch = csv_format,
    .append = odp_emit_file_append,
    .end = odp_emit_file_end,
    .release = odp_emit_file_release,
};

const struct odp_emitter odp_emitter_excel_csv = {
    .file = &odp_format_files[ODP_FILE_excel_csv],
    .size = sizeof(struct csv_emit),
    .begin = excel_begin,
    .format_batch = excel_format,
    .append = odp_emit_file_append,
    .end = odp_emit_file_end,
    .release = odp_emit_file_release,
};
