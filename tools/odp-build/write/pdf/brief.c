/* The brief: what the data says in figures, for readers who stop after four pages. Key figures, what has
 * changed since the version before, and the places at the top, of the summary (docs/formats.md) that the site
 * publishes, too: paper and page say the same. Charts follow (charts.c), within the brief's pages. */
#include <jansson.h>
#include <stdlib.h>

#include "base/json_load.h"
#include "words/pdf.h"
#include "write/pdf/pdf_internal.h"
#include "write/summary/areas.h"
#include "write/typesetting/words.h"

enum {
    FIGURES = 4, /* highlights that are printed */
    RANKED = 10,
    RANKED_LEAST = 3, /* a ranking of two places is none */
    CELLS = 4
};

#define GUTTER 14.0

static const struct odp_face type_number = {19, true, false};
static const struct odp_face type_what = {9, false, false};

struct row {
    const char *cells[CELLS];
};

struct rows {
    struct row list[RANKED];
    uint64_t n;
    struct odp_print_table *table; /* NULL: nothing to tell */
    const char *heading;
};

struct odp_print_brief {
    const struct odp_print_job *job;
    struct odp_fonts *fonts;
    struct odp_arena *arena;
    json_t *now, *before;
    struct odp_print_map *map; /* NULL: none */
    struct rows changes, ranking;
};

/* ---- reading a summary ---- */

static json_t *load(const char *text)
{
    return text != NULL ? odp_json_load(text, strlen(text), JSON_DECODE_ANY, NULL) : NULL;
}

static const char *text_of(const json_t *o, const char *name, enum odp_lang lang)
{
    const char *text = odp_json_text(json_object_get(o, name), odp_lang_code(lang));
    return text != NULL ? text : "";
}

static const json_t *measure(const struct odp_print_brief *b, size_t i)
{
    return json_array_get(json_object_get(b->now, "measures"), i);
}

/* Where SUMMARY has the measure NAME; SIZE_MAX: nowhere. */
static size_t find_measure(const json_t *summary, const char *name)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(summary, "measures"), i, one)
    {
        const char *other = odp_json_text(one, "name");
        if (other != NULL && strcmp(other, name) == 0)
            return i;
    }
    return SIZE_MAX;
}

static const json_t *total(const json_t *scope, size_t at)
{
    const json_t *value = json_array_get(json_object_get(scope, "total"), at);
    return json_is_number(value) ? value : NULL;
}

/* "8.412,35"; SIGNED: with a plus, and the sign for minus. */
static const char *number(const struct odp_print_brief *b, double value, int decimals, bool is_signed)
{
    struct odp_buffer out = {0};
    const char *text = odp_arena_printf(b->arena, "%.*f", decimals, value < 0 ? -value : value);
    if (is_signed)
        odp_buffer_add_str(&out, value < 0 ? "−" : "+");
    else if (value < 0)
        odp_buffer_add_str(&out, "−");
    odp_words_number(&out, odp_slice_of(text), ODP_LANG_ID, true);
    text = odp_arena_str(b->arena, odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}

static int decimals_of(const json_t *m)
{
    const json_int_t n = json_integer_value(json_object_get(m, "decimals"));
    return n < 0 || n > 9 ? 0 : (int)n;
}

/* "Tingkat kekumuhan: Berat", "Luas kumuh". */
static const char *title_of(const struct odp_print_brief *b, const json_t *m, enum odp_lang lang)
{
    const char *label = text_of(m, "label", lang), *title = text_of(m, "title", lang);
    return *label != '\0' ? odp_arena_printf(b->arena, "%s: %s", title, label) : title;
}

static bool is_highlight(const json_t *m)
{
    return json_is_true(json_object_get(m, "highlight"));
}

/* ---- tables ---- */

static struct odp_slice cell(void *ctx, uint64_t i, uint32_t k, const char **uri)
{
    const struct rows *rows = ctx;
    const char *text = rows->list[i].cells[k];
    (void)uri;
    return text != NULL ? odp_slice_of(text) : (struct odp_slice){NULL, 0};
}

static void make_table(struct odp_print_brief *b, struct rows *rows, const struct odp_print_column *columns,
                       uint32_t n)
{
    const struct odp_print_records records = {
        .columns = columns, .n = n, .rows = rows->n, .cell = cell, .ctx = rows, .narrow = true};
    rows->table = odp_print_table_new(b->fonts, &records);
}

static void add_change(struct odp_print_brief *b, const json_t *m, const json_t *was, const json_t *is)
{
    struct row *row = &b->changes.list[b->changes.n++];
    const int decimals = decimals_of(m);
    const double before = json_number_value(was), now = json_number_value(is);
    row->cells[0] = title_of(b, m, ODP_LANG_ID);
    row->cells[1] = number(b, before, decimals, false);
    row->cells[2] = number(b, now, decimals, false);
    row->cells[3] = number(b, now - before, decimals, true);
    if (before > 0 && now != before)
        row->cells[3] = odp_arena_printf(b->arena, "%s (%s %%)", row->cells[3],
                                         number(b, 100 * (now - before) / before, 1, true));
}

/* What the version before had, measure by measure: only what both versions tell. */
static void make_changes(struct odp_print_brief *b)
{
    const char *before = b->job->before_version;
    const struct odp_print_column columns[] = {
        {.head = odp_word(ODP_LANG_ID, W_pdf_figure), .key = true},
        {.head = odp_arena_printf(b->arena, odp_word(ODP_LANG_ID, W_pdf_of_version), before), .right = true},
        {.head = odp_arena_printf(b->arena, odp_word(ODP_LANG_ID, W_pdf_of_version), b->job->version),
         .right = true},
        {.head = odp_word(ODP_LANG_ID, W_pdf_difference), .right = true}};
    const json_t *m;
    size_t i;
    json_array_foreach(json_object_get(b->now, "measures"), i, m)
    {
        const size_t at = find_measure(b->before, odp_json_text(m, "name"));
        const json_t *is = total(json_object_get(b->now, "all"), i),
                     *was = total(json_object_get(b->before, "all"), at);
        if (b->changes.n < RANKED && is_highlight(m) && is != NULL && was != NULL)
            add_change(b, m, was, is);
    }
    if (b->changes.n == 0)
        return;
    b->changes.heading = odp_arena_printf(b->arena, ODP_PRINT_BOTH(W_pdf_changes), before, before);
    make_table(b, &b->changes, columns, CELLS);
}

struct place {
    const char *code;
    double value;
};

static int by_value(const void *a, const void *b)
{
    const struct place *l = a, *r = b;
    return l->value != r->value ? (l->value < r->value ? 1 : -1) : strcmp(l->code, r->code);
}

static void add_place(struct odp_print_brief *b, const struct place *place, const json_t *m, double all)
{
    const struct odp_resource *r = b->job->resource;
    const struct odp_foreign_key *through = odp_place_through(r), *key = odp_place_of(r);
    struct odp_text label = {{"", ""}};
    if (key != NULL)
        label = odp_code_lists_find(b->job->codes, through != NULL ? through->target : r,
                                    key->local.fields[0], odp_slice_of(place->code));
    const char *name = odp_text_get(&label, ODP_LANG_ID);
    struct row *row = &b->ranking.list[b->ranking.n];
    row->cells[0] = odp_arena_printf(b->arena, "%llu", (unsigned long long)++b->ranking.n);
    row->cells[1] = *name != '\0' ? odp_arena_printf(b->arena, "%s (%s)", name, place->code) : place->code;
    row->cells[2] = number(b, place->value, decimals_of(m), false);
    row->cells[3] =
        all > 0 ? odp_arena_printf(b->arena, "%s %%", number(b, 100 * place->value / all, 1, false)) : NULL;
}

/* The places of the table's own list with the largest value of measure AT, and their share of all. */
static void rank_places(struct odp_print_brief *b, const json_t *places, size_t at)
{
    struct place *list = odp_arena_array(b->arena, json_object_size(places) + 1, sizeof *list);
    const json_t *m = measure(b, at);
    const bool adds_up = strcmp(odp_json_text(m, "aggregate"), "mean") != 0;
    const double all = adds_up ? json_number_value(total(json_object_get(b->now, "all"), at)) : 0;
    size_t n = 0;
    for (void *it = json_object_iter((json_t *)places); it != NULL;
         it = json_object_iter_next((json_t *)places, it)) {
        const json_t *value = total(json_object_iter_value(it), at);
        if (value != NULL)
            list[n++] = (struct place){json_object_iter_key(it), json_number_value(value)};
    }
    if (n < RANKED_LEAST)
        return;
    qsort(list, n, sizeof *list, by_value);
    for (size_t i = 0; i < n && i < RANKED; i++)
        add_place(b, &list[i], m, all);
    const char *unit = text_of(m, "unit", ODP_LANG_ID);
    const struct odp_print_column columns[] = {
        {.head = odp_word(ODP_LANG_ID, W_pdf_rank), .right = true, .key = true},
        {.head = odp_word(ODP_LANG_ID, W_pdf_place)},
        {.head = *unit != '\0' ? unit : odp_word(ODP_LANG_ID, W_pdf_count), .right = true},
        {.head = odp_word(ODP_LANG_ID, W_pdf_share), .right = true}};
    b->ranking.heading = odp_arena_printf(b->arena, ODP_PRINT_BOTH(W_pdf_ranking),
                                          title_of(b, m, ODP_LANG_ID), title_of(b, m, ODP_LANG_EN));
    make_table(b, &b->ranking, columns, all > 0 ? CELLS : CELLS - 1);
}

static void make_ranking(struct odp_print_brief *b)
{
    const char *list = odp_json_text(json_object_get(b->now, "place"), "list");
    const json_t *places = json_object_get(json_object_get(b->now, "places"), list != NULL ? list : "");
    for (size_t i = 0; places != NULL && i < json_array_size(json_object_get(b->now, "measures")); i++)
        if (is_highlight(measure(b, i))) {
            rank_places(b, places, i);
            return;
        }
}

/* ---- setting it ---- */

/* One key figure, X points from the left; returns its height. */
static double set_figure(struct odp_print_brief *b, struct odp_paper *p, const json_t *m, const json_t *value,
                         double x, double width)
{
    const char *unit = text_of(m, "unit", ODP_LANG_ID), *title = title_of(b, m, ODP_LANG_ID),
               *shown = number(b, json_number_value(value), decimals_of(m), false);
    const char *what = *unit != '\0' ? odp_arena_printf(b->arena, "%s (%s)", title, unit) : title;
    double y = p->y;
    if (odp_areas_is_mean(m))
        what = odp_arena_printf(b->arena, odp_word(ODP_LANG_ID, W_pdf_mean), what);
    odp_paper_tag(p, "P", NULL);
    odp_paper_ink(p, ODP_INK_ACCENT);
    y += odp_paper_text(p, odp_box(x, y, width), type_number, odp_slice_of(shown));
    odp_paper_ink(p, ODP_INK_TEXT);
    y += odp_paper_text(p, odp_box(x, y + 1, width), type_what, odp_slice_of(what));
    odp_paper_untag(p, "P");
    return y + 1 - p->y;
}

/* Highlights two by two: a number of fifteen digits has room. */
static void set_figures(struct odp_print_brief *b, struct odp_paper *p)
{
    const double width = (p->right - p->left - GUTTER) / 2;
    double row = 0;
    unsigned told = 0;
    for (size_t i = 0; i < json_array_size(json_object_get(b->now, "measures")) && told < FIGURES; i++) {
        const json_t *m = measure(b, i), *value = total(json_object_get(b->now, "all"), i);
        if (!is_highlight(m) || value == NULL)
            continue;
        if (told % 2 == 0) {
            p->y += row > 0 ? row + 10 : 0;
            row = 0;
            (void)odp_paper_need(p, 64);
        }
        const double h = set_figure(b, p, m, value, p->left + told % 2 * (width + GUTTER), width);
        row = h > row ? h : row;
        told++;
    }
    p->y += row + 16;
}

/* Figures of a panel are those of its last time. */
static void set_time(struct odp_print_brief *b, struct odp_paper *p)
{
    const json_t *time = json_object_get(b->now, "time"), *values = json_object_get(time, "values");
    const char *last = json_string_value(json_array_get(values, json_array_size(values) - 1));
    if (!json_is_true(json_object_get(time, "panel")) || last == NULL)
        return;
    const char *in[ODP_LANGS];
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer date = {0};
        odp_words_date(&date, odp_slice_of(last), (enum odp_lang)lang);
        in[lang] = odp_buffer_keep(&date, b->arena);
    }
    const char *text =
        odp_arena_printf(b->arena, ODP_PRINT_BOTH(W_pdf_time), in[ODP_LANG_ID], in[ODP_LANG_EN]);
    odp_paper_paragraph(p, "P", type_what, ODP_INK_SOFT, odp_slice_of(text), 10);
}

static void set_rows(struct odp_paper *p, struct rows *rows, const char *dest)
{
    if (rows->table == NULL)
        return;
    odp_paper_heading(p, 2, rows->heading, dest, odp_print_table_start(rows->table));
    odp_print_table_set(rows->table, p);
    p->y += 16;
}

bool odp_print_brief_set(struct odp_print_brief *b, struct odp_paper *p)
{
    if (json_array_size(json_object_get(b->now, "measures")) == 0)
        return false;
    odp_paper_heading(p, 1, ODP_PRINT_BOTH(W_pdf_brief), "ringkasan", 80);
    set_time(b, p);
    set_figures(b, p);
    if (b->map != NULL)
        odp_print_map_set(b->map, p);
    set_rows(p, &b->changes, "perubahan");
    set_rows(p, &b->ranking, "peringkat");
    return true;
}

struct odp_print_brief *odp_print_brief_new(const struct odp_print_job *job, struct odp_fonts *f,
                                            struct odp_arena *a)
{
    struct odp_print_brief *b = odp_arena_zero(a, 1, sizeof *b);
    *b = (struct odp_print_brief){
        .job = job, .fonts = f, .arena = a, .now = load(job->summary), .before = load(job->before)};
    if (b->before != NULL)
        make_changes(b);
    make_ranking(b);
    b->map = odp_print_map_new(job, b->now, a);
    return b;
}

void odp_print_brief_free(struct odp_print_brief *b)
{
    if (b == NULL)
        return;
    odp_print_table_free(b->changes.table);
    odp_print_table_free(b->ranking.table);
    odp_print_map_free(b->map);
    json_decref(b->now);
    json_decref(b->before);
}
