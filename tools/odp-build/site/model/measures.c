/* What a measure of a summary (write/summary) is, in words: title, unit, kind; and its values. */
#include "site/model/model_internal.h"
#include "write/summary/areas.h"

/* A unit that begins with a number is that number: 303.6 "juta rupiah" is 303600000 "rupiah". */
static const char *const scales[][2] = {
    {"ribu ", "thousand "}, {"juta ", "million "}, {"miliar ", "billion "}, {"triliun ", "trillion "}};

static size_t scale_of(const json_t *measure)
{
    const char *unit = odp_model_in(measure, "unit", ODP_LANG_ID);
    size_t i = 0;
    while (i < 4 && strncmp(unit, scales[i][0], strlen(scales[i][0])) != 0)
        i++;
    return i;
}

/* MEASURE's value as the kind "number" of templates, with the decimals that it has; NULL: none. */
json_t *odp_model_measured(const json_t *measure, const json_t *value)
{
    static const double times[] = {1e3, 1e6, 1e9, 1e12};
    const json_t *decimals = json_object_get(measure, "decimals");
    const size_t scale = scale_of(measure);
    if (json_is_number(value) && scale < 4)
        return json_sprintf("%.0f", json_number_value(value) * times[scale]);
    if (json_is_integer(value))
        return json_incref((json_t *)(uintptr_t)value);
    if (!json_is_real(value))
        return NULL;
    if (!json_is_integer(decimals))
        return json_sprintf("%.15g", json_real_value(value));
    return json_sprintf("%.*f", (int)(json_integer_value(decimals) & 15), json_real_value(value));
}

/* ---- words ---- */

static json_t *make_unit(const json_t *measure)
{
    const size_t scale = scale_of(measure);
    json_t *unit = odp_model_both(measure, "unit");
    for (int lang = 0; lang < ODP_LANGS && scale < 4; lang++) {
        const char *text = odp_model_in(measure, "unit", (enum odp_lang)lang), *skip = scales[scale][lang];
        if (strncmp(text, skip, strlen(skip)) == 0)
            odp_set_str(unit, odp_lang_code((enum odp_lang)lang), text + strlen(skip));
    }
    return unit;
}

static json_t *inside(const char *text)
{
    return *text != '\0' ? json_sprintf("%c%s", odp_text_first_inside(odp_slice_of(text)), text + 1)
                         : json_string("");
}

json_t *model_both_inside(const json_t *of, const char *key)
{
    return json_pack("{s:o, s:o}", "id", inside(odp_model_in(of, key, ODP_LANG_ID)), "en",
                     inside(odp_model_in(of, key, ODP_LANG_EN)));
}

json_t *odp_model_noun(const json_t *summary, double n)
{
    return odp_model_both(summary, n == 1 && json_object_get(summary, "one") != NULL ? "one" : "record");
}

/* {"year", "month"} of "2023", "2023-10" or a day; month "" where it has none. */
json_t *odp_model_time(const json_t *time)
{
    const char *text = json_is_string(time) ? json_string_value(time) : "";
    const bool month = strlen(text) >= 7 && text[4] == '-';
    return json_pack("{s:o, s:o}", "year", json_sprintf("%.*s", month ? 4 : 40, text), "month",
                     json_sprintf("%.2s", month ? text + 5 : ""));
}

/* Whether TITLE says the unit in both languages: "temuan 440 temuan", "findings 440 findings". */
static bool says_unit(const json_t *title, const json_t *measure)
{
    bool says = true;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
        says = says &&
               strstr(odp_text_of(title, odp_lang_code(lang)), odp_model_in(measure, "unit", lang)) != NULL;
    return says;
}

/* What MEASURE is: {"name", "title", "title_in", "unit", "is_percent", "is_count", "is_mean", "is_level"}. */
json_t *odp_model_measure(const json_t *measure)
{
    const char *name = odp_text_of(measure, "name"), *unit = odp_model_in(measure, "unit", ODP_LANG_ID);
    const bool percent = strcmp(unit, "persen") == 0 || strcmp(unit, "%") == 0;
    json_t *title_in = model_both_inside(measure, "title"),
           *o = json_pack("{s:s, s:o, s:o, s:b, s:b, s:b, s:b}", "name", name, "title",
                          odp_model_both(measure, "title"), "unit",
                          percent || says_unit(title_in, measure) ? json_string("") : make_unit(measure),
                          "is_percent", (int)percent, "is_count", (int)(strcmp(name, "count") == 0),
                          "is_mean", (int)odp_areas_is_mean(measure), "is_level",
                          (int)(strcmp(odp_text_of(measure, "aggregate"), "mean") == 0));
    odp_set(o, "title_in", title_in);
    return o;
}
