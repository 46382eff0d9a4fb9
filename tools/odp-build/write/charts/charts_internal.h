/* Inside of write/charts: what its files share.
 *
 *   draw.c, json.c, alternative.c  the whole picture and its SVG; its data; the text alternative
 *   bars.c, line.c, map.c, histogram.c, gantt.c   the kinds of pictures
 *   plot.c                         what these have in common: the axes, colours
 *   canvas.c                       ink on cairo or into SVG
 *   label.c                        labels, how far values reach, scale and unit, notes
 *   groups.c                       categories and series, values, classes of a map: after the last record
 *   gather.c, bins.c, tasks.c      records to sums; those of histograms, of gantts (the pass)
 *   number.h, number.c             exact numbers
 *
 * Nothing here goes through binary floating point but the places of ink, and there only + - * / and floor are
 * used: the same bytes on every machine. */
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "write/charts/chart.h"
#include "write/charts/number.h"

/* ---- data ---- */

enum {
    CHART_CELLS_MAX = 10000,
    CHART_TEXT_MAX = 4 << 20,
    CHART_BARS_MAX = 60,
    CHART_SERIES_MAX = 7,
    CHART_SYMBOLS_MAX = 20000,
    CHART_CLASSES = 5,
    CHART_BINS = 20,
    CHART_BIN_CELLS = 10000,
    CHART_BIN_SLOTS = 1 << 15,
    CHART_TASKS = 30
};
#define CHART_RECORDS_MAX UINT64_C(10000000000)

/* Of some records: how many have the value, and what it comes to. Merging is exact and in any order. */
struct chart_sum {
    uint64_t n;
    fixed sum, least, greatest;
};
static inline void chart_sum_add(struct chart_sum *s, const struct chart_sum *other)
{
    if (other->n == 0)
        return;
    s->least = s->n == 0 || other->least < s->least ? other->least : s->least;
    s->greatest = s->n == 0 || other->greatest > s->greatest ? other->greatest : s->greatest;
    s->sum += other->sum;
    s->n += other->n;
}

/* All records of one category and one series. ptr NULL: null. */
struct chart_entry {
    struct odp_slice category, series;
    struct chart_sum sum;
};

enum chart_fault {
    CHART_FINE = 0,
    CHART_TOO_MANY, /* more categories (times series) than are kept */
    CHART_TOO_LARGE /* a value of 10^18 or more */
};

enum chart_open { CHART_CLOSED, CHART_OPEN_BELOW, CHART_OPEN_ABOVE };
enum chart_group_kind { GROUP_VALUE, GROUP_NULL, GROUP_OTHERS, GROUP_EARLIER, GROUP_CLASS };

/* A category or a series; of maps: one kind of symbol. */
struct chart_group {
    enum chart_group_kind kind;
    struct odp_slice key;              /* as in the data */
    struct odp_slice label[ODP_LANGS]; /* for people: one line, not empty */
    struct chart_sum sum;              /* of all its records */
    fixed value;                       /* of all its records, aggregated */
    uint64_t folded;                   /* OTHERS, EARLIER: how many are in it */
    enum chart_open open;              /* CLASS of a histogram: it has values beyond its border */
    double at;                         /* on an axis of time (days since 1970) or of numbers */
    uint32_t from;                     /* while it is made: index before sorting */
};
struct chart_value {
    bool present;
    fixed value;
};
/* One symbol of a map: the records of one cell and one group. */
struct chart_symbol {
    double lon, lat;
    uint64_t n;
    uint32_t group;
};
enum chart_axis { AXIS_TEXT /* side by side */, AXIS_TIME, AXIS_YEAR, AXIS_NUMBER };

/* How values are written: in 10^power of the field's unit. */
struct chart_scale {
    unsigned power, decimals;
    struct odp_slice unit[ODP_LANGS]; /* "miliar rupiah"; may be empty */
};

/* The records of a map, by cell of a grid and by entry. */
struct chart_cell {
    uint32_t x, y, entry, next; /* next: of the same slot, + 1 */
    uint64_t n;
    fixed sum;
};
struct chart_grid {
    struct chart_cell cell[CHART_SYMBOLS_MAX + 1];
    uint32_t n;
    unsigned level; /* cells are 360 / 2^level degrees wide */
    uint32_t slots[1 << 15];
};

/* Ticks at multiples of STEP from FIRST to LAST, 1, 2 or 5 times a power of ten apart. */
struct chart_ticks {
    fixed first, last, step;
    unsigned n, decimals; /* decimals needed at the chart's scale */
};

/* The records of a histogram, by cells: values from at * width, below (at + 1) * width. */
struct chart_bin {
    fixed at;
    uint64_t n;
};
struct chart_bins {
    struct chart_bin cell[CHART_BIN_CELLS + 1];
    fixed width;
    uint32_t n;
    uint32_t slots[CHART_BIN_SLOTS];
};

/* A record of a gantt; days since 1970. */
struct chart_task {
    struct odp_slice category, series;
    int64_t planned, actual;
    bool done;     /* ACTUAL is there */
    uint32_t rank; /* of its series */
    uint32_t text; /* the buffer that its texts are in, while records pass */
};
/* By how many days; less than 0: before its time; 0, too, where it is not done. */
static inline int64_t chart_task_late(const struct chart_task *t)
{
    return t->done ? t->actual - t->planned : 0;
}

struct odp_chart_data {
    const struct odp_chart *chart;
    const struct odp_resource *resource;
    struct odp_arena arena;
    enum chart_fault fault;
    /* gathering */
    struct chart_entry *entries;
    uint32_t nentries;
    json_t *known;         /* which entry has a category and a series */
    struct odp_buffer key; /* of the current entry; failed: out of memory for a text */
    size_t text;           /* bytes of the entries' keys */
    struct chart_grid *grid;
    struct chart_bins *bins;
    struct chart_sum whole; /* of a histogram: all values; of a gantt N is how many are done */
    struct chart_task *tasks,
        *all; /* ntasks of a gantt, then the latest; nall while they pass, unless full */
    uint32_t ntasks, nall;
    bool all_full;
    struct odp_buffer *task_text;
    uint64_t late;               /* of a gantt: how many are done late */
    unsigned places;             /* most decimals of a value */
    uint64_t records;            /* all */
    uint64_t no_value, no_place; /* records left out for want of a value */
    uint64_t no_time;            /* left out of a line, because its category is null */
    /* finished */
    enum chart_axis axis;
    bool ordered; /* categories have an order of their own */
    bool steps;   /* the groups of the colours have an order: from light to dark */
    struct chart_group *categories, *series;
    uint32_t ncategories, nseries; /* nseries is 1 without a series, 0 of maps */
    struct chart_value *values;    /* [category * nseries + series] */
    struct chart_scale scale;
    struct chart_ticks borders;   /* of a histogram's classes */
    struct chart_symbol *symbols; /* shuffled, always alike */
    uint32_t nsymbols;
    double box[4]; /* of the symbols: west, south, east, north */
};

static inline const struct chart_value *chart_value_at(const struct odp_chart_data *d, uint32_t category,
                                                       uint32_t series)
{
    return &d->values[(size_t)category * d->nseries + series];
}
static inline bool chart_is_map(const struct odp_chart_data *d)
{
    return d->chart->type == ODP_CHART_MAP;
}
static inline bool chart_is_stacked(const struct odp_chart_data *d)
{
    return d->chart->type == ODP_CHART_STACKED;
}

static inline bool chart_is_histogram(const struct odp_chart_data *d)
{
    return d->chart->type == ODP_CHART_HISTOGRAM;
}
static inline bool chart_is_gantt(const struct odp_chart_data *d)
{
    return d->chart->type == ODP_CHART_GANTT;
}

/* bins.c, tasks.c: a record; after the last of them. */
void chart_bins_add(struct odp_chart_data *d, fixed value);
void chart_bins_finish(struct odp_chart_data *d);
void chart_tasks_add(struct odp_chart_data *d, const struct odp_slice *field);
void chart_tasks_finish(struct odp_chart_data *d, const struct odp_code_lists *codes);
void chart_tasks_release(struct odp_chart_data *d);

/* gather.c */
void chart_gather_drop(struct odp_chart_data *d);
/* The records' value under the chart's aggregate; mean: rounded half to even, with two decimals more than the
 * values. */
fixed chart_aggregate(const struct odp_chart_data *d, const struct chart_sum *s);

/* label.c: do the parts of a bar add up to something meaningful? */
bool chart_has_total(const struct odp_chart_data *d);
/* The lowest and the highest end of bars, 0 among them; up to the last stacked part. */
void chart_extent(const struct odp_chart_data *d, fixed *lo, fixed *hi);
/* Lowest and highest of the vertical axis of lines; false: zero is not on it. */
bool chart_line_extent(const struct odp_chart_data *d, fixed *lo, fixed *hi);
void chart_label_groups(struct odp_chart_data *d, struct chart_group *g, uint32_t n, int field,
                        const struct odp_code_lists *codes);
void chart_label_scale(struct odp_chart_data *d, fixed largest);
/* "Pagu revisi, jumlah dalam miliar rupiah" */
void chart_label_measure(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out);
/* What records are called: "kawasan", "rekaman". */
const char *chart_label_records(const struct odp_chart_data *d, enum odp_lang lang);
/* A value as the picture shows it, without the unit; how many records. */
void chart_label_value(const struct odp_chart_data *d, fixed v, enum odp_lang lang, struct odp_buffer *out);
/* Notes below the picture: what is folded, what is left out; one sentence each, or nothing. */
void chart_label_notes(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out);
/* Why there is no picture. */
const char *chart_label_nothing(const struct odp_chart_data *d, enum odp_lang lang);
/* 95.5 in 1 decimal as 95,5° BT. */
void chart_label_degrees(struct odp_buffer *out, double degrees, int places, bool longitude,
                         enum odp_lang lang);

/* ---- ink (canvas.c) ---- */

struct rgb {
    uint8_t r, g, b;
};
extern const struct rgb chart_text, chart_soft, chart_rule, chart_zero, chart_white;
/* White or nearly black, whichever is legible on the fill; no other ink is equal to them. */
struct rgb chart_ink_on(struct rgb fill);

enum { CANVAS_SHAPES = 8 };
/* Draws a chart on cairo, or writes it as SVG, or (both NULL) only measures. */
struct canvas {
    const struct odp_chart_data *d;
    enum odp_lang lang;
    struct odp_fonts *fonts;
    cairo_t *cr;
    struct odp_buffer *svg;
    struct odp_buffer path; /* of SVG, while it is built */
    struct odp_buffer text; /* of chart_show and chart_tick_text */
    struct {                /* by canvas_marks */
        unsigned shape;
        double r;
        struct rgb ink;
    } mark[CANVAS_SHAPES];
    const char *prefix; /* of ids in SVG */
    bool failed;
};
void canvas_init(struct canvas *c, const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang);
/* True: something could not be drawn. */
bool canvas_release(struct canvas *c);
void canvas_rect(struct canvas *c, double x, double y, double w, double h, struct rgb ink);

struct pen {
    double width;
    struct rgb ink;
};
void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, struct pen pen);
/* Strokes a path of points, each of which begins a line or continues one. DASH: index of a pattern, 0 is
 * solid. Round joins and ends. */
void canvas_point(struct canvas *c, bool begins, double x, double y);
void canvas_close(struct canvas *c);
void canvas_stroke(struct canvas *c, unsigned dash, struct pen pen);
/* Symbols with a rim of white: first what kind K (0 to 7, each once) looks like, then each at its place.
 * Shape 0 is a dot. */
void canvas_marks(struct canvas *c, unsigned k, unsigned shape, double r, struct rgb ink);
void canvas_mark(struct canvas *c, unsigned k, double x, double y);

/* Text in a box of WIDTH (< 0: one line), at most LINES lines (0: any), the last of them with an ellipsis
 * where there is more. */
struct style {
    struct odp_face face;
    double width;
    PangoAlignment align;
    int lines;
    struct rgb ink;
};
/* Of one line. */
struct style canvas_style(struct odp_face face, PangoAlignment align, struct rgb ink);
/* Returns its height. */
double canvas_text(struct canvas *c, double x, double y, const struct style *s, struct odp_slice text);
struct odp_extent canvas_measure(struct canvas *c, const struct style *s, struct odp_slice text);
/* TEXT with its middle at that height. Returns its width. */
double canvas_middle(struct canvas *c, double x, double middle, const struct style *s, struct odp_slice text);
extern const struct odp_face chart_face_title, chart_face_label, chart_face_small;

/* Numbers and text as SVG has them. */
void canvas_number(struct odp_buffer *svg, double v);
void canvas_escaped(struct odp_buffer *out, struct odp_slice s);

/* ---- what the kinds of pictures share (plot.c) ---- */

/* A value as label, borrowed until the next call. */
struct odp_slice chart_show(struct canvas *c, fixed v);
/* The name of group G in the canvas' language. */
static inline struct odp_slice chart_name(const struct canvas *c, const struct chart_group *g)
{
    return g->label[c->lang];
}
/* Colour of group I of N: of the categorical palette (the last is the grey of "Others"), or, with STEPS, from
 * light to dark. */
struct rgb chart_ink(uint32_t i, uint32_t n, bool steps, bool others);
/* Of that ink, what is drawn in the dark. */
struct rgb chart_ink_dark(struct rgb ink);
/* Rules of a style: the inks of SVG in the dark. */
void chart_dark_style(const char *svg, struct odp_buffer *out);
/* Of series K; with one series, of category I. */
struct rgb chart_ink_of(const struct odp_chart_data *d, uint32_t category, uint32_t series);
/* Of group I of the N groups G; grey: what is folded, and, where NULLS, null. One alone has the colour of
 * bars. */
struct rgb chart_ink_of_group(const struct chart_group *g, uint32_t i, uint32_t n, bool steps, bool nulls);

/* At most MOST + 1 ticks that enclose LO and HI. */
struct chart_ticks chart_ticks_of(fixed lo, fixed hi, unsigned most, const struct chart_scale *scale,
                                  unsigned places);
/* The text of tick I, borrowed until the next call; and the width of the widest. */
struct odp_slice chart_tick_text(struct canvas *c, const struct chart_ticks *t, unsigned i);
double chart_ticks_width(struct canvas *c, const struct style *s, const struct chart_ticks *t);
/* Position of V between LO and HI: 0 to 1; HI > LO. */
double chart_place(fixed v, fixed lo, fixed hi);

enum chart_span { SPAN_DAYS, SPAN_MONTHS, SPAN_YEARS };
enum { CHART_DATE_NAME = 40, CHART_TICKS_MAX = 16 };
struct chart_tick {
    double at;
    char text[CHART_DATE_NAME];
};
/* "3 Mar 2024", "Mar 2024", "2024": the day AT (since 1970) as short as the steps of time allow. */
void chart_date_name(char out[CHART_DATE_NAME], double at, enum chart_span span, enum odp_lang lang);
/* Ticks of the horizontal axis (time, years, numbers) from LO to HI, so many as MOST; their number. */
unsigned chart_axis_ticks(const struct canvas *c, double lo, double hi, unsigned most,
                          struct chart_tick out[CHART_TICKS_MAX]);

/* ---- the kinds: each draws at x, y in WIDTH and returns its height ---- */

double chart_bars(struct canvas *c, double x, double y, double width, double most);
bool chart_columns_fit(struct canvas *c, double width);
double chart_columns(struct canvas *c, double x, double y, double width);
double chart_line(struct canvas *c, double x, double y, double width);
double chart_map(struct canvas *c, double x, double y, double width);
double chart_histogram(struct canvas *c, double x, double y, double width);
double chart_gantt(struct canvas *c, double x, double y, double width);
/* The most that a whole picture takes, in points: it fits a page. */
#define CHART_HEIGHT_MAX 530.0
