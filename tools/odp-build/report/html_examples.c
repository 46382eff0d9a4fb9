/* The examples of a group: the row with the bad part marked, what was found, expected and proposed; the
 * lines of all its faults.
 *
 * An invisible sign gets a label, which is not part of the text (CSS makes it, so copying gives the value),
 * and a line in the legend. */

#include "report/html_internal.h"
#include "words/report.h"

#define OPEN        3   /* examples that need no click */
#define SHARED      24  /* the same of what datasets share */
#define SHARED_MOST 200 /* examples of it */
#define ROWS        200 /* runs of lines of an example */
#define OPEN_MOST   12  /* runs of lines that need no click */

json_t *html_number(struct report_job *j, uint64_t n)
{
    report_number(j, n);
    return report_take(j);
}

json_t *html_index(size_t i)
{
    return json_sprintf("%zu", i);
}

/* What all examples of a group have in common appears once, above them. */
struct common_parts {
    bool title, expected, help;
};

/* ---- signs ---- */

/* Adds a sign to the legend when it first appears. */
static void add_to_legend(struct html *h, const struct odp_odd *odd)
{
    for (size_t i = 0; i < h->nsigns; i++)
        if (odd->mark != NULL ? h->signs[i].mark == odd->mark
                              : h->signs[i].mark == NULL && h->signs[i].sign == odd->sign)
            return;
    if (h->nsigns < HTML_SIGNS)
        h->signs[h->nsigns++] = *odd;
}

static json_t *mark_of(struct html *h, const struct odp_odd *odd)
{
    size_t times = odd->sign == ' ' && odd->len < 8 ? odd->len : 1;
    if (odd->mark == NULL)
        return json_sprintf("U+%04X", (unsigned)odd->sign);
    while (times-- > 0)
        report_str(h->j, odd->mark);
    return report_take(h->j);
}

/* The sign itself, unless HTML forbids it or it would forge the line. */
static json_t *piece_of(struct html *h, const char *p, const struct odp_odd *odd, bool labelled)
{
    bool forges = odd->class == ODP_ODD_CONTROL || odd->class == ODP_ODD_TURN,
         cr = !forges && odd->sign == '\r';
    if (forges)
        report_clean(h->j->to, (struct odp_slice){p, odd->len});
    else if (!cr)
        odp_buffer_add(h->j->to, p, odd->len);
    json_t *piece = json_pack("{s:o, s:b}", "text", report_take(h->j), "cr", cr);
    if (labelled && (odd->mark == NULL || *odd->mark != '\0')) { /* else it is visible */
        const char *name = odp_text_get(&odd->name, h->j->lang);
        json_object_set_new(piece, "mark", mark_of(h, odd));
        json_object_set_new(piece, "name",
                            odd->sign != ' ' ? json_sprintf("%s (U+%04X)", name, (unsigned)odd->sign)
                                             : json_string(name));
        add_to_legend(h, odd);
    }
    return piece;
}

static void add_plain(struct html *h, json_t *pieces, struct odp_slice s)
{
    if (s.len == 0)
        return;
    report_clean(h->j->to, s);
    json_array_append_new(pieces, json_pack("{s:o}", "text", report_take(h->j)));
}

/* A value in pieces: each invisible sign gets a label; with SPACES, white space too (not in a row: its
 * delimiters may be spaces). */
static json_t *shown(struct html *h, struct odp_slice s, bool spaces)
{
    struct odp_odd_scan scan;
    struct odp_odd odd;
    size_t at = 0;
    json_t *pieces = json_array();
    odp_odd_begin(&scan, s);
    while (odp_odd_next(&scan, &odd)) {
        add_plain(h, pieces, (struct odp_slice){s.ptr + at, odd.at - at});
        json_array_append_new(pieces,
                              piece_of(h, s.ptr + odd.at, &odd, spaces || odd.class != ODP_ODD_SPACE));
        at = odd.at + odd.len;
    }
    add_plain(h, pieces, (struct odp_slice){s.ptr + at, s.len - at});
    return pieces;
}

json_t *html_legend(struct html *h)
{
    json_t *legend = json_array();
    for (size_t i = 0; i < h->nsigns; i++) {
        struct odp_odd one = h->signs[i];
        one.len = 1;
        json_t *mark = mark_of(h, &one);
        report_str(h->j, odp_text_get(&one.name, h->j->lang));
        if (one.like != '\0')
            report_put(h->j, W_report_looks_like, one.like);
        json_array_append_new(legend, json_pack("{s:o, s:o}", "mark", mark, "name", report_take(h->j)));
    }
    return legend;
}

/* ---- where all faults of a group stand ---- */

static json_t *runs_of(struct html *h, const struct odp_diag_lines *runs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        report_str(h->j, i > 0 ? ", " : "");
        report_number(h->j, runs[i].first);
        if (runs[i].last > runs[i].first) {
            report_str(h->j, runs[i].last == runs[i].first + 1 ? ", " : "–");
            report_number(h->j, runs[i].last);
        }
    }
    return report_take(h->j);
}

void html_set_lines(struct html *h, json_t *o, const struct odp_diag_group *g)
{
    struct odp_diag_lines *runs;
    uint64_t unlisted = 0;
    size_t n = report_runs_of(h->j, g, &runs);
    for (size_t k = 0; k < ODP_CAUSES; k++)
        unlisted += g->part[k].rows.unlisted;
    if (n == 0)
        return;
    bool records = g->examples != NULL && report_counts_records(g->examples->diag.file);
    json_t *lines =
        json_pack("{s:s, s:o}", "word",
                  records ? report_word(h->j, W_report_all_records) : report_word(h->j, W_report_all_lines),
                  "all", runs_of(h, runs, n));
    if (n > OPEN_MOST)
        json_object_set_new(lines, "short", runs_of(h, runs, OPEN_MOST / 2));
    if (unlisted > 0) { /* faults in no run: there are too many */
        json_t *count = html_number(h->j, unlisted);
        json_object_set_new(lines, "unlisted",
                            json_pack("{s:o, s:o, s:o}", "n", count, "slug",
                                      report_clean_json(h->j, g->dataset), "count", html_index(g->count)));
    }
    json_object_set_new(o, "lines", lines);
}

/* ---- an example ---- */

/* The place after the file's name. */
static json_t *place_of(struct html *h, const struct odp_diag *d)
{
    struct report_job *j = h->j;
    bool records = report_counts_records(d->file);
    if (d->sheet != NULL && d->line > 0) {
        report_say(j, W_report_at_cell);
        report_sheet_place(j->to, d, j->lang);
    } else if (d->line > 0) {
        report_str(j, records ? report_word(h->j, W_report_at_record) : report_word(h->j, W_report_at_line));
        report_number(j, d->line);
    }
    if (d->table_column > 0) {
        report_str(j, ", ");
        report_column(j->to, d, j->lang);
    } else if (d->line > 0 && d->column > 1 && !records && d->sheet == NULL) {
        report_say(j, W_report_at_character);
        report_number(j, d->column);
    }
    if (d->row > 0 && !records) {
        report_say(j, W_report_at_data_row);
        report_number(j, d->row);
        report_str(j, ")");
    }
    return report_take(j);
}

/* The row shows nothing but the value, which appears anyway. */
static bool is_value_alone(const struct odp_diag *d)
{
    static const size_t dots = sizeof "…" - 1;
    size_t before = d->mark_start, after = before + d->mark_len;
    return before <= d->source.len && after <= d->source.len && d->source.len - after <= dots &&
           before <= dots && before + (d->source.len - after) > 0 &&
           odp_slice_eq((struct odp_slice){d->source.ptr + before, d->mark_len}, d->value);
}

/* The row with the bad part marked, or the place where something is missing. */
static void set_row(struct html *h, json_t *o, const struct odp_diag *d)
{
    struct odp_slice line = d->source;
    size_t mark = d->mark_start, len = d->mark_len;
    if (line.ptr == NULL || line.len == 0 || is_value_alone(d) || mark > line.len || len > line.len - mark)
        return;
    json_t *before = shown(h, (struct odp_slice){line.ptr, mark}, false),
           *marked = shown(h, (struct odp_slice){line.ptr + mark, len}, true),
           *after = shown(h, (struct odp_slice){line.ptr + mark + len, line.len - mark - len}, false);
    json_object_set_new(o, "row",
                        json_pack("{s:b, s:o, s:o, s:o}", "empty", len == 0, "before", before, "marked",
                                  marked, "after", after));
}

/* Adds a pair to the list; CLASS chooses the word for its term. */
static void add_pieces(json_t *pairs, const char *class, json_t *pieces)
{
    json_array_append_new(pairs, json_pack("{s:s, s:o}", "class", class, "pieces", pieces));
}

/* Adds the words that SAY writes of D and, in brackets, NOTE (or NULL), unless there are none. */
static void add_words(struct html *h, json_t *pairs, const char *class, report_words *say,
                      const struct odp_diag *d, const char *note)
{
    say(h->j->to, d, h->j->lang);
    if (h->j->words.len == 0)
        return;
    if (note != NULL) {
        report_str(h->j, " (");
        report_clean(h->j->to, odp_slice_of(note));
        report_str(h->j, ")");
    }
    add_pieces(pairs, class, json_pack("[{s:o}]", "text", report_take(h->j)));
}

static void add_found(struct html *h, json_t *pairs, const struct odp_diag *d)
{
    if (d->value.ptr == NULL)
        return;
    if (d->value.len > 0)
        add_pieces(pairs, "found", shown(h, d->value, true));
    else
        add_pieces(pairs, "found", json_pack("[{s:s}]", "text", report_word(h->j, W_report_term_empty)));
    add_words(h, pairs, "odd", report_odd, d, NULL);
}

/* The count and lines of equal faults; the cause of a whole column. */
static void add_several(struct html *h, json_t *pairs, const struct report_finding *f)
{
    if (f->count == 1)
        return;
    report_add_count(h->j, f);
    if (f->rows->n > 0) {
        report_str(h->j, ": ");
        report_add_rows(h->j, f, ROWS);
    }
    add_pieces(pairs, "places", json_pack("[{s:o}]", "text", report_take(h->j)));
    report_add_cause(h->j->to, f, h->j->lang);
    if (h->j->words.len > 0)
        add_pieces(pairs, "cause", json_pack("[{s:o}]", "text", report_take(h->j)));
    if (report_add_step(h->j, "", f))
        add_pieces(pairs, "step", json_pack("[{s:o}]", "text", report_take(h->j)));
}

static json_t *example(struct html *h, const struct report_finding *f, const struct common_parts *shared)
{
    const struct odp_diag *d = f->d;
    json_t *o = json_object(), *pairs = json_array();
    if (!shared->title) {
        report_title(h->j->to, d, h->j->lang);
        json_object_set_new(o, "own", report_take(h->j));
    }
    if (d->file != NULL) {
        json_object_set_new(o, "file", report_clean_json(h->j, d->file));
        json_object_set_new(o, "place", place_of(h, d));
    }
    set_row(h, o, d);
    add_found(h, pairs, d);
    add_several(h, pairs, f);
    if (!shared->expected)
        add_words(h, pairs, "expected", report_expected, d, d->where);
    if (d->action == ODP_ACTION_REPLACE && d->proposal.len > 0)
        add_pieces(pairs, "proposal", shown(h, d->proposal, true));
    else
        add_words(h, pairs, "proposal", report_proposal, d, NULL);
    if (!shared->help)
        add_words(h, pairs, "help", odp_report_help, d, NULL);
    json_object_set_new(o, "has_pairs", json_boolean(json_array_size(pairs) > 0));
    json_object_set_new(o, "pairs", pairs);
    return o;
}

/* ---- the examples ---- */

static struct common_parts compare_examples(struct html *h, const struct odp_diag_group *g)
{
    struct common_parts a = {.title = report_same_titles(h->j, g), .expected = true, .help = true};
    unsigned n = 0;
    const struct odp_diag *first = &g->examples->diag;
    for (const struct odp_diag_node *e = g->examples; e != NULL && n < h->examples; e = e->next, n++) {
        a.expected = a.expected && odp_str_eq(first->where, e->diag.where) &&
                     report_same_words(h->j, report_expected, first, &e->diag);
        a.help = a.help && report_same_words(h->j, odp_report_help, first, &e->diag);
    }
    return a;
}

/* Whether the example adds nothing to the heading. */
static bool adds_nothing(const struct odp_diag *d, const struct common_parts *a)
{
    return d->file == NULL && d->value.ptr == NULL && d->source.ptr == NULL && !odp_diag_proposes(d) &&
           a->title && a->expected && a->help;
}

/* The next example of K: of a block the first finding of its next group. */
static bool next_example(const struct report_job *j, const struct report_group *k, struct report_walk *w,
                         struct report_finding *f)
{
    if (!k->shared)
        return report_next(w, f);
    size_t i = w->group->index + w->begun;
    while (i < j->n && j->groups[i].block != k->index)
        i++;
    *w = (struct report_walk){.group = &j->groups[i < j->n ? i : k->index]};
    return i < j->n && report_next(w, f);
}

/* "satu: metadata kurang: odp:subjects": whose example it is, and what it alone says. */
static void set_whose(struct html *h, json_t *o, const struct report_group *k, bool own)
{
    report_place(h->j, k->g);
    if (own) {
        report_str(h->j, ": ");
        report_title(h->j->to, k->first, h->j->lang);
    }
    json_object_set_new(o, "own", report_take(h->j));
}

static void set_list(struct html *h, json_t *o, const struct report_group *k,
                     const struct common_parts *shared, uint64_t of)
{
    const unsigned open_most = k->shared ? SHARED : OPEN, most = k->shared ? SHARED_MOST : h->examples;
    json_t *open = json_object_get(o, "examples"), *more = json_array();
    struct report_walk w = {.group = k};
    struct report_finding f;
    uint64_t told = 0;
    unsigned n = 0;
    for (; n < most && next_example(h->j, k, &w, &f); n++) {
        json_t *one = example(h, &f, shared);
        if (k->shared)
            set_whose(h, one, w.group, !shared->title);
        json_array_append_new(n < open_most ? open : more, one);
        told += f.count;
    }
    json_object_set_new(o, "has_examples", json_true());
    if (n > open_most)
        json_object_set_new(o, "more",
                            json_pack("{s:o, s:o, s:O}", "n", html_number(h->j, n - open_most), "start",
                                      html_index(open_most + 1), "examples", more));
    json_decref(more);
    if (of > told) {
        json_object_set_new(o, "left", html_number(h->j, of - told));
        html_set_lines(h, o, k->g);
    }
}

void html_set_examples(struct html *h, json_t *o, const struct report_group *k, const struct report_shared *s)
{
    const struct odp_diag_group *g = k->g;
    json_t *common = json_array();
    json_object_set_new(o, "common", common);
    json_object_set_new(o, "examples", json_array());
    if (g->examples == NULL)
        return;
    const struct odp_diag *first = &g->examples->diag;
    struct common_parts shared = {.title = !s->own, .expected = s->expected, .help = true};
    if (!k->shared)
        shared = compare_examples(h, g);
    if (shared.expected)
        add_words(h, common, "expected", report_expected, first, k->shared ? NULL : first->where);
    if (shared.help)
        add_words(h, common, "help", odp_report_help, first, NULL);
    json_object_set_new(o, "has_common", json_boolean(json_array_size(common) > 0));
    if (k->shared || !adds_nothing(first, &shared))
        set_list(h, o, k, &shared, k->shared ? s->n : g->count);
}
