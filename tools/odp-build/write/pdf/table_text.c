/* Texts of any kind, laid out by pango: see table_internal.h. */
#include <math.h>

#include "base/utf8.h"
#include "write/pdf/table_internal.h"

#define HEAD_LINES 12
#define NO_KERNING "kern=0" /* digits are aligned */

/* Breaking a paragraph into lines takes pango time by the square of its length: long texts are laid out by
 * windows of so many bytes. */
enum { LONG = 4096, WINDOW = 3072, LONG_SAMPLE = 1024 };

static PangoLayout *layout_of(struct odp_table_text *t, struct odp_slice text, bool right, double width)
{
    PangoLayout *l =
        odp_fonts_layout(t->fonts, t->face, text, width, right ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT);
    if (right)
        pango_layout_set_attributes(l, t->figures);
    return l;
}

void odp_table_text_init(struct odp_table_text *t, struct odp_fonts *f, double size)
{
    *t = (struct odp_table_text){.fonts = f, .face = odp_type_table, .figures = pango_attr_list_new()};
    t->face.size = size;
    t->line_height = odp_fonts_measure(f, t->face, ODP_LIT("Hg"), -1).height;
    pango_attr_list_insert(t->figures, pango_attr_font_features_new(NO_KERNING));
    pango_attr_list_insert(t->figures, pango_attr_insert_hyphens_new(FALSE));
}

void odp_table_text_release(struct odp_table_text *t)
{
    if (t->figures != NULL)
        pango_attr_list_unref(t->figures);
    odp_buffer_release(&t->clean);
    t->figures = NULL;
}

/* ---- measuring ---- */

static int32_t sum(int32_t a, int64_t b)
{
    int64_t s = a + b;
    return s > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)s; /* a thousand pages: more makes no difference */
}

/* From the decimal comma on; -1: not a figure. */
static int32_t tail_of(PangoLayout *l, struct odp_slice s, int32_t natural)
{
    PangoRectangle at;
    size_t i = 0, comma = s.len;
    for (; i < s.len; i++) {
        if ((s.ptr[i] < '0' || s.ptr[i] > '9') && strchr(".,-", s.ptr[i]) == NULL)
            return -1;
        comma = s.ptr[i] == ',' ? i : comma;
    }
    pango_layout_index_to_pos(l, (int)comma, &at);
    return s.len == 0 ? -1 : comma < s.len ? natural - at.x : 0;
}

void odp_table_text_extent(struct odp_table_text *t, struct odp_slice s, bool figure,
                           struct odp_table_extent *e)
{
    *e = (struct odp_table_extent){.tail = -1, .one_line = true};
    struct odp_slice part = s.len > LONG ? odp_utf8_cut(s, LONG_SAMPLE) : s;
    if (s.len == 0)
        return;
    PangoLayout *l = layout_of(t, part, figure, -1);
    PangoLayoutIter *it = pango_layout_get_iter(l);
    do {
        PangoRectangle r;
        pango_layout_iter_get_line_extents(it, NULL, &r);
        e->natural = r.width > e->natural ? r.width : e->natural;
        e->total = sum(e->total, r.width);
    } while (pango_layout_iter_next_line(it));
    pango_layout_iter_free(it);
    e->one_line = part.len == s.len && pango_layout_get_line_count(l) == 1;
    e->tail = e->one_line ? tail_of(l, s, e->natural) : -1;
    g_object_unref(l);
    int64_t times = (int64_t)(s.len / part.len);
    times = times > 4096 ? 4096 : times;
    e->natural = sum(0, e->natural * times);
    e->total = sum(0, e->total * times);
}

struct odp_slice odp_table_text_longest_word(struct odp_slice s)
{
    struct odp_slice best = {s.ptr, 0};
    for (size_t i = 0, start = 0; i <= s.len; i++) {
        if (i < s.len && (unsigned char)s.ptr[i] > ' ')
            continue;
        if (i - start > best.len)
            best = (struct odp_slice){s.ptr + start, i - start};
        start = i + 1;
    }
    return best;
}

struct odp_slice odp_table_text_trim(struct odp_slice text)
{
    while (text.len > 0 && (text.ptr[text.len - 1] == '\n' || text.ptr[text.len - 1] == '\r'))
        text.len--;
    return text;
}

/* ---- lines ---- */

struct odp_slice odp_table_text_clean(struct odp_table_text *t, struct odp_slice text)
{
    odp_buffer_clear(&t->clean);
    odp_fonts_clean(text, &t->clean);
    return odp_table_text_trim((struct odp_slice){odp_buffer_cstr(&t->clean), t->clean.len});
}

struct lines {
    double most, used;
    cairo_t *cr;
    double x, y;
    bool full; /* a line did not fit any more */
};

/* Lines of a window's layout; the last one only where the window reaches to the END of the text, or is the
 * only one: the following text may belong to it. Returns the byte after these lines. */
static size_t take_lines(PangoLayout *l, struct lines *to, bool end)
{
    PangoLayoutIter *it = pango_layout_get_iter(l);
    const char *text = pango_layout_get_text(l);
    size_t behind = 0;
    bool more = true, any = false;
    while (more) {
        PangoLayoutLine *line = pango_layout_iter_get_line_readonly(it);
        PangoRectangle r;
        pango_layout_iter_get_line_extents(it, NULL, &r);
        double up = (double)(pango_layout_iter_get_baseline(it) - r.y) / PANGO_SCALE,
               height = (double)r.height / PANGO_SCALE;
        size_t next = (size_t)(line->start_index + line->length);
        more = pango_layout_iter_next_line(it);
        if (!more && !end && any)
            break;
        if (to->used + height > to->most && to->used > 0) {
            to->full = true;
            break;
        }
        if (to->cr != NULL)
            odp_fonts_show_line(to->cr, line, to->x + (double)r.x / PANGO_SCALE, to->y + to->used + up);
        to->used += height;
        any = true;
        behind = text[next] == '\n' ? next + 1 : next;
    }
    pango_layout_iter_free(it);
    return behind;
}

double odp_table_text_lines(struct odp_table_text *t, struct odp_slice text, struct odp_box at, cairo_t *cr,
                            size_t *from, double most)
{
    struct lines to = {.most = most, .cr = cr, .x = at.x, .y = at.y};
    while (*from <= text.len && !to.full) {
        struct odp_slice rest = {text.ptr + *from, text.len - *from},
                         part = rest.len > LONG ? odp_utf8_cut(rest, WINDOW) : rest;
        bool end = part.len == rest.len;
        PangoLayout *l = layout_of(t, part, at.align == PANGO_ALIGN_RIGHT, at.width);
        size_t behind = take_lines(l, &to, end);
        g_object_unref(l);
        /* A window without a line cannot be, but must not be for ever. */
        *from = !to.full && (end || behind == 0) ? text.len + 1 : *from + behind;
    }
    return to.used;
}

double odp_table_text_set(struct odp_table_text *t, struct odp_slice text, struct odp_box at, cairo_t *cr)
{
    size_t from = 0;
    return odp_table_text_lines(t, odp_table_text_clean(t, text), at, cr, &from, HUGE_VAL);
}

PangoLayout *odp_table_text_head(struct odp_table_text *t, const char *head, bool right, double width)
{
    struct odp_face face = t->face;
    face.bold = odp_type_table_head.bold;
    PangoLayout *l = odp_fonts_layout(t->fonts, face, odp_slice_of(head), width,
                                      right ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT);
    pango_layout_set_height(l, -HEAD_LINES);
    pango_layout_set_ellipsize(l, PANGO_ELLIPSIZE_END);
    return l;
}
