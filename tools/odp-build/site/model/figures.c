/* What the summary of a table says (data/<slug>/<version>/<slug>.summary.json, write/summary), as facts that
 * pages, cards and pictures put into words: how many records, the figures that matter, where most is, how
 * they went. */
#include "published/layout.h"
#include "site/model/model_internal.h"
#include "site/model/places.h"

enum {
    SAID = 3, /* figures in a sentence */
    RANKED = 10,
    RANKED_LEAST = 3, /* of fewer places none is first */
    SPARK_LEAST = 3,
    SPARK_WIDTH = 100,
    SPARK_HEIGHT = 24,
};

/* ---- numbers ---- */

/* "24.9": A of B in per cent; 0 and 100 only where it is exactly that. */
static json_t *make_percent(double a, double b)
{
    double tenths = b != 0 ? 1000 * a / b + (a * b < 0 ? -.5 : .5) : 0;
    json_int_t n = tenths > 1e15 || tenths < -1e15 ? 0 : (json_int_t)tenths;
    n = a > 0 && n == 0 ? 1 : a > 0 && a < b && n == 1000 ? 999 : n;
    return json_sprintf("%s%" JSON_INTEGER_FORMAT ".%d", n < 0 ? "-" : "", (n < 0 ? -n : n) / 10,
                        (int)((n < 0 ? -n : n) % 10));
}

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

/* TEXT as it is inside of a sentence: "Luas kumuh" is "luas kumuh", "PDB" stays. */
static json_t *inside(const char *text)
{
    json_t *s = NULL;
    if (text[0] >= 'A' && text[0] <= 'Z' && text[1] >= 'a' && text[1] <= 'z')
        s = json_sprintf("%c%s", text[0] + ('a' - 'A'), text + 1);
    return s != NULL ? s : json_string(text);
}

static json_t *both_inside(const json_t *of, const char *key)
{
    return json_pack("{s:o, s:o}", "id", inside(odp_model_in(of, key, ODP_LANG_ID)), "en",
                     inside(odp_model_in(of, key, ODP_LANG_EN)));
}

/* {"year", "month"} of "2023", "2023-10" or a day; month "" where it has none. */
json_t *odp_model_time(const json_t *time)
{
    const char *text = json_is_string(time) ? json_string_value(time) : "";
    const bool month = strlen(text) >= 7 && text[4] == '-';
    return json_pack("{s:o, s:o}", "year", json_sprintf("%.*s", month ? 4 : 40, text), "month",
                     json_sprintf("%.*s", month ? 2 : 0, month ? text + 5 : ""));
}

/* Whether a mean has to be called one: "harga rata-rata" says it. */
static bool is_unsaid_mean(const json_t *measure)
{
    static const char *const says[] = {"ata-rata", "ean ", "verage"};
    bool unsaid = strcmp(odp_text_of(measure, "aggregate"), "mean") == 0;
    for (size_t i = 0; i < 3 * (size_t)ODP_LANGS; i++)
        unsaid =
            unsaid && strstr(odp_model_in(measure, "title", (enum odp_lang)(i / 3)), says[i % 3]) == NULL;
    return unsaid;
}

/* Whether TITLE says the unit: "temuan 440 temuan". */
static bool says_unit(const json_t *title, const json_t *measure)
{
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *unit = odp_model_in(measure, "unit", (enum odp_lang)lang);
        if (*unit != '\0' && strstr(odp_text_of(title, odp_lang_code((enum odp_lang)lang)), unit) != NULL)
            return true;
    }
    return false;
}

/* What MEASURE is: {"name", "title", "title_in", "unit", "is_percent", "is_count", "is_mean", "is_level"}. */
json_t *odp_model_measure(const json_t *measure)
{
    const char *name = odp_text_of(measure, "name"), *unit = odp_model_in(measure, "unit", ODP_LANG_ID);
    const bool percent = strcmp(unit, "persen") == 0 || strcmp(unit, "%") == 0;
    json_t *title_in = both_inside(measure, "title"),
           *o = json_pack("{s:s, s:o, s:o, s:b, s:b, s:b, s:b}", "name", name, "title",
                          odp_model_both(measure, "title"), "unit",
                          percent || says_unit(title_in, measure) ? json_string("") : make_unit(measure),
                          "is_percent", (int)percent, "is_count", (int)(strcmp(name, "count") == 0),
                          "is_mean", (int)is_unsaid_mean(measure), "is_level",
                          (int)(strcmp(odp_text_of(measure, "aggregate"), "mean") == 0));
    odp_set(o, "title_in", title_in);
    return o;
}

/* ---- one figure ---- */

static size_t index_of_measure(const json_t *measures, const char *name)
{
    const json_t *one;
    size_t i;
    json_array_foreach(measures, i, one) if (strcmp(odp_text_of(one, "name"), name) == 0) return i;
    return json_array_size(measures);
}

/* The last time against the one before it: in per cent, of per cents in points. */
static void set_change(json_t *o, const json_t *summary, const json_t *scope, size_t k)
{
    const json_t *times = json_object_get(scope, "times"),
                 *names = json_object_get(json_object_get(summary, "time"), "values");
    const size_t n = json_array_size(times);
    if (n < 2 || n != json_array_size(names))
        return;
    const json_t *now = json_array_get(json_array_get(times, n - 1), k),
                 *before = json_array_get(json_array_get(times, n - 2), k);
    const double a = json_number_value(now), b = json_number_value(before);
    const bool points = json_is_true(json_object_get(o, "is_percent"));
    if (!json_is_number(now) || !json_is_number(before) || (b <= 0 && !points))
        return;
    odp_set(o, "change",
            json_pack("{s:o, s:b, s:b, s:b, s:o}", "by",
                      points ? json_sprintf("%.2f", a > b ? a - b : b - a)
                             : make_percent(a > b ? a - b : b - a, b),
                      "is_points", (int)points, "is_up", (int)(a > b), "is_down", (int)(a < b), "from",
                      odp_model_time(json_array_get(names, n - 2))));
}

/* The values by time as points of a line, SPARK_WIDTH by SPARK_HEIGHT; what is missing is passed over. */
static void set_spark(json_t *o, const json_t *summary, const json_t *scope, size_t k)
{
    const json_t *times = json_object_get(scope, "times"),
                 *names = json_object_get(json_object_get(summary, "time"), "values"), *row;
    const size_t n = json_array_size(times);
    double low = 0, high = 0, x = 0, y = 0;
    size_t seen = 0, first = 0, last = 0, i;
    struct odp_buffer points = {0};
    json_array_foreach(times, i, row)
    {
        const json_t *value = json_array_get(row, k);
        if (!json_is_number(value))
            continue;
        const double v = json_number_value(value);
        first = seen == 0 ? i : first;
        low = seen == 0 || v < low ? v : low;
        high = seen == 0 || v > high ? v : high;
        last = i;
        seen++;
    }
    if (seen < SPARK_LEAST || n != json_array_size(names))
        return;
    json_array_foreach(times, i, row) if (json_is_number(json_array_get(row, k)))
    {
        const double v = json_number_value(json_array_get(row, k));
        x = 2 + (SPARK_WIDTH - 4) * (double)(i - first) / (double)(last - first);
        y = high > low ? SPARK_HEIGHT - 3 - (SPARK_HEIGHT - 6) * (v - low) / (high - low) : SPARK_HEIGHT / 2;
        odp_buffer_printf(&points, "%s%.1f,%.1f", points.len > 0 ? " " : "", x, y);
    }
    odp_set(o, "spark",
            json_pack("{s:s, s:o, s:o, s:o, s:o}", "points", odp_buffer_cstr(&points), "x",
                      json_sprintf("%.1f", x), "y", json_sprintf("%.1f", y), "from",
                      odp_model_time(json_array_get(names, first)), "to",
                      odp_model_time(json_array_get(names, last))));
    odp_buffer_release(&points);
}

/* Measure K of SUMMARY in SCOPE; NULL: it has no value there. */
static json_t *make_figure(const json_t *summary, const json_t *scope, size_t k)
{
    const json_t *measures = json_object_get(summary, "measures"), *measure = json_array_get(measures, k),
                 *totals = json_object_get(scope, "total"),
                 *count = json_array_get(totals, index_of_measure(measures, "count"));
    json_t *value = odp_model_measured(measure, json_array_get(totals, k));
    const bool category = json_object_get(measure, "value") != NULL;
    if (value == NULL)
        return NULL;
    json_t *o = odp_model_measure(measure);
    odp_set(o, "value", value);
    odp_set(o, "label", odp_model_both(measure, "label"));
    odp_set(o, "label_in", both_inside(measure, "label"));
    if (category && json_number_value(count) > 0)
        odp_set(o, "share",
                make_percent(json_number_value(json_array_get(totals, k)), json_number_value(count)));
    if (json_is_true(json_object_get(json_object_get(summary, "time"), "panel")))
        set_change(o, summary, scope, k);
    set_spark(o, summary, scope, k);
    return o;
}

json_t *odp_model_highlights(const json_t *summary, const json_t *scope)
{
    const json_t *measure;
    json_t *list = json_array();
    size_t k;
    json_array_foreach(json_object_get(summary, "measures"), k,
                       measure) if (json_is_true(json_object_get(measure, "highlight")))
    {
        json_t *o = make_figure(summary, scope, k);
        if (o == NULL)
            continue;
        odp_set_flag(o, "in_sentence", json_array_size(list) < SAID);
        odp_add(list, o);
    }
    return list;
}

/* ---- places in order ---- */

struct figures {
    const struct odp_site_job *job;
    json_t *names; /* of codes, by path */
    struct odp_arena arena;
    enum odp_status status;
};

struct place {
    const char *code;
    const json_t *value;
};

static int largest_first(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const double v = json_number_value(x->value), w = json_number_value(y->value);
    return v != w ? (v < w) - (v > w) : strcmp(x->code, y->code);
}

static struct place *rank(const json_t *places, size_t k, size_t *n, struct odp_arena *a)
{
    const char *code;
    json_t *one;
    struct place *all = odp_arena_array(a, json_object_size(places) + 1, sizeof *all);
    *n = 0;
    json_object_foreach((json_t *)(uintptr_t)places, code, one)
    {
        const json_t *value = json_array_get(json_object_get(one, "total"), k);
        if (json_is_number(value))
            all[(*n)++] = (struct place){code, value};
    }
    if (*n > 1)
        qsort(all, *n, sizeof *all, largest_first);
    return all;
}

json_t *model_place_page(const struct odp_site_job *job, const char *list, const char *code,
                         struct odp_arena *a)
{
    json_t *page = json_object();
    for (int lang = 0; lang < ODP_LANGS && odp_places_find(job->places, list, code) != NULL; lang++)
        odp_set_str(page, odp_lang_code((enum odp_lang)lang), odp_path_place(code, (enum odp_lang)lang, a));
    return page;
}

/* The highest of the places of LEVEL by measure K, with their NAMES. */
static json_t *make_ranking(struct figures *f, const json_t *summary, const char *level, const json_t *names,
                            size_t k)
{
    const json_t *measure = json_array_get(json_object_get(summary, "measures"), k);
    size_t n;
    const struct place *all =
        rank(json_object_get(json_object_get(summary, "places"), level), k, &n, &f->arena);
    const double most = n > 0 ? json_number_value(all[0].value) : 0;
    json_t *list = json_array();
    for (size_t i = 0; i < n && i < RANKED; i++) {
        const double v = json_number_value(all[i].value);
        odp_add(list, json_pack("{s:I, s:s, s:o, s:o, s:o, s:o}", "number", (json_int_t)i + 1, "code",
                                all[i].code, "page", model_place_page(f->job, level, all[i].code, &f->arena),
                                "label", odp_model_both_or(names, all[i].code, all[i].code), "value",
                                odp_model_measured(measure, all[i].value), "width",
                                json_sprintf("%.1f", most > 0 && v > 0 ? 100 * v / most : 0)));
    }
    json_t *o = odp_model_measure(measure);
    odp_set_str(o, "level", level);
    odp_set_number(o, "n", (json_int_t)n);
    odp_set(o, "list", list);
    if (n < RANKED_LEAST || most <= 0) {
        json_decref(o);
        return NULL;
    }
    return o;
}

/* ---- all tables ---- */

static json_t *read_document(struct figures *f, const char *path)
{
    json_t *document = NULL;
    if (f->status == ODP_OK)
        f->status = odp_job_read(f->job, path, &document);
    return document;
}

/* {code: {"id", "en"?}} of an edition of LIST. */
static const json_t *names_of(struct figures *f, const char *list, const char *edition)
{
    const char *path = odp_labels_path(list, edition, &f->arena);
    if (json_object_get(f->names, path) == NULL) {
        json_t *labels = read_document(f, path);
        odp_set(f->names, path, labels != NULL ? labels : json_object());
    }
    return json_object_get(json_object_get(f->names, path), "labels");
}

/* The measure that places are put in order by: the first highlight. */
static size_t first_highlight(const json_t *summary)
{
    const json_t *measure;
    size_t k;
    json_array_foreach(json_object_get(summary, "measures"), k,
                       measure) if (json_is_true(json_object_get(measure, "highlight"))) return k;
    return 0;
}

static void set_places(struct figures *f, json_t *o, const json_t *summary)
{
    const json_t *place = json_object_get(summary, "place");
    const char *list = odp_text_of(place, "list");
    if (*list == '\0')
        return;
    const json_t *names = names_of(f, list, odp_text_of(place, "edition"));
    json_t *ranking = make_ranking(f, summary, list, names, first_highlight(summary));
    if (ranking != NULL)
        odp_set(o, "ranking", ranking);
}

static json_t *make_facts(struct figures *f, const char *path)
{
    json_t *summary = read_document(f, path);
    const json_t *time = json_object_get(summary, "time"), *all = json_object_get(summary, "all"),
                 *times = json_object_get(time, "values");
    const bool panel = json_is_true(json_object_get(time, "panel"));
    if (summary == NULL)
        return json_null();
    json_t *highlights = odp_model_highlights(summary, all),
           *o = json_pack("{s:I, s:o, s:b, s:o}", "records", odp_model_number(summary, "records"), "noun",
                          odp_model_both(summary, "record"), "any", (int)(json_array_size(highlights) > 0),
                          "highlights", highlights);
    if (panel && json_array_size(times) > 0)
        odp_set(o, "time", odp_model_time(json_array_get(times, json_array_size(times) - 1)));
    else if (json_array_size(highlights) > 0)
        odp_set_flag(json_array_get(highlights, 0), "begins", true);
    set_places(f, o, summary);
    json_decref(summary);
    return o;
}

enum odp_status odp_model_figures(const struct odp_site_job *job, json_t **out)
{
    struct figures f = {.job = job, .names = json_object()};
    const json_t *entry, *table;
    size_t i, k;
    *out = json_object();
    odp_arena_init(&f.arena);
    json_array_foreach(job->entries, i, entry)
    {
        const char *slug = odp_text_of(entry, "slug");
        json_t *list = json_array();
        json_array_foreach(json_object_get(entry, "resources"), k, table) odp_add(
            list, make_facts(&f, odp_arena_printf(&f.arena, "data/%s/%s/%s%s%s.summary.json", slug,
                                                  odp_text_of(entry, "version"), slug, k > 0 ? "-" : "",
                                                  k > 0 ? odp_text_of(table, "name") : "")));
        odp_set(*out, slug, list);
    }
    json_decref(f.names);
    if (f.status == ODP_OK)
        f.status = odp_arena_status(&f.arena);
    odp_arena_release(&f.arena);
    return f.status;
}
