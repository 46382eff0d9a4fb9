/* Gantts: a row for each task, a bar from the planned day to the actual one, by how many days it is late.
 * Where there is no room for years, the bars all begin at the planned day. */
#include "write/charts/charts_internal.h"

#include "words/charts.h"

enum { PITCH = 14, ROOM = 160 /* for an axis of time */, ROWS = CHART_TASKS + 8 /* fit a page */ };

static const struct odp_face face_head = {.size = 8, .bold = true};

struct gantt {
    struct canvas *c;
    struct style series, name, late;
    double names, indent;         /* widths of the two columns of names */
    double left, width, from, to; /* of the bars, and of time */
    bool days;                    /* all begin at day 0 */
    bool headed;                  /* a series has a row of its own for its name */
    uint32_t rows;
};

/* "+117", "−3"; nothing of what is not done. */
static struct odp_slice show_days(struct canvas *c, const struct chart_task *t)
{
    int64_t late = chart_task_late(t);
    odp_buffer_clear(&c->text);
    if (late != 0)
        odp_buffer_add_str(&c->text, late > 0 ? "+" : "\u2212");
    if (t->done)
        odp_text_number(&c->text, (uint64_t)(late < 0 ? -late : late), c->lang);
    return odp_buffer_slice(&c->text);
}

static double widest(struct canvas *c, const struct style *s, const struct chart_group *g)
{
    double most = 0;
    for (uint32_t i = 0; i < c->d->ntasks; i++) {
        double w = canvas_measure(c, s, chart_name(c, &g[i])).width;
        most = w > most ? w : most;
    }
    return most;
}

/* From the first planned day to the last actual one, or, without room for that, by days. */
static void set_time(struct gantt *g)
{
    const struct odp_chart_data *d = g->c->d;
    g->days = g->width < ROOM;
    g->from = g->to = g->days ? 0 : (double)d->tasks[0].planned;
    for (uint32_t i = 0; i < d->ntasks; i++) {
        const struct chart_task *t = &d->tasks[i];
        double from = g->days ? 0 : (double)t->planned, to = from + (double)chart_task_late(t);
        g->from = from < g->from ? from : g->from;
        g->from = to < g->from && !g->days ? to : g->from;
        g->to = to > g->to ? to : g->to;
        g->to = from > g->to ? from : g->to;
    }
    g->to += g->to > g->from ? 0 : 1;
}

/* Task I is the first of a series. */
static bool begins(const struct odp_chart_data *d, uint32_t i)
{
    return d->chart->series >= 0 && (i == 0 || d->tasks[i - 1].rank != d->tasks[i].rank);
}

/* Names of series stand above their tasks, or, where that would be too high, beside them. */
static void set_names(struct gantt *g, double width)
{
    const struct odp_chart_data *d = g->c->d;
    g->rows = d->ntasks;
    for (uint32_t i = 0; i < d->ntasks; i++)
        g->rows += begins(d, i);
    g->headed = g->rows > d->ntasks && g->rows <= ROWS;
    g->rows = g->headed ? g->rows : d->ntasks;
    g->series = g->headed ? canvas_style(face_head, PANGO_ALIGN_LEFT, chart_text)
                          : canvas_style(chart_face_label, PANGO_ALIGN_LEFT, chart_soft);
    g->series.lines = g->name.lines = 1;
    g->series.width = g->headed ? width : width * 0.22;
    g->name.width = width * (g->headed ? 0.36 : 0.26);
    g->indent = d->chart->series < 0 ? 0 : g->headed ? 8 : widest(g->c, &g->series, d->series) + 6;
    g->names = widest(g->c, &g->name, d->categories) + 7;
}

static void lay_out(struct gantt *g, double x, double width)
{
    const struct odp_chart_data *d = g->c->d;
    double days = 0;
    set_names(g, width);
    for (uint32_t i = 0; i < d->ntasks; i++) {
        double w = canvas_measure(g->c, &g->late, show_days(g->c, &d->tasks[i])).width;
        days = w > days ? w : days;
    }
    g->left = x + g->indent + g->names;
    g->width = x + width - days - 8 - g->left;
    g->width = g->width < 20 ? 20 : g->width;
    set_time(g);
}

static double along(const struct gantt *g, double day)
{
    return g->left + g->width * (day - g->from) / (g->to - g->from);
}

/* Lines of time over all rows, their names above. */
static double axis(const struct gantt *g, double y, double rows)
{
    struct chart_tick ticks[CHART_TICKS_MAX];
    const struct style s = canvas_style(chart_face_small, PANGO_ALIGN_CENTER, chart_soft);
    unsigned n = chart_axis_ticks(g->c, g->from, g->to, (unsigned)(g->width / 48), ticks);
    double high = 0;
    for (unsigned i = 0; i < n; i++) {
        struct odp_slice text = odp_slice_of(ticks[i].text);
        struct odp_extent e = canvas_measure(g->c, &s, text);
        double at = along(g, ticks[i].at), right = g->left + g->width;
        high = e.height > high ? e.height : high;
        canvas_line(g->c, at, y + e.height + 1, at, y + e.height + 2 + rows, (struct pen){0.5, chart_rule});
        (void)canvas_text(g->c, at + e.width / 2 > right + 8 ? right + 8 - e.width / 2 : at, y, &s, text);
    }
    return high + 2;
}

static void row(const struct gantt *g, double x, uint32_t i, double y)
{
    const struct odp_chart_data *d = g->c->d;
    const struct chart_task *t = &d->tasks[i];
    double begin = g->days ? 0 : (double)t->planned, middle = y + PITCH / 2.0,
           late = (double)chart_task_late(t);
    double from = along(g, begin), to = along(g, begin + late);
    if (begins(d, i)) {
        const double above = g->headed ? PITCH : 0;
        if (i > 0)
            canvas_line(g->c, x, y - above, g->left + g->width, y - above, (struct pen){0.5, chart_rule});
        (void)canvas_middle(g->c, x, middle - above, &g->series, chart_name(g->c, &d->series[i]));
    }
    (void)canvas_middle(g->c, x + g->indent, middle, &g->name, chart_name(g->c, &d->categories[i]));
    if (late > 0)
        canvas_rect(g->c, from, middle - 2.5, to - from > 1 ? to - from : 1, 5,
                    chart_ink(1, 7, false, false));
    if (!g->days)
        canvas_mark(g->c, 0, from, middle);
    if (!g->days && t->done)
        canvas_mark(g->c, late > 0 ? 1 : 2, to, middle);
    to = to > from ? to : from;
    (void)canvas_middle(g->c, to + (g->days ? 3 : 5), middle, &g->late, show_days(g->c, t));
}

/* What the marks mean. */
static double legend(const struct gantt *g, double x, double y)
{
    const char *const names[] = {odp_word(g->c->lang, W_charts_planned),
                                 odp_word(g->c->lang, W_charts_done_late),
                                 odp_word(g->c->lang, W_charts_actual)};
    for (unsigned i = 0; i < 3; i++) {
        canvas_mark(g->c, i, x + 4, y + 6);
        x += 11 + canvas_middle(g->c, x + 11, y + 6, &g->late, odp_slice_of(names[i])) + 12;
    }
    return 16;
}

double chart_gantt(struct canvas *c, double x, double y, double width)
{
    const struct odp_chart_data *d = c->d;
    const struct style plain = canvas_style(chart_face_label, PANGO_ALIGN_LEFT, chart_text);
    struct gantt g = {.c = c, .name = plain, .late = plain};
    lay_out(&g, x, width);
    double top = y;
    if (!g.days) {
        canvas_marks(c, 0, 0, 2.6, chart_soft);
        canvas_marks(c, 1, 3, 2.4, chart_ink(6, 7, false, false));
        canvas_marks(c, 2, 1, 2.2, chart_ink(0, 7, false, false));
        top += legend(&g, x, y);
        top += axis(&g, top, g.rows * PITCH);
    }
    for (uint32_t i = 0, at = 0; i < d->ntasks; i++, at++) {
        at += g.headed && begins(d, i);
        row(&g, x, i, top + at * PITCH);
    }
    return top + g.rows * PITCH - y;
}
