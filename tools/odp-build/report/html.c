/* The report as one page for people: what is wrong by dataset, by rule and by field, the rows as they stand, how to mend them.
 * It asks nobody for anything (its policy forbids it), holds all it has to say without scripts, and is written in one language.
 * The filter is the only script.
 *
 * The policy (`default-src 'none'`, and the digests of the one style and the one script) lets nothing else
 * run, so a cell that were taken for markup could do nothing: there are no style attributes, no handlers, no
 * addresses but `#…`. Both languages in one page would need a script or every text twice, with one `lang`
 * and one title for both. Explanations stand once, by rule, in the open, so that a page that is printed is
 * whole. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/html.h"
#include "report/html_internal.h"

#define EACH   10  /* examples of a group */
#define LISTED 600 /* examples of the page */
#define GROUPS 300 /* with examples */
#define FIELDS 200 /* rows of the table of fields */

/* ---- the head
 * ---------------------------------------------------------------------------------------------------------------- */

static void base64(struct odp_buffer *out, const uint8_t d[ODP_SHA256_SIZE])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < ODP_SHA256_SIZE; i += 3) {
        uint32_t v = (uint32_t)d[i] << 16 | (i + 1 < ODP_SHA256_SIZE ? (uint32_t)d[i + 1] << 8 : 0) |
                     (i + 2 < ODP_SHA256_SIZE ? d[i + 2] : 0u);
        for (int k = 18; k >= 0; k -= 6)
            odp_buffer_add_char(out, i * 8 + (size_t)(18 - k) < ODP_SHA256_SIZE * 8 ? digits[v >> k & 63] : '=');
    }
}

static void allow(struct html *h, const char *directive, const char *text)
{
    uint8_t digest[ODP_SHA256_SIZE];
    if (odp_digest_of(text, strlen(text), digest) != ODP_OK)
        h->out->failed = true;
    odp_buffer_printf(h->out, "; %s 'sha256-", directive);
    base64(h->out, digest);
    html_raw(h, "'");
}

static void head(struct html *h)
{
    const char *title = html_say(h, "Laporan pemeriksaan data", "Report on the data");
    odp_buffer_printf(h->out, "<!doctype html>\n<html lang=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
                      html_say(h, "id", "en"));
    html_raw(h, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta "
                "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'");
    allow(h, "style-src", html_style);
    allow(h, "script-src", html_script);
    html_raw(h, "; base-uri 'none'; form-action 'none'\">\n<meta name=\"robots\" content=\"noindex\">\n<meta "
                "name=\"color-scheme\" content=\"light dark\">\n");
    odp_buffer_printf(h->out, "<title>%s</title>\n<style>%s</style>\n</head>\n", title, html_style);
    odp_buffer_printf(h->out, "<body>\n<a class=\"skip\" href=\"#isi\">%s</a>\n<header>\n<h1>%s</h1>\n",
                      html_say(h, "Langsung ke isi", "Skip to content"), title);
}

/* ---- the summary
 * ------------------------------------------------------------------------------------------------------------- */

struct totals {
    uint64_t errors, warnings, notes;
    size_t clean, bad; /* datasets without faults; with errors */
};

static struct totals count(const struct html *h)
{
    struct totals t = {.errors = odp_diags_count(h->diags, ODP_SEVERITY_ERROR),
                       .warnings = odp_diags_count(h->diags, ODP_SEVERITY_WARNING),
                       .notes = odp_diags_count(h->diags, ODP_SEVERITY_NOTE)};
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->summary->datasets[i];
        t.clean += d->errors == 0 && d->warnings == 0;
        t.bad += d->errors > 0;
    }
    return t;
}

static void verdict(struct html *h, const struct totals *t)
{
    odp_buffer_printf(h->out, "<p class=\"verdict %s\">", t->errors > 0 ? "error" : t->warnings > 0 ? "warning" : "clean");
    if (t->errors > 0)
        html_raw(h, html_say(h, "Ada galat. ", "There are errors. "));
    else if (t->warnings > 0)
        html_raw(h, html_say(h, "Tidak ada galat; ada peringatan. ", "No errors; there are warnings. "));
    else
        html_raw(h, html_say(h, "Tidak ada galat dan tidak ada peringatan. ", "No errors and no warnings. "));
    if (t->bad > 0) {
        html_number(h, t->bad);
        html_raw(h, html_say(h, " dari ", " of "));
        html_number(h, h->summary->ndatasets);
        html_raw(h, html_say(h, " dataset tidak dapat diterbitkan sebelum diperbaiki.",
                             h->summary->ndatasets == 1 ? " dataset cannot be published before it is mended."
                                                        : " datasets cannot be published before they are mended."));
    }
    html_raw(h, "</p>\n");
    if (h->summary->time != NULL || h->summary->version != NULL)
        html_raw(h, "<p class=\"made\">");
    if (h->summary->time != NULL) {
        html_raw(h, html_say(h, "Diperiksa ", "Checked on "));
        odp_html_date(h->out, h->summary->time, h->lang);
        odp_buffer_printf(h->out, html_say(h, " pukul %.5s UTC", " at %.5s UTC"),
                          strlen(h->summary->time) >= 16 ? h->summary->time + 11 : "");
    }
    if (h->summary->version != NULL) {
        html_raw(h, h->summary->time != NULL ? " · odp-build " : "odp-build ");
        html_data(h, h->summary->version);
    }
    if (h->summary->time != NULL || h->summary->version != NULL)
        html_raw(h, "</p>\n");
}

static void figure(struct html *h, const char *word, uint64_t n, const char *class)
{
    odp_buffer_printf(h->out, "<div class=\"figure %s\"><dt>%s</dt><dd>", n > 0 ? class : "", word);
    html_number(h, n);
    html_raw(h, "</dd></div>\n");
}

static void figures(struct html *h, const struct totals *t)
{
    html_raw(h, "<dl class=\"figures\">\n");
    figure(h, html_say(h, "galat", t->errors == 1 ? "error" : "errors"), t->errors, "error");
    figure(h, html_say(h, "peringatan", t->warnings == 1 ? "warning" : "warnings"), t->warnings, "warning");
    if (t->notes > 0)
        figure(h, html_say(h, "catatan", t->notes == 1 ? "note" : "notes"), t->notes, "note");
    figure(h, html_say(h, "dataset bersih", t->clean == 1 ? "clean dataset" : "clean datasets"), t->clean, "clean");
    figure(h, html_say(h, "dataset diperiksa", h->summary->ndatasets == 1 ? "dataset checked" : "datasets checked"),
           h->summary->ndatasets, "");
    figure(h, html_say(h, "baris diperiksa", "rows checked"), h->summary->rows, "");
    html_raw(h, "</dl>\n");
}

/* Whether the group is the first of a dataset with errors, or, without ERRORS, of one with faults. */
static bool begins_step(const struct html *h, size_t i, bool errors)
{
    const struct odp_diag_group *g = h->groups[i];
    return h->sections[i] == i && g->dataset != NULL && strncmp(g->dataset, "references/", 11) != 0 &&
           g->severity >= (errors ? ODP_SEVERITY_ERROR : ODP_SEVERITY_WARNING); /* worst first */
}

/* The commands for the dataset of group I. */
static void step(struct html *h, size_t i)
{
    struct odp_buffer slug;
    odp_buffer_init(&slug);
    odp_html_text(&slug, h->groups[i]->dataset);
    const char *s = odp_buffer_cstr(&slug);
    odp_buffer_printf(h->out,
                      html_say(h,
                               "<li><a href=\"#d%zu\">%s</a>\n<ul><li>buku kerja: <code>odp-build check %s --report xlsx=perbaikan-%s.xlsx</code>, setelah diisi "
                               "<code>odp-build apply perbaikan-%s.xlsx</code></li>\n<li>usul satu per satu: <code>odp-build fix %s</code></li>\n"
                               "<li>periksa lagi: <code>odp-build check %s</code></li></ul></li>\n",
                               "<li><a href=\"#d%zu\">%s</a>\n<ul><li>workbook: <code>odp-build check %s --report xlsx=corrections-%s.xlsx</code>, once it is filled in "
                               "<code>odp-build apply corrections-%s.xlsx</code></li>\n<li>proposals one by one: <code>odp-build fix %s</code></li>\n"
                               "<li>check again: <code>odp-build check %s</code></li></ul></li>\n"),
                      i, s, s, s, s, s, s);
    h->out->failed = h->out->failed || slug.failed;
    odp_buffer_release(&slug);
}

/* What a steward does now, for each dataset that is rejected; where none is, for each with warnings. */
static void steps(struct html *h, const struct totals *t)
{
    size_t n = 0;
    for (size_t i = 0; i < h->n; i++)
        n += begins_step(h, i, t->errors > 0);
    if (n == 0)
        return;
    html_raw(h, html_say(h,
                         "<section class=\"steps\" aria-labelledby=\"langkah\">\n<h2 id=\"langkah\">Langkah berikutnya</h2>\n<p>Perbaiki bagian yang ditandai "
                         "di berkas sumber; atau buat buku kerja perbaikan, isi, lalu terapkan; atau terima usul satu per satu. Kemudian periksa lagi.</p>\n<ul>\n",
                         "<section class=\"steps\" aria-labelledby=\"langkah\">\n<h2 id=\"langkah\">What to do now</h2>\n<p>Mend what is marked in the source "
                         "file; or make the correction workbook, fill it in and apply it; or accept the proposals one by one. Then check again.</p>\n<ul>\n"));
    for (size_t i = 0; i < h->n; i++)
        if (begins_step(h, i, t->errors > 0))
            step(h, i);
    html_raw(h, "</ul>\n</section>\n");
}

/* ---- tables
 * ------------------------------------------------------------------------------------------------------------------- */

static const char *outcome(const struct html *h, const struct odp_summary_dataset *d)
{
    switch (d->outcome) {
    case ODP_OUTCOME_PUBLISHED:
        return html_say(h, "terbit", "published");
    case ODP_OUTCOME_UNCHANGED:
        return html_say(h, "sama", "unchanged");
    case ODP_OUTCOME_REJECTED:
        return html_say(h, "ditolak", "rejected");
    case ODP_OUTCOME_KEPT:
        return html_say(h, "versi lama tetap terbit", "old version kept");
    case ODP_OUTCOME_DRAFT:
        return html_say(h, "draf", "draft");
    case ODP_OUTCOME_WITHDRAWN:
        return html_say(h, "ditarik", "withdrawn");
    default:
        return d->errors > 0 ? html_say(h, "ditolak", "rejected") : html_say(h, "diperiksa", "checked");
    }
}

static void cell(struct html *h, uint64_t n)
{
    html_raw(h, n > 0 ? "<td class=\"n\">" : "<td class=\"n none\">");
    html_number(h, n);
    html_raw(h, "</td>");
}

/* Index of the first group of dataset SLUG, or h->n. */
static size_t first_group(const struct html *h, const char *slug)
{
    size_t i = 0;
    while (i < h->n && !html_same(h->groups[i]->dataset, slug))
        i++;
    return i;
}

static bool is_clean(const struct odp_summary_dataset *d)
{
    return d->errors == 0 && d->warnings == 0;
}

static void dataset_row(struct html *h, const struct odp_summary_dataset *d)
{
    size_t group = first_group(h, d->slug);
    html_raw(h, "<tr><th scope=\"row\">");
    if (group < h->n)
        odp_buffer_printf(h->out, "<a href=\"#d%zu\">", group);
    html_data(h, d->slug);
    html_raw(h, group < h->n ? "</a>" : "");
    if (!odp_text_is_empty(&d->title)) {
        html_raw(h, "<br><span class=\"title\">");
        html_data(h, odp_text_get(&d->title, h->lang));
        html_raw(h, "</span>");
    }
    odp_buffer_printf(h->out, "</th><td><span class=\"badge %s\">%s</span></td>", d->errors > 0 ? "error" : "warning",
                      outcome(h, d));
    cell(h, d->errors);
    cell(h, d->warnings);
    cell(h, d->rows);
    html_raw(h, "</tr>\n");
}

static void by_dataset(struct html *h)
{
    const struct odp_summary *s = h->summary;
    size_t some = 0;
    for (size_t i = 0; i < s->ndatasets; i++)
        some += !is_clean(&s->datasets[i]);
    if (some == 0)
        return;
    html_table(h, "t-dataset", html_say(h, "Menurut dataset", "By dataset"));
    html_raw(
        h,
        html_say(
            h,
            "<thead><tr><th scope=\"col\">Dataset</th><th scope=\"col\">Hasil</th><th scope=\"col\" class=\"n\">Galat</th><th "
            "scope=\"col\" class=\"n\">Peringatan</th><th scope=\"col\" class=\"n\">Baris</th></tr></thead>\n<tbody>\n",
            "<thead><tr><th scope=\"col\">Dataset</th><th scope=\"col\">Result</th><th scope=\"col\" "
            "class=\"n\">Errors</th><th scope=\"col\" class=\"n\">Warnings</th><th scope=\"col\" "
            "class=\"n\">Rows</th></tr></thead>\n<tbody>\n"));
    for (size_t i = 0; i < s->ndatasets; i++)
        if (!is_clean(&s->datasets[i]))
            dataset_row(h, &s->datasets[i]);
    html_table_end(h);
}

static void by_rule(struct html *h)
{
    html_table(h, "t-aturan", html_say(h, "Menurut aturan", "By rule"));
    html_raw(h, html_say(h,
                         "<thead><tr><th scope=\"col\">Aturan</th><th scope=\"col\">Keparahan</th><th scope=\"col\" "
                         "class=\"n\">Jumlah</th><th scope=\"col\">Dataset</th></tr></thead>\n<tbody>\n",
                         "<thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">Severity</th><th scope=\"col\" "
                         "class=\"n\">Count</th><th scope=\"col\">Datasets</th></tr></thead>\n<tbody>\n"));
    for (size_t i = 0; i < h->n; i++) {
        const struct odp_diag_group *g = h->groups[i];
        size_t before = 0, datasets = 0;
        uint64_t n = 0;
        for (size_t k = 0; k < h->n; k++) {
            if (h->groups[k]->code != g->code || h->groups[k]->severity != g->severity)
                continue;
            before += k < i;
            n += h->groups[k]->count;
        }
        if (before > 0)
            continue;
        const char *code = odp_code_info(g->code)->code;
        odp_buffer_printf(h->out, "<tr><th scope=\"row\"><a href=\"#%s\">%s</a> ", code, code);
        report_code_title(&h->words, h->groups, h->n, g->code, h->lang);
        html_flush(h);
        html_raw(h, "</th><td>");
        html_badge(h, g->severity);
        html_raw(h, "</td>");
        cell(h, n);
        html_raw(h, "<td>");
        for (size_t k = i; k < h->n; k++) {
            const struct odp_diag_group *o = h->groups[k];
            if (o->code != g->code || o->severity != g->severity || h->said[h->sections[k]] == i + 1)
                continue;
            h->said[h->sections[k]] = i + 1;
            odp_buffer_printf(h->out, "%s<a href=\"#d%zu\">", datasets++ > 0 ? ", " : "", h->sections[k]);
            html_dataset(h, o);
            html_raw(h, "</a>");
        }
        html_raw(h, "</td></tr>\n");
    }
    html_table_end(h);
}

static bool same_field(const struct odp_diag_group *a, const struct odp_diag_group *b)
{
    return b->field != NULL && html_same(a->field, b->field) && html_same(a->resource, b->resource) &&
           html_same(a->dataset, b->dataset);
}

static void field_row(struct html *h, size_t i)
{
    const struct odp_diag_group *g = h->groups[i];
    uint64_t errors = 0, warnings = 0;
    unsigned said = 0;
    for (size_t k = i; k < h->n; k++)
        if (same_field(g, h->groups[k])) {
            errors += h->groups[k]->severity == ODP_SEVERITY_ERROR ? h->groups[k]->count : 0;
            warnings += h->groups[k]->severity == ODP_SEVERITY_WARNING ? h->groups[k]->count : 0;
        }
    html_raw(h, "<tr><th scope=\"row\"><code>");
    report_place(&h->words, g->dataset, g->resource, g->field);
    html_flush(h);
    html_raw(h, "</code></th>");
    cell(h, errors);
    cell(h, warnings);
    html_raw(h, "<td>");
    for (size_t k = i; k < h->n; k++)
        if (same_field(g, h->groups[k])) {
            odp_buffer_printf(h->out, k < h->shown ? "%s<a href=\"#g%zu\">%s</a>" : "%s<!--%zu-->%s", said++ > 0 ? ", " : "", k,
                              odp_code_info(h->groups[k]->code)->code);
        }
    html_raw(h, "</td></tr>\n");
}

static void by_field(struct html *h)
{
    size_t rows = 0, left = 0;
    for (size_t i = 0; i < h->n; i++) {
        bool again = h->groups[i]->field == NULL;
        for (size_t k = 0; k < i && !again; k++)
            again = same_field(h->groups[k], h->groups[i]);
        if (again)
            continue;
        if (rows++ == 0) {
            html_table(h, "t-bidang", html_say(h, "Menurut bidang (kolom)", "By field (column)"));
            html_raw(h,
                     html_say(h,
                              "<thead><tr><th scope=\"col\">Bidang</th><th scope=\"col\" class=\"n\">Galat</th><th "
                              "scope=\"col\" class=\"n\">Peringatan</th><th scope=\"col\">Aturan</th></tr></thead>\n<tbody>\n",
                              "<thead><tr><th scope=\"col\">Field</th><th scope=\"col\" class=\"n\">Errors</th><th "
                              "scope=\"col\" class=\"n\">Warnings</th><th scope=\"col\">Rules</th></tr></thead>\n<tbody>\n"));
        }
        if (rows <= FIELDS)
            field_row(h, i);
        else
            left++;
    }
    if (rows > 0)
        html_table_end(h);
    if (left > 0) {
        html_raw(h, html_say(h, "<p>… dan ", "<p>… and "));
        html_number(h, left);
        html_raw(h, html_say(h, " bidang lagi; semuanya ada dalam <code>--report json</code>.</p>\n",
                             " more fields; all of them are in <code>--report json</code>.</p>\n"));
    }
}

static void clean_datasets(struct html *h, const struct totals *t)
{
    if (t->clean == 0)
        return;
    html_raw(h,
             html_say(h, "<section aria-labelledby=\"bersih\">\n<h2 id=\"bersih\">Dataset bersih</h2>\n<ul class=\"names\">\n",
                      "<section aria-labelledby=\"bersih\">\n<h2 id=\"bersih\">Clean datasets</h2>\n<ul class=\"names\">\n"));
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->summary->datasets[i];
        if (!is_clean(d))
            continue;
        html_raw(h, "<li><strong>");
        size_t group = first_group(h, d->slug); /* it may have notes */
        if (group < h->n)
            odp_buffer_printf(h->out, "<a href=\"#d%zu\">", group);
        html_data(h, d->slug);
        html_raw(h, group < h->n ? "</a></strong> " : "</strong> ");
        html_number(h, d->rows);
        html_raw(h, html_say(h, " baris</li>\n", d->rows == 1 ? " row</li>\n" : " rows</li>\n"));
    }
    html_raw(h, "</ul>\n</section>\n");
}

/* ---- the page
 * ----------------------------------------------------------------------------------------------------------------- */

static void contents(struct html *h, const struct totals *t, bool scores)
{
    odp_buffer_printf(h->out, "<nav aria-label=\"%s\"><ul>\n<li><a href=\"#ringkasan\">%s</a></li>\n",
                      html_say(h, "Isi halaman", "Contents"), html_say(h, "Ringkasan", "Summary"));
    if (h->n > 0)
        odp_buffer_printf(
            h->out,
            "<li><a href=\"#jumlah\">%s</a></li>\n<li><a href=\"#temuan\">%s</a></li>\n<li><a href=\"#cara\">%s</a></li>\n",
            html_say(h, "Jumlah", "Counts"), html_say(h, "Temuan", "Findings"), html_say(h, "Cara memperbaiki", "How to mend"));
    if (t->clean > 0)
        odp_buffer_printf(h->out, "<li><a href=\"#bersih\">%s</a></li>\n", html_say(h, "Dataset bersih", "Clean datasets"));
    if (scores)
        html_raw(h, "<li><a href=\"#satu-data\">Satu Data</a></li>\n");
    html_raw(h, "</ul></nav>\n</header>\n");
}

static void page(struct html *h)
{
    struct totals t = count(h);
    bool scores = false;
    for (size_t i = 0; i < h->summary->ndatasets; i++)
        scores = scores || h->summary->datasets[i].score != NULL;
    head(h);
    verdict(h, &t);
    contents(h, &t, scores);
    odp_buffer_printf(h->out, "<main id=\"isi\">\n<section aria-labelledby=\"ringkasan\">\n<h2 id=\"ringkasan\">%s</h2>\n",
                      html_say(h, "Ringkasan", "Summary"));
    figures(h, &t);
    by_dataset(h);
    html_raw(h, "</section>\n");
    steps(h, &t);
    if (h->n > 0) {
        odp_buffer_printf(h->out, "<section aria-labelledby=\"jumlah\">\n<h2 id=\"jumlah\">%s</h2>\n",
                          html_say(h, "Jumlah menurut aturan dan bidang", "Counts by rule and field"));
        by_rule(h);
        by_field(h);
        html_raw(h, "</section>\n");
        html_faults(h);
        html_rules(h);
    }
    clean_datasets(h, &t);
    if (scores)
        html_scores(h);
    odp_buffer_printf(h->out, "</main>\n<script>%s</script>\n</body>\n</html>\n", html_script);
}

/* Which groups are of one dataset, found once. */
static enum odp_status find_sections(struct html *h)
{
    h->sections = calloc(h->n + 1, sizeof *h->sections);
    h->said = calloc(h->n + 1, sizeof *h->said);
    if (h->sections == NULL || h->said == NULL)
        return odp_failure_set("allocate memory", NULL, ENOMEM);
    for (size_t i = 0; i < h->n; i++)
        for (size_t k = 0; k <= i; k++)
            if (html_same(h->groups[k]->dataset, h->groups[i]->dataset)) {
                h->sections[i] = k;
                break;
            }
    return ODP_OK;
}

static enum odp_status render_html(const struct odp_diags *d, const struct odp_summary *s, const struct odp_report_style *style,
                                   struct odp_buffer *out)
{
    struct html h = {.out = out, .diags = d, .summary = s, .lang = style->lang};
    odp_buffer_init(&h.words);
    if (report_sorted(d, &h.groups, &h.n) != ODP_OK || find_sections(&h) != ODP_OK) {
        out->failed = true;
        goto done;
    }
    h.shown = h.n < GROUPS ? h.n : GROUPS;
    h.examples = h.shown * EACH <= LISTED ? EACH : (unsigned)(LISTED / h.shown);
    page(&h);
    if (h.words.failed)
        out->failed = true;
done:
    odp_buffer_release(&h.words);
    free(h.said);
    free(h.sections);
    free(h.groups);
    return odp_buffer_status(out);
}

const struct odp_report report_html = {
    .name = "html",
    .summary = {{"satu halaman web untuk dibaca dan dicetak", "one web page to read and to print"}},
    .render = render_html};
