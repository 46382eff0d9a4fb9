/* The facts of a record, and their heights. See entries_internal.h.
 *
 * A field is narrow (two in a line) when none of its values takes more than two lines so, else wide; the same
 * in all entries. Heights are measured once and kept for all settings. */
#include "write/pdf/entries_internal.h"

#include <stdlib.h>

#include "words/pdf.h"
#include "write/typesetting/words.h"

const struct odp_face odp_fact_type = {9, false, false}, odp_fact_label_type = {8, false, false},
                      odp_fact_address_type = {7.5, false, false}, odp_entry_title_type = {10.5, true, false},
                      odp_entry_badge_type = {8, true, false};

/* ---- which facts there are ---- */

static bool is_named(const struct odp_print_entries *e, uint32_t field)
{
    const struct odp_resource *r = e->job->resource;
    const struct odp_key *key = r->print.heading.n > 0 ? &r->print.heading : &r->schema.primary;
    for (uint32_t i = 0; i < key->n && !e->cut; i++)
        if (key->fields[i] == field)
            return true;
    return (int64_t)field == e->title || (int64_t)field == e->status;
}

/* The key by which FIELD alone refers to a record of its own resource, or NULL. */
static const struct odp_foreign_key *own_key(const struct odp_resource *r, uint32_t field)
{
    for (size_t i = 0; i < r->nforeign; i++)
        if (r->foreign[i].target == r && r->foreign[i].local.n == 1 && r->foreign[i].local.fields[0] == field)
            return &r->foreign[i];
    return NULL;
}

static enum odp_fact_kind kind_of(const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    if (f->document != NULL)
        return ODP_FACT_DOCUMENT;
    if (f->type == ODP_TYPE_STRING && f->string_format == ODP_STRING_URI)
        return ODP_FACT_URI;
    if (own_key(r, field) != NULL)
        return ODP_FACT_REFERENCE;
    if (f->type == ODP_TYPE_DATE)
        return ODP_FACT_DATE;
    return f->type == ODP_TYPE_DATETIME ? ODP_FACT_DATETIME : ODP_FACT_PLAIN;
}

static int target_cmp(const void *x, const void *y)
{
    const struct odp_fact_target *a = x, *b = y;
    int c = odp_slice_cmp(a->value, b->value);
    return c != 0 ? c : (a->row > b->row) - (a->row < b->row);
}

static void make_targets(struct odp_print_entries *e, struct odp_fact *f)
{
    uint32_t remote = own_key(e->job->resource, f->at)->remote.fields[0];
    f->targets = odp_arena_array(e->arena, (size_t)e->n + 1, sizeof *f->targets);
    for (uint32_t i = 0; i < e->n; i++) {
        struct odp_slice value = odp_entry_cell(e, i, remote);
        if (value.ptr != NULL)
            f->targets[f->ntargets++] = (struct odp_fact_target){value, i};
    }
    qsort(f->targets, f->ntargets, sizeof *f->targets, target_cmp);
}

static void add_fact(struct odp_print_entries *e, uint32_t at)
{
    const struct odp_schema *s = &e->job->resource->schema;
    struct odp_fact *f = &e->facts[e->nfacts++];
    *f = (struct odp_fact){.at = at, .kind = at < s->n ? kind_of(e->job->resource, at) : ODP_FACT_PLACE};
    odp_buffer_clear(&e->text);
    if (at < s->n) {
        odp_words_title(&e->text, &s->fields[at], ODP_LANG_ID, false);
    } else {
        const struct odp_text place = odp_facts_place_title(e->job->columns - s->n == 2, at - s->n);
        odp_buffer_add_str(&e->text, odp_text_get(&place, ODP_LANG_ID));
    }
    f->name = odp_arena_str(e->arena, odp_buffer_cstr(&e->text));
    f->heights = odp_arena_zero(e->arena, (size_t)e->n + 1, sizeof *f->heights);
    if (f->kind == ODP_FACT_REFERENCE)
        make_targets(e, f);
}

void odp_facts_new(struct odp_print_entries *e)
{
    const struct odp_schema *s = &e->job->resource->schema;
    e->facts = odp_arena_zero(e->arena, (size_t)e->job->columns + 1, sizeof *e->facts);
    e->sizes = odp_arena_zero(e->arena, (size_t)e->n + 1, sizeof *e->sizes);
    e->space = odp_fonts_layout(e->fonts, odp_fact_label_type, ODP_LIT(" "), -1, PANGO_ALIGN_LEFT);
    odp_table_text_init(&e->value, e->fonts, odp_fact_type.size);
    for (uint32_t at = 0; at < e->job->columns; at++)
        if (at >= s->n || (s->fields[at].is_public && !is_named(e, at)))
            add_fact(e, at);
}

void odp_facts_free(struct odp_print_entries *e)
{
    for (size_t i = 0; i < e->nfacts; i++)
        g_clear_object(&e->facts[i].label);
    g_clear_object(&e->space);
    odp_table_text_release(&e->value);
}

/* ---- their text ---- */

/* A cell of field AT as printed, with what its code means: "31 — DKI Jakarta". */
static void add_cell(struct odp_print_entries *e, struct odp_buffer *out, uint32_t at, struct odp_slice value)
{
    const struct odp_schema *s = &e->job->resource->schema;
    const struct odp_text label = odp_print_meaning(e->job, at, value);
    const char *words = odp_text_get(&label, ODP_LANG_ID),
               *unit = odp_text_get(&s->fields[at].unit, ODP_LANG_ID);
    odp_words_cell(out, s, at, value, ODP_LANG_ID);
    if (*words != '\0' && !odp_slice_is(value, words)) {
        odp_buffer_add_str(out, " — ");
        odp_buffer_add_str(out, words);
    }
    if (*unit != '\0') {
        odp_buffer_add_char(out, ' ');
        odp_buffer_add_str(out, unit);
    }
}

/* "2024-03-15T07:05:00+07:00" as 15 Maret 2024, 07:05:00+07:00 */
static void add_datetime(struct odp_buffer *out, struct odp_slice value)
{
    const char *t = memchr(value.ptr, 'T', value.len);
    odp_words_date(out, value, ODP_LANG_ID);
    if (t == NULL)
        return;
    odp_buffer_add_str(out, ", ");
    odp_buffer_add(out, t + 1, value.len - (size_t)(t + 1 - value.ptr));
}

/* The name under which a document's file was supplied: the last segment of its path, with what was escaped in
 * it. */
static void add_file_name(struct odp_buffer *out, struct odp_slice path)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] != '/')
        at--;
    for (; at < path.len; at++) {
        const char *high = at + 2 < path.len && path.ptr[at] == '~' ? strchr(digits, path.ptr[at + 1]) : NULL;
        const char *low = high != NULL && *high != '\0' ? strchr(digits, path.ptr[at + 2]) : NULL;
        bool escaped = low != NULL && *low != '\0';
        odp_buffer_add_char(out, escaped ? (char)((high - digits) * 16 + (low - digits)) : path.ptr[at]);
        at += escaped ? 2 : 0;
    }
}

/* "REG-0002 — Keputusan Menteri 30/IN/M/2014, hlm. 12" */
static void add_reference(struct odp_print_entries *e, const struct odp_fact *f, uint32_t row,
                          struct odp_slice value, unsigned page)
{
    int64_t target = odp_fact_target(e, f, row);
    odp_words_cell(&e->text, &e->job->resource->schema, f->at, value, ODP_LANG_ID);
    if (target < 0)
        return;
    if (!odp_slice_is(odp_buffer_slice(&e->text), e->names[target])) {
        odp_buffer_add_str(&e->text, " — ");
        odp_buffer_add_str(&e->text, e->names[target]);
    }
    odp_buffer_add_str(&e->text, odp_word(ODP_LANG_ID, W_pdf_page_mark));
    if (page > 0)
        odp_buffer_add_u64(&e->text, page);
    else
        odp_buffer_add_str(&e->text, "00000"); /* for measuring: as wide as any */
}

struct odp_slice odp_fact_text(struct odp_print_entries *e, const struct odp_fact *f, uint32_t row,
                               unsigned page)
{
    struct odp_slice value = odp_entry_cell(e, row, f->at);
    odp_buffer_clear(&e->text);
    if (value.ptr == NULL)
        return value;
    switch (f->kind) {
    case ODP_FACT_DATE:
        odp_words_date(&e->text, value, ODP_LANG_ID);
        break;
    case ODP_FACT_DATETIME:
        add_datetime(&e->text, value);
        break;
    case ODP_FACT_DOCUMENT:
        add_file_name(&e->text, value);
        break;
    case ODP_FACT_REFERENCE:
        add_reference(e, f, row, value, page);
        break;
    case ODP_FACT_PLACE:
        if (f->at - e->job->resource->schema.n < 2)
            odp_words_number(&e->text, value, ODP_LANG_ID, false);
        else
            odp_buffer_add_slice(&e->text, value);
        break;
    default:
        add_cell(e, &e->text, f->at, value);
    }
    return (struct odp_slice){odp_buffer_cstr(&e->text), e->text.len};
}

const char *odp_fact_address(struct odp_print_entries *e, const struct odp_fact *f, uint32_t row)
{
    struct odp_slice value = odp_entry_cell(e, row, f->at);
    odp_buffer_clear(&e->more);
    if (value.ptr == NULL || (f->kind != ODP_FACT_URI && f->kind != ODP_FACT_DOCUMENT))
        return "";
    if (f->kind == ODP_FACT_DOCUMENT)
        odp_buffer_add_str(&e->more, e->job->base);
    odp_buffer_add_slice(&e->more, value);
    return odp_buffer_cstr(&e->more);
}

int64_t odp_fact_target(const struct odp_print_entries *e, const struct odp_fact *f, uint32_t row)
{
    struct odp_slice value = odp_entry_cell(e, row, f->at);
    size_t low = 0, high = f->ntargets;
    if (value.ptr == NULL)
        return -1;
    while (low < high) { /* the first of those that are equal */
        size_t middle = low + (high - low) / 2;
        if (odp_slice_cmp(f->targets[middle].value, value) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < f->ntargets && odp_slice_eq(f->targets[low].value, value);
    return found ? (int64_t)f->targets[low].row : -1;
}

struct odp_slice odp_entry_title(const struct odp_print_entries *e, uint32_t row)
{
    return e->title >= 0 ? odp_entry_cell(e, row, (uint32_t)e->title) : (struct odp_slice){NULL, 0};
}

struct odp_slice odp_entry_status(struct odp_print_entries *e, uint32_t row)
{
    struct odp_slice value =
        e->status >= 0 ? odp_entry_cell(e, row, (uint32_t)e->status) : (struct odp_slice){NULL, 0};
    odp_buffer_clear(&e->text);
    if (value.len > 0)
        add_cell(e, &e->text, (uint32_t)e->status, value);
    return (struct odp_slice){odp_buffer_cstr(&e->text), e->text.len};
}

/* ---- measuring ---- */

static double height_of(struct odp_print_entries *e, struct odp_face type, struct odp_slice text,
                        double width)
{
    return odp_fonts_measure(e->fonts, type, text, width).height;
}

/* The value of F in record ROW; 0: null. */
static double value_height(struct odp_print_entries *e, const struct odp_fact *f, uint32_t row, double width)
{
    struct odp_slice text = odp_fact_text(e, f, row, 0);
    if (text.ptr == NULL)
        return 0;
    double first = odp_table_text_set(&e->value, text, (struct odp_box){.width = width}, NULL);
    if (f->kind != ODP_FACT_DOCUMENT)
        return first;
    return first + height_of(e, odp_fact_address_type, odp_slice_of(odp_fact_address(e, f, row)), width);
}

/* Narrow where every value takes two lines at most. */
static void measure_fact(struct odp_print_entries *e, struct odp_fact *f)
{
    double narrow = e->half - e->label_width - ODP_FACT_GAP, wide = e->width - e->label_width - ODP_FACT_GAP;
    f->wide = f->kind == ODP_FACT_URI || f->kind == ODP_FACT_DOCUMENT || f->kind == ODP_FACT_REFERENCE;
    for (uint32_t i = 0; i < e->n && !f->wide; i++) {
        f->heights[i] = (float)value_height(e, f, i, narrow);
        f->wide = f->heights[i] > 2.1 * e->value.line_height;
    }
    for (uint32_t i = 0; i < e->n && f->wide; i++)
        f->heights[i] = (float)value_height(e, f, i, wide);
}

/* A title of more lines ends in an ellipsis; the appendix has the whole of it. */
enum { LABEL_LINES = 6 };

static void measure_labels(struct odp_print_entries *e)
{
    double most = e->half * 0.42;
    e->label_width = 40;
    for (size_t i = 0; i < e->nfacts; i++) {
        double w = odp_fonts_measure(e->fonts, odp_fact_label_type, odp_slice_of(e->facts[i].name), -1).width;
        e->label_width = w > e->label_width ? w : e->label_width;
    }
    e->label_width = e->label_width + 0.5 < most ? e->label_width + 0.5 : most;
    for (size_t i = 0; i < e->nfacts; i++) {
        struct odp_fact *f = &e->facts[i];
        f->label = odp_fonts_layout(e->fonts, odp_fact_label_type, odp_slice_of(f->name), e->label_width,
                                    PANGO_ALIGN_LEFT);
        pango_layout_set_ellipsize(f->label, PANGO_ELLIPSIZE_END);
        pango_layout_set_height(f->label, -LABEL_LINES);
        f->label_height = odp_fonts_extent(f->label).height;
    }
}

/* Narrow facts first, each kind in the schema's order. */
static void narrow_first(struct odp_print_entries *e)
{
    struct odp_fact *sorted = odp_arena_array(e->arena, e->nfacts + 1, sizeof *sorted);
    size_t n = 0;
    for (int wide = 0; wide < 2; wide++) {
        for (size_t i = 0; i < e->nfacts; i++)
            if (e->facts[i].wide == (wide != 0))
                sorted[n++] = e->facts[i];
        e->nnarrow = wide == 0 ? n : e->nnarrow;
    }
    e->facts = sorted;
}

double odp_fact_line(const struct odp_print_entries *e, size_t i, uint32_t row, size_t *n)
{
    *n = i + 1 < e->nnarrow ? 2 : 1;
    if (e->facts[i].wide && e->facts[i].heights[row] <= 0)
        return 0;
    double h = e->value.line_height;
    for (size_t k = i; k < i + *n; k++) {
        const struct odp_fact *f = &e->facts[k];
        double label = f->label_height + (odp_fact_type.size - odp_fact_label_type.size) * 1.07;
        h = (double)f->heights[row] > h ? (double)f->heights[row] : h;
        h = label > h ? label : h;
    }
    return h + ODP_FACT_BELOW;
}

static void measure_badge(struct odp_print_entries *e, uint32_t row)
{
    struct odp_slice text = odp_entry_status(e, row);
    if (text.len == 0)
        return;
    struct odp_extent size =
        odp_fonts_measure(e->fonts, odp_entry_badge_type, text, e->width * ODP_BADGE_MOST);
    e->sizes[row].badge_width = (float)(size.width + 2 * ODP_BADGE_PAD + 0.5);
    e->sizes[row].badge_height = (float)(size.height + 3);
}

static void measure_entry(struct odp_print_entries *e, uint32_t row)
{
    struct odp_slice title = odp_entry_title(e, row), name = odp_slice_of(e->names[row]);
    struct odp_entry_size *size = &e->sizes[row];
    double h = 0;
    size_t n;
    measure_badge(e, row);
    double beside = size->badge_width > 0 ? (double)size->badge_width + ODP_BADGE_GAP : 0;
    size->heading = (float)(height_of(e, odp_type_h3, name, e->width - beside) + ODP_HEADING_BELOW);
    if (title.len > 0) {
        size->title = (float)height_of(e, odp_entry_title_type, title, e->width);
        h = (double)size->title + ODP_TITLE_BELOW;
    }
    for (size_t i = 0; i < e->nfacts; i += n)
        h += odp_fact_line(e, i, row, &n);
    size->body = (float)h;
}

void odp_facts_measure(struct odp_print_entries *e, double width)
{
    e->width = width;
    e->half = (width - ODP_FACT_GUTTER) / 2;
    measure_labels(e);
    for (size_t i = 0; i < e->nfacts; i++)
        measure_fact(e, &e->facts[i]);
    narrow_first(e);
    for (uint32_t i = 0; i < e->n; i++)
        measure_entry(e, i);
    e->measured = true;
}
