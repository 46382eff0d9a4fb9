/* The faults of each dataset, with their examples, and how to mend them by rule. */
#include <string.h>

#include "report/html_internal.h"

#define OPEN 3 /* examples that need no click */

/* ---- one example
 * ------------------------------------------------------------------------------------------------------------- */

static void place(struct html *h, const struct odp_diag *d)
{
    bool records = report_counts_records(d->file);
    if (d->file == NULL)
        return;
    html_raw(h, "<p class=\"place\"><code>");
    html_data(h, d->file);
    html_raw(h, "</code>");
    if (d->sheet != NULL && d->line > 0) {
        html_raw(h, html_say(h, ", sel ", ", cell "));
        report_sheet_place(&h->words, d);
        html_flush(h);
    } else if (d->line > 0) {
        html_raw(h, records ? html_say(h, ", rekaman ", ", record ") : html_say(h, ", baris ", ", line "));
        html_number(h, d->line);
    }
    if (d->table_column > 0) {
        html_raw(h, ", ");
        report_column(&h->words, d, h->lang);
        html_flush(h);
    } else if (d->line > 0 && d->column > 1 && !records && d->sheet == NULL) {
        html_raw(h, html_say(h, ", karakter ", ", character "));
        html_number(h, d->column);
    }
    if (d->row > 0 && !records) {
        html_raw(h, html_say(h, " (baris data ", " (data row "));
        html_number(h, d->row);
        html_raw(h, ")");
    }
    html_raw(h, "</p>");
}

/* No more of the row may be shown than the value, which is said anyway. */
static bool is_value_alone(const struct odp_diag *d)
{
    static const size_t dots = sizeof "…" - 1;
    size_t before = d->mark_start, after = before + d->mark_len;
    return before <= d->source.len && after <= d->source.len && d->source.len - after <= dots && before <= dots &&
           before + (d->source.len - after) > 0 &&
           odp_slice_eq((struct odp_slice){d->source.ptr + before, d->mark_len}, d->value);
}

/* The row as it stands, the bad part marked; where nothing is there to mark, the place where it should be. */
static void row(struct html *h, const struct odp_diag *d)
{
    struct odp_slice line = d->source;
    size_t mark = d->mark_start, len = d->mark_len;
    if (line.ptr == NULL || line.len == 0 || is_value_alone(d) || mark > line.len || len > line.len - mark)
        return;
    html_raw(h, "<pre><code>");
    html_shown(h, (struct odp_slice){line.ptr, mark}, false);
    html_raw(h, len > 0 ? "<mark>" : "<mark class=\"empty\">");
    html_shown(h, (struct odp_slice){line.ptr + mark, len}, true);
    html_raw(h, "</mark>");
    html_shown(h, (struct odp_slice){line.ptr + mark + len, line.len - mark - len}, false);
    html_raw(h, "</code></pre>");
}

/* A pair of the list, unless WORDS are empty. */
static void pair(struct html *h, const char *term, const char *class)
{
    if (h->words.len == 0)
        return;
    odp_buffer_printf(h->out, "<div class=\"%s\"><dt>%s</dt><dd><bdi>", class, term);
    html_flush(h);
    html_raw(h, "</bdi></dd></div>");
}

static void expected(struct html *h, const struct odp_diag *d)
{
    report_expected(&h->words, d, h->lang);
    if (h->words.len > 0 && d->where != NULL) {
        odp_buffer_add_str(&h->words, " (");
        report_clean(&h->words, odp_slice_of(d->where));
        odp_buffer_add_str(&h->words, ")");
    }
    pair(h, html_say(h, "Diharapkan", "Expected"), "expected");
}

static void value(struct html *h, const char *term, const char *class, struct odp_slice s)
{
    odp_buffer_printf(h->out, "<div class=\"%s\"><dt>%s</dt><dd><bdi>", class, term);
    html_shown(h, s, true);
    html_raw(h, "</bdi></dd></div>");
}

static void found(struct html *h, const struct odp_diag *d)
{
    const char *term = html_say(h, "Ditemukan", "Found");
    if (d->value.ptr == NULL)
        return;
    if (d->value.len > 0)
        value(h, term, "found", d->value);
    else
        odp_buffer_add_str(&h->words, html_say(h, "(kosong)", "(empty)"));
    pair(h, term, "found");
    report_odd(&h->words, "", d, h->lang, "");
    pair(h, html_say(h, "Perhatikan", "Look"), "odd");
}

static void proposal(struct html *h, const struct odp_diag *d)
{
    const char *term = html_say(h, "Usul", "Proposal");
    if (d->action == ODP_ACTION_REPLACE && d->proposal.len > 0)
        value(h, term, "proposal", d->proposal);
    else
        report_proposal(&h->words, d, h->lang);
    pair(h, term, "proposal");
}

/* What all examples of a group say alike is said once, above them. */
struct alike {
    bool title, expected, help;
};

static void add_help(struct html *h, const struct odp_diag *d)
{
    odp_report_help(&h->words, d, h->lang);
    pair(h, html_say(h, "Bantuan", "Help"), "help");
}

static void example(struct html *h, const struct odp_diag *d, const struct alike *alike)
{
    html_raw(h, "<li>");
    if (!alike->title) {
        html_raw(h, "<p class=\"own\">");
        report_title(&h->words, d, h->lang);
        html_flush(h);
        html_raw(h, "</p>");
    }
    place(h, d);
    row(h, d);
    size_t before = h->out->len;
    html_raw(h, "<dl>");
    size_t start = h->out->len;
    found(h, d);
    if (!alike->expected)
        expected(h, d);
    proposal(h, d);
    if (!alike->help)
        add_help(h, d);
    html_raw(h, "</dl>");
    if (h->out->len == start + 5 && !h->out->failed)
        h->out->len = before;
    html_raw(h, "</li>\n");
}

static bool same_words(const struct html *h, const struct odp_diag *a, const struct odp_diag *b,
                       void (*say)(struct odp_buffer *, const struct odp_diag *, enum odp_lang))
{
    struct odp_buffer x, y;
    odp_buffer_init(&x);
    odp_buffer_init(&y);
    say(&x, a, h->lang);
    say(&y, b, h->lang);
    bool same = odp_slice_eq(odp_buffer_slice(&x), odp_buffer_slice(&y));
    if (x.failed || y.failed)
        h->out->failed = true;
    odp_buffer_release(&x);
    odp_buffer_release(&y);
    return same;
}

static struct alike look_alike(const struct html *h, const struct odp_diag_group *g)
{
    struct alike a = {.title = report_same_titles(g, h->lang), .expected = true, .help = true};
    unsigned n = 0;
    const struct odp_diag *first = &g->examples->diag;
    for (const struct odp_diag_node *e = g->examples; e != NULL && n < h->examples; e = e->next, n++) {
        a.expected = a.expected && html_same(first->where, e->diag.where) && same_words(h, first, &e->diag, report_expected);
        a.help = a.help && same_words(h, first, &e->diag, odp_report_help);
    }
    return a;
}

/* Nothing but what stands above. */
static bool says_nothing(const struct odp_diag *d, const struct alike *a)
{
    return d->file == NULL && d->value.ptr == NULL && d->source.ptr == NULL && !odp_diag_proposes(d) && a->title &&
           a->expected && a->help;
}

static void examples(struct html *h, const struct odp_diag_group *g)
{
    unsigned n = 0, most = g->kept < h->examples ? (unsigned)g->kept : h->examples;
    if (g->examples == NULL)
        return;
    const struct odp_diag *first = &g->examples->diag;
    struct alike alike = look_alike(h, g);
    size_t before = h->out->len;
    html_raw(h, "<dl>");
    size_t start = h->out->len;
    if (alike.expected)
        expected(h, first);
    if (alike.help)
        add_help(h, first);
    html_raw(h, "</dl>\n");
    if (h->out->len == start + 6 && !h->out->failed)
        h->out->len = before;
    if (says_nothing(first, &alike))
        return;
    html_raw(h, "<ol>\n");
    for (const struct odp_diag_node *e = g->examples; e != NULL && n < most; e = e->next, n++) {
        if (n == OPEN) {
            html_raw(h, "</ol>\n<details><summary>");
            html_number(h, most - OPEN);
            odp_buffer_printf(
                h->out,
                html_say(h, " contoh lagi</summary>\n<ol start=\"%d\">\n", " more examples</summary>\n<ol start=\"%d\">\n"),
                OPEN + 1);
        }
        example(h, &e->diag, &alike);
    }
    html_raw(h, n > OPEN ? "</ol></details>\n" : "</ol>\n");
    if (g->count > n) {
        html_raw(h, "<p class=\"left\">");
        html_number(h, g->count - n);
        html_raw(h, html_say(h, " lagi yang sama tidak diperlihatkan contohnya.</p>\n", " more of the same are not shown as examples.</p>\n"));
        html_lines(h, g);
    }
}

/* ---- groups and datasets
 * ------------------------------------------------------------------------------------------------------ */

static void group(struct html *h, size_t i)
{
    const struct odp_diag_group *g = h->groups[i];
    const char *code = odp_code_info(g->code)->code;
    odp_buffer_printf(h->out, "<article id=\"g%zu\" class=\"%s\" data-d=\"d%zu\" data-s=\"%s\" data-r=\"%s\">\n<h4>", i,
                      report_severity_word(g->severity, ODP_LANG_EN), h->sections[i],
                      report_severity_word(g->severity, ODP_LANG_EN), code);
    html_badge(h, g->severity);
    html_raw(h, " ");
    html_title(h, g);
    html_raw(h, "</h4>\n<p class=\"about\">");
    if (g->field != NULL || g->resource != NULL) {
        html_raw(h, "<code>");
        report_place(&h->words, g->dataset, g->resource, g->field);
        html_flush(h);
        html_raw(h, "</code> · ");
    }
    html_raw(h, "<strong>");
    html_number(h, g->count);
    html_raw(h, html_say(h, " kali</strong>", g->count == 1 ? " time</strong>" : " times</strong>"));
    if (g->rule != NULL) {
        html_raw(h, html_say(h, " · aturan <code>", " · rule <code>"));
        html_data(h, g->rule);
        html_raw(h, "</code>");
    }
    odp_buffer_printf(h->out, " · <a href=\"#%s\">%s: %s</a></p>\n", code, code,
                      html_say(h, "cara memperbaiki", "how to mend it"));
    examples(h, g);
    html_raw(h, "</article>\n");
}

/* Kinds of findings of the dataset of group I that have no examples: how often and where. */
static void others(struct html *h, size_t i, size_t left)
{
    if (left == 0)
        return;
    html_raw(h, html_say(h, "<p class=\"left\">… dan ", "<p class=\"left\">… and "));
    html_number(h, left);
    html_raw(h, html_say(h, " jenis temuan lagi, tanpa contoh:</p>\n<ul>\n", " more kinds of findings, without examples:</p>\n<ul>\n"));
    for (size_t k = h->shown > i ? h->shown : i; k < h->n; k++) {
        const struct odp_diag_group *g = h->groups[k];
        if (h->sections[k] != h->sections[i])
            continue;
        html_raw(h, "<li><code>");
        odp_buffer_printf(&h->words, "%s ", odp_code_info(g->code)->code);
        report_place(&h->words, g->dataset, g->resource, g->field);
        html_flush(h);
        html_raw(h, "</code> ");
        html_number(h, g->count);
        html_raw(h, html_say(h, " kali", g->count == 1 ? " time" : " times"));
        html_lines(h, g);
        html_raw(h, "</li>\n");
    }
    html_raw(h, "</ul>\n");
}

static const struct odp_summary_dataset *find(const struct odp_summary *s, const char *slug)
{
    for (size_t i = 0; slug != NULL && i < s->ndatasets; i++)
        if (strcmp(s->datasets[i].slug, slug) == 0)
            return &s->datasets[i];
    return NULL;
}

static void section(struct html *h, size_t i)
{
    const struct odp_diag_group *first = h->groups[i];
    const struct odp_summary_dataset *d = find(h->summary, first->dataset);
    uint64_t count[ODP_SEVERITY_ERROR + 1] = {0};
    size_t left = 0;
    bool said = false;
    for (size_t k = i; k < h->n; k++)
        if (html_same(h->groups[k]->dataset, first->dataset))
            count[h->groups[k]->severity] += h->groups[k]->count;
    odp_buffer_printf(h->out, "<section class=\"dataset\" aria-labelledby=\"d%zu\">\n<h3 id=\"d%zu\">", i, i);
    html_dataset(h, first);
    if (d != NULL && !odp_text_is_empty(&d->title)) {
        html_raw(h, " <span class=\"title\">");
        html_data(h, odp_text_get(&d->title, h->lang));
        html_raw(h, "</span>");
    }
    html_raw(h, "</h3>\n<p class=\"about\">");
    for (enum odp_severity s = ODP_SEVERITY_ERROR; s > ODP_SEVERITY_OFF; s--)
        if (count[s] > 0) {
            html_raw(h, said ? ", " : "");
            html_number(h, count[s]);
            odp_buffer_printf(h->out, " %s%s", report_severity_word(s, h->lang),
                              h->lang == ODP_LANG_EN && count[s] != 1 ? "s" : "");
            said = true;
        }
    if (d != NULL && d->rows > 0) {
        html_raw(h, html_say(h, " dalam ", " in "));
        html_number(h, d->rows);
        html_raw(h, html_say(h, " baris", d->rows == 1 ? " row" : " rows"));
    }
    html_raw(h, "</p>\n");
    for (size_t k = i; k < h->n; k++)
        if (html_same(h->groups[k]->dataset, first->dataset)) {
            if (k < h->shown)
                group(h, k);
            else
                left++;
        }
    others(h, i, left);
    html_raw(h, "</section>\n");
}

/* ---- the filter
 * ---------------------------------------------------------------------------------------------------------------- */

static void choice(struct html *h, const char *id, const char *label, const char *all)
{
    odp_buffer_printf(h->out, "<p><label for=\"f-%s\">%s</label><select id=\"f-%s\"><option value=\"\">%s</option>\n", id,
                      label, id, all);
}

static void filter(struct html *h)
{
    odp_buffer_printf(h->out, "<form id=\"saring\" role=\"search\" aria-label=\"%s\" data-of=\"%s\" hidden>\n",
                      html_say(h, "Saring temuan", "Filter the findings"),
                      html_say(h, "jenis temuan terlihat, dari", "kinds of findings shown, of"));
    choice(h, "d", "Dataset", html_say(h, "semua", "all"));
    for (size_t i = 0; i < h->shown; i++)
        if (h->sections[i] == i) {
            odp_buffer_printf(h->out, "<option value=\"d%zu\">", i);
            html_dataset(h, h->groups[i]);
            html_raw(h, "</option>\n");
        }
    html_raw(h, "</select></p>\n");
    choice(h, "s", html_say(h, "Keparahan", "Severity"), html_say(h, "semua", "all"));
    for (enum odp_severity s = ODP_SEVERITY_ERROR; s > ODP_SEVERITY_OFF; s--)
        if (odp_diags_count(h->diags, s) > 0)
            odp_buffer_printf(h->out, "<option value=\"%s\">%s</option>\n", report_severity_word(s, ODP_LANG_EN),
                              report_severity_word(s, h->lang));
    html_raw(h, "</select></p>\n");
    choice(h, "r", html_say(h, "Aturan", "Rule"), html_say(h, "semua", "all"));
    for (int code = 0; code < ODP_CODE_COUNT; code++)
        if (odp_diags_code_count(h->diags, (enum odp_code)code) > 0) {
            const char *name = odp_code_info((enum odp_code)code)->code;
            odp_buffer_printf(h->out, "<option value=\"%s\">%s ", name, name);
            report_bare_title(&h->words, (enum odp_code)code, h->lang);
            html_flush(h);
            html_raw(h, "</option>\n");
        }
    odp_buffer_printf(h->out,
                      "</select></p>\n<p class=\"grow\"><label for=\"f-t\">%s</label><input id=\"f-t\" type=\"search\" "
                      "autocomplete=\"off\"></p>\n"
                      "<p><button type=\"reset\">%s</button></p>\n<p class=\"result\"><output id=\"f-n\" for=\"f-d f-s f-r "
                      "f-t\"></output></p>\n</form>\n",
                      html_say(h, "Teks (bidang, nilai, berkas)", "Text (field, value, file)"),
                      html_say(h, "Hapus saringan", "Clear"));
}

void html_faults(struct html *h)
{
    odp_buffer_printf(h->out, "<section aria-labelledby=\"temuan\">\n<h2 id=\"temuan\">%s</h2>\n",
                      html_say(h, "Temuan", "Findings"));
    filter(h);
    struct odp_buffer sections, *out = h->out;
    odp_buffer_init(&sections);
    h->out = &sections; /* which signs the legend must tell is known behind them */
    for (size_t i = 0; i < h->n; i++)
        if (h->sections[i] == i)
            section(h, i);
    h->out = out;
    html_legend(h);
    odp_buffer_add_slice(out, odp_buffer_slice(&sections));
    out->failed = out->failed || sections.failed;
    odp_buffer_release(&sections);
    html_raw(h, "</section>\n");
}

/* ---- how to mend, by rule
 * -------------------------------------------------------------------------------------------------------- */

void html_rules(struct html *h)
{
    odp_buffer_printf(h->out, "<section aria-labelledby=\"cara\">\n<h2 id=\"cara\">%s</h2>\n",
                      html_say(h, "Cara memperbaiki, menurut aturan", "How to mend it, by rule"));
    for (int i = 0; i < ODP_CODE_COUNT; i++) {
        enum odp_code code = (enum odp_code)i;
        const char *name = odp_code_info(code)->code;
        uint64_t n = odp_diags_code_count(h->diags, code);
        if (n == 0)
            continue;
        odp_buffer_printf(h->out, "<section class=\"rule\" aria-labelledby=\"%s\">\n<h3 id=\"%s\">%s ", name, name, name);
        report_code_title(&h->words, h->groups, h->n, code, h->lang);
        html_flush(h);
        html_raw(h, " <span class=\"title\">");
        html_number(h, n);
        html_raw(h, html_say(h, " kali</span></h3>\n<p>", n == 1 ? " time</span></h3>\n<p>" : " times</span></h3>\n<p>"));
        html_data(h, odp_text_get(&odp_code_info(code)->words.why, h->lang));
        odp_buffer_printf(h->out, "</p>\n<p><strong>%s</strong> ", html_say(h, "Cara memperbaiki:", "How to mend it:"));
        html_data(h, odp_text_get(&odp_code_info(code)->words.mend, h->lang));
        html_raw(h, "</p>\n");
        if (odp_code_info(code)->words.example != NULL) {
            odp_buffer_printf(h->out, "<p>%s</p>\n<pre><code>", html_say(h, "Contoh:", "Example:"));
            odp_buffer_add_str(&h->words, odp_code_info(code)->words.example);
            html_flush(h);
            html_raw(h, "</code></pre>\n");
        }
        html_raw(h, "</section>\n");
    }
    html_raw(h, "</section>\n");
}
