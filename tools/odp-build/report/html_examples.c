/* The examples of a group: the row as it stands, the bad part marked, what was found, expected and proposed.
 */
#include "report/html_internal.h"
#include "words/report.h"

#define OPEN 3 /* examples that need no click */

/* What all examples of a group say alike is said once, above them. */
struct alike {
    bool title, expected, help;
};

/* What follows the file's name. */
static json_t *place_of(struct html *h, const struct odp_diag *d)
{
    struct odp_buffer *w = &h->words;
    bool records = report_counts_records(d->file);
    if (d->sheet != NULL && d->line > 0) {
        odp_buffer_add_str(w, odp_word(h->lang, W_report_at_cell));
        report_sheet_place(w, d);
    } else if (d->line > 0) {
        odp_buffer_add_str(w, records ? odp_word(h->lang, W_report_at_record)
                                      : odp_word(h->lang, W_report_at_line));
        odp_text_number(w, d->line, h->lang);
    }
    if (d->table_column > 0) {
        odp_buffer_add_str(w, ", ");
        report_column(w, d, h->lang);
    } else if (d->line > 0 && d->column > 1 && !records && d->sheet == NULL) {
        odp_buffer_add_str(w, odp_word(h->lang, W_report_at_character));
        odp_text_number(w, d->column, h->lang);
    }
    if (d->row > 0 && !records) {
        odp_buffer_add_str(w, odp_word(h->lang, W_report_at_data_row));
        odp_text_number(w, d->row, h->lang);
        odp_buffer_add_char(w, ')');
    }
    return html_take(h);
}

/* No more of the row may be shown than the value, which is said anyway. */
static bool is_value_alone(const struct odp_diag *d)
{
    static const size_t dots = sizeof "…" - 1;
    size_t before = d->mark_start, after = before + d->mark_len;
    return before <= d->source.len && after <= d->source.len && d->source.len - after <= dots &&
           before <= dots && before + (d->source.len - after) > 0 &&
           odp_slice_eq((struct odp_slice){d->source.ptr + before, d->mark_len}, d->value);
}

/* The row as it stands, the bad part marked; where nothing is there to mark, the place where it should be. */
static void set_row(struct html *h, json_t *o, const struct odp_diag *d)
{
    struct odp_slice line = d->source;
    size_t mark = d->mark_start, len = d->mark_len;
    if (line.ptr == NULL || line.len == 0 || is_value_alone(d) || mark > line.len || len > line.len - mark)
        return;
    json_t *row = json_pack("{s:b}", "empty", len == 0);
    json_object_set_new(row, "before", html_shown(h, (struct odp_slice){line.ptr, mark}, false));
    json_object_set_new(row, "marked", html_shown(h, (struct odp_slice){line.ptr + mark, len}, true));
    json_object_set_new(
        row, "after", html_shown(h, (struct odp_slice){line.ptr + mark + len, line.len - mark - len}, false));
    json_object_set_new(o, "row", row);
}

static void add_pieces(json_t *pairs, const char *class, const char *term, json_t *pieces)
{
    json_array_append_new(pairs,
                          json_pack("{s:s, s:s, s:o}", "class", class, "term", term, "pieces", pieces));
}

/* A pair of the list, unless the words are empty. */
static void add_words(struct html *h, json_t *pairs, const char *class, const char *term)
{
    if (h->words.len > 0 || h->words.failed)
        add_pieces(pairs, class, term, json_pack("[{s:o}]", "text", html_take(h)));
}

static void add_expected(struct html *h, json_t *pairs, const struct odp_diag *d)
{
    report_expected(&h->words, d, h->lang);
    if (h->words.len > 0 && d->where != NULL) {
        odp_buffer_add_str(&h->words, " (");
        report_clean(&h->words, odp_slice_of(d->where));
        odp_buffer_add_str(&h->words, ")");
    }
    add_words(h, pairs, "expected", odp_word(h->lang, W_report_term_expected));
}

static void add_help(struct html *h, json_t *pairs, const struct odp_diag *d)
{
    odp_report_help(&h->words, d, h->lang);
    add_words(h, pairs, "help", odp_word(h->lang, W_report_term_help));
}

static void add_found(struct html *h, json_t *pairs, const struct odp_diag *d)
{
    if (d->value.ptr == NULL)
        return;
    const char *term = odp_word(h->lang, W_report_term_found);
    if (d->value.len > 0)
        add_pieces(pairs, "found", term, html_shown(h, d->value, true));
    else
        add_pieces(pairs, "found", term,
                   json_pack("[{s:s}]", "text", odp_word(h->lang, W_report_term_empty)));
    report_odd(&h->words, "", d, h->lang, "");
    add_words(h, pairs, "odd", odp_word(h->lang, W_report_term_look));
}

static void add_proposal(struct html *h, json_t *pairs, const struct odp_diag *d)
{
    const char *term = odp_word(h->lang, W_report_term_proposal);
    if (d->action == ODP_ACTION_REPLACE && d->proposal.len > 0)
        add_pieces(pairs, "proposal", term, html_shown(h, d->proposal, true));
    else
        report_proposal(&h->words, d, h->lang);
    add_words(h, pairs, "proposal", term);
}

static json_t *example(struct html *h, const struct odp_diag *d, const struct alike *alike)
{
    json_t *o = json_object(), *pairs = json_array();
    if (!alike->title) {
        report_title(&h->words, d, h->lang);
        json_object_set_new(o, "own", html_take(h));
    }
    if (d->file != NULL) {
        json_object_set_new(o, "file", html_text(h, d->file));
        json_object_set_new(o, "place", place_of(h, d));
    }
    set_row(h, o, d);
    add_found(h, pairs, d);
    if (!alike->expected)
        add_expected(h, pairs, d);
    add_proposal(h, pairs, d);
    if (!alike->help)
        add_help(h, pairs, d);
    json_object_set_new(o, "has_pairs", json_boolean(json_array_size(pairs) > 0));
    json_object_set_new(o, "pairs", pairs);
    return o;
}

static bool same_words(struct html *h, const struct odp_diag *a, const struct odp_diag *b,
                       void (*say)(struct odp_buffer *, const struct odp_diag *, enum odp_lang))
{
    struct odp_buffer x, y;
    odp_buffer_init(&x);
    odp_buffer_init(&y);
    say(&x, a, h->lang);
    say(&y, b, h->lang);
    bool same = odp_slice_eq(odp_buffer_slice(&x), odp_buffer_slice(&y));
    h->failed = h->failed || x.failed || y.failed;
    odp_buffer_release(&x);
    odp_buffer_release(&y);
    return same;
}

static struct alike look_alike(struct html *h, const struct odp_diag_group *g)
{
    struct alike a = {.title = report_same_titles(g, h->lang), .expected = true, .help = true};
    unsigned n = 0;
    const struct odp_diag *first = &g->examples->diag;
    for (const struct odp_diag_node *e = g->examples; e != NULL && n < h->examples; e = e->next, n++) {
        a.expected = a.expected && report_same(first->where, e->diag.where) &&
                     same_words(h, first, &e->diag, report_expected);
        a.help = a.help && same_words(h, first, &e->diag, odp_report_help);
    }
    return a;
}

/* Nothing but what stands above. */
static bool says_nothing(const struct odp_diag *d, const struct alike *a)
{
    return d->file == NULL && d->value.ptr == NULL && d->source.ptr == NULL && !odp_diag_proposes(d) &&
           a->title && a->expected && a->help;
}

static void set_list(struct html *h, json_t *o, const struct odp_diag_group *g, const struct alike *alike)
{
    json_t *open = json_object_get(o, "examples"), *more = json_array();
    unsigned n = 0;
    for (const struct odp_diag_node *e = g->examples; e != NULL && n < h->examples; e = e->next, n++)
        json_array_append_new(n < OPEN ? open : more, example(h, &e->diag, alike));
    json_object_set_new(o, "has_examples", json_true());
    if (n > OPEN)
        json_object_set_new(o, "more",
                            json_pack("{s:o, s:o, s:O}", "n", html_number(h, n - OPEN), "start",
                                      html_index(h, OPEN + 1), "examples", more));
    json_decref(more);
    if (g->count > n) {
        json_object_set_new(o, "left", html_number(h, g->count - n));
        html_set_lines(h, o, g);
    }
}

void html_set_examples(struct html *h, json_t *o, const struct odp_diag_group *g)
{
    json_t *common = json_array();
    json_object_set_new(o, "common", common);
    json_object_set_new(o, "examples", json_array());
    if (g->examples == NULL)
        return;
    const struct odp_diag *first = &g->examples->diag;
    struct alike alike = look_alike(h, g);
    if (alike.expected)
        add_expected(h, common, first);
    if (alike.help)
        add_help(h, common, first);
    json_object_set_new(o, "has_common", json_boolean(json_array_size(common) > 0));
    if (!says_nothing(first, &alike))
        set_list(h, o, g, &alike);
}
