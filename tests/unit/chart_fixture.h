/* For tests of charts: a resource with a field of every kind that a chart may have, records gathered into a
 * chart's data, and the faults reported of it. */
#pragma once
#include "run.h"
#include "random.h"

#include <math.h>

#include "base/json.h"
#include "base/utf8.h"
#include "write/charts/charts_internal.h"

enum { KIND, PART, VALUE, DAY, YEAR, MONTH, ORDER, TIME, NUMBER, AMOUNT, DONE, FIELDS };
static struct odp_category ordered[] = {
    {ODP_LIT("ringan"), {{"Ringan", "Light"}}},
    {ODP_LIT("sedang"), {{"Sedang", "Moderate"}}},
    {ODP_LIT("berat"), {{"Berat", "Severe"}}},
};
static struct odp_field fields[FIELDS] = {
    [KIND] = {.name = "jenis", .type = ODP_TYPE_STRING, .title = {{"Jenis", "Kind"}}},
    [PART] = {.name = "bagian", .type = ODP_TYPE_STRING, .title = {{"Bagian", "Part"}}},
    [VALUE] =
        {
            .name = "nilai",
            .type = ODP_TYPE_NUMBER,
            .title = {{"Nilai", "Value"}},
            .unit = {{"rupiah", "rupiah"}},
        },
    [DAY] = {.name = "hari", .type = ODP_TYPE_DATE, .title = {{"Hari", "Day"}}},
    [YEAR] = {.name = "tahun", .type = ODP_TYPE_YEAR, .title = {{"Tahun", "Year"}}},
    [MONTH] = {.name = "bulan", .type = ODP_TYPE_YEARMONTH, .title = {{"Bulan", "Month"}}},
    [ORDER] =
        {
            .name = "tingkat",
            .type = ODP_TYPE_STRING,
            .title = {{"Tingkat", "Degree"}},
            .categories = ordered,
            .ncategories = 3,
            .categories_ordered = true,
        },
    [TIME] = {.name = "waktu", .type = ODP_TYPE_DATETIME, .title = {{"Waktu", "Time"}}},
    [NUMBER] = {.name = "jarak", .type = ODP_TYPE_NUMBER, .title = {{"Jarak", "Distance"}}},
    [AMOUNT] =
        {
            .name = "dana",
            .type = ODP_TYPE_NUMBER,
            .title = {{"Dana", "Funds"}},
            .unit = {{"juta rupiah", "million rupiah"}},
        },
    [DONE] = {.name = "selesai", .type = ODP_TYPE_DATE, .title = {{"Selesai", "Done"}}},
};
static const struct odp_chart_about about = {
    .dataset = "uji",
    .version = "2024-03-15",
    .source = {{"Penerbit, Uji", "Publisher, Test"}},
    .license_name = "CC-BY-4.0",
    .license_path = "https://example.org/?a&b",
};
static const struct odp_resource resource = {.name = "uji", .schema = {.fields = fields, .n = FIELDS}};

struct row {
    const char *field[FIELDS];
    double at[2];
    bool placed;
};

static inline void add(struct odp_chart_data *d, const struct row *row)
{
    struct odp_slice cells[FIELDS];
    for (size_t i = 0; i < FIELDS; i++)
        cells[i] = row->field[i] != NULL ? odp_slice_of(row->field[i]) : (struct odp_slice){NULL, 0};
    odp_chart_data_add(d, cells, row->placed ? row->at : NULL);
}

static inline struct odp_chart_data *start(const struct odp_chart *c)
{
    return odp_chart_data_new(c, &resource);
}

static inline struct odp_chart_data *gather(const struct odp_chart *c, const struct row *rows, size_t n)
{
    struct odp_chart_data *d = start(c);
    for (size_t i = 0; i < n; i++)
        add(d, &rows[i]);
    must(odp_chart_data_finish(d, NULL));
    return d;
}

#define GATHER(c, rows) gather((c), (rows), ODP_COUNT(rows))

static inline struct odp_chart chart(enum odp_chart_type type, int category, int series, int value,
                                     enum odp_chart_aggregate aggregate)
{
    return (struct odp_chart){
        .name = "uji",
        .type = type,
        .title = {{"Judul", "Title"}},
        .category = category,
        .series = series,
        .value = value,
        .aggregate = aggregate,
        .top = 12,
        .by_value = type != ODP_CHART_LINE,
    };
}

static inline void check_words(const struct odp_chart_data *d, enum odp_lang lang, const char *expected)
{
    struct odp_buffer b = {0};
    odp_chart_data_alternative(d, lang, &b);
    assert_string_equal(odp_buffer_cstr(&b), expected);
    odp_buffer_release(&b);
}
