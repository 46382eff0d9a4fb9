/* changes.html: one page for people, in both languages, that needs nothing else: no script, no font, no picture. It shows the
 * first rows, and says where all of them are. Rows come by key; they are held by kind until the page is put together at the
 * end. */
#include <errno.h>
#include <stdlib.h>

#include "site/differences/changes_internal.h"

enum { ROWS_SHOWN = 200, CELLS_SHOWN = 50, FIELDS_SHOWN = 12, VALUE_MAX = 200 };

struct html_form {
    struct odp_buffer groups[3]; /* by enum odp_change_op */
    uint64_t shown[3];
};

static const char style[] =
    "<style>\n"
    ":root{color-scheme:light dark;background:Canvas;color:CanvasText}\n"
    "body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;padding:1rem}\n"
    "h1{font-size:1.5rem;line-height:1.2}h2{font-size:1.2rem;margin-top:2rem}h3{font-size:1rem;margin:1rem 0 .2rem}\n"
    "[lang=en]{opacity:.75;font-style:italic}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "th,td{border-bottom:1px solid #8886;padding:.2rem .5rem .2rem "
    "0;text-align:left;vertical-align:top;overflow-wrap:anywhere}\n"
    ".n{text-align:right;white-space:nowrap}\n"
    "del{background:#f001}ins{background:#0801;text-decoration:none}\n"
    "</style>\n";

/* ---- text ------------------------------------------------------------------------------------------------------------------
 */

static void add_escaped(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        switch (s.ptr[i]) {
        case '&':
            odp_buffer_add_str(out, "&amp;");
            break;
        case '<':
            odp_buffer_add_str(out, "&lt;");
            break;
        case '>':
            odp_buffer_add_str(out, "&gt;");
            break;
        case '"':
            odp_buffer_add_str(out, "&quot;");
            break;
        case '\'':
            odp_buffer_add_str(out, "&#39;");
            break;
        default:
            odp_buffer_add_char(out, s.ptr[i]);
        }
    }
}

/* Data: cleaned, shortened, escaped, and its direction kept to itself. */
static void add_data(struct odp_buffer *out, struct odp_slice s)
{
    struct odp_buffer clean;
    odp_buffer_init(&clean);
    writer_add_clean(&clean, s, VALUE_MAX);
    odp_buffer_add_str(out, "<bdi>");
    add_escaped(out, odp_buffer_slice(&clean));
    odp_buffer_add_str(out, "</bdi>");
    out->failed = out->failed || clean.failed;
    odp_buffer_release(&clean);
}

static void add_str(struct odp_buffer *out, const char *s)
{
    add_data(out, odp_slice_of(s));
}

static void add_value(struct odp_buffer *out, struct odp_slice s)
{
    if (s.ptr == NULL)
        odp_buffer_add_str(out, "—");
    else if (s.len == 0)
        odp_buffer_add_str(out, "&quot;&quot;");
    else
        add_data(out, s);
}

/* "Baris <span lang="en">Rows</span>"; the words are literals. */
static void add_both(struct odp_buffer *out, const char *id, const char *en)
{
    odp_buffer_printf(out, "%s <span lang=\"en\">%s</span>", id, en);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------
 */

static void add_key(struct odp_changes_writer *w, const struct odp_change *c, struct odp_buffer *out)
{
    const struct odp_layout *now = w->job->to->layout;
    if (!w->job->keyed)
        return;
    odp_buffer_add_str(out, "<h3>");
    for (uint32_t k = 0; k < now->nkey; k++) {
        odp_buffer_add_str(out, k > 0 ? ", " : "");
        add_value(out, writer_key(w, c, k));
    }
    odp_buffer_add_str(out, "</h3>\n");
}

static void add_cell(struct odp_buffer *out, const char *name, struct odp_slice before, struct odp_slice after)
{
    odp_buffer_add_str(out, "<tr><th scope=\"row\">");
    odp_buffer_add_str(out, name);
    odp_buffer_add_str(out, "</th><td><del>");
    add_value(out, before);
    odp_buffer_add_str(out, "</del></td><td><ins>");
    add_value(out, after);
    odp_buffer_add_str(out, "</ins></td></tr>\n");
}

static void add_more(struct odp_buffer *out, uint32_t n)
{
    odp_buffer_printf(out, "<p>… +%u</p>\n", (unsigned)n);
}

static void add_changed(struct odp_changes_writer *w, const struct odp_change *c, struct odp_buffer *out)
{
    const struct odp_layout *now = w->job->to->layout;
    const struct odp_slice none = {NULL, 0};
    add_key(w, c, out);
    odp_buffer_add_str(out, "<table>\n");
    for (uint32_t i = 0; i < c->ncells && i < CELLS_SHOWN; i++) {
        uint32_t k = c->cells[i];
        struct odp_buffer name;
        odp_buffer_init(&name);
        add_str(&name, now->fields[k].name);
        add_cell(out, odp_buffer_cstr(&name), writer_before(w, c, k), c->after[k]);
        out->failed = out->failed || name.failed;
        odp_buffer_release(&name);
    }
    if (c->geometry_changed)
        add_cell(out, "geometri <span lang=\"en\">geometry</span>", c->geometry_before.len > 0 ? c->geometry_before : none,
                 c->geometry_after.len > 0 ? c->geometry_after : none);
    odp_buffer_add_str(out, "</table>\n");
    if (c->ncells > CELLS_SHOWN)
        add_more(out, c->ncells - CELLS_SHOWN);
}

static void add_record(struct odp_changes_writer *w, const struct odp_change *c, struct odp_buffer *out)
{
    const struct odp_layout *l = c->op == ODP_CHANGE_ADDED ? w->job->to->layout : w->job->from->layout;
    const struct odp_slice *text = c->op == ODP_CHANGE_ADDED ? c->after : c->before;
    uint32_t shown = 0, more = 0;
    add_key(w, c, out);
    odp_buffer_add_str(out, "<p>");
    for (uint32_t k = 0; k < l->n; k++) {
        if (text[k].ptr == NULL)
            continue;
        if (shown == FIELDS_SHOWN) {
            more++;
            continue;
        }
        odp_buffer_add_str(out, shown++ > 0 ? " · <b>" : "<b>");
        add_str(out, l->fields[k].name);
        odp_buffer_add_str(out, "</b> ");
        add_value(out, text[k]);
    }
    odp_buffer_add_str(out, "</p>\n");
    if (more > 0)
        add_more(out, more);
}

static enum odp_status row(void *ctx, const struct odp_change *c)
{
    struct odp_changes_writer *w = ctx;
    struct html_form *h = w->own;
    struct odp_buffer *out = &h->groups[c->op];
    if (w->rows == ROWS_SHOWN)
        return ODP_OK;
    w->rows++;
    h->shown[c->op]++;
    if (c->op == ODP_CHANGE_CHANGED)
        add_changed(w, c, out);
    else
        add_record(w, c, out);
    return odp_buffer_status(out);
}

/* ---- the page --------------------------------------------------------------------------------------------------------------
 */

static void add_head(struct odp_changes_writer *w)
{
    const struct odp_changes_job *job = w->job;
    struct odp_buffer *out = &w->out;
    const char *id = odp_text_get(&job->title, ODP_LANG_ID), *en = odp_text_get(&job->title, ODP_LANG_EN);
    struct odp_buffer place;
    odp_buffer_init(&place);
    writer_add_place(&place, job);
    odp_buffer_add_str(
        out, "<!doctype html>\n<html lang=\"id\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
             "<title>");
    add_escaped(out, odp_buffer_slice(&place));
    odp_buffer_add_str(out, ": ");
    add_escaped(out, odp_slice_of(job->from->version));
    odp_buffer_add_str(out, " → ");
    add_escaped(out, odp_slice_of(job->to->version));
    odp_buffer_add_str(out, "</title>\n");
    odp_buffer_add_str(out, style);
    odp_buffer_add_str(out, "</head>\n<body>\n<main>\n<h1>");
    add_str(out, *id != '\0' ? id : job->dataset);
    odp_buffer_add_str(out, "</h1>\n");
    if (*en != '\0' && strcmp(id, en) != 0) {
        odp_buffer_add_str(out, "<p lang=\"en\">");
        add_str(out, en);
        odp_buffer_add_str(out, "</p>\n");
    }
    odp_buffer_add_str(out, "<p><code>");
    add_escaped(out, odp_buffer_slice(&place));
    odp_buffer_add_str(out, "</code> · ");
    add_both(out, "perubahan antara dua versi:", "changes between two versions:");
    odp_buffer_add_str(out, " <b>");
    add_escaped(out, odp_slice_of(job->from->version));
    odp_buffer_add_str(out, "</b> → <b>");
    add_escaped(out, odp_slice_of(job->to->version));
    odp_buffer_add_str(out, "</b></p>\n");
    out->failed = out->failed || place.failed;
    odp_buffer_release(&place);
}

static void add_count(struct odp_buffer *out, const char *id, const char *en, uint64_t n)
{
    odp_buffer_add_str(out, "<tr><th scope=\"row\">");
    add_both(out, id, en);
    odp_buffer_add_str(out, "</th><td class=\"n\">");
    writer_add_count(out, n, ODP_LANG_ID);
    odp_buffer_add_str(out, "</td></tr>\n");
}

static void add_counts(struct odp_changes_writer *w, const struct odp_changes_counts *n)
{
    struct odp_buffer *out = &w->out;
    odp_buffer_add_str(out, "<table>\n");
    add_count(out, "Baris sebelumnya", "Rows before", n->from_rows);
    add_count(out, "Baris sekarang", "Rows now", n->to_rows);
    add_count(out, "Ditambahkan", "Added", n->added);
    add_count(out, "Dihapus", "Removed", n->removed);
    if (w->job->keyed) {
        add_count(out, "Berubah", "Changed", n->changed);
        add_count(out, "Sel yang berubah", "Cells changed", n->cells);
    }
    if (n->geometry > 0)
        add_count(out, "Geometri yang berubah", "Geometries changed", n->geometry);
    odp_buffer_add_str(out, "</table>\n");
    if (!w->job->keyed) {
        odp_buffer_add_str(out, "<p>");
        add_both(out, "Tanpa kunci utama yang sama, baris dibandingkan secara utuh.",
                 "Without a primary key in common, rows are compared as a whole.");
        odp_buffer_add_str(out, "</p>\n");
    }
    if (!n->geometry_compared) {
        odp_buffer_add_str(out, "<p>");
        add_both(out, "Geometri tidak dibandingkan: berkasnya tidak memuat geometri secara utuh.",
                 "Geometries were not compared: the files do not carry them whole.");
        odp_buffer_add_str(out, "</p>\n");
    }
    if (w->job->note.in[ODP_LANG_ID] != NULL) {
        odp_buffer_add_str(out, "<p>");
        add_both(out, w->job->note.in[ODP_LANG_ID], w->job->note.in[ODP_LANG_EN]);
        odp_buffer_add_str(out, "</p>\n");
    }
}

static void add_schema(struct odp_changes_writer *w)
{
    const struct odp_schema_changes *s = w->job->schema;
    struct odp_buffer *out = &w->out, text;
    if (s->n == 0)
        return;
    odp_buffer_init(&text);
    odp_buffer_add_str(out, "<h2>");
    add_both(out, "Kolom", "Fields");
    odp_buffer_add_str(out, "</h2>\n<ul>\n");
    for (size_t i = 0; i < s->n; i++) {
        odp_buffer_add_str(out, "<li>");
        for (int l = 0; l < ODP_LANGS; l++) {
            odp_buffer_clear(&text);
            odp_schema_change_text(&text, &s->items[i], (enum odp_lang)l);
            odp_buffer_add_str(out, l == ODP_LANG_EN ? "<br><span lang=\"en\">" : "");
            add_data(out, odp_buffer_slice(&text));
            out->failed = out->failed || text.failed; /* clear forgets it */
        }
        odp_buffer_printf(out, "</span> (%s)</li>\n", odp_level_name(odp_schema_change_level(s->items[i].kind)));
    }
    odp_buffer_add_str(out, "</ul>\n");
    odp_buffer_release(&text);
}

static void add_group(struct odp_changes_writer *w, enum odp_change_op op, const char *id, const char *en, uint64_t total)
{
    struct html_form *h = w->own;
    struct odp_buffer *out = &w->out;
    if (h->shown[op] == 0)
        return;
    odp_buffer_add_str(out, "<h2>");
    add_both(out, id, en);
    odp_buffer_add_str(out, " (");
    writer_add_count(out, h->shown[op], ODP_LANG_ID);
    if (h->shown[op] < total) {
        odp_buffer_add_str(out, " / ");
        writer_add_count(out, total, ODP_LANG_ID);
    }
    odp_buffer_add_str(out, ")</h2>\n");
    odp_buffer_add_slice(out, odp_buffer_slice(&h->groups[op]));
    out->failed = out->failed || h->groups[op].failed;
}

static void add_foot(struct odp_changes_writer *w, uint64_t total)
{
    struct odp_buffer *out = &w->out;
    const char *stem = w->job->stem != NULL ? w->job->stem : "changes";
    if (total > w->rows) {
        odp_buffer_add_str(out, "<p>… ");
        writer_add_count(out, total - w->rows, ODP_LANG_ID);
        odp_buffer_add_char(out, ' ');
        add_both(out, "baris lain tidak ditampilkan di halaman ini.", "more rows are not shown on this page.");
        odp_buffer_add_str(out, "</p>\n");
    }
    odp_buffer_add_str(out, "<p>");
    add_both(out, "Semua perubahan:", "All changes:");
    static const char *const kinds[] = {"csv", "json"};
    for (size_t i = 0; i < 2; i++) {
        odp_buffer_add_str(out, i > 0 ? " · <a href=\"" : " <a href=\"");
        add_escaped(out, odp_slice_of(stem));
        odp_buffer_printf(out, ".%s\">", kinds[i]);
        add_escaped(out, odp_slice_of(stem));
        odp_buffer_printf(out, ".%s</a>", kinds[i]);
    }
    odp_buffer_add_str(out, "</p>\n</main>\n</body>\n</html>\n");
}

static void release(void *own)
{
    struct html_form *h = own;
    for (int i = 0; i < 3; i++)
        odp_buffer_release(&h->groups[i]);
    free(h);
}

static enum odp_status begin(void *ctx, const struct odp_changes_job *job)
{
    struct odp_changes_writer *w = ctx;
    struct html_form *h = calloc(1, sizeof *h);
    if (h == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    w->job = job;
    w->own = h;
    w->release = release;
    return ODP_OK;
}

static enum odp_status end(void *ctx, const struct odp_changes_counts *n)
{
    struct odp_changes_writer *w = ctx;
    uint64_t total = w->job->note.in[ODP_LANG_ID] != NULL ? 0 : n->added + n->removed + n->changed;
    add_head(w);
    add_counts(w, n);
    add_schema(w);
    add_group(w, ODP_CHANGE_CHANGED, "Baris yang berubah", "Rows changed", n->changed);
    add_group(w, ODP_CHANGE_ADDED, "Baris yang ditambahkan", "Rows added", n->added);
    add_group(w, ODP_CHANGE_REMOVED, "Baris yang dihapus", "Rows removed", n->removed);
    add_foot(w, total);
    return writer_flush(w, true);
}

const struct odp_changes_sink changes_html = {NULL, begin, row, end};
