/* The human report: groups of equal faults with examples, a summary a dataset, the table of datasets, the
 * conclusion. It always stays under 200 lines: it counts what it does not show; the json report has it.
 *
 * Expectation and help appear once for consecutive examples that share them. With more than MANY blocks each
 * rule of a dataset appears once ("juga: …" names its other fields), and datasets take turns, so that none
 * hides another. */
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define GROUP_LINES   100 /* no group begins after so many lines */
#define SHARED_LINES  24  /* datasets named of a fault that many share */
#define SHARED_LEAST  8
#define MANY          10 /* blocks: with more each rule of a dataset is shown once */
#define WIDTH_DEFAULT 100
#define WIDTH_MAX     110 /* wider lines do not read better */

/* The last remark of each kind: it is not repeated for the next example. */
struct last_remarks {
    const char *odd, *expected, *help;
};

static const char *place_of(struct report_job *j, const struct odp_diag_group *g)
{
    odp_buffer_clear(&j->scratch);
    report_place_of(&j->scratch, g->dataset, g->resource, g->field);
    return odp_arena_str(&j->arena, odp_buffer_cstr(&j->scratch));
}

static size_t width_of(const char *s)
{
    return odp_utf8_width(odp_slice_of(s));
}

/* "galat ODP-T03"; its width. */
static size_t code(struct report_job *j, const struct odp_diag_group *g)
{
    const char *word = report_severity_word(g->severity, j->lang);
    page_paint(j, page_severity_paint(g->severity), word);
    report_str(j, " ");
    page_paint(j, page_severity_paint(g->severity), report_code(g));
    return strlen(word) + 1 + strlen(report_code(g));
}

/* "galat ODP-T03: bukan bilangan desimal di 602 dari 602 baris          kumuh.luas_ha" */
static void heading(struct report_job *j, const struct report_group *k)
{
    const char *title = odp_arena_printf(&j->arena, ": %s", report_text(j, report_title, k->first)),
               *place = place_of(j, k->g);
    struct report_walk w = {.group = k};
    struct report_finding first;
    if (k->cause >= 0 && report_next(&w, &first))
        title = odp_arena_printf(&j->arena, "%s%s", title, report_places(j, &first));
    size_t used = code(j, k->g) + width_of(title), right = width_of(place);
    page_paint(j, PAINT_BOLD, title);
    if (right > 0) {
        page_spaces(j, used + right + 2 <= j->width ? j->width - used - right : 2);
        page_paint(j, PAINT_DIM, place);
    }
    page_line(j);
}

static void remark(struct report_job *j, const char *word)
{
    report_str(j, "  = ");
    page_paint(j, PAINT_BOLD, word);
}

/* "= WORD: NOW", unless it is empty or a repetition. */
static void remark_once(struct report_job *j, const char *word, const char *now, const char **last)
{
    if (*now == '\0' || odp_str_eq(now, *last))
        return;
    remark(j, word);
    report_str(j, now);
    page_line(j);
    *last = now;
}

/* "bilangan, tanda desimal koma   (dataset.json:58)" */
static void expected_where(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    size_t start = out->len;
    report_expected(out, d, lang);
    if (out->len == start || d->where == NULL)
        return;
    odp_buffer_add_str(out, "   (");
    report_clean(out, odp_slice_of(d->where));
    odp_buffer_add_char(out, ')');
}

static void expected(struct report_job *j, const struct odp_diag *d, struct last_remarks *last)
{
    remark_once(j, report_word(j, W_report_expected), report_text(j, expected_where, d), &last->expected);
}

static void help(struct report_job *j, const struct odp_diag *d, struct last_remarks *last)
{
    remark_once(j, report_word(j, W_report_help), report_text(j, odp_report_help, d), &last->help);
}

/* The cause of a whole column, and the step that mends it; else what helps. */
static void cause(struct report_job *j, const struct report_finding *f, struct last_remarks *last)
{
    const char *none = NULL;
    odp_buffer_clear(&j->scratch);
    report_add_cause(&j->scratch, f, j->lang);
    remark_once(j, report_word(j, W_report_one_cause), odp_arena_str(&j->arena, odp_buffer_cstr(&j->scratch)),
                &none);
    remark_once(j, report_word(j, W_report_fix_all), report_step(j, f), &none);
    if (none == NULL)
        help(j, f->d, last);
}

static void proposal(struct report_job *j, const struct odp_diag *d, uint64_t others)
{
    if (!odp_diag_proposes(d))
        return;
    remark(j, report_word(j, W_report_proposal));
    page_paint(j, PAINT_HELP, report_text(j, report_proposal, d));
    if (others > 0) {
        report_str(j, "   (");
        if (d->action == ODP_ACTION_REPLACE)
            report_counted(j, others, W_report_other_cell_with_same_fault,
                           W_report_other_cells_with_same_fault);
        else
            report_counted(j, others, W_report_other_with_same_fault, W_report_others_with_same_fault);
    }
    page_line(j);
}

/* "= juga: kecamatan (5), nomor_sk (7)": other fields of the dataset that break the rule. */
static void also(struct report_job *j, const struct report_group *k, bool merged)
{
    const struct odp_diag_group *g = k->g;
    size_t named = 0, left = 0, used = 0;
    for (size_t i = 0; i < j->n; i++) {
        const struct odp_diag_group *o = j->groups[i].g;
        if (o == g || !(merged ? report_same_rule(g, o) : report_same_cause(k, &j->groups[i])))
            continue;
        bool main_table = g->resource == NULL || o->resource == NULL || strcmp(g->resource, o->resource) == 0;
        odp_buffer_clear(&j->scratch);
        report_place_of(&j->scratch, main_table ? NULL : o->resource, NULL, o->field);
        odp_buffer_add_str(&j->scratch, j->scratch.len == 0 ? "– (" : " (");
        odp_text_number(&j->scratch, o->count, j->lang);
        odp_buffer_add_char(&j->scratch, ')');
        size_t width = odp_utf8_width(odp_buffer_slice(&j->scratch)) + 2;
        if (left > 0 || used + width + 30 > j->width) {
            left++;
            continue;
        }
        if (named++ == 0)
            remark(j, report_word(j, W_report_also));
        else
            report_str(j, ", ");
        odp_buffer_add_slice(j->out, odp_buffer_slice(&j->scratch));
        used += width;
    }
    if (left > 0) {
        report_say(j, W_report_and);
        report_counted(j, left, W_report_more_field, W_report_more_fields);
    }
    if (named > 0)
        page_line(j);
}

static void and_more(struct report_job *j, uint64_t left)
{
    if (left == 0)
        return;
    report_say(j, W_report_and_2);
    report_number(j, left);
    report_say(j, W_report_more);
    page_line(j);
}

static void explain(struct report_job *j, const struct odp_diag_group *g)
{
    remark(j, report_word(j, W_report_explain));
    report_str(j, "odp-build explain ");
    report_str(j, report_code(g));
    page_line(j);
    page_line(j);
}

/* MERGED: it also represents the rule in the dataset's other fields. */
static void group(struct report_job *j, const struct report_group *k, unsigned examples, bool merged)
{
    const struct odp_diag_group *g = k->g;
    struct last_remarks last = {0};
    size_t gutter = page_gutter(g, examples);
    struct report_walk w = {.group = k};
    struct report_finding f;
    uint64_t told = 0;
    heading(j, k);
    for (unsigned shown = 0; shown < examples && report_next(&w, &f); shown++) {
        const struct odp_diag *d = f.d;
        if (!report_same_words(j, report_title, d, k->first)) { /* arguments differ from the first one's */
            report_str(j, "  ");
            page_paint(j, PAINT_BOLD, report_text(j, report_title, d));
            page_line(j);
        }
        page_snippet(j, &f, gutter, page_severity_paint(g->severity));
        remark_once(j, report_word(j, W_report_look), report_text(j, report_odd, d), &last.odd);
        expected(j, d, &last);
        proposal(j, d, shown == 0 ? g->count - f.count : 0);
        cause(j, &f, &last);
        told += f.count;
    }
    and_more(j, g->count - told);
    if (merged || k->cause >= 0)
        also(j, k, merged);
    explain(j, g);
}

/* ---- what many datasets share ---- */

/* A name a line, and what concerns this dataset alone. */
static void shared_line(struct report_job *j, const struct report_group *k, size_t width, bool own)
{
    report_str(j, "  • ");
    page_cell(j, place_of(j, k->g), width + 2);
    if (own)
        report_title(j->out, k->first, j->lang);
    else if (k->first->file != NULL)
        page_at(j, k->first);
    page_line(j);
}

/* "peringatan ODP-Q10: dataset terlambat diperbarui    22 dataset", the datasets, what is expected, what
 * helps. */
static void shared_groups(struct report_job *j, const struct report_group *first)
{
    struct report_shared s = report_measure_shared(j, first);
    struct last_remarks last = {0};
    struct report_walk w = {.group = first};
    struct report_finding f;
    size_t shown = 0, width = 0;
    (void)code(j, first->g);
    report_str(j, ": ");
    if (s.own)
        report_code_title(j, first->g->code);
    else
        report_title(j->out, first->first, j->lang);
    report_str(j, "   (");
    report_add_shared(j, &s, first->g);
    report_str(j, ")");
    page_line(j);
    if (report_next(&w, &f) && f.d->source.ptr != NULL)
        page_snippet(j, &f, page_gutter(first->g, 1), page_severity_paint(first->g->severity));
    size_t room = j->lines + SHARED_LEAST < GROUP_LINES ? GROUP_LINES - j->lines : SHARED_LEAST;
    const struct report_group *lines[SHARED_LINES];
    for (size_t i = first->index; i < j->n && shown < room && shown < SHARED_LINES; i++)
        if (j->groups[i].block == first->index) {
            size_t own = width_of(place_of(j, j->groups[i].g));
            width = own > width ? own : width;
            lines[shown++] = &j->groups[i];
        }
    for (size_t i = 0; i < shown; i++)
        shared_line(j, lines[i], width, s.own);
    and_more(j, s.n - shown);
    if (s.expected)
        expected(j, first->first, &last);
    help(j, first->first, &last);
    explain(j, first->g);
}

/* ---- the report ---- */

static unsigned examples_of(const struct report_job *j, size_t blocks)
{
    if (blocks <= 5)
        return j->examples;
    return blocks <= 10 && j->examples > 2 ? 2 : 1;
}

/* With many kinds of faults: one example of each rather than many of the first, each rule of a dataset once,
 * datasets in turn. False: not all are told, and the rest is left to the summary. */
static bool groups(struct report_job *j)
{
    const struct report_group **leaders = odp_arena_array(&j->arena, j->n + 1, sizeof *leaders);
    size_t blocks = report_leaders(j, false, leaders), i = 0;
    bool many = blocks > MANY;
    if (many) {
        blocks = report_leaders(j, true, leaders);
        report_take_turns(j, leaders, blocks);
    }
    for (unsigned examples = examples_of(j, blocks); i < blocks && j->lines < GROUP_LINES; i++)
        if (leaders[i]->shared)
            shared_groups(j, leaders[i]);
        else
            group(j, leaders[i], examples, many);
    if (i == blocks)
        return true;
    report_say(j, W_report_and_3);
    report_number(j, blocks - i);
    report_say(j, W_report_more_kinds_faults_see_summary);
    page_line(j);
    page_line(j);
    return false;
}

static enum odp_status render_human(struct report_job *j, const struct odp_report_style *style)
{
    size_t width = style->width != 0 ? style->width : WIDTH_DEFAULT;
    j->to = j->out;
    j->color = style->color;
    j->width = width > WIDTH_MAX ? WIDTH_MAX : width;
    j->examples = style->examples != 0 ? style->examples : 3;
    while (style->quiet && j->n > 0 && j->groups[j->n - 1].g->severity < ODP_SEVERITY_ERROR)
        j->n--; /* errors come first */
    bool all = groups(j);
    if (!style->quiet || !all)
        page_summary(j);
    if (!style->quiet && !style->brief)
        page_closing(j);
    return ODP_OK;
}

const struct odp_report report_human = {
    .name = "human", .summary = {{W_report_for_people}}, .render = render_human};
