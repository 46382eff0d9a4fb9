/* Texts next to a chart: labels of categories, the scale of the values and its unit, notes. Labels come from
 * the field's categories, then its code list, then the cell as printed; on one line each. */
#include "write/charts/charts_internal.h"

#include "write/typesetting/words.h"
#include "words/charts.h"

/* ---- labels ---- */

/* TEXT on one line: white space and control characters are one space. */
static void add_line(struct odp_buffer *out, struct odp_slice text)
{
    size_t start = out->len;
    bool space = false;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c <= ' ' || c == 0x7F) {
            space = true;
            continue;
        }
        if (space && out->len > start)
            odp_buffer_add_char(out, ' ');
        space = false;
        odp_buffer_add_char(out, (char)c);
    }
}

static void add_date(struct odp_buffer *out, enum odp_type type, struct odp_slice key, enum odp_lang lang)
{
    odp_words_date(out, key, lang);
    if (type == ODP_TYPE_DATETIME && key.len >= 16) {
        odp_buffer_add_char(out, ' ');
        odp_buffer_add(out, key.ptr + 11, 5);
    }
}

static const char *label_in_catalogue(const struct odp_chart_data *d, uint32_t field, struct odp_slice key,
                                      const struct odp_code_lists *codes, enum odp_lang lang)
{
    struct odp_text text = odp_code_lists_find(codes, d->resource, field, key);
    if (odp_text_is_empty(&text))
        text = odp_code_lists_row(codes, d->resource, field, key);
    return odp_text_get(&text, lang);
}

/* The label of a value of FIELD. */
static void add_value(const struct odp_chart_data *d, const struct chart_group *g, int field,
                      const struct odp_code_lists *codes, enum odp_lang lang, struct odp_buffer *out)
{
    size_t start = out->len;
    const struct odp_field *f = &d->resource->schema.fields[field];
    const char *known = label_in_catalogue(d, (uint32_t)field, g->key, codes, lang);
    if (known[0] != '\0') {
        add_line(out, odp_slice_of(known));
    } else if (f->type == ODP_TYPE_DATE || f->type == ODP_TYPE_DATETIME || f->type == ODP_TYPE_YEARMONTH) {
        add_date(out, f->type, g->key, lang);
    } else {
        struct odp_buffer text = {0};
        odp_words_cell(&text, &d->resource->schema, (uint32_t)field, g->key, lang);
        out->failed |= text.failed;
        add_line(out, odp_buffer_slice(&text));
        odp_buffer_release(&text);
    }
    if (out->len == start)
        odp_buffer_add_str(out, odp_word(lang, W_charts_empty_text));
}

/* A class of values with decimals ends below its upper border, but for the last, which includes it. */
static void add_class(const struct odp_chart_data *d, const struct chart_group *g, enum odp_lang lang,
                      struct odp_buffer *out)
{
    const bool below = chart_is_histogram(d) && d->places > 0 && g != &d->categories[d->ncategories - 1];
    if (g->open == CHART_OPEN_ABOVE)
        odp_buffer_add_str(out, "≥ ");
    if (g->open != CHART_OPEN_BELOW)
        chart_label_value(d, g->sum.least, lang, out);
    if (g->open == CHART_OPEN_ABOVE || (g->open == CHART_CLOSED && g->sum.greatest == g->sum.least))
        return;
    if (g->open == CHART_OPEN_BELOW)
        odp_buffer_add_str(out, below ? "< " : "≤ ");
    else
        odp_buffer_add_str(out, below ? odp_word(lang, W_charts_to_below) : odp_word(lang, W_charts_to));
    chart_label_value(d, g->sum.greatest, lang, out);
}

static void add_label(const struct odp_chart_data *d, const struct chart_group *g, int field,
                      const struct odp_code_lists *codes, enum odp_lang lang, struct odp_buffer *out)
{
    static const struct odp_text words[] = {[GROUP_NULL] = {{W_charts_none}},
                                            [GROUP_OTHERS] = {{W_charts_others}},
                                            [GROUP_EARLIER] = {{W_charts_earlier}}};
    if (g->kind == GROUP_VALUE && field >= 0) {
        add_value(d, g, field, codes, lang, out);
    } else if (g->kind == GROUP_VALUE) {
        odp_buffer_add_str(out, odp_word(lang, W_charts_all_records));
    } else if (g->kind == GROUP_CLASS) {
        add_class(d, g, lang, out);
    } else {
        odp_buffer_add_str(out, words[g->kind].in[lang]);
    }
}

void chart_label_groups(struct odp_chart_data *d, struct chart_group *g, uint32_t n, int field,
                        const struct odp_code_lists *codes)
{
    struct odp_buffer text = {0};
    for (uint32_t i = 0; i < n; i++)
        for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
            odp_buffer_clear(&text);
            add_label(d, &g[i], field, codes, lang, &text);
            g[i].label[lang] = odp_slice_of(odp_arena_str(&d->arena, odp_buffer_cstr(&text)));
        }
    d->key.failed |= text.failed;
    odp_buffer_release(&text);
}

/* ---- how far the values reach ---- */

bool chart_has_total(const struct odp_chart_data *d)
{
    return d->chart->aggregate == ODP_CHART_COUNT || d->chart->aggregate == ODP_CHART_SUM;
}

void chart_extent(const struct odp_chart_data *d, fixed *lo, fixed *hi)
{
    bool stacked = chart_is_stacked(d);
    *lo = *hi = 0;
    for (uint32_t i = 0; i < d->ncategories; i++) {
        fixed low = 0, high = 0; /* of the parts so far */
        for (uint32_t k = 0; k < d->nseries; k++) {
            fixed v = chart_value_at(d, i, k)->value;
            low = v < 0 ? v + (stacked ? low : 0) : low;
            high = v > 0 ? v + (stacked ? high : 0) : high;
            *lo = low < *lo ? low : *lo;
            *hi = high > *hi ? high : *hi;
        }
    }
}

bool chart_line_extent(const struct odp_chart_data *d, fixed *lo, fixed *hi)
{
    bool any = false;
    *lo = *hi = 0;
    for (size_t i = 0; i < (size_t)d->ncategories * d->nseries; i++) {
        const struct chart_value *v = &d->values[i];
        if (!v->present)
            continue;
        *lo = !any || v->value < *lo ? v->value : *lo;
        *hi = !any || v->value > *hi ? v->value : *hi;
        any = true;
    }
    /* What hardly changes must not look as if it did. */
    fixed little = (fixed_absolute(*lo) + fixed_absolute(*hi)) / 100;
    if (*lo >= 0 && (*lo <= *hi / 2 || *hi - *lo <= little))
        *lo = 0;
    if (*hi <= 0 && (*hi >= *lo / 2 || *hi - *lo <= little))
        *hi = 0;
    return *lo <= 0 && *hi >= 0;
}

/* ---- scale ---- */

static const struct word {
    unsigned power;
    const char *in[ODP_LANGS];
} words[] = {
    {12, {W_charts_trillion}}, {9, {W_charts_billion}}, {6, {W_charts_million}}, {3, {W_charts_thousand}}};
enum { WORDS = ODP_COUNT(words) };

/* Does UNIT begin with a number word ("juta rupiah")? REST: the words after it. Such a word elsewhere sets
 * *ODD. */
static unsigned power_of(const char *unit, enum odp_lang lang, const char **rest, bool *odd)
{
    *rest = unit;
    for (size_t i = 0; i < WORDS; i++) {
        const char *word = words[i].in[lang];
        size_t n = strlen(word);
        if (strncmp(unit, word, n) == 0 && (unit[n] == ' ' || unit[n] == '\0')) {
            *rest = unit + n + (unit[n] == ' ');
            return words[i].power;
        }
        *odd |= strstr(unit, word) != NULL;
    }
    return 0;
}

static const char *word_of(unsigned power, enum odp_lang lang)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].power == power)
            return words[i].in[lang];
    return "";
}

/* Decimals for three or four digits that count, never more than the values have. */
static unsigned decimals_for(fixed largest, unsigned power, unsigned places)
{
    fixed one = fixed_power(power + FIXED_PLACES);
    unsigned n = largest >= 1000 * one ? 0 : largest >= 10 * one ? 1 : 2;
    if (largest < one && power == 0) /* small values: two digits that count */
        for (fixed v = one / 10; v > largest && v > 1 && n < FIXED_PLACES; v /= 10)
            n++;
    return n < places + power ? n : places + power;
}

void chart_label_scale(struct odp_chart_data *d, fixed largest)
{
    const struct odp_chart *c = d->chart;
    bool counted = c->type == ODP_CHART_HISTOGRAM ? false
                   : c->type == ODP_CHART_MAP     ? c->category >= 0 || c->value < 0
                                                  : c->aggregate == ODP_CHART_COUNT || c->value < 0;
    const char *unit[ODP_LANGS] = {"", ""}, *rest[ODP_LANGS];
    unsigned own[ODP_LANGS], power = 0;
    bool odd = false;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        if (!counted)
            unit[lang] = odp_text_get(&d->resource->schema.fields[c->value].unit, (enum odp_lang)lang);
        own[lang] = power_of(unit[lang], (enum odp_lang)lang, &rest[lang], &odd);
    }
    if (own[ODP_LANG_ID] == own[ODP_LANG_EN] && !odd) {
        for (size_t i = 0; i < WORDS && power == 0; i++)
            if (words[i].power >= 6 && words[i].power > own[0] &&
                largest >= fixed_power(words[i].power - own[0] + FIXED_PLACES))
                power = words[i].power - own[0];
    }
    d->scale = (struct chart_scale){.power = power,
                                    .decimals = decimals_for(largest, power, counted ? 0 : d->places)};
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *word = power != 0 ? word_of(power + own[lang], (enum odp_lang)lang) : "",
                   *of = power != 0 ? rest[lang] : unit[lang];
        const char *text =
            odp_arena_printf(&d->arena, "%s%s%s", word, word[0] != '\0' && of[0] != '\0' ? " " : "", of);
        d->scale.unit[lang] = odp_slice_of(text);
    }
}

void chart_label_value(const struct odp_chart_data *d, fixed v, enum odp_lang lang, struct odp_buffer *out)
{
    fixed_show(out, v, d->scale.power, d->scale.decimals, lang);
}

static void add_title(const struct odp_chart_data *d, int field, enum odp_lang lang, struct odp_buffer *out)
{
    odp_words_title(out, &d->resource->schema.fields[field], lang, false);
}

const char *chart_label_records(const struct odp_chart_data *d, enum odp_lang lang)
{
    const struct odp_text *record = &d->resource->measures.record;
    return odp_text_is_empty(record) ? odp_word(lang, W_charts_records_2) : odp_text_get(record, lang);
}

static void add_count(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out)
{
    odp_buffer_printf(out, "%s%s", odp_word(lang, W_charts_number_of), chart_label_records(d, lang));
}

void chart_label_measure(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out)
{
    static const struct odp_text ways[] = {[ODP_CHART_SUM] = {{W_charts_way_sum}},
                                           [ODP_CHART_MEAN] = {{W_charts_way_mean}},
                                           [ODP_CHART_MIN] = {{W_charts_way_min}},
                                           [ODP_CHART_MAX] = {{W_charts_way_max}}};
    const struct odp_chart *c = d->chart;
    const char *in = odp_word(lang, W_charts_in);
    bool map = c->type == ODP_CHART_MAP;
    if (map && c->category >= 0) {
        add_title(d, c->category, lang, out);
        return;
    }
    if (chart_is_gantt(d)) {
        odp_buffer_add_str(out, odp_word(lang, W_charts_way_late));
        return;
    }
    if (chart_is_histogram(d)) {
        add_count(d, lang, out);
        odp_buffer_add_str(out, odp_word(lang, W_charts_title_by));
        const size_t title = out->len;
        add_title(d, c->value, lang, out);
        if (out->len > title)
            out->ptr[title] = odp_text_first_inside((struct odp_slice){out->ptr + title, out->len - title});
        if (d->scale.unit[lang].len > 0)
            odp_buffer_printf(out, ", %.*s", (int)d->scale.unit[lang].len, d->scale.unit[lang].ptr);
        return;
    }
    if (c->value < 0 || (!map && c->aggregate == ODP_CHART_COUNT)) {
        add_count(d, lang, out);
    } else {
        add_title(d, c->value, lang, out);
        odp_buffer_add_str(out, map ? "" : ", ");
        odp_buffer_add_str(out, map ? "" : ways[c->aggregate].in[lang]);
    }
    if (d->scale.unit[lang].len > 0) {
        odp_buffer_add_str(out, map && c->value >= 0 ? ", " : in);
        odp_buffer_add_slice(out, d->scale.unit[lang]);
    }
}

/* ---- notes ---- */

static uint64_t folded_in(const struct chart_group *g, uint32_t n, enum chart_group_kind kind)
{
    for (uint32_t i = 0; i < n; i++)
        if (g[i].kind == kind)
            return g[i].folded;
    return 0;
}

void chart_label_notes(const struct odp_chart_data *d, enum odp_lang lang, struct odp_buffer *out)
{
    const struct chart_group *c = d->categories, *s = d->series;
    bool map = d->chart->type == ODP_CHART_MAP;
    uint64_t drawn = d->records - d->no_place - d->no_value;
    const struct {
        uint64_t n;
        struct odp_text one, many;
    } notes[] = {
        {folded_in(c, d->ncategories, GROUP_OTHERS), {{W_charts_others_one}}, {{W_charts_others_many}}},
        {folded_in(c, d->ncategories, GROUP_EARLIER), {{W_charts_earlier_one}}, {{W_charts_earlier_many}}},
        {folded_in(s, d->nseries, GROUP_OTHERS) + folded_in(s, d->nseries, GROUP_EARLIER),
         {{W_charts_groups_one}},
         {{W_charts_groups_many}}},
        {d->no_value, {{W_charts_no_value_one}}, {{W_charts_no_value_many}}},
        {d->no_place, {{W_charts_no_place_one}}, {{W_charts_no_place_many}}},
        {d->no_time, {{W_charts_no_time_one}}, {{W_charts_no_time_many}}},
        {map && d->nsymbols < drawn ? d->nsymbols : 0, {{W_charts_symbols_one}}, {{W_charts_symbols_many}}},
    };
    fixed lo, hi;
    const char *before = "";
    for (size_t i = 0; i < ODP_COUNT(notes); i++) {
        const char *note = (notes[i].n == 1 ? &notes[i].one : &notes[i].many)->in[lang],
                   *hole = strstr(note, "{n}");
        if (notes[i].n == 0)
            continue;
        odp_buffer_printf(out, "%s%.*s", before, (int)(hole - note), note);
        odp_text_number(out, notes[i].n, lang);
        odp_buffer_add_str(out, hole + 3);
        before = " ";
    }
    if (d->chart->type == ODP_CHART_LINE && d->ncategories > 0 && !chart_line_extent(d, &lo, &hi))
        odp_buffer_printf(out, "%s%s", before, odp_word(lang, W_charts_axis_not_from_zero));
}

const char *chart_label_nothing(const struct odp_chart_data *d, enum odp_lang lang)
{
    static const struct odp_text why[] = {[CHART_FINE] = {{W_charts_nothing}},
                                          [CHART_TOO_MANY] = {{W_charts_nothing_too_many}},
                                          [CHART_TOO_LARGE] = {{W_charts_nothing_too_large}}};
    return why[d->fault].in[lang];
}

void chart_label_degrees(struct odp_buffer *out, double degrees, int places, bool longitude,
                         enum odp_lang lang)
{
    static const char *const side[2][ODP_LANGS][2] = {{{"° LU", "° LS"}, {"° N", "° S"}},
                                                      {{"° BT", "° BB"}, {"° E", "° W"}}};
    bool negative = degrees < 0;
    char text[40];
    size_t n = odp_decimal_fixed(negative ? -degrees : degrees, places, text);
    odp_text_decimal(out, (struct odp_slice){text, n}, lang);
    odp_buffer_add_str(out, n == 1 && text[0] == '0' ? "°" : side[longitude][lang][negative]);
}
