/* Charts as they are drawn: ticks, colours that stay apart, pictures that stay in their box. Their data is
 * tested in test_chart_data.c. */
#include "chart_fixture.h"

/* ---- ticks ---- */

TEST(ticks)
{
    const struct chart_scale plain = {.power = 0};
    for (int i = 0; i < 5000; i++) {
        fixed lo = (fixed)dice(2000000000) - 1000000000, span = dice(2000000000), most = 2 + dice(8);
        for (uint32_t k = dice(27); k > 9; k--) {
            lo *= 10;
            span = span * 10 + dice(10);
        }
        struct chart_ticks t = chart_ticks_of(lo, lo + span, (unsigned)most, &plain, 9);
        fixed step = t.step;
        assert_true(t.first <= lo && t.last >= lo + span && t.n >= 2 && t.n <= (unsigned)most + 1);
        assert_true((t.last - t.first) / step + 1 == t.n && (t.last - t.first) % step == 0 &&
                    t.first % step == 0);
        assert_true(lo - t.first < step && t.last - lo - span <= step);
        while (step % 10 == 0)
            step /= 10;
        assert_true(step == 1 || step == 2 || step == 5);
    }
    struct chart_ticks t = chart_ticks_of(0, 3 * FIXED_ONE, 6, &plain, 0); /* of counts there are no halves */
    assert_true(t.step == FIXED_ONE && t.n == 4 && t.decimals == 0);
    t = chart_ticks_of(0, 3 * FIXED_ONE, 6, &plain, 1);
    assert_true(t.step == FIXED_ONE / 2 && t.decimals == 1);
}

/* ---- colours ---- */

static double linear(uint8_t v)
{
    double c = v / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(struct rgb c)
{
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double contrast(struct rgb a, struct rgb b)
{
    double x = luminance(a), y = luminance(b);
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* Machado, Oliveira, Fernandes 2009, severity 1: none, protanopia, deuteranopia, tritanopia; then grey. */
static const double vision[5][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
    {{0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}, {0.2126, 0.7152, 0.0722}}};

static double lab_part(double t)
{
    return t > 0.008856 ? cbrt(t) : 7.787 * t + 16.0 / 116;
}

static void lab(struct rgb c, const double m[3][3], double out[3])
{
    double rgb[3] = {linear(c.r), linear(c.g), linear(c.b)}, seen[3];
    for (int i = 0; i < 3; i++) {
        seen[i] = m[i][0] * rgb[0] + m[i][1] * rgb[1] + m[i][2] * rgb[2];
        seen[i] = seen[i] < 0 ? 0 : seen[i] > 1 ? 1 : seen[i];
    }
    double x = lab_part((0.4124 * seen[0] + 0.3576 * seen[1] + 0.1805 * seen[2]) / 0.95047);
    double y = lab_part(0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2]);
    double z = lab_part((0.0193 * seen[0] + 0.1192 * seen[1] + 0.9505 * seen[2]) / 1.08883);
    out[0] = 116 * y - 16;
    out[1] = 500 * (x - y);
    out[2] = 200 * (y - z);
}

static double distance(struct rgb a, struct rgb b, const double m[3][3])
{
    double x[3], y[3];
    lab(a, m, x);
    lab(b, m, y);
    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

static const struct rgb night = {0x14, 0x19, 0x1F};

static void same_and_dark(struct rgb of, struct rgb both[2])
{
    both[0] = of;
    both[1] = chart_ink_dark(of);
    assert_true(memcmp(&both[0], &both[1], sizeof of) != 0);
}

/* Colours for light (0) and dark (1). */
static void check_color(struct rgb of, double least)
{
    struct rgb ink[2], on[2];
    same_and_dark(of, ink);
    same_and_dark(chart_ink_on(of), on);
    assert_true(contrast(ink[0], chart_white) >= 3 && contrast(ink[1], night) >= 3);
    assert_true(contrast(ink[0], on[0]) >= least && contrast(ink[1], on[1]) >= least);
}

static void check_apart(struct rgb p, struct rgb q, int visions, double least)
{
    struct rgb a[2], b[2];
    same_and_dark(p, a);
    same_and_dark(q, b);
    for (int mode = 0; mode < 2; mode++)
        for (int v = 0; v < visions; v++)
            assert_true(distance(a[mode], b[mode], vision[v]) >= least);
}

TEST(palette)
{
    const uint32_t n = CHART_SERIES_MAX + 1;
    for (uint32_t i = 0; i < n; i++) {
        struct rgb a = chart_ink(i, n, false, i == n - 1);
        check_color(a, 4.2);
        for (uint32_t k = i + 1; k < n; k++)
            check_apart(a, chart_ink(k, n, false, k == n - 1), 4, 20);
        if (i + 1 < n) /* in print, too */
            assert_true(distance(a, chart_ink(i + 1, n, false, i + 1 == n - 1), vision[4]) >= 30);
    }
    for (uint32_t steps = 2; steps <= CHART_CLASSES; steps++)
        for (uint32_t i = 0; i < steps; i++) {
            struct rgb a = chart_ink(i, steps, true, false);
            check_color(a, 4);
            if (i + 1 == steps)
                continue;
            struct rgb b = chart_ink(i + 1, steps, true, false);
            check_apart(a, b, 5, 9);
            assert_true(luminance(b) < luminance(a) &&
                        luminance(chart_ink_dark(b)) > luminance(chart_ink_dark(a)));
        }
    assert_true(contrast(chart_soft, chart_white) >= 7 && contrast(chart_text, chart_white) >= 7);
    assert_true(contrast(chart_ink_dark(chart_soft), night) >= 7 &&
                contrast(chart_ink_dark(chart_text), night) >= 7);
}

/* ---- pictures ---- */

/* Nothing is drawn outside of the box that the picture says it needs. Pixels are points. */
static void check_box(const struct odp_chart_data *d, struct odp_fonts *f, double width, int from, int to)
{
    enum { EDGE = 40 };
    double h = odp_chart_height(d, f, width);
    int across = (int)width + 2 * EDGE, down = (int)ceil(h) + 2 * EDGE;
    assert_true(h > 0 && h <= 640);
    for (int lang = from; lang <= to; lang++) {
        cairo_surface_t *s = cairo_image_surface_create(CAIRO_FORMAT_A8, across, down);
        cairo_t *cr = cairo_create(s);
        cairo_translate(cr, EDGE, EDGE);
        must(odp_chart_draw(d, f, cr, width, (enum odp_lang)lang));
        cairo_surface_flush(s);
        const unsigned char *pixel = cairo_image_surface_get_data(s);
        int stride = cairo_image_surface_get_stride(s), inside = 0;
        for (int y = 0; y < down; y++)
            for (int x = 0; x < across; x++) {
                if (pixel[y * stride + x] < 24)
                    continue;
                inside++;
                if (x < EDGE - 1 || y < EDGE - 1 || x > EDGE + (int)width || y > EDGE + (int)ceil(h))
                    fail_msg("%s: ink at %d, %d of a box of %g x %g", d->chart->title.in[0], x - EDGE,
                             y - EDGE, width, h);
            }
        assert_true(inside > 50);
        cairo_destroy(cr);
        cairo_surface_destroy(s);
    }
}

/* Tags are balanced, ids unique, every reference has its target, and the values' own markup is text. */
static void check_svg_text(const char *svg)
{
    int depth = 0;
    for (const char *p = strchr(svg, '<'); p != NULL; p = strchr(p + 1, '<')) {
        const char *end = strchr(p, '>');
        assert_non_null(end);
        depth += p[1] == '/' ? -1 : p[1] == '?' || end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
        if (strncmp(p, "<script", 7) == 0 || strncmp(p, "<b>", 3) == 0)
            fail_msg("markup of a value");
    }
    assert_int_equal(depth, 0);
    for (const char *p = strstr(svg, " id=\""); p != NULL; p = strstr(p + 1, " id=\"")) {
        size_t n = (size_t)(strchr(p + 5, '"') - p) + 1;
        for (const char *q = strstr(p + n, " id=\""); q != NULL; q = strstr(q + 1, " id=\""))
            if (strncmp(p, q, n) == 0)
                fail_msg("an id twice: %.*s", (int)n, p);
    }
    char id[80];
    for (const char *p = strstr(svg, "\"#"); p != NULL; p = strstr(p + 1, "\"#")) {
        if (strncmp(p - 5, "href=", 5) != 0)
            continue;
        snprintf(id, sizeof id, " id=\"%.*s\"", (int)(strchr(p + 2, '"') - p - 2), p + 2);
        if (strstr(svg, id) == NULL)
            fail_msg("nothing has the id%s", id);
    }
}

static void check_svg(const struct odp_chart_data *d, struct odp_fonts *f)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        struct odp_buffer a = {0}, b = {0};
        enum odp_chart_sheet sheet = lang == 0 ? ODP_CHART_NARROW : ODP_CHART_WIDE;
        must(odp_chart_svg(d, f, (enum odp_lang)lang, sheet, &about, &a));
        must(odp_chart_svg(d, f, (enum odp_lang)lang, sheet, &about, &b));
        assert_true(odp_slice_eq(odp_buffer_slice(&a), odp_buffer_slice(&b)));
        assert_true(odp_utf8_valid(odp_buffer_slice(&a)) == a.len);
        const char *svg = odp_buffer_cstr(&a);
        EXPECT(svg, "<cc:license rdf:resource=\"https://example.org/?a&amp;b\"/>", "role=\"img\"");
        assert_non_null(strstr(svg, lang == ODP_LANG_ID ? " lang=\"id\"" : " lang=\"en\""));
        check_svg_text(svg);
        odp_buffer_release(&a);
        odp_buffer_release(&b);
    }
}

#define LONG_NAME                                                                                            \
    "Pembangunan dan rehabilitasi jaringan irigasi permukaan kewenangan pemerintah pusat di daerah yang "    \
    "sangat jauh sekali "                                                                                    \
    "dari kota, tahap kedua "                                                                                \
    "& <b>lanjutan</b> \"tahun jamak\" ]]> \xE2\x80\xAE terbalik "                                           \
    "Pneumonoultramicroscopicsilicovolcanoconiosisyangpanjangsekali"

/* Every kind of picture with data that is hard to draw. N: which; false: there are no more. */
static bool hard_case(unsigned n, struct odp_chart *c, struct odp_chart_data **out)
{
    static const char *const value_sets[][3] = {
        {"1", "2", "3"},
        {"-5.25", "0", "7"},
        {"-1", "-2", "-3"},
        {"0", "0", "0"},
        {"999999999999999999", "1", "0.000000001"},
        {"0.000001", "0.000002", "0.0000005"},
        {"5", "5", "5"},
    };
    static const enum odp_chart_type types[] = {ODP_CHART_BAR, ODP_CHART_LINE,      ODP_CHART_STACKED,
                                                ODP_CHART_MAP, ODP_CHART_HISTOGRAM, ODP_CHART_GANTT};
    static const struct {
        int category, series;
        uint32_t categories, parts;
    } shapes[] = {
        {KIND, -1, 1, 1},    {KIND, -1, 3, 1},    {KIND, -1, 60, 1},   {KIND, PART, 60, 9},
        {KIND, PART, 4, 3},  {YEAR, -1, 8, 1},    {YEAR, PART, 30, 5}, {MONTH, -1, 36, 1},
        {DAY, PART, 400, 3}, {ORDER, PART, 3, 3}, {NUMBER, -1, 25, 1}, {TIME, -1, 2, 1},
    };
    static char title[80];
    unsigned shape = n % 12, set = n / 12 % 7, type = n / 84;
    if (type > 5)
        return false;
    *c = chart(types[type], shapes[shape].category, shapes[shape].series, VALUE,
               set == 6 ? ODP_CHART_MEAN : ODP_CHART_SUM);
    snprintf(title, sizeof title, "kasus %u: jenis %u, bentuk %u, nilai %u", n, type, shape, set);
    c->title = (struct odp_text){{title, "A <b>title</b> & more"}};
    c->top = 0;
    if (types[type] == ODP_CHART_MAP && set % 2 == 0)
        c->category = -1;
    c->planned = DAY;
    c->actual = DONE;
    *out = start(c);
    for (uint32_t i = 0; i < shapes[shape].categories; i++)
        for (uint32_t k = 0; k < shapes[shape].parts; k++) {
            char kind[320], part[320], year[8], month[16], day[16], done[16], time[40], number[24];
            const char *degree[] = {"ringan", "sedang", "berat"};
            snprintf(kind, sizeof kind, "%u %s", i, set % 2 == 0 ? LONG_NAME : "Jalan");
            snprintf(part, sizeof part, "%u %s", k, set % 3 == 0 ? LONG_NAME : "B");
            snprintf(year, sizeof year, "%u", 1990 + i);
            snprintf(month, sizeof month, "%u-%02u", 2020 + i / 12, i % 12 + 1);
            snprintf(day, sizeof day, "%u-%02u-%02u", 2020 + i / 336, i / 28 % 12 + 1, i % 28 + 1);
            snprintf(done, sizeof done, "%u-01-01", 2022 + i / 10 * (set == 4 ? 2000 : 1));
            snprintf(time, sizeof time, "2024-01-%02uT07:00:00+07:00", i % 28 + 1);
            snprintf(number, sizeof number, "%u.5", i * i);
            struct row row = {
                .field = {kind, part, value_sets[set][(i + k) % 3], day, year, month, degree[i % 3], time,
                          number, "1", done},
                .at = {95 + (i * 7 % 45) + k * 0.3, -10 + (double)(i * 11 % 15)},
                .placed = true,
            };
            if (set == 3)
                row.at[0] = 110, row.at[1] = -7;
            add(*out, &row);
        }
    must(odp_chart_data_finish(*out, NULL));
    return true;
}

TEST(pictures)
{
    struct odp_fonts *f;
    struct odp_chart_data *d;
    struct odp_chart c;
    must(odp_fonts_open(&f));
    for (unsigned n = 0; hard_case(n, &c, &d);
         n += 5) { /* every shape, every set of values, with every type; not all of all */
        check_box(d, f, 480, (int)(n % 2), (int)(n % 2));
        if (n % 3 == 0)
            check_svg(d, f);
        odp_chart_data_free(d);
    }
    odp_fonts_close(f);
}

/* In an image of 360 points, too; and what is empty says so. */
TEST(small)
{
    static const struct row rows[] = {{.field = {"a", "p", "1500000000"}},
                                      {.field = {"b", "q", "500000000"}}};
    struct odp_chart c = chart(ODP_CHART_STACKED, KIND, PART, VALUE, ODP_CHART_SUM);
    struct odp_chart_data *d = GATHER(&c, rows);
    struct odp_fonts *f;
    BUFFER(b);
    must(odp_fonts_open(&f));
    check_box(d, f, 360, 0, 1);
    must(odp_chart_svg(d, f, ODP_LANG_ID, ODP_CHART_WIDE, &(const struct odp_chart_about){0}, &b));
    assert_true(b.len < 60000);
    odp_chart_data_free(d);
    d = gather(&c, NULL, 0);
    check_box(d, f, 480, 0, 1);
    check_svg(d, f);
    odp_chart_data_free(d);
    odp_fonts_close(f);
}
