/* Latin text without pango: see table_internal.h.
 *
 * The glyph and the advance of a character, and the kerning of a pair of ASCII characters, are asked of pango once, when they
 * first occur. From then on a text is measured, broken into lines and drawn by these, which takes a tenth of the time of
 * layouts; that measuring and drawing agree goes without saying. Ligatures are off. Figures have no kerning: their digits stand
 * below each other.
 *
 * Lines end at spaces; after a hyphen between letters, a slash before a letter, a dash, a comma or semicolon that nothing but a
 * digit follows. A word that is wider than the column ends after another mark (_ . @ & = ? :), else anywhere. */
#include <stdint.h>

#include "base/utf8.h"
#include "write/pdf/table_internal.h"

#define PAIR_UNKNOWN INT32_MIN
#define UNKNOWN      (-1) /* advances */
#define STRANGE      (-2) /* not in the font */
#define WORD_MOST    (100 * PANGO_SCALE)

enum { CHUNK = 256 }; /* glyphs handed to cairo at once */

void odp_table_latin_init(struct odp_table_text *t)
{
    for (size_t i = 0; i < ODP_TABLE_ADVANCES; i++)
        t->advance[i] = UNKNOWN;
    for (size_t i = 0; i < ODP_TABLE_ASCII; i++)
        for (size_t k = 0; k < ODP_TABLE_ASCII; k++)
            t->pair[i][k] = PAIR_UNKNOWN;
}

/* Where CP's advance is kept; -1: it has none there. */
static int index_of(uint32_t cp)
{
    if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || cp == 0xAD)
        return -1;
    if (cp < ODP_TABLE_LATIN)
        return (int)cp;
    if (cp >= ODP_TABLE_DASHES && cp < 0x2028)
        return ODP_TABLE_LATIN + (int)(cp - ODP_TABLE_DASHES);
    return -1;
}

static int32_t width_of(struct odp_table_text *t, const char *text, size_t len)
{
    int w;
    pango_layout_set_text(t->line, text, (int)len);
    pango_layout_get_size(t->line, &w, NULL);
    return w;
}

/* A character that the font has as one glyph gets its advance and glyph, every other one is strange. */
static void learn(struct odp_table_text *t, int index, const char *at, size_t n)
{
    int32_t width = width_of(t, at, n);
    PangoLayoutLine *line = pango_layout_get_line_readonly(t->line, 0);
    PangoGlyphItem *run = line->runs != NULL ? line->runs->data : NULL;
    t->advance[index] = STRANGE;
    if (run == NULL || line->runs->next != NULL || run->glyphs->num_glyphs != 1)
        return;
    PangoGlyph glyph = run->glyphs->glyphs[0].glyph;
    if ((glyph & PANGO_GLYPH_UNKNOWN_FLAG) != 0 || glyph == PANGO_GLYPH_EMPTY || run->item->analysis.font == NULL)
        return;
    if (t->font == NULL)
        t->font = g_object_ref(run->item->analysis.font);
    if (t->font != run->item->analysis.font)
        return;
    t->glyph[index] = glyph;
    t->advance[index] = width;
}

/* The character at S[AT]: its length in bytes; 0: not one of those. */
static size_t char_at(struct odp_table_text *t, struct odp_slice s, size_t at, int *index)
{
    unsigned char c = (unsigned char)s.ptr[at];
    uint32_t cp = c;
    size_t n = 1;
    if (c >= 0x80) {
        if (c < 0xC2 || c > 0xE2 || odp_utf8_valid((struct odp_slice){s.ptr + at, s.len - at < 4 ? s.len - at : 4}) == 0)
            return 0;
        n = odp_utf8_decode(s.ptr + at, s.len - at, &cp);
    }
    *index = index_of(cp);
    if (*index < 0)
        return 0;
    if (t->advance[*index] == UNKNOWN)
        learn(t, *index, s.ptr + at, n);
    return t->advance[*index] >= 0 ? n : 0;
}

static int32_t pair_of(struct odp_table_text *t, unsigned char a, unsigned char b)
{
    int32_t *pair = &t->pair[a][b];
    if (*pair == PAIR_UNKNOWN) {
        const char both[2] = {(char)a, (char)b};
        *pair = width_of(t, both, 2) - t->advance[a] - t->advance[b];
    }
    return *pair;
}

/* A walk over characters that are known to be Latin. */
struct walk {
    struct odp_table_text *t;
    struct odp_slice s;
    bool figure;
    size_t at;          /* the next character */
    unsigned char last; /* the one before, if it is ASCII; else 0 */
    unsigned char c;    /* this one's first byte */
    int index;
    size_t n;
    int32_t kern; /* between them */
};

/* The character at W->at, which is not taken yet. False: no Latin one. */
static bool look(struct walk *w)
{
    w->n = char_at(w->t, w->s, w->at, &w->index);
    if (w->n == 0)
        return false;
    w->c = (unsigned char)w->s.ptr[w->at];
    w->kern = !w->figure && w->last != 0 && w->c < 0x80 ? pair_of(w->t, w->last, w->c) : 0;
    return true;
}

static int32_t step_of(const struct walk *w)
{
    return w->t->advance[w->index] + w->kern;
}

static void take(struct walk *w)
{
    w->last = w->c < 0x80 ? w->c : 0;
    w->at += w->n;
}

/* ---- measuring
 * -------------------------------------------------------------------------------------------------------------------- */

static int32_t sum(int32_t a, int32_t b)
{
    int64_t s = (int64_t)a + b;
    return s > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)s; /* a thousand pages: more makes no difference */
}

static bool is_letter(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

/* A line may end between the characters before and at AT (not at a space). */
static bool may_break(struct odp_slice s, size_t at)
{
    unsigned char before = (unsigned char)s.ptr[at - 1], after = (unsigned char)s.ptr[at];
    switch (before) {
    case '-':
        return at >= 2 && is_letter((unsigned char)s.ptr[at - 2]) && is_letter(after);
    case '/':
        return is_letter(after);
    case ',':
    case ';':
        return after != ' ' && (after < '0' || after > '9');
    default: /* en dash, em dash: E2 80 93, E2 80 94 */
        return (before == 0x93 || before == 0x94) && at >= 3 && memcmp(s.ptr + at - 3, "\xE2\x80", 2) == 0 && after != ' ';
    }
}

static bool may_break_word(struct odp_slice s, size_t at)
{
    return memchr("_.@&=?:-/", s.ptr[at - 1], 9) != NULL;
}

struct words {
    int32_t word, piece; /* so far: between spaces, between places where a line may end */
    int32_t most;
};

static void end_piece(struct words *w)
{
    if (w->word > WORD_MOST && w->piece > w->most)
        w->most = w->piece;
    w->piece = 0;
}

static void end_word(struct words *w)
{
    end_piece(w);
    if (w->word <= WORD_MOST && w->word > w->most)
        w->most = w->word;
    w->word = 0;
}

static bool is_figure_char(unsigned char c)
{
    return (c >= '0' && c <= '9') || c == '.' || c == ',' || c == '-';
}

bool odp_table_latin_extent(struct odp_table_text *t, struct odp_slice s, bool figure, struct odp_table_extent *e)
{
    struct walk w = {.t = t, .s = s, .figure = figure};
    struct words words = {0};
    int32_t comma = -1, line = 0;
    bool digits = s.len > 0;
    *e = (struct odp_table_extent){.one_line = true};
    while (w.at < s.len) {
        if (s.ptr[w.at] == '\n') {
            end_word(&words);
            w.last = 0;
            w.at++;
            line = 0;
            e->one_line = digits = false;
            continue;
        }
        if (!look(&w))
            return false;
        int32_t step = step_of(&w);
        if (w.c == ',')
            comma = line;
        digits = digits && is_figure_char(w.c);
        if (w.c == ' ') {
            end_word(&words);
        } else {
            if (w.at > 0 && words.word > 0 && may_break(s, w.at))
                end_piece(&words);
            words.word = sum(words.word, step);
            words.piece = sum(words.piece, step);
        }
        line = sum(line, step);
        e->total = sum(e->total, step);
        e->natural = line > e->natural ? line : e->natural;
        take(&w);
    }
    end_word(&words);
    e->word = words.most;
    e->tail = !digits ? -1 : comma >= 0 ? line - comma : 0;
    return true;
}

bool odp_table_latin_is(struct odp_table_text *t, struct odp_slice s)
{
    int index;
    size_t n;
    for (size_t at = 0; at < s.len; at += n) {
        n = s.ptr[at] == '\n' ? 1 : char_at(t, s, at, &index);
        if (n == 0)
            return false;
    }
    return true;
}

/* ---- lines
 * ------------------------------------------------------------------------------------------------------------------------ */

/* A line: bytes from `start` to `end`; the next one begins at `next`. */
struct line {
    size_t start, end, next;
};

static struct line line_of(struct walk w, int32_t room)
{
    struct line l = {.start = w.at};
    size_t between = 0, inside = 0; /* the last places where it may end, the better one and the other one */
    int32_t used = 0;
    w.last = 0;
    for (; w.at < w.s.len && w.s.ptr[w.at] != '\n'; take(&w)) {
        if (!look(&w))
            break;
        if (w.at > l.start && w.c != ' ') {
            if (w.last == ' ' || may_break(w.s, w.at))
                between = w.at;
            else if (may_break_word(w.s, w.at))
                inside = w.at;
            if (used + step_of(&w) > room) {
                w.at = between != 0 ? between : inside != 0 ? inside : w.at;
                break;
            }
        }
        used = sum(used, step_of(&w));
    }
    l.end = l.next = w.at;
    if (l.end < w.s.len && w.s.ptr[l.end] == '\n')
        l.next++;
    else
        while (l.next < w.s.len && w.s.ptr[l.next] == ' ')
            l.next++;
    while (l.end > l.start && w.s.ptr[l.end - 1] == ' ')
        l.end--;
    return l;
}

static int32_t line_width(struct walk w, const struct line *l)
{
    int32_t all = 0;
    w.last = 0;
    for (w.at = l->start; w.at < l->end && look(&w); take(&w))
        all = sum(all, step_of(&w));
    return all;
}

/* Behind a line that ended between words stands a space, for readers of the text. */
static void show_space(const struct walk *w, cairo_t *cr, double x, double y)
{
    static const cairo_text_cluster_t cluster = {1, 1};
    cairo_glyph_t glyph = {w->t->glyph[' '], x, y};
    if (w->t->advance[' '] >= 0)
        cairo_show_text_glyphs(cr, " ", 1, &glyph, 1, &cluster, 1, 0);
}

static void show_line(struct walk w, const struct line *l, cairo_t *cr, double x, double y)
{
    cairo_glyph_t glyphs[CHUNK];
    cairo_text_cluster_t clusters[CHUNK];
    size_t start = w.at = l->start;
    int32_t at = 0;
    int n = 0;
    w.last = 0;
    while (w.at < l->end && look(&w)) {
        at += w.kern;
        glyphs[n] = (cairo_glyph_t){w.t->glyph[w.index], x + (double)at / PANGO_SCALE, y};
        clusters[n] = (cairo_text_cluster_t){(int)w.n, 1};
        at += w.t->advance[w.index];
        n++;
        take(&w);
        if (n == CHUNK || w.at == l->end) {
            cairo_show_text_glyphs(cr, w.s.ptr + start, (int)(w.at - start), glyphs, n, clusters, n, 0);
            start = w.at;
            n = 0;
        }
    }
    if (l->next > l->end && l->next < w.s.len)
        show_space(&w, cr, x + (double)at / PANGO_SCALE, y);
}

static int32_t room_of(double width)
{
    return width * PANGO_SCALE < INT32_MAX / 2 ? (int32_t)(width * PANGO_SCALE) : INT32_MAX / 2;
}

/* Behind the line: where the next one begins, or more than the length. */
static size_t behind(const struct line *l, size_t at, size_t len)
{
    return l->next > at && l->next < len ? l->next : len + 1;
}

uint32_t odp_table_latin_count(struct odp_table_text *t, struct odp_slice text, bool right, double width)
{
    struct walk w = {.t = t, .s = text, .figure = right};
    uint32_t n = 0;
    while (w.at <= text.len) {
        struct line l = line_of(w, room_of(width));
        w.at = behind(&l, w.at, text.len);
        n++;
    }
    return n;
}

double odp_table_latin_lines(struct odp_table_text *t, struct odp_slice s, bool right, double width, size_t *at, double most,
                             cairo_t *cr, double x, double y)
{
    struct walk w = {.t = t, .s = s, .figure = right};
    double used = 0;
    if (cr != NULL && t->font != NULL)
        cairo_set_scaled_font(cr, pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(t->font)));
    while (*at <= s.len && (used == 0 || used + t->line_height <= most)) {
        w.at = *at;
        struct line l = line_of(w, room_of(width));
        if (cr != NULL && l.end > l.start) {
            double shift = right ? width - (double)line_width(w, &l) / PANGO_SCALE : 0;
            show_line(w, &l, cr, x + shift, y + used + t->baseline);
        }
        used += t->line_height;
        *at = behind(&l, *at, s.len);
    }
    return used;
}
