/* Tables, page by page: tags and ink. table_plan.c has laid them out.
 *
 * Every row is a TR with a TD for each column; the first head of a band is a TR of TH, its repetitions are
 * not tagged. A row higher than a page continues on the next one, there as a TR of its own: a tag of cairo's
 * belongs to one page. */
#include "write/pdf/pdf_internal.h"

#include <math.h>

#include "words/pdf.h"
#include "write/pdf/table_internal.h"

#define RULE_HEAD   0.9
#define RULE_ROW    0.3
#define CAPTION_GAP 2.5  /* between a band's caption and its head */
#define AFTER       12.0 /* space below a table */
#define SUMS        0.01 /* that sums of heights may be off */
#define SPLIT_LEAST 90.0 /* a row that is higher than a page begins on this one if so much is left */
#define DASH        "\xE2\x80\x93"
#define ALL         SIZE_MAX /* of a text: it is set as a whole */

struct setting {
    struct odp_print_table *t;
    struct odp_paper *p;
    const struct odp_table_band *band;
    uint32_t number;  /* of the band, from 1 */
    double x;         /* left edge of the table */
    uint64_t on_page; /* rows on this page so far */
};

/* ---- ink ---- */

static void fill(struct setting *s, enum odp_ink ink, double y, double height)
{
    odp_paper_fill(s->p, ink, s->x, y, s->band->all, height);
}

/* Filler after the last digit, which aligns the commas. */
static double behind_figure(const struct setting *s, const struct odp_table_column *c, struct odp_slice text,
                            double width)
{
    struct odp_table_extent e;
    double scale = s->t->text.face.size / odp_type_table.size;
    if (!c->aligned || (c->left + c->tail) * scale > width)
        return 0;
    odp_table_text_extent(&s->t->text, text, true, &e);
    return e.tail >= 0 ? c->tail * scale - (double)e.tail / PANGO_SCALE : 0;
}

/* Draws cell K of row I, from byte *AT on, in MOST points of height. Returns its height; *AT is ALL at the
 * end. */
static double show_cell(struct setting *s, uint64_t i, uint32_t k, size_t *at, double most)
{
    struct odp_print_table *t = s->t;
    struct odp_paper *p = s->p;
    uint32_t column = s->band->column[k];
    const struct odp_table_column *c = &t->columns[column];
    double width = s->band->width[k], used = 0;
    const char *uri;
    struct odp_slice text = odp_table_cell(t, i, column, &uri);
    bool null = text.ptr == NULL, link = !null && uri != NULL && text.len > 0;
    odp_paper_tag(p, "TD", NULL);
    if (link)
        odp_paper_link(p, uri);
    odp_paper_ink(p, null ? ODP_INK_SOFT : link ? ODP_INK_ACCENT : ODP_INK_TEXT);
    if (!null && odp_table_fits(t, i, column, width))
        width -= behind_figure(s, c, text, width);
    text = null ? ODP_LIT(DASH) : odp_table_text_clean(&t->text, text);
    if (*at < text.len)
        used = odp_table_text_lines(&t->text, text,
                                    (struct odp_box){s->x + s->band->x[k], p->y + ODP_TABLE_PAD_Y, width,
                                                     c->is.right ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT},
                                    p->drawing ? p->cr : NULL, at, most);
    if (*at >= text.len)
        *at = ALL;
    if (link)
        odp_paper_untag(p, "Link");
    odp_paper_untag(p, "TD");
    return used;
}

static void show_head(struct setting *s, bool tagged)
{
    struct odp_paper *p = s->p;
    const struct odp_table_band *b = s->band;
    fill(s, ODP_INK_BAND, p->y, b->head_height);
    if (tagged)
        odp_paper_tag(p, "TR", NULL);
    for (uint32_t k = 0; k < b->n && p->drawing; k++) {
        const struct odp_table_column *c = &s->t->columns[b->column[k]];
        PangoLayout *l = odp_table_text_head(&s->t->text, c->is.head, c->is.right, b->width[k]);
        int h = 0;
        pango_layout_get_size(l, NULL, &h);
        double y = p->y + b->head_height - ODP_TABLE_PAD_Y - (double)h / PANGO_SCALE;
        if (tagged)
            odp_paper_tag(p, "TH", NULL);
        odp_fonts_show(p->cr, l, s->x + b->x[k], y);
        g_object_unref(l);
        if (tagged)
            odp_paper_untag(p, "TH");
    }
    if (tagged)
        odp_paper_untag(p, "TR");
    p->y += b->head_height;
    fill(s, ODP_INK_ACCENT, p->y - RULE_HEAD / 2, RULE_HEAD);
}

/* "Bagian 2 dari 3: kolom 7–12 dari 14": which part of the columns this band is. */
static void show_caption(struct setting *s, bool again)
{
    struct odp_paper *p = s->p;
    const struct odp_table_band *b = s->band;
    char text[200];
    if (s->t->nbands < 2)
        return;
    int n = b->first == b->last ? snprintf(text, sizeof text, odp_word(ODP_LANG_ID, W_pdf_band), s->number,
                                           s->t->nbands, b->first, s->t->n)
                                : snprintf(text, sizeof text, odp_word(ODP_LANG_ID, W_pdf_band_of_columns),
                                           s->number, s->t->nbands, b->first, b->last, s->t->n);
    if (again)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s", odp_word(ODP_LANG_ID, W_pdf_continued));
    struct odp_slice all = {text, (size_t)n};
    if (!again)
        odp_paper_tag(p, "P", NULL);
    odp_paper_ink(p, ODP_INK_SOFT);
    p->y += odp_paper_text(p, odp_box(p->left, p->y, p->right - p->left), odp_type_small, all) + CAPTION_GAP;
    odp_paper_ink(p, ODP_INK_TEXT);
    if (!again)
        odp_paper_untag(p, "P");
}

/* ---- pages ---- */

/* Continues the table on a new page, under its head. */
static void turn(struct setting *s)
{
    odp_paper_page(s->p, s->p->landscape);
    show_caption(s, true);
    show_head(s, false);
    s->on_page = 0;
}

static double left_on_page(const struct setting *s)
{
    return s->p->bottom - s->p->y + SUMS;
}

static void close_row(struct setting *s, double height)
{
    s->p->y += height;
    fill(s, ODP_INK_RULE, s->p->y - RULE_ROW / 2, RULE_ROW);
    s->on_page++;
}

static void set_row(struct setting *s, uint64_t i)
{
    odp_paper_tag(s->p, "TR", NULL);
    for (uint32_t k = 0; k < s->band->n && s->p->drawing; k++) {
        size_t at = 0;
        (void)show_cell(s, i, k, &at, HUGE_VAL);
    }
    odp_paper_untag(s->p, "TR");
    close_row(s, s->band->height[i]);
}

/* Draws the part of row I that fits on this page, from byte AT[k] of its cells on. True: to its end. */
static bool set_piece(struct setting *s, uint64_t i, size_t *at)
{
    double most = left_on_page(s) - 2 * ODP_TABLE_PAD_Y, height = 0;
    bool all = true;
    odp_paper_tag(s->p, "TR", NULL);
    for (uint32_t k = 0; k < s->band->n; k++) {
        height = fmax(height, show_cell(s, i, k, &at[k], most));
        all = all && at[k] == ALL;
    }
    odp_paper_untag(s->p, "TR");
    close_row(s, height + 2 * ODP_TABLE_PAD_Y);
    return all;
}

/* A row that is higher than a page. */
static void set_high_row(struct setting *s, uint64_t i)
{
    size_t *at = odp_arena_zero(&s->t->arena, (size_t)s->band->n + 1, sizeof *at);
    if (left_on_page(s) < SPLIT_LEAST && s->on_page > 0)
        turn(s);
    while (!set_piece(s, i, at))
        turn(s);
}

static double head_space(const struct odp_print_table *t, const struct odp_table_band *b)
{
    return b->head_height + (t->nbands > 1 ? t->text.line_height + CAPTION_GAP : 0);
}

/* Rows I and the next one, if the next one is the last: neither begins a page alone. MOST: what a page takes.
 */
static double together(const struct setting *s, uint64_t i, double most)
{
    double one = s->band->height[i];
    if (i + 2 != s->t->rows)
        return one;
    double both = one + s->band->height[i + 1];
    return both <= most ? both : one;
}

static void set_rows(struct setting *s)
{
    const struct odp_print_table *t = s->t;
    double most = s->p->bottom - s->p->top - head_space(t, s->band);
    for (uint64_t i = 0; i < t->rows; i++) {
        double height = s->band->height[i];
        if (height <= most && together(s, i, most) > left_on_page(s) && s->on_page > 0)
            turn(s);
        if (height > left_on_page(s)) /* also where a caller has left less than odp_print_table_start */
            set_high_row(s, i);
        else
            set_row(s, i);
    }
}

static void set_nothing(struct setting *s)
{
    struct odp_paper *p = s->p;
    struct odp_table_text *t = &s->t->text;
    odp_paper_tag(p, "TR", NULL);
    odp_paper_tag(p, "TD", NULL);
    odp_paper_ink(p, ODP_INK_SOFT);
    double height = t->line_height + 2 * ODP_TABLE_PAD_Y;
    (void)odp_table_text_set(t, ODP_LIT(ODP_PRINT_BOTH(W_pdf_no_records)),
                             odp_box(s->x + ODP_TABLE_PAD_X, p->y + ODP_TABLE_PAD_Y, p->right - p->left),
                             p->drawing ? p->cr : NULL);
    odp_paper_untag(p, "TD");
    odp_paper_untag(p, "TR");
    close_row(s, height);
}

/* Head and two rows; of rows that a page does not take, a beginning. */
static double start_of(const struct odp_print_table *t, const struct odp_table_band *b)
{
    double head = head_space(t, b), most = t->body[t->wide] - head,
           one = t->text.line_height + 2 * ODP_TABLE_PAD_Y;
    if (t->rows > 0)
        one = b->height[0] <= most ? b->height[0] : SPLIT_LEAST;
    double two = t->rows > 1 ? one + (b->height[1] <= most ? b->height[1] : SPLIT_LEAST) : one;
    return head + (two <= most ? two : one);
}

static void set_band(struct odp_print_table *t, struct odp_paper *p, uint32_t number)
{
    struct setting s = {.t = t, .p = p, .band = &t->bands[number - 1], .number = number, .x = p->left};
    odp_paper_need(p, start_of(t, s.band));
    show_caption(&s, false);
    odp_paper_tag(p, "Table", NULL);
    show_head(&s, true);
    if (t->rows > 0)
        set_rows(&s);
    else
        set_nothing(&s);
    odp_paper_untag(p, "Table");
    p->y += AFTER;
}

/* ---- the table ---- */

struct odp_print_table *odp_print_table_new(struct odp_fonts *f, const struct odp_print_records *r)
{
    struct odp_print_table *t = g_new0(struct odp_print_table, 1);
    odp_arena_init(&t->arena);
    t->of = *r;
    t->n = r->n;
    t->rows = r->n > 0 ? r->rows : 0;
    t->columns = odp_arena_zero(&t->arena, (size_t)r->n + 1, sizeof *t->columns);
    odp_table_text_init(&t->text, f, odp_type_table.size);
    for (uint32_t k = 0; k < r->n; k++) {
        t->columns[k].is = r->columns[k];
        t->columns[k].is.head =
            odp_arena_str(&t->arena, r->columns[k].head != NULL ? r->columns[k].head : "");
    }
    if (r->n > 0)
        odp_table_plan(t);
    return t;
}

void odp_print_table_free(struct odp_print_table *t)
{
    if (t == NULL)
        return;
    odp_table_text_release(&t->text);
    odp_arena_release(&t->arena);
    g_free(t);
}

bool odp_print_table_is_wide(const struct odp_print_table *t)
{
    return t->wide;
}

double odp_print_table_start(const struct odp_print_table *t)
{
    return t->nbands > 0 ? start_of(t, &t->bands[0]) : 0;
}

void odp_print_table_set(struct odp_print_table *t, struct odp_paper *p)
{
    if (p->landscape != t->wide && t->n > 0)
        odp_paper_page(p, t->wide);
    for (uint32_t i = 0; i < t->nbands; i++)
        set_band(t, p, i + 1);
    p->failed |= t->text.clean.failed || t->arena.failed;
}
