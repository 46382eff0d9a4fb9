/* The layout of a table: see table_internal.h.
 *
 * Portrait where no column is narrower than its contents want and hardly any row is high for being squeezed;
 * else landscape, there with less comfort if need be, then half a point smaller; else bands, as few as fit,
 * each a Table of its own with the keys in front, as long as they leave half of the room. A table narrower
 * than the page is at most half as wide again as its contents. A column of mixed decimals aligns their
 * commas, unless that makes it half as wide again. */
#include <math.h>

#include "write/pdf/table_internal.h"

#define SIZE    7.5 /* of odp_type_table */
#define SMALLER 7.0
#define SLACK   0.4 /* a column is wider than its widest text by so much: sums are rounded */
#define SHORT                                                                                                \
    64.0 /* texts up to this width are not wrapped if that can be helped: codes, dates, names of kinds */
#define COMFORT 84.0 /* a column of longer texts is not narrower than this, if that can be helped */
#define CAP                                                                                                  \
    0.4 /* no column insists on more than this part of the room: what is wider is broken inside of words */
#define CAP_TIGHT  0.25
#define KEYS_MOST  0.45  /* of the room in a band for the columns that are repeated */
#define HIGH       8.0   /* lines of a row that is squeezed … */
#define NARROW     200.0 /* … by a column narrower than this */
#define SQUEEZED   0.02  /* part of the rows that may be */
#define STRETCH    0.5   /* a table that needs less than the room gets wider by this part at most */
#define GAP        6.0   /* more between figures and a text at their right */
#define PADS_MOST  (2 * ODP_TABLE_PAD_X + GAP) /* a column's width besides its text, at most */
#define TAILS_MOST 1.5 /* commas are aligned unless the column gets wider than this by it */

#define HEAD_MOST 1e4 /* what a longer head than HEAD_BYTES is taken to measure */

#define PAGE_ROWS 40.0  /* about: pages of rows to each repeated head */
#define WORD_MOST 100.0 /* no column is kept wider for a longer word */

enum { SAMPLE = 240, HEAD_BYTES = 400 };

static double points(int32_t units)
{
    return (double)units / PANGO_SCALE;
}

/* ---- measuring the cells ---- */

/* The longest word by bytes is taken for the widest. */
static void take_word(struct odp_print_table *t, struct odp_table_column *c, struct odp_slice text,
                      double natural)
{
    struct odp_slice word = odp_table_text_longest_word(text);
    double w = natural;
    if (word.len <= c->word_bytes)
        return;
    c->word_bytes = word.len;
    if (word.len < text.len && word.len <= HEAD_BYTES)
        w = odp_fonts_measure(t->text.fonts, t->text.face, word, -1).width;
    c->word = fmax(c->word, fmin(w, WORD_MOST));
}

static void take_cell(struct odp_table_column *c, const struct odp_table_extent *e)
{
    c->natural = fmax(c->natural, points(e->natural));
    if (e->tail < 0)
        return;
    c->left = fmax(c->left, points(e->natural - e->tail));
    c->mixed = c->mixed || (c->any_figure && points(e->tail) != c->tail);
    c->tail = fmax(c->tail, points(e->tail));
    c->any_figure = true;
}

/* Commas below each other where numbers of decimals differ. */
static void align_commas(struct odp_table_column *c)
{
    c->aligned = c->is.right && c->mixed && c->left + c->tail <= c->natural * TAILS_MOST;
    if (c->aligned)
        c->natural = fmax(c->natural, c->left + c->tail);
}

static void measure_cells(struct odp_print_table *t)
{
    struct odp_table_extent e;
    const char *uri;
    t->measure = odp_arena_array(&t->arena, (size_t)t->rows * t->n + 1, sizeof *t->measure);
    for (uint64_t i = 0; i < t->rows; i++)
        for (uint32_t k = 0; k < t->n; k++) {
            struct odp_slice text = odp_table_cell(t, i, k, &uri);
            odp_table_text_extent(&t->text, text, t->columns[k].is.right, &e);
            take_cell(&t->columns[k], &e);
            take_word(t, &t->columns[k], text, points(e.natural));
            t->measure[i * t->n + k] = e.one_line ? e.natural : -1 - e.total;
        }
    for (uint32_t k = 0; k < t->n; k++)
        align_commas(&t->columns[k]);
}

static double head_width(struct odp_print_table *t, const char *text, size_t len)
{
    return odp_fonts_measure(t->text.fonts, odp_type_table_head, (struct odp_slice){text, len}, -1).width;
}

/* Pango may end a line here: at white space, after a slash. */
static bool ends_word(const char *s, size_t i)
{
    return s[i] == ' ' || s[i] == '\n' || s[i] == '\0' || (i > 0 && s[i - 1] == '/');
}

static void measure_heads(struct odp_print_table *t)
{
    for (uint32_t k = 0; k < t->n; k++) {
        struct odp_table_column *c = &t->columns[k];
        const char *head = c->is.head;
        size_t n = strlen(head), start = 0;
        c->head_natural = n <= HEAD_BYTES ? head_width(t, head, n) : HEAD_MOST;
        for (size_t i = 0; i <= n; i++) {
            if (!ends_word(head, i))
                continue;
            if (i > start)
                c->head_word =
                    fmax(c->head_word,
                         i - start <= HEAD_BYTES ? head_width(t, head + start, i - start) : HEAD_MOST);
            start = head[i] == ' ' || head[i] == '\n' ? i + 1 : i;
        }
    }
}

/* ---- choosing ---- */

/* Columns side by side, and how they are to be fitted. */
struct fit {
    struct odp_print_table *t;
    const uint32_t *column;
    uint32_t n;
    double room;  /* with the space around texts */
    double scale; /* of the type, to what was measured */
    bool comfort;
    bool banded;
    uint32_t repeated; /* of a band: number of columns repeated in front of each */
    double *width;     /* n: the result */
};

/* A text next to figures: both at the line between them. */
static bool is_tight(const struct odp_print_table *t, const uint32_t *column, uint32_t k)
{
    return k > 0 && t->columns[column[k - 1]].is.right && !t->columns[column[k]].is.right;
}

static double pads(const struct fit *f)
{
    double all = 2 * ODP_TABLE_PAD_X * f->n;
    for (uint32_t k = 0; k < f->n; k++)
        all += is_tight(f->t, f->column, k) ? GAP : 0;
    return all;
}

static double least_of(const struct fit *f, uint32_t column, bool repeated)
{
    const struct odp_table_column *c = &f->t->columns[column];
    double natural = c->natural * f->scale + SLACK, word = c->word * f->scale + SLACK,
           head = c->head_word * f->scale + SLACK;
    double least = c->is.right || natural <= (f->comfort ? SHORT : SHORT / 2) ? natural : word;
    if (f->comfort)
        least = fmax(least, fmin(natural, COMFORT));
    double cap = (f->room - pads(f)) * (f->comfort ? CAP : CAP_TIGHT);
    if (f->banded)
        cap = f->room * (repeated ? KEYS_MOST / 2 : CAP);
    return fmin(fmax(least, head), cap);
}

static double most_of(const struct fit *f, uint32_t column)
{
    const struct odp_table_column *c = &f->t->columns[column];
    return fmax(c->natural, c->head_natural) * f->scale + SLACK;
}

static double measured(const struct odp_print_table *t, uint64_t i, uint32_t column)
{
    int32_t m = t->measure[i * t->n + column];
    return points(m < 0 ? -1 - m : m);
}

/* The part of the rows that are high because a column is narrow. */
static double squeezed(const struct fit *f)
{
    uint64_t high = 0;
    for (uint64_t i = 0; i < f->t->rows; i++) {
        bool is = false;
        for (uint32_t k = 0; k < f->n && !is; k++)
            is = f->width[k] < NARROW &&
                 odp_table_widths_lines(measured(f->t, i, f->column[k]) * f->scale, f->width[k]) > HIGH;
        high += is;
    }
    return f->t->rows > 0 ? (double)high / (double)f->t->rows : 0;
}

/* A sample of rows, evenly spaced, and the head, which is on every page. */
static void fill_sample(const struct fit *f, uint32_t rows, double *sample, double *weight)
{
    const struct odp_print_table *t = f->t;
    for (uint32_t s = 0; s < rows; s++) {
        uint64_t row = t->rows < SAMPLE ? s : (uint64_t)((double)s / SAMPLE * (double)t->rows);
        for (uint32_t k = 0; k < f->n; k++)
            sample[(size_t)s * f->n + k] = measured(t, row, f->column[k]) * f->scale;
        weight[s] = 1;
    }
    for (uint32_t k = 0; k < f->n; k++)
        sample[(size_t)rows * f->n + k] = t->columns[f->column[k]].head_natural * f->scale;
    weight[rows] = 1 + rows / PAGE_ROWS;
}

/* False: it does not fit. */
static bool fit(struct fit *f)
{
    uint32_t n = f->n, rows = f->t->rows < SAMPLE ? (uint32_t)f->t->rows : SAMPLE;
    if (pads(f) > f->room * 0.8) /* nothing but space */
        return false;
    double *least = odp_arena_array(&f->t->arena, (rows + 3) * ((size_t)n + 1), sizeof *least);
    double *most = least + n, *weight = most + n, *sample = weight + rows + 1;
    for (uint32_t k = 0; k < n; k++) {
        least[k] = least_of(f, f->column[k], k < f->repeated);
        most[k] = fmax(most_of(f, f->column[k]), least[k]);
    }
    fill_sample(f, rows, sample, weight);
    const struct odp_table_widths w = {n, rows + 1, least, most, sample, weight, f->room - pads(f)};
    return odp_table_widths_solve(&w, f->width);
}

/* Room that is left makes the columns wider, in proportion; not without end: eyes must find from column to
 * column. */
static void stretch(struct fit *f)
{
    double all = 0;
    for (uint32_t k = 0; k < f->n; k++)
        all += f->width[k];
    double left = f->room - pads(f) - all;
    if (left <= 0 || all <= 0)
        return;
    double most = f->t->rows > 0 ? all * STRETCH + 12.0 * f->n : left;
    double factor = 1 + fmin(left, most) / all;
    for (uint32_t k = 0; k < f->n; k++)
        f->width[k] *= factor;
}

/* ---- bands ---- */

static struct odp_table_band *add_band(struct odp_print_table *t, const uint32_t *column, uint32_t n,
                                       const double *width)
{
    struct odp_table_band *b = &t->bands[t->nbands++];
    b->n = n;
    b->column = odp_arena_array(&t->arena, n + 1u, sizeof *b->column);
    b->x = odp_arena_array(&t->arena, n + 1u, sizeof *b->x);
    b->width = odp_arena_array(&t->arena, n + 1u, sizeof *b->width);
    b->height = odp_arena_array(&t->arena, (size_t)t->rows + 1, sizeof *b->height);
    for (uint32_t k = 0; k < n; k++) {
        b->column[k] = column[k];
        b->width[k] = width[k];
        b->all += is_tight(t, column, k) ? GAP : 0;
        b->x[k] = b->all + ODP_TABLE_PAD_X;
        b->all += width[k] + 2 * ODP_TABLE_PAD_X;
    }
    b->first = 1;
    b->last = t->n;
    return b;
}

/* The order of the columns in bands: the keys first, as long as they leave room; they are repeated. */
static void order_columns(struct fit *f, uint32_t *order)
{
    double used = 0;
    uint32_t n = 0;
    for (uint32_t k = 0; k < f->n; k++) {
        double width = least_of(f, k, true) + PADS_MOST;
        if (!f->t->columns[k].is.key || used + width > f->room * KEYS_MOST)
            continue;
        used += width;
        order[n++] = k;
    }
    f->repeated = n;
    for (uint32_t k = 0, key = 0; k < f->n; k++) {
        if (key < f->repeated && order[key] == k)
            key++;
        else
            order[n++] = k;
    }
}

static double keys_width(const struct fit *f, const uint32_t *order)
{
    double all = 0;
    for (uint32_t k = 0; k < f->repeated; k++)
        all += least_of(f, order[k], true) + PADS_MOST;
    return all;
}

/* End of the band that begins with ORDER[AT], at most ROOM wide; it has one column at least. */
static uint32_t band_end(const struct fit *f, const uint32_t *order, uint32_t at, double room)
{
    double used = keys_width(f, order);
    uint32_t end = at;
    while (end < f->n) {
        used += least_of(f, order[end], false) + PADS_MOST;
        if (end > at && used > room)
            break;
        end++;
    }
    return end;
}

static uint32_t count_bands(const struct fit *f, const uint32_t *order, double room)
{
    uint32_t n = 0;
    for (uint32_t at = f->repeated; at < f->n; n++)
        at = band_end(f, order, at, room);
    return n;
}

/* The least room that needs no more bands: so all become about equally wide. */
static double even_room(const struct fit *f, const uint32_t *order, uint32_t nbands)
{
    double low = 0, high = f->room;
    for (int i = 0; i < 40; i++) {
        double middle = (low + high) / 2;
        if (count_bands(f, order, middle) > nbands)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* One band: the repeated columns and order[at … end). Their minimum is no more than the room, so they fit. */
static void make_band(struct odp_print_table *t, const struct fit *whole, const uint32_t *order, uint32_t at,
                      uint32_t end)
{
    struct fit part = *whole;
    part.n = whole->repeated + end - at;
    uint32_t *column = odp_arena_array(&t->arena, (size_t)part.n + 1, sizeof *column);
    memcpy(column, order, whole->repeated * sizeof *column);
    memcpy(column + whole->repeated, order + at, (end - at) * sizeof *column);
    part.column = column;
    (void)fit(&part);
    stretch(&part);
    struct odp_table_band *b = add_band(t, column, part.n, part.width);
    bool from_first =
        at == whole->repeated && (at == 0 || order[at - 1] + 1 == at); /* the keys are the first columns */
    b->first = from_first ? 1 : order[at] + 1;
    b->last = order[end - 1] + 1;
}

static void make_bands(struct odp_print_table *t, struct fit *f)
{
    uint32_t *order = odp_arena_array(&t->arena, (size_t)t->n + 1, sizeof *order);
    f->banded = f->comfort = true;
    f->scale = 1;
    order_columns(f, order);
    uint32_t nbands = count_bands(f, order, f->room);
    double room = even_room(f, order, nbands);
    t->bands = odp_arena_zero(&t->arena, nbands + 1u, sizeof *t->bands);
    for (uint32_t at = f->repeated; at < t->n;) {
        uint32_t end = band_end(f, order, at, room);
        make_band(t, f, order, at, end);
        at = end;
    }
}

/* ---- heights ---- */

static void use_size(struct odp_print_table *t, double size)
{
    struct odp_fonts *fonts = t->text.fonts;
    if (size == t->text.face.size)
        return;
    odp_table_text_release(&t->text);
    odp_table_text_init(&t->text, fonts, size);
}

bool odp_table_fits(const struct odp_print_table *t, uint64_t i, uint32_t k, double width)
{
    int32_t m = t->measure[i * t->n + k];
    return m >= 0 && points(m) * (t->text.face.size / SIZE) <= width;
}

static void measure_band(struct odp_print_table *t, struct odp_table_band *b)
{
    for (uint32_t k = 0; k < b->n; k++) {
        const struct odp_table_column *c = &t->columns[b->column[k]];
        PangoLayout *l = odp_table_text_head(&t->text, c->is.head, c->is.right, b->width[k]);
        int h = 0;
        pango_layout_get_size(l, NULL, &h);
        g_object_unref(l);
        b->head_height = fmax(b->head_height, points(h) + 2 * ODP_TABLE_PAD_Y);
    }
    for (uint64_t i = 0; i < t->rows; i++) {
        double height = t->text.line_height;
        for (uint32_t k = 0; k < b->n; k++) {
            uint32_t column = b->column[k];
            const char *uri;
            if (!odp_table_fits(t, i, column, b->width[k]))
                height = fmax(height, odp_table_text_set(&t->text, odp_table_cell(t, i, column, &uri),
                                                         (struct odp_box){.width = b->width[k],
                                                                          .align = t->columns[column].is.right
                                                                                       ? PANGO_ALIGN_RIGHT
                                                                                       : PANGO_ALIGN_LEFT},
                                                         NULL));
        }
        b->height[i] = (float)(ceil((height + 2 * ODP_TABLE_PAD_Y) * 8) / 8);
    }
}

/* ---- the whole ---- */

struct
try {
    bool wide, comfort;
    double size, squeezed; /* the part of the rows that may be */
};

/* The first way in which all columns fit side by side; false: no way. */
static bool choose(struct odp_print_table *t, struct fit *f)
{
    static const struct try tries[] = {{false, true, SIZE, SQUEEZED},
                                       {true, true, SIZE, 1},
                                       {true, false, SIZE, 1},
                                       {true, true, SMALLER, 1},
                                       {true, false, SMALLER, 1}};
    static const struct try few[] = {
        {false, true, SIZE, 1}, {false, false, SIZE, 1}, {false, false, SMALLER, 1}};
    const struct try *list = t->of.narrow ? few : tries;
    size_t n = t->of.narrow ? ODP_COUNT(few) : ODP_COUNT(tries);
    for (size_t i = 0; i < n; i++) {
        f->room = t->width[list[i].wide];
        f->comfort = list[i].comfort;
        f->scale = list[i].size / SIZE;
        if (!fit(f) || (list[i].squeezed < 1 && squeezed(f) > list[i].squeezed))
            continue;
        t->wide = list[i].wide;
        stretch(f);
        use_size(t, list[i].size);
        return true;
    }
    return false;
}

static void lay_out(struct odp_print_table *t)
{
    uint32_t *column = odp_arena_array(&t->arena, (size_t)t->n + 1, sizeof *column);
    double *width = odp_arena_array(&t->arena, (size_t)t->n + 1, sizeof *width);
    for (uint32_t k = 0; k < t->n; k++)
        column[k] = k;
    struct fit f = {.t = t, .column = column, .n = t->n, .width = width};
    if (choose(t, &f)) {
        t->bands = odp_arena_zero(&t->arena, 1, sizeof *t->bands);
        (void)add_band(t, column, t->n, width);
        return;
    }
    t->wide = !t->of.narrow;
    f.room = t->width[t->wide];
    make_bands(t, &f);
}

void odp_table_plan(struct odp_print_table *t)
{
    for (int wide = 0; wide < 2; wide++)
        odp_paper_area(wide == 1, &t->width[wide], &t->body[wide]);
    measure_cells(t);
    measure_heads(t);
    lay_out(t);
    for (uint32_t i = 0; i < t->nbands; i++)
        measure_band(t, &t->bands[i]);
}

/* A line end at the end of a cell is no line of it. */
struct odp_slice odp_table_cell(const struct odp_print_table *t, uint64_t i, uint32_t k, const char **uri)
{
    *uri = NULL;
    return odp_table_text_trim(t->of.cell(t->of.ctx, i, k, uri));
}
