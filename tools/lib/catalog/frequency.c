#include "catalog/frequency.h"

#include "base/nearest.h"
#include "base/text.h"
#include "words/catalog.h"

static const struct {
    const char *code;
    int months, days;
} frequencies[] = {
#define ODP_FREQUENCY(code, months, days, word, plain) {#code, months, days},
#include "catalog/frequency.def"
#undef ODP_FREQUENCY
};

const char *const *odp_frequency_codes(void)
{
    static const char *const codes[] = {
#define ODP_FREQUENCY(code, months, days, word, plain) #code,
#include "catalog/frequency.def"
#undef ODP_FREQUENCY
        NULL};
    return codes;
}

const char *odp_frequency_known(const char *code)
{
    return strcmp(code, "UNKNOWN") != 0 ? code : "";
}

const char *odp_frequency_meant(const char *said)
{
    static const struct odp_text words[] = {
#define ODP_FREQUENCY(code, months, days, word, plain) {{plain}},
#include "catalog/frequency.def"
#undef ODP_FREQUENCY
    };
    struct odp_slice all[ODP_COUNT(words) * ODP_LANGS];
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        all[i] = odp_slice_of(odp_or_empty(words[i / ODP_LANGS].in[i % ODP_LANGS]));
    const int found = odp_meant(odp_slice_of(odp_or_empty(said)), all, ODP_COUNT(all));
    return found >= 0 ? odp_frequency_codes()[found / ODP_LANGS] : NULL;
}

static uint8_t last_day(int year, int month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

bool odp_frequency_due(const char *date, const char *frequency, char out[ODP_DATETIME_SIZE])
{
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(date);
    day.len = day.len > 10 ? 10 : day.len;
    if (odp_date_parse(day, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK)
        return false;
    for (size_t i = 0; i < ODP_COUNT(frequencies); i++) {
        if (strcmp(frequencies[i].code, frequency) != 0)
            continue;
        int months = d.year * 12 + d.month - 1 + frequencies[i].months, year = months / 12,
            month = months % 12 + 1;
        if (year > 9998 || (frequencies[i].months == 0 && frequencies[i].days == 0))
            return false;
        d.year = (int16_t)year;
        d.month = (uint8_t)month;
        d.day = d.day > last_day(year, month) ? last_day(year, month) : d.day;
        odp_date_from_days(&d, odp_date_days(&d) + frequencies[i].days);
        (void)odp_date_format(&d, ODP_DATE, out);
        return true;
    }
    return false;
}
