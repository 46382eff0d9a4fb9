/* The cover: publisher, title, version, and the permanent address of the version. It flows: texts of any
 * length push the rest down, onto a further page where they must; only the foot has a fixed place, at the
 * bottom of the page where there is room. The block of facts shares a page with the foot unless it is longer
 * than a page. English follows the Indonesian in italics on the same line where there is room, else below it,
 * and is left out if it says the same. The QR code opens the dataset's page, for readers of the paper; the
 * address next to it is the data's. Digits of the digest are set in groups of eight, and copy as one number.
 */
#include <errno.h>
#include <qrencode.h>

#include "words/pdf.h"
#include "write/facts/facts.h"
#include "write/typesetting/words.h"
#include "write/pdf/pdf_internal.h"

#define LABEL_WIDTH 165.0
#define QR_SIDE     112.0
#define QR_QUIET    8.0 /* about: its quiet zone goes into the margin */
#define BESIDE      6.0 /* between a text and its English */
#define ABOVE_FACT  3.0
#define BELOW_FACT  3.5
#define LONG_FACT   120.0 /* a text that is higher may be divided */
#define ONE_LINE    1e4   /* so wide that nothing wraps */

static const struct odp_face type_publisher = {11, true, false};
static const struct odp_face type_english = {9.5, false, true};
static const struct odp_face type_slice = {13, true, false};
static const struct odp_face type_digest = {7.5, false, false};

struct cover {
    struct odp_paper *p;
    const struct odp_print_job *job;
    const struct odp_fact_told *facts;
    size_t nfacts;
    double width;
    bool measuring; /* facts are not set: their heights are added up */
    double height;
};

static struct odp_slice id_of(const struct odp_text *t)
{
    return odp_slice_of(odp_text_get(t, ODP_LANG_ID));
}

static struct odp_slice en_of(const struct odp_text *t)
{
    return odp_slice_of(odp_facts_english(t));
}

static double put(struct odp_paper *p, struct odp_box at, struct odp_face type, enum odp_ink ink,
                  struct odp_slice text)
{
    if (text.len == 0)
        return 0;
    odp_paper_ink(p, ink);
    return odp_paper_text(p, at, type, text);
}

/* An element of its own. Text drawn in an element next to its children belongs to no element, so links are
 * alone in theirs. */
static double put_tagged(struct odp_paper *p, struct odp_box at, struct odp_face type, enum odp_ink ink,
                         struct odp_slice text)
{
    if (text.len == 0)
        return 0;
    odp_paper_tag(p, "P", NULL);
    double h = put(p, at, type, ink, text);
    odp_paper_untag(p, "P");
    return h;
}

static double put_link(struct odp_paper *p, double x, double y, double width, const char *uri)
{
    odp_paper_tag(p, "P", NULL);
    odp_paper_link(p, uri);
    double h = put(p, odp_box(x, y, width), odp_type_body, ODP_INK_ACCENT, odp_slice_of(uri));
    odp_paper_untag(p, "Link");
    odp_paper_untag(p, "P");
    return h;
}

static double height(struct odp_paper *p, double width, struct odp_face type, struct odp_slice text)
{
    return text.len > 0 ? odp_paper_text_height(p, width, type, text) : 0;
}

/* ---- the excerpt ---- */

void odp_print_excerpt_notice(struct odp_paper *p, const struct odp_print_job *job)
{
    static const struct odp_face strong = {10.5, true, false};
    enum { PAD = 9, INSET = 14 };
    struct odp_slice text[ODP_LANGS], url = odp_slice_of(job->url);
    if (job->rows >= job->total)
        return;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        text[lang] = odp_slice_of(odp_arena_printf(p->arena, odp_word(lang, W_pdf_excerpt),
                                                   odp_print_count(p->arena, job->rows, lang),
                                                   odp_print_count(p->arena, job->total, lang)));
    double width = p->right - p->left - 2 * INSET;
    double h = height(p, width, strong, text[ODP_LANG_ID]) +
               height(p, width, type_english, text[ODP_LANG_EN]) + height(p, width, odp_type_body, url) + 6 +
               2 * PAD;
    (void)odp_paper_need(p, h + 12);
    double x = p->left + INSET, y = p->y + PAD;
    odp_paper_fill(p, ODP_INK_BAND, p->left, p->y, p->right - p->left, h);
    odp_paper_fill(p, ODP_INK_ACCENT, p->left, p->y, 3.5, h);
    y += put_tagged(p, odp_box(x, y, width), strong, ODP_INK_TEXT, text[ODP_LANG_ID]) + 2;
    y += put_tagged(p, odp_box(x, y, width), type_english, ODP_INK_SOFT, text[ODP_LANG_EN]) + 4;
    (void)put_link(p, x, y, width, job->url);
    p->y += h + 12;
}

/* ---- who and what ---- */

static void set_publisher(struct cover *c)
{
    const struct odp_portal *portal = &c->job->catalog->portal;
    odp_paper_fill(c->p, ODP_INK_ACCENT, c->p->left, c->p->y, 56, 4);
    c->p->y += 14;
    odp_paper_paragraph(c->p, "P", type_publisher, ODP_INK_ACCENT, id_of(&portal->publisher), 1);
    odp_paper_paragraph(c->p, "P", type_english, ODP_INK_SOFT, en_of(&portal->publisher), 5);
    odp_paper_paragraph(c->p, "P", odp_type_small, ODP_INK_SOFT, id_of(&portal->title), 0);
}

/* A long title is set smaller: 300 characters take six lines, not twelve. */
static double title_size(size_t characters)
{
    if (characters <= 140)
        return characters <= 70 ? odp_type_title.size : 20;
    return characters <= 220 ? 17 : 15;
}

static void set_title(struct cover *c)
{
    const struct odp_resource *r = c->job->resource;
    const struct odp_text *title = odp_facts_title(r);
    struct odp_slice id = id_of(title), en = en_of(title);
    struct odp_face type = {title_size(id.len), true, false};
    struct odp_face type_en = {title_size(en.len > id.len ? en.len : id.len) * 0.6, false, true};
    if (title != &r->dataset->title)
        odp_paper_paragraph(c->p, "P", type_publisher, ODP_INK_SOFT, id_of(&r->dataset->title), 4);
    odp_paper_paragraph(c->p, "H1", type, ODP_INK_TEXT, id, 5);
    odp_paper_paragraph(c->p, "P", type_en, ODP_INK_SOFT, en, 4);
}

/* "Kode provinsi: 31 — DKI Jakarta" */
static void set_slice(struct cover *c)
{
    const struct odp_print_job *job = c->job;
    const struct odp_schema *s = &job->resource->schema;
    struct odp_paper *p = c->p;
    struct odp_text label = {{NULL, NULL}};
    struct odp_buffer text = {0};
    if (job->slice_field == NULL)
        return;
    int field = odp_schema_find(s, odp_slice_of(job->slice_field));
    if (field >= 0) {
        odp_words_title(&text, &s->fields[field], ODP_LANG_ID, false);
        label = odp_print_meaning(job, (uint32_t)field, job->slice_value);
    } else {
        odp_buffer_add_str(&text, job->slice_field);
    }
    odp_buffer_add_str(&text, ": ");
    odp_buffer_add_slice(&text, job->slice_value);
    const char *name = odp_text_get(&label, ODP_LANG_ID);
    if (*name != '\0' && !odp_slice_is(job->slice_value, name))
        odp_buffer_printf(&text, " — %s", name);
    p->y += 6;
    odp_paper_paragraph(p, "P", type_slice, ODP_INK_ACCENT, odp_buffer_slice(&text), 4);
    p->failed |= text.failed;
    odp_buffer_release(&text);
}

static void set_description(struct cover *c)
{
    const struct odp_resource *r = c->job->resource;
    bool own = odp_facts_title(r) == &r->title && id_of(&r->description).len > 0;
    const struct odp_text *d = own ? &r->description : &r->dataset->description;
    c->p->y += 10;
    odp_paper_paragraph(c->p, "P", odp_type_body, ODP_INK_TEXT, id_of(d), 5);
    odp_paper_paragraph(c->p, "P", type_english, ODP_INK_SOFT, en_of(d), 5);
}

/* ---- the facts ---- */

/* A value in both languages: side by side where there is room, else below each other. Draws unless
 * HEIGHT_ONLY. */
static double put_value(struct odp_paper *p, struct odp_box at, struct odp_slice id, struct odp_slice en,
                        bool height_only)
{
    const double x = at.x, y = at.y, width = at.width;
    struct odp_extent line = odp_fonts_measure(p->fonts, odp_type_body, id, -1);
    double id_width = line.width, en_width = odp_fonts_measure(p->fonts, type_english, en, -1).width;
    bool beside = id_width + BESIDE + en_width < width;
    double id_height = beside ? line.height : height(p, width, odp_type_body, id);
    double en_height = beside || en.len == 0 ? 0 : height(p, width, type_english, en);
    if (!height_only) {
        (void)put(p, at, odp_type_body, ODP_INK_TEXT, id);
        if (en.len > 0) /* two words also to those who only read the text */
            (void)put(p,
                      odp_box(x + (beside ? id_width : width),
                              y + (beside ? 0 : id_height - odp_type_body.size), width),
                      odp_type_body, ODP_INK_TEXT, ODP_LIT(" "));
        (void)put(p, odp_box(beside ? x + id_width + BESIDE : x, beside ? y : y + id_height, width),
                  type_english, ODP_INK_SOFT, en);
    }
    return id_height + en_height;
}

/* Sets the value of a fact on the right, from p->y on. FLOWS: it is long, and may go over pages. */
static void set_fact_body(struct cover *c, struct odp_slice id, struct odp_slice en, const char *uri,
                          bool flows)
{
    struct odp_paper *p = c->p;
    double x = p->left + LABEL_WIDTH, width = c->width - LABEL_WIDTH;
    if (flows) {
        odp_paper_ink(p, ODP_INK_TEXT);
        odp_paper_flow(p, "P", LABEL_WIDTH, odp_type_body, id, 0);
        odp_paper_ink(p, ODP_INK_SOFT);
        if (en.len > 0)
            odp_paper_flow(p, "P", LABEL_WIDTH, type_english, en, 0);
    } else if (id.len > 0) {
        odp_paper_tag(p, "P", NULL);
        p->y += put_value(p, odp_box(x, p->y, width), id, en, false);
        odp_paper_untag(p, "P");
    }
    if (uri == NULL || *uri == '\0')
        return;
    (void)odp_paper_need(p, height(p, width, odp_type_body, odp_slice_of(uri)));
    p->y += put_link(p, x, p->y, width, uri);
}

/* One line of the block. EN may be empty; URI: a link below it, or NULL. */
static void set_fact(struct cover *c, const struct odp_text *label, struct odp_slice id, struct odp_slice en,
                     const char *uri)
{
    struct odp_paper *p = c->p;
    double width = c->width - LABEL_WIDTH;
    struct odp_slice address = odp_slice_of(uri);
    if (id.len == 0 && address.len == 0)
        return;
    double text = id.len > 0 ? put_value(p, (struct odp_box){.width = width}, id, en, true) : 0;
    double h = text + height(p, width, odp_type_body, address) + ABOVE_FACT + BELOW_FACT;
    c->height += h;
    if (c->measuring)
        return;
    (void)odp_paper_need(p, text > LONG_FACT ? LONG_FACT : h);
    odp_paper_fill(p, ODP_INK_RULE, p->left, p->y, c->width, 0.4);
    p->y += ABOVE_FACT;
    odp_paper_tag(p, "LI", NULL);
    odp_paper_tag(p, "Lbl", NULL);
    (void)put_value(p, odp_box(p->left, p->y, LABEL_WIDTH - BESIDE), odp_slice_of(label->in[ODP_LANG_ID]),
                    odp_slice_of(label->in[ODP_LANG_EN]), false);
    odp_paper_untag(p, "Lbl");
    odp_paper_tag(p, "LBody", NULL);
    set_fact_body(c, id, en, uri, text > LONG_FACT);
    odp_paper_untag(p, "LBody");
    odp_paper_untag(p, "LI");
    p->y += BELOW_FACT;
}

static void set_all_facts(struct cover *c)
{
    for (size_t i = 0; i < c->nfacts; i++) {
        const struct odp_fact_told *f = &c->facts[i];
        set_fact(c, &f->label, id_of(&f->value), en_of(&f->value), f->address);
    }
}

/* All on one page, with FOOT points below them. */
static void set_facts(struct cover *c, double foot)
{
    c->p->y += 8;
    c->measuring = true;
    set_all_facts(c);
    c->measuring = false;
    if (c->height + foot < c->p->bottom - c->p->top)
        (void)odp_paper_need(c->p, c->height + foot);
    odp_paper_tag(c->p, "L", NULL);
    set_all_facts(c);
    odp_paper_untag(c->p, "L");
    odp_paper_fill(c->p, ODP_INK_RULE, c->p->left, c->p->y, c->width, 0.4);
    c->p->y += 12;
}

/* ---- the foot: QR code, address, digest ---- */

/* Runs of dark modules become rectangles of one path, filled at once: no renderer draws seams. */
static void add_modules(cairo_t *cr, const QRcode *code, double x, double y, double module)
{
    for (int row = 0; row < code->width; row++)
        for (int at = 0; at < code->width;) {
            const unsigned char *m = code->data + (ptrdiff_t)row * code->width;
            int end = at;
            while (end < code->width && (m[end] & 1) != 0)
                end++;
            if (end > at)
                cairo_rectangle(cr, x + at * module, y + row * module, (end - at) * module, module);
            at = end + (end == at);
        }
}

enum odp_status odp_print_qr(cairo_t *cr, const char *text, double x, double y, double side)
{
    enum { QUIET = 4 }; /* modules of white around it (ISO/IEC 18004, 5.3.8) */
    QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
    if (code == NULL)
        return odp_failure_set("QR code", text, errno != 0 ? errno : EINVAL);
    double module = side / (code->width + 2 * QUIET);
    cairo_save(cr);
    cairo_new_path(cr);
    cairo_rectangle(cr, x, y, side, side);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill(cr);
    add_modules(cr, code, x + QUIET * module, y + QUIET * module, module);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_fill(cr);
    cairo_restore(cr);
    QRcode_free(code);
    return ODP_OK;
}

enum { DIGEST_GROUP = 8, DIGEST_GROUPS_A_LINE = 4 };

/* "sha256:" and groups of eight digits, each in a place of its own, so that they can be compared by eye.
 * Returns its height. */
static double put_digest(struct odp_paper *p, double x, double y, const char *digest)
{
    const char *colon = strchr(digest, ':');
    const char *hex = colon != NULL ? colon + 1 : digest;
    size_t n = strlen(hex), line = DIGEST_GROUP * DIGEST_GROUPS_A_LINE;
    double h = height(p, ONE_LINE, type_digest, ODP_LIT("0f")), step = 46;
    if (!p->drawing)
        return h * (double)((n + line - 1) / line);
    for (size_t i = 0; i < n; i += DIGEST_GROUP) {
        struct odp_slice group = {hex + i, n - i < DIGEST_GROUP ? n - i : DIGEST_GROUP};
        double column = (double)(i / DIGEST_GROUP % DIGEST_GROUPS_A_LINE), row = (double)(i / line);
        (void)put(p, odp_box(x + column * step, y + row * h, step + 20), type_digest, ODP_INK_TEXT, group);
    }
    return h * (double)((n + line - 1) / line);
}

static const char page_label[] = ODP_PRINT_BOTH(W_pdf_page_label);
static const char address_label[] = ODP_PRINT_BOTH(W_pdf_address_label);
static const char digest_label[] = ODP_PRINT_BOTH(W_pdf_digest_label);

static double foot_text_height(struct cover *c, double width)
{
    struct odp_paper *p = c->p;
    size_t digits = c->job->digest != NULL ? strlen(c->job->digest) : 0;
    double line = height(p, ONE_LINE, type_digest, ODP_LIT("0f"));
    return height(p, width, odp_type_small, odp_slice_of(page_label)) +
           height(p, width, odp_type_body, odp_slice_of(c->job->page)) +
           height(p, width, odp_type_small, odp_slice_of(address_label)) +
           height(p, width, odp_type_body, odp_slice_of(c->job->url)) +
           height(p, width, odp_type_small, odp_slice_of(digest_label)) +
           line * (double)(digits / (DIGEST_GROUP * DIGEST_GROUPS_A_LINE)) + 14;
}

static void draw_qr(struct cover *c)
{
    struct odp_paper *p = c->p;
    odp_paper_figure(p, odp_arena_printf(p->arena, "%s: %s", ODP_PRINT_BOTH(W_pdf_qr), c->job->page));
    if (p->drawing)
        p->failed |= odp_print_qr(p->cr, c->job->page, p->left - QR_QUIET, p->y, QR_SIDE) != ODP_OK;
    odp_paper_untag(p, "Figure");
}

static double foot_height(struct cover *c)
{
    double h = foot_text_height(c, c->width - QR_SIDE - 2);
    return h > QR_SIDE ? h : QR_SIDE;
}

static void set_foot(struct cover *c)
{
    struct odp_paper *p = c->p;
    double x = p->left + QR_SIDE + 2, width = c->width - QR_SIDE - 2, h = foot_height(c);
    if (!odp_paper_need(p, h) && p->bottom - h > p->y)
        p->y = p->bottom - h;
    draw_qr(c);
    double y = p->y + 6;
    y += put_tagged(p, odp_box(x, y, width), odp_type_small, ODP_INK_SOFT, odp_slice_of(page_label));
    y += put_link(p, x, y, width, c->job->page) + 4;
    y += put_tagged(p, odp_box(x, y, width), odp_type_small, ODP_INK_SOFT, odp_slice_of(address_label));
    y += put_link(p, x, y, width, c->job->url) + 4;
    if (c->job->digest != NULL) {
        y += put_tagged(p, odp_box(x, y, width), odp_type_small, ODP_INK_SOFT, odp_slice_of(digest_label));
        odp_paper_tag(p, "P", NULL);
        (void)put_digest(p, x, y, c->job->digest);
        odp_paper_untag(p, "P");
    }
    p->y += h;
}

void odp_print_cover(struct odp_paper *p, const struct odp_print_job *job)
{
    struct cover c = {.p = p, .job = job, .width = p->right - p->left};
    const struct odp_resource *r = job->resource;
    const struct odp_facts_of of = odp_print_facts_of(job, p->arena);
    c.facts = odp_facts_make(&of, ODP_FACTS_COVER, &c.nfacts);
    set_publisher(&c);
    /* Air above the title as long as there is little to say. */
    size_t said = id_of(&r->dataset->title).len + id_of(&r->dataset->description).len +
                  en_of(&r->dataset->description).len;
    p->y += said < 600 ? 84 : said < 1200 ? 48 : 24;
    set_title(&c);
    set_slice(&c);
    set_description(&c);
    p->y += 8;
    odp_print_excerpt_notice(p, job);
    set_facts(&c, foot_height(&c) + 14);
    set_foot(&c);
}
