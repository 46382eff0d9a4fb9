/* The document as a whole: its parts are set in order, without drawing, until every page number is known;
 * then once more with ink. */
#include "write/pdf/pdf.h"

#include "words/pdf.h"
#include "write/typesetting/words.h"
#include "write/typesetting/finish.h"
#include "write/pdf/pdf_internal.h"

enum {
    SETTINGS_MAX = 6, /* three are enough for contents that grow by a page */
    NOTICE = 80,      /* points: of the notice that records are an excerpt */
    BRIEF_PAGES = 3,  /* after the cover */
    AIR = 22          /* points between chapters of one page */
};

struct document {
    const struct odp_print_job *job;
    struct odp_arena arena;
    struct odp_fonts *fonts;
    struct odp_paper paper;
    struct odp_print_table *table; /* one of these two */
    struct odp_print_entries *entries;
    struct odp_print_brief *brief;
    struct odp_print_appendix *appendix;
    uint32_t *fields; /* what the table's columns show: index of a row's cell */
    struct odp_print_column *columns;
    uint32_t ncolumns;
    struct odp_buffer text, uri; /* of the current cell */
    const char *running;
};

/* ---- the table of the records ---- */

/* "Jawa Barat (32)"; a value without a name alone. */
static void add_named(struct document *d, uint32_t at, struct odp_slice value)
{
    const struct odp_text label = odp_print_meaning(d->job, at, value);
    const char *name = odp_text_get(&label, ODP_LANG_ID);
    bool named = *name != '\0' && !odp_slice_is(value, name);
    if (named)
        odp_buffer_printf(&d->text, "%s (", name);
    odp_words_cell(&d->text, &d->job->resource->schema, at, value, ODP_LANG_ID);
    odp_buffer_add_str(&d->text, named ? ")" : "");
}

static struct odp_slice cell(void *ctx, uint64_t i, uint32_t k, const char **uri)
{
    struct document *d = ctx;
    const struct odp_print_job *job = d->job;
    const struct odp_schema *s = &job->resource->schema;
    uint32_t at = d->fields[k];
    struct odp_slice value = job->cells[i * job->columns + at];
    if (value.ptr == NULL)
        return value;
    odp_buffer_clear(&d->text);
    if (at < s->n)
        add_named(d, at, value);
    else if (job->columns - s->n == 3 && at == s->n + 2)
        odp_buffer_add_slice(&d->text, value);
    else
        odp_words_number(&d->text, value, ODP_LANG_ID, false);
    if (d->columns[k].link) {
        odp_buffer_clear(&d->uri);
        if (s->fields[at].document != NULL)
            odp_buffer_add_str(&d->uri, job->base);
        odp_buffer_add_slice(&d->uri, value);
        *uri = odp_buffer_cstr(&d->uri);
    }
    return (struct odp_slice){odp_buffer_cstr(&d->text), d->text.len};
}

static bool is_key(const struct odp_schema *s, uint32_t field)
{
    for (uint32_t i = 0; i < s->primary.n && i < 2; i++)
        if (s->primary.fields[i] == field)
            return true;
    return false;
}

static const char *head_of(struct document *d, uint32_t at)
{
    const struct odp_schema *s = &d->job->resource->schema;
    if (at >= s->n) {
        const struct odp_text title = odp_facts_place_title(d->job->columns - s->n == 2, at - s->n);
        return odp_text_get(&title, ODP_LANG_ID);
    }
    odp_buffer_clear(&d->text);
    odp_words_title(&d->text, &s->fields[at], ODP_LANG_ID, true);
    return odp_arena_str(&d->arena, odp_buffer_cstr(&d->text));
}

static void make_table(struct document *d)
{
    const struct odp_print_job *job = d->job;
    const struct odp_schema *s = &job->resource->schema;
    d->fields = odp_arena_array(&d->arena, job->columns + 1u, sizeof *d->fields);
    d->columns = odp_arena_zero(&d->arena, job->columns + 1u, sizeof *d->columns);
    bool any_key = false;
    for (uint32_t at = 0; at < job->columns; at++) {
        const struct odp_field *f = at < s->n ? &s->fields[at] : NULL;
        if (f != NULL && !f->is_public)
            continue;
        struct odp_print_column *c = &d->columns[d->ncolumns];
        d->fields[d->ncolumns++] = at;
        c->head = head_of(d, at);
        c->right = f != NULL ? odp_schema_is_figure(s, at) : at < s->n + 2;
        c->key = f != NULL && is_key(s, at);
        c->link = f != NULL && f->type == ODP_TYPE_STRING &&
                  (f->string_format == ODP_STRING_URI || f->document != NULL);
        any_key = any_key || c->key;
    }
    d->columns[0].key = d->columns[0].key || !any_key;
    const struct odp_print_records records = {
        .columns = d->columns, .n = d->ncolumns, .rows = job->rows, .cell = cell, .ctx = d};
    d->table = odp_print_table_new(d->fonts, &records);
}

/* ---- setting it ---- */

/* A chapter goes on where the last one ended if a third of the page is left; pages are not left half
 * empty. */
static void begin_chapter(struct odp_paper *p, bool landscape)
{
    if (p->landscape != landscape || p->bottom - p->y < (p->bottom - p->top) / 3)
        odp_paper_page(p, landscape);
    else if (!odp_paper_is_fresh(p))
        p->y += AIR;
}

static void set_records(struct document *d)
{
    struct odp_paper *p = &d->paper;
    if (d->entries != NULL) {
        begin_chapter(p, false);
        odp_paper_heading(p, 1, ODP_PRINT_BOTH(W_pdf_entries), "rekaman", 120);
        odp_print_excerpt_notice(p, d->job);
        odp_print_entries_set(d->entries, p);
        return;
    }
    begin_chapter(p, odp_print_table_is_wide(d->table));
    bool excerpt = d->job->rows < d->job->total;
    odp_paper_heading(p, 1, ODP_PRINT_BOTH(W_pdf_table), "data",
                      odp_print_table_start(d->table) + (excerpt ? NOTICE : 0));
    odp_print_excerpt_notice(p, d->job);
    odp_print_table_set(d->table, p);
}

/* The brief ends with as many charts as its pages take; the others stand after the contents. */
static void set_brief(struct document *d)
{
    struct odp_paper *p = &d->paper;
    const unsigned last = p->page + BRIEF_PAGES;
    odp_paper_page(p, false);
    (void)odp_print_brief_set(d->brief, p);
    const size_t next = odp_print_charts(p, d->job, 0, last);
    begin_chapter(p, false);
    odp_print_contents(p, d->job);
    if (next < d->job->ncharts) {
        begin_chapter(p, false);
        (void)odp_print_charts(p, d->job, next, 0);
    }
}

static void set_all(struct document *d)
{
    struct odp_paper *p = &d->paper;
    p->running = NULL;
    odp_paper_page(p, false);
    odp_paper_tag(p, "Document", NULL);
    odp_print_cover(p, d->job);
    p->running = d->running;
    set_brief(d);
    set_records(d);
    begin_chapter(p, false);
    odp_print_appendix_set(d->appendix, p);
    odp_paper_untag(p, "Document");
}

static bool same_places(const struct odp_paper *p)
{
    bool same = p->pages == p->page && p->nknown == p->nheadings;
    for (size_t i = 0; same && i < p->nknown; i++)
        same = p->known[i].page == p->headings[i].page;
    return same;
}

/* The next pass knows what this one learnt; DONE: it was known already. */
static enum odp_status learn(struct odp_paper *p)
{
    bool same = same_places(p);
    p->known = p->headings;
    p->nknown = p->nheadings;
    p->pages = p->page;
    return same ? ODP_DONE : ODP_OK;
}

static enum odp_status set_once(struct document *d, struct odp_buffer *out)
{
    odp_paper_begin(&d->paper, d->fonts, &d->arena, out);
    set_all(d);
    d->paper.failed |= d->text.failed || d->uri.failed || d->arena.failed;
    return odp_paper_end(&d->paper);
}

static enum odp_status set(struct document *d, struct odp_buffer *out)
{
    enum odp_status status = ODP_OK;
    for (int i = 0; i < SETTINGS_MAX && status == ODP_OK; i++) {
        status = set_once(d, NULL);
        if (status == ODP_OK)
            status = learn(&d->paper);
    }
    if (status == ODP_OK)
        return odp_failure_set("print", d->job->resource->dataset->slug,
                               0); /* page numbers that never settle: a fault of ours */
    return status == ODP_DONE ? set_once(d, out) : status;
}

/* ---- the whole ---- */

static enum odp_status open_document(struct document *d)
{
    const struct odp_resource *r = d->job->resource;
    d->running = odp_arena_printf(&d->arena, odp_word(ODP_LANG_ID, W_pdf_running),
                                  odp_text_get(odp_facts_title(r), ODP_LANG_ID), d->job->version);
    if (odp_fonts_open(&d->fonts) != ODP_OK)
        return ODP_FAIL;
    if (r->print.layout == ODP_PRINT_ENTRIES)
        d->entries = odp_print_entries_new(d->job, d->fonts, &d->arena);
    else
        make_table(d);
    d->brief = odp_print_brief_new(d->job, d->fonts, &d->arena);
    d->appendix = odp_print_appendix_new(d->job, d->fonts, &d->arena);
    return ODP_OK;
}

static enum odp_status finish(const struct document *d, const struct odp_buffer *drawn,
                              struct odp_buffer *out)
{
    const struct odp_print_job *job = d->job;
    const struct odp_dataset *ds = job->resource->dataset;
    const struct odp_portal *portal = &job->catalog->portal;
    char date[11] = "";
    memcpy(date, job->date, strlen(job->date) < 10 ? strlen(job->date) : 10);
    const struct odp_finish f = {.lang = "id-ID",
                                 .title = odp_text_get(odp_facts_title(job->resource), ODP_LANG_ID),
                                 .title_en = odp_text_get(odp_facts_title(job->resource), ODP_LANG_EN),
                                 .description = odp_text_get(&ds->description, ODP_LANG_ID),
                                 .publisher = odp_text_get(&portal->publisher, ODP_LANG_ID),
                                 .licence_url = odp_facts_licence_path(job->catalog, job->resource),
                                 .url = job->url,
                                 .digest = job->digest,
                                 .date = date,
                                 .figures = d->paper.figures,
                                 .nfigures = d->paper.nfigures};
    return odp_print_finish(drawn, &f, out);
}

enum odp_status odp_print_pdf(const struct odp_print_job *job, struct odp_buffer *out)
{
    struct document d = {.job = job};
    struct odp_buffer drawn = {0};
    enum odp_status status = open_document(&d);
    if (status == ODP_OK)
        status = set(&d, &drawn);
    if (status == ODP_OK)
        status = finish(&d, &drawn, out);
    odp_paper_release(&d.paper);
    odp_print_appendix_free(d.appendix);
    odp_print_brief_free(d.brief);
    odp_print_entries_free(d.entries);
    odp_print_table_free(d.table);
    odp_fonts_close(d.fonts);
    odp_buffer_release(&drawn);
    odp_buffer_release(&d.uri);
    odp_buffer_release(&d.text);
    odp_arena_release(&d.arena);
    return status;
}
