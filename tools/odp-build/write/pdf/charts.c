/* The pictures: each with its title above and its words below. The words are the picture's text alternative,
 * too: who cannot see it, or has it in bad print, loses nothing. */
#include "words/pdf.h"
#include "write/pdf/pdf_internal.h"

#define HEADS 120.0 /* about: the headings above a picture, with their air */

static const struct odp_face type_english = {9.5, false, true};

struct block {
    const struct odp_chart_data *data;
    const struct odp_chart *chart;
    struct odp_buffer id, en;    /* the alternative */
    double width, scale, height; /* of the picture as it is drawn */
    double whole;                /* with everything above and below it, but its heading */
};

static struct odp_slice en_title(const struct odp_chart *c)
{
    return odp_slice_of(odp_facts_english(&c->title));
}

static struct odp_slice description(const struct odp_chart *c)
{
    return odp_slice_of(odp_text_get(&c->description, ODP_LANG_ID));
}

static double text_height(struct odp_paper *p, struct odp_face type, struct odp_slice text)
{
    return text.len > 0 ? odp_paper_text_height(p, p->right - p->left, type, text) + 4 : 0;
}

static void block_init(struct block *b, struct odp_paper *p, const struct odp_chart_data *data)
{
    *b = (struct block){
        .data = data, .chart = odp_chart_data_chart(data), .width = p->right - p->left, .scale = 1};
    odp_chart_data_alternative(data, ODP_LANG_ID, &b->id);
    odp_chart_data_alternative(data, ODP_LANG_EN, &b->en);
    b->height = odp_chart_height(data, p->fonts, b->width);
    double room = (p->bottom - p->top) * 0.38; /* a picture taller than this is drawn smaller: two a page */
    if (b->height > room) {
        b->scale = room / b->height;
        b->height = room;
    }
    b->whole = text_height(p, type_english, en_title(b->chart)) +
               text_height(p, odp_type_body, description(b->chart)) + b->height + 6 +
               text_height(p, odp_type_small, odp_buffer_slice(&b->id)) +
               text_height(p, odp_type_small, odp_buffer_slice(&b->en));
}

/* A picture that would leave much of this page empty is drawn smaller, down to two thirds. */
static void fit(struct block *b, const struct odp_paper *p)
{
    const double over = b->whole + HEADS - (p->bottom - p->y), height = b->height - over;
    if (over <= 0 || height < b->height * 2 / 3)
        return;
    b->scale *= height / b->height;
    b->height = height;
    b->whole -= over;
}

static void draw(const struct block *b, struct odp_paper *p, const char *alternative)
{
    odp_paper_figure(p, alternative);
    if (p->drawing) {
        cairo_save(p->cr);
        cairo_translate(p->cr, p->left + b->width * (1 - b->scale) / 2, p->y);
        cairo_scale(p->cr, b->scale, b->scale);
        p->failed |= odp_chart_draw(b->data, p->fonts, p->cr, b->width, ODP_LANG_ID) != ODP_OK;
        cairo_restore(p->cr);
    }
    odp_paper_untag(p, "Figure");
    p->y += b->height + 6;
}

/* The height to keep on one page: all of it, or, where the words are very long, the picture with everything
 * above it. */
static double keep_of(const struct block *b, const struct odp_paper *p)
{
    double page = (p->bottom - p->top) * 0.9;
    return b->whole < page ? b->whole : b->height + 30 < page ? b->height + 30 : page;
}

static void set_block(struct block *b, struct odp_paper *p)
{
    char *dest = odp_arena_printf(p->arena, "gambar-%s", b->chart->name);
    odp_paper_heading(p, 2, odp_text_get(&b->chart->title, ODP_LANG_ID), dest, keep_of(b, p));
    odp_paper_paragraph(p, "P", type_english, ODP_INK_SOFT, en_title(b->chart), 4);
    odp_paper_paragraph(p, "P", odp_type_body, ODP_INK_TEXT, description(b->chart), 4);
    draw(b, p, odp_buffer_cstr(&b->id));
    odp_paper_paragraph(p, "Caption", odp_type_small, ODP_INK_TEXT, odp_buffer_slice(&b->id), 4);
    odp_paper_paragraph(p, "P", odp_type_small, ODP_INK_SOFT, odp_buffer_slice(&b->en), 4);
    p->y += 14;
    p->failed |= b->id.failed || b->en.failed;
}

/* A note in place of a missing picture, with the reason. */
static void set_absent(struct odp_paper *p, const struct odp_chart_data *data)
{
    struct odp_buffer text = {0};
    odp_buffer_printf(&text, "%s: “%s”. ", ODP_PRINT_BOTH(W_pdf_not_shown),
                      odp_text_get(&odp_chart_data_chart(data)->title, ODP_LANG_ID));
    odp_chart_data_alternative(data, ODP_LANG_ID, &text);
    odp_buffer_add_str(&text, " / ");
    odp_chart_data_alternative(data, ODP_LANG_EN, &text);
    odp_paper_paragraph(p, "P", odp_type_small, ODP_INK_SOFT, odp_buffer_slice(&text), 4);
    p->failed |= text.failed;
    odp_buffer_release(&text);
}

/* Would B begin on a page after LAST? */
static bool goes_beyond(const struct block *b, const struct odp_paper *p, unsigned last)
{
    return last > 0 && p->page >= last && p->bottom - p->y < keep_of(b, p) + 30;
}

static void set_all_absent(struct odp_paper *p, const struct odp_print_job *job)
{
    for (size_t i = 0; i < job->ncharts && !p->failed; i++)
        if (odp_chart_data_is_empty(job->charts[i]))
            set_absent(p, job->charts[i]);
}

size_t odp_print_charts(struct odp_paper *p, const struct odp_print_job *job, size_t from, unsigned last)
{
    bool begun = from > 0;
    size_t i;
    for (i = from; i < job->ncharts && !p->failed; i++) {
        struct block b;
        if (odp_chart_data_is_empty(job->charts[i]))
            continue;
        block_init(&b, p, job->charts[i]);
        fit(&b, p);
        const bool beyond = goes_beyond(&b, p, last);
        if (!beyond && !begun)
            odp_paper_heading(p, 1, ODP_PRINT_BOTH(W_pdf_charts), "gambar", keep_of(&b, p) + 30);
        begun = begun || !beyond;
        if (!beyond)
            set_block(&b, p);
        odp_buffer_release(&b.id);
        odp_buffer_release(&b.en);
        if (beyond)
            return i;
    }
    if (!begun && job->ncharts > 0)
        odp_paper_heading(p, 1, ODP_PRINT_BOTH(W_pdf_charts), "gambar", 30);
    set_all_absent(p, job);
    return i;
}
