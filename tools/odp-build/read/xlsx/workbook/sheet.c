/* A worksheet as a stream of rows: the parser pauses at every row's end. Text of shared strings is not
 * copied; the row's own text (numbers, inline strings, dates) is in one buffer. */
#include <errno.h>
#include <stdlib.h>

#include "base/room.h"
#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

enum value_type { TYPE_NUMBER, TYPE_SHARED, TYPE_STRING, TYPE_INLINE, TYPE_BOOLEAN, TYPE_ERROR, TYPE_DATE };
enum capture { CAPTURE_NONE, CAPTURE_VALUE, CAPTURE_INLINE };

struct place { /* of texts in the row's buffer, which moves while it grows */
    size_t text, iso;
};
#define ELSEWHERE SIZE_MAX

struct odp_sheet {
    struct odp_workbook *w;
    struct wb_xml xml;
    struct odp_buffer buf;
    struct odp_sheet_cell *cells;
    struct place *places;
    uint32_t n, cap;
    uint32_t row, said_row; /* the row being read; the last one that was begun */
    bool hidden, in_data, data_seen, in_row, in_cell, preserve;
    unsigned phonetic;
    int64_t column; /* of the cell being read; of the last one */
    enum value_type type;
    enum capture capture;
    bool formula, has_value;
    unsigned style;
    size_t start, run;       /* in buf: of the cell's text, of its <t> */
    struct wb_range *merges; /* by first row */
    size_t nmerges, next_merge;
    struct wb_range *active; /* those the row crosses, by column, disjoint */
    size_t nactive, active_cap, at_active;
    uint32_t looked_at; /* columns before this one: said, or not there */
    uint8_t hidden_columns[16384 / 8];
};

static void damaged(struct wb_xml *x, const char *id, const char *en)
{
    wb_xml_stop(x, ODP_WORKBOOK_DAMAGED, id, en);
}

static void take_columns(struct odp_sheet *s, const char **attributes)
{
    const char *min = wb_attribute(attributes, "min"), *max = wb_attribute(attributes, "max");
    if (!wb_is_true(wb_attribute(attributes, "hidden")) || min == NULL || max == NULL)
        return;
    unsigned long first = strtoul(min, NULL, 10), last = strtoul(max, NULL, 10);
    for (unsigned long c = first; c >= 1 && c <= last && c <= 16384; c++)
        s->hidden_columns[(c - 1) / 8] |= (uint8_t)(1u << ((c - 1) % 8));
}

/* R joins the ranges the row crosses; one that overlaps another is no valid range and is left out. */
static bool activate(struct odp_sheet *s, const struct wb_range *r)
{
    size_t at = s->nactive;
    while (at > 0 && s->active[at - 1].column > r->column)
        at--;
    if ((at > 0 && s->active[at - 1].last_column >= r->column) ||
        (at < s->nactive && s->active[at].column <= r->last_column))
        return true;
    if (!odp_room(s->active, s->nactive, s->active_cap))
        return false;
    memmove(s->active + at + 1, s->active + at, (s->nactive - at) * sizeof(*s->active));
    s->active[at] = *r;
    s->nactive++;
    return true;
}

static bool settle_merges(struct odp_sheet *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->nactive; i++)
        if (s->active[i].last_row >= s->row)
            s->active[kept++] = s->active[i];
    s->nactive = kept;
    s->at_active = 0;
    for (; s->next_merge < s->nmerges && s->merges[s->next_merge].row <= s->row; s->next_merge++)
        if (s->merges[s->next_merge].last_row >= s->row && !activate(s, &s->merges[s->next_merge]))
            return false;
    return true;
}

/* Columns of a row come in ascending order. */
static void mark_merged(struct odp_sheet *s, struct odp_sheet_cell *c)
{
    while (s->at_active < s->nactive && s->active[s->at_active].last_column < c->column)
        s->at_active++;
    if (s->at_active >= s->nactive || s->active[s->at_active].column > c->column)
        return;
    const struct wb_range *r = &s->active[s->at_active];
    c->anchor = r->row == s->row && r->column == c->column;
    c->merged = !c->anchor;
    c->merge_row = r->row;
    c->merge_column = r->column;
}

static bool add_cell(struct odp_sheet *s, const struct odp_sheet_cell *c, struct place place)
{
    if (s->n == s->cap) {
        uint32_t cap = s->cap < 64 ? 64 : s->cap * 2;
        struct odp_sheet_cell *cells = odp_realloc_array(s->cells, cap, sizeof(*cells));
        if (cells != NULL)
            s->cells = cells;
        struct place *places = cells != NULL ? odp_realloc_array(s->places, cap, sizeof(*places)) : NULL;
        if (places == NULL)
            return false;
        s->places = places;
        s->cap = cap;
    }
    s->places[s->n] = place;
    s->cells[s->n++] = *c;
    return true;
}

/* Some programs write no cells under a merged one: those before column END that the file has passed over, so
 * that nobody takes them for empty. */
static bool add_covered(struct odp_sheet *s, uint32_t end)
{
    for (size_t i = s->at_active; i < s->nactive && s->active[i].column < end; i++) {
        const struct wb_range *r = &s->active[i];
        uint32_t from = r->column > s->looked_at ? r->column : s->looked_at,
                 to = r->last_column < end - 1 ? r->last_column : end - 1;
        for (uint32_t k = from; k <= to && k - from < WB_COVERED_MAX; k++) {
            struct odp_sheet_cell c = {
                .column = k, .merged = true, .merge_row = r->row, .merge_column = r->column};
            if ((r->row != s->row || r->column != k) && !add_cell(s, &c, (struct place){0, ELSEWHERE}))
                return false;
        }
    }
    s->looked_at = end;
    return true;
}

static void start_row(struct wb_xml *x, struct odp_sheet *s, const char **attributes)
{
    const char *r = wb_attribute(attributes, "r");
    unsigned long row = s->said_row + 1UL;
    if (r != NULL) {
        char *end;
        row = strtoul(r, &end, 10);
        if (end == r || *end != '\0' || row == 0) {
            damaged(x, W_read_row_number_cannot_read);
            return;
        }
    }
    if (row > s->w->limits.rows) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_rows);
        return;
    }
    if (row <= s->said_row) {
        damaged(x, W_read_rows_out_order);
        return;
    }
    s->row = s->said_row = (uint32_t)row;
    s->hidden = wb_is_true(wb_attribute(attributes, "hidden"));
    s->n = 0;
    s->column = -1;
    s->looked_at = 0;
    s->in_row = true;
    odp_buffer_clear(&s->buf);
    if ((s->nactive > 0 || s->next_merge < s->nmerges) && !settle_merges(s))
        wb_xml_fail(x);
}

static enum value_type type_of(const char *t)
{
    static const struct {
        const char *name;
        enum value_type type;
    } types[] = {{"s", TYPE_SHARED},  {"n", TYPE_NUMBER}, {"str", TYPE_STRING}, {"inlineStr", TYPE_INLINE},
                 {"b", TYPE_BOOLEAN}, {"e", TYPE_ERROR},  {"d", TYPE_DATE}};
    for (size_t i = 0; t != NULL && i < ODP_COUNT(types); i++)
        if (strcmp(t, types[i].name) == 0)
            return types[i].type;
    return TYPE_NUMBER;
}

static void start_cell(struct wb_xml *x, struct odp_sheet *s, const char **attributes)
{
    const char *t = NULL, *r = NULL, *style = NULL;
    for (const char **a = attributes; a[0] != NULL; a += 2) {
        if (a[0][0] != '\0' && a[0][1] == '\0') {
            if (a[0][0] == 't')
                t = a[1];
            else if (a[0][0] == 'r')
                r = a[1];
            else if (a[0][0] == 's')
                style = a[1];
        }
    }
    uint32_t row = s->row, column = (uint32_t)(s->column + 1);
    if (r != NULL && (!wb_reference(r, strlen(r), &row, &column) || row != s->row)) {
        damaged(x, W_read_cell_address_does_not_fit);
        return;
    }
    if ((int64_t)column <= s->column) {
        damaged(x, W_read_cells_out_order);
        return;
    }
    if (column >= s->w->limits.columns) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_many_columns);
        return;
    }
    s->column = column;
    s->type = type_of(t);
    unsigned long index = style != NULL ? strtoul(style, NULL, 10) : 0;
    s->style = index < s->w->nstyles ? s->w->styles[index] : 0;
    s->formula = s->has_value = false;
    s->start = s->run = s->buf.len;
    s->in_cell = true;
    s->capture = CAPTURE_NONE;
    s->phonetic = 0;
}

static void cell_part(struct odp_sheet *s, const char *name, const char **attributes)
{
    if (strcmp(name, "v") == 0 && s->type != TYPE_INLINE) {
        s->capture = CAPTURE_VALUE;
    } else if (strcmp(name, "f") == 0) {
        s->formula = true;
    } else if (strcmp(name, "rPh") == 0) {
        s->phonetic++;
    } else if (strcmp(name, "t") == 0 && s->type == TYPE_INLINE && s->phonetic == 0) {
        const char *space = wb_attribute(attributes, "xml:space");
        s->preserve = space != NULL && strcmp(space, "preserve") == 0;
        s->run = s->buf.len;
        s->capture = CAPTURE_INLINE;
    }
}

static void sheet_start(struct wb_xml *x, const char *name, const char **attributes)
{
    struct odp_sheet *s = x->ctx;
    if (s->in_cell)
        cell_part(s, name, attributes);
    else if (s->in_row && strcmp(name, "c") == 0)
        start_cell(x, s, attributes);
    else if (s->in_data && !s->in_row && strcmp(name, "row") == 0)
        start_row(x, s, attributes);
    else if (x->depth == 1 && strcmp(name, "worksheet") != 0)
        damaged(x, W_read_not_worksheet);
    else if (x->depth == 2 && strcmp(name, "sheetData") == 0) {
        if (s->data_seen)
            damaged(x, W_read_sheet_content_there_twice);
        s->in_data = s->data_seen = true;
    } else if (x->depth == 3 && strcmp(name, "col") == 0)
        take_columns(s, attributes);
}

/* Digits, point, exponent: what a program writes; nothing else is taken for a number. */
static bool is_number(const char *p, size_t n)
{
    size_t i = n > 0 && (p[0] == '-' || p[0] == '+') ? 1 : 0, digits = 0;
    for (; i < n && p[i] >= '0' && p[i] <= '9'; i++)
        digits++;
    if (i < n && p[i] == '.')
        for (i++; i < n && p[i] >= '0' && p[i] <= '9'; i++)
            digits++;
    if (digits == 0 || n > 400)
        return false;
    if (i < n && (p[i] == 'e' || p[i] == 'E')) {
        i++;
        if (i < n && (p[i] == '-' || p[i] == '+'))
            i++;
        size_t from = i;
        while (i < n && p[i] >= '0' && p[i] <= '9')
            i++;
        if (i == from || i - from > 4)
            return false;
    }
    return i == n;
}

static void take_number(struct odp_sheet *s, struct odp_sheet_cell *c, struct place *place)
{
    wb_strip(&s->buf, s->start);
    size_t n = s->buf.len - s->start;
    c->text.len = n;
    if (n == 0)
        return;
    c->kind = is_number(s->buf.ptr + s->start, n) ? ODP_CELL_NUMBER : ODP_CELL_TEXT;
    c->percent = c->kind == ODP_CELL_NUMBER && s->style == WB_PERCENT;
    if (c->kind != ODP_CELL_NUMBER || s->style == 0 || c->percent)
        return;
    char text[416], iso[40];
    memcpy(text, s->buf.ptr + s->start, n);
    text[n] = '\0';
    c->kind = ODP_CELL_DATE;
    place->iso = s->buf.len;
    c->iso.len = wb_serial_iso(strtod(text, NULL), s->w->from_1904, s->style, iso);
    odp_buffer_add(&s->buf, iso, c->iso.len);
}

/* t="d": the date is written out, perhaps with a zone and a fraction that says nothing. */
static void take_iso(struct odp_sheet *s, struct odp_sheet_cell *c, struct place *place)
{
    wb_strip(&s->buf, s->start);
    struct odp_slice iso = {s->buf.ptr + s->start, s->buf.len - s->start};
    c->text.len = iso.len;
    if (iso.len == 0)
        return;
    c->kind = ODP_CELL_DATE;
    place->iso = s->start;
    if (iso.len > 11 && iso.ptr[iso.len - 1] == 'Z')
        iso.len--;
    if (iso.len > 4 && memcmp(iso.ptr + iso.len - 4, ".000", 4) == 0)
        iso.len -= 4;
    if (iso.len == 19 && memcmp(iso.ptr + 10, "T00:00:00", 9) == 0 && (s->style & WB_HAS_TIME) == 0)
        iso.len = 10;
    c->iso.len = iso.len;
}

static void take_shared(struct wb_xml *x, struct odp_sheet *s, struct odp_sheet_cell *c, struct place *place)
{
    char text[24];
    wb_strip(&s->buf, s->start);
    size_t n = s->buf.len - s->start;
    if (n == 0 || n >= sizeof(text))
        return;
    memcpy(text, s->buf.ptr + s->start, n);
    text[n] = '\0';
    char *end;
    unsigned long i = strtoul(text, &end, 10);
    if (*end != '\0' || i >= s->w->strings.n) {
        damaged(x, W_read_cell_points_shared_text_not);
        return;
    }
    s->buf.len = s->start;
    place->text = ELSEWHERE;
    c->text = wb_string(&s->w->strings, i);
    c->kind = c->text.len > 0 ? ODP_CELL_TEXT : ODP_CELL_EMPTY;
}

static void take_value(struct wb_xml *x, struct odp_sheet *s, struct odp_sheet_cell *c, struct place *place)
{
    if (s->type == TYPE_SHARED) {
        take_shared(x, s, c, place);
    } else if (s->type == TYPE_NUMBER) {
        take_number(s, c, place);
    } else if (s->type == TYPE_DATE) {
        take_iso(s, c, place);
    } else {
        wb_unescape(&s->buf, s->start);
        if (s->type == TYPE_BOOLEAN && s->buf.len > s->start) {
            bool yes = s->buf.ptr[s->start] == '1' || s->buf.ptr[s->start] == 't';
            s->buf.len = s->start;
            odp_buffer_add_str(&s->buf, yes ? "true" : "false");
        }
        c->text.len = s->buf.len - s->start;
        if (c->text.len > 0)
            c->kind = s->type == TYPE_BOOLEAN ? ODP_CELL_BOOLEAN
                      : s->type == TYPE_ERROR ? ODP_CELL_ERROR
                                              : ODP_CELL_TEXT;
    }
}

static void end_cell(struct wb_xml *x, struct odp_sheet *s)
{
    s->in_cell = false;
    struct odp_sheet_cell c = {.column = (uint32_t)s->column, .formula = s->formula};
    struct place place = {s->start, ELSEWHERE};
    take_value(x, s, &c, &place);
    bool covered = s->nactive == 0 || add_covered(s, c.column);
    s->looked_at = c.column + 1;
    mark_merged(s, &c);
    if (s->buf.failed || !covered) {
        wb_xml_fail(x);
        return;
    }
    if (x->status != ODP_OK)
        return;
    if (c.text.len > s->w->limits.cell_bytes) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_text_one_cell_too_long);
        return;
    }
    if (c.kind == ODP_CELL_EMPTY && s->type == TYPE_STRING)
        c.formula = false; /* its value is the empty text */
    if (c.kind == ODP_CELL_EMPTY && !c.formula && !c.merged)
        return;
    if (!add_cell(s, &c, place))
        wb_xml_fail(x);
}

/* The texts have their last place now. */
static void end_row(struct wb_xml *x, struct odp_sheet *s)
{
    s->in_row = false;
    if (s->n > 0 && s->nactive > 0 && !add_covered(s, s->w->limits.columns)) {
        wb_xml_fail(x);
        return;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        if (s->places[i].text != ELSEWHERE)
            s->cells[i].text.ptr = s->cells[i].text.len > 0 ? s->buf.ptr + s->places[i].text : "";
        s->cells[i].iso.ptr = s->cells[i].iso.len > 0 ? s->buf.ptr + s->places[i].iso : "";
    }
    if (s->n > 0)
        wb_xml_pause(x);
}

static void sheet_end(struct wb_xml *x, const char *name)
{
    struct odp_sheet *s = x->ctx;
    if (s->in_cell) {
        if (s->capture == CAPTURE_INLINE && strcmp(name, "t") == 0 && !s->preserve)
            wb_strip(&s->buf, s->run);
        if (strcmp(name, "t") == 0 || strcmp(name, "v") == 0)
            s->capture = CAPTURE_NONE;
        else if (strcmp(name, "rPh") == 0 && s->phonetic > 0)
            s->phonetic--;
        else if (strcmp(name, "c") == 0)
            end_cell(x, s);
    } else if (s->in_row && strcmp(name, "row") == 0) {
        end_row(x, s);
    } else if (s->in_data && strcmp(name, "sheetData") == 0) {
        s->in_data = false;
    }
}

static void sheet_text(struct wb_xml *x, const char *p, int n)
{
    struct odp_sheet *s = x->ctx;
    if (!s->in_cell || s->capture == CAPTURE_NONE)
        return;
    odp_buffer_add(&s->buf, p, (size_t)n);
    if (s->buf.failed)
        wb_xml_fail(x);
    else if (s->buf.len > WB_ROW_BYTES)
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_one_row_too_long);
}

enum odp_status odp_sheet_open(struct odp_sheet **out, struct odp_workbook *w, size_t sheet,
                               struct odp_workbook_fault *fault)
{
    static const struct wb_events events = {sheet_start, sheet_end, sheet_text};
    *out = NULL;
    *fault = (struct odp_workbook_fault){0};
    if (sheet >= w->nsheets || w->sheet_open)
        return WB_DAMAGED(fault, NULL, W_read_there_no_such_sheet);
    enum odp_status status = wb_strings_load(w, fault);
    if (status == ODP_OK)
        status = wb_styles_load(w, fault);
    if (status != ODP_OK)
        return status;
    struct odp_sheet *s = calloc(1, sizeof(*s));
    if (s == NULL)
        return odp_failure_memory();
    s->w = w;
    w->sheet_open = true;
    status = wb_merges_read(w, w->sheets[sheet].part, &s->merges, &s->nmerges, fault);
    if (status == ODP_OK)
        status = wb_xml_open(&s->xml, w, w->sheets[sheet].part, &events, s, fault);
    if (status == ODP_OK)
        *out = s;
    else
        odp_sheet_close(s);
    return status;
}

enum odp_status odp_sheet_next(struct odp_sheet *s, struct odp_sheet_row *row,
                               struct odp_workbook_fault *fault)
{
    *row = (struct odp_sheet_row){0};
    *fault = (struct odp_workbook_fault){0};
    s->xml.in.fault = fault;
    enum odp_status status = wb_xml_step(&s->xml);
    if (status == ODP_OK)
        *row = (struct odp_sheet_row){.row = s->row, .hidden = s->hidden, .cells = s->cells, .n = s->n};
    return status;
}

bool odp_sheet_column_hidden(const struct odp_sheet *s, uint32_t column)
{
    return column < 16384 && (s->hidden_columns[column / 8] & 1u << (column % 8)) != 0;
}

uint32_t odp_sheet_progress(const struct odp_sheet *s)
{
    return s->xml.in.size == 0 || s->xml.in.read >= s->xml.in.size
               ? 1000000
               : (uint32_t)((double)s->xml.in.read / (double)s->xml.in.size * 1e6);
}

void odp_sheet_close(struct odp_sheet *s)
{
    if (s == NULL)
        return;
    s->w->sheet_open = false;
    wb_xml_close(&s->xml);
    odp_buffer_release(&s->buf);
    free(s->cells);
    free(s->places);
    free(s->active);
    free(s);
}
