/* Inside of write/charts: what its files share.
 *
 *   alternative.c, json.c, svg.c   the text alternative; files of the site
 *   draw.c                         the whole picture
 *   bars.c, columns.c, line.c, map.c
 *   axis.c                         ticks of values and of time
 *   canvas.c                       ink on cairo or into SVG
 *   data.c, map_data.c             what is shown, after the last record; records of a map
 *   groups.c                       categories and series: order, folding
 *   label.c                        labels, scale and unit
 *   gather.c                       records to sums (the pass)
 *   palette.c, number.c
 *
 * Nothing here goes through binary floating point but the places of ink, and there only + - * / and floor are
 * used: the same bytes on every machine. */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "write/charts/chart.h"

/* ---- numbers (number.c) ---- */

/* Fixed point: units of 10^-9. A single value is below 10^18, and at most 10^10 are summed: no sum, and no
 * difference of two, leaves 128 bits. */
__extension__ typedef __int128 odp_fixed;
enum { ODP_FIXED_PLACES = 9, ODP_FIXED_DIGITS = 18 };
#define ODP_FIXED_ONE         ((odp_fixed)1000000000)
#define ODP_CHART_RECORDS_MAX UINT64_C(10000000000)

/* A JSON number's literal, rounded half to even in the ninth decimal. PLACES: its decimals without trailing
 * zeros, at most 9. False: not below 10^18 (or no number). */
bool odp_chart_number_parse(struct odp_slice literal, odp_fixed *out, unsigned *places);
/* 10^N, N <= 38. */
odp_fixed odp_chart_number_power(unsigned n);
/* V / BY, rounded half to even; BY > 0. */
odp_fixed odp_chart_number_divide(odp_fixed v, odp_fixed by);
static inline odp_fixed odp_chart_number_absolute(odp_fixed v)
{
    return v < 0 ? -v : v;
}
/* As a JSON number: shortest, exact. */
void odp_chart_number_json(struct odp_buffer *out, odp_fixed v);
/* V / 10^POWER with DECIMALS, grouped, U+2212 for minus: "−1.234,5". What would round to zero and is not: "<
 * 0,1". */
void odp_chart_number_show(struct odp_buffer *out, odp_fixed v, unsigned power, unsigned decimals,
                           enum odp_lang lang);
/* 100 PART / WHOLE with one decimal; WHOLE is not 0: "35,2%". */
void odp_chart_number_percent(struct odp_buffer *out, odp_fixed part, odp_fixed whole, enum odp_lang lang);

/* ---- data ---- */

enum {
    ODP_CHART_CELLS_MAX = 10000,
    ODP_CHART_TEXT_MAX = 4 << 20,
    ODP_CHART_BARS_MAX = 60,
    ODP_CHART_SERIES_MAX = 7,
    ODP_CHART_SYMBOLS_MAX = 20000
};
enum { ODP_CHART_CLASSES = 5 };

/* Of some records: how many have the value, and what it comes to. Merging is exact and in any order. */
struct odp_chart_sum {
    uint64_t n;
    odp_fixed sum, least, greatest;
};
void odp_chart_sum_add(struct odp_chart_sum *s, odp_fixed v);
void odp_chart_sum_merge(struct odp_chart_sum *s, const struct odp_chart_sum *other);

/* All records of one category and one series. ptr NULL: null. */
struct odp_chart_entry {
    struct odp_slice category, series;
    struct odp_chart_sum sum;
};

enum odp_chart_fault {
    ODP_CHART_FINE = 0,
    ODP_CHART_TOO_MANY, /* more categories (times series) than are kept */
    ODP_CHART_TOO_LARGE /* a value of 10^18 or more */
};

enum odp_chart_group_kind {
    ODP_GROUP_VALUE,
    ODP_GROUP_NULL,
    ODP_GROUP_OTHERS,
    ODP_GROUP_EARLIER,
    ODP_GROUP_CLASS
};

/* A category, or a series; of maps: what one kind of symbol stands for. */
struct odp_chart_group {
    enum odp_chart_group_kind kind;
    struct odp_slice key;              /* as in the data */
    struct odp_slice label[ODP_LANGS]; /* for people: one line, not empty */
    struct odp_chart_sum sum;          /* of all its records */
    odp_fixed value;                   /* of all its records, aggregated */
    uint64_t folded;                   /* OTHERS, EARLIER: how many are in it */
    double at;                         /* on an axis of time (days since 1970) or of numbers */
    uint32_t from;                     /* while it is made: index before sorting */
};
struct odp_chart_value {
    bool present;
    odp_fixed value;
};
/* One symbol of a map: the records of one cell and one group. */
struct odp_chart_symbol {
    double lon, lat;
    uint64_t n;
    uint32_t group;
};
enum odp_chart_axis {
    ODP_AXIS_TEXT /* one beside the other */,
    ODP_AXIS_TIME,
    ODP_AXIS_YEAR,
    ODP_AXIS_NUMBER
};

/* How values are written: in 10^power of the field's unit. */
struct odp_chart_scale {
    unsigned power, decimals;
    struct odp_slice unit[ODP_LANGS]; /* "miliar rupiah"; may be empty */
};

struct odp_chart_map_cell {
    uint32_t x, y, entry, next; /* next: of the same slot, + 1 */
    uint64_t n;
    odp_fixed sum;
};
enum { ODP_CHART_MAP_SLOTS = 1 << 15 };
struct odp_chart_map_cells {
    struct odp_chart_map_cell cell[ODP_CHART_SYMBOLS_MAX + 1];
    uint32_t n;
    unsigned level;
    uint32_t slots[ODP_CHART_MAP_SLOTS];
};
struct odp_chart_data {
    const struct odp_chart *chart;
    const struct odp_resource *resource;
    struct odp_arena arena;
    enum odp_chart_fault fault;
    /* gathering */
    struct odp_chart_entry *entries;
    uint32_t nentries, cap;
    json_t *known;         /* which entry has a category and a series */
    struct odp_buffer key; /* of the entry in hand; failed: a text could not be held */
    size_t text;           /* bytes of the entries' keys */
    struct odp_chart_map_cells *cells;
    unsigned places;             /* most decimals of a value */
    uint64_t records;            /* all */
    uint64_t no_value, no_place; /* left out, because there is none */
    uint64_t no_time;            /* left out of a line, because its category is null */
    /* finished */
    enum odp_chart_axis axis;
    bool ordered; /* categories stand in an order of their own */
    bool steps;   /* the groups that colours stand for have an order: from light to dark */
    struct odp_chart_group *categories, *series;
    uint32_t ncategories, nseries;  /* nseries is 1 without a series, 0 of maps */
    struct odp_chart_value *values; /* [category * nseries + series] */
    struct odp_chart_scale scale;
    struct odp_chart_symbol *symbols; /* shuffled, always alike */
    uint32_t nsymbols;
    double box[4]; /* of the symbols: west, south, east, north */
};

/* gather.c: the entry of CATEGORY and SERIES, made if there is none. NULL: d->fault is set. */
struct odp_chart_entry *odp_chart_entry_of(struct odp_chart_data *d, struct odp_slice category,
                                           struct odp_slice series);
void odp_chart_gather_drop(struct odp_chart_data *d);
/* What the records come to under the chart's aggregate; mean: half to even, in two decimals more than the
 * values have. */
odp_fixed odp_chart_aggregate_of(const struct odp_chart_data *d, const struct odp_chart_sum *s);
/* groups.c: how the groups of FIELD stand on an axis; NUMBERS: whether numbers have places on it by their
 * size. */
enum odp_chart_axis odp_chart_axis_of(const struct odp_chart_data *d, int field, bool numbers);
/* The series of the gathered entries. Returns each entry's. */
const uint32_t *odp_chart_series_make(struct odp_chart_data *d);
/* The categories of the gathered entries, at most MOST and one for the rest. Returns each entry's. */
const uint32_t *odp_chart_categories_make(struct odp_chart_data *d, uint32_t most);
static inline const struct odp_chart_value *odp_chart_value_at(const struct odp_chart_data *d,
                                                               uint32_t category, uint32_t series)
{
    return &d->values[(size_t)category * d->nseries + series];
}
/* map_data.c */
void odp_chart_map_add(struct odp_chart_data *d, uint32_t entry, const double at[2], odp_fixed value);

void odp_chart_map_finish(struct odp_chart_data *d, const struct odp_code_lists *codes);

/* label.c */
void odp_chart_label_groups(struct odp_chart_data *d, struct odp_chart_group *g, uint32_t n, int field,
                            const struct odp_code_lists *codes);
void odp_chart_label_scale(struct odp_chart_data *d, odp_fixed largest);
/* "Pagu revisi, jumlah dalam miliar rupiah" */
void odp_chart_label_measure(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out);
/* A value as the picture shows it, without the unit. */
void odp_chart_label_value(const struct odp_chart_data *d, odp_fixed v, enum odp_lang lang,
                           struct odp_buffer *out);
/* Notes below the picture: what is folded, what is left out; one sentence each, or nothing. */
void odp_chart_label_notes(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out);
/* Why there is no picture. */
const char *odp_chart_label_nothing(const struct odp_chart_data *d, enum odp_lang lang);
/* 95.5 in 1 decimal as 95,5° BT. */
void odp_chart_label_degrees(struct odp_buffer *out, double degrees, int places, bool longitude,
                             enum odp_lang lang);

/* ---- axis (axis.c) ---- */

struct odp_canvas;
struct odp_canvas_text;

/* Ticks at multiples of STEP from FIRST to LAST, 1, 2 or 5 times a power of ten apart. */
struct odp_chart_ticks {
    odp_fixed first, last, step;
    unsigned n, decimals; /* decimals that tell them apart at the chart's scale */
};
/* At most MOST + 1 ticks that enclose LO and HI. */
struct odp_chart_ticks odp_chart_ticks_of(odp_fixed lo, odp_fixed hi, unsigned most,
                                          const struct odp_chart_scale *scale, unsigned places);
/* What tick I says, borrowed until the next text; and how wide the widest is. */
struct odp_slice odp_chart_tick_text(const struct odp_chart_data *d, struct odp_canvas *c,
                                     const struct odp_chart_ticks *t, unsigned i);
double odp_chart_ticks_width(const struct odp_chart_data *d, struct odp_canvas *c,
                             const struct odp_canvas_text *how, const struct odp_chart_ticks *t);
/* Where V is between LO and HI: 0 to 1; HI > LO. */
double odp_chart_place(odp_fixed v, odp_fixed lo, odp_fixed hi);

enum odp_chart_span { ODP_SPAN_DAYS, ODP_SPAN_MONTHS, ODP_SPAN_YEARS };
enum { ODP_CHART_DATE_NAME = 40 };
/* "3 Mar 2024", "Mar 2024", "2024": the day AT (since 1970) as short as the steps of time allow. */
void odp_chart_date_name(char out[ODP_CHART_DATE_NAME], double at, enum odp_chart_span span,
                         enum odp_lang lang);

enum { ODP_CHART_TIME_TICKS = 16 };
struct odp_chart_time_tick {
    double at;
    char text[ODP_CHART_DATE_NAME];
};
/* Ticks of the horizontal axis (time, years, numbers) from LO to HI, so many as MOST; their number. */
unsigned odp_chart_axis_ticks(const struct odp_chart_data *d, double lo, double hi, unsigned most,
                              enum odp_lang lang, struct odp_chart_time_tick out[ODP_CHART_TIME_TICKS]);

/* ---- ink (palette.c, canvas.c) ---- */

struct odp_rgb {
    uint8_t r, g, b;
};
extern const struct odp_rgb odp_chart_text, odp_chart_soft, odp_chart_rule, odp_chart_zero, odp_chart_white;
/* Colour of group I of N: of the categorical palette (the last is the grey of "Others"), or, with STEPS, from
 * light to dark. */
struct odp_rgb odp_chart_ink(uint32_t i, uint32_t n, bool steps, bool others);
/* White or nearly black, whichever is legible on the fill. */
struct odp_rgb odp_chart_ink_on(struct odp_rgb fill);

enum { ODP_CHART_SHAPES = 8 };
/* Draws on cairo, or writes SVG, or (both NULL) only measures. */
struct odp_canvas {
    struct odp_fonts *fonts;
    cairo_t *cr;
    struct odp_buffer *svg;
    struct odp_buffer path; /* of SVG, while it is built */
    struct odp_buffer text; /* of odp_chart_show_value */
    enum odp_lang lang;
    struct { /* by odp_canvas_marks */
        unsigned shape;
        double r;
        struct odp_rgb ink;
    } mark[ODP_CHART_SHAPES];
    const char *prefix; /* of ids in SVG */
    bool failed;
};
void odp_canvas_init(struct odp_canvas *c, struct odp_fonts *f, cairo_t *cr, struct odp_buffer *svg,
                     enum odp_lang lang);
/* True: something could not be drawn. */
bool odp_canvas_release(struct odp_canvas *c);
void odp_canvas_rect(struct odp_canvas *c, double x, double y, double w, double h, struct odp_rgb ink);
void odp_canvas_line(struct odp_canvas *c, double x1, double y1, double x2, double y2, double width,
                     struct odp_rgb ink);
/* A path: moves and lines, then filled or stroked. */
void odp_canvas_move(struct odp_canvas *c, double x, double y);
void odp_canvas_to(struct odp_canvas *c, double x, double y);
void odp_canvas_close(struct odp_canvas *c);
void odp_canvas_fill(struct odp_canvas *c, struct odp_rgb ink);
/* DASH: index of a pattern, 0 is solid. Round joins and ends. */
void odp_canvas_stroke(struct odp_canvas *c, double width, unsigned dash, struct odp_rgb ink);
/* Symbols with a rim of white: first what kind K (0 to 7, each once) looks like, then each at its place.
 * Shape 0 is a dot. */
void odp_canvas_marks(struct odp_canvas *c, unsigned k, unsigned shape, double r, struct odp_rgb ink);
void odp_canvas_mark(struct odp_canvas *c, unsigned k, double x, double y);

/* TEXT in a box of WIDTH (< 0: one line), at most LINES lines (0: any), the last of them with an ellipsis
 * where there is more. */
struct odp_canvas_text {
    struct odp_face type;
    double width;
    PangoAlignment align;
    int lines;
    struct odp_rgb ink;
};
/* Returns its height. */
double odp_canvas_text(struct odp_canvas *c, double x, double y, const struct odp_canvas_text *how,
                       struct odp_slice text);
void odp_canvas_measure(struct odp_canvas *c, const struct odp_canvas_text *how, struct odp_slice text,
                        double *w, double *h);
/* TEXT with its middle at that height. Returns its width. */
double odp_canvas_middle(struct odp_canvas *c, double x, double middle, const struct odp_canvas_text *how,
                         struct odp_slice text);
extern const struct odp_face odp_chart_face_title, odp_chart_face_label, odp_chart_face_strong,
    odp_chart_face_small;

/* Numbers and text as SVG has them. */
void odp_canvas_number(struct odp_buffer *svg, double v);
void odp_canvas_escaped(struct odp_buffer *out, struct odp_slice s);

/* ---- parts of the picture: each draws at x, y in WIDTH and returns its height ---- */

/* label.c: a value as label, borrowed until the next call. */
struct odp_slice odp_chart_show_value(const struct odp_chart_data *d, struct odp_canvas *c, odp_fixed v);
/* palette.c: of series K; with one series, of category I. */
struct odp_rgb odp_chart_ink_of(const struct odp_chart_data *d, uint32_t category, uint32_t series);
/* Of group I of the N groups G; grey: what is folded, and, where NULLS, null. One alone has the colour of
 * bars. */
struct odp_rgb odp_chart_ink_of_group(const struct odp_chart_group *g, uint32_t i, uint32_t n, bool steps,
                                      bool nulls);
/* data.c: whether parts of a bar come to something that has a meaning together. */
bool odp_chart_has_total(const struct odp_chart_data *d);
/* The lowest and the highest end of bars, 0 among them; up to the last stacked part. */
void odp_chart_extent(const struct odp_chart_data *d, odp_fixed *lo, odp_fixed *hi);
/* Parts of category I that are above (UP) or below zero, together. */
odp_fixed odp_chart_stack(const struct odp_chart_data *d, uint32_t category, bool up);
/* Lowest and highest of the vertical axis of lines; false: zero is not on it. */
bool odp_chart_line_extent(const struct odp_chart_data *d, odp_fixed *lo, odp_fixed *hi);

double odp_chart_picture(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y,
                         double width, bool title);
double odp_chart_bars(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width,
                      double most);
bool odp_chart_columns_fit(const struct odp_chart_data *d, struct odp_canvas *c, double width);
double odp_chart_columns(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y,
                         double width);
double odp_chart_line(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width);
double odp_chart_map(const struct odp_chart_data *d, struct odp_canvas *c, double x, double y, double width);
/* The most that a whole picture takes, in points: it fits a page. */
#define ODP_CHART_HEIGHT_MAX 530.0
