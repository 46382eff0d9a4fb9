/* Reads the file again, by the decisions: how many values fit exactly, ranges, codes that their list lacks,
 * composite keys.
 *
 * Ranges are suggestions in the notes, never constraints: the past does not limit the future. */
#include <stdlib.h>

#include "catalog/records/batch.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

static void widen(struct odp_draft *d, struct column *c, struct odp_slice v)
{
    bool number = odp_type_is_number(c->type);
    if (c->least.ptr == NULL || (number ? odp_decimal_cmp(v, c->least) : odp_slice_cmp(v, c->least)) < 0)
        c->least = odp_arena_copy(&d->arena, v);
    if (c->most.ptr == NULL || (number ? odp_decimal_cmp(v, c->most) : odp_slice_cmp(v, c->most)) > 0)
        c->most = odp_arena_copy(&d->arena, v);
}

/* Whether S is a value of C; its canonical text in OUT if it has an order. */
static bool fits_type(const struct column *c, struct odp_slice s, bool native, char out[ODP_DECIMAL_SIZE],
                      size_t *len)
{
    struct odp_datetime date;
    *len = 0;
    switch (odp_type_family(c->type)) {
    case ODP_FAMILY_NUMBER: {
        struct odp_decimal_form f = {.decimal = c->decimal != 0 ? c->decimal : '.',
                                     .group = c->group,
                                     .bare = !c->bare_false,
                                     .integer = c->type == ODP_TYPE_INTEGER};
        if (f.integer && f.group == '.')
            f.decimal = ',';
        if (native)
            f = (struct odp_decimal_form){.decimal = '.', .bare = true, .integer = f.integer};
        return draft_number(s, &f, out, len);
    }
    case ODP_FAMILY_DATE: {
        if (c->type == ODP_TYPE_YEAR) {
            bool year = s.len == 4 && strspn(s.ptr, "0123456789") >= 4;
            memcpy(out, s.ptr, *len = year ? 4 : 0);
            return year;
        }
        const struct pattern p = {c->type, native ? NULL : c->format, false, false, c->zone};
        if (!draft_date(s, &p, &date))
            return false;
        *len = odp_date_format(&date, odp_field_type(c->type)->date, out);
        return true;
    }
    case ODP_FAMILY_TRUTH:
        return native ? odp_slice_is(s, "true") || odp_slice_is(s, "false")
                      : odp_slice_alike(s, c->yes) || odp_slice_alike(s, c->no);
    default:
        return true;
    }
}

static void take_absent(struct odp_draft *d, struct column *c, struct odp_slice s, uint64_t line)
{
    if (c->reference == NULL || distinct_has(&c->reference->values, distinct_hash(s)))
        return;
    if (c->nabsent < EXAMPLES)
        c->absent[c->nabsent] = (struct example){draft_shown(d, s), line};
    c->nabsent++;
}

static void take_cell(struct odp_draft *d, struct column *c, const struct odp_cell *cell, uint64_t line)
{
    char out[ODP_DECIMAL_SIZE], text[128];
    size_t len = 0;
    struct odp_slice s = odp_slice_trim((struct odp_slice){cell->ptr, cell->len});
    if (s.len == 0 || column_null(c, s))
        return;
    c->values++;
    if (c->type == ODP_TYPE_STRING) {
        c->fit++;
        take_absent(d, c, s, line);
        return;
    }
    struct odp_slice whole = s;
    if (s.len < sizeof text) { /* with a terminator for strspn */
        memcpy(text, s.ptr, s.len);
        text[s.len] = '\0';
        s.ptr = text;
    }
    if (s.ptr == text && fits_type(c, s, (cell->flags & ODP_CELL_NATIVE) != 0, out, &len)) {
        c->fit++;
        if (len > 0)
            widen(d, c, (struct odp_slice){out, len});
        return;
    }
    if (c->misfit < EXAMPLES)
        c->misfits[c->misfit] = (struct example){draft_shown(d, whole), line};
    c->misfit++;
}

static void take_composites(struct odp_draft *d, const struct odp_batch *b, uint32_t i)
{
    for (uint32_t k = 0; k < d->ncomposites; k++) {
        struct composite *m = &d->composite[k];
        uint64_t hash = 0x9e3779b97f4a7c15U;
        if (m->dead || m->unsure)
            continue;
        for (uint32_t f = 0; f < m->n; f++) {
            struct odp_cell cell = {.ptr = "", .len = 0};
            (void)draft_cell(b, i, m->field[f], &cell);
            hash = distinct_mix(hash, odp_slice_trim((struct odp_slice){cell.ptr, cell.len}));
        }
        bool fresh = distinct_add(&m->set, hash, DISTINCT_MOST, &d->budget);
        m->unsure = m->set.full;
        m->dead = !m->unsure && !fresh;
        if (m->dead)
            distinct_drop(&m->set, &d->budget);
    }
}

static void settle_record(struct odp_draft *d, const struct odp_batch *b, uint32_t i)
{
    struct odp_cell cell;
    if (draft_suspect(d, b, i))
        return;
    for (uint32_t c = 0; c < d->n; c++)
        if (draft_cell(b, i, c, &cell))
            take_cell(d, &d->columns[c], &cell, b->records[i].line);
    take_composites(d, b, i);
}

/* Different in nearly all rows: most likely the key itself, with some repeated values. Together with another
 * column it would be a key by chance. */
static bool is_nearly_unique(const struct odp_draft *d, const struct column *c)
{
    return d->rows >= 10 && !c->distinct.full && c->distinct.n * 10 >= d->rows * 9 && c->distinct.n < d->rows;
}

/* How well a column names part of a record; 0: not at all. */
static int key_points(const struct odp_draft *d, const struct column *c)
{
    if (column_is_measure(d, c) || !c->required || c->secret || c->type == ODP_TYPE_NUMBER ||
        c->type == ODP_TYPE_BOOLEAN || c->longest > 80 || c->multiline > 0)
        return 0;
    if (c->reference != NULL)
        return 9;
    if (odp_name_has(c->name, KEY_WORDS " tahap"))
        return 8;
    if (c->type == ODP_TYPE_YEAR)
        return 7;
    if (c->type == ODP_TYPE_DATE || c->type == ODP_TYPE_DATETIME || c->type == ODP_TYPE_YEARMONTH ||
        c->pattern)
        return 6;
    if (c->categories)
        return 5;
    return c->type == ODP_TYPE_STRING ? 4 : 1;
}

static double distinct_of(const struct column *c)
{
    return c->distinct.n > 0 ? (double)c->distinct.n : 1;
}

static void add_composite(struct odp_draft *d, const uint32_t *field, uint32_t n)
{
    double most = 1;
    for (uint32_t i = 0; i < n; i++)
        most *= distinct_of(&d->columns[field[i]]);
    if (d->ncomposites == COMPOSITES || most < (double)d->rows)
        return;
    struct composite *m = &d->composite[d->ncomposites++];
    *m = (struct composite){.n = n};
    memcpy(m->field, field, n * sizeof *field);
}

/* Pairs, then triples, then four of the best columns, in the file's order. */
static void propose_composites(struct odp_draft *d)
{
    enum { MOST = 8 };
    uint32_t best[MOST], n = 0;
    for (int points = 9; points > 0; points--)
        for (uint32_t i = 0; i < d->n && n < MOST; i++)
            if (key_points(d, &d->columns[i]) == points && d->columns[i].distinct.n > 1 &&
                !is_nearly_unique(d, &d->columns[i]))
                best[n++] = i;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            add_composite(d, (const uint32_t[]){best[a], best[b]}, 2);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = a + 1; b < n; b++)
            for (uint32_t c = b + 1; c < n && c < 6; c++)
                add_composite(d, (const uint32_t[]){best[a], best[b], best[c]}, 3);
    if (n >= 4)
        add_composite(d, best, 4);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static struct odp_text names_of(struct odp_draft *d, const uint32_t *field, uint32_t n)
{
    struct odp_text out = {{"", ""}};
    for (uint32_t i = 0; i < n; i++)
        out = draft_join(d, out,
                         draft_text(d, i > 0 ? ", {0}" : "{0}", i > 0 ? ", {0}" : "{0}",
                                    ARGS(C(d->columns[field[i]].name))));
    return out;
}

/* Reports a column that is the key but for some rows, and a better one than a key found; false: none. */
static bool doubt_nearly(struct odp_draft *d)
{
    static const struct odp_text options[][2] = {
        {{{W_draft_no_primary_key}}, {{W_draft_yes_column_key_check_names}}},
        {{{W_draft_no_other_key}}, {{W_draft_yes_column_key_check_names}}}};
    const bool chosen = d->primary.n > 0;
    int best = -1, most = 3; /* fewer points name nothing */
    if (chosen && key_points(d, &d->columns[*d->primary.fields]) > most)
        most = key_points(d, &d->columns[*d->primary.fields]);
    for (uint32_t i = 0; i < d->n; i++) {
        int points = is_nearly_unique(d, &d->columns[i]) ? key_points(d, &d->columns[i]) : 0;
        if (points > most) {
            best = (int)i;
            most = points;
        }
    }
    if (best < 0)
        return false;
    (void)draft_doubt(d, DOUBT_KEY, &d->columns[best],
                      column_title(d, &d->columns[best], T(W_draft_primary_key)),
                      draft_text(d, W_draft_different_values_rows_perhaps_key,
                                 ARGS(N(d->columns[best].distinct.n), N(d->rows))),
                      options[chosen]);
    return true;
}

static bool is_key_doubted(const struct odp_draft *d)
{
    for (size_t i = 0; i < d->ndoubts; i++)
        if (d->doubts[i].kind == DOUBT_KEY)
            return true;
    return false;
}

static void conclude_keys(struct odp_draft *d)
{
    struct composite *found = NULL;
    uint32_t others = 0, unsure = 0;
    int best = 0;
    for (uint32_t k = 0; k < d->ncomposites; k++) {
        struct composite *m = &d->composite[k];
        unsure += m->unsure;
        if (m->dead || m->unsure)
            continue;
        int weakest = 10;
        for (uint32_t f = 0; f < m->n; f++)
            weakest = key_points(d, &d->columns[m->field[f]]) < weakest
                          ? key_points(d, &d->columns[m->field[f]])
                          : weakest;
        others += found != NULL;
        if (weakest * 10 - (int)m->n > best) {
            best = weakest * 10 - (int)m->n;
            found = m;
        }
    }
    if (found != NULL) {
        qsort(found->field, found->n, sizeof *found->field, ascending);
        memcpy(d->primary.fields, found->field, found->n * sizeof *found->field);
        d->primary.n = found->n;
        (void)draft_doubt(
            d, DOUBT_KEY, NULL,
            draft_join(d, draft_text(d, W_draft_primary_key_3, NULL), names_of(d, found->field, found->n)),
            draft_text(d, W_draft_together_they_differ_all_rows,
                       ARGS(N(d->rows), N(others), N(d->ncomposites))),
            (const struct odp_text[2]){{{W_draft_yes}}, {{W_draft_no_primary_key}}});
    } else if (d->rows > 1 && !doubt_nearly(d) && d->primary.n == 0 && !is_key_doubted(d)) {
        draft_note(d, NULL, T(W_draft_primary_key_4), T(W_draft_no_column_none_combinations_tried),
                   ARGS(N(d->ncomposites), N(unsure)));
    }
    for (uint32_t k = 0; k < d->ncomposites; k++)
        distinct_drop(&d->composite[k].set, &d->budget);
}

static void conclude_column(struct odp_draft *d, uint32_t i)
{
    struct column *c = &d->columns[i];
    if (c->misfit > 0)
        draft_note(d, c, T(W_draft_values_do_not_fit), T(W_draft_values_fit_do_not_line),
                   ARGS(N(c->fit), N(c->values), C(odp_type_name(c->type)), N(c->misfit),
                        N(c->misfits[0].line), S(c->secret ? ODP_LIT("***") : c->misfits[0].text)));
    if (c->nabsent > 0 && c->reference != NULL)
        draft_note(d, c, T(W_draft_codes_list_lacks), T(W_draft_cells_first_line_2),
                   ARGS(N(c->nabsent), N(c->absent[0].line), S(c->absent[0].text)));
    if ((c->lat || c->lon) && c->least.ptr != NULL) {
        static const struct odp_slice ninety = {"90", 2}, minus = {"-90", 3};
        if (c->lat && (odp_decimal_cmp(c->most, ninety) > 0 || odp_decimal_cmp(c->least, minus) < 0))
            draft_note(d, c, T(W_draft_no_latitudes), T(W_draft_values_from_perhaps_exchanged_with),
                       ARGS(S(c->least), S(c->most)));
    }
}

static bool is_within(const struct column *c, double least, double most)
{
    char text[2][64];
    (void)snprintf(text[0], sizeof text[0], "%.*s", (int)c->least.len, c->least.ptr);
    (void)snprintf(text[1], sizeof text[1], "%.*s", (int)c->most.len, c->most.ptr);
    return strtod(text[0], NULL) >= least && strtod(text[1], NULL) <= most;
}

/* One longitude and one latitude are a point, where all of them lie in the world, and in the portal's box. */
static void choose_point(struct odp_draft *d)
{
    const struct odp_portal *p = d->options.catalog != NULL ? &d->options.catalog->portal : NULL;
    const double world[4] = {-180, -90, 180, 90}, *box = p != NULL && p->has_bbox ? p->bbox : world;
    const struct column *found[2] = {NULL, NULL};
    unsigned n[2] = {0, 0};
    for (uint32_t i = 0; i < d->n && d->kind != ODP_DRAFT_SHAPEFILE; i++)
        for (int axis = 0; axis < 2; axis++) {
            const struct column *c = &d->columns[i];
            if (!(axis == 0 ? c->lon : c->lat) || c->secret || c->least.ptr == NULL)
                continue;
            found[axis] = c;
            n[axis]++;
        }
    if (n[0] != 1 || n[1] != 1 || found[0] == found[1] || !is_within(found[0], box[0], box[2]) ||
        !is_within(found[1], box[1], box[3]))
        return;
    d->lon = found[0];
    d->lat = found[1];
    draft_fact(d, W_draft_points_from_columns,
               ARGS(S(odp_slice_of(d->lon->name)), S(odp_slice_of(d->lat->name))));
}

/* A title without its placeholders. */
static const char *short_title(struct odp_draft *d, const char *title)
{
    size_t n = strcspn(title, "{");
    if (title[n] == '\0')
        return title;
    while (n > 0 && (title[n - 1] == ' ' || title[n - 1] == ':'))
        n--;
    return odp_arena_printf(&d->arena, "%.*s", (int)n, title);
}

static void note_faults(struct odp_draft *d)
{
    for (int code = 0; code < ODP_CODE_COUNT; code++) {
        const struct odp_code_info *info = odp_code_info((enum odp_code)code);
        if (d->faults[code] == 0 || info->severity == ODP_SEVERITY_NOTE ||
            (code == ODP_R08 && d->suspects > 0)) /* below, with its words */
            continue;
        struct odp_text title = {
            {short_title(d, info->words.title.in[0]), short_title(d, info->words.title.in[1])}};
        (void)draft_doubt(d, DOUBT_NOTE, NULL, draft_text(d, W_draft_faults_file, ARGS(C(info->code))),
                          draft_join(d,
                                     draft_text(d, W_draft_times_first_line,
                                                ARGS(N(d->faults[code]), N(d->fault_line[code]))),
                                     title),
                          NULL);
    }
    if (d->suspects > 0)
        draft_note(d, NULL, T(W_draft_totals_notes_among_records),
                   d->sheet != NULL ? T(W_draft_rows_first_row_remove_them) /* fix writes no workbooks */
                                    : T(W_draft_rows_first_line_remove_them),
                   ARGS(N(d->suspects), N(d->suspect[0].line), S(d->suspect[0].text)));
    if (d->crs_assumed && d->has_box &&
        (d->box[0] < -180.01 || d->box[2] > 180.01 || d->box[1] < -90.01 || d->box[3] > 90.01))
        draft_note(d, NULL, T(W_draft_coordinates_no_degrees), T(W_draft_without_prj_their_projection_not),
                   NULL);
    if (d->beyond > 0)
        draft_note(d, NULL, T(W_draft_cells_without_label), T(W_draft_cells_columns_not_read_not),
                   ARGS(N(d->beyond)));
}

enum odp_status odp_draft_settle(struct odp_draft *d, struct odp_diags *diags)
{
    d->ncomposites = 0;
    if (d->primary.n == 0 && d->rows > 1)
        propose_composites(d);
    for (uint32_t i = 0; i < d->n; i++) {
        struct column *c = &d->columns[i];
        c->fit = c->misfit = c->values = c->nabsent = 0;
        c->least = c->most = (struct odp_slice){0};
    }
    draft_resource(d);
    enum odp_status status = draft_each(d, settle_record, diags);
    if (status != ODP_OK)
        return status;
    conclude_keys(d);
    for (uint32_t i = 0; i < d->n; i++)
        conclude_column(d, i);
    choose_point(d);
    note_faults(d);
    return draft_status(d);
}
