/* The exact CSV (write/csv.c): RFC 4180, comma, CRLF, UTF-8 without BOM. An unquoted empty cell is null, ""
 * is the empty string.
 *
 * Columns are the fields in their order, then those of the geometry: lon, lat; or label_lon, label_lat,
 * geometry_type; or these and wkt. The header says which. After a field with codes there may be columns with
 * their names (odp:labels), <field>_nama and <field>_nama_en: no content, they are left out.
 *
 * First a record is found (its cells as offsets), then taken apart: if the window must be filled in the
 * middle of a record, the search starts again, and doubled quotes are removed only once. */
#include "published/reading_internal.h"

#include "base/utf8.h"

struct odp_cell_span {
    size_t start, len; /* within the window, from the record's first byte; without the quotes around it */
    bool quoted, doubled;
};

enum { GEOMETRY_COLUMNS = 4 };

static uint32_t columns_most(const struct odp_reading *r)
{
    return r->layout->n * (1 + ODP_LANGS) + GEOMETRY_COLUMNS;
}

void odp_reading_csv_init(struct odp_reading *r)
{
    size_t most = columns_most(r);
    r->cells = odp_arena_zero(&r->arena, most + 1, sizeof *r->cells);
    r->is_label = odp_arena_zero(&r->arena, most + 1, sizeof *r->is_label);
}

/* ---- records ---- */

enum found { FOUND, MORE, BARE_QUOTE, AFTER_QUOTE, BARE_END, TOO_MANY };

/* A quoted cell whose first quote is at TEXT[I]. *I moves after its last quote. */
static enum found find_quoted(const char *text, size_t n, size_t *i, struct odp_cell_span *cell)
{
    size_t start = *i + 1, at = start;
    for (;;) {
        const char *quote = at < n ? memchr(text + at, '"', n - at) : NULL;
        if (quote == NULL || quote + 1 == text + n)
            return MORE;
        at = (size_t)(quote - text) + 1;
        if (text[at] != '"')
            break;
        cell->doubled = true;
        at++;
    }
    cell->start = start;
    cell->len = at - 1 - start;
    *i = at;
    return FOUND;
}

/* The cells of the record at TEXT, N bytes of which are there. *USED: with its CRLF. */
static enum found find_record(struct odp_reading *r, const char *text, size_t n, uint32_t *count,
                              size_t *used)
{
    uint32_t most = columns_most(r);
    size_t i = 0;
    for (*count = 0;; i++) {
        if (*count == most)
            return TOO_MANY;
        struct odp_cell_span *cell = &r->cells[(*count)++];
        *cell = (struct odp_cell_span){.start = i, .quoted = i < n && text[i] == '"'};
        if (cell->quoted) {
            enum found found = find_quoted(text, n, &i, cell);
            if (found != FOUND)
                return found;
        } else {
            while (i < n && text[i] != ',' && text[i] != '\r' && text[i] != '\n' && text[i] != '"')
                i++;
            cell->len = i - cell->start;
        }
        if (i + 1 >= n && (i >= n || text[i] == '\r'))
            return MORE;
        if (text[i] == ',')
            continue;
        if (text[i] != '\r' || text[i + 1] != '\n')
            return cell->quoted ? AFTER_QUOTE : text[i] == '"' ? BARE_QUOTE : BARE_END;
        *used = i + 2;
        return FOUND;
    }
}

/* Takes the next record from the window; its cells are offsets from *TEXT. DONE: the end of the file. */
static enum odp_status take_record(struct odp_reading *r, char **text, uint32_t *count)
{
    struct odp_window *w = &r->window;
    r->record_at = w->offset;
    for (;;) {
        size_t have = w->to - w->from, used = 0;
        enum found found = have > 0 ? find_record(r, w->bytes + w->from, have, count, &used) : MORE;
        switch (found) {
        case FOUND:
            *text = w->bytes + w->from;
            w->from += used;
            w->offset += used;
            if (odp_utf8_valid((struct odp_slice){*text, used}) != used)
                return odp_reading_reject(r, "it is not UTF-8");
            return ODP_OK;
        case BARE_QUOTE:
            return odp_reading_reject(r, "a quote stands inside a cell that is not quoted");
        case AFTER_QUOTE:
            return odp_reading_reject(r, "there is text behind a quoted cell");
        case BARE_END:
            return odp_reading_reject(r, "a line does not end with CRLF");
        case TOO_MANY:
            return odp_reading_reject(r, "there are more cells than columns");
        case MORE:
            break;
        }
        enum odp_status status = odp_window_fill(r);
        if (status == ODP_DONE)
            return have == 0 ? ODP_DONE : odp_reading_reject(r, "the file ends in the middle of a record");
        if (status != ODP_OK)
            return status;
    }
}

/* The text of a cell; ptr NULL: null. Removes doubled quotes in place. */
static struct odp_slice cell_text(char *text, const struct odp_cell_span *cell)
{
    char *start = text + cell->start, *w = start;
    if (!cell->quoted && cell->len == 0)
        return (struct odp_slice){NULL, 0};
    if (!cell->doubled)
        return (struct odp_slice){start, cell->len};
    for (size_t i = 0; i < cell->len; i++) {
        *w++ = start[i];
        i += start[i] == '"'; /* its twin */
    }
    return (struct odp_slice){start, (size_t)(w - start)};
}

/* ---- header ---- */

/* Whether the N LABELS are the names of the geometry's first COUNT columns. */
static bool columns_are(struct odp_reading *r, const struct odp_slice *labels, uint32_t n,
                        const char *const *names, uint32_t count)
{
    bool equal = r->layout->has_geometry && n == count;
    for (uint32_t k = 0; k < count && equal; k++)
        equal = odp_slice_is(labels[k], odp_reading_free_name(r->layout, names[k], &r->arena));
    return equal;
}

static enum odp_status choose_geometry(struct odp_reading *r, const struct odp_slice *labels, uint32_t n)
{
    static const char *const point[] = {"lon", "lat"}, *const label[] = {"label_lon", "label_lat",
                                                                         "geometry_type", "wkt"};
    if (!r->layout->has_geometry && n == 0)
        r->geometry_form = ODP_GEOMETRY_FORM_NONE;
    else if (columns_are(r, labels, n, point, 2))
        r->geometry_form = ODP_GEOMETRY_FORM_POINT;
    else if (columns_are(r, labels, n, label, 3))
        r->geometry_form = ODP_GEOMETRY_FORM_LABEL;
    else if (columns_are(r, labels, n, label, 4))
        r->geometry_form = ODP_GEOMETRY_FORM_WKT;
    else
        return odp_reading_reject(r, "the header's columns are not those of the schema");
    return ODP_OK;
}

/* Whether a column LABEL after field K has the names of its codes, and is no field. */
static bool is_label(const struct odp_layout *l, uint32_t k, struct odp_slice label)
{
    bool is = odp_layout_is_label(&l->fields[k], label);
    for (uint32_t i = 0; is && i < l->n; i++)
        is = !odp_slice_is(label, l->fields[i].name);
    return is;
}

/* The COUNT cells of the record without those of labels. */
static uint32_t leave_labels_out(struct odp_reading *r, uint32_t count)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < count; k++)
        if (!r->is_label[k])
            r->cells[n++] = r->cells[k];
    return n;
}

static enum odp_status read_header(struct odp_reading *r)
{
    char *text;
    uint32_t n = r->layout->n, count, at = 0;
    struct odp_slice labels[GEOMETRY_COLUMNS];
    enum odp_status status = take_record(r, &text, &count);
    if (status == ODP_DONE)
        return odp_reading_reject(r, "the file is empty");
    if (status != ODP_OK)
        return status;
    r->ncells = count;
    if (n == 0 && count == 1 && r->cells[0].len == 0) /* a table without columns: an empty line */
        count = 0;
    for (uint32_t k = 0; k < count; k++) {
        struct odp_slice label = cell_text(text, &r->cells[k]);
        if (label.ptr == NULL)
            label = ODP_LIT("");
        r->is_label[k] = at > 0 && at <= n && is_label(r->layout, at - 1, label);
        if (r->is_label[k])
            continue;
        if (at >= n + GEOMETRY_COLUMNS)
            return odp_reading_reject(r, "there are more cells than columns");
        if (at >= n)
            labels[at - n] = label;
        else if (!odp_slice_is(label, r->layout->fields[at].name))
            return odp_reading_reject(r, "column %u of the header is not %s", k + 1,
                                      r->layout->fields[at].name);
        at++;
    }
    if (at < n)
        return odp_reading_reject(r, "the header has %u columns, the schema has %u", at, n);
    r->place = ODP_PLACE_RECORDS;
    return choose_geometry(r, labels, at - n);
}

/* ---- geometry ---- */

static bool is_coordinate(struct odp_slice s, double *v)
{
    return s.ptr != NULL && odp_geometry_read_number(s.ptr, s.ptr + s.len, v) == s.ptr + s.len;
}

static bool type_known(struct odp_slice s)
{
    for (unsigned t = 0; t <= ODP_GEOM_MULTIPOLYGON; t++)
        if (s.ptr != NULL && odp_slice_is(s, odp_geom_type_name((enum odp_geom_type)t)))
            return true;
    return false;
}

/* The N cells of the geometry; all are empty if there is none. */
static enum odp_status take_geometry(struct odp_reading *r, const struct odp_slice *cell, uint32_t n,
                                     struct odp_reading_record *rec)
{
    double lon, lat;
    uint32_t empty = 0;
    for (uint32_t k = 0; k < n; k++)
        empty += cell[k].ptr == NULL;
    rec->geometry_whole = true;
    if (empty == n)
        return ODP_OK;
    if (!is_coordinate(cell[0], &lon) || !is_coordinate(cell[1], &lat) || (n > 2 && !type_known(cell[2])))
        return odp_reading_reject(r, "its geometry is damaged");
    rec->geometry_whole =
        r->geometry_form == ODP_GEOMETRY_FORM_WKT || (r->geometry_form == ODP_GEOMETRY_FORM_POINT && r->flat);
    if (r->geometry_form == ODP_GEOMETRY_FORM_LABEL)
        return ODP_OK;
    rec->geometry = &r->store.g;
    if (r->geometry_form == ODP_GEOMETRY_FORM_POINT) {
        odp_geometry_set_point(&r->store, lon, lat);
        return ODP_OK;
    }
    const char *end = cell[3].ptr != NULL ? cell[3].ptr + cell[3].len : NULL;
    const char *after = end != NULL ? odp_geometry_read_wkt(&r->store, cell[3].ptr, end) : NULL;
    if (after != end || end == NULL || !odp_slice_is(cell[2], odp_geom_type_name(r->store.g.type)))
        return odp_reading_reject(r, "its geometry is damaged");
    return ODP_OK;
}

/* ---- one record ---- */

enum odp_status odp_reading_csv_next(struct odp_reading *r, struct odp_reading_record *rec)
{
    char *text;
    uint32_t n = r->layout->n, count;
    struct odp_slice geometry[GEOMETRY_COLUMNS];
    enum odp_status status = r->place == ODP_PLACE_HEAD ? read_header(r) : ODP_OK;
    if (status == ODP_OK)
        status = take_record(r, &text, &count);
    if (status != ODP_OK)
        return status;
    if (count != r->ncells)
        return odp_reading_reject(r, "it has %u cells, the header has %u", count, r->ncells);
    if (n == 0 && r->geometry_form == ODP_GEOMETRY_FORM_NONE)
        return r->cells[0].len == 0 ? ODP_OK
                                    : odp_reading_reject(r, "it has a cell, the schema has no column");
    count = leave_labels_out(r, count);
    for (uint32_t k = 0; k < count; k++) {
        struct odp_slice s = cell_text(text, &r->cells[k]);
        if (k >= n)
            geometry[k - n] = s;
        else if (s.ptr != NULL && !odp_value_is(r->plan[k].kind, s))
            return odp_reading_reject(r, "the value of %s is damaged", r->layout->fields[k].name);
        else
            r->text[k] = s;
    }
    return count > n ? take_geometry(r, geometry, count - n, rec) : ODP_OK;
}
