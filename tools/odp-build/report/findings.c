/* What a group of faults comes down to: one cause of a whole column, then faults by value; where they are,
 * and the one step that mends them all.
 *
 * A column has one cause where at least LEAST of its cells are filled and MOST percent of them (of its
 * records, where cells are missing) have one code and one cause (base/diagnostic.h). Where a column shows
 * that the whole file is written in another notation, that is the cause of other columns' faults too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"
#include "words/report.h"

enum { LEAST = 20, MOST = 90, RUNS_SHOWN = 8 };

/* What intake normalises for a whole file. */
static bool is_notation(int cause)
{
    return cause == ODP_CAUSE_SIGNS || cause == ODP_CAUSE_DATE || cause == ODP_CAUSE_WORDS ||
           cause == ODP_CAUSE_MARK || cause == ODP_CAUSE_SPACE || cause == ODP_CAUSE_QUOTES;
}

int report_cause(const struct odp_diag_group *g)
{
    uint64_t of = g->code == ODP_B01 ? g->records : g->cells;
    for (int k = 0; k < ODP_CAUSES && of >= LEAST; k++)
        if (g->part[k].count * 100 >= of * MOST)
            return k;
    return -1;
}

bool report_shares_cause(const struct odp_diag_group *g, const struct odp_diag_group *known, int cause)
{
    const uint64_t n = cause >= 0 ? g->part[cause].count : 0;
    return is_notation(cause) && n >= LEAST && n * 100 >= g->count * MOST && g->cells > 0 &&
           odp_str_eq(g->dataset, known->dataset) && odp_str_eq(g->resource, known->resource);
}

/* The first example of the cause, or of any where none was kept. */
static const struct odp_diag *example_of(const struct report_group *k)
{
    for (const struct odp_diag_node *e = k->g->examples; e != NULL; e = e->next)
        if ((int)e->diag.cause == k->cause)
            return &e->diag;
    return k->g->examples != NULL ? &k->g->examples->diag : NULL;
}

bool report_next(struct report_walk *w, struct report_finding *out)
{
    const struct report_group *k = w->group;
    if (!w->begun) {
        w->begun = true;
        w->node = k->g->examples;
        const struct odp_diag *d = k->cause >= 0 ? example_of(k) : NULL;
        if (d != NULL) {
            const struct odp_diag_part *part = &k->g->part[k->cause];
            *out = (struct report_finding){.d = d, .count = part->count, .rows = &part->rows, .whole = true};
            out->records = k->g->code == ODP_B01 || k->g->cells == k->g->records;
            out->of = out->records ? k->g->records : k->g->cells;
            return true;
        }
    }
    while (w->node != NULL && k->cause >= 0 && (int)w->node->diag.cause == k->cause)
        w->node = w->node->next;
    if (w->node == NULL)
        return false;
    *out = (struct report_finding){.d = &w->node->diag, .count = w->node->count, .rows = &w->node->rows};
    out->some = k->left_out && out->count > 1;
    w->node = w->node->next;
    return true;
}

/* ---- where ---- */

static int by_first(const void *a, const void *b)
{
    const struct odp_diag_lines *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Lines in ascending order, touching runs joined, in the report's arena; their number. */
static size_t join_runs(struct report_job *j, const struct odp_diag_runs *const *from, size_t nfrom,
                        struct odp_diag_lines **out)
{
    size_t n = 0, joined = 0;
    for (size_t i = 0; i < nfrom; i++)
        n += from[i]->n;
    struct odp_diag_lines *runs = *out = odp_arena_array(&j->arena, n + 1, sizeof *runs);
    n = 0;
    for (size_t i = 0; i < nfrom; i++)
        for (const struct odp_diag_lines *run = from[i]->first; run != NULL; run = run->next)
            runs[n++] = *run;
    qsort(runs, n, sizeof *runs, by_first);
    for (size_t i = 0; i < n; i++) {
        struct odp_diag_lines *last = joined > 0 ? &runs[joined - 1] : NULL;
        if (last != NULL && runs[i].first <= last->last + 1)
            last->last = runs[i].last > last->last ? runs[i].last : last->last;
        else
            runs[joined++] = runs[i];
    }
    return joined;
}

size_t report_runs_of(struct report_job *j, const struct odp_diag_group *g, struct odp_diag_lines **out)
{
    const struct odp_diag_runs *from[ODP_CAUSES];
    for (size_t k = 0; k < ODP_CAUSES; k++)
        from[k] = &g->part[k].rows;
    return join_runs(j, from, ODP_CAUSES, out);
}

void report_add_runs(struct odp_buffer *out, const struct odp_diag_lines *runs, size_t n, size_t most)
{
    for (size_t i = 0; i < n && i < most; i++) {
        odp_buffer_printf(out, "%s%llu", i > 0 ? ", " : "", (unsigned long long)runs[i].first);
        if (runs[i].last > runs[i].first)
            odp_buffer_printf(out, "%s%llu", runs[i].last == runs[i].first + 1 ? ", " : "-",
                              (unsigned long long)runs[i].last);
    }
    odp_buffer_add_str(out, n > most ? ", …" : "");
}

void report_add_rows(struct report_job *j, const struct report_finding *f, size_t most)
{
    struct odp_diag_lines *runs;
    size_t n = join_runs(j, &f->rows, 1, &runs);
    report_add_runs(j->to, runs, n, most);
    report_str(j, n <= most && f->rows->unlisted > 0 ? ", …" : "");
}

void report_add_count(struct report_job *j, const struct report_finding *f)
{
    report_str(j, f->some ? report_word(j, W_report_at_least) : "");
    report_number(j, f->count);
    if (f->whole) {
        report_say(j, W_report_of);
        report_number(j, f->of);
        report_str(j, f->records ? report_word(j, W_report_rows_2) : report_word(j, W_report_filled_cells));
        return;
    }
    report_str(j, report_counts_records(f->d->file) ? report_word(j, W_report_records_2)
                                                    : report_word(j, W_report_rows_2));
}

/* " di 24 baris", " di 602 dari 602 baris" */
static void add_places(struct report_job *j, const struct report_finding *f)
{
    report_say(j, W_report_in_all);
    report_add_count(j, f);
}

/* The places of F, or the step that mends them, in the arena. */
static const char *kept(struct report_job *j, bool step, const struct report_finding *f)
{
    struct odp_buffer *to = j->to;
    odp_buffer_clear(&j->scratch);
    j->to = &j->scratch;
    if (step)
        (void)report_add_step(j, "", f);
    else
        add_places(j, f);
    j->to = to;
    return odp_arena_str(&j->arena, odp_buffer_cstr(&j->scratch));
}

const char *report_places(struct report_job *j, const struct report_finding *f)
{
    return kept(j, false, f);
}

void report_add_places_listed(struct report_job *j, const struct report_finding *f)
{
    add_places(j, f);
    if (f->rows->n == 0)
        return;
    report_str(j, ": ");
    report_add_rows(j, f, RUNS_SHOWN);
}

const char *report_step(struct report_job *j, const struct report_finding *f)
{
    return kept(j, true, f);
}

/* ---- why, and what to do ---- */

/* The last sign of a number, and what it must be: a decimal sign, not one for thousands. '\0': neither. */
static char last_sign(struct odp_slice s, bool *decimal)
{
    for (size_t i = s.len; i-- > 0;)
        if (s.ptr[i] == ',' || s.ptr[i] == '.') {
            const char other = s.ptr[i] == ',' ? '.' : ',';
            *decimal = s.len - i - 1 != 3 || memchr(s.ptr, other, i) != NULL;
            return s.ptr[i];
        }
    return '\0';
}

/* Decimal commas where the column has points, or the other way round. */
static const char *signs(const struct odp_diag *d, enum odp_lang lang)
{
    bool decimal = false, declared = false;
    const char sign = last_sign(d->value, &decimal), own = last_sign(d->args[0], &declared);
    const bool sure = decimal || (declared && own != '\0');
    if (sign == ',' && sure && !(declared && own == ','))
        return odp_word(lang, W_report_cause_comma);
    if (sign == '.' && sure && declared && own == ',')
        return odp_word(lang, W_report_cause_point);
    return odp_word(lang, W_report_cause_signs);
}

void report_add_cause(struct odp_buffer *out, const struct report_finding *f, enum odp_lang lang)
{
    static const struct odp_text words[ODP_CAUSES] = {
        [ODP_CAUSE_OTHER] = {{"", ""}},
        [ODP_CAUSE_UNIT] = {{W_report_cause_unit}},
        [ODP_CAUSE_DATE] = {{W_report_cause_date}},
        [ODP_CAUSE_WORDS] = {{W_report_cause_words}},
        [ODP_CAUSE_MARK] = {{W_report_cause_mark}},
        [ODP_CAUSE_SPACE] = {{W_report_cause_space}},
        [ODP_CAUSE_QUOTES] = {{W_report_cause_quotes}},
        [ODP_CAUSE_CASE] = {{W_report_cause_case}},
    };
    if (f->whole)
        odp_buffer_add_str(out, f->d->cause == ODP_CAUSE_SIGNS ? signs(f->d, lang)
                                                               : odp_text_get(&words[f->d->cause], lang));
}

/* A word of a command line for a POSIX shell. */
static void add_word(struct odp_buffer *out, const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@%+-";
    bool quoted = s[strspn(s, plain)] != '\0' || *s == '\0';
    odp_buffer_add_str(out, quoted ? " '" : " ");
    for (; *s != '\0'; s++)
        if (*s == '\'')
            odp_buffer_add_str(out, "'\\''");
        else
            odp_buffer_add_char(out, *s);
    odp_buffer_add_str(out, quoted ? "'" : "");
}

bool odp_report_step(struct odp_buffer *out, const struct odp_diag *d, const char *as_file)
{
    const bool first = as_file != NULL || d->resource == NULL || odp_str_eq(d->resource, d->dataset);
    char rule[256];
    if (d->dataset == NULL || d->file == NULL || d->sheet != NULL)
        return false;
    if (is_notation((int)d->cause) && !report_counts_records(d->file)) {
        odp_buffer_printf(out, "odp-build intake %s%s%s", d->dataset, first ? "" : "/",
                          first ? "" : d->resource);
        add_word(out, d->file);
        return true;
    }
    if (!odp_diag_proposes(d))
        return false;
    odp_buffer_add_str(out, as_file != NULL ? "odp-build fix --as" : "odp-build fix");
    add_word(out, d->dataset);
    if (as_file != NULL)
        add_word(out, as_file);
    odp_buffer_add_str(out, " --yes");
    (void)snprintf(rule, sizeof rule, "%s:%s", d->rule != NULL ? d->rule : odp_code_info(d->code)->code + 4,
                   d->field);
    add_word(out, rule);
    return true;
}

bool report_add_step(struct report_job *j, const char *before, const struct report_finding *f)
{
    const size_t start = j->to->len;
    if (!f->whole)
        return false;
    odp_buffer_add_str(j->to, before);
    if (odp_report_step(j->to, f->d, j->summary->as_file))
        return true;
    if (!j->to->failed)
        j->to->len = start;
    return false;
}

void report_add_message(struct report_job *j, const struct report_finding *f)
{
    report_title(j->to, f->d, j->lang);
    if (f->count > 1)
        add_places(j, f);
    size_t start = j->to->len;
    odp_buffer_add_str(j->to, " (");
    size_t empty = j->to->len;
    report_add_cause(j->to, f, j->lang);
    if (j->to->len > empty)
        odp_buffer_add_char(j->to, ')');
    else if (!j->to->failed)
        j->to->len = start;
    report_after_title(j->to, f->d, j->lang);
}
