/* Workflow commands of GitHub Actions: one annotation a group of faults, with its count and first places.
 * GitHub shows ten errors, ten warnings and ten notices a step, so with more groups the tenth names all that
 * are left. The order is one group of each dataset, then the second of each. One notice is reserved for the
 * summary. */

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define SHOWN  10 /* of each severity a step */
#define PLACES 5  /* named in a message */

/* Writes the words as text of a command; PROPERTY: of a property, where ',' and ':' have a meaning too. */
static void take(struct report_job *j, bool property)
{
    for (size_t i = 0; i < j->words.len; i++) {
        char c = j->words.ptr[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ',' || c == ':')))
            odp_buffer_printf(j->out, "%%%02X", (unsigned)(unsigned char)c);
        else
            odp_buffer_add_char(j->out, c);
    }
    odp_buffer_clear(&j->words);
}

/* "::error file=…,line=…,title=" */
static void begin(struct report_job *j, enum odp_severity severity, const struct odp_diag *d)
{
    static const char *const commands[] = {"notice", "notice", "warning", "error"};
    struct odp_slice marked;
    odp_buffer_printf(j->out, "::%s ", commands[severity]);
    if (d != NULL && d->file != NULL) {
        odp_buffer_add_str(j->out, "file=");
        report_clean(&j->words, odp_slice_of(d->file));
        take(j, true);
        odp_buffer_add_char(j->out, ',');
        if (d->line > 0 && d->sheet == NULL && !report_counts_records(d->file)) {
            odp_buffer_printf(j->out, "line=%llu,", (unsigned long long)d->line);
            if (d->column > 0)
                odp_buffer_printf(j->out, "col=%llu,", (unsigned long long)d->column);
            if (report_mark(d, &marked)) /* GitHub's endColumn is the last one marked */
                odp_buffer_printf(j->out, "endColumn=%llu,",
                                  (unsigned long long)(d->column + odp_utf8_count(marked) - 1));
        }
    }
    odp_buffer_add_str(j->out, "title=");
}

/* Ends the title; the message follows. */
static void end_title(struct report_job *j)
{
    take(j, true);
    odp_buffer_add_str(j->out, "::");
}

static void end(struct report_job *j)
{
    take(j, false);
    odp_buffer_add_char(j->out, '\n');
}

/* "217 kali: baris 4, 9-12, …" */
static void add_places(struct report_job *j, const struct odp_diag_group *g)
{
    struct odp_diag_lines *runs;
    size_t n = report_runs_of(j, g, &runs), places = 0;
    const bool sheet = g->examples != NULL && g->examples->diag.sheet != NULL;
    report_counted(j, g->count, W_report_time, W_report_times);
    if (!sheet && n > 0) {
        bool records = g->examples != NULL && report_counts_records(g->examples->diag.file);
        report_str(j, records ? report_word(j, W_report_records) : report_word(j, W_report_lines));
        report_add_runs(j->to, runs, n, PLACES);
    }
    for (const struct odp_diag_node *e = g->examples; sheet && e != NULL && places < PLACES; e = e->next) {
        if (e->diag.line == 0)
            continue;
        report_str(j, places++ == 0 ? report_word(j, W_report_cells) : ", ");
        report_sheet_place(j->to, &e->diag, j->lang);
    }
    report_str(j, sheet && g->count > places ? " …" : "");
}

/* "; juga: kecamatan (5), nomor_sk (7)": other fields, if a rule is reported once for all fields of a
 * dataset. */
static void add_also(struct report_job *j, const char *before, const struct report_group *k, bool merged)
{
    size_t named = 0;
    for (size_t i = 0; i < j->n && (merged || k->cause >= 0); i++) {
        const struct odp_diag_group *o = j->groups[i].g;
        if (o == k->g || !(merged ? report_same_rule(k->g, o) : report_same_cause(k, &j->groups[i])))
            continue;
        report_str(j, named++ > 0 ? ", " : before);
        if (named == 1)
            report_say(j, W_report_also);
        report_place_of(j->to, NULL, NULL, o->field != NULL ? o->field : o->resource);
        report_str(j, " (");
        report_number(j, o->count);
        report_str(j, ")");
    }
}

static void add_sentence(struct report_job *j, const char *word, const char *words)
{
    if (*words != '\0')
        odp_buffer_printf(j->to, "\n%s%s", word, words);
}

static void annotation(struct report_job *j, const struct report_group *k, bool merged)
{
    const struct odp_diag_group *g = k->g;
    const struct odp_diag *d = k->first;
    const struct odp_diag_runs none = {0};
    struct report_finding f = {.d = d, .count = 1, .rows = &none};
    struct report_walk w = {.group = k};
    (void)report_next(&w, &f);
    begin(j, g->severity, d);
    odp_buffer_printf(j->to, "%s ", report_code(g));
    report_group_title(j, g);
    end_title(j);
    report_place(j, g);
    report_str(j, j->words.len > 0 ? ": " : "");
    report_add_message(j, &f);
    if (g->count > 1 || g->examples == NULL || d->sheet != NULL || report_counts_records(d->file)) {
        report_str(j, "\n");
        add_places(j, g);
    }
    add_also(j, "\n", k, merged);
    add_sentence(j, report_word(j, W_report_proposal), report_text(j, report_proposal, d));
    add_sentence(j, report_word(j, W_report_fix_all), report_step(j, &f));
    add_sentence(j, report_word(j, W_report_help), report_text(j, odp_report_help, d));
    add_sentence(j, report_word(j, W_report_explain_odp_build_explain_2), report_code(g));
    end(j);
}

/* Faults that many datasets share: a line each. */
static void shared(struct report_job *j, const struct report_group *first)
{
    begin(j, first->g->severity, first->first->line > 0 ? first->first : NULL);
    odp_buffer_printf(j->to, "%s ", report_code(first->g));
    report_code_title(j, first->g->code);
    end_title(j);
    for (size_t i = first->index; i < j->n; i++) {
        if (j->groups[i].block != first->index)
            continue;
        report_place(j, j->groups[i].g);
        report_str(j, ": ");
        report_title(j->to, j->groups[i].first, j->lang);
        report_str(j, "\n");
    }
    report_say(j, W_report_explain_odp_build_explain_2);
    report_str(j, report_code(first->g));
    end(j);
}

/* All groups that are left, a line each. */
static void rest(struct report_job *j, const struct report_group *const *groups, size_t n, bool merged)
{
    begin(j, groups[0]->g->severity, NULL);
    report_counted(j, n, W_report_more_kinds, W_report_more_kinds);
    end_title(j);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_printf(j->to, "%s%s ", i > 0 ? "\n" : "", report_code(groups[i]->g));
        report_place(j, groups[i]->g);
        report_str(j, ": ");
        report_group_title(j, groups[i]->g);
        report_str(j, "; ");
        add_places(j, groups[i]->g);
        add_also(j, "; ", groups[i], merged);
    }
    end(j);
}

static void summary(struct report_job *j)
{
    const struct odp_summary *s = j->summary;
    size_t clean = 0;
    for (size_t i = 0; i < s->ndatasets; i++)
        clean += s->datasets[i].errors == 0 && s->datasets[i].warnings == 0;
    odp_buffer_add_str(j->out, "::notice title=odp-build::");
    report_counted(j, odp_diags_count(j->diags, ODP_SEVERITY_ERROR), W_report_error, W_report_errors);
    report_counted(j, odp_diags_count(j->diags, ODP_SEVERITY_WARNING), W_report_warning, W_report_warnings);
    if (s->ndatasets > 0) {
        report_str(j, "; ");
        report_counted(j, clean, W_report_of, W_report_of);
        report_counted(j, s->ndatasets, W_report_dataset_clean, W_report_datasets_clean);
        report_counted(j, s->rows, W_report_rows_checked, W_report_rows_checked);
    }
    odp_buffer_add_slice(j->out, odp_buffer_slice(&j->words));
    odp_buffer_add_char(j->out, '\n');
}

/* How many annotations of one severity GitHub shows; the summary is a notice too. */
static size_t room_of(const struct report_group *k)
{
    return k->g->severity == ODP_SEVERITY_NOTE ? SHOWN - 1 : SHOWN;
}

/* Where the severity of group I ends. */
static size_t end_of(const struct report_group *const *groups, size_t n, size_t i)
{
    size_t end = i;
    while (end < n && groups[end]->g->severity == groups[i]->g->severity)
        end++;
    return end;
}

static bool fits(const struct report_group *const *groups, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = end_of(groups, n, i);
        if (end - i > room_of(groups[i]))
            return false;
    }
    return true;
}

static enum odp_status render_github(struct report_job *j, const struct odp_report_style *style)
{
    const struct report_group **groups = odp_arena_array(&j->arena, j->n + 1, sizeof *groups);
    size_t n = report_leaders(j, false, groups);
    bool merged = !fits(groups, n);
    if (merged)
        n = report_leaders(j, true, groups);
    report_take_turns(j, groups, n);
    for (size_t i = 0, end; i < n; i = end) {
        end = end_of(groups, n, i);
        size_t room = room_of(groups[i]), shown = end - i <= room ? end : i + room - 1;
        for (size_t k = i; k < shown; k++)
            if (groups[k]->shared)
                shared(j, groups[k]);
            else
                annotation(j, groups[k], merged);
        if (shown < end)
            rest(j, groups + shown, end - shown, merged);
    }
    summary(j);
    return ODP_OK;
}

const struct odp_report report_github = {
    .name = "github", .summary = {{W_report_annotations_github_actions}}, .render = render_github};
