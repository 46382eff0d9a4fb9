/* Text on paper: boxes, running text over pages, headings. A paragraph of three lines or fewer is not
 * divided; a longer one has at least two lines on either page. */
#include "base/utf8.h"
#include "write/typesetting/typesetting_internal.h"

#define WINDOW      1536
#define BAR_ROOM    6
#define WHOLE_LINES 3 /* a paragraph of so many lines is not divided */

double odp_paper_text(struct odp_paper *p, struct odp_box at, struct odp_face face, struct odp_slice text)
{
    if (!p->drawing)
        return odp_paper_text_height(p, at.width, face, text);
    PangoLayout *l = odp_fonts_layout(p->fonts, face, text, at.width > 0 ? at.width : 0, at.align);
    double height = odp_fonts_extent(l).height;
    odp_fonts_show(p->cr, l, at.x, at.y);
    g_object_unref(l);
    return height;
}

double odp_paper_text_height(struct odp_paper *p, double width, struct odp_face face, struct odp_slice text)
{
    return odp_fonts_measure(p->fonts, face, text, width > 0 ? width : 0).height;
}

/* ---- running text ---- */

struct line {
    PangoLayoutLine *line;
    double top, height, baseline, x; /* from the top of the first line */
};
struct lines {
    struct odp_paper *p;
    struct line *line;
    size_t n;
    PangoLayout **layout; /* whose lines they are */
    size_t nlayouts;
};

/* The first N lines of L, which is the last layout. */
static void add_lines(struct lines *s, PangoLayout *l, int n)
{
    double y = s->n > 0 ? s->line[s->n - 1].top + s->line[s->n - 1].height : 0;
    PangoLayoutIter *i = pango_layout_get_iter(l);
    for (bool more = true; more && n > 0; n--) {
        PangoRectangle r;
        s->line = odp_paper_grow(s->p, s->line, s->n, sizeof *s->line);
        pango_layout_iter_get_line_extents(i, NULL, &r);
        s->line[s->n++] = (struct line){pango_layout_iter_get_line_readonly(i), y + (double)r.y / PANGO_SCALE,
                                        (double)r.height / PANGO_SCALE,
                                        y + (double)pango_layout_iter_get_baseline(i) / PANGO_SCALE,
                                        (double)r.x / PANGO_SCALE};
        more = pango_layout_iter_next_line(i);
    }
    pango_layout_iter_free(i);
}

/* Position to cut TEXT so that at most WINDOW bytes are before: after a space if there is one in the second
 * half, never within a character. */
static size_t window_of(struct odp_slice text)
{
    if (text.len <= WINDOW)
        return text.len;
    size_t end = WINDOW;
    while (end > WINDOW / 2 && text.ptr[end - 1] != ' ' && text.ptr[end - 1] != '\n')
        end--;
    if (end > WINDOW / 2)
        return end;
    end = odp_utf8_cut(text, WINDOW).len;
    return end > 0 ? end : 1;
}

/* TEXT (clean) as lines. Pango breaks text into lines in a time that grows with the square of its length, so
 * it is done by windows; the last line of a window is only known when what follows is, and begins the next
 * one. */
static void list_lines(struct lines *s, double width, struct odp_face face, struct odp_slice text)
{
    do {
        size_t window = window_of(text);
        PangoLayout *l = odp_fonts_layout(s->p->fonts, face, (struct odp_slice){text.ptr, window},
                                          width > 0 ? width : 0, PANGO_ALIGN_LEFT);
        s->layout = odp_paper_grow(s->p, s->layout, s->nlayouts, sizeof(PangoLayout *));
        s->layout[s->nlayouts++] = l;
        int n = pango_layout_get_line_count(l);
        if (window < text.len && n > 1)
            window = (size_t)pango_layout_get_line_readonly(l, --n)->start_index;
        add_lines(s, l, n);
        text.ptr += window, text.len -= window;
    } while (text.len > 0);
}

/* Number of lines from START on that go on this page: 0 to begin on the next one. At least 1 on a page that
 * is empty. */
static size_t lines_here(const struct odp_paper *p, const struct line *lines, size_t start, size_t n)
{
    size_t fit = 0, left = n - start;
    while (fit < left && p->y + lines[start + fit].top + lines[start + fit].height - lines[start].top <=
                             p->bottom + ODP_PAPER_SLACK)
        fit++;
    if (fit < left && n <= WHOLE_LINES)
        fit = odp_paper_is_fresh(p) ? fit : 0;
    else if (fit < left) {
        if (fit + 1 == left)
            fit--; /* the last line has company on the next page */
        if (start == 0 && fit < 2)
            fit = 0;
    }
    return fit == 0 && odp_paper_is_fresh(p) ? 1 : fit;
}

static void draw_lines(struct odp_paper *p, const struct line *lines, size_t n, double indent)
{
    for (size_t i = 0; i < n && p->drawing; i++)
        odp_fonts_show_line(p->cr, lines[i].line, p->left + indent + lines[i].x,
                            p->y + lines[i].baseline - lines[0].top);
    p->y += lines[n - 1].top + lines[n - 1].height - lines[0].top;
}

/* A paragraph on more than one page is one element with a Span a page. */
static void set_lines(struct odp_paper *p, const char *tag, double indent, const struct line *lines, size_t n)
{
    size_t here = lines_here(p, lines, 0, n);
    if (here == 0) {
        odp_paper_page(p, p->landscape);
        here = lines_here(p, lines, 0, n);
    }
    bool divided = here < n;
    odp_paper_tag(p, tag, NULL);
    for (size_t start = 0; start < n; start += here) {
        if (start != 0) {
            odp_paper_page(p, p->landscape);
            here = lines_here(p, lines, start, n);
        }
        if (divided)
            odp_paper_tag(p, "Span", NULL);
        draw_lines(p, lines + start, here, indent);
        if (divided)
            odp_paper_untag(p, "Span");
    }
    odp_paper_untag(p, tag);
}

void odp_paper_flow(struct odp_paper *p, const char *tag, double indent, struct odp_face face,
                    struct odp_slice text, double after)
{
    struct lines s = {.p = p};
    struct odp_buffer clean = {0};
    if (text.len > WINDOW) {
        odp_fonts_clean(text, &clean);
        text = odp_buffer_slice(&clean);
    }
    list_lines(&s, p->right - p->left - indent, face, text);
    set_lines(p, tag, indent, s.line, s.n);
    p->y += after;
    p->failed |= clean.failed;
    for (size_t i = 0; i < s.nlayouts; i++)
        g_object_unref(s.layout[i]);
    odp_buffer_release(&clean);
}

void odp_paper_paragraph(struct odp_paper *p, const char *tag, struct odp_face face, enum odp_ink ink,
                         struct odp_slice text, double after)
{
    if (text.len == 0)
        return;
    odp_paper_ink(p, ink);
    odp_paper_flow(p, tag, 0, face, text, after);
}

/* ---- headings ---- */

struct look {
    const char *tag;
    const struct odp_face *face;
    double before, after;
    enum odp_ink ink;
    bool bar; /* a short one below it */
};
static const struct look looks[] = {
    {"H1", &odp_type_h1, 22, 12, ODP_INK_ACCENT, true},
    {"H2", &odp_type_h2, 16, 5, ODP_INK_ACCENT, false},
    {"H3", &odp_type_h3, 12, 3, ODP_INK_TEXT, false},
    [ODP_HEADING_LONE - 1] = {"H2", &odp_type_h3, 12, 3, ODP_INK_TEXT, false},
};

/* TEXT as one line of valid UTF-8 for a bookmark, in the arena. */
static char *one_line(struct odp_arena *a, const char *text)
{
    struct odp_slice s = odp_slice_of(text);
    char *out = odp_arena_alloc(a, s.len + 1), *at = out;
    while (s.len > 0) {
        unsigned char c = (unsigned char)*s.ptr;
        uint32_t cp = 0;
        size_t n = 1;
        if (c < 0x80 || odp_utf8_valid((struct odp_slice){s.ptr, s.len < 4 ? s.len : 4}) > 0)
            n = odp_utf8_decode(s.ptr, s.len, &cp);
        if (cp < 0x20 || cp == 0x7F || odp_utf8_is_noncharacter(cp)) /* as is what is not UTF-8 */
            *at++ = ' ';
        else
            memcpy(at, s.ptr, n), at += n;
        s.ptr += n, s.len -= n;
    }
    *at = '\0';
    return out;
}

static void add_bookmark(struct odp_paper *p, int level, const char *text, const char *dest)
{
    int parent = 0;
    for (int i = 0; i < level - 1; i++)
        parent = p->outline[i] != 0 ? p->outline[i] : parent;
    char *attribute = odp_arena_printf(p->arena, "dest='%s'", dest), *title = one_line(p->arena, text);
    int id = cairo_pdf_surface_add_outline(p->surface, parent, title, attribute,
                                           level == 1 ? CAIRO_PDF_OUTLINE_FLAG_OPEN : 0);
    for (int i = level - 1; i < 3; i++)
        p->outline[i] = i == level - 1 ? id : 0;
}

static void keep_heading(struct odp_paper *p, int level, const char *text, const char *dest)
{
    p->headings = odp_paper_grow(p, p->headings, p->nheadings, sizeof *p->headings);
    p->headings[p->nheadings++] =
        (struct odp_heading){odp_arena_str(p->arena, text), odp_arena_str(p->arena, dest), level, p->page};
}

static void draw_heading(struct odp_paper *p, const struct look *k, const char *text)
{
    enum odp_ink ink = p->ink;
    odp_paper_ink(p, k->ink);
    odp_paper_flow(p, k->tag, 0, *k->face, odp_slice_of(text), 0);
    if (k->bar)
        odp_paper_fill(p, k->ink, p->left, p->y + 3, 36, 2);
    odp_paper_ink(p, ink);
}

void odp_paper_heading(struct odp_paper *p, int level, const char *text, const char *dest, double keep)
{
    const struct look *k = &looks[level < 1 ? 0 : level > ODP_HEADING_LONE ? 2 : level - 1];
    level = (int)(k - looks) + 1;
    double height = odp_paper_text_height(p, p->right - p->left, *k->face, odp_slice_of(text)),
           more = k->after + (k->bar ? BAR_ROOM : 0);
    (void)odp_paper_need(p, k->before + height + more + keep);
    if (!odp_paper_is_fresh(p))
        p->y += k->before;
    keep_heading(p, level, text, dest);
    odp_paper_dest(p, dest);
    if (p->drawing && odp_paper_dest_is_name(dest))
        add_bookmark(p, level == ODP_HEADING_LONE ? 2 : level, text, dest);
    if (!p->drawing && p->y + height <= p->bottom)
        p->y += height; /* as odp_paper_flow would; documents have thousands of headings */
    else
        draw_heading(p, k, text);
    p->y += more;
}
