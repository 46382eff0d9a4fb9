/* Workflow commands of GitHub Actions: one annotation a group of faults, with its count and first places.
 * GitHub shows ten errors, ten warnings and ten notices of a step, so where there are more groups the tenth
 * names all that are left: nothing is lost. The order is one group of each dataset, then the second of each.
 *
 * Where there are more groups than GitHub shows, one notice is kept for the sum. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

#define SHOWN  10 /* of each severity a step */
#define PLACES 5  /* named in a message */

/* Text of a command. PROPERTY: of one of its properties, where ',' and ':' have a meaning, too. */
static void add_escaped(struct odp_buffer *out, struct odp_slice s, bool property)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        if (c == '%' || c == '\r' || c == '\n' || (property && (c == ',' || c == ':')))
            odp_buffer_printf(out, "%%%02X", (unsigned)(unsigned char)c);
        else
            odp_buffer_add_char(out, c);
    }
}

static void take(struct odp_buffer *out, struct odp_buffer *text, bool property)
{
    add_escaped(out, odp_buffer_slice(text), property);
    if (text->failed)
        out->failed = true;
    odp_buffer_clear(text);
}

static void add_file(struct odp_buffer *out, const struct odp_diag *d)
{
    struct odp_buffer text;
    struct odp_slice marked;
    odp_buffer_init(&text);
    if (d->file != NULL) {
        report_clean(&text, odp_slice_of(d->file));
        odp_buffer_add_str(out, "file=");
        take(out, &text, true);
        odp_buffer_add_char(out, ',');
    }
    if (d->file != NULL && d->line > 0 && d->sheet == NULL && !report_counts_records(d->file)) {
        odp_buffer_printf(out, "line=%llu,", (unsigned long long)d->line);
        if (d->column > 0)
            odp_buffer_printf(out, "col=%llu,", (unsigned long long)d->column);
        if (report_mark(d, &marked)) /* GitHub's endColumn is the last one marked */
            odp_buffer_printf(out, "endColumn=%llu,",
                              (unsigned long long)(d->column + odp_utf8_count(marked) - 1));
    }
    odp_buffer_release(&text);
}

/* "217 kali; baris 4, 9, 12 …" */
static void add_places(struct odp_buffer *text, const struct odp_diag_group *g, enum odp_lang lang)
{
    unsigned places = 0;
    odp_text_number(text, g->count, lang);
    odp_buffer_add_str(text, g->count == 1 ? odp_word(lang, W_report_time) : odp_word(lang, W_report_times));
    for (const struct odp_diag_node *e = g->examples; e != NULL && places < PLACES; e = e->next) {
        if (e->diag.line == 0)
            continue;
        bool records = report_counts_records(e->diag.file), sheet = e->diag.sheet != NULL;
        odp_buffer_add_str(text, places > 0 ? ", "
                                 : sheet    ? odp_word(lang, W_report_cells)
                                 : records  ? odp_word(lang, W_report_records)
                                            : odp_word(lang, W_report_lines));
        if (sheet)
            report_sheet_place(text, &e->diag);
        else
            odp_text_number(text, e->diag.line, lang);
        places++;
    }
    odp_buffer_add_str(text, places > 0 && g->count > places ? " …" : "");
}

static void add_sentence(struct odp_buffer *text, const char *before, struct odp_buffer *words)
{
    if (words->len > 0) {
        odp_buffer_add_str(text, "\n");
        odp_buffer_add_str(text, before);
        odp_buffer_add_slice(text, odp_buffer_slice(words));
    }
    if (words->failed)
        text->failed = true;
    odp_buffer_clear(words);
}

/* All groups, sorted; MERGED: a rule broken in several fields of a dataset is told once. */
struct told {
    const struct odp_diag_group *const *all;
    size_t n;
    bool merged;
    enum odp_lang lang;
};

/* "; juga: kecamatan (5), nomor_sk (7)" */
static void add_also(struct odp_buffer *text, const char *before, const struct told *t,
                     const struct odp_diag_group *g)
{
    size_t named = 0;
    for (size_t i = 0; t->merged && i < t->n; i++) {
        const struct odp_diag_group *o = t->all[i];
        if (o == g || !report_same_rule(g, o))
            continue;
        odp_buffer_add_str(text, named++ > 0 ? ", " : before);
        if (named == 1)
            odp_buffer_add_str(text, odp_word(t->lang, W_report_also));
        report_place(text, NULL, NULL, o->field != NULL ? o->field : o->resource);
        odp_buffer_add_str(text, " (");
        odp_text_number(text, o->count, t->lang);
        odp_buffer_add_str(text, ")");
    }
}

static void add_message(struct odp_buffer *text, const struct told *t, const struct odp_diag_group *g,
                        const struct odp_diag *d)
{
    enum odp_lang lang = t->lang;
    struct odp_buffer words;
    odp_buffer_init(&words);
    report_place(text, g->dataset, g->resource, g->field);
    odp_buffer_add_str(text, text->len > 0 ? ": " : "");
    odp_report_message(text, d, lang);
    if (g->count > 1 || g->examples == NULL || d->sheet != NULL || report_counts_records(d->file)) {
        odp_buffer_add_char(text, '\n');
        add_places(text, g, lang);
    }
    add_also(text, "\n", t, g);
    report_proposal(&words, d, lang);
    add_sentence(text, odp_word(lang, W_report_proposal), &words);
    odp_report_help(&words, d, lang);
    add_sentence(text, odp_word(lang, W_report_help), &words);
    odp_buffer_add_str(text, odp_word(lang, W_report_explain_odp_build_explain));
    odp_buffer_add_str(text, odp_code_info(g->code)->code);
    odp_buffer_release(&words);
}

static const char *command(enum odp_severity s)
{
    return s == ODP_SEVERITY_ERROR ? "error" : s == ODP_SEVERITY_WARNING ? "warning" : "notice";
}

static void annotation(struct odp_buffer *out, const struct told *t, const struct odp_diag_group *g)
{
    enum odp_lang lang = t->lang;
    const struct odp_diag bare = {.code = g->code, .severity = g->severity, .field = g->field};
    const struct odp_diag *d = g->examples != NULL ? &g->examples->diag : &bare;
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_buffer_printf(out, "::%s ", command(g->severity));
    add_file(out, d);
    odp_buffer_add_str(out, "title=");
    odp_buffer_add_str(&text, odp_code_info(g->code)->code);
    odp_buffer_add_char(&text, ' ');
    report_group_title(&text, g, lang);
    take(out, &text, true);
    odp_buffer_add_str(out, "::");
    add_message(&text, t, g, d);
    take(out, &text, false);
    odp_buffer_add_char(out, '\n');
    odp_buffer_release(&text);
}

/* What many datasets share: a line each. */
static void shared(struct odp_buffer *out, const struct told *t, size_t i)
{
    const struct odp_diag_group *const *all = t->all, *g = all[i];
    enum odp_lang lang = t->lang;
    size_t n = t->n;
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_buffer_printf(out, "::%s title=", command(g->severity));
    odp_buffer_add_str(&text, odp_code_info(g->code)->code);
    odp_buffer_add_char(&text, ' ');
    report_code_title(&text, all, n, g->code, lang);
    take(out, &text, true);
    odp_buffer_add_str(out, "::");
    for (size_t k = i; k < n; k++) {
        if (!report_is_like(all, n, i, k))
            continue;
        report_place(&text, all[k]->dataset, all[k]->resource, all[k]->field);
        odp_buffer_add_str(&text, ": ");
        report_title(&text, &all[k]->examples->diag, lang);
        odp_buffer_add_char(&text, '\n');
    }
    odp_buffer_add_str(&text, odp_word(lang, W_report_explain_odp_build_explain_2));
    odp_buffer_add_str(&text, odp_code_info(g->code)->code);
    take(out, &text, false);
    odp_buffer_add_char(out, '\n');
    odp_buffer_release(&text);
}

/* A group by itself, or all that share its fault. */
static void tell(struct odp_buffer *out, const struct told *t, const struct odp_diag_group *g)
{
    size_t i = 0;
    bool first;
    while (t->all[i] != g)
        i++;
    if (report_is_shared(t->all, t->n, i, &first))
        shared(out, t, i);
    else
        annotation(out, t, g);
}

/* All that are left, a line each. */
static void rest(struct odp_buffer *out, const struct told *t, const struct odp_diag_group *const *groups,
                 size_t n)
{
    enum odp_lang lang = t->lang;
    struct odp_buffer text;
    odp_buffer_init(&text);
    odp_buffer_printf(out, "::%s title=", command(groups[0]->severity));
    odp_text_number(&text, n, lang);
    odp_buffer_add_str(&text, odp_word(lang, W_report_more_kinds));
    take(out, &text, true);
    odp_buffer_add_str(out, "::");
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_str(&text, i > 0 ? "\n" : "");
        odp_buffer_add_str(&text, odp_code_info(groups[i]->code)->code);
        odp_buffer_add_char(&text, ' ');
        report_place(&text, groups[i]->dataset, groups[i]->resource, groups[i]->field);
        odp_buffer_add_str(&text, ": ");
        report_group_title(&text, groups[i], lang);
        odp_buffer_add_str(&text, "; ");
        add_places(&text, groups[i], lang);
        add_also(&text, "; ", t, groups[i]);
    }
    take(out, &text, false);
    odp_buffer_add_char(out, '\n');
    odp_buffer_release(&text);
}

static void summary(struct odp_buffer *out, const struct odp_diags *d, const struct odp_summary *s,
                    enum odp_lang lang)
{
    uint64_t errors = odp_diags_count(d, ODP_SEVERITY_ERROR),
             warnings = odp_diags_count(d, ODP_SEVERITY_WARNING);
    size_t clean = 0;
    for (size_t i = 0; i < s->ndatasets; i++)
        clean += s->datasets[i].errors == 0 && s->datasets[i].warnings == 0;
    odp_buffer_add_str(out, "::notice title=odp-build::");
    odp_text_number(out, errors, lang);
    odp_buffer_add_str(out, errors == 1 ? odp_word(lang, W_report_error) : odp_word(lang, W_report_errors));
    odp_text_number(out, warnings, lang);
    odp_buffer_add_str(out, warnings == 1 ? odp_word(lang, W_report_warning) : odp_word(lang, W_report_warnings));
    if (s->ndatasets > 0) {
        odp_buffer_add_str(out, "; ");
        odp_text_number(out, clean, lang);
        odp_buffer_add_str(out, odp_word(lang, W_report_of));
        odp_text_number(out, s->ndatasets, lang);
        odp_buffer_add_str(out, s->ndatasets == 1 ? odp_word(lang, W_report_dataset_clean)
                                                  : odp_word(lang, W_report_datasets_clean));
        odp_text_number(out, s->rows, lang);
        odp_buffer_add_str(out, odp_word(lang, W_report_rows_checked));
    }
    odp_buffer_add_char(out, '\n');
}

/* How many annotations of one severity GitHub shows; the sum is a notice, too. */
static size_t room_of(enum odp_severity severity)
{
    return severity == ODP_SEVERITY_NOTE ? SHOWN - 1 : SHOWN;
}

static size_t end_of(const struct odp_diag_group **groups, size_t n, size_t i)
{
    size_t end = i;
    while (end < n && groups[end]->severity == groups[i]->severity)
        end++;
    return end;
}

static bool fits(const struct odp_diag_group **groups, size_t n)
{
    for (size_t i = 0, end; i < n; i = end) {
        end = end_of(groups, n, i);
        if (end - i > room_of(groups[i]->severity))
            return false;
    }
    return true;
}

static enum odp_status render_github(const struct odp_diags *d, const struct odp_summary *s,
                                     const struct odp_report_style *style, struct odp_buffer *out)
{
    const struct odp_diag_group **all = NULL, **groups = NULL;
    struct told t = {.lang = style->lang};
    size_t n = 0;
    enum odp_status status = report_sorted(d, &all, &t.n);
    if (status == ODP_OK && (groups = calloc(t.n + 1, sizeof *groups)) == NULL)
        status = odp_failure_set("allocate memory", NULL, ENOMEM);
    if (status != ODP_OK)
        goto done;
    t.all = (const struct odp_diag_group *const *)all;
    n = report_leaders(t.all, t.n, false, groups);
    t.merged = !fits(groups, n);
    if (t.merged)
        n = report_leaders(t.all, t.n, true, groups);
    status = report_take_turns(groups, n);
    for (size_t i = 0, end; status == ODP_OK && i < n; i = end) {
        end = end_of(groups, n, i);
        size_t room = room_of(groups[i]->severity), shown = end - i <= room ? end : i + room - 1;
        for (size_t k = i; k < shown; k++)
            tell(out, &t, groups[k]);
        if (shown < end)
            rest(out, &t, (const struct odp_diag_group *const *)groups + shown, end - shown);
    }
    summary(out, d, s, style->lang);
    status = status == ODP_OK ? odp_buffer_status(out) : status;
done:
    free(groups);
    free(all);
    return status;
}

const struct odp_report report_github = {
    .name = "github", .summary = {{W_report_annotations_github_actions}}, .render = render_github};
